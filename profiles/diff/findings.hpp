// What changed and has a name, beside the verdict: new synchronisations, pageable copies, allocations, launches that cost more,
// switched algorithms, time that moved between the wall's parts. Counts and times are held against each other for the same work
// (Wall::scale). And the next lever: the part of the candidate's wall with the most to win, with what it could yield at most, as
// measured, and how a next diff would show it. Pure.
#pragma once

#include "profiles/diff/wall.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// A kernel that is gone while the calls of its family (names/family.hpp) are as many as before: its work went to others.
struct MovedCalls {
  const core::ProfileRow* gone = nullptr;
  const core::ProfileRow* to = nullptr;  // the one of its family that took most of them
};
// Of the vanished rows; `scale` as Wall::scale. The rows are those of `kernels`.
[[nodiscard]] std::vector<MovedCalls> moved_calls(const std::vector<core::ProfileRow>& kernels, double scale);

// From everything else in `diff`; sets findings and, where the candidate has a timeline, next_lever.
void find_findings(const Wall& wall, core::ProfileDiff& diff);
// Ranks of the candidate's job that are late all through the run (ranks/telling.hpp); `diff` has its jobs.
void find_late_ranks(core::ProfileDiff& diff);

}  // namespace plumbline::profiles
