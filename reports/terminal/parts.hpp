// Parts of a screen that several answers have. Internal to reports/.
#pragma once

#include "core/results/diff.hpp"
#include "core/results/suite.hpp"
#include "reports/terminal/screen.hpp"

namespace plumbline::reports {

// The header as the part's head, the rows as its items.
void add_table(ScreenPart& part, const Table& table, const Screen& screen);
void add_cases(Screen& screen, const core::SuiteReport& suite);     // of a suite
void add_captures(Screen& screen, const core::DiffResult& result);  // of two captures: where the time went

}  // namespace plumbline::reports
