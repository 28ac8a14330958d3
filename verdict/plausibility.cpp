#include "verdict/plausibility.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/statistics.hpp"
#include "core/text.hpp"

namespace plumbline::verdict {

namespace {

using core::Comparison;
using core::Delta;
using core::State;
using core::UnitMismatch;

// A factor between two units and how close a change must come to it. A step of a thousand has no other likely cause, so noise may
// lie on top; eight may be a fallback to a slower path, so it must be met closely; those near one are common as changes.
struct Factor {
  double value, relative;
  std::size_t rows;  // at least so many
  bool of_bytes;     // only where the unit is one of data, or unknown
  std::string_view taken_for;
};
constexpr std::array<Factor, 8> kFactors = {{
    {1.024, 0.001, 3, true, "KiB and kB"},
    {1.048576, 0.001, 3, true, "MiB and MB"},
    {1.073741824, 0.001, 3, true, "GiB and GB"},
    {8, 0.02, 1, true, "bytes and bits"},
    {1000, 0.2, 1, false, "two units a thousand apart"},
    {1e6, 0.2, 1, false, "two units a million apart"},
    {1e9, 0.2, 1, false, "two units a billion apart"},
    {100, 0, 1, false, "a fraction and per cent"},
}};
constexpr double kHiddenFactor = 1.5;
constexpr std::size_t kHiddenRows = 3;

bool is_of_bytes(std::string_view unit) {
  if (unit.empty()) return true;
  return unit.find('B') != std::string_view::npos || unit.find("b/s") != std::string_view::npos ||
         unit.find("bit") != std::string_view::npos || unit.find("bps") != std::string_view::npos ||
         unit.find("byte") != std::string_view::npos;
}

bool comparable(const Delta& d) {
  const bool decided = d.state == State::regressed || d.state == State::improved || d.state == State::unchanged ||
                       d.state == State::inconclusive || d.state == State::unclassified;
  return decided && !d.gate && d.baseline > 0 && d.current > 0;
}

// A share of what was drafted is at most all of it: more than that on one side is the other way to write it.
constexpr std::size_t kShare = 7;  // its place among the factors
bool is_beyond_share(const Delta& d, std::string_view metric, std::string_view unit) {
  if (metric.find("acceptance_rate") == std::string_view::npos && metric.find("match_rate") == std::string_view::npos)
    return false;
  const double whole = unit == "%" ? 100 : 1;
  return std::max(d.baseline, d.current) > whole * 1.0001 && std::min(d.baseline, d.current) <= whole;
}

// By its place among the factors; the sign says which side is the larger: nullopt when no unit explains the change.
std::optional<std::pair<std::size_t, bool>> factor_of(const Delta& d, std::string_view metric, std::string_view unit) {
  const double ratio = d.current / d.baseline;
  const bool up = ratio > 1;
  const double size = up ? ratio : 1 / ratio;
  if (is_beyond_share(d, metric, unit)) return std::pair(kShare, up);
  if (size < 1.02) return std::nullopt;
  for (std::size_t i = 0; i < kShare; ++i) {
    const Factor& factor = kFactors[i];
    if (std::fabs(size - factor.value) > factor.relative * factor.value) continue;
    if (factor.of_bytes && !is_of_bytes(unit)) continue;
    return std::pair(i, up);
  }
  return std::nullopt;
}

}  // namespace

std::vector<UnitMismatch> unit_mismatches(const Comparison& c) {
  const bool one_reader = c.baseline->format.name == c.current->format.name;
  struct Group {
    std::vector<std::uint32_t> rows;
    std::pair<std::size_t, bool> factor;
    bool broken = false;
  };
  std::map<std::pair<core::Id, core::Id>, Group> groups;  // by metric and unit
  const auto class_of = [&](const Delta& d) -> const core::MetricClass& {
    return c.baseline->metric_class(c.baseline->rows()[d.baseline_row]);
  };
  const auto group_of = [&](const Delta& d) { return std::pair(c.baseline->rows()[d.baseline_row].metric, class_of(d).unit); };
  for (std::uint32_t i = 0; i < c.deltas.size(); ++i) {
    const Delta& d = c.deltas[i];
    if (!d.exceeds || !comparable(d)) continue;
    const core::MetricClass& klass = class_of(d);
    if (klass.exact) continue;
    const auto factor =
        factor_of(d, c.baseline->pool().view(c.baseline->rows()[d.baseline_row].metric), c.baseline->pool().view(klass.unit));
    if (!factor) continue;
    // A unit that one reader gave to both sides is known: only a slip of three powers of ten, in the writer, is likelier than a
    // change of that size.
    if (one_reader && klass.unit_source == core::Source::format && kFactors[factor->first].value < 1000) continue;
    Group& group = groups[group_of(d)];
    if (group.rows.empty()) group.factor = *factor;
    group.broken = group.broken || group.factor != *factor;
    group.rows.push_back(i);
  }
  if (groups.empty()) return {};
  // One row of the metric that did not change so is proof that the unit did not.
  std::map<std::pair<core::Id, core::Id>, std::size_t> total;
  for (const Delta& d : c.deltas) {
    if (!comparable(d)) continue;
    if (const auto key = group_of(d); groups.contains(key)) ++total[key];
  }
  std::vector<UnitMismatch> out;
  for (auto& [key, group] : groups) {
    const Factor& factor = kFactors[group.factor.first];
    if (group.broken || group.rows.size() < factor.rows || total[key] != group.rows.size()) continue;
    UnitMismatch one;
    one.metric = c.baseline->pool().view(key.first);
    one.unit = c.baseline->pool().view(key.second);
    one.factor = group.factor.second ? factor.value : 1 / factor.value;
    one.taken_for = factor.taken_for;
    one.rows = std::move(group.rows);
    out.push_back(std::move(one));
  }
  std::sort(out.begin(), out.end(), [](const UnitMismatch& a, const UnitMismatch& b) { return a.rows.front() < b.rows.front(); });
  return out;
}

std::optional<core::Warning> hidden_configuration(const Comparison& c, std::span<const core::ContextDifference> differences) {
  for (const core::ContextDifference& difference : differences) {
    if (difference.declared || difference.severity != core::Severity::informative)
      return std::nullopt;  // there is a cause to see
  }
  std::vector<double> worse;
  std::vector<double> better;
  std::size_t rows = 0;
  for (const Delta& d : c.deltas) {
    if (!comparable(d) || d.direction == core::Direction::unknown || d.direction == core::Direction::two_sided) continue;
    ++rows;
    const double ratio = d.direction == core::Direction::higher ? d.baseline / d.current : d.current / d.baseline;
    if (d.state == State::regressed && ratio >= kHiddenFactor) worse.push_back(ratio);
    if (d.state == State::improved && 1 / ratio >= kHiddenFactor) better.push_back(1 / ratio);
  }
  const bool improved = better.size() > worse.size();
  const std::vector<double>& moved = improved ? better : worse;
  if (moved.size() < kHiddenRows || 2 * moved.size() <= rows) return std::nullopt;
  return core::Warning{"hidden_configuration",
                       std::to_string(moved.size()) + " of " + core::counted(rows, "row") + " are " +
                           (improved ? "better" : "worse") + " by a factor of " + core::short_number(core::median(moved), 2) +
                           " (median) though both sides say the same of how they were measured: a setting that the files do not "
                           "show (environment, transport, placement, clocks) is likelier than a change of the code"};
}

}  // namespace plumbline::verdict
