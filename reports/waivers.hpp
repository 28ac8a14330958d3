// What waivers did to a comparison, in words and as JSON. Internal to reports/.
#pragma once

#include <string>
#include <string_view>

#include "core/results/diff.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {

// "2 rows waived until 2026-12-31, up to 12% worse: known since the new scheduler"; that it ended or was exceeded. Without its
// link, which each form shows in its own way.
[[nodiscard]] std::string waiver_sentence(const core::WaiverUse& use);
// It excuses a row, or no longer does what it was written for.
[[nodiscard]] bool is_told(const core::WaiverUse& use);
// "waived until 2026-12-31: known since the new scheduler (https://…)", of one row.
[[nodiscard]] std::string row_waiver_text(const core::RowWaiver& said);

void append_row_waiver(std::string& out, const core::RowWaiver& said, std::size_t text_bytes);  // an object
void write_waivers(JsonWriter& json, const std::vector<core::WaiverUse>& waivers, std::size_t count,
                   std::size_t text_bytes);  // "waivers"; nothing where there are none
[[nodiscard]] std::string waivers_markdown(const std::vector<core::WaiverUse>& waivers);
[[nodiscard]] std::string waivers_section(const std::vector<core::WaiverUse>& waivers);  // of a page

}  // namespace plumbline::reports
