// Metrics of a kernel profiler (Nsight Compute), both sides: matched by kernel, launch shape and metric, each side by the
// median over its launches. The labels of the details page and the names of the raw page mean the same figures, so a page of one
// kind compares with one of the other. Swapping the sides negates every delta.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/profile_diff.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline constexpr std::string_view kNcuFormat = "ncu-csv";  // ProfileSideInfo::format of a kernel profiler's table
inline constexpr std::string_view kDurationMetric = "gpu__time_duration.sum";

// The raw name of a metric: of a label ("Duration", "Memory Throughput" in %) where it is one that is known, else the name
// itself.
[[nodiscard]] std::string_view metric_key(std::string_view metric, std::string_view unit);
// How much of the hardware's limit was reached, measured by the hardware's own counters (rigor L4): throughput of the SMs, of
// memory, of DRAM in % of peak.
[[nodiscard]] bool is_speed_of_light(std::string_view metric, std::string_view unit);

// Key metrics first (duration, speed of light, occupancy, registers, stalls, bytes), then by |pct|.
[[nodiscard]] std::vector<core::ProfileMetric> diff_metrics(const std::vector<KernelMetric>& baseline,
                                                            const std::vector<KernelMetric>& candidate);
// The change of the time in kernels that both sides measured, each weighted by how often it was (the mean of both sides, so that
// swapped sides invert it). Replayed under locked clocks: of kernels, never of a program's wall time. nullopt without such.
[[nodiscard]] std::optional<double> duration_change_pct(const std::vector<core::ProfileMetric>& rows);

}  // namespace plumbline::profiles
