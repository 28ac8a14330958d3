// --fail-on and --strict: which words end a run with exit status 1. Words: red, yellow, draft, row states and reason codes;
// `never` (the default) trips on nothing. Rows that a waiver excuses trip nothing; a waiver that has expired trips any gate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/results/diff.hpp"
#include "core/results/outliers.hpp"
#include "core/results/profile_diff.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// Splits at commas and checks every word; the error names the nearest one. `strict` adds
// red,regressed,missing,invalid,gate_failed.
[[nodiscard]] Expected<std::vector<std::string>> fail_words(const std::vector<std::string>& given, bool strict);
// What tripped, in a sentence ("verdict RED (--fail-on red)"); nullopt when nothing did.
[[nodiscard]] std::optional<std::string> tripped(const std::vector<std::string>& words, const core::DiffResult& result);
[[nodiscard]] std::optional<std::string> tripped(const std::vector<std::string>& words, const core::ProfileDiff& result);
[[nodiscard]] std::optional<std::string> tripped(const std::vector<std::string>& words, const core::OutliersResult& result);

}  // namespace plumbline::verbs
