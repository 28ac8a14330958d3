// What a call of CUDA, HIP, SYCL (Unified Runtime, Level Zero) or their drivers does for the timeline, told by its name: launches
// work, waits for it, allocates.
// Suffixes that carry versions and streams ("cudaLaunchKernel_v7000", "cuMemcpyDtoH_v2_ptds") make no difference. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profiles/capture.hpp"

namespace plumbline::profiles {

// wait: …Synchronize, and copies without "Async" in the name, which return when the copy is done.
enum class CallKind : std::uint8_t { other, launch, graph_launch, wait, allocate, free };

[[nodiscard]] CallKind call_kind(std::string_view name);
// The name as its manual has it: "cudaStreamSynchronize" for "cudaStreamSynchronize_v3020_ptsz".
[[nodiscard]] std::string_view call_name(std::string_view name);

// By call: a copy from or to pageable memory keeps its caller until it is done, whatever the call is named. Empty where none
// does.
[[nodiscard]] std::vector<bool> blocking_copies(const Capture& capture);

// By name id, for the names that calls of the capture bear; CallKind::other for the rest.
[[nodiscard]] std::vector<CallKind> call_kinds(const Capture& capture);

}  // namespace plumbline::profiles
