// Two measurements, matched row by row under resolved rules, each row decided. What a rule set (verdict/) gets to judge
// and what a DiffResult is made from. Compact: one Delta a row, statistics only where there are trials.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/gates/attempts.hpp"
#include "core/measurement.hpp"
#include "core/tolerance.hpp"

namespace plumbline::core {

enum class State : std::uint8_t { regressed, improved, unchanged, inconclusive, missing, added, invalid, unclassified, context };
[[nodiscard]] std::string_view to_string(State state);

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFFU;

// Rules over keys, resolved by the verb from flags, project file, entry, declared schema and defaults. Within one source
// the more specific glob wins; a stronger source (Source order) wins over a weaker one.
struct KeyRule {
  std::string glob;
  Source source = Source::defaulted;
  std::string note;  // "plumbline.yaml:12"
  std::optional<Tolerance> tolerance;
  std::optional<Direction> direction;
  std::optional<std::string> unit;
  std::optional<bool> headline;
  std::optional<bool> gate;
};

// Which way is better where a row's own name and unit do not tell: asked for all rows, or guessed of a scalar.
struct FallbackDirection {
  Direction direction = Direction::unknown;
  Source source = Source::defaulted;
};

struct CompareRules {
  Tolerance default_tolerance;     // --tolerance-percent/--tolerance-absolute, else 5 %
  std::vector<KeyRule> key_rules;  // any order
  // Of structured measurements: rows of the baseline whose name says the opposite keep theirs, and `direction_conflict` says so.
  std::optional<FallbackDirection> fallback_direction;
  bool judge_every_row = false;  // whatever role a name suggests: a scalar is what was asked about
  Share share = Share::none;     // of every row that does not say itself: a scalar's name stands outside of its file
  double alpha = 0.05;
  // The i-th trials of the two sides were run next to each other (A B A B): with five or more on both sides, and as many, the
  // pairs are tested (Wilcoxon's signed ranks), so that what moves both of a pair does not count.
  bool paired = false;
  // How many trials there are was decided while looking at them: rows and classes are judged by tests that hold at any stop
  // (core/experiment/looks.hpp), with pairs where `paired` says so and both sides have as many.
  bool anytime = false;
  std::uint32_t last_look = 0;  // where `anytime`: how many there would be at most, said beforehand; 0: nobody did
  // What a metric's name counts: of how many a rate is. Rates are judged without counts where nobody says.
  TallyOf tally_of;
};

struct RowStatistics {
  std::uint32_t n_baseline = 0, n_current = 0;
  struct Side {
    double mean = 0, stddev = 0, median = 0, min = 0, max = 0;
    std::optional<std::pair<double, double>> median_interval = {};  // 95 %, from order statistics: six or more trials
    std::uint32_t outlier = kNoRow;                                 // the trial that lies apart from all others: kept, and said
  } baseline, current;
  std::optional<double> interval_low_pct, interval_high_pct;  // of the change, in percent of baseline
  std::optional<double> p;        // one-sided, worse by more than tolerance; two-sided metrics: twice the smaller tail
  std::optional<double> mde_pct;  // detectable excess at 80 % power
  std::optional<std::uint32_t> trials_needed;  // when inconclusive (plan_trials)
  bool trials_coarse = false;                  // … to tell a change twice the tolerance, or none, from it
  double sigma = -1;                           // pooled standard deviation of the logarithms; -1 where differences were judged
  double room = 0;                             // from the shift to the edge of the tolerance, on the same scale
  double width = 0;                            // from no shift to that edge
  bool statistical = false;                    // decided by the three-way rule (n >= 3 on both sides)
  bool paired = false;                         // by recorded pairs
  bool anytime = false;                        // p and bounds hold at any stop
};

// Sets how many trials a side would decide a row that `n` did not, at this spread of one trial.
void plan_more_trials(RowStatistics& statistics, double sigma, std::uint32_t n);

struct Delta {
  Id key = 0;
  std::uint32_t baseline_row = kNoRow, current_row = kNoRow;
  std::uint32_t tolerance = 0;  // into tolerances
  std::uint32_t statistics = kNoRow;
  State state = State::unchanged;
  Direction direction = Direction::unknown;
  Source direction_source = Source::defaulted;
  Source headline_source = Source::defaulted;  // who named it a headline, where it is one
  bool exceeds = false;                        // |change| beyond tolerance, in any direction
  bool adverse = false;                        // the change is in the worse direction (either, for two-sided)
  bool headline = false;
  bool gate = false;
  bool proven = false;               // within tolerance is proven by trials
  double baseline = 0, current = 0;  // medians of the trials, in the baseline's unit
  double delta = 0;                  // current - baseline
  double delta_pct = 0;              // of baseline; NaN when undefined (baseline 0 and current not)
  // Nothing moved beyond tolerance, whichever way is worse: what large row lists leave out (CONTRACT: deltas.jsonl).
  [[nodiscard]] bool uneventful() const { return state == State::unchanged || (state == State::unclassified && !exceeds); }
  double used = 0;  // |change on the tolerance's scale| / tolerance: 1 = exactly at tolerance; inf when tolerance is 0 and there
                    // is a change
};

// All rows of one metric that changed by the factor between two units (verdict/plausibility.hpp).
struct UnitMismatch {
  std::string metric, unit;
  double factor = 0;                // current / baseline, the nominal one
  std::string_view taken_for;       // "bits and bytes"
  std::vector<std::uint32_t> rows;  // delta indices
};

// Rows whose detectable change and trials needed rest on more than their own few trials.
struct ModeratedRows {
  std::uint64_t rows = 0;
  bool by_class = false, by_history = false;  // whose spread was weighed in
};

// Made by core::compare and decided by a policy's rules (verdict/policy.hpp); const from then on. What a judge finds of single
// rows stands beside it (core/row_marks.hpp).
struct Comparison {
  const Measurement* baseline = nullptr;
  const Measurement* current = nullptr;
  std::vector<Delta> deltas;          // baseline's order, then added rows in current's order
  std::vector<Tolerance> tolerances;  // referenced by index
  std::vector<RowStatistics> statistics;
  // By delta index, in its order: what the current side's values were multiplied with to be in the baseline's unit, where not 1.
  std::vector<std::pair<std::uint32_t, double>> unit_factors;
  std::unordered_map<std::uint32_t, std::string> notes;  // by delta index, where there is something to say
  std::vector<UnitMismatch> unit_mismatches;
  ModeratedRows moderated;
  bool anytime = false;                                     // CompareRules::anytime
  std::uint32_t last_look = 0;                              // CompareRules::last_look
  std::vector<Warning> warnings;                            // unit conversions, non-comparable units, …
  [[nodiscard]] const Row* row(const Delta& delta) const {  // current's if there, else baseline's
    if (delta.current_row != kNoRow) return &current->rows()[delta.current_row];
    if (delta.baseline_row != kNoRow) return &baseline->rows()[delta.baseline_row];
    return nullptr;
  }
  [[nodiscard]] std::uint32_t index(const Delta& delta) const { return static_cast<std::uint32_t>(&delta - deltas.data()); }
  [[nodiscard]] const Measurement& side(const Delta& delta) const { return delta.current_row != kNoRow ? *current : *baseline; }
};

// Matches by key, resolves unit, direction, tolerance, headline and gate of each row, converts units, computes deltas and
// decides each row by itself (three-way with >= 3 trials a side, else by the point estimate). What rows say of each other and
// the aggregate are the policy's. Both measurements must share one StringPool and outlive the result. A scalar that is no gate is
// always a headline. `stop` is asked now and then; when it says true the comparison ends early (the caller then discards it).
[[nodiscard]] Comparison compare(const Measurement& baseline, const Measurement& current, const CompareRules& rules,
                                 const std::function<bool()>& stop = {});

}  // namespace plumbline::core
