// The period of a sequence of kernels, for captures without ranges. A kernel that runs once per period is its anchor: the
// distances between its occurrences are nearly equal, and what lies between two of them is nearly the same bag of kernels each
// time. Among anchors the shortest period counts whose repetitions are about as alike as the best one's (a layer repeats inside a
// step, but then the rest of the step stands out; two steps together are no more alike than one). A few extra kernels here and
// there make repetitions a little less alike and change nothing else. Linear in the sequence; anchors are looked for in a window.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plumbline::profiles {

inline constexpr std::size_t kPeriodWindow = std::size_t{1} << 19;  // kernels in the middle of the capture

struct Period {
  std::vector<std::uint32_t> anchors;  // names that occur once in each, equally good
  double length = 0;                   // kernels, median
  double alike = 0;                    // share of kernels that successive repetitions have in common, 0..1
};
// `names`: dense numbers below `name_count`. At least three whole periods in the window, alike by 85 % or more.
[[nodiscard]] std::optional<Period> find_period(std::span<const std::uint32_t> names, std::uint32_t name_count);

}  // namespace plumbline::profiles
