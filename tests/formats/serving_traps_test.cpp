// What would pass for an improvement, or for the same run, if a reader of serving benchmarks took files at their word: times of
// zero, another load, requests that vanish, a tail that the median hides, keys that depend on the container. Numbers are our own.
#include <gtest/gtest.h>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

bool has_line(const std::string& listing, const std::string& line) {
  return ("\n" + listing).find("\n" + line + "\n") != std::string::npos;
}
// The rows without the first line, which names the format.
std::string rows_of(const std::string& text) {
  const std::string listing = listing_of(text);
  return listing.substr(listing.find('\n') + 1);
}

const std::string kServe =
    R"({"model_id": "m", "num_prompts": 8, "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 4, "completed": 8, "failed": 0,
 "total_input_tokens": 4096, "total_output_tokens": 1024, "request_throughput": 2.0, "output_throughput": 256.0,
 "median_ttft_ms": 50.5, "median_tpot_ms": 10.5, "p99_itl_ms": 12.5})";

TEST(ServeTimes, zero_and_less_is_no_latency_but_one_token_leaves_no_time_between_tokens) {
  const std::string zero = listing_of(replaced(replaced(kServe, "50.5", "0.0"), "10.5", "0.0"));
  EXPECT_TRUE(has_line(zero, "median_ttft_ms = 0 [ms] lower-is-better failed 'a time of 0 or less: nothing was measured'"))
      << zero;
  EXPECT_TRUE(has_line(zero, "median_tpot_ms = [ms] lower-is-better null")) << zero;
  EXPECT_TRUE(has_line(zero, "output_throughput = 256 [tok/s] higher-is-better")) << zero;
  EXPECT_TRUE(has_line(listing_of(replaced(kServe, "10.5", "-5")),
                       "median_tpot_ms = -5 [ms] lower-is-better failed 'a time of 0 or less: nothing was measured'"));
}

TEST(ServeTimes, one_trial_of_zero_spoils_its_row) {
  const std::string rows = listing_of("[" + kServe + "," + replaced(kServe, "50.5", "0") + "]");
  EXPECT_TRUE(has_line(rows, "median_ttft_ms = 50.5 0 [ms] lower-is-better failed 'a time of 0 or less: nothing was measured'"))
      << rows;
}

TEST(ServeTimes, offline_latencies_of_zero_are_failed) {
  EXPECT_TRUE(has_line(listing_of(R"({"avg_latency": 0.0, "latencies": [0.0, 0.0], "percentiles": {"50": 0.0}})"),
                       "latency = 0 0 [s] lower-is-better failed 'a time of 0 or less: nothing was measured'"));
}

TEST(ServeTimes, so_are_those_of_other_tools) {
  EXPECT_TRUE(
      has_line(listing_of(R"({"time_to_first_token": {"unit": "ms", "avg": 0.0}, "request_latency": {"unit": "ms", "avg": 5}})"),
               "time_to_first_token.avg = 0 [ms] lower-is-better failed 'a time of 0 or less: nothing was measured'"));
  EXPECT_TRUE(has_line(
      listing_of(
          R"({"metadata": {"guidellm_version": "1"}, "benchmarks": [{"metrics": {"request_latency": {"successful": {"mean": 0}}}}]})"),
      "[strategy=unknown].request_latency.mean = 0 [s] lower-is-better failed 'a time of 0 or less: nothing was measured'"));
}

TEST(ServeLoad, what_the_load_was_is_context) {
  const std::string rows = listing_of(kServe);
  for (const char* line : {"context workload.burstiness = 1", "context workload.concurrency = 4", "context workload.isl = 512",
                           "context workload.osl = 128", "context workload.request_rate = inf"}) {
    EXPECT_TRUE(has_line(rows, line)) << line << "\n" << rows;
  }
}

TEST(ServeLoad, no_bound_on_concurrency_is_a_setting_and_not_unknown) {
  EXPECT_TRUE(has_line(listing_of(replaced(kServe, "\"max_concurrency\": 4", "\"max_concurrency\": null")),
                       "context workload.concurrency = none"));
  EXPECT_EQ(listing_of(replaced(kServe, "\"max_concurrency\": 4, ", "")).find("workload.concurrency"), std::string::npos);
}

TEST(ServeLoad, lengths_that_scatter_are_rows_that_no_direction_excuses) {
  const std::string rows = listing_of(replaced(kServe, "4096", "4100"));
  EXPECT_TRUE(has_line(rows, "input_tokens_per_request = 512.5 [tok] unknown")) << rows;
  EXPECT_EQ(rows.find("workload.isl"), std::string::npos);
  EXPECT_TRUE(has_line(rows, "context workload.osl = 128"));
}

TEST(ServeLoad, tokens_of_an_offline_run_are_told) {
  const std::string rows = listing_of(
      R"({"elapsed_time": 8.0, "num_requests": 40, "total_num_tokens": 8000, "requests_per_second": 5.0, "tokens_per_second": 1000.0})");
  EXPECT_TRUE(has_line(rows, "tokens_per_request = 200 [tok] unknown")) << rows;
  EXPECT_TRUE(has_line(rows, "context workload.tokens_per_request = 200")) << rows;
}

TEST(ServeLoad, an_aggregates_concurrency_and_layout_are_context) {
  const std::string rows = listing_of(
      R"({"hw": "h200", "conc": 8, "disagg": false, "dp_attention": "false", "tput_per_gpu": 100.5, "median_ttft": 0.25})");
  for (const char* line :
       {"context workload.concurrency = 8", "context parallelism.disagg = false", "context parallelism.dp_attention = false"}) {
    EXPECT_TRUE(has_line(rows, line)) << line << "\n" << rows;
  }
}

TEST(ServeLoad, aiperf_lengths_are_context_where_they_are_one_and_rows_always) {
  const std::string rows = listing_of(
      R"({"request_latency": {"unit": "ms", "avg": 900.5}, "input_sequence_length": {"unit": "tokens", "avg": 512.0, "min": 512, "max": 512, "std": 0.0},
 "output_sequence_length": {"unit": "tokens", "avg": 100.5, "min": 90, "max": 120}})");
  EXPECT_TRUE(has_line(rows, "input_sequence_length.avg = 512 [tokens] unknown")) << rows;
  EXPECT_TRUE(has_line(rows, "output_sequence_length.avg = 100.5 [tokens] unknown")) << rows;
  EXPECT_TRUE(has_line(rows, "context workload.isl = 512")) << rows;
  EXPECT_EQ(rows.find("workload.osl"), std::string::npos) << rows;
}

TEST(ServeGates, requests_that_neither_came_through_nor_failed_are_a_gate) {
  EXPECT_TRUE(has_line(listing_of(kServe), "unaccounted_requests = 0 gate lower-is-better"));
  const std::string rows = listing_of(replaced(kServe, "\"completed\": 8", "\"completed\": 5"));
  EXPECT_TRUE(has_line(rows, "unaccounted_requests = 3 gate lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "failed = 0 gate lower-is-better")) << rows;
}

TEST(ServeKeys, one_point_has_bare_keys_whatever_holds_it) {
  const std::string bare = rows_of(kServe);
  EXPECT_EQ(rows_of("[" + kServe + "]"), bare);
  EXPECT_TRUE(has_line(bare, "headline output_throughput"));
  const std::string two = listing_of(kServe + "\n" + replaced(kServe, "256.0", "260.0") + "\n");
  EXPECT_TRUE(has_line(two, "output_throughput = 256 260 [tok/s] higher-is-better")) << two;
  const std::string sweep =
      listing_of("[" + kServe + "," + replaced(kServe, "\"max_concurrency\": 4", "\"max_concurrency\": 8") + "]");
  EXPECT_TRUE(has_line(sweep,
                       "[max_concurrency=8,request_rate=inf,num_prompts=8,burstiness=1].output_throughput = 256 [tok/s] "
                       "higher-is-better"))
      << sweep;
}

const std::string kSglang =
    R"({"backend": "sglang", "dataset_name": "random", "request_rate": Infinity, "max_concurrency": 8, "random_input_len": 256,
 "random_output_len": 64, "random_range_ratio": 1.0, "completed": 32, "request_throughput": 8.0, "output_throughput": 512.0,
 "total_throughput": 2560.0, "median_ttft_ms": 30.5})";

TEST(SglangHistory, the_last_run_of_a_point_counts_and_earlier_ones_are_counted) {
  const std::string other = replaced(kSglang, "\"max_concurrency\": 8", "\"max_concurrency\": 16");
  const std::string slow = replaced(kSglang, "30.5", "90.5");
  const std::string rows = listing_of(kSglang + "\n" + kSglang + "\n" + slow + "\n");
  EXPECT_TRUE(has_line(rows, "median_ttft_ms = 90.5 [ms] lower-is-better")) << rows;
  EXPECT_EQ(warning_of(kSglang + "\n" + kSglang + "\n" + slow + "\n", "earlier_runs"),
            "2 earlier runs of a point measured again later in the file left out: the tool appends to its file, and the last run "
            "counts; runs that are to be trials go into a file each");
  const std::string points = listing_of(kSglang + "\n" + other + "\n");
  EXPECT_EQ(points.find("earlier_runs"), std::string::npos) << points;
}

constexpr std::string_view kAggregate =
    R"({"hw": "h200", "conc": 8, "tput_per_gpu": 100.5, "median_ttft": 0.25, "median_tpot": 0.004, "median_intvty": 250.0})";

TEST(InferencexUnits, milliseconds_that_an_aggregate_admits_become_seconds) {
  const std::string text = replaced(replaced(std::string(kAggregate), "0.004", "4"), "0.25,", "250,");
  EXPECT_EQ(warning_of(std::string(kAggregate), "unit_mismatch"), "");
  const std::string rows = listing_of(text);
  EXPECT_TRUE(has_line(rows, "median_ttft = 0.25 [s] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "median_tpot = 0.004 [s] lower-is-better")) << rows;
  EXPECT_EQ(warning_of(text, "unit_mismatch"),
            "latencies of aggregates are seconds, but those of 1 run are milliseconds: TPOT 4 times interactivity 250 tok/s/user "
            "is 1000, which only milliseconds give");
}

TEST(InferencexUnits, figures_that_contradict_each_other_are_no_results) {
  const std::string text = replaced(std::string(kAggregate), "0.004", "0.04");
  const std::string rows = listing_of(text);
  EXPECT_TRUE(has_line(rows, "median_tpot = [s] lower-is-better failed 'TPOT and interactivity contradict each other'")) << rows;
  EXPECT_TRUE(has_line(rows, "median_intvty = [tok/s] higher-is-better failed 'TPOT and interactivity contradict each other'"))
      << rows;
  EXPECT_TRUE(has_line(rows, "median_ttft = 0.25 [s] lower-is-better")) << rows;
  EXPECT_EQ(warning_of(text, "unit_mismatch"),
            "TPOT and interactivity of 1 run contradict each other and are no results: TPOT 0.04 times interactivity 250 "
            "tok/s/user is 10, where seconds give 1 and milliseconds 1000");
}

TEST(AiperfTail, slow_requests_that_the_median_hides_are_in_the_mean_and_the_tails) {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += R"({"metadata": {"request_start_ns": 1}, "metrics": {"request_latency": {"value": )" +
            std::string(i < 6 ? "100" : "500") + R"(, "unit": "ms"}}, "error": null})" + "\n";
  }
  const std::string rows = listing_of(text);
  EXPECT_TRUE(has_line(rows, "request_latency = 100 100 100 100 100 100 500 500 [ms] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "request_latency.avg = 200 [ms] lower-is-better")) << rows;
  for (const char* tail : {"p90", "p95", "p99"}) {
    EXPECT_TRUE(has_line(rows, "request_latency." + std::string(tail) + " = 500 [ms] lower-is-better")) << rows;
  }
}

constexpr std::string_view kHeader = "| model | backend | ngl | fa | test | t/s |\n| --- | --- | --: | -: | ---: | ---: |\n";
constexpr std::string_view kLine = "| llama 7B Q4_0 | CUDA | 99 | 1 | pp512 | 5000.50 ± 12.50 |\n";

TEST(LlamaBenchKeys, settings_that_all_points_share_are_context_and_go_by_one_name) {
  const std::string json = listing_of(
      R"([{"build_commit": "abc1234", "model_type": "llama 7B Q4_0", "n_gpu_layers": 99, "flash_attn": true, "n_prompt": 512, "n_gen": 0, "avg_ts": 5000.5}])");
  const std::string table = listing_of(std::string(kHeader) + std::string(kLine));
  for (const std::string& rows : {json, table}) {
    EXPECT_TRUE(has_line(rows, "llama 7B Q4_0.pp512.t/s = 5000.5 [tok/s] higher-is-better")) << rows;
    EXPECT_TRUE(has_line(rows, "context serving.flash_attn = 1")) << rows;
    EXPECT_TRUE(has_line(rows, "context serving.n_gpu_layers = 99")) << rows;
  }
}

TEST(LlamaBenchKeys, settings_that_differ_tell_points_apart) {
  const std::string rows = listing_of(std::string(kHeader) + std::string(kLine) + replaced(std::string(kLine), "| 1 |", "| 0 |"));
  EXPECT_TRUE(has_line(rows, "llama 7B Q4_0[flash_attn=0].pp512.t/s = 5000.5 [tok/s] higher-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "llama 7B Q4_0[flash_attn=1].pp512.t/s = 5000.5 [tok/s] higher-is-better")) << rows;
  EXPECT_EQ(rows.find("serving.flash_attn"), std::string::npos);
}

TEST(LlamaBenchDevices, a_heading_names_the_run_and_the_backends_devices_are_the_gpu) {
  const std::string vulkan =
      "ggml_vulkan: Found 1 Vulkan devices:\nggml_vulkan: 0 = Acme X1 (RADV NAVI0) (radv) | uma: 0 | fp16: 1\n";
  const std::string table = std::string(kHeader) + std::string(kLine) + "\nbuild: abc1234 (4711)\n";
  const std::string rows = listing_of("### GPU 0 ONLY ###\n" + vulkan + table + "\n### GPU 1 ONLY ###\n" + vulkan + table);
  EXPECT_TRUE(has_line(rows, "llama 7B Q4_0[run=GPU 0 ONLY].pp512.t/s = 5000.5 [tok/s] higher-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "llama 7B Q4_0[run=GPU 1 ONLY].pp512.t/s = 5000.5 [tok/s] higher-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "context hardware.gpu = Acme X1 (RADV NAVI0)")) << rows;
}

TEST(LlamaBenchDevices, a_note_behind_a_heading_is_no_part_of_its_name_unless_it_is_all_that_differs) {
  const std::string table = std::string(kHeader) + std::string(kLine);
  EXPECT_TRUE(has_line(listing_of("## GPU 0 (top slot)\n" + table + "## GPU 1\n" + table),
                       "llama 7B Q4_0[run=GPU 0].pp512.t/s = 5000.5 [tok/s] higher-is-better"));
  EXPECT_TRUE(has_line(listing_of("## GPU (top slot)\n" + table + "## GPU (bottom slot)\n" + table),
                       "llama 7B Q4_0[run=GPU (top slot)].pp512.t/s = 5000.5 [tok/s] higher-is-better"));
}

TEST(LlamaBenchDevices, without_headings_runs_go_by_their_devices_and_one_run_needs_no_name) {
  const auto device = [](const char* name) {
    return "  Device 0: " + std::string(name) + ", compute capability 9.0, VMM: yes\n";
  };
  const std::string table = std::string(kHeader) + std::string(kLine);
  const std::string rows = listing_of(device("Acme A") + table + device("Acme B") + table);
  EXPECT_TRUE(has_line(rows, "llama 7B Q4_0[run=Acme A].pp512.t/s = 5000.5 [tok/s] higher-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "llama 7B Q4_0[run=Acme B].pp512.t/s = 5000.5 [tok/s] higher-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "context hardware.gpu = Acme A, Acme B")) << rows;
  const std::string one = listing_of("### GPU 0 ###\n" + device("Acme A") + table);
  EXPECT_TRUE(has_line(one, "llama 7B Q4_0.pp512.t/s = 5000.5 [tok/s] higher-is-better")) << one;
  EXPECT_TRUE(has_line(one, "context hardware.gpu = Acme A")) << one;
  EXPECT_TRUE(has_line(one, "context identity.label = GPU 0")) << one;
}

}  // namespace
}  // namespace plumbline::formats
