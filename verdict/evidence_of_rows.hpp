// The rows of a comparison as core::weigh_rows takes them, and what it says of each.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/evidence/row_evidence.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verdict {

struct WeighedRows {
  core::Evidence evidence;
  std::vector<core::ClassName> classes;
  std::vector<core::EvidenceRow> rows;
  std::vector<std::uint32_t> deltas;          // of each row, in their order
  std::deque<std::vector<double>> converted;  // values of the current side in the baseline's unit; rows look into them
};

// Every row that was decided and is no gate. Points are not told apart here (verdict/points.hpp counts those that matter).
[[nodiscard]] WeighedRows weigh(const JudgeInput& in);

// Log ratio oriented so that + is worse, of two positive medians.
[[nodiscard]] double oriented_log_ratio(const core::Delta& delta);

// Decided by itself: by its trials, or by the point estimate.
[[nodiscard]] bool is_decided(const core::Delta& delta);
[[nodiscard]] bool has_tested_trials(const core::Comparison& comparison, const core::Delta& delta);

}  // namespace plumbline::verdict
