// Siblings that stand in one measurement, as measurements of their own: the values of a dimension (gpu, rank, node), or the ends
// of pairs (src and dst, row and col, "n3-n7"), each with its pairs as rows. Pure.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::verdict::siblings {

struct Split {
  std::string kind;  // the dimension, or "end"
  bool pairs = false;
  std::vector<std::pair<std::string, std::shared_ptr<const core::Measurement>>> parts;  // in the order in which they come
  std::uint64_t rows_left_out = 0;                                                      // without the dimension
};

// By this dimension; no parts where no row has it.
[[nodiscard]] Split split_by(const core::Measurement& measurement, std::string_view dimension);
// By the ends of pairs, else by the first dimension of those that name places (node, host, gpu, device, rank); no parts where
// there are neither.
[[nodiscard]] Split split_by_itself(const core::Measurement& measurement);
// Names of dimensions, for the hint of an error.
[[nodiscard]] std::vector<std::string> dimensions_of(const core::Measurement& measurement);

// Measurements of pairs, called after both ends ("n3_n7"): by end. No parts where the names tell no pairs.
[[nodiscard]] Split split_pairs(
    const std::vector<std::pair<std::string, std::shared_ptr<const core::Measurement>>>& measurements);

}  // namespace plumbline::verdict::siblings
