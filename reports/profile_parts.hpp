// Pieces of a profile diff that stand in more than one report. Internal to reports/.
#pragma once

#include <string>
#include <vector>

#include "core/results/profile_diff.hpp"

namespace plumbline::reports {

// The table of wall buckets, one line a device and side; a sentence when the captures carry none.
[[nodiscard]] std::string buckets_markdown(const core::ProfileDiff& diff);
// "step wall +9.1%, gate 5%, 3 and 3 captures (between …)", "" where the captures carry no wall.
[[nodiscard]] std::string wall_sentence(const core::ProfileDiff& diff);
// NVTX ranges that name work of a model, chosen for both sides together by the reference tool's words; all when none does.
[[nodiscard]] std::vector<const core::ProfileRow*> interesting_ranges(const core::ProfileDiff& diff);

}  // namespace plumbline::reports
