// One number over the entries of its measurement: the noise band around the baseline, where its level changed, and this run last.
// Internal to reports/.
#pragma once

#include <string>

#include "core/results/history_line.hpp"

namespace plumbline::reports {

[[nodiscard]] std::string history_chart(const core::HistoryLine& line);

}  // namespace plumbline::reports
