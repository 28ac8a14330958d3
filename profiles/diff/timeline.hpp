// The typical steps of both sides beside each other, and what makes the one longer than the other, part by part. Names that the
// rows matched are one part. Pure.
#pragma once

#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline constexpr std::size_t kMostPartsShown = 200;  // the smaller ones are one part called "rest"

// `diff` has its rows of kernels and collectives. Nothing where neither side has single events.
[[nodiscard]] std::optional<core::ProfileTimeline> compare_timelines(const Profile& baseline, const Profile& candidate,
                                                                     const core::ProfileDiff& diff);

}  // namespace plumbline::profiles
