// How surely each row is slow. The rows are taken as a mixture of two kinds: those that stayed and those that changed by what the
// regressed ones typically did. A row near the edge of its tolerance, or of a noisy class, says little either way and is weighed
// so; its state alone would let a few rows that noise carried over the edge hide a part. Internal to verdict/culprits/.
#pragma once

#include <vector>

#include "verdict/culprits/table.hpp"

namespace plumbline::verdict::culprits {

struct Scores {
  std::vector<float> evidence;  // by row: logarithm of the odds that its change gives for being slow
  std::vector<float> slow;      // by row: probability to be slow, less that to be as much faster; -1 .. 1
  std::vector<float> spreads;   // by row: standard deviation of its change, in tolerances, as rows of its metric and size show it
};

[[nodiscard]] Scores score_rows(const Table& table);

}  // namespace plumbline::verdict::culprits
