// The lines of step logs of Megatron-LM, GPT-NeoX, Megatron-Bridge and DeepSpeed, one at a time: which iteration, which fields,
// which timers. Views are as long-lived as the line. Private to formats/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "formats/tool_rows.hpp"

namespace plumbline::formats::megatron {

inline constexpr std::string_view kElapsed = "elapsed time per iteration (ms)";

// What becomes of a field's values over the iterations: trials, the last of them, their sum, the greatest.
enum class Take : std::uint8_t { every, last, sum, most };
struct Field {
  std::string_view label;
  ToolMetric metric;
  Take take = Take::every;
};
// Nothing for a label that no release is known to print.
[[nodiscard]] const Field* field_of(std::string_view label);

// "iteration 3/ 100 | …": its number and where the fields begin; GPT-NeoX puts "samples/sec: 7.8" before it.
struct Iteration {
  std::int64_t number = 0;
  std::string_view before, fields;
};
[[nodiscard]] std::optional<Iteration> iteration_of(std::string_view line);

// "lm loss: 7.3E+00", and in old releases "lm loss 7.3E+00".
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>> label_and_value(std::string_view part);

// "112.9TFLOPS" in TFLOP/s.
[[nodiscard]] std::optional<double> tera_flops(std::string_view text);

// "[Rank 0] rank=0 time (ms) | fwd: 27.41 | bwd: 73.44 | …" of DeepSpeed, "time (ms) | forward-compute: 53.79 | …" of Megatron.
struct Timers {
  bool of_deepspeed = false;
  std::string_view rank, fields;
};
[[nodiscard]] std::optional<Timers> timers_of(std::string_view line);
// "    forward-backward ...: (123.15, 124.5)" below "(min, max) time across ranks (ms):": the slowest rank's.
[[nodiscard]] std::optional<std::pair<std::string_view, double>> timer_of_ranks(std::string_view line);
// Timed once a run, before and between iterations.
[[nodiscard]] bool is_setup(std::string_view timer);

// Lines of the arguments that both print: "  tensor_model_parallel_size ....... 8". What the descriptor calls them.
[[nodiscard]] std::string_view context_of_argument(std::string_view name);

}  // namespace plumbline::formats::megatron
