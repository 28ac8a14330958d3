#define XXH_INLINE_ALL
#include "profiles/readers/traces/trace_fill.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "profiles/analysis/calls.hpp"
#include "profiles/names/names.hpp"
#include "profiles/readers/bytes/json_values.hpp"
#include "profiles/readers/readers.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::int64_t kLatest = std::int64_t{4'000'000'000'000'000'000};
constexpr std::uint32_t kMostShared = 0xFFFF;  // more queues or threads share the last
constexpr std::size_t kMostEvents = std::size_t{1} << 30U;

// Intel's PTI: "Memcpy M2D (MEMORY(Unknown) -> DEVICE)", where M is what no allocation of SYCL knows, H is SYCL's host memory.
bool is_pti_copy(std::string_view name) {
  constexpr std::string_view kBegin = "Memcpy ", kLetters = "MHDS";
  return name.starts_with(kBegin) && name.size() > kBegin.size() + 2 && name[kBegin.size() + 1] == '2' &&
         kLetters.find(name[kBegin.size()]) != std::string_view::npos &&
         kLetters.find(name[kBegin.size() + 2]) != std::string_view::npos;
}
MemoryKind pti_memory(char letter) {
  if (letter == 'M') return MemoryKind::pageable;
  if (letter == 'H') return MemoryKind::pinned;
  return letter == 'D' ? MemoryKind::device : MemoryKind::managed;
}

// CUPTI's copy kinds by the letters of source and target: host, device, array, peer.
std::int64_t copy_kind(char from, char to) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 10> kKinds = {
      {{"hd", 1}, {"dh", 2}, {"ha", 3}, {"ah", 4}, {"aa", 5}, {"ad", 6}, {"da", 7}, {"dd", 8}, {"hh", 9}, {"pp", 10}}};
  for (const auto& [letters, kind] : kKinds) {
    if (letters[0] == from && letters[1] == to) return kind;
  }
  return 0;
}

std::int64_t copy_kind(std::string_view name) {
  std::string lower = core::to_lower(name.substr(0, 128));
  if (is_pti_copy(name)) std::replace(lower.begin() + 7, lower.begin() + 10, 'm', 'h');
  constexpr std::string_view kEnds = "hdap";
  for (const std::string_view between : {"to", "2"}) {  // "htod", "h2d"
    for (std::size_t at = lower.find(between); at != std::string::npos; at = lower.find(between, at + 1)) {
      const std::size_t behind = at + between.size();
      if (at == 0 || behind >= lower.size()) continue;
      const bool ends = behind + 1 == lower.size() || lower[behind + 1] < 'a' || lower[behind + 1] > 'z';
      if (ends && kEnds.find(lower[at - 1]) != std::string_view::npos && kEnds.find(lower[behind]) != std::string_view::npos)
        return copy_kind(lower[at - 1], lower[behind]);
    }
  }
  const auto word = [&lower](std::size_t from) {
    const std::size_t host = lower.find("host", from), device = lower.find("device", from);
    return host < device ? std::pair(host, 'h') : std::pair(device, 'd');
  };
  const auto [first, from] = word(0);  // "CopyHostToDevice", "MEMORY_COPY_HOST_TO_DEVICE"
  if (first == std::string::npos) return 0;
  const auto [second, to] = word(first + 1);
  return second == std::string::npos ? 0 : copy_kind(from, to);
}

MemoryKind memory_kind(std::string_view text) {
  const std::string lower = core::to_lower(core::trim(text));
  if (lower.starts_with("pageable")) return MemoryKind::pageable;
  if (lower.starts_with("pinned")) return MemoryKind::pinned;
  if (lower.starts_with("device")) return MemoryKind::device;
  if (lower.starts_with("managed")) return MemoryKind::managed;
  if (lower.starts_with("array")) return MemoryKind::other;
  return MemoryKind::unknown;
}

}  // namespace

std::size_t TraceFill::Hash::operator()(std::string_view text) const { return XXH3_64bits(text.data(), text.size()); }

std::int64_t id_of_text(std::string_view text) {
  return static_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()) | (std::uint64_t{1} << 63U));
}

std::uint32_t TraceFill::name(std::string_view raw) {
  const core::Id id = raw_names_.intern(raw);
  if (id >= names_.size()) names_.resize(id + 1, kNone);
  if (names_[id] == kNone) {
    const std::string text = json_name(raw);
    names_[id] = capture_.names.id(text.empty() ? std::string_view("[no name]") : std::string_view(text));
  }
  return names_[id];
}

void TraceFill::name_copy(std::string_view raw, GpuEvent& event) {
  auto found = copies_.find(raw);
  if (found == copies_.end()) {
    CopyName known{capture_.names.id(copy_label(copy_kind(raw))), MemoryKind::unknown, MemoryKind::unknown};
    if (is_pti_copy(raw)) {
      known.from = pti_memory(raw[7]);
      known.to = pti_memory(raw[9]);
    }
    const std::size_t open = raw.find('('), arrow = raw.find("->"), close = raw.rfind(')');
    if (known.from == MemoryKind::unknown && open < arrow && arrow < close && close != std::string_view::npos) {
      known.from = memory_kind(raw.substr(open + 1, arrow - open - 1));
      known.to = memory_kind(raw.substr(arrow + 2, close - arrow - 2));
    }
    found = copies_.emplace(raw, known).first;
  }
  event.kind = OpKind::copy;
  event.name = found->second.name;
  if (!event.copy) event.copy.emplace();
  if (event.copy->from == MemoryKind::unknown) event.copy->from = found->second.from;
  if (event.copy->to == MemoryKind::unknown) event.copy->to = found->second.to;
}

void TraceFill::name_set(GpuEvent& event) {
  event.kind = OpKind::set;
  event.name = capture_.names.id(kMemsetLabel);
  if (!event.copy) event.copy.emplace();
}

bool TraceFill::times(const std::optional<std::int64_t>& start, const std::optional<std::int64_t>& length) {
  if (!start || !length || *start > kLatest || *start < -kLatest || *length > kLatest || *start + *length > kLatest) {
    ++unreadable_;
    return false;
  }
  if (*length < 0) {
    ++reversed_;
    return false;
  }
  return true;
}

std::uint16_t TraceFill::thread(Thread thread) {
  return static_cast<std::uint16_t>(std::min(capture_.threads.id(thread), kMostShared));
}

std::uint32_t TraceFill::gpu(const GpuEvent& event, std::optional<std::int64_t> start, std::optional<std::int64_t> length) {
  const std::vector<std::int64_t>& wanted = options_.devices;
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), event.device) == wanted.end()) {
    constexpr std::size_t kNamed = 64;
    if (other_devices_.size() < kNamed) other_devices_.insert(event.device);
    return kNone;
  }
  if (!times(start, length)) return kNone;
  GpuOps& ops = capture_.ops;
  ops.times.add(*start, *length);
  ops.name.push_back(event.name);
  ops.queue.push_back(static_cast<std::uint16_t>(
      std::min(capture_.queues.id({event.process, event.device, event.context, event.stream}), kMostShared)));
  ops.kind.push_back(event.kind);
  ops.detail.push_back(event.shape  ? capture_.launch_shapes.id(*event.shape)
                       : event.copy ? capture_.copy_shapes.id(*event.copy)
                                    : kNone);
  const auto& correlation = event.correlation;
  ops.launch.push_back(correlation && *correlation >= 0 && *correlation < kNone ? static_cast<std::uint32_t>(*correlation)
                                                                                : kNone);
  if (event.kind == OpKind::kernel) ++kernels_;
  return static_cast<std::uint32_t>(ops.size() - 1);
}

void TraceFill::call(std::uint32_t name, Thread where, std::optional<std::int64_t> start, std::optional<std::int64_t> length,
                     std::optional<std::int64_t> correlation) {
  if (!times(start, length)) return;
  Calls& calls = capture_.calls;
  calls.times.add(*start, *length);
  calls.name.push_back(name);
  calls.thread.push_back(thread(where));
  calls.correlation.push_back(correlation && *correlation >= 0 && *correlation < kNone ? static_cast<std::uint32_t>(*correlation)
                                                                                       : kNone);
}

void TraceFill::range(std::uint32_t name, Thread where, RangeKind kind, std::optional<std::int64_t> start,
                      std::optional<std::int64_t> length) {
  if (!times(start, length)) return;
  Ranges& ranges = capture_.ranges;
  ranges.times.add(*start, *length);
  ranges.name.push_back(name);
  ranges.thread.push_back(thread(where));
  ranges.kind.push_back(kind);
}

bool TraceFill::full() const {
  return capture_.ops.size() >= kMostEvents || capture_.calls.size() >= kMostEvents || capture_.ranges.size() >= kMostEvents;
}

core::Error TraceFill::too_many(std::string_view what) const {
  return {core::ErrorCode::limit_exceeded,
          "the " + std::string(what) + " holds more than a thousand million events, the most that is read",
          "split the " + std::string(what), capture_.info.path};
}

core::Error TraceFill::no_kernels(std::string_view hint) const {
  if (!other_devices_.empty()) {
    std::vector<std::string> ids;
    for (const std::int64_t id : other_devices_) ids.push_back(std::to_string(id));
    return {core::ErrorCode::invalid_input, "no GPU kernels on the devices asked for",
            "the capture has device " + core::listed(ids), capture_.info.path};
  }
  std::string message =
      "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds " +
      contents_text(
          {{"CUDA or HIP API call", capture_.calls.size()}, {"copy", capture_.ops.size()}, {"range", capture_.ranges.size()}});
  if (reversed_ + unreadable_ > 0)
    message += ", and " + core::counted(reversed_ + unreadable_, "event") + " whose times make no sense";
  return {core::ErrorCode::invalid_input, std::move(message), std::string(hint), capture_.info.path};
}

std::optional<core::Error> TraceFill::lost_kernels(const JsonEnd& end, std::uint64_t events) const {
  if (capture_.ops.size() > 0 || !other_devices_.empty()) return std::nullopt;
  const std::vector<CallKind> kinds = call_kinds(capture_);
  const auto launches = static_cast<std::uint64_t>(std::count_if(
      capture_.calls.name.begin(), capture_.calls.name.end(),
      [&kinds](std::uint32_t name) { return kinds[name] == CallKind::launch || kinds[name] == CallKind::graph_launch; }));
  if (launches == 0) return std::nullopt;
  const std::string held = "the trace holds " + core::counted(launches, "kernel launch", "kernel launches") + " and no GPU event";
  if (end.cut) {
    return core::Error{core::ErrorCode::invalid_input,
                       held + ": it ends in the middle of something, behind " + core::counted(events, "event") +
                           ", and GPU events are written behind those of the host",
                       "copy the file again if it is whole elsewhere, or record it again and let the program live until the "
                       "profiler has written it",
                       capture_.info.path};
  }
  return core::Error{core::ErrorCode::invalid_input,
                     held + ": a capture bug until proven otherwise; what ran on the GPU was not recorded or never written",
                     "stop the profiler behind a torch.cuda.synchronize(), for it writes GPU events when it stops, and look for "
                     "its errors in the log: CUPTI (roctracer on AMD, PTI on Intel) may be missing, taken by another profiler or "
                     "not permitted (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: set NVreg_RestrictProfilingToAdminUsers=0)",
                     capture_.info.path};
}

core::Status TraceFill::finish_trace(const JsonEnd& end, std::uint64_t events, std::string_view hint) {
  if (full()) return core::fail(too_many("trace"));
  if (kernels_ == 0) {
    if (auto lost = lost_kernels(end, events)) return core::fail(std::move(*lost));
  }
  if (kernels_ == 0) return core::fail(no_kernels(hint));
  finish(end, events);
  return {};
}

void TraceFill::finish(const JsonEnd& end, std::uint64_t events) {
  if (end.cut) {
    warn("capture_incomplete", std::string(end.source.cut ? "the compressed data end" : "the trace ends") +
                                   " in the middle of something, behind " + core::counted(events, "event") +
                                   ": these were read, and what followed is not there");
  }
  if (end.source.trailing) warn("trailing_bytes", "bytes follow the end of the compressed data; they were left out");
  if (end.malformed > 0) {
    warn("malformed_events",
         core::counted(end.malformed, "event is", "events are") + " no JSON (a quote in a name, most often); left out");
  }
  if (end.oversized > 0) {
    warn("malformed_events", core::counted(end.oversized, "value is", "values are") + " larger than 16 MiB; left out");
  }
  if (reversed_ > 0) {
    warn("reversed_times", core::counted(reversed_, "event ends", "events end") + " before the start; not summed");
  }
  if (unreadable_ > 0) {
    warn("unreadable_times", core::counted(unreadable_, "event has", "events have") + " no usable start or end; not summed");
  }
  if (!options_.devices.empty() && (capture_.calls.size() > 0 || capture_.ranges.size() > 0)) {
    warn("device_filter", "API calls and ranges belong to no device: they are those of the whole capture");
  }
}

}  // namespace plumbline::profiles
