// What pages of every kind say in words: why, what to do, in which context, with which warnings, on what evidence. Each is a
// section as markup, "" where there is nothing to say. Internal to reports/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/results/diff.hpp"

namespace plumbline::reports {

// The first of them stand open, the others are folded.
[[nodiscard]] std::string reasons_section(std::string_view title, std::span<const core::Reason> reasons);
[[nodiscard]] std::string parts_section(const core::DiffResult& result);
// The next step, below the answer.
[[nodiscard]] std::string next_line(const core::Recommendation& recommendation);
// What lies beyond it: the lever, and what would make a DRAFT a VERDICT.
[[nodiscard]] std::string action_section(const std::optional<core::NextLever>& lever, std::span<const std::string> promote);
// Sections that share one column.
[[nodiscard]] std::string stack(std::string_view sections);
[[nodiscard]] std::string context_section(const core::DiffResult& result);
[[nodiscard]] std::string warnings_section(std::span<const core::Warning> warnings);
[[nodiscard]] std::string evidence_section(const core::DiffResult& result);
// "12 regressed", "3 suspect", …: nothing where nothing was counted.
[[nodiscard]] std::string counts_line(const core::Counts& counts);

}  // namespace plumbline::reports
