// AIPerf, InferenceX exports, MLPerf inference, trtexec, llm-d reports and vLLM sweeps: what their files become. Numbers are our
// own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// The message of the warning of that code; "" when there is none.
std::string warning_of(const Input& input, core::WarningCode code) {
  const auto m = read(input, {});
  if (!m) return "error: " + m.error().message;
  for (const core::Warning& warning : m->warnings) {
    if (warning.code == code) return warning.message;
  }
  return {};
}
std::string warning_of(std::string_view text, core::WarningCode code) {
  Input input;
  input.name = "result";
  input.bytes = text;
  return warning_of(input, code);
}

// Cut off anywhere a file is an error or rows, and never silent, never a crash.
void every_cut(const std::string& text, std::string_view format) {
  for (std::size_t end = 1; end < text.size(); ++end) {
    EXPECT_NE(listing_of(std::string_view(text).substr(0, end), "result", std::string(format)), "") << end;
  }
}

TEST(PerfAnalyzer, every_load_is_a_point_and_parts_of_an_ensemble_are_left_out) {
  EXPECT_EQ(rows("perf_analyzer.txt"),
            "perf-analyzer\n"
            "[concurrency=1].request_count = 12000 context\n"
            "[concurrency=1].throughput = 666.5 [infer/s] higher-is-better\n"
            "[concurrency=1].avg_latency = 1500 [us] lower-is-better\n"
            "[concurrency=1].p50_latency = 1480 [us] lower-is-better\n"
            "[concurrency=1].p99_latency = 2100 [us] lower-is-better\n"
            "[concurrency=1].avg_grpc_time = 1490 [us] lower-is-better\n"
            "[concurrency=1].inference_count = 96000 context\n"
            "[concurrency=1].execution_count = 12000 context\n"
            "[concurrency=1].successful_request_count = 12000 context\n"
            "[concurrency=1].server_request_latency = 1300 [us] lower-is-better\n"
            "[concurrency=4].request_count = 30000 context\n"
            "[concurrency=4].throughput = 1666.5 [infer/s] higher-is-better\n"
            "[concurrency=4].avg_latency = 2400 [us] lower-is-better\n"
            "[concurrency=4].p99_latency = 3900 [us] lower-is-better\n"
            "context workload.batch_size = 8\n"
            "headline [concurrency=4].p99_latency\n"
            "headline [concurrency=4].throughput\n"
            "! run_incomplete\n");
}

TEST(PerfAnalyzer, throughput_at_a_fixed_rate_is_the_offered_load) {
  const std::string text =
      replaced(fixture("perf_analyzer.txt"), "Request concurrency: 1", "Request Rate: 100 inference requests per seconds");
  const std::string listing = listing_of(first_lines(text, 12) + "Inferences/Second vs. Client\n");
  EXPECT_TRUE(has(listing, "context workload.request_rate = 100\n")) << listing;
  EXPECT_TRUE(has(listing, "[request_rate=100].throughput = 666.5 [infer/s] context\n")) << listing;
}

TEST(AiperfCsv, a_run_has_the_same_rows_in_its_csv_and_its_json) {
  const std::string csv = listing_of(fixture("aiperf.csv")), json = listing_of(fixture("aiperf.json"));
  EXPECT_EQ(csv.substr(0, 15), "genai-perf-csv\n");
  EXPECT_EQ(json.substr(0, 11), "genai-perf\n");
  EXPECT_EQ(csv.substr(15), json.substr(11));
}

TEST(AiperfCsv, names_become_the_jsons_grouped_numbers_are_read_and_gpu_errors_are_a_gate) {
  const std::string rows = listing_of(fixture("aiperf.csv"));
  for (const char* line :
       {"request_latency.avg = 1146.31 [ms] lower-is-better", "request_latency.p99 = 1880.75 [ms] lower-is-better",
        "request_latency.p1 = 801 [ms] context", "request_latency.std = 210 [ms] noise",
        "output_token_throughput_per_user.p99 = 203 [tokens/sec/user] context",
        "output_token_throughput.avg = 2261.25 [tokens/sec] higher-is-better", "error_request_count.avg = 0 gate lower-is-better",
        "total_osl.avg = 5120 [tokens] context", "gpu[endpoint=localhost:9401,gpu=0].gpu_power_usage.avg = 412.5 [W] context",
        "gpu[endpoint=localhost:9401,gpu=0].xid_errors.max = 0 gate lower-is-better",
        "context hardware.gpu = NVIDIA H100 80GB HBM3"}) {
    EXPECT_TRUE(has_line(rows, line)) << line << "\n" << rows;
  }
}

TEST(AiperfCsv, the_older_words_for_units_are_those_of_the_json) {
  EXPECT_EQ(listing_of("Metric,avg,min,max,p99\nTime To First Token (ms),\"1,146.31\",249.48,\"3,485.23\",\"3,457.97\"\n"
                       "Broken (ms),1,234.5,12,7\n\n"
                       "Metric,Value\nOutput Token Throughput (per sec),261.25\nRequest Throughput (per sec),1.50\n"
                       "Request Count (count),40.00\n"),
            "genai-perf-csv\n"
            "time_to_first_token.avg = 1146.31 [ms] lower-is-better\n"
            "time_to_first_token.min = 249.48 [ms] context\n"
            "time_to_first_token.max = 3485.23 [ms] context\n"
            "time_to_first_token.p99 = 3457.97 [ms] lower-is-better\n"
            "broken.avg = 1 [ms] context\n"
            "broken.min = 234.5 [ms] context\n"
            "broken.max = 12 [ms] context\n"
            "broken.p99 = 7 [ms] context\n"
            "output_token_throughput.avg = 261.25 [tokens/sec] higher-is-better\n"
            "request_throughput.avg = 1.5 [requests/sec] higher-is-better\n"
            "request_count.avg = 40 [count] context\n"
            "headline output_token_throughput.avg\n"
            "headline time_to_first_token.p50\n"
            "headline inter_token_latency.p50\n");
}

TEST(AiperfCsv, a_run_without_requests_is_failed_and_a_cut_off_quote_an_error) {
  EXPECT_TRUE(has_line(listing_of(replaced(fixture("aiperf.csv"), "Request Count,40", "Request Count,0")),
                       "request_latency.avg = 1146.31 [ms] lower-is-better failed 'no request completed'"));
  EXPECT_EQ(listing_of("Metric,avg,min\nRequest Latency (ms),\"1,146.31", "x.csv"),
            "error: a quote opens and never closes (x.csv:2)\n");
  every_cut(fixture("aiperf.csv"), "genai-perf-csv");
}

TEST(AiperfRecords, requests_are_trials_failures_a_gate_and_warm_up_is_left_out) {
  EXPECT_EQ(listing_of(fixture("aiperf_records.jsonl")),
            "aiperf-records\n"
            "completed_requests = 2 context\n"
            "failed_requests = 1 gate lower-is-better\n"
            "cancelled_requests = 1 context\n"
            "errors.RequestCancellationError = 1 context\n"
            "errors.ServiceUnavailable = 1 context\n"
            "input_sequence_length = 512 512 [tokens] unknown\n"
            "time_to_first_token = 20.5 22.5 [ms] lower-is-better\n"
            "time_to_first_token.avg = 21.5 [ms] lower-is-better\n"
            "time_to_first_token.p90 = 22.3 [ms] lower-is-better\n"
            "time_to_first_token.p95 = 22.4 [ms] lower-is-better\n"
            "time_to_first_token.p99 = 22.48 [ms] lower-is-better\n"
            "inter_chunk_latency = 5 5.5 6 [ms] lower-is-better\n"
            "inter_chunk_latency.avg = 5.5 [ms] lower-is-better\n"
            "inter_chunk_latency.p90 = 5.9 [ms] lower-is-better\n"
            "inter_chunk_latency.p95 = 5.95 [ms] lower-is-better\n"
            "inter_chunk_latency.p99 = 5.99 [ms] lower-is-better\n"
            "output_token_throughput_per_user = 190.5 180.5 [tokens/sec/user] higher-is-better\n"
            "output_token_throughput_per_user.avg = 185.5 [tokens/sec/user] higher-is-better\n"
            "error_isl = 512 [tokens] context\n"
            "context workload.isl = 512\n"
            "headline time_to_first_token\n"
            "headline inter_token_latency\n"
            "headline request_latency\n"
            "! warm_up\n");
  EXPECT_EQ(warning_of(fixture("aiperf_records.jsonl"), "warm_up"),
            "1 request was not sent in the profiling phase and left out: warm-up is no result");
}

TEST(AiperfRecords, a_last_line_cut_off_is_left_out_and_said) {
  const std::string text = fixture("aiperf_records.jsonl");
  const std::string cut = text.substr(0, text.size() - 40);
  EXPECT_EQ(warning_of(cut, "run_incomplete"), "1 run has no end: the last line is cut off and was left out");
  EXPECT_TRUE(has_line(listing_of(cut), "failed_requests = 1 gate lower-is-better"));
  EXPECT_FALSE(has_line(listing_of(cut), "cancelled_requests = 1 context"));
}

TEST(AiperfRecords, what_a_request_says_twice_or_in_another_unit_is_no_number) {
  const std::string_view text =
      R"({"metadata":{"request_start_ns":1},"metrics":{"a_latency":{"value":1,"unit":"ms"},"a_latency":{"value":2,"unit":"ms"},"b":{"value":1,"unit":"ms"},"c_latency":{"value":NaN,"unit":"ms"}},"error":null}
{"metadata":{"request_start_ns":2},"metrics":{"b":{"value":2,"unit":"tokens"}},"error":null})";
  EXPECT_EQ(listing_of(text),
            "aiperf-records\n"
            "completed_requests = 2 context\n"
            "failed_requests = 0 gate lower-is-better\n"
            "a_latency = [ms] lower-is-better failed 'a request says it twice'\n"
            "b = [ms] context failed 'its units do not measure one thing'\n"
            "c_latency = [ms] lower-is-better not_finite 'NaN or infinite'\n"
            "headline time_to_first_token\n"
            "headline inter_token_latency\n"
            "headline request_latency\n"
            "! duplicate_key\n"
            "! non_finite\n"
            "! mixed_units\n");
}

TEST(AiperfRecords, a_file_of_other_lines_or_of_warm_up_alone_is_an_error) {
  EXPECT_EQ(listing_of("{\"metadata\":{\"request_start_ns\":1},\"metrics\":{}}\n{\"x\":1}\n", "r.jsonl"),
            "error: a line is no request record (r.jsonl:2:1)\n");
  EXPECT_EQ(listing_of(R"({"metadata":{"request_start_ns":1,"benchmark_phase":"warmup"},"metrics":{},"error":null})", "r.jsonl"),
            "error: no request of the profiling phase: 1 record of other phases (r.jsonl)\n");
}

TEST(InferencexRaw, vllm_reads_what_the_harness_keeps_dotted_percentiles_and_odd_keys_included) {
  EXPECT_EQ(
      listing_of(
          R"({"model_id": "acme/Tiny-1B", "num_prompts": 160, "request_rate": "inf", "max_concurrency": 16, "duration": 50.5,
 "completed": 160, "request_goodput:": null, "request_throughput": 3.125, "output_throughput": 403.5, "p90_ttft_ms": 250.5,
 "p99.9_ttft_ms": 290.25, "mean_tpot_ms": 33.5})"),
      "vllm-serve\n"
      "duration = 50.5 [s] context\n"
      "completed = 160 context\n"
      "request_goodput = [req/s] higher-is-better null\n"
      "request_throughput = 3.125 [req/s] higher-is-better\n"
      "output_throughput = 403.5 [tok/s] higher-is-better\n"
      "p90_ttft_ms = 250.5 [ms] lower-is-better\n"
      "p99.9_ttft_ms = 290.25 [ms] lower-is-better\n"
      "mean_tpot_ms = 33.5 [ms] lower-is-better\n"
      "failed = 0 gate lower-is-better\n"
      "unaccounted_requests = 0 gate lower-is-better\n"
      "context identity.model = acme/Tiny-1B\n"
      "context workload.concurrency = 16\n"
      "context workload.num_prompts = 160\n"
      "context workload.request_rate = inf\n"
      "headline output_throughput\n"
      "! null_values\n");
}

constexpr std::string_view kPoint4 =
    "[hw=H200,framework=vllm,model=Tiny-1B,precision=fp8,spec_decoding=none,disagg=false,isl=1024,osl=1024,conc=4,tp=8,ep=1,"
    "dp_attention=false].";

TEST(InferencexCsv, a_header_that_says_milliseconds_over_seconds_is_found_out) {
  const std::string text = fixture("inferencex.csv"), rows = listing_of(text);
  for (const char* line :
       {"mean_ttft = 0.0401 [s] lower-is-better", "std_ttft = 0.004 [s] noise", "median_tpot = 0.0036 [s] lower-is-better",
        "tput_per_gpu = 210.5 [tok/s] higher-is-better", "p99_intvty = 263 [tok/s] higher-is-better",
        "std_intvty = 22332 context", "mean_e2el = 3.85 [s] lower-is-better"}) {
    EXPECT_TRUE(has_line(rows, std::string(kPoint4) + line)) << line << "\n" << rows;
  }
  EXPECT_EQ(
      warning_of(text, "unit_mismatch"),
      "the header says (ms), but the latencies of 2 lines are seconds: TPOT 0.0036 times interactivity 277.75 tok/s/user is 1, "
      "which only seconds give");
}

TEST(InferencexCsv, lines_that_mean_milliseconds_become_the_same_seconds) {
  const std::string honest = replaced(fixture("inferencex.csv"), "0.0401,0.0875,0.004,0.0037,0.0036", "62.5,87.5,4,3.7,3.6");
  const std::string rows = listing_of(replaced(honest, "22332,3.85", "22332,3750"));
  EXPECT_TRUE(has_line(rows, std::string(kPoint4) + "mean_ttft = 0.0625 [s] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, std::string(kPoint4) + "mean_e2el = 3.75 [s] lower-is-better")) << rows;
}

TEST(InferencexCsv, one_configuration_at_two_dates_is_two_points_and_at_one_date_two_trials) {
  const std::string text = fixture("inferencex.csv");
  const std::string last = text.substr(text.rfind("Tiny-1B"));
  EXPECT_NE(listing_of(text + replaced(last, "640.5", "650.5")).find("tput_per_gpu = 640.5 650.5 [tok/s]"), std::string::npos);
  const std::string dated = listing_of(text + replaced(last, "2026-05-01", "2026-06-01"));
  EXPECT_NE(dated.find("dp_attention=false,date=2026-06-01].tput_per_gpu = 640.5 [tok/s]"), std::string::npos) << dated;
}

TEST(InferencexCsv, a_run_whose_latencies_are_all_zero_is_failed_and_a_header_alone_an_error) {
  const std::string text = fixture("inferencex.csv");
  const std::string zero = replaced(replaced(text, "0.0401,0.0875,0.004,0.0037,0.0036", "0,0,0,0,0"), "22332,3.85", "22332,0");
  EXPECT_TRUE(
      has_line(listing_of(zero), std::string(kPoint4) + "mean_ttft = 0 [s] lower-is-better failed 'no request completed'"));
  const std::string header = text.substr(0, text.find("\nTiny-1B") + 1);
  EXPECT_EQ(listing_of(header, "x.csv").substr(0, 41), "error: no line of values under the header");
  every_cut(text, "inferencex-csv");
}

TEST(InferencexAggregate, power_that_is_not_valid_is_a_gate) {
  const std::string rows = listing_of(
      R"({"hw": "h200", "conc": 8, "tput_per_gpu": 100.5, "median_ttft": 0.25, "joules_per_output_token": 1.5, "power_valid": true})");
  EXPECT_TRUE(has_line(rows, "power_valid = 1 gate higher-is-better boolean")) << rows;
  EXPECT_TRUE(has_line(rows, "joules_per_output_token = 1.5 [J/tok] lower-is-better")) << rows;
}

TEST(MlperfInference, offline_is_judged_by_its_rate_and_its_checks_are_gates) {
  EXPECT_EQ(listing_of(fixture("mlperf_offline.txt")),
            "mlperf-inference\n"
            "[scenario=Offline].valid = 1 gate higher-is-better\n"
            "[scenario=Offline].samples_per_second = 92.5 [samples/s] higher-is-better\n"
            "[scenario=Offline].tokens_per_second = 27803.5 [tok/s] higher-is-better\n"
            "[scenario=Offline].min_duration = 1 gate higher-is-better\n"
            "[scenario=Offline].min_queries = 1 gate higher-is-better\n"
            "[scenario=Offline].early_stopping = 1 gate higher-is-better\n"
            "[scenario=Offline].latency.min = 2641134983966 [ns] context\n"
            "[scenario=Offline].latency.mean = 2653990953659 [ns] context\n"
            "[scenario=Offline].latency.p50 = 2653473271079 [ns] context\n"
            "[scenario=Offline].warnings = 2 context\n"
            "[scenario=Offline].errors = 0 gate lower-is-better\n"
            "context identity.sut = PySUT\n"
            "context workload.samples_per_query = 24576\n"
            "context workload.scenario = Offline\n"
            "context workload.target_qps = 93\n"
            "context workload.ttft_limit_ns = 2000000000\n"
            "headline [scenario=Offline].tokens_per_second\n");
}

TEST(MlperfInference, scheduled_rates_are_offered_load_and_an_unsuccessful_early_stopping_fails_its_gate) {
  const std::string rows = listing_of(fixture("mlperf_server.txt"));
  for (const char* line :
       {"scheduled_samples_per_second = 83.9 [samples/s] context",
        "completed_tokens_per_second = 24593.75 [tok/s] higher-is-better", "ttft_early_stopping = 1 gate higher-is-better",
        "tpot_early_stopping = 0 gate higher-is-better", "ttft.p99.9 = 2562462764 [ns] lower-is-better",
        "tpot.max = 3298049084 [ns] context", "latency.p99 = 136069232834 [ns] lower-is-better"}) {
    EXPECT_TRUE(has_line(rows, std::string("[scenario=Server].") + line)) << line << "\n" << rows;
  }
  EXPECT_EQ(count_of(rows, "completed_tokens_per_second ="), 1);
  EXPECT_TRUE(has_line(rows, "headline [scenario=Server].completed_tokens_per_second"));
}

TEST(MlperfInference, figures_of_an_invalid_run_are_failed) {
  const std::string rows = listing_of(replaced(fixture("mlperf_offline.txt"), "VALID", "INVALID"));
  EXPECT_TRUE(has_line(rows, "[scenario=Offline].valid = 0 gate higher-is-better"));
  EXPECT_TRUE(has_line(
      rows, "[scenario=Offline].samples_per_second = [samples/s] higher-is-better failed 'LoadGen calls the run INVALID'"));
}

TEST(MlperfInference, a_summary_cut_off_before_its_result_is_believed_in_nothing) {
  const std::string text = fixture("mlperf_offline.txt");
  const std::string cut = text.substr(0, text.find("Result is"));
  EXPECT_TRUE(has_line(
      listing_of(cut),
      "[scenario=Offline].samples_per_second = [samples/s] higher-is-better failed 'the summary ends before its result'"));
  EXPECT_TRUE(has_line(listing_of(cut), "[scenario=Offline].valid = 0 gate higher-is-better"));
  EXPECT_EQ(warning_of(cut, "run_incomplete"),
            "1 run has no end: the summary of Offline has no line \"Result is\", so its figures are not known to be valid");
}

TEST(MlperfInference, a_later_summary_of_the_scenario_is_a_section_of_its_own) {
  const std::string twice = listing_of(fixture("mlperf_offline.txt") + fixture("mlperf_offline.txt"));
  EXPECT_TRUE(has_line(twice, "[scenario=Offline,section=2].samples_per_second = 92.5 [samples/s] higher-is-better")) << twice;
  EXPECT_TRUE(has_line(twice, "! repeated_sections"));
}

TEST(MlperfInference, single_stream_is_judged_by_its_percentile) {
  const std::string rows = listing_of(
      "MLPerf Results Summary\nSUT name : x\nScenario : SingleStream\nMode : PerformanceOnly\n"
      "90th percentile latency (ns) : 1250000\nResult is : VALID\nEarly Stopping Result:\n * Processed at least 64 queries "
      "(900).\n"
      " * Early stopping 90th percentile estimate: 1260000\nQPS w/ loadgen overhead : 790.5\n");
  EXPECT_TRUE(has_line(rows, "[scenario=SingleStream].latency.p90 = 1250000 [ns] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "[scenario=SingleStream].early_stopping_result = 1 gate higher-is-better"));
  EXPECT_TRUE(has_line(rows, "headline [scenario=SingleStream].early_stopping_estimate.p90"));
}

TEST(Trtexec, both_generations_of_the_summary_have_the_same_rows) {
  const std::string rows = listing_of(fixture("trtexec.txt"));
  for (const char* line : {"throughput = 2699 [qps] higher-is-better", "latency.median = 0.3725 [ms] lower-is-better",
                           "latency.p99 = 0.4125 [ms] lower-is-better", "latency.max = 0.525 [ms] context",
                           "h2d_latency.mean = 0.0117 [ms] lower-is-better", "gpu_compute_time.cv = 1.25 [%] noise",
                           "trace.gpu_latency = 0.35 0.36 [ms] context", "passed = 1 gate higher-is-better",
                           "queries = 8100 context", "context identity.model = resnet50.onnx", "context stack.tensorrt = 10.3.0",
                           "headline throughput", "headline latency.median"}) {
    EXPECT_TRUE(has_line(rows, line)) << line << "\n" << rows;
  }
  const std::string old = listing_of(
      "[11/02/2021-09:17:09] [I] Host Latency\n[11/02/2021-09:17:09] [I] min: 0.5 ms (end to end 1.0 ms)\n"
      "[11/02/2021-09:17:09] [I] median: 0.625 ms (end to end 1.125 ms)\n"
      "[11/02/2021-09:17:09] [I] percentile: 0.75 ms at 99% (end to end 1.25 ms at 99%)\n"
      "[11/02/2021-09:17:09] [I] throughput: 1600 qps\n[11/02/2021-09:17:09] [I] GPU Compute\n"
      "[11/02/2021-09:17:09] [I] median: 0.5 ms\n&&&& PASSED TensorRT.trtexec # trtexec\n");
  for (const char* line :
       {"latency.median = 0.625 [ms] lower-is-better", "end_to_end_host_latency.p99 = 1.25 [ms] lower-is-better",
        "gpu_compute_time.median = 0.5 [ms] lower-is-better", "throughput = 1600 [qps] higher-is-better"}) {
    EXPECT_TRUE(has_line(old, line)) << line << "\n" << old;
  }
}

TEST(Trtexec, a_run_without_queries_or_that_failed_measured_nothing) {
  const std::string text = fixture("trtexec.txt");
  EXPECT_TRUE(has_line(listing_of(replaced(text, "8100 queries", "0 queries")),
                       "throughput = [qps] higher-is-better failed 'the timing trace holds no query'"));
  const std::string failed = listing_of(replaced(text, "&&&& PASSED", "&&&& FAILED"));
  EXPECT_TRUE(has_line(failed, "passed = 0 gate higher-is-better"));
  EXPECT_TRUE(has_line(failed, "throughput = [qps] higher-is-better failed 'trtexec ended with FAILED'"));
  const std::string twice = listing_of(text + text);
  EXPECT_TRUE(has_line(twice, "[section=2].throughput = 2699 [qps] higher-is-better")) << twice;
}

TEST(Trtexec, a_log_that_breaks_off_says_so) {
  const std::string text = fixture("trtexec.txt");
  EXPECT_EQ(warning_of(text.substr(0, text.find("&&&& PASSED")), "run_incomplete"),
            "1 run has no end: trtexec's last line, &&&& PASSED or FAILED, is missing");
  EXPECT_EQ(listing_of("&&&& RUNNING TensorRT.trtexec # trtexec\n", "x.log"), "error: no performance summary in it (x.log)\n");
  every_cut(text, "trtexec");
}

TEST(LlmdReport, both_versions_have_the_same_keys_with_the_files_units) {
  const std::string v02 = listing_of(fixture("llmd_v02.yaml")), v01 = listing_of(fixture("llmd_v01.yaml"));
  for (const char* line :
       {"requests.failures = 0 gate lower-is-better", "latency.time_to_first_token.p50 = 0.03625 [s] lower-is-better",
        "latency.time_to_first_token.p99p9 = 0.0575 [s] lower-is-better", "latency.time_to_first_token.stddev = 0.005 [s] noise",
        "throughput.output_token_rate.mean = 1200.5 [tokens/s] higher-is-better",
        "throughput.output_token_rate.p50 = 1190 [tokens/s] context",
        "observability.components.vllm-svc-0.aggregate.kv_cache_usage.mean = 42.5 [percent] context",
        "component_health.vllm-svc-0.failed_replicas = 0 gate lower-is-better", "context hardware.gpu = NVIDIA-H100-80GB-HBM3",
        "context parallelism.tp = 8", "context workload.concurrency = inf", "! series_left_out"}) {
    EXPECT_TRUE(has_line(v02, line)) << line << "\n" << v02;
  }
  for (const char* line : {"latency.time_to_first_token.p50 = 36.25 [ms] lower-is-better", "context workload.request_rate = 10",
                           "throughput.output_token_rate.mean = 1200.5 [tokens/s] context",
                           "throughput.request_rate.mean = 9.75 [queries/s] context"}) {
    EXPECT_TRUE(has_line(v01, line)) << line << "\n" << v01;
  }
  EXPECT_EQ(v02.find("do-not-print-me-1234"), std::string::npos);
}

TEST(LlmdReport, a_run_in_which_every_request_failed_is_no_measurement) {
  EXPECT_TRUE(has_line(listing_of(replaced(fixture("llmd_v02.yaml"), "failures: 0", "failures: 500")),
                       "latency.time_to_first_token.p50 = 0.03625 [s] lower-is-better failed 'every request failed'"));
}

TEST(LlmdReport, aliases_depth_and_second_documents_are_refused_with_their_place) {
  const std::string head = "version: '0.1'\nscenario: {}\nmetrics:\n  latency: {time_to_first_token: {units: s, mean: 1}}\n";
  EXPECT_EQ(listing_of(head + "a: &a [1, 1]\nb: [*a, *a]\n", "r.yaml"),
            "error: an alias (*name), which reports do not have (r.yaml:6:5)\n");
  EXPECT_EQ(listing_of(head + "a: " + std::string(80, '[') + std::string(80, ']') + "\n", "r.yaml"),
            "error: nested more than 64 levels deep (r.yaml:5:67)\n");
  EXPECT_EQ(listing_of(head + "a: " + std::string(200000, '['), "r.yaml").substr(0, 44),
            "error: nested more than 64 levels deep (r.ya");
  EXPECT_EQ(listing_of(head + "---\n" + head, "r.yaml"), "error: more than one report in the file (r.yaml:5:1)\n");
  EXPECT_EQ(listing_of(head + "a: [1, 2\n", "r.yaml").substr(0, 23), "error: not valid YAML: ");
  EXPECT_EQ(listing_of("version: '0.2'\nscenario: {}\nrun: {}\n", "r.yaml", "llm-d-report"),
            "error: neither results.request_performance.aggregate nor metrics is there: the report holds no results (r.yaml)\n");
}

TEST(LlmdReport, infinite_values_are_invalid_and_a_cut_last_line_is_said) {
  EXPECT_TRUE(has_line(listing_of(replaced(fixture("llmd_v02.yaml"), "p50: 0.03625", "p50: .inf")),
                       "latency.time_to_first_token.p50 = [s] lower-is-better not_finite '.inf'"));
  const std::string text = fixture("llmd_v01.yaml");
  EXPECT_EQ(warning_of(text.substr(0, text.size() - 2), "run_incomplete"),
            "1 run has no end: the file does not end with a line feed, so its last value may be cut off");
  every_cut(fixture("llmd_v02.yaml"), "llm-d-report");
}

// A folder of files in memory; sorted by name as a caller gives them.
struct Folder {
  explicit Folder(std::vector<std::pair<std::string, std::string>> given) : files(std::move(given)) {
    input.name = "sweep";
    input.is_directory = true;
    for (const auto& [name, text] : files) input.files.push_back({name, text});
  }
  std::vector<std::pair<std::string, std::string>> files;
  Input input;
};
std::string run(double ttft, double throughput, const char* more = "") {
  return R"({"model_id": "m", "num_prompts": 8, "max_concurrency": 4, "completed": 8, "request_throughput": 2.0, "output_throughput": )" +
         core::number_text(throughput) + R"(, "p99_ttft_ms": )" + core::number_text(ttft) + more + "}";
}
std::string listing_of_folder(const Input& input, std::string format = {}) {
  ReadOptions options;
  options.format = std::move(format);
  const auto m = read(input, options);
  if (!m) return "error: " + m.error().message + (m.error().where.empty() ? "" : " (" + m.error().where + ")") + "\n";
  return listing_of(*m);
}

TEST(VllmSweep, runs_of_a_folder_are_trials_the_only_points_name_is_context_and_the_summary_is_not_read_twice) {
  const Folder sweep({{"SERVE--max_num_seqs=32-BENCH--max_concurrency=4/run=0.json", run(734.5, 90)},
                      {"SERVE--max_num_seqs=32-BENCH--max_concurrency=4/run=1.json", run(56.5, 100)},
                      {"SERVE--max_num_seqs=32-BENCH--max_concurrency=4/run=2.json", run(55.5, 101)},
                      {"SERVE--max_num_seqs=32-BENCH--max_concurrency=4/summary.json",
                       "[" + run(734.5, 90) + "," + run(56.5, 100) + "," + run(55.5, 101) + "]"}});
  const std::string expected =
      "vllm-serve\n"
      "completed = 8 8 8 context\n"
      "request_throughput = 2 2 2 [req/s] higher-is-better\n"
      "output_throughput = 90 100 101 [tok/s] higher-is-better\n"
      "p99_ttft_ms = 734.5 56.5 55.5 [ms] lower-is-better\n"
      "failed = 0 0 0 gate lower-is-better\n"
      "unaccounted_requests = 0 0 0 gate lower-is-better\n"
      "context identity.model = m\n"
      "context serving.sweep_point = max_num_seqs=32\n"
      "context workload.concurrency = 4\n"
      "context workload.num_prompts = 8\n"
      "context workload.sweep_point = max_concurrency=4\n"
      "headline output_throughput\n"
      "! warm_up\n";
  EXPECT_EQ(listing_of_folder(sweep.input), expected);
  EXPECT_EQ(listing_of_folder(sweep.input, "vllm-serve"), expected);  // the same when it is named
  EXPECT_EQ(warning_of(sweep.input, "warm_up"),
            "1 point: the first run looks like a warm-up and stays a trial, for instance p99_ttft_ms 734.5 in run 0 of "
            "SERVE--max_num_seqs=32-BENCH--max_concurrency=4, 56 in the others (median)");
}

TEST(VllmSweep, a_point_without_runs_is_read_from_its_summary_and_a_broken_run_is_named) {
  const Folder sweep({{"SERVE--a-BENCH--b/run=0.json", run(50, 90)},
                      {"SERVE--a-BENCH--b/run=1.json", "{\"num_prompts\": 8, \"request_thr"},
                      {"SERVE--a-BENCH--c/summary.json", "[" + run(51, 91) + "," + run(52, 92) + "]"}});
  const std::string rows = listing_of_folder(sweep.input);
  EXPECT_TRUE(has_line(rows, "[serve=a,bench=b,max_concurrency=4,num_prompts=8].output_throughput = 90 [tok/s] higher-is-better"))
      << rows;
  EXPECT_TRUE(
      has_line(rows, "[serve=a,bench=c,max_concurrency=4,num_prompts=8].output_throughput = 91 92 [tok/s] higher-is-better"))
      << rows;
  EXPECT_EQ(warning_of(sweep.input, "unread_file").substr(0, 78),
            "1 file of the sweep could not be read: \"SERVE--a-BENCH--b/run=1.json\" (SERVE--");
}

TEST(VllmSweep, a_point_in_which_a_run_failed_is_failed) {
  const Folder sweep({{"SERVE--a-BENCH--b/run=0.json", run(0, 0, R"(, "failed": 8)")}});
  EXPECT_TRUE(
      has_line(listing_of_folder(sweep.input), "output_throughput = 0 [tok/s] higher-is-better failed 'no request completed'"));
}

TEST(VllmSweep, other_folders_stay_folders_of_files) {
  const Folder plain({{"a.json", run(50, 90)}, {"b.json", run(51, 91)}});
  EXPECT_EQ(listing_of_folder(plain.input).substr(0, 10), "directory\n");
  EXPECT_EQ(listing_of_folder(plain.input, "vllm-serve").substr(0, 33), "directory\na.json:completed = 8 co");
}

// Real files, where they lie: each is what it is, and its reader is clearly ahead of the next.
TEST(ServingSamples, are_recognised) {
  const char* folder = std::getenv("PLUMBLINE_SAMPLES");
  const std::filesystem::path samples = folder != nullptr ? folder : PLUMBLINE_TESTS "/../../shared/samples";
  if (!std::filesystem::exists(samples)) GTEST_SKIP() << "no folder of samples (PLUMBLINE_SAMPLES)";
  constexpr std::pair<const char*, const char*> kWant[] = {{"inferencex", "vllm-serve\n"},
                                                           {"mlperf-inference", "mlperf-inference\n"},
                                                           {"tensorrt", "trtexec\n"},
                                                           {"llm-d-benchmark-report", "llm-d-report\n"},
                                                           {"training-logs", "megatron\n"}};
  for (const auto& [name, format] : kWant) {
    for (const auto& file : std::filesystem::directory_iterator(samples / "formats" / name)) {
      std::ifstream stream(file.path(), std::ios::binary);
      std::ostringstream text;
      text << stream.rdbuf();
      EXPECT_EQ(listing_of(text.str(), file.path().filename().string()).substr(0, std::string_view(format).size()), format)
          << file.path();
    }
  }
}

}  // namespace
}  // namespace plumbline::formats
