// Clocks of ranks against one another, told by the collectives that they leave together (telling.hpp). Private to
// profiles/ranks/.
#pragma once

#include <vector>

#include "core/results/profile_ranks.hpp"
#include "profiles/ranks/job.hpp"

namespace plumbline::profiles {

// Those of two ranks or more whose single arrivals are kept and that are known to be one collective.
[[nodiscard]] std::vector<const Meeting*> shared_meetings(const Job& job);

void tell_clocks(const Job& job, const std::vector<const Meeting*>& meetings, core::ProfileRanksSide& out);

// Of doubles that may be moved; 0 of none.
[[nodiscard]] double median_of(std::vector<double>& values);

}  // namespace plumbline::profiles
