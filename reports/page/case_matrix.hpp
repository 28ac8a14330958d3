// A suite as a matrix: a line a case, a column a metric, in each cell the worst change of that metric in that case. Internal to
// reports/.
#pragma once

#include <string>

#include "core/results/suite.hpp"
#include "reports/rows.hpp"

namespace plumbline::reports {

// The worst cases, as many as go on a first screen.
[[nodiscard]] std::string case_matrix(const core::SuiteReport& suite, const core::DiffResult& result, const Rows& rows);
// Every case with its remark, a section.
[[nodiscard]] std::string cases_section(const core::SuiteReport& suite, const core::DiffResult& result, const Rows& rows);

}  // namespace plumbline::reports
