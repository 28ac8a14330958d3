#include "profiles/diff/rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "profiles/int128.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::int64_t kEffectBound = std::int64_t{1} << 61;

std::int64_t magnitude(std::int64_t value) { return value < 0 ? -value : value; }

core::ProfileRowSide side(const Aggregate& aggregate) {
  core::ProfileRowSide result;
  if (aggregate.count > 0) result.avg = static_cast<double>(aggregate.total) / static_cast<double>(aggregate.count);
  result.avg_ns = std::llround(result.avg);
  if (aggregate.has_spread) {
    result.median = aggregate.median;
    result.stddev = aggregate.stddev;
    result.min_ns = aggregate.min;
    result.max_ns = aggregate.max;
  }
  return result;
}

core::ProfileRow row(const NamedAggregate* baseline, const NamedAggregate* candidate) {
  core::ProfileRow result;
  result.name = baseline != nullptr ? baseline->name : candidate->name;
  result.state = baseline == nullptr ? "new" : candidate == nullptr ? "vanished" : "matched";
  if (baseline != nullptr) {
    result.baseline_name = baseline->name;
    result.baseline_ns = baseline->aggregate.total;
    result.baseline_count = baseline->aggregate.count;
    result.baseline = side(baseline->aggregate);
  }
  if (candidate != nullptr) {
    result.candidate_name = candidate->name;
    result.candidate_ns = candidate->aggregate.total;
    result.candidate_count = candidate->aggregate.count;
    result.candidate = side(candidate->aggregate);
  }
  result.delta_ns = result.candidate_ns - result.baseline_ns;
  result.count_effect_ns = result.delta_ns;
  const std::uint64_t n0 = result.baseline_count.value_or(0);
  const std::uint64_t n1 = result.candidate_count.value_or(0);
  if (n0 > 0 && n1 > 0) {
    result.count_effect_ns = count_effect(result.baseline_ns, n0, result.candidate_ns, n1);
    result.duration_effect_ns = result.delta_ns - result.count_effect_ns;
  }
  if (result.baseline_ns > 0) result.pct = 100.0 * static_cast<double>(result.delta_ns) / static_cast<double>(result.baseline_ns);
  return result;
}

}  // namespace

std::int64_t count_effect(std::int64_t total0, std::uint64_t n0, std::int64_t total1, std::uint64_t n1) {
  if (n0 == n1) return 0;
  if (n0 == 0 || n1 == 0) return total1 - total0;
  const bool fewer = n1 < n0;
  const std::uint64_t calls = fewer ? n0 - n1 : n1 - n0;
  const auto t0 = static_cast<std::uint64_t>(total0);
  const auto t1 = static_cast<std::uint64_t>(total1);
  std::int64_t effect = 0;
  // |n1 - n0| (t0 n1 + t1 n0) / (2 n0 n1), in 128 bits where it fits: any capture of less than 2^31 calls of a name.
  const auto bits = std::bit_width(calls) + std::bit_width(std::max(t0, t1)) + std::bit_width(std::max(n0, n1)) + 1;
  if (bits <= 126) {
    const Int128 over = static_cast<Int128>(calls) * (static_cast<Int128>(t0) * n1 + static_cast<Int128>(t1) * n0);
    const Int128 under = static_cast<Int128>(n0) * n1 * 2;
    Int128 whole = over / under;
    if ((over % under) * 2 > under) ++whole;
    effect = static_cast<std::int64_t>(std::min<Int128>(whole, kEffectBound));
  } else {
    const long double average =
        static_cast<long double>(t0) / static_cast<long double>(n0) + static_cast<long double>(t1) / static_cast<long double>(n1);
    effect = static_cast<std::int64_t>(
        std::min(std::floor(static_cast<long double>(calls) * average / 2), static_cast<long double>(kEffectBound)));
  }
  return fewer ? -effect : effect;
}

std::vector<core::ProfileRow> compare_rows(std::span<const NamedAggregate> baseline, std::span<const NamedAggregate> candidate) {
  std::unordered_map<std::string_view, const NamedAggregate*> by_name;
  by_name.reserve(candidate.size());
  for (const NamedAggregate& each : candidate) by_name.emplace(each.name, &each);
  std::vector<core::ProfileRow> rows;
  rows.reserve(std::max(baseline.size(), candidate.size()));
  for (const NamedAggregate& each : baseline) {
    const auto found = by_name.find(each.name);
    if (found == by_name.end()) {
      rows.push_back(row(&each, nullptr));
    } else {
      rows.push_back(row(&each, found->second));
      by_name.erase(found);
    }
  }
  for (const NamedAggregate& each : candidate) {
    if (by_name.contains(each.name)) rows.push_back(row(nullptr, &each));
  }
  std::sort(rows.begin(), rows.end(), [](const core::ProfileRow& a, const core::ProfileRow& b) {
    const std::int64_t left = magnitude(a.delta_ns);
    const std::int64_t right = magnitude(b.delta_ns);
    return left != right ? left > right : a.name < b.name;
  });
  return rows;
}

}  // namespace plumbline::profiles
