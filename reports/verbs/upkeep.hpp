// What import answers: as JSON, and as what a person sees.
#pragma once

#include <string>

#include "core/results/import.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {

[[nodiscard]] std::string import_json(const core::ImportResult& result, ResponseFormat format);
[[nodiscard]] std::string import_table(const core::ImportResult& result, bool colour);

}  // namespace plumbline::reports
