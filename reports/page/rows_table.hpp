// Every row that has room on a page, worst first; with scripts it can be searched, filtered by state and sorted. Internal to
// reports/.
#pragma once

#include <string>

#include "reports/rows.hpp"

namespace plumbline::reports {

// A section. Of captures, whose rows are times of names: with calls, and without what is judged.
[[nodiscard]] std::string rows_section(const core::DiffResult& result, const Rows& rows);

}  // namespace plumbline::reports
