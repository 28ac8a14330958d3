#include "formats/training/megatron_lines.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace plumbline::formats::megatron {
namespace {

using core::Direction;
using core::Role;

constexpr Field kFields[] = {
    {kElapsed, {"elapsed_time_per_iteration", "ms", Direction::lower}},
    {"samples per second", {"samples_per_second", "samples/s", Direction::higher}},
    {"samples/sec", {"samples_per_second", "samples/s", Direction::higher}},
    {"TFLOPs", {"tflops_per_gpu", "TFLOP/s", Direction::higher}},
    {"approx flops per GPU", {"tflops_per_gpu", "TFLOP/s", Direction::higher}},
    {"throughput per GPU (TFLOP/s/GPU)", {"tflops_per_gpu", "TFLOP/s", Direction::higher}},
    {"compute per GPU (TFLOP/s/GPU)", {"tflops_per_gpu", "TFLOP/s", Direction::higher}},
    {"tokens per GPU (tokens/s/GPU)", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens per gpu per second (tgs)", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens-per-second-per-gpu", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens per second per device", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens/sec/GPU", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens/sec/gpu", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens/s/GPU", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens/s/GPU inst/harmonic mean", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens per second", {"tokens_per_second", "tok/s", Direction::higher}},
    {"tokens/sec", {"tokens_per_second", "tok/s", Direction::higher}},
    {"MFU", {"mfu", "%", Direction::higher}},
    {"HFU", {"hfu", "%", Direction::unknown, Role::context}},
    {"energy per GPU (J/iter/GPU)", {"energy_per_iteration_per_gpu", "J", Direction::lower}},
    {"power per GPU (W/GPU)", {"power_per_gpu", "W", Direction::unknown, Role::context}},
    {"number of skipped iterations", {"skipped_iterations", "", Direction::lower, Role::gate, true}, Take::sum},
    {"number of nan iterations", {"nan_iterations", "", Direction::lower, Role::gate, true}, Take::sum},
    {"consumed samples", {"consumed_samples", "", Direction::unknown, Role::context, true}, Take::last},
    {"consumed tokens", {"consumed_tokens", "", Direction::unknown, Role::context, true}, Take::last},
    {"learning rate", {"learning_rate", "", Direction::unknown, Role::context}, Take::last},
    {"loss scale", {"loss_scale", "", Direction::unknown, Role::context}, Take::last},
    {"grad norm", {"grad_norm", "", Direction::unknown, Role::context}, Take::last},
    {"params norm", {"params_norm", "", Direction::unknown, Role::context}, Take::last},
    {"num zeros", {"num_zeros", "", Direction::unknown, Role::context}, Take::last}};

constexpr std::pair<std::string_view, std::string_view> kArguments[] = {{"world_size", "parallelism.world_size"},
                                                                        {"tensor_model_parallel_size", "parallelism.tp"},
                                                                        {"pipeline_model_parallel_size", "parallelism.pp"},
                                                                        {"context_parallel_size", "parallelism.cp"},
                                                                        {"expert_model_parallel_size", "parallelism.ep"},
                                                                        {"data_parallel_size", "parallelism.dp"},
                                                                        {"micro_batch_size", "workload.micro_batch_size"},
                                                                        {"seq_length", "workload.seq_length"},
                                                                        {"num_layers", "workload.num_layers"},
                                                                        {"hidden_size", "workload.hidden_size"},
                                                                        {"num_attention_heads", "workload.num_attention_heads"},
                                                                        {"params_dtype", "workload.dtype"},
                                                                        {"zero_stage", "parallelism.zero_stage"}};

}  // namespace

const Field* field_of(std::string_view label) {
  const auto* at = std::find_if(std::begin(kFields), std::end(kFields), [&](const Field& field) { return field.label == label; });
  return at == std::end(kFields) ? nullptr : at;
}

std::string_view context_of_argument(std::string_view name) {
  for (const auto& [argument, key] : kArguments) {
    if (name == argument) return key;
  }
  return {};
}

std::optional<Iteration> iteration_of(std::string_view line) {
  if (line.find(kElapsed) == std::string_view::npos) return std::nullopt;
  constexpr std::string_view kWord = "iteration ";
  const std::size_t at = line.find(kWord);
  if (at == std::string_view::npos) return std::nullopt;
  // "per iteration (ms)" of a line without a number has no bar behind a number either.
  const std::size_t bar = line.find('|', at);
  if (bar == std::string_view::npos) return std::nullopt;
  const std::string_view count = core::trim(line.substr(at + kWord.size(), bar - at - kWord.size()));
  const auto number = core::parse_int(core::trim(count.substr(0, count.find('/'))));
  if (!number) return std::nullopt;
  return Iteration{*number, line.substr(0, at), line.substr(bar + 1)};
}

std::optional<std::pair<std::string_view, std::string_view>> label_and_value(std::string_view part) {
  part = core::trim(part);
  if (const std::size_t colon = part.find(':'); colon != std::string_view::npos) {
    return std::pair(core::trim(part.substr(0, colon)), core::trim(part.substr(colon + 1)));
  }
  const std::size_t blank = part.rfind(' ');
  if (blank == std::string_view::npos || !core::parse_double(part.substr(blank + 1))) return std::nullopt;
  return std::pair(core::trim(part.substr(0, blank)), part.substr(blank + 1));
}

std::optional<double> tera_flops(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789.+-"), text.size());
  const auto value = core::parse_double(text.substr(0, end));
  if (!value) return std::nullopt;
  constexpr std::pair<char, double> kPowers[] = {{'K', 1e-9}, {'M', 1e-6}, {'G', 1e-3}, {'T', 1}, {'P', 1e3}, {'E', 1e6}};
  const std::string_view unit = core::trim(text.substr(end));
  if (unit == "FLOPS") return *value * 1e-12;
  for (const auto& [letter, factor] : kPowers) {
    if (unit.size() == 6 && unit.front() == letter && unit.ends_with("FLOPS")) return *value * factor;
  }
  return std::nullopt;
}

std::optional<Timers> timers_of(std::string_view line) {
  constexpr std::string_view kMark = "time (ms) |", kRank = "rank=", kRankOf = "[Rank ";
  const std::size_t at = line.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  Timers timers;
  timers.fields = line.substr(at + kMark.size());
  const std::string_view before = line.substr(0, at);
  if (const std::size_t rank = before.rfind(kRank); rank != std::string_view::npos) {
    timers.rank = core::trim(before.substr(rank + kRank.size()));
  } else if (const std::size_t in = before.rfind(kRankOf); in != std::string_view::npos) {
    timers.rank = before.substr(in + kRankOf.size(), before.find(']', in) - in - kRankOf.size());
  }
  // Its first releases named no rank.
  timers.of_deepspeed = !timers.rank.empty() || timers.fields.find("_microstep:") != std::string_view::npos;
  return timers;
}

std::optional<std::pair<std::string_view, double>> timer_of_ranks(std::string_view line) {
  const std::size_t dots = line.find(" ..."), colon = line.rfind(": ");
  if (dots == std::string_view::npos || colon == std::string_view::npos || colon < dots) return std::nullopt;
  std::string_view value = core::trim(line.substr(colon + 2));
  if (value.starts_with('(') && value.ends_with(')')) {
    const std::size_t comma = value.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    value = core::trim(value.substr(comma + 1, value.size() - comma - 2));
  }
  std::string_view name = core::trim(line.substr(0, dots));
  name = name.substr(name.rfind(' ') == std::string_view::npos ? 0 : name.rfind(' ') + 1);  // what a launcher put before it
  const auto time = core::parse_double(value);
  if (!time || name.empty()) return std::nullopt;
  return std::pair(name, *time);
}

bool is_setup(std::string_view timer) {
  for (const std::string_view word : {"setup", "checkpoint", "initialize"}) {
    if (timer.find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace plumbline::formats::megatron
