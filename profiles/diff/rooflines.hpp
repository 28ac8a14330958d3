// Operators of known work (profiles/analysis/op_work.hpp) against the roofline of the GPU that the capture names: the peak of the
// operands' precision and the memory bandwidth of configs/sol-ceilings.yaml. The larger of the two times that the work needs at
// least is the bound. Where the GPU or the precision is not known there is no ceiling and no percentage; fp32 may run as tf32,
// and only the kernel's name tells. Above 100 % of a bandwidth the data came from a cache.
#pragma once

#include <vector>

#include "configs/configs.hpp"
#include "configs/kernel_categories.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline constexpr std::size_t kMostRooflines = 64;

struct Rooflines {
  std::vector<core::ProfileRoofline> rows;  // most time on either side first
  std::uint64_t left_out = 0;
};
// Matched by operator, shape and type. A percentage stands where the row's ceiling is the side's own.
[[nodiscard]] Rooflines compare_rooflines(const Profile& baseline, const Profile& candidate,
                                          const configs::KernelCategories& categories, const configs::Ceilings& ceilings);

}  // namespace plumbline::profiles
