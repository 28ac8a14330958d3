#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/citing.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "verdict/findings/findings.hpp"

namespace plumbline::verdict {

namespace {

constexpr std::size_t kLeastTrials = 5;
constexpr double kRanges = 2;    // how far the first trial stands off, in ranges of the others
constexpr double kLeast = 0.05;  // and at least, as a share

struct Cold {
  std::uint32_t delta = 0;
  double first = 0, others = 0, excess = 0;  // the value, the median of the others, by how much it is worse (a share)
};

// The first trial is worse than all others by more than they scatter. Logarithms, so that times and rates are held to one rule.
std::optional<Cold> cold_row(std::span<const double> values, core::Direction direction) {
  if (values.size() < kLeastTrials || std::any_of(values.begin(), values.end(), [](double x) { return !(x > 0); }))
    return std::nullopt;
  const double sign = direction == core::Direction::higher ? -1 : 1;
  std::vector<double> logs;
  for (const double x : values) logs.push_back(sign * std::log(x));
  const std::span<const double> others = std::span(logs).subspan(1);
  const auto [least, most] = std::minmax_element(others.begin(), others.end());
  const double gap = logs.front() - *most;
  if (gap < std::log1p(kLeast) || gap <= kRanges * (*most - *least)) return std::nullopt;
  return Cold{0, values.front(), core::median(values.subspan(1)), std::expm1(logs.front() - core::median(others))};
}

bool is_judged(const core::Delta& d) {
  return d.state != core::State::context && !d.gate &&
         (d.direction == core::Direction::lower || d.direction == core::Direction::higher);
}

std::optional<core::Warning> cold_side(const core::Comparison& c, bool current) {
  const core::Measurement& m = current ? *c.current : *c.baseline;
  std::uint64_t rows = 0, cold = 0;
  std::size_t trials = 0;
  Cold most;
  for (std::uint32_t i = 0; i < c.deltas.size(); ++i) {
    const core::Delta& d = c.deltas[i];
    const std::uint32_t index = current ? d.current_row : d.baseline_row;
    // Rows of one trial on both sides have no statistics.
    if (d.statistics == core::kNoRow || index == core::kNoRow || !is_judged(d) || m.values(m.rows()[index]).size() < kLeastTrials)
      continue;
    ++rows;
    const auto row = cold_row(m.values(m.rows()[index]), d.direction);
    if (!row) continue;
    ++cold;
    trials = std::max(trials, m.values(m.rows()[index]).size());
    if (row->excess > most.excess) most = {i, row->first, row->others, row->excess};
  }
  if (cold == 0 || 2 * cold < rows) return std::nullopt;
  const core::Row& row = m.rows()[current ? c.deltas[most.delta].current_row : c.deltas[most.delta].baseline_row];
  const std::string unit = m.unit(row).empty() ? std::string() : " " + std::string(m.unit(row));
  return core::Warning{"warm_up",
                       "the first of " + std::to_string(trials) + " trials of the " + (current ? "current" : "baseline") +
                           " side is far off in " + core::counted(cold, "row") + " of " + std::to_string(rows) + ", most in " +
                           core::cited(m.key(row)) + ": " + core::short_number(most.first) + unit + ", the others about " +
                           core::short_number(most.others) + unit +
                           "; it looks like a cold start and stays a trial: run once before measuring, or leave that run out"};
}

}  // namespace

std::vector<core::Warning> cold_starts(const core::Comparison& comparison) {
  std::vector<core::Warning> out;
  if (comparison.statistics.empty()) return out;
  for (const bool current : {false, true}) {
    if (auto warning = cold_side(comparison, current)) out.push_back(std::move(*warning));
  }
  return out;
}

}  // namespace plumbline::verdict
