// What a job's ranks say beside their sum (core::ProfileRanksSide): who is missing, whose clock is how far ahead, who comes late.
//
// Clocks: ranks leave a collective together, so a rank's clock is ahead by the median, over the collectives of a group, of when
// it came out by its own clock less the median of all ranks. A rank of several groups has the mean of theirs, one voice a group
// however often it meets, and all is taken in turn until it stays, so that offsets hold between groups, too. Offsets are against
// the middle rank.
//
// Late ranks: what a rank does by itself between collectives (CollectiveInstance::own) against the middle rank of the same
// collective: no clock is in it, and who waits for somebody else is not late by that. A straggler is late in most of the run
// (columns of steps, or of collectives in order of time): its place among the ranks, column by column, is one that chance gives
// none of them (exact sum of places, Bonferroni over ranks, 1 %); it loses kLeastSharePct of a step or more; and it stands apart
// from the scatter of the ranks (kApart robust deviations). What is all noise from column to column names nobody.
#pragma once

#include "core/results/profile_ranks.hpp"
#include "profiles/ranks/job.hpp"

namespace plumbline::profiles {

inline constexpr double kLeastSharePct = 1;
inline constexpr double kApart = 6;
inline constexpr double kStragglerAlpha = 0.01;
inline constexpr std::size_t kMostColumns = 64, kMostGridRows = 64, kMostStragglers = 64;

[[nodiscard]] core::ProfileRanksSide tell_ranks(const Job& job);
// Who is there and who is not, alone.
[[nodiscard]] core::ProfileRanksSide tell_presence(const Job& job);

// The chance that `places` fair places out of `of`, one a column, sum to `sum` or less. Exact.
[[nodiscard]] double chance_of_places(std::size_t columns, std::size_t of, std::size_t sum);

// "998 of 1000 ranks: 3 failed (rank3.json.gz: the capture is empty), 17 is missing".
[[nodiscard]] std::string ranks_told(const core::ProfileRanksSide& side);

// "3, 17 and 512", "12 to 19 and 24": neighbours together, at most `at_most` parts.
[[nodiscard]] std::string ranks_text(const std::vector<std::int64_t>& ranks, std::size_t at_most = 8);

}  // namespace plumbline::profiles
