// The parts that diff.html is put together from. Internal to reports/.
#pragma once

#include "core/results/diff.hpp"
#include "reports/page/shell.hpp"

namespace plumbline::reports {

[[nodiscard]] Page measurement_page(const core::DiffResult& result);  // of rows and of suites
[[nodiscard]] Page captures_page(const core::DiffResult& result);

}  // namespace plumbline::reports
