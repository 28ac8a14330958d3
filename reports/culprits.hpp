// The parts of a measurement that regressed, in the files and on the pages. Internal to reports/.
#pragma once

#include <string>

#include "core/json_writer.hpp"
#include "core/results/diff.hpp"

namespace plumbline::reports {

// How much of them a document has room for.
struct CulpritDetail {
  std::size_t culprits, keys, text_bytes;
};
inline constexpr CulpritDetail kAllOfCulprits = {3, 20, 4000};

// "culprits": []; nothing where there is none.
void write_culprits(core::JsonWriter& json, const core::DiffResult& result, const CulpritDetail& detail);

// A section, "" where there is none.
[[nodiscard]] std::string culprits_markdown(const core::DiffResult& result);

// "50 of 50 regressed rows and 0 others, -12 %": what a part covers.
[[nodiscard]] std::string coverage_text(const core::Culprit& culprit);
// "\"size < 1 GiB\" (0 of 50 rows)", …
[[nodiscard]] std::string not_affected_text(const core::Culprit& culprit);

// "\"collective=all_gather\" (12 of 40 rows)", "" where there is none.
[[nodiscard]] std::string runner_up_text(const core::Culprit& culprit);

// The delta lies in one of them.
[[nodiscard]] bool in_culprit(const core::DiffResult& result, std::uint32_t delta);

}  // namespace plumbline::reports
