// What is said of the ranks of a job, beside their sum: who is missing, how far clocks are apart, who comes late. Internal to
// reports/.
#pragma once

#include <string>
#include <vector>

#include "core/json_writer.hpp"
#include "core/results/profile_diff.hpp"

namespace plumbline::reports {

void write_failures(core::JsonWriter& json, const std::vector<core::RankFailure>& failed);  // "failed"
// An object. `whole`: with every rank's clock and the grid.
void write_job(core::JsonWriter& json, std::string_view name, const core::ProfileRanksSide& job, bool whole);
// "late ranks: 417 by 12 ms a step (4.1 %)", a line each of what there is; "" where there is nothing to say.
[[nodiscard]] std::string ranks_lines(const core::ProfileRanksSide& job);
// The pictures of both sides, ranks by steps; "" where there are none.
[[nodiscard]] std::string ranks_section(const core::ProfileDiff& diff);
// "12 ms a step (4.1 %)".
[[nodiscard]] std::string late_text(const core::Straggler& one, const core::ProfileRanksSide& job);

}  // namespace plumbline::reports
