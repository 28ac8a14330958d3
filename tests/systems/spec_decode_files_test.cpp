// The files of the vLLM RFC on speculative decoding: both forms of a baseline, the acceptance-length tests' own, a run's map of
// metrics, and the serving benchmark's result under the RFC's names.
#include <gtest/gtest.h>

#include "core/native.hpp"
#include "systems/spec_decode/model.hpp"
#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

namespace rfc = systems::spec_decode;

const rfc::File& native_of(const core::Expected<core::Measurement>& m) {
  static const rfc::File kNone;
  if (!m || m->native == nullptr) return kNone;
  return *core::native_file<rfc::File>(*m);
}

core::Expected<core::Measurement> read_text(std::string_view text) {
  Input input;
  input.name = "result";
  input.bytes = text;
  return read(input, testing::reading_all());
}

constexpr std::string_view kRows =
    "spec_decode_baseline\n"
    "median_ttft_ms = 50 [ms] lower-is-better\n"
    "spec_decode_acceptance_rate = 70 [%] higher-is-better\n"
    "speedup = 2.5 higher-is-better\n"
    "context hardware.gpu = L4\n"
    "context identity.draft_model = acme/tiny-draft\n"
    "context identity.model = acme/Tiny-1B\n"
    "context serving.speculative_method = eagle3\n"
    "headline median_ttft_ms\n"
    "headline spec_decode_acceptance_rate\n"
    "headline speedup\n";

TEST(SpecDecodeBaseline, both_forms_say_the_same) {
  EXPECT_EQ(listing_of(R"({"variant": "eagle3", "model": "acme/Tiny-1B", "draft_model": "acme/tiny-draft", "gpu_type": "L4",
 "baselines": {"ttft_p50_ms": {"expected": 50, "tolerance_pct": 15}, "acceptance_rate": {"expected": 0.7, "tolerance_pct": 10},
 "speedup": {"expected": 2.5, "tolerance_pct": 15}}, "last_updated": "2026-01-05", "notes": "ten runs"})"),
            kRows);
  EXPECT_EQ(listing_of(R"({"variant": "eagle3", "model": "acme/Tiny-1B", "draft_model": "acme/tiny-draft", "hardware": "L4",
 "metrics": {"ttft_p50_ms": {"expected": 50, "tolerance_pct": 15}, "acceptance_rate": {"expected": 0.7, "tolerance_pct": 10},
 "speedup": {"expected": 2.5, "tolerance_pct": 15}}})"),
            kRows);
}

TEST(SpecDecodeBaseline, each_row_brings_its_own_tolerance) {
  const auto m =
      read_text(R"({"variant": "mtp", "model": "m", "baselines": {"speedup": {"expected": 2, "tolerance_pct": 12.5}}})");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->declared.tolerances, (std::vector<std::pair<std::string, std::string>>{{"speedup", "12.5%"}}));
}

TEST(SpecDecodeBaseline, the_acceptance_length_tests_have_a_band_and_positions_from_below) {
  const auto m = read_text(R"({"verifier": "acme/Tiny-1B", "drafter": "acme/tiny-draft", "expected_acceptance_length": 2.6,
 "expected_acceptance_lengths_per_pos": [0.8, 0.5], "rtol": 0.15})");
  ASSERT_TRUE(m) << m.error().message;
  const auto& baseline = native_of(m).baseline;
  ASSERT_TRUE(baseline);
  ASSERT_EQ(baseline->metrics.size(), 3U);
  EXPECT_EQ(baseline->metrics[0].metric, "acceptance_length");
  EXPECT_EQ(baseline->metrics[0].tolerance_pct, 5);
  EXPECT_EQ(baseline->metrics[0].rule, rfc::Rule::band);
  EXPECT_EQ(baseline->metrics[2].metric, "acceptance_rate_at_position.1");
  EXPECT_EQ(baseline->metrics[2].tolerance_pct, 15);
  EXPECT_EQ(baseline->metrics[2].rule, rfc::Rule::at_least);
  EXPECT_EQ(m->key(m->rows()[1]), "spec_decode_per_position_acceptance_rates.0");
}

TEST(SpecDecodeBaseline, what_is_wrong_is_an_error_with_its_place) {
  const auto error = [](std::string_view text) { return listing_of(text, "b.json"); };
  EXPECT_EQ(error(R"({"variant": "mtp", "model": "m", "baselines": {"speedup": {"expected": "fast", "tolerance_pct": 15}}})"),
            "error: \"speedup\" has no finite number under \"expected\" (b.json:1:72)\n");
  EXPECT_EQ(
      error(
          "{\"variant\": \"mtp\", \"model\": \"m\",\n \"baselines\": {\"speedup\": {\"expected\": 2, \"tolerance_pct\": 150}}}"),
      "error: the tolerance of \"speedup\" is not a number from 0 to 100 (b.json:2:60)\n");
  EXPECT_EQ(error("{\"variant\": \"mtp\", \"model\": \"m\",\n \"metrics\": {\"speedup\": {\"expected\": 2}}, \"rtol\": 0.1}"),
            "error: \"speedup\" has no \"tolerance_pct\" (b.json:2:25)\n");
  EXPECT_EQ(
      error("{\"variant\": \"mtp\", \"model\": \"m\", \"metrics\": {\"ttft_p50_ms\": {\"expected\": 2, \"tolerance_pct\": 5},\n"
            "\"ttft_median\": {\"expected\": 2, \"tolerance_pct\": 5}}}"),
      "error: \"ttft_median\" appears twice, also as \"ttft_p50_ms\" (b.json:2:16)\n");
}

TEST(SpecDecodeBaseline, says_its_variant_and_model_as_appendix_b_requires) {
  const auto error = [](const std::string& head) {
    return listing_of("{" + head + R"("baselines": {"speedup": {"expected": 2, "tolerance_pct": 15}}})", "b.json");
  };
  EXPECT_EQ(error(R"("model": "m", )"),
            "error: the baseline does not say its \"variant\", which Appendix B of the RFC requires (b.json)\n");
  EXPECT_EQ(error(R"("variant": "mtp", )"),
            "error: the baseline does not say its \"model\", which Appendix B of the RFC requires (b.json)\n");
  EXPECT_EQ(
      error(R"("variant": "eagel3", "model": "m", )"),
      "error: the variant \"eagel3\" is none of Appendix B of the RFC: eagle3, eagle, ngram, medusa and mtp (b.json:1:13)\n");
  EXPECT_EQ(
      error(R"("method": "eagel3", "model": "m", )"),
      "error: the variant \"eagel3\" is none of Appendix B of the RFC: eagle3, eagle, ngram, medusa and mtp (b.json:1:12)\n")
      << "said as the method";
  EXPECT_EQ(listing_of(R"({"metrics": {"speedup": {"expected": 2, "tolerance_pct": 15}}})", "b.json").substr(0, 5), "spec_")
      << "the form of its section 4";
}

TEST(SpecDecodeRun, a_map_of_metrics_takes_vllms_names) {
  const std::string_view text = R"({"variant": "eagle3", "match_rate": 0.765, "acceptance_rate": 0.5, "ttft_p50_ms": 44.8,
 "speedup": 2.08, "duration": 272, "num_prompts": 100})";
  EXPECT_EQ(listing_of(text),
            "spec_decode_run\n"
            "match_rate = 0.765 higher-is-better\n"
            "spec_decode_acceptance_rate = 50 [%] higher-is-better\n"
            "median_ttft_ms = 44.8 [ms] lower-is-better\n"
            "speedup = 2.08 higher-is-better\n"
            "duration = 272 [s] context\n"
            "num_prompts = 100 context\n"
            "context serving.speculative_method = eagle3\n");
  const auto m = read_text(text);
  ASSERT_TRUE(native_of(m).run);
  EXPECT_EQ(native_of(m).run->metrics.size(), 4U);
  EXPECT_EQ(native_of(m).run->metrics[1], (std::pair<std::string, double>{"acceptance_rate", 0.5}));
}

TEST(SpecDecodeRun, one_metric_alone_or_a_baseline_is_none) {
  EXPECT_TRUE(listing_of(R"({"speedup": 2.0})").starts_with("generic-json\n"));
  EXPECT_TRUE(listing_of(R"({"ttft_p50_ms": 2.0, "tpot_p50_ms": 1})").starts_with("generic-json\n"));
}

TEST(SpecDecodeRun, the_result_of_a_serving_benchmark_says_the_same_under_the_rfcs_names) {
  const std::string_view text = R"({"backend": "vllm", "model_id": "acme/Tiny-1B", "num_prompts": 80, "max_concurrency": 8,
 "request_rate": "inf", "duration": 100.5, "completed": 80, "failed": 0, "request_throughput": 0.8, "output_throughput": 120.0,
 "total_token_throughput": 300.0, "median_ttft_ms": 44.8, "p99_ttft_ms": 60.5, "median_tpot_ms": 12.9,
 "spec_decode_acceptance_rate": 50.0, "spec_decode_acceptance_length": 2.5,
 "spec_decode_per_position_acceptance_rates": [0.75, 0.5], "base_output_throughput": "60"})";
  const auto m = read_text(text);
  ASSERT_TRUE(m) << m.error().message;
  const auto& run = native_of(m).run;
  ASSERT_TRUE(run);
  const auto value = [&](std::string_view name) {
    for (const auto& [metric, number] : run->metrics) {
      if (metric == name) return number;
    }
    return -1.0;
  };
  EXPECT_EQ(value("ttft_p50_ms"), 44.8);
  EXPECT_EQ(value("ttft_p99_ms"), 60.5);
  EXPECT_EQ(value("tpot_p50_ms"), 12.9);
  EXPECT_EQ(value("acceptance_rate"), 0.5);
  EXPECT_EQ(value("acceptance_length"), 2.5);
  EXPECT_EQ(value("acceptance_rate_at_position.1"), 0.5);
  EXPECT_EQ(value("speedup"), 2.0);
  EXPECT_EQ(run->duration_s, 100.5);
  EXPECT_NE(listing_of(text).find("speedup = 2 higher-is-better\n"), std::string::npos);
}

TEST(SpecDecodeRun, a_run_in_which_no_request_came_through_says_nothing) {
  const auto m = read_text(R"({"model_id": "acme/Tiny-1B", "num_prompts": 80, "request_rate": "inf", "completed": 0, "failed": 80,
 "request_throughput": 0, "output_throughput": 0, "total_token_throughput": 0, "median_ttft_ms": 0})");
  ASSERT_TRUE(m) << m.error().message;
  for (const auto& [metric, value] : native_of(m).run->metrics) EXPECT_NE(metric, "ttft_p50_ms") << value;
}

TEST(SpecDecodeRun, a_list_of_one_result_is_a_run_and_a_list_of_more_is_none) {
  const auto result = [](const std::string& concurrency, const std::string& ttft) {
    return R"({"model_id": "acme/Tiny-1B", "num_prompts": 80, "max_concurrency": )" + concurrency +
           R"(, "request_rate": "inf", "completed": 80, "request_throughput": 0.8, "output_throughput": 120.0,
 "total_token_throughput": 300.0, "median_ttft_ms": )" +
           ttft + "}";
  };
  const auto has_run = [](const std::string& text) {
    const auto m = read_text(text);
    EXPECT_TRUE(m && m->format.name == "vllm-serve") << text;
    return native_of(m).run.has_value();
  };
  EXPECT_TRUE(has_run("[" + result("8", "44.8") + "]"));
  EXPECT_FALSE(has_run("[" + result("8", "44.8") + "," + result("8", "45.1") + "]")) << "two trials of one point";
  EXPECT_FALSE(has_run("[" + result("8", "44.8") + "," + result("16", "60.1") + "]")) << "two points";
}

}  // namespace
}  // namespace plumbline::formats
