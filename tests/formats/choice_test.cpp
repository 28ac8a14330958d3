// Which format reads a file: keys count at their place, a reader that refuses gives way, two tools in one text are told of.
#include <algorithm>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

core::FormatInfo chosen(std::string_view text, std::string name = "result.json") {
  const auto m = measured(text, std::move(name));
  EXPECT_TRUE(m) << m.error().message;
  return m ? m->format : core::FormatInfo{};
}

TEST(Choice, keys_of_a_tool_count_at_their_place_only) {
  // The words of many tools' files, in somebody's own.
  for (const std::string_view text : {
           R"({"results": {"note": 1}, "tests": [{"command": "x", "mean": 1, "user": 2, "system": 3}], "latency_ms": 4})",
           R"({"machine": {"machine_info": 1, "benchmarks": 2}, "latency_ms": 4})",
           R"({"tool": {"fio version": "fio-3.35", "jobs": 3}, "latency_ms": 4})",
           R"({"notes": {"nvbandwidth": 1}, "latency_ms": 4})",
           R"({"deep": {"request_throughput": 1, "output_throughput": 2, "num_prompts": 3}, "x_ms": 1})",
           R"({"meta": {"envelope_version": "v1", "suite_id": 1, "hardware_fingerprint": 2}, "latency_ms": 4})",
           R"({"texts": ["\"DCGM Diagnostic\"", "\"test_info\"", "\"MsgSize\"", "\"results\""], "latency_ms": 4})",
           R"({"a": {"match_rate": 0.5}, "b": {"speedup": 2}, "latency_ms": 4})",
           R"({"x": {"avg_latency": 1, "latencies": [1]}, "latency_ms": 4})",
           R"({"x": {"unit": "ms", "avg": 1}, "request_latency": 3, "latency_ms": 4})",
       }) {
    EXPECT_EQ(chosen(text).name, "generic-json") << text;
  }
}

TEST(Choice, a_reader_that_finds_another_structure_gives_way_and_says_so) {
  // hyperfine's keys at their places, but no list of results.
  const std::string_view text = R"({"results": {"command": "x", "mean": 1.5, "user": 1, "system": 0.5}})";
  const core::FormatInfo info = chosen(text);
  EXPECT_EQ(info.name, "generic-json");
  EXPECT_NE(std::find(info.evidence.begin(), info.evidence.end(),
                      "hyperfine (0.95) was tried before and refused: no \"results\" array: this is not hyperfine's JSON"),
            info.evidence.end());
  EXPECT_TRUE(has(listing_of(text, "result.json"), "results.mean = 1.5"));
  // Named, it does not give way.
  EXPECT_EQ(refused(text, "hyperfine"),
            "no \"results\" array: this is not hyperfine's JSON | hyperfine --export-json FILE writes it | result");
}

TEST(Choice, documents_one_after_another_are_said_to_be_that) {
  const std::string one = R"({"results": [{"command": "x", "mean": 1, "user": 1, "system": 1, "times": [1, 2]}]})";
  EXPECT_EQ(refused(one + "\n" + one, "hyperfine"),
            "several JSON documents follow one another, and hyperfine is one document | split them, one document a file; runs of "
            "one thing can be given as trials | result");
}

TEST(Choice, what_two_tools_print_in_one_text_is_an_error_that_names_both) {
  const std::string both = fixture("wrk.txt") + fixture("sysbench_0.5_cpu.txt");
  EXPECT_EQ(problem(both),
            "run.log: the text holds what two tools print: wrk (0.95) and sysbench (0.95) | one file, one tool: split it, or say "
            "which one is meant: --format wrk or --format sysbench");
  EXPECT_TRUE(has(listing_of(both, "run.log", "wrk"), "requests_per_second"));
  EXPECT_TRUE(has(listing_of(both, "run.log", "sysbench"), "latency.avg"));
  // Also where the second one speaks only behind a long log.
  std::string filler;
  for (int i = 0; i < 3000; ++i) filler += "worker " + std::to_string(i) + " is waiting for its turn\n";
  EXPECT_TRUE(has(problem(fixture("wrk.txt") + filler + fixture("sysbench_0.5_cpu.txt")), "what two tools print"));
}

TEST(Choice, a_tool_that_speaks_behind_a_long_log_is_recognised) {
  std::string log;
  for (int i = 0; i < 4000; ++i) log += "[node] compiling unit number " + std::to_string(i) + " of many\n";
  const std::string end = log + "goos: linux\nBenchmarkA-2 \t 100 \t 325 ns/op\nPASS\n";
  core::FormatInfo info = chosen(end, "run.log");
  ASSERT_EQ(info.name, "go-bench");
  EXPECT_EQ(info.evidence.back(), "recognised by the end of a long text");
  info = chosen(log + "BenchmarkA-2 \t 100 \t 325 ns/op\n" + log, "run.log");
  ASSERT_EQ(info.name, "go-bench");
  EXPECT_TRUE(info.evidence.back().starts_with("recognised ") && info.evidence.back().ends_with(" KiB into the text"))
      << info.evidence.back();
  // JSON whose telling keys come late, and JSON behind a log.
  std::string metrics;
  for (int i = 0; i < 4000; ++i) metrics += "\"m" + std::to_string(i) + "\": {\"values\": {\"count\": 1}},\n";
  const std::string k6 =
      "{\"metrics\": {" + metrics +
      R"k6("iterations": {"type": "counter", "values": {"count": 5, "rate": 2.5}}, "vus": {"values": {"value": 1}},
"http_req_duration": {"type": "trend", "contains": "time", "values": {"avg": 2, "p(95)": 3}}}, "root_group": {}})k6";
  EXPECT_EQ(chosen(k6).name, "k6");
  EXPECT_EQ(chosen(log + k6 + "\n", "run.log").name, "k6");
}

TEST(Choice, sections_of_ini_and_toml_are_no_json) {
  EXPECT_EQ(listing_of("[server]\n# a comment\nlatency_ms = 12.5 ; median\nthroughput = 900\n\n[client]\nlatency_ms = 3.5\n"),
            "key-value\nserver.latency_ms = 12.5 [ms] lower-is-better\nserver.throughput = 900 higher-is-better\n"
            "client.latency_ms = 3.5 [ms] lower-is-better\n");
  EXPECT_EQ(listing_of("[[case]]\nlatency_ms = [1.5, 1.75]\n[[case]]\nlatency_ms = 2.5\n"),
            "key-value\ncase[0].latency_ms = 1.5 1.75 [ms] lower-is-better\ncase[1].latency_ms = 2.5 [ms] lower-is-better\n"
            "! index_keyed_records\n");
  EXPECT_EQ(chosen("[1.5, 2.5]").name, "generic-json");
  EXPECT_EQ(chosen("[ {\"latency_ms\": 1}]").name, "generic-json");
}

}  // namespace
}  // namespace plumbline::formats
