// Benchmark harnesses of programs: what their files become. Numbers are our own.
#include <gtest/gtest.h>

#include "tests/formats/listing.hpp"
#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(GoogleBenchmark, repetitions_are_trials_and_aggregates_beside_them_are_not_judged) {
  EXPECT_EQ(
      listing_of(R"({"context": {"host_name": "box", "executable": "./run --token=x", "num_cpus": 8, "cpu_scaling_enabled": true,
  "library_build_type": "release"}, "benchmarks": [
 {"name": "BM_Sort/8", "run_name": "BM_Sort/8", "run_type": "iteration", "repetition_index": 0, "threads": 1, "iterations": 10,
  "real_time": 1.5, "cpu_time": 1.25, "time_unit": "us", "bytes_per_second": 1e9, "cache_misses": 7},
 {"name": "BM_Sort/8", "run_name": "BM_Sort/8", "run_type": "iteration", "repetition_index": 1, "threads": 1, "iterations": 10,
  "real_time": 2.5, "cpu_time": 2.25, "time_unit": "us", "bytes_per_second": 2e9, "cache_misses": 9},
 {"name": "BM_Sort/8_mean", "run_name": "BM_Sort/8", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 2.0,
  "cpu_time": 1.75, "time_unit": "us"},
 {"name": "BM_Sort/8_cv", "run_name": "BM_Sort/8", "run_type": "aggregate", "aggregate_name": "cv", "real_time": 0.35,
  "cpu_time": 0.4, "time_unit": "us"}]})"),
      "google-benchmark\n"
      "BM_Sort/8.real_time = 1.5 2.5 [us] lower-is-better\n"
      "BM_Sort/8.cpu_time = 1.25 2.25 [us] lower-is-better\n"
      "BM_Sort/8.bytes_per_second = 1000000000 2000000000 [B/s] higher-is-better\n"
      "BM_Sort/8.cache_misses = 7 9 lower-is-better\n"
      "BM_Sort/8.mean.real_time = 2 [us] context\n"
      "BM_Sort/8.mean.cpu_time = 1.75 [us] context\n"
      "BM_Sort/8.cv.real_time = 0.35 noise\n"
      "BM_Sort/8.cv.cpu_time = 0.4 noise\n"
      "context environment.hostname = box\n"
      "context hardware.num_cpus = 8\n"
      "context regime.cpu_scaling = true\n"
      "context stack.library_build_type = release\n"
      "headline *.real_time\n"
      "! cpu_scaling_enabled\n");
}

TEST(GoogleBenchmark, aggregates_alone_are_judged_and_an_error_is_no_time) {
  EXPECT_EQ(listing_of(R"({"context": {"library_build_type": "release"}, "benchmarks": [
 {"name": "BM_A_median", "run_name": "BM_A", "run_type": "aggregate", "aggregate_name": "median", "real_time": 4, "time_unit": "ns"},
 {"name": "BM_A_stddev", "run_name": "BM_A", "run_type": "aggregate", "aggregate_name": "stddev", "real_time": 0.5, "time_unit": "ns"},
 {"name": "BM_B", "run_name": "BM_B", "run_type": "iteration", "error_occurred": true, "error_message": "no device",
  "real_time": 0, "time_unit": "ns"}]})"),
            "google-benchmark\n"
            "BM_A.median.real_time = 4 [ns] lower-is-better\n"
            "BM_A.stddev.real_time = 0.5 [ns] noise\n"
            "BM_B.real_time = 0 [ns] lower-is-better failed 'no device'\n"
            "context stack.library_build_type = release\n"
            "headline *.real_time\n");
}

TEST(Hyperfine, times_are_trials_and_a_secret_in_a_command_is_not_its_key) {
  EXPECT_EQ(
      listing_of(
          R"({"results": [{"command": "fetch --api-key abc n=2 PASSWORD=hunter2", "mean": 0.2, "stddev": 0.01, "median": 0.2,
  "user": 0.1, "system": 0.05, "min": 0.19, "max": 0.21, "times": [0.19, 0.21], "memory_usage_byte": [1024, 2048],
  "exit_codes": [0, 1], "parameters": {"n": "2"}}]})"),
      "hyperfine\n"
      "fetch --api-key [redacted] n=2 PASSWORD=[redacted] [n=2].time = 0.19 0.21 [s] lower-is-better\n"
      "fetch --api-key [redacted] n=2 PASSWORD=[redacted] [n=2].mean = 0.2 [s] context\n"
      "fetch --api-key [redacted] n=2 PASSWORD=[redacted] [n=2].median = 0.2 [s] context\n"
      "fetch --api-key [redacted] n=2 PASSWORD=[redacted] [n=2].stddev = 0.01 [s] noise\n"
      "fetch --api-key [redacted] n=2 PASSWORD=[redacted] [n=2].min = 0.19 [s] context\n"
      "fetch --api-key [redacted] n=2 PASSWORD=[redacted] [n=2].max = 0.21 [s] context\n"
      "fetch --api-key [redacted] n=2 PASSWORD=[redacted] [n=2].user = 0.1 [s] lower-is-better\n"
      "fetch --api-key [redacted] n=2 PASSWORD=[redacted] [n=2].system = 0.05 [s] lower-is-better\n"
      "fetch --api-key [redacted] n=2 PASSWORD=[redacted] [n=2].memory_usage_byte = 1024 2048 [B] lower-is-better\n"
      "fetch --api-key [redacted] n=2 PASSWORD=[redacted] [n=2].failed_runs = 1 gate lower-is-better\n"
      "headline *.time\n");
}

TEST(Hyperfine, a_command_that_failed_every_time_was_not_timed) {
  EXPECT_EQ(listing_of(R"({"results": [{"command": "false", "mean": 0.001, "user": 0.0, "system": 0.0, "times": [0.001],
  "exit_codes": [1]}]})"),
            "hyperfine\n"
            "false.time = 0.001 [s] lower-is-better failed 'every run of the command failed'\n"
            "false.mean = 0.001 [s] context\n"
            "false.user = 0 [s] lower-is-better failed 'every run of the command failed'\n"
            "false.system = 0 [s] lower-is-better failed 'every run of the command failed'\n"
            "false.failed_runs = 1 gate lower-is-better\n"
            "headline *.time\n");
}

TEST(PytestBenchmark, kept_rounds_are_trials_else_mean_median_and_ops_speak) {
  EXPECT_EQ(
      listing_of(
          R"({"machine_info": {"node": "box", "cpu": {"brand_raw": "Acme 9"}, "python_version": "3.12.1"}, "version": "4.0.0",
 "benchmarks": [{"fullname": "t.py::kept", "params": {"n": 3}, "stats": {"mean": 0.5, "data": [0.25, 0.75], "ops": 2.0}},
  {"fullname": "t.py::summary", "params": null, "stats": {"min": 0.1, "mean": 0.5, "stddev": 0.02, "rounds": 9, "outliers": "1;0",
   "ops": 2.0}}]})"),
      "pytest-benchmark\n"
      "t.py::kept.time = 0.25 0.75 [s] lower-is-better\n"
      "t.py::kept.mean = 0.5 [s] context\n"
      "t.py::kept.ops = 2 [ops/s] context\n"
      "t.py::summary.min = 0.1 [s] context\n"
      "t.py::summary.mean = 0.5 [s] lower-is-better\n"
      "t.py::summary.stddev = 0.02 [s] noise\n"
      "t.py::summary.rounds = 9 context\n"
      "t.py::summary.outliers = context text '1;0'\n"
      "t.py::summary.ops = 2 [ops/s] higher-is-better\n"
      "context environment.hostname = box\n"
      "context hardware.cpu = Acme 9\n"
      "context stack.pytest_benchmark = 4.0.0\n"
      "context stack.python = 3.12.1\n"
      "headline *.time\n"
      "headline *.median\n");
}

TEST(GoBench, repeated_lines_are_trials_and_the_file_may_say_which_way_is_better) {
  EXPECT_EQ(listing_of("goos: linux\ngoarch: amd64\npkg: acme/codec\ncpu: Acme 9 @ 3GHz\nUnit widgets better=higher\n"
                       "BenchmarkEncode/n=1-8 \t 100\t 12.5 ns/op\t 800.00 MB/s\t 16 B/op\t 1 allocs/op\n"
                       "BenchmarkEncode/n=1-8 \t 100\t 13.5 ns/op\t 740.00 MB/s\t 16 B/op\t 1 allocs/op\n"
                       "BenchmarkTurn \t 7\t 5 widgets\t 9 things\t 3 rows/s\nPASS\nok acme/codec 2.1s\n"),
            "go-bench\n"
            "acme/codec.Encode/n=1-8.time = 12.5 13.5 [ns] lower-is-better\n"
            "acme/codec.Encode/n=1-8.speed = 800 740 [MB/s] higher-is-better\n"
            "acme/codec.Encode/n=1-8.B/op = 16 16 [B] lower-is-better\n"
            "acme/codec.Encode/n=1-8.allocs/op = 1 1 lower-is-better\n"
            "acme/codec.Turn.widgets = 5 higher-is-better\n"
            "acme/codec.Turn.things = 9 unknown\n"
            "acme/codec.Turn.rows/s = 3 higher-is-better\n"
            "context hardware.cpu = Acme 9 @ 3GHz\n"
            "context stack.goarch = amd64\n"
            "context stack.goos = linux\n"
            "headline *.time\n");
}

TEST(GoBench, a_failure_is_a_gate) {
  EXPECT_EQ(listing_of("BenchmarkA-2 10 5 ns/op\n--- FAIL: BenchmarkB\n"),
            "go-bench\n"
            "A-2.time = 5 [ns] lower-is-better\n"
            "failed_packages_or_tests = 1 gate lower-is-better\n"
            "headline *.time\n");
}

constexpr std::string_view kEstimates =
    R"({"mean": {"confidence_interval": {"lower_bound": 9.5}, "point_estimate": 10.0, "standard_error": 0.1},
 "median": {"confidence_interval": {}, "point_estimate": 9.75, "standard_error": 0.1}, "slope": null,
 "std_dev": {"confidence_interval": {}, "point_estimate": 0.5, "standard_error": 0.1}})";
constexpr std::string_view kSample = R"({"sampling_mode": "Linear", "iters": [10.0, 20.0], "times": [95.0, 210.0]})";

TEST(Criterion, estimates_are_nanoseconds_and_samples_are_time_per_iteration) {
  EXPECT_EQ(listing_of(kEstimates),
            "criterion\n"
            "mean = 10 [ns] lower-is-better\n"
            "median = 9.75 [ns] lower-is-better\n"
            "std_dev = 0.5 [ns] noise\n"
            "headline *mean\n");
  EXPECT_EQ(listing_of(kSample), "criterion\ntime = 9.5 10.5 [ns] lower-is-better\nheadline *time\n");
}

TEST(Criterion, a_change_file_looks_like_times_and_is_not) {
  EXPECT_EQ(listing_of(R"({"mean": {"confidence_interval": {}, "point_estimate": 0.02, "standard_error": 0.01}})"),
            "criterion\n"
            "mean = 0.02 context\n");
}

TEST(Criterion, a_folder_is_keyed_by_benchmark_and_only_its_new_results_are_read) {
  constexpr std::string_view kBenchmark =
      R"({"group_id": "codec", "function_id": "encode", "value_str": "8", "full_id": "codec/encode/8"})";
  Input input;
  input.name = "criterion";
  input.is_directory = true;
  input.files = {{"codec/encode/8/base/estimates.json", kEstimates},
                 {"codec/encode/8/change/estimates.json", "{}"},
                 {"codec/encode/8/new/benchmark.json", kBenchmark},
                 {"codec/encode/8/new/estimates.json", kEstimates},
                 {"codec/encode/8/new/sample.json", kSample},
                 {"codec/encode/8/new/tukey.json", "[1, 2, 3, 4]"},
                 {"codec/report/index.html", "<html>"}};
  const auto m = read(input, {});
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(listing_of(*m),
            "criterion-folder\n"
            "codec/encode/8.time = 9.5 10.5 [ns] lower-is-better\n"
            "codec/encode/8.mean = 10 [ns] context\n"
            "codec/encode/8.median = 9.75 [ns] context\n"
            "codec/encode/8.std_dev = 0.5 [ns] noise\n"
            "headline *time\n");
}

TEST(RustBench, criterion_text_has_the_middle_of_three_and_libtest_its_range) {
  EXPECT_EQ(listing_of("decode/64               time:   [1.10 µs 1.25 µs 1.40 µs]\n"
                       "                        thrpt:  [10.0 MiB/s 12.5 MiB/s 15.0 MiB/s]\n"
                       "                 change:\n"
                       "                        time:   [-1.0% +0.5% +2.0%] (p = 0.30 > 0.05)\n"
                       "a::rather_long_name_of_a_benchmark\n"
                       "                        time:   [320.6 ps 323.9 ps 327.6 ps]\n"
                       "test codec::tests::tiny ... bench:       1,234.5 ns/iter (+/- 56) = 12 MB/s\n"
                       "test codec::tests::broken ... FAILED\n"),
            "rust-bench\n"
            "decode/64.time = 1.25 [µs] lower-is-better\n"
            "decode/64.throughput = 12.5 [MiB/s] higher-is-better\n"
            "a::rather_long_name_of_a_benchmark.time = 323.9 [ps] lower-is-better\n"
            "codec::tests::tiny.time = 1234.5 [ns] lower-is-better\n"
            "codec::tests::tiny.range = 56 [ns] noise\n"
            "codec::tests::tiny.speed = 12 [MB/s] higher-is-better\n"
            "failed_tests = 1 gate lower-is-better\n"
            "headline *time\n");
}

TEST(Jmh, the_mode_decides_the_direction_and_forks_are_runs) {
  const std::string_view text =
      R"([{"jmhVersion": "1.37", "benchmark": "acme.Codec.encode", "mode": "thrpt", "threads": 2, "forks": 2,
  "jvmArgs": ["-Dtoken=x"], "jdkVersion": "21.0.1", "vmName": "Acme VM", "params": {"size": "64"},
  "primaryMetric": {"score": 15.0, "scoreError": 0.5, "scoreUnit": "ops/ms", "rawData": [[10.0, 12.0], [18.0, 20.0]]},
  "secondaryMetrics": {"gc.alloc.rate": {"score": 900.0, "scoreUnit": "MB/sec"},
   "gc.alloc.rate.norm": {"score": 24.0, "scoreUnit": "B/op"}}},
 {"benchmark": "acme.Codec.decode", "mode": "avgt", "threads": 1,
  "primaryMetric": {"score": 3.0, "scoreError": "NaN", "scoreUnit": "us/op", "rawData": [[3.0]]}}])";
  EXPECT_EQ(listing_of(text),
            "jmh\n"
            "acme.Codec.encode[mode=thrpt,threads=2,size=64].score = 11 19 [ops/ms] higher-is-better\n"
            "acme.Codec.encode[mode=thrpt,threads=2,size=64].scoreError = 0.5 [ops/ms] noise\n"
            "acme.Codec.encode[mode=thrpt,threads=2,size=64].gc.alloc.rate = 900 [MB/sec] context\n"
            "acme.Codec.encode[mode=thrpt,threads=2,size=64].gc.alloc.rate.norm = 24 [B/op] lower-is-better\n"
            "acme.Codec.decode[mode=avgt,threads=1].score = 3 [us/op] lower-is-better\n"
            "context stack.jdk = 21.0.1\n"
            "context stack.jmh = 1.37\n"
            "context stack.vm = Acme VM\n"
            "headline *.score\n");
}

TEST(Catch2, three_lines_are_one_benchmark_of_its_test_case) {
  EXPECT_EQ(listing_of("-------------------------------------------------------------------------------\n"
                       "Sorting\n"
                       "-------------------------------------------------------------------------------\n"
                       "sort_test.cpp:12\n"
                       "...............................................................................\n\n"
                       "benchmark name                       samples       iterations    est run time\n"
                       "                                     mean          low mean      high mean\n"
                       "                                     std dev       low std dev   high std dev\n"
                       "-------------------------------------------------------------------------------\n"
                       "sort a vector of a very long\n"
                       "name 64                                        100           208     7.1968 ms \n"
                       "                                        41.5 us        41 us        42 us \n"
                       "                                         1.5 us         1 us         2 us \n"
                       "                                                                          \n"
                       "===============================================================================\n"
                       "test cases: 3 | 1 passed | 2 failed\n"),
            "catch2\n"
            "Sorting/sort a vector of a very long name 64.mean = 41.5 [us] lower-is-better\n"
            "Sorting/sort a vector of a very long name 64.std_dev = 1.5 [us] noise\n"
            "failed_test_cases = 2 gate lower-is-better\n"
            "headline *.mean\n");
}

TEST(BencherBmf, known_measures_have_their_unit_and_bounds_are_context) {
  EXPECT_EQ(
      listing_of(
          R"({"sort": {"latency": {"value": 12.5, "lower_value": 11.0, "upper_value": 14.0}, "binary-size": {"value": 7}}})"),
      "bencher-bmf\n"
      "sort.latency = 12.5 [ns] lower-is-better\n"
      "sort.latency.lower_value = 11 [ns] context\n"
      "sort.latency.upper_value = 14 [ns] context\n"
      "sort.binary-size = 7 lower-is-better\n"
      "headline *\n");
}

constexpr const char* kLines =
    R"({"plumbline": {"schema": "plumbline.lines.v1", "context": {"hardware.gpu": "H100", "identity": {"model": "m"}, "environment": {"HOME": "/x"}}}}
{"decode[batch=8]": {"rate": {"values": [10, 11], "unit": "tok/s", "direction": "higher-is-better", "headline": true}}}
{"decode[batch=8]": {"rate": {"value": 12}, "p99": {"value": 5, "unit": "ms"}}}
{"decode[batch=8]": {"errors": {"value": 0, "role": "gate"}, "load": {"value": 3, "role": "context"}}}
)";

TEST(PlumblineLines, say_trials_units_directions_roles_and_the_context) {
  EXPECT_EQ(listing_of(kLines),
            "bencher-bmf\n"
            "decode[batch=8].rate = 10 11 12 [tok/s] higher-is-better\n"
            "decode[batch=8].p99 = 5 [ms] lower-is-better\n"
            "decode[batch=8].errors = 0 gate lower-is-better\n"
            "decode[batch=8].load = 3 context\n"
            "context hardware.gpu = H100\n"
            "context identity.model = m\n"
            "headline decode[batch=8].rate\n"
            "! json_lines\n");
  EXPECT_EQ(dims_of(kLines, "decode[batch=8].p99"), "benchmark=decode batch=8");
}
// What `plumbline run` measured by itself is not what a harness printed, and is called otherwise.
TEST(PlumblineLines, of_a_command_that_was_timed_are_a_format_of_their_own) {
  constexpr const char* kTimed =
      R"({"plumbline": {"schema": "plumbline.lines.v1", "measured": "time"},
 "run": {"wall_time": {"value": 0.5, "unit": "s", "direction": "lower-is-better", "headline": true},
 "cpu_time": {"value": 0.4, "unit": "s", "direction": "lower-is-better"}}})";
  EXPECT_EQ(listing_of(kTimed),
            "command-times\n"
            "run.wall_time = 0.5 [s] lower-is-better\n"
            "run.cpu_time = 0.4 [s] lower-is-better\n"
            "headline run.wall_time\n");
  // Trials that an older program kept do not say it.
  EXPECT_EQ(listing_of(replaced(kTimed, R"(, "measured": "time")", "")).substr(0, 12), "bencher-bmf\n");
}

TEST(PlumblineLines, words_that_are_not_known_are_refused_with_their_place) {
  EXPECT_EQ(problem(replaced(kLines, "lines.v1", "lines.v9")),
            "run.log:1:26: the schema \"plumbline.lines.v9\" is not known here | this program reads plumbline.lines.v1");
  EXPECT_EQ(problem(replaced(kLines, "higher-is-better", "up")),
            "run.log:2:81: direction \"up\" is not one | directions are higher-is-better, lower-is-better and two-sided");
  EXPECT_EQ(problem(replaced(kLines, "\"gate\"", "\"gat\"")),
            "run.log:4:53: role \"gat\" is not one | roles are judged, gate, context and noise");
}

TEST(CustomBenchmark, the_direction_is_not_in_the_file_so_name_and_unit_have_to_say) {
  EXPECT_EQ(listing_of(R"([{"name": "encode throughput", "unit": "MB/s", "value": 70.5, "range": "± 3"},
 {"name": "widget quality", "unit": "points", "value": 50, "range": "10%", "extra": "n=3"}])"),
            "github-action-benchmark\n"
            "encode throughput = 70.5 [MB/s] higher-is-better\n"
            "encode throughput.range = 3 [MB/s] noise\n"
            "widget quality = 50 [points] unknown\n"
            "widget quality.range = 5 [points] noise\n"
            "headline *\n");
}

}  // namespace
}  // namespace plumbline::formats
