#include "formats/hardware/superbench_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.hpp"

namespace plumbline::formats {
namespace {

struct Renamed {
  std::string_view benchmark, before, after;
};
constexpr std::array<Renamed, 10> kRenamed = {{
    {"kernel-launch", "event_overhead", "event_time"},
    {"kernel-launch", "wall_overhead", "wall_time"},
    {"mem-bw", "H2D_Mem_BW", "h2d_bw"},
    {"mem-bw", "D2H_Mem_BW", "d2h_bw"},
    {"mem-bw", "D2D_Mem_BW", "d2d_bw"},
    {"pytorch-computation-communication-overlap", "mul_cost", "mul_time"},
    {"pytorch-computation-communication-overlap", "matmul_cost", "matmul_time"},
    {"pytorch-matmul", "nosharding", "nosharding_time"},
    {"pytorch-sharding-matmul", "allreduce", "allreduce_time"},
    {"pytorch-sharding-matmul", "allgather", "allgather_time"},
}};

// "mem-bw" and "mem-bw:correctness", as configurations annotate it.
bool is_benchmark(std::string_view benchmark, std::string_view name) {
  return benchmark.starts_with(name) && (benchmark.size() == name.size() || benchmark[name.size()] == ':');
}

// "FP64_TC", "INT8_TC" of gemm-flops.
std::string flops_of(std::string_view metric) {
  constexpr std::array<std::string_view, 9> kTypes = {"FP64",    "FP32",    "FP16",    "FP64_TC", "TF32_TC",
                                                      "BF16_TC", "FP16_TC", "INT8_TC", "INT4_TC"};
  if (std::find(kTypes.begin(), kTypes.end(), metric) == kTypes.end()) return {};
  return core::to_lower(metric) + (metric.starts_with("INT") ? "_iops" : "_flops");
}

// "steptime_train_float32" -> "fp32_train_step_time"; what stands behind the type ("_50") stays.
std::string model_metric(std::string_view metric) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kWhats = {
      {{"steptime_", "step_time"}, {"throughput_", "throughput"}}};
  constexpr std::array<std::string_view, 2> kActions = {"train_", "inference_"};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes = {
      {{"bfloat16", "bf16"}, {"float16", "fp16"}, {"float32", "fp32"}, {"float64", "fp64"}}};
  for (const auto& [before, after] : kWhats) {
    if (!metric.starts_with(before)) continue;
    const std::string_view rest = metric.substr(before.size());
    for (const std::string_view action : kActions) {
      if (!rest.starts_with(action)) continue;
      const std::string_view typed = rest.substr(action.size());
      for (const auto& [type, precision] : kTypes) {
        if (!typed.starts_with(type)) continue;
        const std::string_view behind = typed.substr(type.size());
        if (!behind.empty() && behind.front() != '_') continue;
        return std::string(precision) + "_" + std::string(action) + std::string(after) + std::string(behind);
      }
    }
  }
  return {};
}

// "rand_read_read_lat_ns_95.000000" -> "…_95.0".
std::string percentile_of(std::string_view metric) {
  const std::size_t tag = metric.rfind('_'), point = metric.rfind('.');
  if (tag == std::string_view::npos || point == std::string_view::npos || point < tag) return {};
  std::size_t end = metric.size();
  while (end > point + 2 && metric[end - 1] == '0') --end;
  return std::string(metric.substr(0, end));
}

}  // namespace

std::string superbench_benchmark(std::string_view benchmark) {
  constexpr std::array<std::string_view, 6> kModels = {"bert", "densenet", "gpt", "lstm", "resnet", "vgg"};
  const std::string_view first = benchmark.substr(0, benchmark.find('/'));
  for (const std::string_view model : kModels) {
    if (first == std::string(model) + "_models")
      return "model-benchmarks:" + std::string(model) + std::string(benchmark.substr(first.size()));
  }
  return std::string(benchmark);
}

std::string superbench_metric(std::string_view benchmark, std::string_view metric) {
  for (const Renamed& one : kRenamed) {
    if (one.before == metric && is_benchmark(benchmark, one.benchmark)) return std::string(one.after);
  }
  std::string known;
  if (is_benchmark(benchmark, "gemm-flops")) known = flops_of(metric);
  if (is_benchmark(benchmark, "disk-benchmark")) known = percentile_of(metric);
  if (benchmark.find("model") != std::string_view::npos || benchmark.starts_with("pytorch-")) {
    if (std::string model = model_metric(metric); !model.empty()) known = std::move(model);
  }
  return known.empty() ? std::string(metric) : known;
}

}  // namespace plumbline::formats
