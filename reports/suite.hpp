// The cases of a suite as every report shows them: one line a case, and how they add up. Internal to reports/.
#pragma once

#include <cstddef>
#include <string>

#include "core/results/diff.hpp"
#include "core/results/suite.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {

// The value of "suite": totals and at most `cases` cases, texts of at most `bytes` bytes; "cases_omitted" counts the others.
void write_suite(JsonWriter& json, const core::SuiteReport& suite, std::size_t cases, std::size_t bytes);

[[nodiscard]] std::string suite_markdown(const core::SuiteReport& suite);
// "passed", "passed, YELLOW", "no baseline value"
[[nodiscard]] std::string case_state_text(const core::SuiteCase& one);
// "+15.9%"
[[nodiscard]] std::string case_change_text(const core::CaseHeadline& headline);
// "ttft_ms 44 -> 51 ms (+15.9%)", "" where the case has no number.
[[nodiscard]] std::string case_headline_text(const core::SuiteCase& one);
// The reason, what another system says, and what was chosen.
[[nodiscard]] std::string case_remark(const core::SuiteCase& one);
// "bad" "doubt" "good" "": the page's and the terminal's colours.
[[nodiscard]] std::string_view case_tone(const core::SuiteCase& one);

// What the systems of the cases print, each as it prints it; "" where no case has one.
[[nodiscard]] std::string suite_native_text(const core::SuiteReport& suite);
[[nodiscard]] std::string suite_native_json(const core::SuiteReport& suite);

}  // namespace plumbline::reports
