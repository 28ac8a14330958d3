// As serving_real_test.cpp, for InferenceX, GuideLLM, llama-bench, MLPerf inference, llm-d and trtexec. Numbers are our own.
#include <gtest/gtest.h>

#include "tests/formats/lines_of.hpp"
#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

// --- InferenceX

TEST(Inferencex, how_the_run_ended_and_what_a_query_took_are_judged) {
  EXPECT_EQ(
      lines_of(
          R"({"hw": "b200", "conc": 4, "model": "acme/m", "framework": "sglang", "precision": "fp8", "isl": 8192, "osl": 1024,
 "benchmark_outcome": {"status": "passed", "requested": 100, "completed": 98, "failed": 2, "max_failure_rate": 0.05},
 "tp": 2, "tput_per_gpu": 250.0, "median_tpot": 0.02, "median_intvty": 50.0, "power_valid": 1, "p90_power_w": 500.0,
 "total_gpu_energy_j": 10000.0, "joules_per_successful_query": 100.5,
 "prefill_joules_per_input_token": 0.25, "avg_temp_c": 61.5})",
          {"power", "joules", "energy", "temp", "passed", "failed", "completed"}),
      "power_valid = 1 gate higher-is-better\n"
      "p90_power_w = 500 [W] context\n"
      "total_gpu_energy_j = 10000 [J] context\n"
      "joules_per_successful_query = 100.5 [J/query] lower-is-better\n"
      "prefill_joules_per_input_token = 0.25 [J/tok] lower-is-better\n"
      "avg_temp_c = 61.5 context\n"
      "passed = 1 gate higher-is-better\n"
      "failed = 2 gate lower-is-better\n"
      "completed = 98 context\n");
}

TEST(Inferencex, a_replay_of_agents_has_the_names_of_the_other_aggregates) {
  EXPECT_EQ(
      listing_of(R"({"hw": "h200", "conc": 8, "image": "acme/serve:2", "model": "acme/m", "framework": "vllm", "precision": "fp8",
 "spec_decoding": "none", "disagg": false, "scenario_type": "agentic-coding", "is_multinode": false, "tp": 8, "ep": 1,
 "dp_attention": "false", "num_requests_total": 20, "num_requests_successful": 18,
 "request_accounting": {"records_total": 20, "records_profiled": 18, "records_warmup_dropped": 1, "records_error_dropped": 1},
 "request_metrics": {"qps": {"window_seconds": 1.0, "samples": 9, "mean": 1.5, "p90": 2.0},
  "latency": {"ttft": {"mean": 0.25, "p90": 0.5, "std": 0.01}, "itl": {"mean": 0.02},
   "tpot": {"mean": 0.02}, "intvty": {"mean": 50.0}},
  "tokens": {"input": {"mean": 9000.5}, "output_actual": {"mean": 400.5}},
  "throughput": {"total": {"tokens_per_second": 800.0}, "duration_seconds": 60.5,
   "per_gpu": {"total_tput_tps": 100.0, "output_tput_tps": 20.0, "input_tput_tps": 80.0}}}})"),
      "inferencex\n"
      "num_requests_total = 20 context\n"
      "num_requests_successful = 18 context\n"
      "failed = 1 gate lower-is-better\n"
      "completed = 18 context\n"
      "mean_ttft = 0.25 [s] lower-is-better\n"
      "p90_ttft = 0.5 [s] lower-is-better\n"
      "std_ttft = 0.01 [s] noise\n"
      "mean_itl = 0.02 [s] lower-is-better\n"
      "mean_tpot = 0.02 [s] lower-is-better\n"
      "mean_intvty = 50 [tok/s] higher-is-better\n"
      "mean_input_tokens = 9000.5 [tok] unknown\n"
      "mean_output_tokens = 400.5 [tok] unknown\n"
      "tput_per_gpu = 100 [tok/s] higher-is-better\n"
      "output_tput_per_gpu = 20 [tok/s] higher-is-better\n"
      "input_tput_per_gpu = 80 [tok/s] higher-is-better\n"
      "duration = 60.5 [s] context\n"
      "qps = 1.5 [req/s] higher-is-better\n"
      "context environment.image = acme/serve:2\n"
      "context hardware.gpu = h200\n"
      "context identity.model = acme/m\n"
      "context parallelism.disagg = false\n"
      "context parallelism.dp_attention = false\n"
      "context parallelism.ep = 1\n"
      "context parallelism.multinode = false\n"
      "context parallelism.tp = 8\n"
      "context serving.framework = vllm\n"
      "context serving.spec_decoding = none\n"
      "context workload.concurrency = 8\n"
      "context workload.dtype = fp8\n"
      "context workload.scenario = agentic-coding\n"
      "headline tput_per_gpu\n");
}

// --- GuideLLM

TEST(Guidellm, prompts_that_all_arrive_at_once_make_no_rate_of_the_server) {
  const auto file = [](const char* prompts) {
    return R"({"metadata": {"version": 1, "guidellm_version": "0.5.0"}, "benchmarks": [{"type_": "generative_benchmark",
 "config": {"strategy": {"type_": "concurrent", "streams": 4}}, "metrics": {"request_totals": {"successful": 4, "errored": 0},
 "requests_per_second": {"successful": {"mean": 0.12}}, "prompt_token_count": {"successful": {"mean": 100.0}},
 "prompt_tokens_per_second": {"successful": {"mean": )" +
           std::string(prompts) + "}}}}]}";
  };
  EXPECT_EQ(lines_of(file("12.5"), {"prompt_tokens_per"}),
            "[strategy=concurrent,streams=4].prompt_tokens_per_second.mean = 12.5 [tok/s] higher-is-better\n");
  EXPECT_EQ(lines_of(file("1411170.5"), {"prompt_tokens_per"}),
            "[strategy=concurrent,streams=4].prompt_tokens_per_second.mean = 1411170.5 [tok/s] context\n");
}

TEST(Guidellm, a_replayed_trace_offers_its_load_and_streams_are_the_bound_where_they_have_no_field) {
  const auto file = [](const char* strategy) {
    return R"({"metadata": {"version": 2, "guidellm_version": "0.8.0"}, "benchmarks": [{"type_": "generative_benchmark",
 "config": {"strategy": )" +
           std::string(strategy) + R"(}, "metrics": {"request_totals": {"successful": 4, "errored": 0},
 "requests_per_second": {"successful": {"mean": 0.5}}}}]})";
  };
  EXPECT_EQ(lines_of(file(R"({"type_": "trace_replay", "max_concurrency": 64})"), {"requests_per"}),
            "[strategy=trace_replay].requests_per_second.mean = 0.5 [req/s] context\n");
  EXPECT_EQ(lines_of(file(R"({"type_": "concurrent", "max_concurrency": 8})"), {"requests_per"}),
            "[strategy=concurrent,streams=8].requests_per_second.mean = 0.5 [req/s] higher-is-better\n");
}

// --- llama-bench

TEST(LlamaBench, files_that_are_described_alike_are_told_apart) {
  const std::string table =
      "| model                  |     size |  params | backend | ngl |  test |             t/s |\n"
      "| ---------------------- | -------: | ------: | ------- | --: | ----: | --------------: |\n"
      "| llama 8B Q4_K - Medium | 4.58 GiB |  8.03 B | CUDA    |  99 | pp512 | 5000.50 ± 12.50 |\n"
      "| llama 8B Q4_K - Medium | 4.80 GiB |  8.03 B | CUDA    |  99 | pp512 | 4900.50 ± 11.50 |\n"
      "| llama 8B Q8_0          | 8.80 GiB |  8.03 B | CUDA    |  99 | pp512 |           error |\n";
  EXPECT_EQ(lines_of(table, {"t/s"}),
            "llama 8B Q4_K - Medium[size=4.58 GiB].pp512.t/s = 5000.5 [tok/s] higher-is-better\n"
            "llama 8B Q4_K - Medium[size=4.80 GiB].pp512.t/s = 4900.5 [tok/s] higher-is-better\n"
            "llama 8B Q8_0.pp512.t/s = [tok/s] higher-is-better failed 'error'\n"
            "headline *.t/s\n");
  const auto object = [](const char* file, const char* speed) {
    return R"({"build_commit": "abc", "model_filename": "/models/)" + std::string(file) +
           R"(", "model_type": "llama 8B Q4_K - Medium", "load_mode": "mmap", "n_prompt": 512, "n_gen": 0, "avg_ts": )" + speed +
           "}\n";
  };
  EXPECT_EQ(lines_of(object("a.gguf", "5000.5") + object("b.gguf", "4900.5"), {"t/s", "load_mode"}),
            "llama 8B Q4_K - Medium[file=a.gguf].pp512.t/s = 5000.5 [tok/s] higher-is-better\n"
            "llama 8B Q4_K - Medium[file=b.gguf].pp512.t/s = 4900.5 [tok/s] higher-is-better\n"
            "context serving.load_mode = mmap\n"
            "headline *.t/s\n");
}

TEST(LlamaBench, a_console_that_breaks_the_plus_minus_and_marks_of_bold_lose_no_line) {
  const std::string table =
      "| model | test | t/s |\n| --- | --- | --- |\n"
      "| m | pp512 | 5000.50 \xE2\x94\xAC\xE2\x96\x92 12.50 |\n"
      "| m | tg128 | **120.25 \xC2\xB1 0.50** |\n";
  EXPECT_EQ(listing_of(table),
            "llama-bench\n"
            "m.pp512.t/s = 5000.5 [tok/s] higher-is-better\n"
            "m.pp512.stddev = 12.5 [tok/s] noise\n"
            "m.tg128.t/s = 120.25 [tok/s] higher-is-better\n"
            "m.tg128.stddev = 0.5 [tok/s] noise\n"
            "context identity.model = m\n"
            "headline *.t/s\n");
}

TEST(LlamaBench, a_table_that_was_set_by_hand_may_have_no_blanks_around_the_sign) {
  EXPECT_EQ(lines_of("| model | test | t/s |\n| --- | --- | --- |\n| m | pp512 | 5000.5±12.5 |\n| m | tg128 | 120.25 ±0.5 |\n",
                     {"t/s", "stddev"}),
            "m.pp512.t/s = 5000.5 [tok/s] higher-is-better\n"
            "m.pp512.stddev = 12.5 [tok/s] noise\n"
            "m.tg128.t/s = 120.25 [tok/s] higher-is-better\n"
            "m.tg128.stddev = 0.5 [tok/s] noise\n"
            "headline *.t/s\n");
}

TEST(LlamaBench, a_log_may_name_any_number_of_devices) {
  std::string log;
  for (int i = 0; i < 20000; ++i) log += "  Device " + std::to_string(i) + ": GPU " + std::to_string(i) + ", compute\n";
  log += "| model | test | t/s |\n| --- | --- | --- |\n";
  for (int i = 1; i <= 300; ++i) log += "| m | pp" + std::to_string(i) + " | 120.25 ± 0.5 |\n";
  const std::string text = listing_of(log);
  EXPECT_TRUE(has_line(text, "m.pp300.t/s = 120.25 [tok/s] higher-is-better")) << text.substr(0, 2000);
  const std::size_t gpu = text.find("context hardware.gpu = GPU 0, GPU 1, GPU 2, ");
  ASSERT_NE(gpu, std::string::npos) << text.substr(0, 2000);
  EXPECT_EQ(text.find('\n', gpu) - gpu, std::string("context hardware.gpu = ").size() + 500);
}

TEST(LlamaBench, times_in_the_table_of_llama_benchy_are_measurements_and_no_settings) {
  const std::string table =
      "| model |           test |             t/s |     peak t/s |        ttfr (ms) |\n"
      "|:------|---------------:|----------------:|-------------:|-----------------:|\n"
      "| m     |         pp2048 | 2019.50 ± 34.50 |              |  1054.50 ± 17.50 |\n"
      "| m     |   tg32 @ d4096 |    52.50 ± 1.50 | 60.00 ± 0.00 |                  |\n";
  EXPECT_EQ(listing_of(table),
            "llama-bench\n"
            "m.pp2048.t/s = 2019.5 [tok/s] higher-is-better\n"
            "m.pp2048.stddev = 34.5 [tok/s] noise\n"
            "m.pp2048.ttfr = 1054.5 [ms] lower-is-better\n"
            "m.pp2048.ttfr.stddev = 17.5 [ms] noise\n"
            "m.tg32@d4096.t/s = 52.5 [tok/s] higher-is-better\n"
            "m.tg32@d4096.stddev = 1.5 [tok/s] noise\n"
            "m.tg32@d4096.peak t/s = 60 [tok/s] context\n"
            "m.tg32@d4096.peak t/s.stddev = 0 [tok/s] noise\n"
            "context identity.model = m\n"
            "headline *.t/s\n");
}

// --- MLPerf inference

std::string loadgen(std::string_view body, std::string_view end) {
  return "================================================\nMLPerf Results Summary\n"
         "================================================\nSUT name : Acme\nScenario : SingleStream\nMode     : "
         "PerformanceOnly\n" +
         std::string(body) + "Result is : VALID\n  Min duration satisfied : Yes\n  Min queries satisfied : Skipped\n" +
         std::string(end);
}

TEST(MlperfInference, errors_are_a_gate_however_loadgen_counts_them) {
  for (const auto& [line, count] :
       {std::pair("No errors encountered during test.", "0"), std::pair("1 ERROR encountered. See detailed log.", "1"),
        std::pair("3 ERRORS encountered. See detailed log.", "3")}) {
    EXPECT_EQ(
        lines_of(loadgen("", std::string("1 warning encountered. See detailed log.\n") + line + "\n"), {"errors", "warnings"}),
        "[scenario=SingleStream].warnings = 1 context\n[scenario=SingleStream].errors = " + std::string(count) +
            " gate lower-is-better\n");
  }
}

TEST(MlperfInference, a_check_that_was_skipped_has_not_failed_and_a_stream_of_tokens_has_its_result) {
  EXPECT_EQ(lines_of(loadgen("90th first token percentile latency (ns) : 5000\n",
                             "TPS w/ loadgen overhead         : 50.5\nTPS w/o loadgen overhead        : 51.5\n"),
                     {"min_", "skipped", "ttft", "tps"}),
            "[scenario=SingleStream].ttft.p90 = 5000 [ns] lower-is-better\n"
            "[scenario=SingleStream].min_duration = 1 gate higher-is-better\n"
            "[scenario=SingleStream].checks_skipped = 1 context\n"
            "[scenario=SingleStream].tps_with_overhead = 50.5 [tok/s] higher-is-better\n"
            "[scenario=SingleStream].tps_without_overhead = 51.5 [tok/s] context\n");
}

// --- llm-d

std::string llmd(std::string_view load, std::string_view requests = "") {
  return "version: \"0.1\"\nscenario:\n  load:\n    args:\n" + std::string(load) +
         "metrics:\n  requests:\n    total: 9\n    failures: 0\n" + std::string(requests) +
         "  latency:\n    time_to_first_token:\n      units: ms\n      mean: 20.5\n  throughput:\n    output_tokens_per_sec: "
         "90.5\n";
}

TEST(LlmdReport, a_rate_in_the_words_of_any_load_generator_makes_throughput_the_offered_load) {
  for (const char* load : {"      request_rate: 4.0\n", "      loadgen:\n        request_rate: 4.0\n", "      profile: poisson\n",
                           "      load:\n        type: constant\n        stages:\n        - duration: 30\n          rate: 5\n"}) {
    EXPECT_EQ(lines_of(llmd(load), {"throughput"}), "throughput.output_token_rate.mean = 90.5 [tokens/s] context\n") << load;
  }
  for (const char* load :
       {"      request_rate: .inf\n", "      loadgen:\n        concurrency: 4\n", "      profile: concurrent\n",
        "      load:\n        type: concurrent\n        stages:\n        - concurrency_level: 4\n"}) {
    EXPECT_EQ(lines_of(llmd(load), {"throughput.output_token_rate.mean ="}),
              "throughput.output_token_rate.mean = 90.5 [tokens/s] higher-is-better\n")
        << load;
  }
}

TEST(LlmdReport, what_requests_carry_is_kept_as_context) {
  EXPECT_EQ(lines_of(llmd("      x: 1\n",
                          "    multimodal:\n      image:\n        count:\n          units: count\n          mean: 2.5\n"),
                     {"multimodal"}),
            "requests.multimodal.image.count.mean = 2.5 [count] context\n");
}

// --- trtexec

TEST(Trtexec, the_version_and_the_engine_are_context_where_no_model_was_named) {
  EXPECT_EQ(lines_of("&&&& RUNNING TensorRT.trtexec [TensorRT v8502] # trtexec --loadEngine=/home/someone/yolo.plan\n"
                     "[01/02/2026-10:00:00] [I] Model:\n"
                     "[01/02/2026-10:00:00] [I] Load engine: /home/someone/yolo.plan\n"
                     "[01/02/2026-10:00:09] [I] Throughput: 24.5 qps\n"
                     "&&&& PASSED TensorRT.trtexec [TensorRT v8502] # trtexec --loadEngine=/home/someone/yolo.plan\n",
                     {"context", "throughput ="}),
            "throughput = 24.5 [qps] higher-is-better\n"
            "context identity.engine = yolo.plan\n"
            "context stack.tensorrt_build = 8502\n");
}

TEST(Trtexec, the_headline_latency_is_the_whole_one_in_each_run_of_a_log) {
  const std::string run =
      "&&&& RUNNING TensorRT.trtexec # trtexec\n[I] Throughput: 24.5 qps\n[I] Latency: median = 40.5 ms\n"
      "[I] H2D Latency: median = 0.5 ms\n&&&& PASSED TensorRT.trtexec # trtexec\n";
  EXPECT_EQ(lines_of(run, {"headline"}), "headline throughput\nheadline latency.median\n");
  EXPECT_EQ(lines_of(run + run, {"headline"}),
            "headline throughput\nheadline latency.median\nheadline *.throughput\nheadline *.latency.median\n");
}

}  // namespace
}  // namespace plumbline::formats
