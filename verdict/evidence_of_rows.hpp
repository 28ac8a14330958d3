// The rows of a comparison as core::weigh_rows takes them, and what it says of each.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/evidence/row_evidence.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verdict {

// The rows themselves: what the comparison knows of a row stays there, beside it only what had to be found out.
class ComparedRows final : public core::EvidenceRows {
 public:
  ComparedRows(const core::Comparison& comparison, double alpha);

  std::vector<std::uint32_t> deltas;   // of each row, in their order
  std::vector<std::uint32_t> classes;  // of each row, into the class names
  std::vector<double> sizes;           // of each row; empty where none has one
  // What is known beforehand of regressed rows, by row and in their order; of most it is nothing.
  std::vector<std::pair<std::uint32_t, double>> known_spreads;
  std::unordered_map<std::uint32_t, std::vector<double>> converted;  // current values in the baseline's unit, by row
  struct Pairs {
    std::vector<double> baseline, current;
  };
  std::unordered_map<std::uint32_t, Pairs> pairs;  // of rows that were judged in pairs, by row

  [[nodiscard]] std::size_t size() const override { return deltas.size(); }
  [[nodiscard]] core::EvidenceRow operator[](std::size_t i) const override;
  [[nodiscard]] std::uint32_t point_of(std::size_t /*i*/) const override { return 0; }
  [[nodiscard]] const core::Delta& delta(std::size_t i) const { return c_->deltas[deltas[i]]; }
  [[nodiscard]] const core::Row& baseline_row(std::size_t i) const { return c_->baseline->rows()[delta(i).baseline_row]; }

 private:
  void set_tolerance(core::EvidenceRow& row, const core::Delta& d) const;
  [[nodiscard]] double rank_p(const core::Delta& d) const;
  [[nodiscard]] double known_spread(std::size_t i) const;

  struct Allowed {
    core::ToleranceKind kind;
    double value;  // of percent a share
  };

  const core::Comparison* c_;
  double alpha_;
  std::vector<Allowed> allowed_;  // the comparison's tolerances
};

struct WeighedRows {
  ComparedRows rows;
  core::Evidence evidence;
  std::vector<core::ClassName> classes;
};

// Every row that was decided and is no gate. Points are not told apart here (verdict/points.hpp counts those that matter).
[[nodiscard]] WeighedRows weigh(const JudgeInput& in);

// Log ratio oriented so that + is worse, of two positive medians.
[[nodiscard]] double oriented_log_ratio(const core::Delta& delta);

// Decided by itself: by its trials, or by the point estimate.
[[nodiscard]] bool is_decided(const core::Delta& delta);
[[nodiscard]] bool has_tested_trials(const core::Comparison& comparison, const core::Delta& delta);

}  // namespace plumbline::verdict
