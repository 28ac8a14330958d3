// Communication by its names: NCCL's and RCCL's kernels, the calls of torch.distributed, and what others call the same. Types are
// written as torch does ("all_reduce"), data types as nccl-tests prints them ("bfloat16"). Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline::profiles {

// "all_reduce" "all_gather" "reduce_scatter" "all_to_all" "broadcast" "reduce" "gather" "scatter" "barrier" "send_recv" for any
// spelling of it inside `text`: "_allgather_base", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)",
// "reduce_scatter_tensor_coalesced".
// "" where the text names none ("ncclDevKernel_Generic").
[[nodiscard]] std::string_view collective_type(std::string_view text);

// "BFloat16", "__nv_bfloat16", "bf16", "c10::BFloat16" -> "bfloat16"; what is not known comes back in lower case.
[[nodiscard]] std::string collective_dtype(std::string_view text);

// The data type in a kernel's name, for types that calculate (all_reduce, reduce_scatter, reduce); "" for the others, whose
// kernels all say int8, and where the name has none. Old: "ncclKernel_AllReduce_RING_LL_Sum_float(…)"; from NCCL 2.19:
// "ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)".
[[nodiscard]] std::string kernel_dtype(std::string_view kernel_name);

// What turns algorithm bandwidth (bytes over time) into bus bandwidth, after doc/PERFORMANCE.md of nccl-tests: all_reduce
// 2(n-1)/n; all_gather, reduce_scatter, all_to_all, gather, scatter (n-1)/n; broadcast, reduce, send_recv 1. The bytes are those
// of the whole buffer: for all_gather the output's, for reduce_scatter the input's, that is of the larger of the two on a rank in
// every case. Nothing where the type has no such factor or needs a group size that is not known.
[[nodiscard]] std::optional<double> busbw_factor(std::string_view type, std::uint32_t group_size);

}  // namespace plumbline::profiles
