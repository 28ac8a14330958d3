// One number over the entries of its measurement: the noise band around the baseline, where its level changed, and this run last.
// Internal to reports/.
#pragma once

#include <string>
#include <string_view>

#include "core/results/history_line.hpp"

namespace plumbline::reports {

// `name`: what it is called among the others; `tone`: what this run's row asks for.
[[nodiscard]] std::string history_chart(const core::HistoryLine& line, std::string_view name, std::string_view tone);

}  // namespace plumbline::reports
