// What a job of a CI is told of a row, whoever asks. Internal to reports/.
#pragma once

#include <string>

#include "core/results/diff.hpp"
#include "reports/rows.hpp"

namespace plumbline::reports {

// What makes a row adverse: "regressed", "suspect", "missing", "invalid", "gate_failed"; null for every other. A capture is
// judged as a whole: none of its rows is.
[[nodiscard]] const char* adverse_type(const RowView& row);
// "regressed: 300 GB/s -> 240 GB/s (-20.0%), tolerance 5%, higher-is-better"
[[nodiscard]] std::string row_sentence(const RowView& row);
// "family/measurement"; of two captures that have none, "captures".
[[nodiscard]] std::string suite_name(const core::DiffResult& result);

}  // namespace plumbline::reports
