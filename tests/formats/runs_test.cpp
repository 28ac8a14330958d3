// Several runs in one file: rows of their own, keyed by section, never duplicates and never one run silently.
#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

std::string twice(const std::string& name) { return fixture(name) + fixture(name); }

TEST(Runs, of_a_load_generator_in_one_log_are_sections) {
  const std::string text = replaced(fixture("wrk.txt"), "50000.50", "60000.25");
  const std::string rows = listing_of(fixture("wrk.txt") + text, "run.log");
  EXPECT_TRUE(has_line(rows, "latency.avg = 1.25 [ms] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "latency[section=2].avg = 1.25 [ms] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "requests_per_second = 50000.5 [req/s] higher-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "[section=2].requests_per_second = 60000.25 [req/s] higher-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "[section=2].socket_errors = 0 gate lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "headline [section=2].requests_per_second")) << rows;
  EXPECT_FALSE(has(rows, "duplicate")) << rows;
  EXPECT_EQ(dims_of(fixture("wrk.txt") + text, "[section=2].requests_per_second"), "section=2");
  EXPECT_EQ(warning_of(fixture("wrk.txt") + text, "repeated_sections"),
            "the log holds 2 runs: those behind the first have rows of their own (section=2, …)");
}

TEST(Runs, that_differ_in_a_setting_share_no_context) {
  const std::string rows = listing_of(fixture("wrk.txt") + replaced(fixture("wrk.txt"), "4 threads", "8 threads"), "run.log");
  EXPECT_FALSE(has(rows, "context workload.threads")) << rows;
  EXPECT_TRUE(has_line(rows, "context workload.connections = 64")) << rows;
}

TEST(Runs, a_run_without_a_request_fails_alone) {
  const std::string dead = replaced(fixture("wrk.txt"), "  500000 requests in", "  0 requests in");
  const std::string rows = listing_of(fixture("wrk.txt") + dead, "run.log");
  EXPECT_TRUE(has_line(rows, "latency.avg = 1.25 [ms] lower-is-better")) << rows;
  EXPECT_TRUE(has(rows, "latency[section=2].avg = 1.25 [ms] lower-is-better failed 'no request completed'")) << rows;
}

// No row of the first run changes, and the second has as many.
TEST(Runs, of_every_tool_that_prints_text_are_sections) {
  for (const std::string name : {"sysbench_0.5_cpu.txt", "sysbench_oltp.txt", "sysbench_fileio.txt", "pgbench_16.txt",
                                 "pgbench_12.txt", "pgbench_scripts.txt", "k6_new.txt", "k6_old.txt", "gungraun.txt", "iai.txt",
                                 "benchmark_js.txt", "wrk.txt", "benchstat.txt"}) {
    const auto once = measured(fixture(name), name), both = measured(twice(name), name);
    ASSERT_TRUE(once && both) << name;
    std::size_t first = 0, second = 0;
    for (const core::Row& row : both->rows()) {
      EXPECT_NE(row.state, core::ValueState::duplicate) << name << ": " << both->key(row);
      ++(both->key(row).find("section=2") == std::string_view::npos ? first : second);
    }
    EXPECT_EQ(first, once->rows().size()) << name;
    EXPECT_GE(second + 1, first) << name;  // what is counted over the whole file stands once
    for (std::size_t i = 0, j = 0; i < once->rows().size(); ++i, ++j) {
      while (j < both->rows().size() && both->key(both->rows()[j]).find("section=2") != std::string_view::npos) ++j;
      ASSERT_LT(j, both->rows().size()) << name;
      EXPECT_EQ(both->key(both->rows()[j]), once->key(once->rows()[i])) << name;
    }
  }
}

TEST(Runs, json_documents_of_fio_and_iperf3_one_after_another_are_sections) {
  for (const std::string name : {"fio.json", "iperf3.json"}) {
    const auto once = measured(fixture(name), name), both = measured(twice(name), name);
    ASSERT_TRUE(once) << name;
    ASSERT_TRUE(both) << name << ": " << both.error().message;
    EXPECT_EQ(both->rows().size(), 2 * once->rows().size()) << name;
    EXPECT_FALSE(warning_of(twice(name), "repeated_sections").empty()) << name;
  }
}

TEST(Runs, lines_of_a_json_stream_of_iperf3_are_one_run) {
  const std::string stream =
      R"({"event":"start","data":{"version":"iperf 3.17","connected":[{"socket":5}],)"
      R"("test_start":{"protocol":"TCP","num_streams":4}}})"
      "\n"
      R"({"event":"interval","data":{"streams":[],"sum":{"bits_per_second":9.1e9,"omitted":false}}})"
      "\n"
      R"({"event":"interval","data":{"streams":[],"sum":{"bits_per_second":9.3e9,"omitted":false}}})"
      "\n"
      R"({"event":"end","data":{"sum_sent":{"bits_per_second":9.25e9,"retransmits":12},"sum_received":{"bits_per_second":9.2e9},)"
      R"("cpu_utilization_percent":{"host_total":10.5}}})"
      "\n";
  const std::string rows = listing_of(stream, "iperf3.jsonl");
  EXPECT_TRUE(has(rows, "iperf3\ntcp.bits_per_second = 9200000000 ")) << rows;
  EXPECT_TRUE(has(rows, " = 9100000000 9300000000 ")) << rows;
  EXPECT_TRUE(has_line(rows, "context workload.streams = 4")) << rows;
  // Stopped before its end.
  EXPECT_TRUE(has(listing_of(stream.substr(0, stream.find("{\"event\":\"end\"")), "iperf3.jsonl"),
                  "error: no \"end\": the test did not finish"));
  EXPECT_TRUE(has(listing_of(stream.substr(0, stream.find("{\"event\":\"end\"")) +
                                 "{\"event\":\"error\",\"data\":\"unable to connect to server: Connection refused\"}\n",
                             "iperf3.jsonl"),
                  "error: iperf3 failed: unable to connect to server: Connection refused"));
}

TEST(Runs, of_one_command_at_several_settings_are_told_apart) {
  const std::string rows = listing_of(
      R"({"results": [{"command": "sort", "mean": 1, "user": 1, "system": 0, "times": [1, 2], "parameters": {"threads": "1"}},
{"command": "sort", "mean": 2, "user": 2, "system": 0, "times": [3, 4], "parameters": {"threads": "8"}}]})",
      "h.json");
  EXPECT_TRUE(has_line(rows, "sort [threads=1].time = 1 2 [s] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "sort [threads=8].time = 3 4 [s] lower-is-better")) << rows;
  EXPECT_FALSE(has(rows, "duplicate")) << rows;
}

TEST(GithubAction, a_benchmark_that_is_called_like_a_setting_is_judged_by_its_unit) {
  EXPECT_EQ(listing_of(R"([{"name": "matmul batch size 64", "unit": "ns/iter", "value": 1.5},
                           {"name": "min heap of 8 threads", "unit": "ops/s", "value": 2},
                           {"name": "queue depth", "unit": "requests", "value": 3},
                           {"name": "latency stddev", "unit": "ms", "value": 4},
                           {"name": "throughput", "unit": "req/s", "value": 5}])"),
            "github-action-benchmark\n"
            "matmul batch size 64 = 1.5 [ns/iter] lower-is-better\n"
            "min heap of 8 threads = 2 [ops/s] higher-is-better\n"
            "queue depth = 3 [requests] context\n"
            "latency stddev = 4 [ms] noise\n"
            "throughput = 5 [req/s] higher-is-better\n"
            "headline *\n");
}

TEST(Runs, entries_of_one_name_are_told_apart_by_the_fields_of_their_own) {
  EXPECT_EQ(listing_of(R"([{"name": "sort", "size": 1024, "unit": "ms", "value": 1.5},
{"name": "sort", "size": 2048, "unit": "ms", "value": 2.5}, {"name": "load", "size": 7, "unit": "ms", "value": 3.5}])",
                       "b.json"),
            "github-action-benchmark\nsort[size=1024] = 1.5 [ms] lower-is-better\nsort[size=2048] = 2.5 [ms] lower-is-better\n"
            "load = 3.5 [ms] lower-is-better\n"
            "headline *\n");
  // A list that holds nothing but sizes measures them, where their names tell them apart.
  const std::string sizes = listing_of(R"({"files": [{"name": "a.js", "size": 100}, {"name": "b.js", "size": 200}]})", "s.json");
  EXPECT_TRUE(has(sizes, "files[name=a.js].size = 100")) << sizes;
  EXPECT_TRUE(has(sizes, "files[name=b.js].size = 200")) << sizes;
}

TEST(Texts, of_container_logs_are_read_without_what_stands_before_each_line) {
  const std::string log =
      "2024-05-06T07:08:09.123456789Z stdout F goos: linux\n"
      "2024-05-06T07:08:09.223456789Z stdout F BenchmarkA-2 \t 100 \t 325 ns/op\n"
      "2024-05-06T07:08:10.123456789+00:00 stderr P BenchmarkB-2 \t 10\n"
      "2024-05-06T07:08:10.223456789+00:00 stderr F 0 \t 425 ns/op\n";
  const std::string rows = listing_of(log, "pod.log");
  EXPECT_TRUE(has_line(rows, "A-2.time = 325 [ns] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "B-2.time = 425 [ns] lower-is-better")) << "a part of a line goes on in the next one\n" << rows;
  EXPECT_TRUE(has_line(rows, "context stack.goos = linux")) << rows;
}

TEST(Texts, results_of_several_tasks_are_warned_of) {
  const std::string log =
      "0: BenchmarkA-2 100 325 ns/op\n0: BenchmarkB-2 100 5 ns/op\n1: BenchmarkA-2 100 335 ns/op\n"
      "1: BenchmarkB-2 100 6 ns/op\n";
  EXPECT_TRUE(has_line(listing_of(log, "run.log"), "A-2.time = 325 335 [ns] lower-is-better"));
  EXPECT_EQ(
      warning_of(log, "several_tasks"),
      "2 tasks of a launcher print the same results (0: and 1:): what they say of one point are its trials, or sections; give "
      "one task's lines to compare that one");
  EXPECT_EQ(warning_of("0: BenchmarkA-2 100 325 ns/op\n0: BenchmarkB-2 100 5 ns/op\n", "several_tasks"), "");
}

TEST(Texts, lines_may_end_in_carriage_returns_alone) {
  EXPECT_EQ(listing_of("name,latency_ms\ra,100\rb,120\r", "old.csv"),
            "csv\n[name=a].latency_ms = 100 [ms] lower-is-better\n[name=b].latency_ms = 120 [ms] lower-is-better\n");
}

}  // namespace
}  // namespace plumbline::formats
