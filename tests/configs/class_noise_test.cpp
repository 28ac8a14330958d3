// The prior for a single trial: first matching rule, case ignored, none where nothing is known.
#include "configs/class_noise.hpp"

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

TEST(ClassNoise, TheEmbeddedFileIsRead) {
  const auto file = ClassNoise::parse(embedded("class-noise.yaml"), "class-noise.yaml");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->pct("iperf3", "bits_per_second"), 1.4);
}

TEST(ClassNoise, AFileOfTheUsersOwnIsReadByTheSameRules) {
  const auto file = ClassNoise::parse("rules:\n  - {format: \"generic-*\", metric: \"*LATENCY*\", cv_pct: 7}\n", "c.yaml");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->pct("Generic-JSON", "p99_latency_ms"), 7);
  EXPECT_EQ((*file)->pct("nccl-tests", "busbw"), std::nullopt);
  EXPECT_TRUE(ClassNoise::parse("rules: []", "c.yaml"));  // no prior at all is a choice
}

TEST(ClassNoise, WhatIsWrongInAFileIsSaidWithItsPlace) {
  struct Case {
    const char* yaml;
    const char* message;
    const char* where;
  };
  const Case cases[] = {
      {"a: 1", "the class noise file has no list of rules", "c.yaml"},
      {"- 1", "the class noise file has no list of rules", "c.yaml"},
      {"rules:\n  - 7\n", "a rule of the class noise file is not a map", "c.yaml:2:5"},
      {"rules:\n  - {format: x, cv_pct: 1}\n", "a rule of the class noise file lacks its format or metric", "c.yaml:2:5"},
      {"rules:\n  - {format: x, metric: y, cv_pct: -1}\n", "the rule for x and y has no cv_pct between 0 and 1000", "c.yaml:2:5"},
      {"rules:\n  - {format: x, metric: y}\n", "the rule for x and y has no cv_pct between 0 and 1000", "c.yaml:2:5"},
  };
  for (const Case& c : cases) {
    const auto file = ClassNoise::parse(c.yaml, "c.yaml");
    ASSERT_FALSE(file) << c.yaml;
    EXPECT_EQ(file.error().code, core::ErrorCode::invalid_input);
    EXPECT_EQ(file.error().message, c.message);
    EXPECT_EQ(file.error().where, c.where);
  }
  EXPECT_FALSE(ClassNoise::parse("rules: [", "c.yaml"));
}

}  // namespace
}  // namespace plumbline::configs
