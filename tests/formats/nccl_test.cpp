// Collectives as nccl-tests and rccl-tests write them, printed and as JSON: the rows that come of them.
#include <gtest/gtest.h>

#include <string>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(NcclTests, a_table_is_points_of_a_collective) {
  EXPECT_EQ(rows("nccl_tests.txt"),
            "nccl-tests\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=out].time = 18.2 [us] lower-is-better\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=out].algbw = 0.06 [GB/s] context\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=out].busbw = 0.08 [GB/s] context\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=out].#wrong = 0 gate lower-is-better\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=in].time = 17.9 [us] lower-is-better\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=in].algbw = 0.06 [GB/s] context\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=in].busbw = 0.09 [GB/s] context\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=in].#wrong = 0 gate lower-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=out].time = 42.5 [us] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=out].algbw = 24.67 [GB/s] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=out].busbw = 37.01 [GB/s] higher-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=out].#wrong = 0 gate lower-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=in].time = 42.1 [us] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=in].algbw = 24.91 [GB/s] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=in].busbw = 37.36 [GB/s] higher-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=in].#wrong = 0 gate lower-is-better\n"
            "all_reduce[ranks=4].out_of_bounds = 0 gate lower-is-better\n"
            "all_reduce[ranks=4].avg_bus_bandwidth = 18.635 [GB/s] context\n"
            "context hardware.gpu = NVIDIA H100 80GB HBM3\n"
            "context parallelism.nodes = 2\n"
            "context parallelism.ranks = 4\n"
            "context regime.cuda_graph = 0\n"
            "context regime.iterations = 20\n"
            "context regime.warmup = 5\n"
            "context stack.nccl = 2.28.3\n"
            "context stack.nccl_tests = 2.17.1\n"
            "context workload.collective = all_reduce\n"
            "context workload.dtype = float\n"
            "context workload.redop = sum\n"
            "headline all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=out].busbw\n");
}

TEST(NcclTests, old_releases_have_no_root_and_no_name) {
  EXPECT_EQ(rows("nccl_tests_old.txt"),
            "nccl-tests\n"
            "collective[size=8388608,dtype=float,ranks=2,place=out].time = 121.1 [us] context\n"
            "collective[size=8388608,dtype=float,ranks=2,place=out].algbw = 69.28 [GB/s] context\n"
            "collective[size=8388608,dtype=float,ranks=2,place=out].busbw = 34.64 [GB/s] higher-is-better\n"
            "collective[size=8388608,dtype=float,ranks=2,place=out].error = context null 'N/A'\n"
            "collective[size=8388608,dtype=float,ranks=2,place=in].time = 120.6 [us] context\n"
            "collective[size=8388608,dtype=float,ranks=2,place=in].algbw = 69.56 [GB/s] context\n"
            "collective[size=8388608,dtype=float,ranks=2,place=in].busbw = 34.78 [GB/s] higher-is-better\n"
            "collective[size=8388608,dtype=float,ranks=2,place=in].error = context null 'N/A'\n"
            "collective[ranks=2].out_of_bounds = 0 gate lower-is-better\n"
            "collective[ranks=2].avg_bus_bandwidth = 34.71 [GB/s] context\n"
            "context environment.hostname = localhost\n"
            "context hardware.gpu = A100-SXM4-40GB\n"
            "context parallelism.nodes = 1\n"
            "context parallelism.ranks = 2\n"
            "context regime.iterations = 20\n"
            "context regime.warmup = 5\n"
            "context workload.dtype = float\n"
            "headline collective[size=8388608,dtype=float,ranks=2,place=out].busbw\n"
            "! name_guessed\n");
}

TEST(NcclTests, json_gives_the_rows_of_the_text) {
  EXPECT_EQ(rows("nccl_tests.json"),
            "nccl-tests-json\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=out].time = 40.5 [us] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=out].algbw = 25.89 [GB/s] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=out].busbw = 25.89 [GB/s] higher-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=out].#wrong = 0 gate lower-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=out].iteration_min = 40 [us] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=out].iteration_max = 41 [us] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=out].iteration_p99 = 41 [us] lower-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=out].iteration_cv = 0.8 [%] noise\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=out].iteration_time = 40 40.5 41 [us] lower-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=in].time = 39.5 [us] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=in].algbw = 26.55 [GB/s] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=in].busbw = 26.55 [GB/s] higher-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=in].#wrong = gate lower-is-better null 'N/A'\n"
            "all_reduce[ranks=2].out_of_bounds = 0 gate lower-is-better\n"
            "all_reduce[ranks=2].avg_bus_bandwidth = 26.22 [GB/s] context\n"
            "context environment.hostname = node-a\n"
            "context hardware.gpu = NVIDIA H100 80GB HBM3\n"
            "context parallelism.nodes = 1\n"
            "context parallelism.ranks = 2\n"
            "context stack.nccl = 2.28.3\n"
            "context workload.collective = all_reduce\n"
            "context workload.dtype = float\n"
            "context workload.redop = sum\n"
            "headline all_reduce[size=1048576,dtype=float,redop=sum,ranks=2,place=out].busbw\n"
            "! environment_in_source\n");
}

TEST(NcclTests, rccl_writes_a_line_a_point) {
  EXPECT_EQ(rows("rccl_tests.jsonl"),
            "nccl-tests-json\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=8,place=out].time = 34.38 [us] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=8,place=out].algbw = 30.5 [GB/s] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=8,place=out].busbw = 53.375 [GB/s] higher-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=8,place=out].#wrong = 0 gate lower-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=8,place=in].time = 33.29 [us] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=8,place=in].algbw = 31.5 [GB/s] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=8,place=in].busbw = 55.125 [GB/s] higher-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=8,place=in].#wrong = 0 gate lower-is-better\n"
            "context workload.collective = all_reduce\n"
            "context workload.dtype = float\n"
            "context workload.redop = sum\n"
            "headline all_reduce[size=1048576,dtype=float,redop=sum,ranks=8,place=out].busbw\n"
            "! json_lines\n");
}

TEST(NcclTests, wrong_results_are_a_gate_and_their_speed_is_none) {
  const std::string text = listing_of(replaced(fixture("nccl_tests.txt"), "37.01       0", "37.01       7"));
  EXPECT_TRUE(has(text, "ranks=4,place=out].#wrong = 7 gate lower-is-better\n")) << text;
  EXPECT_TRUE(has(
      text, "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=out].busbw = [GB/s] higher-is-better failed '37.01'\n"))
      << text;
  EXPECT_TRUE(has(text, "place=in].busbw = 37.36 [GB/s] higher-is-better\n")) << text;
}

TEST(NcclTests, a_second_run_in_the_log_has_rows_of_its_own) {
  const std::string one = fixture("nccl_tests.txt");
  const std::string text = listing_of(one + replaced(one, "37.01", " 3.70"));
  EXPECT_TRUE(
      has(text, "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=out].busbw = 37.01 [GB/s] higher-is-better\n"))
      << text;
  EXPECT_TRUE(has(
      text, "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=out,section=2].busbw = 3.7 [GB/s] higher-is-better\n"))
      << text;
  EXPECT_TRUE(has(text, "! repeated_sections\n")) << text;
}

TEST(NcclTests, cycles_in_one_table_are_trials) {
  const std::string row =
      "     1048576        262144     float     sum      -1    42.50   24.67   37.01       0    42.10   24.91   37.36       0\n";
  const std::string text = listing_of(replaced(fixture("nccl_tests.txt"), row, row + replaced(row, "37.01", "36.90")));
  EXPECT_TRUE(has(text, "place=out].busbw = 37.01 36.9 [GB/s] higher-is-better\n")) << text;
  EXPECT_FALSE(has(text, "duplicate")) << text;
}

TEST(NcclTests, columns_are_found_by_their_names) {
  const std::string table =
      "#       size         count      type   redop    root  cputime   algbw   busbw  #wrong   i_min   i_max   i_p99   i_cv%  "
      "cputime   "
      "algbw   busbw  #wrong   i_min   i_max   i_p99   i_cv%\n"
      "        1024           256     float     sum      -1    18.20    0.06    0.08    N/A   17.0   20.0   19.5   2.5    17.90  "
      "  0.06    0.09    "
      "N/A   17.0   19.0   18.5   1.5\n"
      "        2048           512     float     sum      -1                                    16.90    0.12    0.18    N/A   "
      "16.0   18.0   17.5   1.0\n"
      "# Out of bounds values : 0 OK\n";
  const std::string text = listing_of(table, "allreduce.log");
  EXPECT_TRUE(has(text, "all_reduce[size=1024,dtype=float,redop=sum,place=out].cpu_time = 18.2 [us] lower-is-better\n")) << text;
  EXPECT_TRUE(has(text, "all_reduce[size=1024,dtype=float,redop=sum,place=out].iteration_p99 = 19.5 [us] lower-is-better\n"))
      << text;
  EXPECT_TRUE(has(text, "all_reduce[size=1024,dtype=float,redop=sum,place=in].iteration_cv = 1.5 [%] noise\n")) << text;
  // A replayed trace prints in place only.
  EXPECT_TRUE(has(text, "all_reduce[size=2048,dtype=float,redop=sum,place=in].cpu_time = 16.9 [us] lower-is-better\n")) << text;
  EXPECT_FALSE(has(text, "size=2048,dtype=float,redop=sum,place=out")) << text;
  EXPECT_TRUE(has(text, "! name_guessed\n")) << text;
  // However many tables there are.
  const std::string thrice = listing_of(table + table + table, "allreduce.log");
  EXPECT_EQ(thrice.find("! name_guessed"), thrice.rfind("! name_guessed")) << thrice;
}

TEST(NcclTests, launchers_and_colours_are_no_part_of_a_line) {
  std::string prefixed;
  const std::string text = fixture("nccl_tests.txt");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    prefixed += "[1,0]<stdout>:\x1B[32m" + text.substr(at, end - at - 1) + "\x1B[0m\r\n";
    at = end;
  }
  EXPECT_EQ(listing_of(prefixed, "nccl_tests.txt"), rows("nccl_tests.txt"));
}

TEST(NcclTests, a_run_that_ended_early_is_told_with_its_line) {
  const std::string text = fixture("nccl_tests.txt");
  EXPECT_EQ(problem(first_lines(text, 14)),
            "run.log:13: the table has a header and no results | the run ended before its first result: see the log for why, and "
            "run it again");
  EXPECT_EQ(problem(text.substr(0, text.find("   42.10"))),
            "run.log:16: the file ends inside a row of results | the copy is incomplete or the run was stopped; copy it again or "
            "run it again");
  EXPECT_TRUE(has(listing_of(first_lines(text, 15)), "! run_incomplete\n"));
  const std::string json = fixture("nccl_tests.json");
  const std::string open = listing_of(json.substr(0, json.find("\"out_of_bounds\"")), "r.json");
  EXPECT_TRUE(has(open, "time = 40 40.5 41")) << open;
  EXPECT_TRUE(has(open, "out_of_bounds = gate lower-is-better failed 'the run ended before its check'\n")) << open;
  EXPECT_TRUE(has(open, "! run_incomplete\n")) << open;
  EXPECT_TRUE(has(problem(json.substr(0, json.find("\"in_place\"")), "r.json"), "nccl-tests writes its JSON while it runs"));
}

TEST(NcclTests, a_collective_that_failed_takes_nothing_from_the_others_of_its_log) {
  const std::string text = fixture("nccl_tests.txt");
  const std::string failed = replaced(first_lines(text, 14), "all_reduce_perf", "all_gather_perf");
  for (const std::string& log : {text + failed, failed + text}) {
    const std::string listing = listing_of(log);
    EXPECT_TRUE(has(listing, "size=1048576,dtype=float,redop=sum,ranks=4,place=out].busbw = 37.01")) << listing;
    EXPECT_TRUE(has(listing, "! run_incomplete\n")) << listing;
    EXPECT_FALSE(has(listing, "all_gather[")) << listing;
  }
}

TEST(NcclTests, an_environment_in_the_json_stays_there) {
  EXPECT_FALSE(has(rows("nccl_tests.json"), "secret"));
  EXPECT_FALSE(has(rows("nccl_tests.json"), "HOME"));
}

TEST(NcclTests, figures_that_contradict_each_other_are_not_compared) {
  // Gb/s under a header that says GB/s.
  const std::string lie =
      replaced(replaced(fixture("nccl_tests.txt"), "24.67   37.01", "197.4   296.1"), "24.91   37.36", "24.91   37.36");
  const std::string text = listing_of(lie, "nccl_tests.txt");
  const std::string point = "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=out].";
  EXPECT_TRUE(has(text, point + "busbw = [GB/s] higher-is-better failed 'size / time is not algbw'\n")) << text;
  EXPECT_TRUE(has(text, point + "time = [us] context failed 'size / time is not algbw'\n")) << text;
  EXPECT_TRUE(has(text, point + "#wrong = 0 gate lower-is-better\n")) << text;
  EXPECT_TRUE(has(text, "place=in].busbw = 37.36 [GB/s] higher-is-better\n")) << text;
  EXPECT_TRUE(has(text, "headline " + point + "busbw\n")) << text;
  EXPECT_EQ(warning_of(lie, "unit_mismatch"),
            "1 point contradicts itself and is not compared, so one of the units is false: first \"" + point +
                "algbw\" of 197.4 GB/s, where 1048576 bytes in 42.5 us are 24.6724 GB/s");
  // The same in JSON, its iterations too; a time in ms is as false as a bandwidth in Gb/s.
  const std::string json = listing_of(replaced(fixture("nccl_tests.json"), "\"time\":40.5", "\"time\":0.0405"), "r.json");
  EXPECT_TRUE(has(json, "place=out].busbw = [GB/s] higher-is-better failed 'size / time is not algbw'\n")) << json;
  EXPECT_TRUE(has(json, "place=out].iteration_time = [us] lower-is-better failed 'size / time is not algbw'\n")) << json;
  EXPECT_TRUE(has(json, "place=in].busbw = 26.55 [GB/s] higher-is-better\n")) << json;
}

TEST(NcclTests, rounding_and_the_factors_of_collectives_are_no_contradiction) {
  // 0.06 is all that is printed of 0.0563; a hypercube of two ranks moves half of its size; the CPU's time is not the
  // collective's.
  EXPECT_EQ(warning_of(fixture("nccl_tests.txt"), "unit_mismatch"), "");
  EXPECT_EQ(warning_of(replaced(fixture("nccl_tests.txt"), "24.67   37.01", "12.33   18.50"), "unit_mismatch"), "");
  EXPECT_EQ(warning_of(replaced(replaced(fixture("nccl_tests.txt"), "    time   algbw", " cputime   algbw"), "42.50   24.67",
                                "  0.4   24.67"),
                       "unit_mismatch"),
            "");
}

}  // namespace
}  // namespace plumbline::formats
