// One name for the ranges that differ in a running number only: a step, a layer, a call with its sequence number. Trees of ranges
// are built and compared by these names; a capture in which every range has a name of its own would match nothing otherwise.
#pragma once

#include <string>
#include <string_view>

namespace plumbline::profiles {

// "ProfilerStep#1009" -> "ProfilerStep#", "train_step_15" -> "train_step_#", "layers.7.attn" -> "layers.#.attn", "iter15" ->
// "iter#", "aten::mm, op_id = 999, seq = 12, sizes = [[4, 4]]" -> "aten::mm" (torch.autograd.profiler.emit_nvtx). A number that
// is part of a word stays ("conv2d", "fp8", "all_reduce_1stage"), unless the word counts something ("layer12", "step3"). Linear
// in the name's length; the result has at most kRangeNameBytes and is cut between characters, with "…" behind.
[[nodiscard]] std::string range_name(std::string_view name);
inline constexpr std::size_t kRangeNameBytes = 160;

}  // namespace plumbline::profiles
