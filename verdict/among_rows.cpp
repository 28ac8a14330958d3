// What the default rule set decides of rows among each other, before anything is judged: which of a long list are headlines,
// whose change only another unit explains, and what rows with few trials say of each other's spread.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/statistics.hpp"
#include "verdict/evidence_of_rows.hpp"
#include "verdict/known_noise.hpp"
#include "verdict/plausibility.hpp"
#include "verdict/plumbline.hpp"

namespace plumbline::verdict {

namespace {

using core::Comparison;
using core::Delta;
using core::State;

constexpr std::size_t kMostFormatHeadlines = 5;
constexpr std::size_t kPriorRows = 8;     // so many rows of a class with trials tell each other's variance
constexpr double kPriorDegrees = 4;       // which then counts as much as three trials a side
constexpr std::uint32_t kFewTrials = 10;  // from here on a row's own variance is good enough
constexpr double kFloorSpreads = 3;       // of a step, in the noise floor of a history

// A format may name a few headlines. One that names every row of a long list names none: the class as a whole speaks for them.
void drop_headlines_of_long_lists(Comparison& c) {
  const auto by_format = [](const Delta& d) { return d.headline && !d.gate && d.headline_source > core::Source::entry; };
  const auto named = std::count_if(c.deltas.begin(), c.deltas.end(), [&](const Delta& d) {
    return by_format(d) && d.state != State::context && d.state != State::added;
  });
  if (static_cast<std::size_t>(named) <= kMostFormatHeadlines) return;
  for (Delta& d : c.deltas) d.headline = d.headline && !by_format(d);
}

// A change that only another unit explains is no improvement. What is worse stays worse, whatever is doubted about it.
void doubt_units(Comparison& c) {
  c.unit_mismatches = unit_mismatches(c);
  for (const core::UnitMismatch& one : c.unit_mismatches) {
    for (const std::uint32_t i : one.rows) {
      if (c.deltas[i].state != State::regressed) c.deltas[i].state = State::inconclusive;
      c.notes.try_emplace(i, "changed by the factor between " + std::string(one.taken_for));
    }
  }
}

// Two or three values say little about their own spread: what other rows of the unit and direction scatter, or the history of a
// headline, is weighed in. Only what is promised of further trials rests on it, no state does.
class Moderation {
 public:
  Moderation(Comparison& c, const DecideInput& in) : c_(c), in_(in) {}

  void run() {
    if (c_.statistics.empty()) return;
    for (const auto& [key, rows] : classes()) {
      const double of_class = usual_spread(rows);
      for (const std::uint32_t i : rows) moderate(c_.deltas[i], of_class, rows.size() >= kPriorRows);
    }
  }

 private:
  using Class = std::pair<core::Id, core::Direction>;  // unit and direction

  // Rows that their trials decide.
  [[nodiscard]] std::map<Class, std::vector<std::uint32_t>> classes() const {
    std::map<Class, std::vector<std::uint32_t>> out;
    for (const Delta& d : c_.deltas) {
      if (d.gate || !is_decided(d) || !has_tested_trials(c_, d) || c_.statistics[d.statistics].sigma < 0) continue;
      const core::Id unit = c_.baseline->metric_class(c_.baseline->rows()[d.baseline_row]).unit;
      out[{unit, d.direction}].push_back(c_.index(d));
    }
    return out;
  }

  [[nodiscard]] double usual_spread(std::span<const std::uint32_t> rows) {
    variances_.clear();
    for (const std::uint32_t i : rows) variances_.push_back(std::pow(c_.statistics[c_.deltas[i].statistics].sigma, 2));
    return std::sqrt(core::median(variances_));
  }

  void moderate(const Delta& d, double of_class, bool class_tells) {
    core::RowStatistics& s = c_.statistics[d.statistics];
    const std::uint32_t n = std::min(s.n_baseline, s.n_current);
    const std::optional<double> floor = history_floor_pct(in_, d);
    if (n >= kFewTrials || (!floor && !class_tells)) return;
    const double degrees = s.paired ? n - 1.0 : s.n_baseline + s.n_current - 2.0;
    const double prior = floor ? std::log1p(*floor / 100) / kFloorSpreads / std::sqrt(2.0) : of_class;
    s.sigma = core::moderated_sigma(s.sigma, degrees, prior, kPriorDegrees);
    if (const auto detectable = core::mde80(n, s.sigma)) s.mde_pct = 100 * std::expm1(*detectable);
    if (d.state == State::inconclusive) core::plan_more_trials(s, s.sigma, n);
    ++c_.moderated.rows;
    (floor ? c_.moderated.by_history : c_.moderated.by_class) = true;
  }

  Comparison& c_;
  const DecideInput& in_;
  std::vector<double> variances_;
};

}  // namespace

Comparison decide_plumbline(Comparison rows, const DecideInput& input) {
  if (input.shape != core::Shape::scalar) drop_headlines_of_long_lists(rows);
  doubt_units(rows);
  Moderation(rows, input).run();
  return rows;
}

}  // namespace plumbline::verdict
