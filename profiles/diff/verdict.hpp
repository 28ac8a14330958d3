// From rows, buckets and the wall (wall.hpp) to a verdict: RED when the wall for the same work grew by the gate or more, by steps
// only beyond what the steps of one capture scatter; YELLOW for what makes the comparison doubtful: unequal work, large moves
// that cancel out, work that vanished, other GPUs, other capture modes. Profiles of the host and of single
// kernels (replayed under locked clocks) hold no wall time: what they show is at most YELLOW. Pure.
#pragma once

#include "profiles/diff/frames.hpp"
#include "profiles/diff/wall.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Fills work_ratio, comparability, wall_basis and wall_delta_pct, verdict, tier, promote, reasons, recommendation and next_lever
// from the rows, buckets and differences already in `diff`.
struct Sides {
  const Profile& baseline;
  const Profile& candidate;
  const Wall& wall;
  const FramesComparison& frames;
};
void judge(const Sides& sides, const DiffOptions& options, core::ProfileDiff& diff);

// The function's own name, without return type, template arguments and parameters: for sentences, not for matching.
[[nodiscard]] std::string short_name(std::string name);
// "26.0 ms", "-13.9 us", for messages.
[[nodiscard]] std::string time_text(double nanoseconds);

}  // namespace plumbline::profiles
