// Who comes late to collectives, over the run (telling.hpp). Private to profiles/ranks/.
#pragma once

#include <vector>

#include "core/results/profile_ranks.hpp"
#include "profiles/ranks/job.hpp"

namespace plumbline::profiles {

void tell_lateness(const Job& job, const std::vector<const Meeting*>& meetings, core::ProfileRanksSide& out);

}  // namespace plumbline::profiles
