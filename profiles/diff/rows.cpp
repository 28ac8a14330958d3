#include "profiles/diff/rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "profiles/int128.hpp"
#include "profiles/names/ranges.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::int64_t kEffectBound = std::int64_t{1} << 61;

// Sums of what a hostile file may claim stay sums: they end at the largest number.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

std::int64_t magnitude(std::int64_t value) { return value < 0 ? -value : value; }

core::ProfileRowSide side(const NamedAggregate& named) {
  const Aggregate& aggregate = named.aggregate;
  core::ProfileRowSide result;
  result.exclusive_ns = named.exclusive;
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

// All calls of an aggregate by shape, by name, or nothing where some are not known or only known together.
std::optional<std::map<std::string_view, const Share*>> by_shape(const NamedAggregate& side) {
  std::map<std::string_view, const Share*> shapes;
  std::uint64_t count = 0;
  std::int64_t total = 0;
  for (const Share& shape : side.shapes) {
    if (shape.name == "other" || shape.name == "unknown") return std::nullopt;
    if (shape.count == 0 || !shapes.emplace(shape.name, &shape).second) return std::nullopt;
    count += shape.count;
    total = plus(total, shape.total);
  }
  if (count == 0 || count != side.aggregate.count || total != side.aggregate.total) return std::nullopt;
  return shapes;
}

// The part of the duration effect that is the same shapes taking longer.
std::optional<std::int64_t> same_shape_effect(const NamedAggregate& baseline, const NamedAggregate& candidate) {
  const auto shapes0 = by_shape(baseline);
  const auto shapes1 = by_shape(candidate);
  if (!shapes0 || !shapes1) return std::nullopt;
  const auto n0 = static_cast<long double>(baseline.aggregate.count);
  const auto n1 = static_cast<long double>(candidate.aggregate.count);
  long double sum = 0;  // of (a1 - a0)(p0 + p1)/2, in the order of names, so that swapping the sides negates each step
  for (const auto& [name, shape0] : *shapes0) {
    const auto found = shapes1->find(name);
    if (found == shapes1->end()) continue;
    const Share* shape1 = found->second;
    const auto count0 = static_cast<long double>(shape0->count);
    const auto count1 = static_cast<long double>(shape1->count);
    const long double longer =
        static_cast<long double>(shape1->total) / count1 - static_cast<long double>(shape0->total) / count0;
    sum += longer * (count0 / n0 + count1 / n1) / 2;
  }
  const long double effect = sum * ((n0 + n1) / 2);
  if (!(std::abs(effect) < static_cast<long double>(kEffectBound))) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(std::ceil(std::abs(effect) - 0.5L));  // halves toward zero
  return effect < 0 ? -whole : whole;
}

void add_shares(std::map<std::string, Share>& into, const std::vector<Share>& shares) {
  for (const Share& share : shares) {
    Share& sum = into[share.name];
    sum.count += share.count;
    sum.total = plus(sum.total, share.total);
  }
}

std::vector<Share> by_time(std::map<std::string, Share>& shares) {
  std::vector<Share> list;
  for (auto& [name, share] : shares) {
    share.name = name;
    list.push_back(std::move(share));
  }
  std::stable_sort(list.begin(), list.end(), [](const Share& a, const Share& b) { return a.total > b.total; });
  return list;
}

// Of all instances, from the members' own: the sums of squares within and between them (Chan).
double pooled_stddev(std::span<const NamedAggregate* const> members, const Aggregate& all) {
  if (all.count < 2) return 0;
  const double mean = static_cast<double>(all.total) / static_cast<double>(all.count);
  double squares = 0;
  for (const NamedAggregate* member : members) {
    const auto count = static_cast<double>(member->aggregate.count);
    if (count < 1) continue;
    const double off = static_cast<double>(member->aggregate.total) / count - mean;
    squares += (count - 1) * member->aggregate.stddev * member->aggregate.stddev + count * off * off;
  }
  return std::sqrt(squares / (static_cast<double>(all.count) - 1));
}

double median_of_medians(std::span<const NamedAggregate* const> members, std::uint64_t count) {
  std::vector<std::pair<double, std::uint64_t>> medians;
  for (const NamedAggregate* member : members) medians.emplace_back(member->aggregate.median, member->aggregate.count);
  std::sort(medians.begin(), medians.end());
  std::uint64_t before = 0;
  for (const auto& [median, weight] : medians) {
    before += weight;
    if (before >= count / 2 + count % 2) return median;
  }
  return medians.back().first;
}

bool larger(const core::ProfileRow& a, const core::ProfileRow& b) {
  const std::int64_t left = magnitude(a.delta_ns);
  const std::int64_t right = magnitude(b.delta_ns);
  return left != right ? left > right : a.name < b.name;
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

core::ProfileRow make_row(const NamedAggregate* baseline, const NamedAggregate* candidate) {
  core::ProfileRow result;
  result.name = baseline != nullptr ? baseline->name : candidate->name;
  result.state = baseline == nullptr ? "new" : candidate == nullptr ? "vanished" : "matched";
  if (baseline != nullptr) {
    result.baseline_name = baseline->name;
    result.baseline_ns = baseline->aggregate.total;
    result.baseline_count = baseline->aggregate.count;
    result.baseline = side(*baseline);
  }
  if (candidate != nullptr) {
    result.candidate_name = candidate->name;
    result.candidate_ns = candidate->aggregate.total;
    result.candidate_count = candidate->aggregate.count;
    result.candidate = side(*candidate);
  }
  result.slowest = candidate != nullptr ? candidate->slowest : baseline->slowest;
  const std::vector<Share>& parents = (candidate != nullptr ? candidate : baseline)->parents;
  if (!parents.empty()) result.inside = parents.front().name;
  result.delta_ns = result.candidate_ns - result.baseline_ns;
  result.count_effect_ns = result.delta_ns;
  const std::uint64_t n0 = result.baseline_count.value_or(0);
  const std::uint64_t n1 = result.candidate_count.value_or(0);
  if (n0 > 0 && n1 > 0) {
    result.count_effect_ns = count_effect(result.baseline_ns, n0, result.candidate_ns, n1);
    result.duration_effect_ns = result.delta_ns - result.count_effect_ns;
    if (const auto same = same_shape_effect(*baseline, *candidate)) {
      result.same_shape_effect_ns = *same;
      result.shape_mix_effect_ns = result.duration_effect_ns - *same;
    }
  }
  if (result.baseline_ns > 0) result.pct = 100.0 * static_cast<double>(result.delta_ns) / static_cast<double>(result.baseline_ns);
  return result;
}

NamedAggregate merge_aggregates(std::span<const NamedAggregate* const> members, std::string name) {
  NamedAggregate all;
  std::map<std::string, Share> shapes, parents;
  bool first = true;
  bool bytes_known = true;
  for (const NamedAggregate* member : members) {
    const Aggregate& one = member->aggregate;
    all.aggregate.count += one.count;
    all.aggregate.total = plus(all.aggregate.total, one.total);
    all.aggregate.has_spread = all.aggregate.has_spread && one.has_spread;
    all.aggregate.min = first ? one.min : std::min(all.aggregate.min, one.min);
    all.aggregate.max = first ? one.max : std::max(all.aggregate.max, one.max);
    all.bytes += member->bytes;
    bytes_known = bytes_known && member->bytes > 0;
    all.exclusive = plus(all.exclusive, member->exclusive);
    if (first || member->slowest.duration_ns > all.slowest.duration_ns) all.slowest = member->slowest;
    add_shares(shapes, member->shapes);
    add_shares(parents, member->parents);
    first = false;
  }
  if (!bytes_known) all.bytes = 0;
  all.name = std::move(name);
  all.shapes = by_time(shapes);
  all.parents = by_time(parents);
  if (all.aggregate.has_spread) {
    all.aggregate.stddev = pooled_stddev(members, all.aggregate);
    all.aggregate.median = median_of_medians(members, all.aggregate.count);
  }
  return all;
}

std::vector<NamedAggregate> without_repeats(std::span<const NamedAggregate> list) {
  std::vector<std::vector<const NamedAggregate*>> groups;
  std::unordered_map<std::string_view, std::size_t> by_name;
  by_name.reserve(list.size());
  for (const NamedAggregate& each : list) {
    const auto [at, fresh] = by_name.emplace(each.name, groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(&each);
  }
  std::vector<NamedAggregate> result;
  result.reserve(groups.size());
  for (const auto& group : groups)
    result.push_back(group.size() == 1 ? *group.front() : merge_aggregates(group, group.front()->name));
  return result;
}

void sort_rows(std::vector<core::ProfileRow>& rows) { std::stable_sort(rows.begin(), rows.end(), larger); }

std::vector<core::ProfileRow> compare_rows(std::span<const NamedAggregate> baseline, std::span<const NamedAggregate> candidate) {
  const std::vector<NamedAggregate> left = without_repeats(baseline);
  const std::vector<NamedAggregate> right = without_repeats(candidate);
  std::unordered_map<std::string_view, const NamedAggregate*> by_name;
  by_name.reserve(right.size());
  for (const NamedAggregate& each : right) by_name.emplace(each.name, &each);
  std::vector<core::ProfileRow> rows;
  rows.reserve(std::max(left.size(), right.size()));
  for (const NamedAggregate& each : left) {
    const auto found = by_name.find(each.name);
    if (found == by_name.end()) {
      rows.push_back(make_row(&each, nullptr));
    } else {
      rows.push_back(make_row(&each, found->second));
      by_name.erase(found);
    }
  }
  for (const NamedAggregate& each : right) {
    if (by_name.contains(each.name)) rows.push_back(make_row(nullptr, &each));
  }
  sort_rows(rows);
  return rows;
}

std::vector<core::ProfileRow> compare_ranges(std::span<const NamedAggregate> baseline,
                                             std::span<const NamedAggregate> candidate) {
  struct Form {  // of a name: every member's name on either side
    std::map<std::string_view, std::pair<bool, bool>> names;
    std::vector<const NamedAggregate*> sides[2];
  };
  const std::vector<NamedAggregate> lists[2] = {without_repeats(baseline), without_repeats(candidate)};
  std::map<std::string, Form> forms;
  for (const int index : {0, 1}) {
    for (const NamedAggregate& each : lists[index]) {
      Form& form = forms[range_name(each.name)];
      auto& on = form.names[each.name];
      (index == 0 ? on.first : on.second) = true;
      form.sides[index].push_back(&each);
    }
  }
  std::vector<core::ProfileRow> rows;
  for (auto& [name, form] : forms) {
    const bool same = std::all_of(form.names.begin(), form.names.end(),
                                  [](const auto& each) { return each.second.first && each.second.second; });
    if (same) {
      const auto ordered = [](const NamedAggregate* a, const NamedAggregate* b) { return a->name < b->name; };
      for (auto& side : form.sides) std::sort(side.begin(), side.end(), ordered);
      for (std::size_t i = 0; i < form.sides[0].size(); ++i) rows.push_back(make_row(form.sides[0][i], form.sides[1][i]));
      continue;
    }
    // One name that nothing else resembles keeps its numbers.
    const std::string shown = form.names.size() == 1 ? std::string(form.names.begin()->first) : name;
    std::optional<NamedAggregate> sides[2];
    for (const int index : {0, 1}) {
      if (!form.sides[index].empty()) sides[index] = merge_aggregates(form.sides[index], shown);
    }
    if (!sides[0] && !sides[1]) continue;
    core::ProfileRow row = make_row(sides[0] ? &*sides[0] : nullptr, sides[1] ? &*sides[1] : nullptr);
    if (form.names.size() > 1) row.match_rule = "canonical";
    rows.push_back(std::move(row));
  }
  sort_rows(rows);
  return rows;
}

}  // namespace plumbline::profiles
