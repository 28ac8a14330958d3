// Classes of rows as a whole, in words: which of them are worse, and what their trials lack (core/evidence/row_evidence.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verdict/evidence_of_rows.hpp"

namespace plumbline::verdict {

class Waiving;

// One reason `class_shift` for each class that is worse beyond tolerance and not by chance, nor because of waived rows alone.
[[nodiscard]] std::vector<core::Reason> suite_reasons(const core::Comparison& comparison, const WeighedRows& weighed,
                                                      const Waiving& waiving);

// `trials_correlated` and `trials_drift`: trials that are no independent repetitions, and how many they count for.
[[nodiscard]] std::vector<core::Warning> trial_order_warnings(const core::Comparison& comparison, const WeighedRows& weighed);

// What a GREEN rests on: the headlines, or without headlines the suite effects, proven within tolerance by trials; the rows of
// a class too small for a suite effect each by themselves; waived rows are not asked for. What is not proven, and the trials a
// side that would prove it.
struct Unproven {
  std::size_t questions = 0;            // headlines or classes asked about
  std::size_t open = 0;                 // of them not proven, though their rows have trials
  bool headlines = false;               // they are headlines
  std::optional<std::uint32_t> trials;  // that would prove all that is open; none where no number of them would
};
[[nodiscard]] Unproven unproven(const core::Comparison& comparison, const WeighedRows& weighed, const core::RowMarks& marks);

}  // namespace plumbline::verdict
