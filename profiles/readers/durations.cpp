#include "profiles/readers/durations.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "profiles/int128.hpp"

namespace plumbline::profiles {
namespace {

template <class T>
Aggregate aggregate(std::span<T> values, Int128 total) {
  Aggregate result;
  result.count = values.size();
  result.total = static_cast<std::int64_t>(total);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  result.min = static_cast<std::int64_t>(*low);
  result.max = static_cast<std::int64_t>(*high);
  const double mean = static_cast<double>(total) / static_cast<double>(values.size());
  double squares = 0;
  for (const T value : values) {
    const double away = static_cast<double>(value) - mean;
    squares += away * away;
  }
  if (values.size() > 1) result.stddev = std::sqrt(squares / static_cast<double>(values.size() - 1));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  result.median = static_cast<double>(*middle);
  if (values.size() % 2 == 0)
    result.median = (result.median + static_cast<double>(*std::max_element(values.begin(), middle))) / 2;
  return result;
}

}  // namespace

std::uint32_t Durations::slot(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  by_name_.emplace(names_.back(), id);
  return id;
}

bool Durations::finish(std::vector<NamedAggregate>& out, std::int64_t& total) {
  // Counting sort by slot, then each name's run is worked on in place.
  std::vector<std::size_t> first(names_.size() + 1, 0);
  for (const std::uint32_t slot : slots_) ++first[slot + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<std::uint32_t> sorted(short_.size());
  {
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < slots_.size(); ++i) sorted[next[slots_[i]]++] = short_[i];
  }
  slots_ = {};
  short_ = {};
  std::sort(long_.begin(), long_.end());
  Int128 all = 0;
  auto next_long = long_.begin();
  std::vector<std::int64_t> wide;
  for (std::uint32_t slot = 0; slot < names_.size(); ++slot) {
    const std::span<std::uint32_t> run(sorted.data() + first[slot], first[slot + 1] - first[slot]);
    wide.clear();
    for (; next_long != long_.end() && next_long->first == slot; ++next_long) wide.push_back(next_long->second);
    if (run.empty() && wide.empty()) continue;
    Int128 sum = 0;
    for (const std::uint32_t value : run) sum += value;
    for (const std::int64_t value : wide) sum += value;
    all += sum;
    if (all > kTimeBound) return false;
    if (!wide.empty()) wide.insert(wide.end(), run.begin(), run.end());
    out.push_back({names_[slot], wide.empty() ? aggregate(run, sum) : aggregate(std::span<std::int64_t>(wide), sum)});
  }
  long_.clear();
  total = static_cast<std::int64_t>(all);
  return true;
}

std::vector<Interval> IntervalUnion::finish() {
  if (!sorted_) {
    std::sort(list_.begin(), list_.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
    std::vector<Interval> merged;
    for (const Interval& each : list_) {
      if (!merged.empty() && each.start <= merged.back().end) {
        merged.back().end = std::max(merged.back().end, each.end);
      } else {
        merged.push_back(each);
      }
    }
    list_ = std::move(merged);
  }
  return std::move(list_);
}

}  // namespace plumbline::profiles
