// msmodeling's two tables over any number of cases: of one for a diff, of many for a suite.
#pragma once

#include <span>
#include <string>

#include "core/native/msmodeling.hpp"

namespace plumbline::reports {

// In the order given, which is that tool's order of files.
[[nodiscard]] std::string msmodeling_tables(std::span<const core::msmodeling::Report* const> cases);

}  // namespace plumbline::reports
