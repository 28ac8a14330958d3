// Captures as trials: whether several of them are repetitions of one run, and what their walls (profiles/diff/trials.hpp) say.
// The walls are judged as the trials of a scalar are, by the same policy: a wall is worse where exact ranks put it beyond the
// gate, proven where they put it within. Fewer than three captures on a side: their medians, and whether the sides overlap. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/comparison.hpp"
#include "core/results/profile_diff.hpp"
#include "profiles/diff/trials.hpp"

namespace plumbline::verdict {

// Why captures of one side are not repetitions of one run: other hosts, GPUs, versions, capture modes or formats. None where they
// are. `names` are those of the files.
[[nodiscard]] std::optional<core::TrialMergeProblem> problem_of_captures(std::span<const profiles::Profile> captures,
                                                                         std::span<const std::string> names);

// The captures of both sides with what is known of them beside their content.
struct CaptureTrials {
  std::span<const profiles::Profile> baseline, candidate;
  const profiles::TrialWalls& walls;
  std::vector<std::string> baseline_names, candidate_names;
  bool baseline_verified = false;  // an entry of a registry with checked digests
  std::size_t identical = 0;       // captures that are byte for byte like another of their side
};

// One wall a capture, decided.
struct WallDecision {
  double delta_pct = 0;  // of the medians
  bool tested = false;   // three or more captures on both sides
  bool worse = false;  // beyond the gate, by the test; else every capture of the candidate's is slower than all of the baseline's
  bool open = false;   // neither shown nor excluded
  core::ProfileWallTrials told;
  std::vector<std::string> lacking;  // for a VERDICT, of what all measurements are asked for
  std::vector<core::Warning> warnings;
};
[[nodiscard]] WallDecision decide_wall(std::span<const double> baseline, std::span<const double> candidate, double gate_pct,
                                       const CaptureTrials& trials, std::span<const core::ContextDifference> differences);

}  // namespace plumbline::verdict
