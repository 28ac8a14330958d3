// Idle time by its cause on both sides. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// One row a cause and what names it, with the difference for the same work (the candidate's over `scale`); the most time on
// either side first. Swapped sides and the inverse of `scale` give the same rows with negated differences, times `scale`. Shares
// are of the steps' walls on the sides that have steps, else of the devices' spans.
[[nodiscard]] std::vector<core::ProfileGaps> compare_gaps(const Profile& baseline, const Profile& candidate, double scale);

// ", most of it while the host loads data (\"fetch_batch\")": the cause of more than half of what grew; "" where none is.
[[nodiscard]] std::string most_of_growth(const std::vector<core::ProfileGaps>& gaps);

}  // namespace plumbline::profiles
