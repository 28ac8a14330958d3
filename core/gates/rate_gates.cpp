#include "core/gates/rate_gates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/text.hpp"

namespace plumbline::core {
namespace {

constexpr double kSlack = 1e-12;        // relative, as for tolerances
constexpr double kZeroEpsilon = 1e-12;  // a share of failures below it is a rounding of none

struct Counts {
  Failures baseline, current;
  double p = 1;  // that failures did not become more frequent
};

class Judge {
 public:
  Judge(Comparison& comparison, const std::vector<RateGate>& gates, const TallyOf& tally_of)
      : c_(comparison),
        gates_(gates),
        baseline_(*comparison.baseline, rows(&Delta::baseline_row), tally_of),
        current_(*comparison.current, rows(&Delta::current_row), tally_of) {}

  void run() {
    std::vector<std::optional<Counts>> counts;
    counts.reserve(gates_.size());
    for (const RateGate& gate : gates_) counts.push_back(counts_of(gate));
    const double limit = significant_p(counts);
    for (std::size_t i = 0; i < gates_.size(); ++i) {
      if (counts[i]) {
        by_counts(gates_[i], *counts[i], limit);
      } else if (gates_[i].tally.kind == TallyKind::none) {
        by_points(gates_[i]);
      }
    }
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> rows(std::uint32_t Delta::*side) const {
    std::vector<std::uint32_t> out;
    out.reserve(gates_.size());
    for (const RateGate& gate : gates_) out.push_back(c_.deltas[gate.delta].*side);
    return out;
  }

  [[nodiscard]] std::optional<Counts> counts_of(const RateGate& gate) const {
    const Delta& d = c_.deltas[gate.delta];
    const auto before = failures(gate, baseline_, *c_.baseline, d.baseline_row, 1);
    const auto now = failures(gate, current_, *c_.current, d.current_row, gate.factor);
    if (!before || !now) return std::nullopt;
    return Counts{*before, *now, more_failures_p(*before, *now)};
  }

  [[nodiscard]] std::optional<Failures> failures(const RateGate& gate, const Attempts& attempts, const Measurement& side,
                                                 std::uint32_t index, double factor) const {
    const Row& row = side.rows()[index];
    if (gate.tally.kind == TallyKind::failures) return attempts.of_failures(row);
    if (gate.tally.kind == TallyKind::successes) return attempts.of_successes(row);
    const auto values = side.values(row);
    std::vector<double> shares(values.begin(), values.end());
    for (double& value : shares) value = failed_share(gate, value * factor);
    return attempts.of_share(row, shares);
  }

  // 0..1, of a rate in its own unit.
  [[nodiscard]] double failed_share(const RateGate& gate, double value) const {
    const Delta& d = c_.deltas[gate.delta];
    const double share = value * points_per_share(gate.unit, d.baseline, d.current).value_or(100) / 100;
    return d.direction == Direction::higher ? 1 - share : share;
  }

  // The largest p that Holm's procedure takes for a change: the i-th smallest of m is held against alpha / (m - i + 1). -1: none.
  static double significant_p(const std::vector<std::optional<Counts>>& counts) {
    std::vector<double> p;
    for (const auto& one : counts) {
      if (one) p.push_back(one->p);
    }
    std::sort(p.begin(), p.end());
    double limit = -1;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] > kGateAlpha / static_cast<double>(p.size() - i) * (1 + kSlack)) break;
      limit = p[i];
    }
    return limit;
  }

  void by_counts(const RateGate& gate, const Counts& counts, double limit) {
    Delta& d = c_.deltas[gate.delta];
    const double worse = counts.current.share() - counts.baseline.share();
    // A run in which all failed and nothing did before needs no test.
    const bool all_now = counts.baseline.failed == 0 && counts.current.failed == counts.current.attempts;
    const bool new_failures = counts.baseline.failed == 0 && counts.current.failed > 0;
    decide(d, worse, counts.p <= limit || all_now, new_failures,
           more_failures_p(counts.current, counts.baseline) <= kGateAlpha * (1 + kSlack));
    if (worse == 0) return;
    note(gate.delta, std::to_string(counts.current.failed) + " of " + std::to_string(counts.current.attempts) + " failed, " +
                         std::to_string(counts.baseline.failed) + " of " + std::to_string(counts.baseline.attempts) + " before" +
                         (worse > 0 ? ", p = " + short_number(counts.p, 3) + " (exact)" : ""));
  }

  // The worst trial of each side speaks.
  void by_points(const RateGate& gate) {
    Delta& d = c_.deltas[gate.delta];
    const double before = failed_share(gate, d.baseline);
    const double now = failed_share(gate, d.current);
    const double worse = now - before;
    set_tolerance(d, 100 * std::fabs(worse));
    const bool beyond = 100 * worse > kSharePoints * (1 + kSlack);
    decide(d, worse, beyond, before <= kZeroEpsilon && now > kZeroEpsilon, -100 * worse > kSharePoints * (1 + kSlack));
    if (d.state == State::regressed || d.state == State::inconclusive) {
      note(gate.delta, short_number(100 * worse, 3) + " percentage points worse; of how many is not known");
    }
  }

  static void decide(Delta& d, double worse, bool fails, bool new_failures, bool better) {
    d.adverse = worse > 0;
    d.state = State::unchanged;
    if (worse > 0 && fails) {
      d.state = State::regressed;
    } else if (worse > 0 && (new_failures || 100 * worse > kSharePoints * (1 + kSlack))) {
      d.state = State::inconclusive;
    } else if (worse < 0 && better) {
      d.state = State::improved;
    }
  }

  void set_tolerance(Delta& d, double points) {
    if (tolerance_ == 0) {
      tolerance_ = static_cast<std::uint32_t>(c_.tolerances.size());
      c_.tolerances.push_back(share_tolerance());
    }
    d.tolerance = tolerance_;
    d.used = points / kSharePoints;
    d.exceeds = points > kSharePoints * (1 + kSlack);
  }

  void note(std::uint32_t delta, const std::string& text) {
    std::string& known = c_.notes[delta];
    known += (known.empty() ? "" : "; ") + text;
  }

  Comparison& c_;
  const std::vector<RateGate>& gates_;
  Attempts baseline_, current_;
  std::uint32_t tolerance_ = 0;
};

}  // namespace

std::optional<double> points_per_share(std::string_view unit, double baseline, double current) {
  const double telling = baseline != 0 ? baseline : current;
  return points_per_unit(unit, telling, telling);
}

Tolerance share_tolerance() {
  Tolerance out;
  out.kind = ToleranceKind::points;
  out.value = kSharePoints;
  out.source = Source::name_rule;
  out.note = "a share: judged in percentage points";
  return out;
}

void judge_rate_gates(Comparison& comparison, const std::vector<RateGate>& gates, const TallyOf& tally_of) {
  if (!gates.empty()) Judge(comparison, gates, tally_of).run();
}

}  // namespace plumbline::core
