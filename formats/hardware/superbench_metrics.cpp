#include "formats/hardware/superbench_metrics.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/text.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr std::string_view kDigits = "0123456789";

struct Words {
  std::vector<std::string> all;
  explicit Words(std::string_view name) {
    std::string word;
    for (const char c : core::to_lower(name) + '_') {
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.') {
        word.push_back(c);
      } else if (!word.empty()) {
        all.push_back(std::move(word));
        word.clear();
      }
    }
  }
  [[nodiscard]] bool has(std::initializer_list<std::string_view> any) const {
    return std::any_of(all.begin(), all.end(), [&](const std::string& word) {
      return std::find(any.begin(), any.end(), std::string_view(word)) != any.end();
    });
  }
  [[nodiscard]] bool ends(std::string_view word) const { return !all.empty() && all.back() == word; }
};

// "time_99.9", "throughput_50", "lat_ns_95.0": the last word is a percentile of what the one before names.
double percentile(const Words& words) {
  if (words.all.size() < 2 || words.all.back().find_first_not_of("0123456789.") != std::string::npos) return 0;
  const std::string& before = words.all[words.all.size() - 2];
  const bool named = before == "time" || before == "times" || before == "throughput" || before == "ns" || before == "lat";
  return named ? core::parse_double(words.all.back()).value_or(0) : 0;
}

// The first number of a name of nccl-bw: "allreduce_1048576_busbw".
double message_size(const Words& words) {
  for (const std::string& word : words.all) {
    if (word.find_first_not_of(kDigits) == std::string::npos) return core::parse_double(word).value_or(0);
  }
  return 0;
}

SuperbenchMeaning context(std::string_view unit = {}, Direction direction = Direction::unknown) {
  return {unit, direction, Role::context};
}

// What is watched while a benchmark runs says how the machine was, not how fast. Rows of its memory that are lost are defects.
SuperbenchMeaning monitor(std::string_view metric, const Words& words) {
  if (metric.starts_with("gpu_uncorrected_ecc") || metric.starts_with("gpu_remap_uncorrectable_error"))
    return {"", Direction::lower, Role::gate};
  if (words.has({"temperature"})) return context("C");
  if (words.has({"power"})) return context("W");
  if (words.has({"usage"})) return context("%");
  return context();
}

bool begins(std::string_view benchmark, std::initializer_list<std::string_view> any) {
  return std::any_of(any.begin(), any.end(), [&](std::string_view one) { return benchmark.starts_with(one); });
}
// "model-benchmarks:gpt/pytorch-gpt2-large", "bert_models/pytorch-bert-base", "megatron-gpt", "onnxruntime-ort-models".
bool is_model(std::string_view benchmark) {
  return benchmark.find("model") != std::string_view::npos || benchmark.starts_with("megatron");
}

std::string_view bandwidth_unit(std::string_view benchmark, std::string_view metric) {
  if (begins(benchmark, {"cpu-stream", "cpu-memory-bw"})) return "MB/s";
  if (benchmark.starts_with("gpcnet")) return "MiB/s";
  // Old releases wrote what ib_write_bw printed, without its unit.
  if (core::to_lower(metric).starts_with("ib_") && metric.find("Avg") != std::string_view::npos) return "";
  return begins(benchmark, {"mem-bw", "gpu-", "ib-", "nccl-bw", "rccl-bw", "nvbandwidth"}) ? "GB/s" : "";
}

std::string_view time_unit(std::string_view benchmark, const Words& words) {
  if (words.has({"ns"}) || benchmark.starts_with("cpu-memory-bw")) return "ns";
  if (begins(benchmark, {"cublas-function", "cudnn-function", "nccl-bw", "rccl-bw", "gpcnet", "ib-"})) return "us";
  if (begins(benchmark, {"cpu-hpl", "cpu-stream"})) return "s";
  // Of nvbandwidth its pages say us, the tool itself ns.
  const bool milliseconds =
      is_model(benchmark) || begins(benchmark, {"kernel-launch", "pytorch-", "tensorrt-inference", "ort-inference", "tcp-"});
  return milliseconds ? "ms" : "";
}

// Times and rates of one message say the same: below 64 KiB times are looked at, from there on the bus bandwidth.
SuperbenchMeaning collective(const Words& words) {
  constexpr double kBandwidthRules = 65536;
  const bool large = message_size(words) >= kBandwidthRules;
  if (words.ends("busbw")) return {"GB/s", Direction::higher, large ? Role::judged : Role::context};
  if (words.ends("algbw")) return context("GB/s", Direction::higher);
  return {"us", Direction::lower, large ? Role::context : Role::judged};
}

bool is_check(const Words& words) { return words.ends("pass") || words.ends("correctness") || words.ends("accept"); }

}  // namespace

SuperbenchMeaning superbench_meaning(std::string_view benchmark, std::string_view metric) {
  const Words words(metric);
  const auto starts = [&](std::string_view name) { return benchmark.starts_with(name); };
  if (starts("monitor")) return monitor(metric, words);
  if (metric == "return_code" || words.ends("abort")) return {"", Direction::lower, Role::gate};
  if (is_check(words)) return {"", Direction::higher, Role::gate};
  if (starts("diagnosis") || words.has({"threads", "bs", "size"})) return context();
  if (words.has({"failed"}) && words.ends("count")) return {"", Direction::lower, Role::gate};
  if (words.ends("count")) return context();
  if (words.has({"std", "stdev", "stddev"})) return {"", Direction::lower, Role::noise};
  const bool extreme = words.has({"min", "max"});
  const double tail = percentile(words);
  constexpr double kFarTail = 99;
  const auto judged = [&](std::string_view unit, Direction direction) {
    const bool best_case = direction == Direction::higher && tail > 0;
    const bool judge = !extreme && !best_case && tail <= kFarTail && !words.has({"sum"});
    return SuperbenchMeaning{unit, direction, judge ? Role::judged : Role::context};
  };
  if (starts("gpcnet") && words.has({"x"})) return context("", Direction::lower);  // how much congestion slows
  if ((starts("nccl-bw") || starts("rccl-bw")) && (words.ends("busbw") || words.ends("algbw") || words.ends("time")))
    return collective(words);
  if (words.has({"allocated"})) return context("GB", Direction::lower);
  if (words.has({"iops"})) return judged(starts("gemm-flops") ? "" : "1/s", Direction::higher);
  if (words.has({"flops", "tflops"}))
    return judged(starts("gemm-flops")                                                  ? "GFLOP/s"
                  : is_model(benchmark) || begins(benchmark, {"cublaslt", "hipblaslt"}) ? "TFLOP/s"
                                                                                        : "",
                  Direction::higher);
  if (words.has({"lat", "latency", "time", "times", "steptime", "cost", "overhead", "nosharding"}) ||
      (starts("pytorch-sharding-matmul") && words.has({"allreduce", "allgather"}))) {
    if (starts("gpu-burn")) return context("s");  // how long it was told to burn
    return judged(time_unit(benchmark, words), Direction::lower);
  }
  if (words.ends("rate") && words.has({"success"})) return judged("", Direction::higher);
  if (words.has({"throughput"})) {
    if (starts("cpu-hpl")) return judged("GFLOP/s", Direction::higher);
    return judged(starts("cpu-stream") ? "MB/s" : is_model(benchmark) ? "samples/s" : "", Direction::higher);
  }
  if (starts("gpu-stream") && words.ends("ratio")) return context("%", Direction::higher);
  if (starts("gemm-flops"))
    return judged(words.all.empty() || words.all[0].starts_with("int") ? "" : "GFLOP/s", Direction::higher);
  const bool copies = starts("mem-bw") || starts("gpu-copy-bw") || starts("gpu-sm-copy-bw") || starts("ib-loopback");
  if (copies || words.has({"bw", "busbw", "algbw", "bandwidth"}))
    return judged(bandwidth_unit(benchmark, metric), Direction::higher);
  return {"", Direction::unknown, Role::judged, false};
}

}  // namespace plumbline::formats
