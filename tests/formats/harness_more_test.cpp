// Benchmark harnesses: pyperf, BenchmarkDotNet, vitest, benchmark.js, gungraun and iai, BenchmarkTools.jl, benchstat, and what
// Google Benchmark and Go say of their own files. The fixtures are our own, in the shape of the real thing.
#include <gtest/gtest.h>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(Pyperf, the_mean_of_a_process_is_a_trial_and_calibration_is_none) {
  EXPECT_EQ(rows("pyperf.json"),
            "pyperf\n"
            "json_dumps.time = 0.0022 0.0025 [s] lower-is-better\n"
            "json_dumps_memory.memory = 7340032 7344128 [B] lower-is-better\n"
            "stopped.time = [s] lower-is-better failed 'no value: no process finished'\n"
            "context environment.hostname = node7\n"
            "context hardware.cpu = Intel(R) Xeon(R) Platinum 8480C\n"
            "context hardware.num_cpus = 8\n"
            "context stack.os = Linux-6.1.0-x86_64-with-glibc2.36\n"
            "context stack.pyperf = 2.6.1\n"
            "context stack.python = 3.12.1 (64-bit)\n"
            "context stack.python_implementation = cpython\n"
            "headline *.time\n");
}

TEST(Pyperf, what_all_benchmarks_share_stands_in_the_file) {
  EXPECT_EQ(listing_of(R"({"benchmarks": [{"runs": [{"values": [2, 4]}, {"values": [5]}]}], "metadata": {"name": "a b"}})"),
            "pyperf\n"
            "a b.time = 3 5 [s] lower-is-better\n"
            "headline *.time\n");
  EXPECT_EQ(refused(R"({"benchmarks": 5})", "pyperf"),
            "no \"benchmarks\" array: this is not pyperf's JSON | pyperf writes it with -o FILE | result");
}

TEST(BenchmarkDotNet, original_values_are_trials_memory_is_exact_and_a_benchmark_without_statistics_failed) {
  EXPECT_EQ(rows("benchmarkdotnet.json"),
            "benchmarkdotnet\n"
            "Acme.Codec.Encode(Size: 64).time = 24.5 25.5 26.5 [ns] lower-is-better\n"
            "Acme.Codec.Encode(Size: 64).Mean = 25.5 [ns] context\n"
            "Acme.Codec.Encode(Size: 64).Median = 25.5 [ns] context\n"
            "Acme.Codec.Encode(Size: 64).StandardDeviation = 1 [ns] noise\n"
            "Acme.Codec.Encode(Size: 64).StandardError = 0.5 [ns] noise\n"
            "Acme.Codec.Encode(Size: 64).Min = 24.5 [ns] context\n"
            "Acme.Codec.Encode(Size: 64).Max = 26.5 [ns] context\n"
            "Acme.Codec.Encode(Size: 64).N = 3 context\n"
            "Acme.Codec.Encode(Size: 64).P95 = 26.4 [ns] context\n"
            "Acme.Codec.Encode(Size: 64).Gen0Collections = 2 context\n"
            "Acme.Codec.Encode(Size: 64).TotalOperations = 1000 context\n"
            "Acme.Codec.Encode(Size: 64).BytesAllocatedPerOperation = 96 [B] lower-is-better\n"
            "Acme.Codec.Encode(Size: 64).LockContentionCount = 0.25 lower-is-better\n"
            "Acme.Codec.Decode.time = [ns] lower-is-better failed 'no statistics: the benchmark did not run to its end'\n"
            "context hardware.cpu = Acme 9\n"
            "context hardware.num_cpus = 8\n"
            "context stack.architecture = X64\n"
            "context stack.benchmarkdotnet = 0.14.0\n"
            "context stack.configuration = RELEASE\n"
            "context stack.os = Linux 9\n"
            "context stack.runtime = .NET 8.0.1\n"
            "headline *.time\n");
}

TEST(BenchmarkDotNet, allocation_is_counted_and_has_no_noise) {
  const std::string text = fixture("benchmarkdotnet.json");
  const auto m = measured(text);
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->replication, core::Replication::in_process);
  for (const core::Row& row : m->rows()) {
    EXPECT_EQ(m->metric_class(row).exact, m->metric(row) == "BytesAllocatedPerOperation") << m->key(row);
  }
}

TEST(BenchmarkDotNet, of_several_launches_each_mean_is_a_trial_and_a_debug_build_is_warned_of) {
  EXPECT_EQ(rows("benchmarkdotnet_launches.json"),
            "benchmarkdotnet\n"
            "Acme.Codec.Encode.time = 15 25 [ns] lower-is-better\n"
            "Acme.Codec.Encode.Mean = 20 [ns] context\n"
            "Acme.Codec.Encode.N = 4 context\n"
            "context hardware.cpu = Acme 9\n"
            "context stack.benchmarkdotnet = 0.9.9.0\n"
            "context stack.configuration = DEBUG\n"
            "headline *.time\n"
            "! debug_build\n");
}

TEST(BenchmarkDotNet, launches_are_processes) {
  const std::string text = fixture("benchmarkdotnet_launches.json");
  const auto m = measured(text);
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->replication, core::Replication::run);
}

TEST(BenchmarkDotNet, one_benchmark_in_two_jobs_has_two_keys) {
  EXPECT_EQ(listing_of(R"json({"HostEnvironmentInfo": {}, "Benchmarks": [
 {"DisplayInfo": "C.E: Job-A(Runtime=.NET 6.0) [N=1]", "FullName": "C.E(N: 1)", "Statistics": {"OriginalValues": [1]}},
 {"DisplayInfo": "C.E: Job-B(Runtime=.NET 8.0) [N=1]", "FullName": "C.E(N: 1)", "Statistics": {"OriginalValues": [2]}}]})json"),
            "benchmarkdotnet\n"
            "C.E(N: 1)[job=Job-A(Runtime=.NET 6.0)].time = 1 [ns] lower-is-better\n"
            "C.E(N: 1)[job=Job-B(Runtime=.NET 8.0)].time = 2 [ns] lower-is-better\n"
            "headline *.time\n");
}

TEST(BenchmarkDotNet, nothing_run_is_an_error) {
  EXPECT_EQ(refused(R"({"HostEnvironmentInfo": {}, "Benchmarks": []})", "benchmarkdotnet"),
            "\"Benchmarks\" is empty: no benchmark was run | see the filter of the run and its log | result");
  EXPECT_EQ(
      refused("{}", "benchmarkdotnet"),
      "no \"Benchmarks\" array: this is not BenchmarkDotNet's JSON | the exporters JsonExporter.Full and JsonExporter.Brief "
      "write it | result");
}

TEST(VitestBench, samples_are_trials_else_mean_median_and_hz_speak_and_paths_stay_out) {
  EXPECT_EQ(rows("vitest_bench.json"),
            "vitest-bench\n"
            "sort.bench.ts > sort > kept.time = 0.5 1.5 [ms] lower-is-better\n"
            "sort.bench.ts > sort > kept.mean = 1 [ms] context\n"
            "sort.bench.ts > sort > kept.median = 1 [ms] context\n"
            "sort.bench.ts > sort > kept.hz = 1000 [ops/s] context\n"
            "sort.bench.ts > sort > kept.sd = 0.7 [ms] noise\n"
            "sort.bench.ts > sort > kept.sem = 0.5 [ms] noise\n"
            "sort.bench.ts > sort > kept.moe = 6.3 [ms] noise\n"
            "sort.bench.ts > sort > kept.rme = 630 [%] noise\n"
            "sort.bench.ts > sort > kept.variance = 0.5 noise\n"
            "sort.bench.ts > sort > kept.min = 0.5 [ms] context\n"
            "sort.bench.ts > sort > kept.max = 1.5 [ms] context\n"
            "sort.bench.ts > sort > kept.p75 = 1.5 [ms] context\n"
            "sort.bench.ts > sort > kept.p99 = 1.5 [ms] context\n"
            "sort.bench.ts > sort > kept.p995 = 1.5 [ms] context\n"
            "sort.bench.ts > sort > kept.p999 = 1.5 [ms] context\n"
            "sort.bench.ts > sort > kept.period = 1 [ms] context\n"
            "sort.bench.ts > sort > kept.totalTime = 2 [ms] context\n"
            "sort.bench.ts > sort > kept.sampleCount = 2 context\n"
            "sort.bench.ts > sort > summary.mean = 2 [ms] lower-is-better\n"
            "sort.bench.ts > sort > summary.median = 1.5 [ms] lower-is-better\n"
            "sort.bench.ts > sort > summary.hz = 500 [ops/s] higher-is-better\n"
            "sort.bench.ts > sort > summary.sd = 0.5 [ms] noise\n"
            "sort.bench.ts > sort > summary.rme = 25 [%] noise\n"
            "sort.bench.ts > sort > summary.p99 = 2.8 [ms] context\n"
            "sort.bench.ts > sort > summary.sampleCount = 95 context\n"
            "sort.bench.ts > sort > skipped.mean = [ms] lower-is-better failed 'no sample: the benchmark did not run'\n"
            "headline *.time\n");
}

TEST(BenchmarkJs, rates_have_commas_and_other_lines_are_passed_over) {
  EXPECT_EQ(rows("benchmark_js.txt"),
            "benchmark-js\n"
            "fib(10).ops_per_sec = 1431759 [ops/s] higher-is-better\n"
            "fib(10).rme = 0.74 [%] noise\n"
            "fib(10).runs = 93 context\n"
            "sort x of x lines.ops_per_sec = 81.61 [ops/s] higher-is-better\n"
            "sort x of x lines.rme = 1.7 [%] noise\n"
            "sort x of x lines.runs = 1 context\n"
            "headline *.ops_per_sec\n");
}

TEST(BenchmarkJs, text_without_a_result_is_an_error) {
  EXPECT_EQ(refused("this x line says nothing\n", "benchmark-js"),
            "no line of the kind \"NAME x 1,234 ops/sec \xC2\xB1"
            "0.5% (90 runs sampled)\" | benchmark.js prints one a benchmark: "
            "console.log(String(event.target)) | result");
}

TEST(Gungraun, new_values_are_results_old_ones_and_comparisons_are_not) {
  EXPECT_EQ(rows("gungraun.txt"),
            "gungraun\n"
            "codec_bench::encode_group::encode short.Instructions = 1734 lower-is-better\n"
            "codec_bench::encode_group::encode short.L1 Hits = 2359 context\n"
            "codec_bench::encode_group::encode short.LL Hits = 0 lower-is-better\n"
            "codec_bench::encode_group::encode short.RAM Hits = lower-is-better null 'only the run before has this value'\n"
            "codec_bench::encode_group::encode short.Total read+write = 2362 lower-is-better\n"
            "codec_bench::encode_group::encode short.Estimated Cycles = 2464 lower-is-better\n"
            "codec_bench::encode_group::encode short.L1 Hit Rate = 99.873 [%] higher-is-better\n"
            "codec_bench::encode_group::encode short[process 1].Total bytes (part) = 512 [B] context\n"
            "codec_bench::encode_group::encode short.Total bytes = 1024 [B] lower-is-better\n"
            "codec_bench::encode_group::encode short.Errors = 1 gate lower-is-better\n"
            "codec_bench::encode_group::encode short.Suppressed Errors = 2 context\n"
            "codec_bench::encode_group::decode.Instructions = 900 lower-is-better\n"
            "regressed_by_own_comparison = 1 context\n"
            "headline *.Instructions\n"
            "! relative_results\n");
}

TEST(Gungraun, the_text_of_iai_has_no_bars) {
  EXPECT_EQ(rows("iai.txt"),
            "gungraun\n"
            "encode.Instructions = 1735 lower-is-better\n"
            "encode.L1 Accesses = 2364 context\n"
            "encode.L2 Accesses = 1 lower-is-better\n"
            "encode.RAM Accesses = 2 lower-is-better\n"
            "encode.Estimated Cycles = 2439 lower-is-better\n"
            "headline *.Instructions\n");
}

TEST(Gungraun, counts_are_exact) {
  const std::string text = fixture("gungraun.txt");
  const auto m = measured(text);
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_TRUE(m->metric_class(m->rows().front()).exact);
  EXPECT_EQ(m->format.name, "gungraun");
}

TEST(GungraunJson, version_6_wraps_every_value_and_has_the_keys_of_the_text) {
  EXPECT_EQ(
      rows("gungraun_v6.jsonl"),
      "gungraun-json\n"
      "codec_bench::encode_group::encode short.Instructions = 1734 lower-is-better\n"
      "codec_bench::encode_group::encode short.L1 Hit Rate = 99.5 [%] higher-is-better\n"
      "codec_bench::encode_group::encode short.RAM Hits = lower-is-better null 'only the run before has this value'\n"
      "codec_bench::encode_group::encode short.Errors = 0 gate lower-is-better\n"
      "codec_bench::encode_group::decode.Instructions = lower-is-better failed 'no metric of this benchmark in the summary'\n"
      "regressed_by_own_comparison = 1 context\n"
      "context stack.gungraun_summary = 6\n"
      "headline *.Instructions\n"
      "! json_lines\n");
}

TEST(GungraunJson, version_2_adds_up_its_processes_and_takes_no_command) {
  EXPECT_EQ(rows("iai_callgrind_v2.json"),
            "gungraun-json\n"
            "codec_bench::encode_group::encode short.Instructions = 120 lower-is-better\n"
            "codec_bench::encode_group::encode short.L1 Hits = 5 context\n"
            "context stack.gungraun_summary = 2\n"
            "headline *.Instructions\n");
}

TEST(GungraunJson, version_3_has_plain_numbers_for_both_sides) {
  EXPECT_EQ(rows("iai_callgrind_v3.json"),
            "gungraun-json\n"
            "codec_bench::encode_group::encode.Instructions = 1734 lower-is-better\n"
            "codec_bench::encode_group::encode.Estimated Cycles = 2464 lower-is-better\n"
            "context stack.gungraun_summary = 3\n"
            "headline *.Instructions\n");
}

TEST(GungraunJson, a_file_without_a_summary_is_an_error) {
  EXPECT_EQ(refused(R"({"module_path": "a::b"})", "gungraun-json"),
            "no object with \"module_path\" and \"profiles\" or \"callgrind_summary\" | gungraun writes one a benchmark: "
            "--save-summary=json or --output-format=json | result");
}

TEST(BenchmarkToolsJl, groups_are_a_path_trials_are_nanoseconds_and_judgements_no_measurement) {
  EXPECT_EQ(rows("benchmarktools.json"),
            "benchmarktools-jl\n"
            "sort/10.time = 200.5 210.5 [ns] lower-is-better\n"
            "sort/10.gctime = 0 1 [ns] context\n"
            "sort/10.memory = 96 [B] lower-is-better\n"
            "sort/10.allocs = 2 lower-is-better\n"
            "sort/10.params.evals = 390 context\n"
            "sort/10.params.samples = 10000 context\n"
            "sort/10.params.seconds = 5 [s] context\n"
            "sort/20.time = 31028 [ns] lower-is-better\n"
            "sort/20.gctime = 0 [ns] context\n"
            "sort/20.memory = 0 [B] lower-is-better\n"
            "sort/20.allocs = 0 lower-is-better\n"
            "sort/30.time = [ns] lower-is-better failed 'a trial without a sample'\n"
            "context stack.benchmarktools = 1.4.0\n"
            "context stack.julia = 1.10.0\n"
            "headline time\n"
            "headline *.time\n"
            "! relative_results\n");
}

TEST(BenchmarkToolsJl, judgements_alone_are_an_error) {
  EXPECT_EQ(
      refused(R"([{"Julia": "1", "BenchmarkTools": "1"}, [["TrialRatio", {"time": 1.5}]]])", "benchmarktools-jl"),
      "it holds comparisons (ratios or judgements) and no measurement | save the trials or their estimates themselves | result");
}

TEST(Benchstat, a_column_is_a_file_and_a_missing_cell_stays_in_its_column) {
  EXPECT_EQ(rows("benchstat.txt"),
            "benchstat\n"
            "acme/codec.Encode/format=json-48[file=old.txt].time = 0.000001718 [s] lower-is-better\n"
            "acme/codec.Encode/format=json-48[file=old.txt].time.interval = 1 [%] noise\n"
            "acme/codec.Encode/format=json-48[file=new.txt].time = 0.000001423 [s] lower-is-better\n"
            "acme/codec.Encode/format=json-48[file=new.txt].time.interval = 1 [%] noise\n"
            "acme/codec.Encode/format=json-48[file=new.txt].time.vs_base = -17.2 [%] context\n"
            "acme/codec.Encode/format=json-48[file=new.txt].time.p = 0 context\n"
            "acme/codec.Encode/format=gob-48[file=old.txt].time = 0.000003066 [s] lower-is-better\n"
            "acme/codec.Encode/format=gob-48[file=old.txt].time.interval = 0 [%] noise\n"
            "acme/codec.Encode/format=gob-48[file=new.txt].time = 0.00000307 [s] lower-is-better\n"
            "acme/codec.Encode/format=gob-48[file=new.txt].time.interval = 2 [%] noise\n"
            "acme/codec.Encode/format=gob-48[file=new.txt].time.p = 0.446 context\n"
            "acme/codec.OnlyNew-48[file=new.txt].time = 5e-9 [s] lower-is-better\n"
            "acme/codec.geomean[file=old.txt].time.geomean = 0.000002295 [s] context\n"
            "acme/codec.geomean[file=new.txt].time.geomean = 0.00000209 [s] context\n"
            "acme/codec.geomean[file=new.txt].time.geomean.vs_base = -8.94 [%] context\n"
            "acme/codec.Encode/format=json-48[file=old.txt].speed = 1610612736 [B/s] higher-is-better\n"
            "context hardware.cpu = Acme 9 @ 3GHz\n"
            "context stack.goarch = amd64\n"
            "context stack.goos = linux\n"
            "headline *.time\n");
}

TEST(Benchstat, csv_has_the_same_keys) {
  EXPECT_EQ(rows("benchstat.csv"),
            "benchstat\n"
            "acme/codec.Encode-48[file=old.txt].time = 0.000001718 [s] lower-is-better\n"
            "acme/codec.Encode-48[file=old.txt].time.interval = 1 [%] noise\n"
            "acme/codec.Encode-48[file=new.txt].time = 0.0000014225 [s] lower-is-better\n"
            "acme/codec.Encode-48[file=new.txt].time.interval = 1 [%] noise\n"
            "acme/codec.Encode-48[file=new.txt].time.vs_base = -17.2 [%] context\n"
            "acme/codec.Encode-48[file=new.txt].time.p = 0 context\n"
            "acme/codec.Gone-48[file=old.txt].time = 0.000002 [s] lower-is-better\n"
            "acme/codec.Gone-48[file=old.txt].time.interval = 0 [%] noise\n"
            "acme/codec.geomean[file=old.txt].time.geomean = 0.00000229 [s] context\n"
            "acme/codec.geomean[file=new.txt].time.geomean = 0.00000209 [s] context\n"
            "acme/codec.geomean[file=new.txt].time.geomean.vs_base = -8.94 [%] context\n"
            "acme/codec.Encode-48[file=old.txt].B/op = 64 [B] lower-is-better\n"
            "acme/codec.Encode-48[file=old.txt].B/op.interval = 0 [%] noise\n"
            "acme/codec.Encode-48[file=new.txt].B/op = 64 [B] lower-is-better\n"
            "acme/codec.Encode-48[file=new.txt].B/op.interval = 0 [%] noise\n"
            "acme/codec.Encode-48[file=new.txt].B/op.p = 1 context\n"
            "context stack.goos = linux\n"
            "headline *.time\n");
}

TEST(Benchstat, one_file_alone_keeps_its_name_out_of_the_keys) {
  EXPECT_EQ(listing_of("note: warm\n"
                       "          \xE2\x94\x82   a.txt    \xE2\x94\x82\n"
                       "          \xE2\x94\x82   sec/op   \xE2\x94\x82\n"
                       "Encode-8    1.500m \xC2\xB1 3%\n"),
            "benchstat\n"
            "Encode-8[note=warm].time = 0.0015 [s] lower-is-better\n"
            "Encode-8[note=warm].time.interval = 3 [%] noise\n"
            "headline *.time\n");
}

TEST(GoBench, what_the_file_says_of_a_unit_goes_before_what_is_known_of_it) {
  EXPECT_EQ(listing_of("Unit MB/s better=lower\nUnit pages assume=exact better=higher\nBenchmarkA 10 5 MB/s 7 pages\n"),
            "go-bench\n"
            "A.speed = 5 [MB/s] lower-is-better\n"
            "A.pages = 7 higher-is-better\n"
            "headline *\n");
  const auto m = measured("Unit pages assume=exact better=higher\nBenchmarkA 10 7 pages\n");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_TRUE(m->metric_class(m->rows().front()).exact);
}

TEST(GoogleBenchmark, a_debug_library_and_a_free_clock_are_warned_of) {
  const auto m = measured(R"({"context": {"library_build_type": "debug", "cpu_scaling_enabled": true}, "benchmarks": [
 {"name": "BM_A", "run_name": "BM_A", "run_type": "iteration", "real_time": 4, "time_unit": "ns"}]})");
  ASSERT_TRUE(m) << m.error().message;
  ASSERT_EQ(m->warnings.size(), 2U);
  EXPECT_EQ(m->warnings[0].code.text(), "debug_build");
  EXPECT_EQ(m->warnings[0].message,
            "library_build_type is debug: the benchmark library was built without optimisation, which adds to every time");
  EXPECT_EQ(m->warnings[1].code.text(), "cpu_scaling_enabled");
  EXPECT_EQ(m->warnings[1].message, "the CPU's frequency was free to change while this was measured: times are noisy");
}

TEST(Harnesses, a_file_cut_anywhere_is_an_error_or_rows) {
  cut_anywhere("benchmarkdotnet.json", "benchmarkdotnet");
  cut_anywhere("vitest_bench.json", "vitest-bench");
  cut_anywhere("benchmark_js.txt", "benchmark-js");
  cut_anywhere("gungraun.txt", "gungraun");
  cut_anywhere("gungraun_v6.jsonl", "gungraun-json");
  cut_anywhere("iai_callgrind_v2.json", "gungraun-json");
  cut_anywhere("benchmarktools.json", "benchmarktools-jl");
  cut_anywhere("benchstat.txt", "benchstat");
  cut_anywhere("benchstat.csv", "benchstat");
}

}  // namespace
}  // namespace plumbline::formats
