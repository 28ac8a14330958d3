// The prior for a single trial: first matching rule, case ignored, none where nothing is known.
#include <gtest/gtest.h>

#include "configs/configs.hpp"

namespace plumbline::configs {
namespace {

TEST(ClassNoise, FirstMatchingRuleHolds) {
  struct Case {
    const char* format;
    const char* metric;
    std::optional<double> cv_pct;
  };
  const Case cases[] = {
      {"nccl-tests", "all_reduce.1073741824.busbw", 0.06},
      {"nccl-tests-json", "out_of_place.bus_bw", 0.06},
      {"NCCL-tests", "BusBW", 0.06},
      {"nccl-tests", "time", std::nullopt},
      {"mlperf-training", "ssd.time_to_train", 0.9},
      {"mlperf-training", "time_to_train", 10},
      {"mlperf-training", "bert.time_to_train", 20},
      {"iperf3", "end.sum_received.bits_per_second", 1.4},
      {"google-benchmark", "BM_Sort/1024.real_time", 11.4},
      {"generic-json", "latency_ms", std::nullopt},
      {"", "", std::nullopt},
  };
  for (const Case& c : cases) EXPECT_EQ(class_noise_pct(c.format, c.metric), c.cv_pct) << c.format << " " << c.metric;
}

}  // namespace
}  // namespace plumbline::configs
