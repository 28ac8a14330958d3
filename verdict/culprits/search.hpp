// The descriptions that are tried, and the one that explains most. What is counted of a column is a number of rows and a sum of
// scores for each of its values: a cut of an ordered column is then a prefix sum, and so is a union of few values, taken in the
// order of their means. Two terms are tried together among the best single ones. Internal to verdict/culprits/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "verdict/culprits/scoring.hpp"
#include "verdict/culprits/table.hpp"

namespace plumbline::verdict::culprits {

// A condition on the code of one column.
struct Term {
  enum class Op : std::uint8_t { equal, at_least, at_most, range, prefix };
  std::size_t column = 0;
  Op op = Op::equal;
  std::vector<std::uint8_t> holds;  // by code, 0 for rows that lack the column

  [[nodiscard]] bool of(const Column& its, std::size_t row) const {
    return holds[its.codes[row]] != 0 || (its.either() && holds[its.seconds[row]] != 0);
  }
};

struct Description {
  std::vector<Term> terms;    // one or two; rows for which all hold
  double rows = 0, slow = 0;  // how many, and the sum of their scores
  double log_tried = 0;       // logarithm of how many descriptions of its kind there are, over the share of alpha of the kind
  double gain = 0;            // logarithm of the likelihood that it explains, less log_tried

  [[nodiscard]] bool holds(const Table& table, std::size_t row) const;
};

struct Searched {
  std::optional<Description> best, runner_up;  // of other columns
};

// The best one's cuts lie where the rows' own evidence says, which tells more of a few rows at an edge than the measure by which
// descriptions are held against each other. Among these rows of the table.
[[nodiscard]] Searched search(const Table& table, const Scores& scores, std::span<const std::uint32_t> rows);

}  // namespace plumbline::verdict::culprits
