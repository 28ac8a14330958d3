// Tables and texts that harnesses write beside their JSON: JMH, Google Benchmark, BenchmarkDotNet, hyperfine, pytest-benchmark,
// Catch2 without analysis, and what continuous benchmarking keeps. Numbers are our own; shapes are those of the tools' sources.
#include <gtest/gtest.h>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(JmhTable, one_line_is_one_metric_and_what_stands_behind_a_colon_belongs_to_the_name_before_it) {
  EXPECT_EQ(rows("jmh_table.txt"), R"(jmh-table
Codec.encode[mode=thrpt,size=64].score = 528.857 [ops/ms] higher-is-better
Codec.encode[mode=thrpt,size=64].scoreError = 27.142 [ops/ms] noise
Codec.encode[mode=thrpt,size=64].gc.alloc.rate = 900.5 [MB/sec] context
Codec.encode[mode=thrpt,size=64].gc.alloc.rateError = 3 [MB/sec] noise
Codec.encode[mode=thrpt,size=64].gc.alloc.rate.norm = 24 [B/op] lower-is-better
Codec.encode[mode=thrpt,size=64].gc.alloc.rate.normError = 0.001 [B/op] noise
Codec.encode[mode=thrpt,size=4096].score = 120.5 [ops/ms] higher-is-better
Codec.group[mode=avgt].score = 1.25 [us/op] lower-is-better
Codec.group[mode=avgt].scoreError = 0.05 [us/op] noise
Codec.group[mode=avgt].put = 2.25 [us/op] lower-is-better
Codec.group[mode=avgt].putError = 0.15 [us/op] noise
Codec.tiny[mode=avgt].score = 0.0001 [ms/op] context
Codec.call[mode=sample].score = 7.25 [us/op] lower-is-better
Codec.call[mode=sample].scoreError = 0.01 [us/op] noise
Codec.call[mode=sample].p0.00 = 5 [us/op] context
Codec.call[mode=sample].p0.99 = 19.5 [us/op] lower-is-better
Codec.call[mode=sample].p1.00 = 900 [us/op] context
Codec.cold[mode=ss].score = 12.5 [ms/op] lower-is-better
headline *.score
! approximate_values
)");
}

TEST(JmhTable, the_csv_has_the_keys_of_the_json) {
  EXPECT_EQ(rows("jmh.csv"), R"(jmh-table
acme.Codec.encode[mode=thrpt,threads=2,size=64].score = 528.857143 [ops/ms] higher-is-better
acme.Codec.encode[mode=thrpt,threads=2,size=64].scoreError = 27.141953 [ops/ms] noise
acme.Codec.encode[mode=thrpt,threads=2,size=64].gc.alloc.rate.norm = 24 [B/op] lower-is-better
acme.Codec.encode[mode=thrpt,threads=2,size=64].gc.alloc.rate.normError = 0.001 [B/op] noise
acme.Codec.decode[mode=ss,threads=1,size=a "b", c].score = 12.5 [ms/op] lower-is-better
headline *.score
)");
}

TEST(JmhTable, a_header_alone_and_a_line_that_ends_with_its_mode_have_no_score) {
  EXPECT_EQ(refused("Benchmark  Mode  Cnt  Score  Error  Units\n", "jmh-table"),
            "no score under the header of JMH's table | JMH prints \"Benchmark  Mode  Cnt  Score  Error  Units\" and a line a "
            "benchmark | result");
  EXPECT_EQ(listing_of("Benchmark  Mode  Cnt  Score  Error  Units\nCodec a b thrpt\nCodec  a  ss  7\nCodec  ss  7  ms/op\n"),
            "jmh-table\n"
            "Codec[mode=ss].score = 7 [ms/op] lower-is-better\n"
            "headline *.score\n");
}

TEST(Jmh, in_mode_sample_iterations_are_histograms_and_the_tail_is_judged) {
  EXPECT_EQ(listing_of(R"([{"benchmark": "acme.Codec.call", "mode": "sample", "threads": 1,
  "primaryMetric": {"score": 3.0, "scoreUnit": "us/op", "scorePercentiles": {"0.0": 1, "50.0": 2, "99.0": 9, "100.0": 40},
   "rawDataHistogram": [[[[2.0, 3], [6.0, 1]], [[4.0, 2]]]]}, "secondaryMetrics": {}}])"),
            "jmh\n"
            "acme.Codec.call[mode=sample,threads=1].score = 3 4 [us/op] lower-is-better\n"
            "acme.Codec.call[mode=sample,threads=1].p0.0 = 1 [us/op] context\n"
            "acme.Codec.call[mode=sample,threads=1].p50.0 = 2 [us/op] lower-is-better\n"
            "acme.Codec.call[mode=sample,threads=1].p99.0 = 9 [us/op] lower-is-better\n"
            "acme.Codec.call[mode=sample,threads=1].p100.0 = 40 [us/op] context\n"
            "headline *.score\n");
}

TEST(Jmh, methods_of_a_group_and_auxiliary_counters_are_judged_as_their_unit_says) {
  EXPECT_EQ(listing_of(R"([{"benchmark": "acme.Queue.g", "mode": "thrpt", "threads": 2,
  "primaryMetric": {"score": 30.0, "scoreUnit": "ops/us", "rawData": [[30.0]]},
  "secondaryMetrics": {"put": {"score": 20.5, "scoreUnit": "ops/us", "rawData": [[20.0, 21.0]]},
   "gc.count": {"score": 7, "scoreUnit": "counts", "rawData": [[3, 4]]}}},
 {"benchmark": "acme.Queue.odd", "mode": "thrpt", "primaryMetric": {"score": 5.0, "scoreUnit": "s/op"}}])"),
            "jmh\n"
            "acme.Queue.g[mode=thrpt,threads=2].score = 30 [ops/us] higher-is-better\n"
            "acme.Queue.g[mode=thrpt,threads=2].put = 20 21 [ops/us] higher-is-better\n"
            "acme.Queue.g[mode=thrpt,threads=2].gc.count = 7 [counts] context\n"
            "acme.Queue.odd[mode=thrpt].score = 5 [s/op] lower-is-better\n"
            "headline *.score\n");
}

TEST(GoogleBenchmarkText, lines_are_rows_as_the_json_has_them) {
  EXPECT_EQ(rows("google_benchmark.txt"), R"(google-benchmark-text
BM_Sort/8.real_time = 126 125 [us] lower-is-better
BM_Sort/8.cpu_time = 6.59 6.41 [us] lower-is-better
BM_Sort/8.bytes_per_second = 1610612736 2147483648 [B/s] higher-is-better
BM_Sort/8.items_per_second = 1200 1300 [items/s] higher-is-better
BM_Sort/8.p99_ns = 8192 8000 [ns] lower-is-better
BM_Sort/8.mean.real_time = 125 [us] context
BM_Sort/8.mean.cpu_time = 6.5 [us] context
BM_Sort/8.mean.bytes_per_second = 1879048192 [B/s] context
BM_Sort/8.stddev.real_time = 0.707 [us] noise
BM_Sort/8.stddev.cpu_time = 0.127 [us] noise
BM_Sort/8.stddev.bytes_per_second = 379584512 [B/s] noise
BM_Sort/8.cv.real_time = 0.0056 noise
BM_Sort/8.cv.cpu_time = 0.0195 noise
read (pcap).real_time = 52257508 [ns] lower-is-better
read (pcap).cpu_time = 10274420 [ns] lower-is-better
find_mean.real_time = 4.5 [ns] lower-is-better
find_mean.cpu_time = 4.4 [ns] lower-is-better
BM_Copy/8.real_time = 54 [ns] lower-is-better
BM_Copy/8.cpu_time = 54 [ns] lower-is-better
BM_Copy/8.bytes_per_second = 67108864 [B/s] higher-is-better
BM_Copy/8.items_per_second = 1500000 [items/s] higher-is-better
BM_Device.real_time = 0 [ns] lower-is-better failed 'no such device'
context hardware.cpu_mhz = 4300
context hardware.num_cpus = 6
context regime.cpu_scaling = true
headline *.real_time
! cpu_scaling_enabled
)");
}

TEST(GoogleBenchmarkText, the_csv_has_fractions_where_the_console_has_percents) {
  EXPECT_EQ(rows("google_benchmark.csv"), R"(google-benchmark-text
BM_Sort<int, 8>.real_time = 12.5 13.5 [us] lower-is-better
BM_Sort<int, 8>.cpu_time = 12.25 13.25 [us] lower-is-better
BM_Sort<int, 8>.bytes_per_second = 1000000000 2000000000 [B/s] higher-is-better
BM_Sort<int, 8>.depth = 3 3 context
BM_Sort<int, 8>.mean.real_time = 13 [us] context
BM_Sort<int, 8>.mean.cpu_time = 12.75 [us] context
BM_Sort<int, 8>.mean.depth = 3 context
BM_Sort<int, 8>.cv.real_time = 0.05 noise
BM_Sort<int, 8>.cv.cpu_time = 0.06 noise
BM_Sort<int, 8>.cv.depth = 0 noise
BM_Device.real_time = 0 [ns] lower-is-better failed 'no device'
headline *.real_time
)");
}

TEST(GoogleBenchmarkText, counters_in_columns_are_named_by_the_header) {
  EXPECT_EQ(listing_of("-----------------------------------------------------------------\n"
                       "Benchmark        Time             CPU   Iterations   misses  bytes_per_second\n"
                       "-----------------------------------------------------------------\n"
                       "BM_Copy/1      123 ns          120 ns      100000     1.5k      1.5Gi/s\n"),
            "google-benchmark-text\n"
            "BM_Copy/1.real_time = 123 [ns] lower-is-better\n"
            "BM_Copy/1.cpu_time = 120 [ns] lower-is-better\n"
            "BM_Copy/1.misses = 1500 lower-is-better\n"
            "BM_Copy/1.bytes_per_second = 1610612736 [B/s] higher-is-better\n"
            "headline *.real_time\n");
}

TEST(GoogleBenchmark, before_1_5_aggregates_are_told_by_their_names_and_the_company_they_are_in) {
  EXPECT_EQ(listing_of(R"({"context": {"num_cpus": 4, "library_build_type": "release"}, "benchmarks": [
 {"name": "BM_A", "iterations": 10, "real_time": 12, "cpu_time": 11, "time_unit": "ns"},
 {"name": "BM_A", "iterations": 10, "real_time": 13, "cpu_time": 12, "time_unit": "ns"},
 {"name": "BM_A_mean", "iterations": 10, "real_time": 12.5, "cpu_time": 11.5, "time_unit": "ns"},
 {"name": "BM_A_stddev", "iterations": 0, "real_time": 0.5, "cpu_time": 0.5, "time_unit": "ns"},
 {"name": "find_mean", "iterations": 10, "real_time": 5, "cpu_time": 4, "time_unit": "ns"}]})"),
            "google-benchmark\n"
            "BM_A.real_time = 12 13 [ns] lower-is-better\n"
            "BM_A.cpu_time = 11 12 [ns] lower-is-better\n"
            "BM_A.mean.real_time = 12.5 [ns] context\n"
            "BM_A.mean.cpu_time = 11.5 [ns] context\n"
            "BM_A.stddev.real_time = 0.5 [ns] noise\n"
            "BM_A.stddev.cpu_time = 0.5 [ns] noise\n"
            "find_mean.real_time = 5 [ns] lower-is-better\n"
            "find_mean.cpu_time = 4 [ns] lower-is-better\n"
            "context hardware.num_cpus = 4\n"
            "context stack.library_build_type = release\n"
            "headline *.real_time\n");
}

TEST(BenchmarkDotNetTable, times_are_ns_and_memory_bytes_whatever_unit_a_table_has) {
  EXPECT_EQ(rows("benchmarkdotnet.md"), R"(benchmarkdotnet-table
Encode<T>[Job=.NET 6.0,N=500].Mean = 29710 [ns] lower-is-better
Encode<T>[Job=.NET 6.0,N=500].Error = 479 [ns] noise
Encode<T>[Job=.NET 6.0,N=500].StandardDeviation = 448 [ns] noise
Encode<T>[Job=.NET 6.0,N=500].Median = 29500 [ns] lower-is-better
Encode<T>[Job=.NET 6.0,N=500].Gen0Collections = 0.0048 context
Encode<T>[Job=.NET 6.0,N=500].BytesAllocatedPerOperation = 32 [B] lower-is-better
Decode[Job=.NET 6.0,N=500].Mean = 1234500 [ns] lower-is-better
Decode[Job=.NET 6.0,N=500].Error = 575 [ns] noise
Decode[Job=.NET 6.0,N=500].StandardDeviation = 615 [ns] noise
Decode[Job=.NET 6.0,N=500].Median = 1230000 [ns] lower-is-better
Decode[Job=.NET 6.0,N=500].Gen0Collections = 0 context
Decode[Job=.NET 6.0,N=500].BytesAllocatedPerOperation = 0 [B] lower-is-better
Encode<T>[Job=.NET 8.0,N=500].Mean = 2500000 [ns] lower-is-better
Encode<T>[Job=.NET 8.0,N=500].Error = 479 [ns] noise
Encode<T>[Job=.NET 8.0,N=500].StandardDeviation = 448 [ns] noise
Encode<T>[Job=.NET 8.0,N=500].Median = 2250000 [ns] lower-is-better
Encode<T>[Job=.NET 8.0,N=500].Gen0Collections = 0 context
Encode<T>[Job=.NET 8.0,N=500].BytesAllocatedPerOperation = 1536 [B] lower-is-better
Decode[Job=.NET 8.0,N=500].Mean = [ns] lower-is-better failed 'no result: the benchmark did not run to its end'
Decode[Job=.NET 8.0,N=500].Median = [ns] lower-is-better failed 'no result: the benchmark did not run to its end'
Decode[Job=.NET 8.0,N=500].BytesAllocatedPerOperation = [B] lower-is-better)"
                                        R"( failed 'no result: the benchmark did not run to its end'
context hardware.cpu = Acme 9 i7
context stack.benchmarkdotnet = 0.13.10
context stack.dotnet = 8.0.100
context stack.os = Windows 11 (10.0.22621.2715/22H2/2022Update/SunValley2)
headline *.Mean
)");
}

TEST(BenchmarkDotNetTable, settings_of_the_job_that_do_not_differ_are_no_part_of_a_name) {
  EXPECT_EQ(rows("benchmarkdotnet.csv"), R"(benchmarkdotnet-table
Encode[N=500].Mean = 133.8 [ns] lower-is-better
Encode[N=500].Error = 0.61 [ns] noise
Encode[N=500].StandardDeviation = 0.57 [ns] noise
Encode[N=500].Gen0Collections = 0.0048 context
Encode[N=500].BytesAllocatedPerOperation = 32 [B] lower-is-better
Decode[N=500].Mean = 1500000000 [ns] lower-is-better
Decode[N=500].Error = 10000000 [ns] noise
Decode[N=500].StandardDeviation = 10000000 [ns] noise
Decode[N=500].Gen0Collections = 0 context
Decode[N=500].BytesAllocatedPerOperation = 0 [B] lower-is-better
headline *.Mean
)");
}

TEST(Catch2, without_analysis_a_line_ends_with_the_mean_and_a_failed_benchmark_has_none) {
  EXPECT_EQ(rows("catch2_no_analysis.txt"), R"(catch2
Sorting/sort 64.mean = 41.5 [us] lower-is-better
Sorting/sort a vector of a rather long name 128.mean = 1.25 [ms] lower-is-better
Sorting/sort nothing.mean = [ns] lower-is-better failed 'the benchmark failed'
Sorting/sort 256.mean = 2.5 [ms] lower-is-better
failed_test_cases = 1 gate lower-is-better
headline *.mean
)");
}

TEST(PytestBenchmark, numbers_that_a_test_added_to_its_result_are_judged_by_name) {
  EXPECT_EQ(listing_of(R"({"machine_info": {}, "benchmarks": [{"fullname": "t.py::a", "stats": {"mean": 0.5},
  "extra_info": {"throughput": 12.5, "peak_memory_mb": 64, "note": "x"}}]})"),
            "pytest-benchmark\n"
            "t.py::a.mean = 0.5 [s] lower-is-better\n"
            "t.py::a.extra_info.throughput = 12.5 higher-is-better\n"
            "t.py::a.extra_info.peak_memory_mb = 64 [MB] lower-is-better\n"
            "headline *.time\n"
            "headline *.median\n");
}

TEST(Gungraun, an_argument_of_several_lines_and_what_a_benchmark_prints_do_not_hide_the_name) {
  EXPECT_EQ(listing_of("acme::codec::encode short:text with two\nlines\n  Instructions:   17|N/A   (*********)\n"
                       "acme::codec::decode\nprinted by it\n\n- end of stdout/stderr\n  Instructions:   18|20   (-10.0%)\n"),
            "gungraun\n"
            "acme::codec::encode short.Instructions = 17 lower-is-better\n"
            "acme::codec::decode.Instructions = 18 lower-is-better\n"
            "headline *.Instructions\n");
}

TEST(BencherBmf, bounds_may_be_missing_and_its_measures_are_known_by_name_and_slug) {
  EXPECT_EQ(listing_of(R"({"play": {"Total Bytes": {"value": 662}, "max-blocks": {"value": 3}, "cpu-steal": {"value": 1.5}}})"),
            "bencher-bmf\n"
            "play.Total Bytes = 662 [B] lower-is-better\n"
            "play.max-blocks = 3 lower-is-better\n"
            "play.cpu-steal = 1.5 [%] context\n"
            "headline *\n");
}

TEST(HyperfineTable, what_is_printed_is_in_seconds_and_an_ignored_status_is_warned_of) {
  EXPECT_EQ(rows("hyperfine.txt"), R"(hyperfine-table
sleep 0.1.mean = 0.1075 [s] lower-is-better
sleep 0.1.stddev = 0.0032 [s] noise
sleep 0.1.user = 0.0006 [s] lower-is-better
sleep 0.1.system = 0.0009 [s] lower-is-better
sleep 0.1.min = 0.1025 [s] context
sleep 0.1.max = 0.1153 [s] context
sleep 1.mean = 1.003 [s] lower-is-better
sleep 1.user = 0.001 [s] lower-is-better
sleep 1.system = 0.002 [s] lower-is-better
headline *.mean
! failed_runs
)");
}

TEST(HyperfineTable, each_line_of_the_csv_is_a_command_of_its_own) {
  EXPECT_EQ(rows("hyperfine.csv"), R"(hyperfine-table
sleep 0.1 [threads=1].mean = 0.1043 [s] lower-is-better
sleep 0.1 [threads=1].stddev = 0.0012 [s] noise
sleep 0.1 [threads=1].median = 0.104 [s] lower-is-better
sleep 0.1 [threads=1].user = 0.001 [s] lower-is-better
sleep 0.1 [threads=1].system = 0.002 [s] lower-is-better
sleep 0.1 [threads=1].min = 0.1031 [s] context
sleep 0.1 [threads=1].max = 0.1069 [s] context
fetch --token [redacted] x [threads=2].mean = 0.2043 [s] lower-is-better
fetch --token [redacted] x [threads=2].stddev = 0.0012 [s] noise
fetch --token [redacted] x [threads=2].median = 0.204 [s] lower-is-better
fetch --token [redacted] x [threads=2].user = 0.001 [s] lower-is-better
fetch --token [redacted] x [threads=2].system = 0.002 [s] lower-is-better
fetch --token [redacted] x [threads=2].min = 0.2031 [s] context
fetch --token [redacted] x [threads=2].max = 0.2069 [s] context
headline *.mean
)");
}

TEST(HyperfineTable, the_unit_of_the_markdown_stands_in_its_header) {
  EXPECT_EQ(rows("hyperfine.md"), R"(hyperfine-table
sleep 0.1.mean = 0.1043 [s] lower-is-better
sleep 0.1.stddev = 0.0012 [s] noise
sleep 0.1.min = 0.1031 [s] context
sleep 0.1.max = 0.1069 [s] context
ls | wc.mean = 0.2043 [s] lower-is-better
ls | wc.stddev = 0.0012 [s] noise
ls | wc.min = 0.2031 [s] context
ls | wc.max = 0.2069 [s] context
headline *.mean
)");
}

TEST(PytestBenchmarkTable, a_value_has_its_ratio_behind_it_and_the_header_its_unit) {
  EXPECT_EQ(rows("pytest_benchmark.txt"), R"(pytest-benchmark-table
test_encode[a b].min = 0.0000255 [s] context
test_encode[a b].max = 0.00009025 [s] context
test_encode[a b].mean = 0.0000265 [s] lower-is-better
test_encode[a b].stddev = 0.0000015 [s] noise
test_encode[a b].median = 0.00002625 [s] lower-is-better
test_encode[a b].iqr = 5e-7 [s] noise
test_encode[a b].ops = 37500 [ops/s] higher-is-better
test_encode[a b].rounds = 15213 context
test_encode[a b].iterations = 1 context
test_decode (NOW).min = 0.0012345 [s] context
test_decode (NOW).max = 0.002345 [s] context
test_decode (NOW).mean = 0.0012505 [s] lower-is-better
test_decode (NOW).stddev = 0.00004525 [s] noise
test_decode (NOW).median = 0.00124 [s] lower-is-better
test_decode (NOW).iqr = 0.00002 [s] noise
test_decode (NOW).ops = 750 [ops/s] higher-is-better
test_decode (NOW).rounds = 800 context
test_decode (NOW).iterations = 10 context
headline *.median
headline *.mean
)");
}

TEST(PytestBenchmarkTable, parameters_of_the_csv_tell_tests_of_one_name_apart) {
  EXPECT_EQ(rows("pytest_benchmark.csv"), R"(pytest-benchmark-table
tests/bench.py::test_encode[n=3].min = 0.125 [s] context
tests/bench.py::test_encode[n=3].max = 0.25 [s] context
tests/bench.py::test_encode[n=3].mean = 0.15 [s] lower-is-better
tests/bench.py::test_encode[n=3].stddev = 0.01 [s] noise
tests/bench.py::test_encode[n=3].median = 0.14 [s] lower-is-better
tests/bench.py::test_encode[n=3].iqr = 0.02 [s] noise
tests/bench.py::test_encode[n=3].ops = 6.5 [ops/s] higher-is-better
tests/bench.py::test_encode[n=3].rounds = 9 context
tests/bench.py::test_encode[n=3].iterations = 1 context
tests/bench.py::test_encode[n=5].min = 0.25 [s] context
tests/bench.py::test_encode[n=5].max = 0.375 [s] context
tests/bench.py::test_encode[n=5].mean = 0.26 [s] lower-is-better
tests/bench.py::test_encode[n=5].stddev = 0.02 [s] noise
tests/bench.py::test_encode[n=5].median = 0.255 [s] lower-is-better
tests/bench.py::test_encode[n=5].iqr = 0.02 [s] noise
tests/bench.py::test_encode[n=5].ops = 3.75 [ops/s] higher-is-better
tests/bench.py::test_encode[n=5].rounds = 9 context
tests/bench.py::test_encode[n=5].iterations = 1 context
tests/bench.py::test_decode[5].min = 0.25 [s] context
tests/bench.py::test_decode[5].max = 0.375 [s] context
tests/bench.py::test_decode[5].mean = 0.26 [s] lower-is-better
tests/bench.py::test_decode[5].stddev = 0.02 [s] noise
tests/bench.py::test_decode[5].median = 0.255 [s] lower-is-better
tests/bench.py::test_decode[5].iqr = 0.02 [s] noise
tests/bench.py::test_decode[5].ops = 3.75 [ops/s] higher-is-better
tests/bench.py::test_decode[5].rounds = 9 context
tests/bench.py::test_decode[5].iterations = 1 context
headline *.median
headline *.mean
)");
}

TEST(GithubActionData, the_last_run_of_a_suite_is_the_measurement_and_its_tool_says_which_way_is_better) {
  EXPECT_EQ(rows("github_action_data.js"),
            "github-action-benchmark-data\n"
            "Rust/encode = 100 [ns] lower-is-better\n"
            "Rust/encode.range = 20 [ns] noise\n"
            "Rust/decode = 7.5 [ns] lower-is-better\n"
            "Node/fib(10) = 2000 [ops/s] higher-is-better\n"
            "Node/fib(10).range = 10 [ops/s] noise\n"
            "Size/score = 12 [points] lower-is-better\n"
            "Java/acme.Codec.encode = 5000 [ops/s] higher-is-better\n"
            "context environment.commit = bbb222\n"
            "headline *\n"
            "! earlier_runs\n");
  EXPECT_EQ(warning_of(fixture("github_action_data.js"), "earlier_runs"),
            "1 earlier run is in the file too: the last of each suite is the measurement");
}

TEST(Harnesses, a_table_cut_anywhere_is_an_error_or_rows) {
  cut_anywhere("jmh_table.txt", "jmh-table");
  cut_anywhere("jmh.csv", "jmh-table");
  cut_anywhere("google_benchmark.txt", "google-benchmark-text");
  cut_anywhere("google_benchmark.csv", "google-benchmark-text");
  cut_anywhere("benchmarkdotnet.md", "benchmarkdotnet-table");
  cut_anywhere("benchmarkdotnet.csv", "benchmarkdotnet-table");
  cut_anywhere("catch2_no_analysis.txt", "catch2");
  cut_anywhere("hyperfine.txt", "hyperfine-table");
  cut_anywhere("hyperfine.csv", "hyperfine-table");
  cut_anywhere("hyperfine.md", "hyperfine-table");
  cut_anywhere("pytest_benchmark.txt", "pytest-benchmark-table");
  cut_anywhere("pytest_benchmark.csv", "pytest-benchmark-table");
  cut_anywhere("github_action_data.js", "github-action-benchmark-data");
}

}  // namespace
}  // namespace plumbline::formats
