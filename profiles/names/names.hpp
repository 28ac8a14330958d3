// What the names inside captures mean: which kernels communicate, which NVTX ranges a reader wants to see first, and how
// the tools' spellings of copies and API calls become one. Pure functions over text; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline::profiles {

// A collective or other GPU-to-GPU communication kernel, by the embedded table of categories (configs/kernel-categories.yaml).
[[nodiscard]] bool is_collective(std::string_view kernel_name);

// The ranges that a report shows first (forward, backward, all_reduce, moe, attention, …), by the reference tool's list of
// words, without regard to case. Choose for both sides together: filtering each side by itself makes a shared range look
// new or vanished.
[[nodiscard]] bool interesting_range(std::string_view name);

// "cudaMemcpyAsync_v3020" -> "cudaMemcpyAsync". nsys' own rule: when the sixth and fifth characters from the end are "_v",
// the last six go; longer version suffixes ("_v11010") stay, as `nsys stats` shows them.
[[nodiscard]] std::string_view api_name(std::string_view name);

// "[CUDA memcpy Host-to-Device]" for CUPTI's copyKind; an unknown kind keeps its number.
[[nodiscard]] std::string copy_label(std::int64_t kind);
inline constexpr std::string_view kMemsetLabel = "[CUDA memset]";
// The spelling above for the older ones that `nsys stats` wrote ("[CUDA memcpy HtoD]"); anything else is returned as it is.
[[nodiscard]] std::string canonical_operation(std::string_view name);

}  // namespace plumbline::profiles
