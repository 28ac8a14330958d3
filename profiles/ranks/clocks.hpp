// Clocks of ranks against one another, told by the collectives that they leave together (telling.hpp). Private to
// profiles/ranks/.
#pragma once

#include <vector>

#include "core/results/profile_ranks.hpp"
#include "profiles/int128.hpp"
#include "profiles/ranks/job.hpp"

namespace plumbline::profiles {

// Those of two ranks or more whose single arrivals are kept and that are known to be one collective.
[[nodiscard]] std::vector<const Meeting*> shared_meetings(const Job& job);

void tell_clocks(const Job& job, const std::vector<const Meeting*>& meetings, core::ProfileRanksSide& out);

// Sums of times that a file claims: at most 2^62 to either side, so that two of them can be told apart.
[[nodiscard]] std::int64_t within(Int128 time);

// Of doubles that may be moved; 0 of none.
[[nodiscard]] double median_of(std::vector<double>& values);

}  // namespace plumbline::profiles
