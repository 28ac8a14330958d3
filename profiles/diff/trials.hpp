// Several captures a side: each is one trial with one wall, and the walls of all are of the same work. Every capture is held
// against the first of the baseline, by the rules of two captures (diff/wall.hpp), and all get the strongest basis that all have:
// the median of the steps that a capture names, else its span over the work ratio, else its kernel time over it.
// The pair that is explained kernel by kernel are the captures in the middle of their sides. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

struct TrialWall {
  double wall_ns = 0;                 // by the basis; 0 where there is none
  double mean_step_ns = 0;            // basis step_wall: of its steps
  std::optional<double> window_ns;    // of the whole window, where the work in it can be told
  std::optional<double> device_work;  // work on each of its devices over that of the first capture
  double scale = 1;                   // what sums of it are divided by to be those of the first capture's work, see Wall::scale
};

struct TrialWalls {
  std::string basis;  // as Wall::basis; "" where all captures have none in common
  std::vector<TrialWall> baseline, candidate;
  std::size_t baseline_middle = 0, candidate_middle = 0;
};

// Neither side is empty. Of `options` the categories, the gate and what is asked of steps count.
[[nodiscard]] TrialWalls measure_trials(std::span<const Profile> baseline, std::span<const Profile> candidate,
                                        const DiffOptions& options);

// How far each contributor's time scatters over the captures of a side, on the scale of the pair that `diff` explains.
void add_scatter(core::ProfileDiff& diff, const TrialWalls& walls, std::span<const Profile> baseline,
                 std::span<const Profile> candidate);

}  // namespace plumbline::profiles
