#include "profiles/analysis/aggregates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "profiles/int128.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::int64_t kWide = 0xFFFFFFFF;  // lengths from here on are kept aside in 64 bits

template <class T>
Aggregate statistics(std::span<T> values, Int128 total) {
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

bool aggregate(const Times& times, const Column<std::uint32_t>& names, const NameTable& table,
               const std::function<bool(std::size_t)>& wanted, std::vector<NamedAggregate>& out, std::vector<std::uint32_t>& ids,
               std::int64_t& total) {
  // Counting sort by name, then each name's run is worked on in place.
  std::vector<std::size_t> first(table.size() + 1, 0);
  std::map<std::uint32_t, std::vector<std::int64_t>> wide;
  std::size_t narrow = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (wanted && !wanted(i)) continue;
    if (times.length(i) < kWide) {
      ++first[names[i] + 1];
      ++narrow;
    } else {
      wide[names[i]].push_back(times.length(i));
    }
  }
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  Column<std::uint32_t> sorted;
  sorted.resize(narrow);
  {
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < times.size(); ++i) {
      if ((wanted && !wanted(i)) || times.length(i) >= kWide) continue;
      sorted[next[names[i]]++] = static_cast<std::uint32_t>(times.length(i));
    }
  }
  Int128 all = 0;
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    const std::span<std::uint32_t> run(sorted.data() + first[id], first[id + 1] - first[id]);
    const auto longer = wide.find(id);
    if (run.empty() && longer == wide.end()) continue;
    Int128 sum = 0;
    for (const std::uint32_t value : run) sum += value;
    NamedAggregate one;
    one.name = table.text(id);
    if (longer == wide.end()) {
      one.aggregate = statistics(run, sum);
    } else {
      std::vector<std::int64_t>& values = longer->second;
      for (const std::int64_t value : values) sum += value;
      if (sum > kTimeBound) return false;
      values.insert(values.end(), run.begin(), run.end());
      one.aggregate = statistics(std::span<std::int64_t>(values), sum);
    }
    all += sum;
    if (all > kTimeBound) return false;
    out.push_back(std::move(one));
    ids.push_back(id);
  }
  total = static_cast<std::int64_t>(all);
  return true;
}

}  // namespace plumbline::profiles
