// What a reader of any text refuses: output of tools that are known and have no reader, and texts of whose numbers it understands
// less than half, or nothing but the settings.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "formats/generic/known_tools.hpp"
#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kReport =
    "\tIozone: Performance Test of File I/O\n"
    "TestID              : 0\n"
    "api                 : POSIX\n"
    "type                : independent\n"
    "order               : sequential\n"
    "nodes               : 2\n"
    "tasks               : 8\n"
    "xfersize            : 1 MiB\n"
    "\n"
    "Results:\n"
    "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)\n"
    "write     1500.25    1500.25    0.005       65536      1024.00\n"
    "read      2367.21    2367.21    0.003       65536      1024.00\n";
constexpr std::string_view kReportAsText =
    "of 6 lines with numbers 4 are a name and a value, settings and counts, no result among them; not understood: "
    "line 12 \"write     1500.25    1500.25    0.005       65536      1024.\", "
    "line 13 \"read      2367.21    2367.21    0.003       65536      1024.\"";

TEST(KnownTools, are_told_by_their_banner_alone) {
  const auto name = [](std::string_view head) {
    const KnownTool* tool = known_tool(head);
    return tool == nullptr ? std::string_view() : tool->name;
  };
  EXPECT_EQ(name(kReport), "iozone");
  EXPECT_EQ(name("GPU log\n==============NVSMI LOG==============\n"), "nvidia-smi -q");
  EXPECT_EQ(name("latency: 5 ms # as Iozone: Performance Test of File I/O says\n"), "");
  EXPECT_EQ(name(""), "");
}

TEST(KnownTools, output_of_one_is_refused_by_readers_of_any_text) {
  EXPECT_EQ(refused(kReport, ""),
            "this is what iozone prints, for which there is no reader; as key-value: " + std::string(kReportAsText) +
                " | put its table as CSV; to compare what is understood and nothing else: --format key-value | result");
  EXPECT_EQ(refused("{\"sysstat\": {\"hosts\": [{\"idle\": 5.5}]}}\n", "").substr(0, 93),
            "this is what sysstat (sar, iostat, mpstat) prints, for which there is no reader; as generic-j");
}

TEST(KnownTools, one_that_no_format_fits_is_named_as_well) {
  EXPECT_EQ(refused("\tIozone: Performance Test of File I/O\n", ""),
            "this is what iozone prints, for which there is no reader | put its table as CSV | result");
}

TEST(KnownTools, what_other_systems_say_of_two_runs_is_refused_with_the_way_to_their_files) {
  EXPECT_EQ(
      refused("                 Envelope diff\n\u2503 Metric \u2503 Baseline \u2503 Candidate \u2503\n\u2502 ttft_p99_ms \u2502 "
              "85.24 \u2502 55.79 \u2502\n",
              ""),
      "this is a comparison that envelope diff printed, not a measurement | give the two envelopes that it compared | result");
  EXPECT_EQ(refused("=====\n  [Test 1] Total Time Regression Summary\n=====\nCase    Actual  Baseline  Status\nm-decode  53.2ms  "
                    "56.7ms  PASS\n",
                    ""),
            "this is a comparison that msmodeling's summary printed, not a measurement | give a case and the table that the "
            "simulator printed for it, which are read | result");
}

TEST(Refused, a_key_is_no_measurement) {
  EXPECT_EQ(
      refused("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n", ""),
      "a key, a certificate or a signature (PEM), no measurement | `plumbline verify --trust` takes public keys; a measurement "
      "is what a tool wrote | result");
}

TEST(Refused, rows_of_netperf_with_more_values_than_names_say_why) {
  EXPECT_EQ(
      refused("MIGRATED UDP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.2 () port 20001 AF_INET\n"
              "Throughput,Throughput Units,Local Transport Retransmissions\n1802.5,10^6bits/s,-1,-1\n",
              ""),
      "no result of netperf that is read: no row below its heading | tables with processor utilisation (-c, -C) and chosen "
      "columns (-O) are not read: `netperf \u2026 -- -o` writes CSV, which is; of CSV each row has to have as many values as its "
      "heading has names, else nobody can tell which is which | result:1");
}

TEST(KnownTools, a_comparison_is_refused_with_the_way_to_its_two_files) {
  const std::string said =
      "this is a comparison that benchcmp printed, not a measurement | give the two files that it compared: the text of "
      "`go test -bench` of each side | result";
  EXPECT_EQ(refused("benchmark           old ns/op     new ns/op     delta\n"
                    "BenchmarkConcat     523           68.6          -86.88%\n"
                    "BenchmarkSplit      500           250           -50.00%\n",
                    ""),
            said);
  EXPECT_EQ(
      refused("benchmark           old MB/s     new MB/s     speedup\nBenchmarkConcat     100.00       200.00       2.00x\n", ""),
      said);
  EXPECT_EQ(
      refused("All benchmarks:\n\n       before           after         ratio\n     [b48e4c87]       [37f21d33]\n"
              "      2.50+-0.01ms     1.21+-0.02ms     0.48  suite.time_keys\n",
              ""),
      "this is a comparison that asv compare printed, not a measurement | give the two files of .asv/results that it compared "
      "| result");
}

TEST(Criterion, the_file_that_names_a_benchmark_measures_none) {
  EXPECT_EQ(refused("{\"group_id\":\"sort\",\"function_id\":\"quick\",\"value_str\":\"1000\",\"throughput\":{\"Elements\":1000},"
                    "\"full_id\":\"sort/quick/1000\",\"directory_name\":\"sort/quick/1000\",\"title\":\"sort/quick/1000\"}",
                    ""),
            "this is criterion's benchmark.json, which names a benchmark and measures none | give estimates.json or sample.json, "
            "which lie beside it, or the folder target/criterion | result");
}

TEST(KnownTools, whoever_names_the_format_has_it_read) {
  EXPECT_EQ(refused(kReport, "key-value"), "read");
  EXPECT_EQ(refused("{\"sysstat\": {\"hosts\": [{\"idle\": 5.5}]}}\n", "generic-json"), "read");
}

TEST(KeyValue, settings_are_not_compared_for_results_that_were_not_understood) {
  const std::string text(kReport.substr(kReport.find("TestID")));  // as from a tool that nobody knows
  EXPECT_EQ(refused(text, ""),
            replaced(replaced(std::string(kReportAsText), "line 12", "line 11"), "line 13", "line 12") +
                " | write the results as \"name: value unit\", JSON or CSV; to compare what was understood and nothing else: "
                "--format key-value | result");
  EXPECT_EQ(refused(text, "key-value"), "read");
  EXPECT_EQ(refused(text + "bandwidth: 2367 MB/s\n", ""), "read") << "a result was understood, and the rest is told";
}

TEST(KeyValue, half_of_the_lines_with_numbers_have_to_be_understood) {
  const std::string understood = "latency: 5 ms\nbandwidth: 7 GB/s\nnote: a\nwriter: b\nreader: c\nmode: d\n";
  EXPECT_EQ(refused(understood + "copy 3.5 GB/s\nscale 3.6 GB/s\n", ""), "read");
  EXPECT_EQ(
      refused(understood + "copy 3.5 GB/s\nscale 3.6 GB/s\nadd 3.7 GB/s\n", ""),
      "of 5 lines with numbers 2 are a name and a value; not understood: line 7 \"copy 3.5 GB/s\", line 8 \"scale 3.6 GB/s\", "
      "line 9 \"add 3.7 GB/s\" | write the results as \"name: value unit\", JSON or CSV; to compare what was understood and "
      "nothing else: --format key-value | result");
  EXPECT_EQ(refused(understood + "copy: 3.5 GB/s, 4 runs\nscale: 3.6 GB/s, 4 runs\nadd: 3.7 GB/s, 4 runs\n", "").substr(0, 25),
            "of 5 lines with numbers 2");
}

TEST(KeyValue, what_was_left_is_told) {
  const auto m = measured("latency: 5 ms\nwarming up\ncopy 3.5 GB/s\nbandwidth: 7 GB/s\nthreads: 4\nruns: 2\n");
  ASSERT_TRUE(m);
  ASSERT_EQ(m->warnings.size(), 1U);
  EXPECT_EQ(
      m->warnings[0].message,
      "2 lines are no name and value and not read, the first at line 2; 1 line holds numbers that were not understood: line 3 "
      "\"copy 3.5 GB/s\"");
}

}  // namespace
}  // namespace plumbline::formats
