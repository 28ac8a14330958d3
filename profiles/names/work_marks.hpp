// What the name of a range says about how much work its step does: engines that serve models write the phase, the requests and
// the tokens of a step into it.
//   SGLang        step[DECODE bs=32], step[EXTEND bs=15 toks=15360]
//   vLLM          execute_context_1(8192)_generation_2(2), execute_32_context_0(sq0sk0…)_generation_32(sq32sk32785…)
//   TensorRT-LLM  [Executor] _forward_step 7: 1 ctx reqs, 8192 ctx tokens, 3 gen reqs
//   others        batch_size=16, bs=16, num_tokens=512, seq_len=128, in any of them; a range called "prefill" or "decode_step_3"
// A range called "decode_jpeg" or "batch 16", the sixteenth, says nothing of the sort. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plumbline::profiles {

enum class Phase : std::uint8_t { unknown, prefill, decode, mixed };

struct WorkMark {
  Phase phase = Phase::unknown;
  std::optional<std::uint64_t> batch, tokens;  // of the step; a step of decoding has a token a request where it does not say
};

[[nodiscard]] std::optional<WorkMark> work_mark(std::string_view range);

}  // namespace plumbline::profiles
