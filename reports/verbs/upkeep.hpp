// What import, gc and index answer: as JSON, and as what a person sees.
#pragma once

#include <string>

#include "core/results/gc.hpp"
#include "core/results/import.hpp"
#include "core/results/index.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {

[[nodiscard]] std::string import_json(const core::ImportResult& result, ResponseFormat format);
[[nodiscard]] std::string import_table(const core::ImportResult& result, bool colour);
[[nodiscard]] std::string gc_json(const core::GcResult& result, ResponseFormat format);
[[nodiscard]] std::string gc_table(const core::GcResult& result, bool colour);
[[nodiscard]] std::string index_json(const core::IndexResult& result);
[[nodiscard]] std::string index_text(const core::IndexResult& result);

}  // namespace plumbline::reports
