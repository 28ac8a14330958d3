// What must not become the trials of one row, and tables that look like a tool's and are not: points that differ in something no
// rule of names knows, runs of one program in one log, and the next table of a page.
#include <gtest/gtest.h>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

// Why the records of this JSON are no trials of each other; "trials" where they are.
std::string kept_apart_by(const std::string& json) {
  const std::string listing = listing_of(json);
  const bool duplicates = has(listing, "duplicate");
  const std::string warning = warning_of(json, "different_records");
  EXPECT_EQ(duplicates, !warning.empty()) << listing;
  if (warning.empty()) return "trials";
  const std::size_t open = warning.find('"') + 1;
  return warning.substr(open, warning.find('"', open) - open);
}

TEST(RepeatedRecords, that_differ_in_more_than_the_measurement_are_no_trials) {
  const std::pair<std::string, std::string> kCases[] = {
      // The same values at every point, each once.
      {R"([{"gpu":"H","message_kb":1.5,"bw":9},{"gpu":"H","message_kb":7,"bw":90},
           {"gpu":"A","message_kb":7,"bw":50},{"gpu":"A","message_kb":1.5,"bw":5}])",
       "message_kb"},
      // Round ones in their order.
      {R"([{"op":"x","work":128,"ms":10.5},{"op":"x","work":4096,"ms":100.5}])", "work"},
      {R"([{"op":"x","params":{"kb":64},"ms":10.5},{"op":"x","params":{"kb":1},"ms":100.5}])", "params.kb"},
      {R"([{"op":"x","file":"a.json","ms":1},{"op":"x","file":"b.json","ms":9}])", "file"},
      {R"([{"op":"x","commit":"abc","ms":1},{"op":"x","commit":"def","ms":9}])", "commit"},
      {R"([{"op":"x","status":"ok","ms":10},{"op":"x","status":"failed","ms":0}])", "status"},
      {R"([{"op":"x","error":null,"ms":10},{"op":"x","error":"out of memory","ms":0}])", "error"},
      {R"([{"op":"x","compiled":true,"ms":10},{"op":"x","compiled":false,"ms":20}])", "compiled"},
      {R"([{"op":"x","shape":[1,2],"ms":10},{"op":"x","shape":[64,2],"ms":20}])", "shape"},
      {R"([{"op":"x","latency":{"value":5,"unit":"ms"}},{"op":"x","latency":{"value":0.005,"unit":"s"}}])", "latency.unit"},
      {R"([{"op":"x","ms":10},{"op":"x","ms":"OOM"}])", "ms"},
  };
  for (const auto& [json, field] : kCases) EXPECT_EQ(kept_apart_by(json), field) << json;
  EXPECT_EQ(
      warning_of(R"([{"op":"x","file":"a","ms":1},{"op":"x","file":"b","ms":9}])", "different_records"),
      "records of one point differ in \"file\", so they are not its trials: these rows are invalid as duplicates: \"op=x\"");
  EXPECT_EQ(warning_of(R"({"a":[{"op":"x","file":"a","ms":1},{"op":"x","file":"b","ms":9}],
                           "b":[{"op":"y","status":"ok","ms":1},{"op":"y","status":"no","ms":9}]})",
                       "different_records"),
            "records of one point differ in \"file\", so they are not its trials: these rows are invalid as duplicates: "
            "\"op=x\", the first of 2 such lists");
}

TEST(Records, of_a_distribution_are_told_apart_by_the_percentage_that_they_begin_with) {
  EXPECT_EQ(listing_of(R"({"latencies": [{"percentage": 50, "latency": 7}, {"percentage": 95, "latency": 8},
                          {"percentage": 99, "latency": 9}]})"),
            "generic-json\n"
            "latencies[percentage=50].latency = 7 lower-is-better\n"
            "latencies[percentage=95].latency = 8 lower-is-better\n"
            "latencies[percentage=99].latency = 9 lower-is-better\n");
  const auto keeps = [](std::string_view records) { return listing_of(records).find(".percentage = ") != std::string::npos; };
  EXPECT_TRUE(keeps(R"({"a": [{"le": 1, "percentage": 20.5}, {"le": 2, "percentage": 60.5}, {"le": 3, "percentage": 100}]})"))
      << "what was measured stands behind";
  EXPECT_TRUE(keeps(R"({"a": [{"percentage": 50, "x1": 2}, {"percentage": 40, "x1": 3}, {"percentage": 60, "x1": 3}]})"))
      << "or does not rise";
  EXPECT_TRUE(keeps(R"({"a": [{"percentage": 50, "x1": 2}, {"percentage": 60, "x1": 3}]})")) << "two rise by chance";
  EXPECT_TRUE(keeps(R"({"a": [{"percentage": 50, "x1": 2}, {"percentage": 60, "x1": 3}, {"percentage": 130, "x1": 4}]})"))
      << "no more than all";
}

TEST(RepeatedLines, that_differ_in_a_setting_are_told_apart_by_it) {
  EXPECT_EQ(listing_of("gpu,message_kb,bw (GB/s)\nH,1.5,9\nH,7,90\nA,7,50\nA,1.5,5\n", "t.csv"),
            "csv\n"
            "[gpu=H,message_kb=1.5].bw = 9 [GB/s] higher-is-better\n"
            "[gpu=H,message_kb=7].bw = 90 [GB/s] higher-is-better\n"
            "[gpu=A,message_kb=7].bw = 50 [GB/s] higher-is-better\n"
            "[gpu=A,message_kb=1.5].bw = 5 [GB/s] higher-is-better\n");
  EXPECT_EQ(listing_of("message_kb,bw (GB/s)\n1,9\n8,90\n", "t.csv"),
            "csv\n"
            "[message_kb=1].bw = 9 [GB/s] higher-is-better\n"
            "[message_kb=8].bw = 90 [GB/s] higher-is-better\n");
  // Not every point was measured with every setting.
  EXPECT_EQ(listing_of("test,G,H,bw (GB/s)\na,4,1,9\na,8,1,90\nb,4,1,50\n", "t.csv"),
            "csv\n"
            "[test=a,G=4].H = 1 unknown\n"
            "[test=a,G=4].bw = 9 [GB/s] higher-is-better\n"
            "[test=a,G=8].H = 1 unknown\n"
            "[test=a,G=8].bw = 90 [GB/s] higher-is-better\n"
            "[test=b,G=4].H = 1 unknown\n"
            "[test=b,G=4].bw = 50 [GB/s] higher-is-better\n");
}

TEST(RepeatedLines, that_differ_in_a_setting_no_table_can_be_told_by_are_no_trials) {
  EXPECT_EQ(warning_of("gpu,status,bw (GB/s)\nH,good,9\nH,bad,90\n", "different_records"),
            "records of one point differ in \"status\", so they are not its trials: these rows are invalid as duplicates: "
            "\"gpu=H\"");
  EXPECT_EQ(listing_of("gpu,rep,bw (GB/s)\nH,1,9.5\nH,2,9.25\nA,1,5.5\nA,2,5.25\n", "t.csv"),
            "csv\n"
            "[gpu=H].rep = 1 2 unknown\n"
            "[gpu=H].bw = 9.5 9.25 [GB/s] higher-is-better\n"
            "[gpu=A].rep = 1 2 unknown\n"
            "[gpu=A].bw = 5.5 5.25 [GB/s] higher-is-better\n");
}

TEST(RepeatedRecords, may_differ_in_when_they_ran_what_they_are_called_and_what_was_measured) {
  for (const char* json : {
           R"([{"op":"x","ms":3},{"op":"x","ms":4}])",
           R"([{"op":"x","timestamp":"2026-01-01","start_ts":1,"run_id":"a","ms":3.5},
               {"op":"x","timestamp":"2026-01-02","start_ts":2,"run_id":"b","ms":4.5}])",
           R"([{"op":"x","rep":0,"ms":3.5},{"op":"x","rep":1,"ms":4.5},{"op":"y","rep":0,"ms":3.5},{"op":"y","rep":1,"ms":4.5}])",
           R"([{"op":"x","widgets":512,"ms":3.5},{"op":"x","widgets":530,"ms":4.5}])",
           R"([{"op":"x","calls":1000,"ms":3.5},{"op":"x","calls":1000,"ms":4.5}])",
           R"([{"op":"x","lat":[1,2],"ms":3.5},{"op":"x","lat":[3,4],"ms":4.5}])",
           R"([{"op":"x","failed":0,"ms":3.5},{"op":"x","failed":1,"ms":4.5}])",
           R"([{"op":"x","ms":null},{"op":"x","ms":4.5},{"op":"x","ms":5.5}])",
       }) {
    EXPECT_EQ(kept_apart_by(json), "trials") << json;
  }
}

TEST(RepeatedRecords, lines_of_a_markdown_table_are_held_to_the_same) {
  const std::string table = "| gpu | message_kb | bw_gbps |\n|---|---|---|\n| H | 1 | 10 |\n| H | 64 | 100 |\n";
  const std::string listing = listing_of(table);
  EXPECT_TRUE(has(listing, "[gpu=H].bw_gbps = 10 [gbps] higher-is-better duplicate\n")) << listing;
  EXPECT_TRUE(has(listing, "! different_records\n")) << listing;
  EXPECT_TRUE(has(listing_of("| gpu | bw_gbps |\n|---|---|\n| H | 10.5 ± 0.1 |\n| H | 11.5 ± 0.2 |\n"),
                  "[gpu=H].bw_gbps = 10.5 11.5 [gbps] higher-is-better\n"));
}

TEST(GoogleBenchmarkText, a_name_under_a_second_header_is_another_run_and_no_repetition) {
  EXPECT_EQ(
      listing_of(
          "Benchmark   Time   CPU   Iterations UserCounters...\nBM_a 10 ns 9 ns 100 misses=1\nBM_a 11 ns 10 ns 100 misses=2\n"
          "Step 10 of 20 of 30\n"
          "Benchmark   Time   CPU   Iterations UserCounters...\nBM_a 20 us 19 us 100 misses=3\n"),
      "google-benchmark-text\n"
      "BM_a.real_time = 10 11 [ns] lower-is-better\n"
      "BM_a.cpu_time = 9 10 [ns] lower-is-better\n"
      "BM_a.misses = 1 2 lower-is-better\n"
      "BM_a[section=2].real_time = 20 [us] lower-is-better\n"
      "BM_a[section=2].cpu_time = 19 [us] lower-is-better\n"
      "BM_a[section=2].misses = 3 lower-is-better\n"
      "headline *.real_time\n"
      "! repeated_sections\n");
}

TEST(BenchmarkDotNetTable, a_paper_that_compares_methods_has_no_times) {
  for (const char* table : {"| Method | Mean | StdDev |\n|---|---|---|\n| Ours | 0.83 | 0.02 |\n",
                            "| Method | Dataset | Mean | Error |\n|---|---|---|---|\n| BERT | GLUE | 83.2 | 0.4 |\n",
                            "Method,Mean,StdDev\nridge,1.5,0.2\nlasso,1.6,0.1\n"}) {
    EXPECT_FALSE(has(listing_of(table), "benchmarkdotnet")) << table;
  }
  // One column without a unit in a table of the tool's is left out: in what, nobody knows.
  EXPECT_EQ(
      listing_of(
          "| Method | Mean | Error | Allocated |\n|---|---|---|---|\n| A | 2.5 μs | 0.5 | 7 |\n| B | C | 1 μs | 1 μs | - |\n"),
      "benchmarkdotnet-table\n"
      "A.Mean = 2500 [ns] lower-is-better\n"
      "headline *.Mean\n"
      "! ragged_lines\n");
}

TEST(HyperfineTable, the_next_table_of_a_page_is_not_its_own) {
  const std::string listing = listing_of(
      "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n| `a \\| b` | 12.5 ± 1.5 | 11 | 14 "
      "| 1.00 "
      "|\n\n| Tool | Stars | Forks | Issues |\n|---|---|---|---|\n| foo | 12 | 3 | 4 |\n");
  EXPECT_TRUE(has(listing, "\na | b.mean = 0.0125 [s] lower-is-better\n")) << listing;
  EXPECT_FALSE(has(listing, "foo")) << listing;
}

TEST(HyperfineTable, a_command_of_several_lines_is_one_in_the_csv_and_a_line_without_times_is_said) {
  const std::string text =
      "command,mean,stddev,median,user,system,min,max\n\"for i in 1 2\ndo work, "
      "hard\ndone\",1.5,0.1,1.4,1,0.5,1.3,1.7\nbroken,,,,,,,\n";
  const std::string listing = listing_of(text);
  EXPECT_TRUE(has(listing, "done.mean = 1.5 [s] lower-is-better\n")) << listing;
  EXPECT_EQ(warning_of(text, "unread_lines"), "1 line of the CSV without a time of a command, and left out");
}

TEST(PytestBenchmarkTable, a_line_of_the_csv_that_lacks_a_cell_is_said) {
  EXPECT_EQ(listing_of("name,min,max,mean,stddev,rounds\ntest_a,1,2,1.5,0.5,10\ntest_b,1,2,1.5\n"),
            "pytest-benchmark-table\n"
            "test_a.min = 1 [s] context\n"
            "test_a.max = 2 [s] context\n"
            "test_a.mean = 1.5 [s] lower-is-better\n"
            "test_a.stddev = 0.5 [s] noise\n"
            "test_a.rounds = 10 context\n"
            "headline *.median\n"
            "headline *.mean\n"
            "! ragged_lines\n");
}

TEST(Benchstat, a_unit_of_ones_own_has_its_section_too) {
  const std::string table = "      │ a.txt │\n      │ hits/op │\nFoo-8   12.5 ± 1%\n\n";
  const std::string listing = listing_of(table + table);
  EXPECT_TRUE(has(listing, "\nFoo-8[section=2].hits/op = 12.5")) << listing;
  EXPECT_FALSE(has(listing, "duplicate")) << listing;
}

// Files of other tools, and of people, that share a word or a shape with a tool's own.
TEST(Lookalikes, are_read_as_what_they_are_or_not_at_all) {
  const std::pair<const char*, const char*> kCases[] = {
      {"| Command | Mean | Min | Max |\n|---|---|---|---|\n| a | 1 | 2 | 3 |\n", "markdown-table"},
      {"command,mean,stddev\nfoo,1,2\nbar,3,4\n", "csv"},
      {"| Command | Time [ms] | Relative |\n|---|---|---|\n| a | 12 ± 1 | 1.0 |\n", "markdown-table"},
      {"Benchmark,Mode,Threads,Score\nfoo,thrpt,1,3.2\n", "csv"},
      {"name,iterations,real_time,cpu_time\nfoo,100,12,13\n", "csv"},
      {"name,mean,stddev,min,max\nfoo,1,0.1,0.9,1.1\nbar,2,0.1,1.9,2.1\n", "csv"},
      {"name,mean,stddev,rounds,cost\nfoo,1,0.1,10,3\n", "csv"},
      {"name,requests/sec\nfoo,12\nbar,14\n", "csv"},
      {"name,old,new,delta\nfoo,1,2,+100%\n", "csv"},
      {R"({"lastUpdate":1,"repoUrl":"x","numbers":[1,2]})", "generic-json"},
      {R"({"results":{"ttft":{"value":1.5,"unit":"ms"}}})", "generic-json"},
      {R"({"metrics":{"foo":{"kind":"x","values":{"a":1}}}})", "generic-json"},
      {"| Benchmark | Time | CPU | Iterations |\n|---|---|---|---|\n| foo | 12 ns | 13 ns | 1000 |\n", "markdown-table"},
      {"| name | old time/op | new time/op | delta |\n|---|---|---|---|\n| Foo | 12ms | 13ms | +8% |\n", "markdown-table"},
      {"| Benchmark | Mode | Cnt | Score | Error | Units |\n|---|---|---|---|---|---|\n| foo | thrpt | 5 | 12.5 | 0.5 | ops/s "
       "|\n",
       "markdown-table"},
  };
  for (const auto& [text, format] : kCases) {
    const std::string listing = listing_of(text);
    EXPECT_EQ(listing.substr(0, listing.find('\n')), format) << text;
  }
}

}  // namespace
}  // namespace plumbline::formats
