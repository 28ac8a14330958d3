// What files of k6, wrk, sysbench, UnixBench, torch.utils.benchmark, Megatron and others in public repositories hold beyond the
// manuals.
#include <gtest/gtest.h>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(K6Points, a_submetric_is_the_points_that_have_all_its_tags) {
  const std::string listing = listing_of(
      R"({"type":"Metric","data":{"name":"http_req_duration","type":"trend","contains":"time","thresholds":[],"submetrics":[{"name":"http_req_duration{name:login,status:200}","suffix":"name:login,status:200","tags":{"name":"login","status":"200"}},{"name":"http_req_duration{name:none}","suffix":"name:none","tags":{"name":"none"}}]},"metric":"http_req_duration"}
{"type":"Point","data":{"time":"2026-03-01T10:00:00Z","value":10,"tags":{"name":"login","status":"200"}},"metric":"http_req_duration"}
{"type":"Point","data":{"time":"2026-03-01T10:00:01Z","value":20,"tags":{"name":"login","status":"500"}},"metric":"http_req_duration"}
{"type":"Point","data":{"time":"2026-03-01T10:00:02Z","value":30,"tags":{"name":"login","status":"200"}},"metric":"http_req_duration"}
)");
  EXPECT_TRUE(has(listing, "\nhttp_req_duration.value = 10 20 30 [ms] lower-is-better\n")) << listing;
  EXPECT_TRUE(has(listing, "\nhttp_req_duration{name:login,status:200}.value = 10 30 [ms] lower-is-better\n")) << listing;
  EXPECT_FALSE(has(listing, "name:none")) << listing;
}

TEST(K6Points, a_submetric_of_a_scenario_is_not_there_twice) {
  const std::string listing = listing_of(
      R"({"type":"Metric","data":{"name":"vus","type":"gauge","contains":"default","thresholds":[],"submetrics":[{"name":"vus{scenario:a}","suffix":"scenario:a","tags":{"scenario":"a"}}]},"metric":"vus"}
{"type":"Point","data":{"time":"2026-03-01T10:00:00Z","value":1,"tags":{"scenario":"a"}},"metric":"vus"}
{"type":"Point","data":{"time":"2026-03-01T10:00:01Z","value":2,"tags":{"scenario":"b"}},"metric":"vus"}
)");
  EXPECT_TRUE(has(listing,
                  "vus.value = 2 context\n"
                  "vus{scenario:b}.value = 2 context\n"
                  "vus{scenario:a}.value = 1 context\n"))
      << listing;
}

constexpr std::string_view kSummary = R"k6({"root_group": {"name": "",
 "checks": {"up": {"name": "up", "passes": 9, "fails": 1}},
 "groups": {"basket": {"name": "basket", "checks": [{"name": "ok", "passes": 10, "fails": 0}], "groups": []}}},
 "metrics": {"http_req_duration{scenario:x}": {"avg": 5, "p(95)": 9, "thresholds": {"p(95)<8": true, "avg<6": false}},
 "iterations": {"count": 10, "rate": 2}, "vus": {"value": 1}, "iteration_duration": {"avg": 5, "p(95)": 9}}})k6";

TEST(K6, submetrics_have_gates_and_dimensions_of_their_own_and_checks_are_gates_one_by_one) {
  EXPECT_EQ(listing_of(kSummary),
            "k6\n"
            "http_req_duration{scenario:x}.avg = 5 [ms] lower-is-better\n"
            "http_req_duration{scenario:x}.p(95) = 9 [ms] lower-is-better\n"
            "http_req_duration{scenario:x}[p(95)<8].crossed = 1 gate lower-is-better\n"
            "http_req_duration{scenario:x}[avg<6].crossed = 0 gate lower-is-better\n"
            "iterations.count = 10 context\n"
            "iterations.rate = 2 [it/s] higher-is-better\n"
            "vus.value = 1 context\n"
            "iteration_duration.avg = 5 [ms] lower-is-better\n"
            "iteration_duration.p(95) = 9 [ms] lower-is-better\n"
            "check[up].fails = 1 gate lower-is-better\n"
            "check[::basket::ok].fails = 0 gate lower-is-better\n"
            "headline http_req_duration.p(95)\n"
            "headline http_reqs.rate\n");
  EXPECT_EQ(dims_of(std::string(kSummary), "http_req_duration{scenario:x}[p(95)<8].crossed"), "scenario=x");
}

TEST(K6, the_newer_machine_readable_summary_has_the_same_rows) {
  EXPECT_EQ(rows("k6_machine_readable.json"),
            "k6\n"
            "http_req_duration.avg = 14.5 [ms] lower-is-better\n"
            "http_req_duration.max = 99.5 [ms] context\n"
            "http_req_duration.p(95) = 30.5 [ms] lower-is-better\n"
            "http_req_failed.rate = 0.01 [ratio] gate lower-is-better\n"
            "http_req_failed.passes = 2 context\n"
            "http_req_failed.fails = 198 context\n"
            "http_reqs.count = 200 context\n"
            "http_reqs.rate = 20 [req/s] higher-is-better\n"
            "vus.max = 5 context\n"
            "vus.min = 1 context\n"
            "vus.value = 5 context\n"
            "checks_total.count = 100 context\n"
            "checks.rate = 0.98 [ratio] gate higher-is-better\n"
            "checks.passes = 98 context\n"
            "checks.fails = 2 context\n"
            "check[is up].fails = 2 gate lower-is-better\n"
            "context stack.k6 = 1.5.0\n"
            "context workload.script = load.js\n"
            "headline http_req_duration.p(95)\n"
            "headline http_reqs.rate\n");
}

TEST(Wrk, a_fixed_rate_is_known_without_calibration_and_the_fork_prints_p99) {
  const std::string text =
      "Running 10s test @ http://127.0.0.1:8080/\n"
      "  4 threads and 64 connections\n"
      "  Thread Stats   Avg      Stdev     99%   +/- Stdev\n"
      "    Latency     1.89ms    1.10ms  18.88ms   92.11%\n"
      "    Req/Sec       -nan      -nan   0.00      0.00%\n"
      "  10000 requests in 10.00s, 1.54TB read\n"
      "Requests/sec:    999.87\n"
      "Transfer/sec:      1.50TB\n";
  EXPECT_EQ(listing_of(text),
            "wrk\n"
            "latency.avg = 1.89 [ms] lower-is-better\n"
            "latency.stdev = 1.1 [ms] noise\n"
            "latency.p99 = 18.88 [ms] lower-is-better\n"
            "requests = 10000 context\n"
            "requests_per_second = 999.87 [req/s] context\n"
            "transfer_per_second = 1649267441664 [B/s] context\n"
            "socket_errors = 0 gate lower-is-better\n"
            "bad_responses = 0 gate lower-is-better\n"
            "context workload.connections = 64\n"
            "context workload.threads = 4\n"
            "headline latency.avg\n");
  const std::string histogram = replaced(replaced(text, "    Req/Sec       -nan      -nan   0.00      0.00%\n",
                                                  "  Latency Distribution (HdrHistogram - Recorded Latency)\n"
                                                  " 99.000%    3.02ms\n100.000%   12.93ms\n"),
                                         "     99%   ", "     Max   ");
  const std::string listing = listing_of(histogram);
  EXPECT_TRUE(has(
      listing, "latency.max = 18.88 [ms] context\nlatency.p99 = 3.02 [ms] lower-is-better\nlatency.p100 = 12.93 [ms] context\n"))
      << listing;
  EXPECT_TRUE(has(listing, "requests_per_second = 999.87 [req/s] context\n")) << listing;
}

TEST(Wrk, where_every_response_was_an_error_its_speed_is_no_result) {
  const std::string listing =
      listing_of(replaced(fixture("wrk.txt"), "Requests/sec:", "  Non-2xx or 3xx responses: 500000\nRequests/sec:"));
  EXPECT_TRUE(has(listing, "latency.avg = 1.25 [ms] lower-is-better failed 'every response was an error'\n")) << listing;
  EXPECT_TRUE(has(listing, "bad_responses = 500000 gate lower-is-better\n")) << listing;
}

TEST(Sysbench, the_newer_throughput_section_and_the_command_line_above) {
  EXPECT_EQ(listing_of("sysbench threads --threads=8 run\n"
                       "sysbench 1.1.0 (using bundled LuaJIT 2.1.0-beta3)\n\n"
                       "Running the test with following options:\nNumber of threads: 8\n\n"
                       "Number of unfinished transactions on forced shutdown: 3\n\n"
                       "Throughput:\n    events/s (eps):                      32400.2399\n"
                       "    time elapsed:                        10.0011s\n"
                       "    total number of events:              324035\n\n"
                       "Latency (ms):\n         min:                                    0.16\n"
                       "         avg:                                    0.25\n"
                       "         percentile stats:               disabled\n"),
            "sysbench\n"
            "unfinished_transactions = 3 gate lower-is-better\n"
            "events_per_second = 32400.2399 [events/s] higher-is-better\n"
            "total_time = 10.0011 [s] context\n"
            "events = 324035 context\n"
            "latency.min = 0.16 [ms] context\n"
            "latency.avg = 0.25 [ms] lower-is-better\n"
            "context stack.sysbench = 1.1.0\n"
            "context workload.threads = 8\n"
            "headline events_per_second\n");
}

TEST(Pgbench, excerpts_with_one_rate_alone_or_without_their_first_line) {
  const std::string alone =
      "transaction type: test.sql\nscaling factor: 1\nnumber of clients: 20\n"
      "number of transactions actually processed: 645415\nlatency average = 0.854 ms\n"
      "tps = 21513.140976 (including connections establishing)\n";
  EXPECT_EQ(listing_of(alone),
            "pgbench\n"
            "transactions = 645415 context\n"
            "latency_average = 0.854 [ms] lower-is-better\n"
            "tps_including_connections = 21513.140976 [tps] higher-is-better\n"
            "aborted = 0 gate lower-is-better\n"
            "context workload.clients = 20\n"
            "context workload.scale = 1\n"
            "context workload.transaction_type = test.sql\n"
            "headline tps_including_connections\n"
            "headline latency_average\n");
  const std::string both = alone + "tps = 21514.5 (excluding connections establishing)\n";
  const std::string listing = listing_of(both + both.substr(both.find("scaling factor")));
  EXPECT_TRUE(has(listing, "tps_including_connections = 21513.140976 [tps] context\ntps = 21514.5 [tps] higher-is-better\n"))
      << listing;
  EXPECT_TRUE(has(listing, "[section=2].tps = 21514.5 [tps] higher-is-better\n")) << listing;
}

TEST(TorchBenchmark, a_deviation_behind_the_mean_is_noise_and_a_speed_up_is_no_time) {
  EXPECT_EQ(listing_of("[------------------------------ Resize ------------------------------]\n"
                       "                    |     PR              |  nightly           |  Speed-up: PR vs nightly\n"
                       "1 threads: -----------------------------------------------------------\n"
                       "      (400, 400)    |  198.439 (+-0.702)  |  196.839 (+-0.624) |      2.345 (+-0.000)\n"
                       "      (8, 8)        |                     |  297.6             |      1.2\n\n"
                       "Times are in milliseconds (ms).\n"),
            "torch-benchmark\n"
            "Resize[sub_label=(400, 400),description=PR,threads=1].time = 198439 [us] lower-is-better\n"
            "Resize[sub_label=(400, 400),description=PR,threads=1].stddev = 702 [us] noise\n"
            "Resize[sub_label=(400, 400),description=nightly,threads=1].time = 196839 [us] lower-is-better\n"
            "Resize[sub_label=(400, 400),description=nightly,threads=1].stddev = 624 [us] noise\n"
            "Resize[sub_label=(400, 400),description=Speed-up: PR vs nightly,threads=1].ratio = 2.345 context\n"
            "Resize[sub_label=(8, 8),description=nightly,threads=1].time = 297600 [us] lower-is-better\n"
            "Resize[sub_label=(8, 8),description=Speed-up: PR vs nightly,threads=1].ratio = 1.2 context\n"
            "headline *.time\n");
}

TEST(Megatron, rates_under_the_names_of_its_forks_are_judged) {
  const auto line = [](int i, std::string_view rest) {
    return " iteration  " + std::to_string(i) + "/ 50 | consumed tokens: 1.258B | elapsed time per iteration (ms): 2701.5 | " +
           std::string(rest) + " |\n";
  };
  const std::string_view newer =
      "tokens/s/GPU inst/harmonic mean: 9640.5/9629.5 | compute per GPU (TFLOP/s/GPU): 496.5 (avg 496.0)";
  EXPECT_EQ(listing_of(line(1, newer) + line(2, newer)),
            "megatron\n"
            "iterations = 2 context\n"
            "consumed_tokens = context text '1.258B'\n"
            "elapsed_time_per_iteration = 2701.5 2701.5 [ms] lower-is-better\n"
            "tokens_per_second_per_gpu = 9640.5 9640.5 [tok/s] higher-is-better\n"
            "tflops_per_gpu = 496.5 496.5 [TFLOP/s] higher-is-better\n"
            "headline *elapsed_time_per_iteration\n");
  EXPECT_TRUE(has(listing_of(line(1, "tokens/sec/gpu: 8000.5") + line(2, "tokens/sec/gpu: 8001.5")),
                  "tokens_per_second_per_gpu = 8000.5 8001.5 [tok/s] higher-is-better\n"));
}

TEST(GenericJson, records_that_repeat_a_point_equally_often_are_its_trials) {
  EXPECT_EQ(listing_of(R"({"results": [
 {"concurrency": 8, "tput": 100.5, "lat": {"p50": 1.5, "unit": "ms"}, "samples": [1, 2], "note": "a"},
 {"concurrency": 16, "tput": 180, "lat": {"p50": 2.5, "unit": "ms"}, "samples": [3], "note": "b"},
 {"concurrency": 8, "tput": 101.5, "lat": {"p50": 1.75, "unit": "ms"}, "samples": [3], "note": "a"},
 {"concurrency": 16, "tput": null, "lat": {"p50": 2.75, "unit": "ms"}, "samples": [5, 6], "note": "b", "extra": 4}]})"),
            "generic-json\n"
            "results[concurrency=8].tput = 100.5 101.5 higher-is-better\n"
            "results[concurrency=8].lat.p50 = 1.5 1.75 [ms] lower-is-better\n"
            "results[concurrency=8].samples = 1 2 3 context\n"
            "results[concurrency=8].note = context text 'a'\n"
            "results[concurrency=16].tput = 180 higher-is-better\n"
            "results[concurrency=16].lat.p50 = 2.5 2.75 [ms] lower-is-better\n"
            "results[concurrency=16].samples = 3 5 6 context\n"
            "results[concurrency=16].note = context text 'b'\n"
            "results[concurrency=16].extra = 4 unknown\n"
            "! nulls_in_trials\n");
}

TEST(GenericJson, named_records_and_json_lines_repeat_too) {
  EXPECT_EQ(
      listing_of(
          R"([{"metric": "ttft", "value": 10.5, "unit": "ms", "gpu": "a"}, {"metric": "ttft", "value": 11.5, "unit": "ms", "gpu": "a"}])"),
      "generic-json\n"
      "ttft[gpu=a] = 10.5 11.5 [ms] lower-is-better\n");
  EXPECT_EQ(
      listing_of("{\"batch\": 8, \"tput\": 10.5}\n{\"batch\": 16, \"tput\": 20}\n{\"batch\": 8, \"tput\": 11.5}\n{\"batch\": 16, "
                 "\"tput\": 21}\n"),
      "generic-json\n"
      "[batch=8].tput = 10.5 11.5 higher-is-better\n"
      "[batch=16].tput = 20 21 higher-is-better\n"
      "! json_lines\n");
}

TEST(GenericJson, a_repeated_record_may_lack_its_value) {
  EXPECT_EQ(listing_of(R"([{"metric": "ttft", "value": 10.5, "gpu": "a"}, {"metric": "ttft", "gpu": "a"}, {"metric": "ttft",
"value": 12.5, "gpu": "a"}])"),
            "generic-json\n"
            "ttft[gpu=a] = 10.5 12.5 lower-is-better\n");
}

TEST(GenericJson, records_that_repeat_unequally_stay_duplicates_and_it_is_said) {
  const std::string text = R"([{"batch": 8, "tput": 10.5}, {"batch": 16, "tput": 20}, {"batch": 8, "tput": 11.5}])";
  EXPECT_EQ(listing_of(text),
            "generic-json\n"
            "[batch=8].tput = 10.5 higher-is-better duplicate\n"
            "[batch=16].tput = 20 higher-is-better\n"
            "! duplicate_key\n"
            "! unequal_repeats\n");
  EXPECT_EQ(warning_of(text, "unequal_repeats"),
            "1 point is measured again, but not all equally often: these rows are invalid as duplicates: \"batch=8\"");
}

TEST(UnixBench, a_run_without_its_banner_or_of_some_tests_is_known_by_its_table) {
  EXPECT_EQ(listing_of("Dhrystone 2 using register variables       35000000.0 lps   (10.0 s, 7 samples)\n"
                       "\n"
                       "System Benchmarks Partial Index              BASELINE       RESULT    INDEX\n"
                       "Dhrystone 2 using register variables         116700.0   35000000.0   2999.1\n"
                       "                                                                   ========\n"
                       "System Benchmarks Index Score (Partial Only)                         2999.1\n"),
            "unixbench\n"
            "Dhrystone 2 using register variables.result = 35000000 [lps] higher-is-better\n"
            "Dhrystone 2 using register variables.index = 2999.1 context\n"
            "System Benchmarks Index Score.index = 2999.1 higher-is-better\n"
            "headline System Benchmarks Index Score.index\n");
}

}  // namespace
}  // namespace plumbline::formats
