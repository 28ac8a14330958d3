// GPU time by what it is spent on: every kernel in one category by its name (configs/kernel-categories.yaml), copies and fills in
// theirs, so that the kernels' categories sum to the kernel time of each side. Each category says what the hardware could do at
// most for it (configs/sol-ceilings.yaml, by the GPU that the capture names) and how well its distance from that is known:
//   L1  its share of time and the ceiling, no percentage: times alone do not say how many bytes or operations were needed
//   L3  measured: copies of known size (those inside a device's memory count twice, read and written), communication with
//       known sizes (bus bandwidth)
//   L4  measured by a kernel profiler: its percentage of the peak over the category's launches, weighted by their time
// A kernel that was switched is in its own side's category: a GEMM that went from bf16 to fp8 takes its time along.
#pragma once

#include <vector>

#include "configs/configs.hpp"
#include "configs/kernel_categories.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Largest |delta| first, then by name.
[[nodiscard]] std::vector<core::ProfileCategory> compare_categories(const Profile& baseline, const Profile& candidate,
                                                                    const configs::KernelCategories& categories,
                                                                    const configs::Ceilings& ceilings);

}  // namespace plumbline::profiles
