#include "core/context.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/results/common.hpp"

namespace plumbline::core {
namespace {

TEST(ContextSeverity, different_work_or_machine_is_fatal_other_circumstances_weaken) {
  const std::pair<const char*, Severity> cases[] = {{"identity.model", Severity::fatal},
                                                    {"identity.quantization", Severity::fatal},
                                                    {"identity.kv_cache_dtype", Severity::fatal},
                                                    {"identity.revision", Severity::weakening},
                                                    {"workload.collective", Severity::fatal},
                                                    {"workload.dtype", Severity::fatal},
                                                    {"workload.dataset", Severity::fatal},
                                                    {"workload.dataset_hash", Severity::fatal},
                                                    {"workload.isl", Severity::fatal},
                                                    {"workload.osl", Severity::fatal},
                                                    {"workload.concurrency", Severity::fatal},
                                                    {"workload.batch_size", Severity::fatal},
                                                    {"workload.seed", Severity::weakening},
                                                    {"hardware.gpu", Severity::fatal},
                                                    {"hardware.gpu_count", Severity::fatal},
                                                    {"hardware.driver", Severity::weakening},
                                                    {"hardware.cuda", Severity::weakening},
                                                    {"hardware.nccl", Severity::weakening},
                                                    {"environment.hostname", Severity::informative},
                                                    {"hardware.other", Severity::informative},
                                                    {"parallelism.tp", Severity::fatal},
                                                    {"parallelism.anything", Severity::fatal},
                                                    {"serving.engine", Severity::fatal},
                                                    {"serving.max_num_seqs", Severity::weakening},
                                                    {"regime.warm", Severity::weakening},
                                                    {"stack.image", Severity::weakening},
                                                    {"environment.NCCL_ALGO", Severity::informative},
                                                    {"unheard.of", Severity::informative},
                                                    {"", Severity::informative}};
  for (const auto& [key, severity] : cases) EXPECT_EQ(context_severity(key), severity) << key;
}

TEST(ContextKeys, are_a_known_group_and_a_plain_name) {
  EXPECT_EQ(context_groups().size(), 8U);
  for (const std::string_view group : context_groups()) EXPECT_TRUE(is_context_key(std::string(group) + ".a_b-c.9"));
  for (const char* bad : {"", "hardware", "hardware.", "other.gpu", "hardware.g p u", "hardware.gpu=1", ".gpu", "Hardware.gpu"}) {
    EXPECT_FALSE(is_context_key(bad)) << bad;
  }
}

TEST(ContextDifferences, are_in_key_order_with_severity_and_declaration) {
  const Context baseline = {
      {"hardware.driver", "570"}, {"hardware.gpu", "B200"}, {"identity.model", "m"}, {"workload.dtype", "bf16"}};
  const Context current = {{"hardware.driver", "580"}, {"identity.model", "m"}, {"stack.image", "x"}, {"workload.dtype", "fp8"}};
  const std::vector<std::string> varying = {"hardware.dri*"};
  const auto differences = context_differences(baseline, current, varying);
  ASSERT_EQ(differences.size(), 4U);
  EXPECT_EQ(differences[0].key, "hardware.driver");
  EXPECT_EQ(differences[0].baseline, "570");
  EXPECT_EQ(differences[0].current, "580");
  EXPECT_EQ(differences[0].severity, Severity::weakening);
  EXPECT_TRUE(differences[0].declared);
  EXPECT_EQ(differences[1].key, "hardware.gpu");
  EXPECT_FALSE(differences[1].current_known);
  EXPECT_EQ(differences[1].current, "");
  EXPECT_EQ(differences[1].severity, Severity::informative);  // not said is not different
  EXPECT_EQ(differences[2].key, "stack.image");
  EXPECT_FALSE(differences[2].baseline_known);
  EXPECT_EQ(differences[3].key, "workload.dtype");
  EXPECT_EQ(differences[3].severity, Severity::fatal);
  EXPECT_FALSE(differences[3].declared);
}

TEST(ContextDifferences, clocks_within_one_percent_are_equal) {
  struct Clocks {
    const char *key, *baseline, *current;
    std::size_t differences;
  };
  const Clocks cases[] = {{"hardware.cpu_mhz", "2000", "1980", 0},
                          {"hardware.cpu_mhz", "2000", "1979.9", 1},
                          {"hardware.cpu_mhz", "1980", "2000", 0},
                          {"regime.clocks", "1980 MHz", "1965 MHz", 0},
                          {"regime.clocks", "1980 MHz", "1.965 GHz", 1},
                          {"regime.clocks", "locked", "free", 1},
                          {"hardware.clock_max_mhz", "1590, 1600", "1591, 1610", 1},
                          {"hardware.driver", "570.1", "570.2", 1}};
  for (const Clocks& one : cases) {
    EXPECT_EQ(context_differences({{one.key, one.baseline}}, {{one.key, one.current}}, {}).size(), one.differences)
        << one.key << " " << one.baseline << " " << one.current;
  }
}

TEST(ContextDifferences, of_equal_contexts_there_are_none) {
  const Context context = {{"hardware.gpu", "B200"}};
  EXPECT_TRUE(context_differences(context, context, {}).empty());
  EXPECT_TRUE(context_differences({}, {}, {}).empty());
}

TEST(ContextDifferences, swapping_the_sides_swaps_each_difference) {
  const Context a = {{"hardware.gpu", "B200"}, {"stack.image", "1"}, {"workload.isl", "128"}};
  const Context b = {{"stack.image", "2"}, {"workload.isl", "128"}, {"workload.osl", "8"}};
  const auto forth = context_differences(a, b, {}), back = context_differences(b, a, {});
  ASSERT_EQ(forth.size(), back.size());
  for (std::size_t i = 0; i < forth.size(); ++i) {
    EXPECT_EQ(forth[i].key, back[i].key);
    EXPECT_EQ(forth[i].baseline, back[i].current);
    EXPECT_EQ(forth[i].baseline_known, back[i].current_known);
    EXPECT_EQ(forth[i].severity, back[i].severity);
  }
}

TEST(Names, of_severities_verdicts_tiers_and_error_codes) {
  EXPECT_EQ(to_string(Severity::informative), "informative");
  EXPECT_EQ(to_string(Severity::weakening), "weakening");
  EXPECT_EQ(to_string(Severity::fatal), "fatal");
  EXPECT_EQ(to_string(Verdict::green), "GREEN");
  EXPECT_EQ(to_string(Verdict::yellow), "YELLOW");
  EXPECT_EQ(to_string(Verdict::red), "RED");
  EXPECT_EQ(to_string(Tier::draft), "DRAFT");
  EXPECT_EQ(to_string(Tier::verdict), "VERDICT");
  const char* const codes[] = {"usage",
                               "invalid_input",
                               "not_found",
                               "shape_mismatch",
                               "no_matching_baseline",
                               "path_not_allowed",
                               "provenance_mismatch",
                               "already_exists",
                               "limit_exceeded",
                               "cancelled",
                               "not_confirmed",
                               "environment",
                               "missing_helper",
                               "internal"};
  for (std::size_t i = 0; i < std::size(codes); ++i) EXPECT_EQ(to_string(static_cast<ErrorCode>(i)), codes[i]);
}

TEST(Fail, carries_everything_that_was_said) {
  const Expected<int> result = fail(ErrorCode::not_found, "no such entry", "list them with history", "family/measurement");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no such entry");
  EXPECT_EQ(result.error().hint, "list them with history");
  EXPECT_EQ(result.error().where, "family/measurement");
  const Status again = fail(result.error());
  EXPECT_EQ(again.error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace plumbline::core
