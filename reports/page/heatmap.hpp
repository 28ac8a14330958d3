// A matrix as three pictures side by side: the baseline, this run, and what is between them, with the cells that regressed marked
// and those of the culprit framed. Internal to reports/.
#pragma once

#include <string>

#include "reports/page/matrix.hpp"

namespace plumbline::reports {

[[nodiscard]] std::string heatmaps(const Matrix& matrix, const Rows& rows);

}  // namespace plumbline::reports
