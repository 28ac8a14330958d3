#include "profiles/analysis/launches.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <string>

namespace plumbline::profiles {
namespace {

constexpr std::int64_t kTiny = 5000;  // ns: about what launching a kernel costs

using Counts = std::map<std::string, std::uint64_t, std::less<>>;

// Most often first, then by name.
std::vector<std::pair<std::string, std::uint64_t>> ranked(const Counts& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> list(counts.begin(), counts.end());
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return list;
}

// Launches, waits and allocations of one thread each have an end before which another is nested.
class Nesting {
 public:
  explicit Nesting(std::size_t threads) : ends_(threads * kGroups, std::numeric_limits<std::int64_t>::min()) {}
  bool outer(std::uint16_t thread, CallKind kind, std::int64_t start, std::int64_t end) {
    const std::size_t group = kind == CallKind::wait ? 1 : kind == CallKind::allocate || kind == CallKind::free ? 2 : 0;
    std::int64_t& reach = ends_[thread * kGroups + group];
    if (start < reach && end <= reach) return false;
    reach = end;
    return true;
  }

 private:
  static constexpr std::size_t kGroups = 3;
  std::vector<std::int64_t> ends_;
};

// What launching calls take: their median in one pass without keeping them, and those that are far beyond it.
class LaunchCosts {
 public:
  void add(std::int64_t length) {
    ++count_;
    ++at_[static_cast<std::size_t>(std::clamp<std::int64_t>(length, 0, kExact))];
    if (length >= kExact) beyond_.push_back(length);
  }
  void finish(core::ProfileLaunches& result) {
    if (count_ == 0) return;
    result.median_launch_ns = (nth((count_ - 1) / 2) + nth(count_ / 2)) / 2;
    const double one_off = std::max(static_cast<double>(kExact), kOneOff * *result.median_launch_ns);
    for (const std::int64_t length : beyond_) {
      if (static_cast<double>(length) < one_off) continue;
      ++result.one_off_launches;
      result.one_off_ns += length;
    }
  }

  [[nodiscard]] Sketch sketch() const {
    std::vector<std::uint64_t> counts(Sketch::kBuckets, 0);
    for (std::int64_t length = 0; length < kExact; ++length)
      counts[Sketch::index_of(length)] += at_[static_cast<std::size_t>(length)];
    for (const std::int64_t length : beyond_) ++counts[Sketch::index_of(length)];
    std::vector<Sketch::Bucket> buckets;
    for (std::uint32_t index = 0; index < counts.size(); ++index) {
      if (counts[index] > 0) buckets.push_back({index, counts[index]});
    }
    return Sketch(std::move(buckets));
  }

 private:
  static constexpr std::int64_t kExact = 100'000;  // ns: calls as long as that are kept one by one
  static constexpr double kOneOff = 20;            // times the median
  double nth(std::uint64_t place) {
    std::uint64_t seen = 0;
    for (std::int64_t length = 0; length < kExact; ++length) {
      seen += at_[static_cast<std::size_t>(length)];
      if (seen > place) return static_cast<double>(length);
    }
    const auto at = beyond_.begin() + static_cast<std::ptrdiff_t>(place - seen);
    std::nth_element(beyond_.begin(), at, beyond_.end());
    return static_cast<double>(*at);
  }
  std::uint64_t count_ = 0;
  std::vector<std::uint32_t> at_ = std::vector<std::uint32_t>(kExact + 1);
  std::vector<std::int64_t> beyond_;
};

// Calls of one kind by name.
std::vector<std::pair<std::string, std::uint64_t>> calls_of(const Capture& capture, const std::vector<CallKind>& kinds,
                                                            const std::vector<std::uint64_t>& by_name, bool waits) {
  Counts counts;
  for (std::uint32_t id = 0; id < by_name.size(); ++id) {
    const CallKind kind = kinds[id];
    const bool wanted = waits ? kind == CallKind::wait : kind == CallKind::allocate || kind == CallKind::free;
    if (by_name[id] > 0 && wanted) counts[std::string(call_name(capture.names.text(id)))] += by_name[id];
  }
  return ranked(counts);
}

void count_calls(const Capture& capture, const std::vector<CallKind>& kinds, const Steps& steps, core::ProfileLaunches& result,
                 Sketch* spread) {
  const Calls& calls = capture.calls;
  Nesting nesting(capture.threads.size());
  LaunchCosts costs;
  std::vector<std::uint64_t> by_name(capture.names.size(), 0), steady(capture.names.size(), 0);
  std::int64_t from = 0, to = 0;
  for (const Step& step : steps.steps) {
    from = &step == &steps.steps.front() ? step.start : std::min(from, step.start);
    to = std::max(to, step.start + step.wall_ns);
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CallKind kind = kinds[calls.name[i]];
    if (kind == CallKind::other) continue;
    const std::int64_t length = calls.times.length(i);
    if (!nesting.outer(calls.thread[i], kind, calls.times.start(i), calls.times.start(i) + length)) continue;
    ++by_name[calls.name[i]];
    if (calls.times.start(i) >= from && calls.times.start(i) < to) ++steady[calls.name[i]];
    switch (kind) {
      case CallKind::launch:
        ++result.launches;
        result.launch_api_ns += length;
        costs.add(length);
        break;
      case CallKind::graph_launch:
        ++result.graph_launches;
        result.launch_api_ns += length;
        break;
      case CallKind::wait:
        ++result.syncs;
        result.sync_ns += length;
        break;
      case CallKind::allocate:
      case CallKind::free:
        ++(kind == CallKind::free ? result.frees : result.allocations);
        result.allocation_ns += length;
        break;
      case CallKind::other:
        break;
    }
  }
  costs.finish(result);
  if (spread != nullptr) *spread = costs.sketch();
  result.sync_calls = calls_of(capture, kinds, by_name, true);
  result.allocation_calls = calls_of(capture, kinds, by_name, false);
  if (steps.steps.empty()) return;
  result.steady_known = true;
  result.steady_sync_calls = calls_of(capture, kinds, steady, true);
  result.steady_allocation_calls = calls_of(capture, kinds, steady, false);
}

void count_operations(const Capture& capture, core::ProfileLaunches& result, Sketch* spread) {
  const GpuOps& ops = capture.ops;
  std::vector<bool> seen(capture.calls.size(), false);
  Column<std::uint32_t> delays;  // 4.29 s and more count as 4.29 s: the median of no capture lies there
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const OpKind kind = ops.kind[i];
    if (kind == OpKind::copy) {
      if (ops.detail[i] == kNone) continue;
      const CopyShape& shape = capture.copy_shapes[ops.detail[i]];
      if (shape.from != MemoryKind::pageable && shape.to != MemoryKind::pageable) continue;
      ++result.pageable_copies;
      result.pageable_bytes += shape.bytes;
      continue;
    }
    if (kind == OpKind::set) continue;
    if (kind == OpKind::kernel && ops.times.length(i) < kTiny) ++result.tiny_kernels;
    const std::uint32_t call = ops.launch[i];
    if (call == kNone || seen[call]) continue;
    seen[call] = true;
    delays.push_back(
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(ops.times.start(i) - capture.calls.times.end(call), 0, 0xFFFFFFFF)));
  }
  if (delays.empty()) return;
  if (spread != nullptr) *spread = SketchMaker().of(std::span<const std::uint32_t>(delays.begin(), delays.end()));
  std::uint32_t* const middle = delays.begin() + delays.size() / 2;
  std::nth_element(delays.begin(), middle, delays.end());
  double median = *middle;
  if (delays.size() % 2 == 0) median = (median + *std::max_element(delays.begin(), middle)) / 2;
  result.median_delay_ns = median;
}

}  // namespace

std::optional<core::ProfileLaunches> measure_launches(const Capture& capture, const std::vector<CallKind>& kinds,
                                                      const Steps& steps, Sketch* delays, Sketch* costs) {
  if (capture.calls.size() == 0) return std::nullopt;
  core::ProfileLaunches result;
  count_calls(capture, kinds, steps, result, costs);
  count_operations(capture, result, delays);
  return result;
}

}  // namespace plumbline::profiles
