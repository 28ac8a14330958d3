// Siblings side by side: one column a sibling, one line a number that they all measured, on a scale where more is worse and a
// ratio is a difference (oriented natural logarithms). Internal to verdict/siblings/.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/comparison.hpp"

namespace plumbline::verdict::siblings {

struct Member {
  std::string name;
  const core::Measurement* measurement = nullptr;  // null: gave no result
};

// One judged number of all siblings. By sibling; NaN where one has none.
struct Line {
  core::Id key = 0;
  std::string_view unit;
  bool headline = false, two_sided = false;
  bool higher = false;        // more of the number is better
  double limit = 0;           // tolerance on the scale of cost
  double resolution = 0;      // half of its last digit, on that scale
  std::uint32_t row = 0;      // of Fleet::all
  std::uint32_t group = 0;    // of its class
  std::vector<double> value;  // in the unit of `all`
  std::vector<double> cost;
  std::vector<std::uint32_t> rows;  // of the siblings' measurements; core::kNoRow where one has none
};

// Rows of one metric, unit and direction; of classes of fewer than five rows those of one unit and direction.
struct Group {
  std::string name;  // "busbw, GB/s"
  std::vector<std::uint32_t> lines;
  double limit = 0, resolution = 0;
  bool two_sided = false, higher = false;
};

struct Fleet {
  std::shared_ptr<const core::Measurement> all;  // every key of any sibling, with the first one's number
  std::vector<Line> lines;
  std::vector<Group> groups;
  // By sibling: how it compares with the median of the others, row by row (rows of `all`), each decided by itself.
  std::vector<std::shared_ptr<const core::Comparison>> against_others;
  std::vector<std::shared_ptr<const core::Measurement>> others;  // what they borrow
  std::vector<std::vector<core::Id>> gates_failed;               // keys
  std::vector<std::vector<core::Id>> missing;                    // judged keys that most siblings have
  std::uint64_t unclassified = 0;                                // rows whose direction nobody says
  std::uint64_t few = 0;                                         // rows that fewer than three siblings have
  core::Id first_few = 0, first_unclassified = 0;
  std::vector<core::Warning> warnings;
};

// At least two of the members have a measurement; all share one pool and outlive the fleet.
[[nodiscard]] Fleet fleet_of(const std::vector<Member>& members, const core::CompareRules& rules,
                             const std::function<bool()>& stop = {});

// The trials of a sibling's number as costs, in their order; those that are not positive count as nearly nothing. Empty where it
// has none.
[[nodiscard]] std::vector<double> trial_costs(const Line& line, const std::vector<Member>& members, std::size_t member);

// Of each number the median of the others; those that are NaN do not count. NaN where there are no others.
[[nodiscard]] std::vector<double> medians_of_others(const std::vector<double>& values);
// NaN where there are none.
[[nodiscard]] double median_of(const std::vector<double>& values);

}  // namespace plumbline::verdict::siblings
