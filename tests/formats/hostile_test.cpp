// Every format of the table, each with a small file of its own, cut, bent and written in other ways: whatever comes, the answer
// is rows or an error with words, never a crash and never a success without rows. A format without a file here fails the test:
// add one to tests/formats/fixtures/ or to kTexts.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "formats/binary.hpp"
#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

// Numbers are our own, shapes are the tools'.
const std::pair<std::string_view, std::string_view> kTexts[] = {
    {"scalar-text", "310.5 GB/s\n"},
    {"generic-json",
     R"({"a": {"latency_ms": [1.5, 2.5]}, "list": [{"op": "x", "ms": 1}, {"op": "y", "ms": null}], "s": "12 ms"})"},
    {"csv", "op,size,latency (ms)\n\"a\"\"b\",8,1.5\nb,16,2.5\nc,32,OOM\nd,64,3.5\n"},
    {"markdown-table", "# A\n| op | ms |\n|----|---:|\n| a | 1.5 ± 0.1 |\n| b | OOM |\n\n# B\nop | ms\n---|---\na | 2 s\n"},
    {"key-value", "server:\n  latency: 5 ms\nbusbw ..... 310 GB/s\nrate = 12 +/- 0.5 req/s\nlatency: 6 ms\n"},
    {"inference_perfbench_v1",
     R"({"metrics": {"1": {"throughput_toks_per_s": 100.5, "ttft_ms": 20}, "8": {"throughput_toks_per_s": 400.5, "ttft_ms": 30}}, "cpu_spinpoll_pct": 1})"},
    {"vllm-serve",
     R"({"backend": "vllm", "model_id": "m", "num_prompts": 10, "request_rate": Infinity, "completed": 10, "duration": 5.5, "total_input_tokens": 100, "total_output_tokens": 200, "request_throughput": 1.8, "output_throughput": 36.5, "total_token_throughput": 54.5, "mean_ttft_ms": 20.5, "median_ttft_ms": 20.1, "std_ttft_ms": 1.5, "p99_ttft_ms": 30.5, "mean_tpot_ms": 5.5, "p99_tpot_ms": 7.5})"},
    {"vllm-console",
     "============ Serving Benchmark Result ============\nSuccessful requests:                     10\nBenchmark "
     "duration "
     "(s):          "
     "        5.50\nTotal input tokens:                      100\nRequest throughput (req/s):              "
     "1.80\nOutput "
     "token "
     "throughput (tok/s):         36.50\n---------------Time to First Token----------------\nMean TTFT (ms):     "
     "          "
     "       "
     "    20.50\nP99 TTFT (ms):                           "
     "30.50\n==================================================\n"},
    {"vllm-offline", R"({"avg_latency": 1.5, "latencies": [1.4, 1.6], "percentiles": {"50": 1.5, "99": 1.6}})"},
    {"sglang-serving",
     R"({"backend": "sglang", "dataset_name": "random", "request_rate": Infinity, "max_concurrency": 4, "sharegpt_output_len": null, "random_input_len": 128, "random_output_len": 64, "random_range_ratio": 1.0, "duration": 5.5, "completed": 10, "total_input_tokens": 1280, "total_output_tokens": 640, "request_throughput": 1.8, "input_throughput": 230.5, "output_throughput": 116.5, "total_throughput": 347.5, "mean_e2e_latency_ms": 900.5, "median_e2e_latency_ms": 890.5, "mean_ttft_ms": 30.5, "mean_tpot_ms": 7.5, "concurrency": 3.5})"},
    {"inferencex",
     R"({"hw": "h100", "tp": 8, "conc": 16, "model": "m", "framework": "vllm", "precision": "fp8", "tput_per_gpu": 900.5, "output_tput_per_gpu": 450.5, "input_tput_per_gpu": 450.5, "isl": 1024, "osl": 1024, "mean_ttft": 0.05, "p99_ttft": 0.09, "mean_tpot": 0.01, "mean_intvty": 100.5})"},
    {"llama-bench",
     R"([{"build_commit": "abc1234", "model_filename": "m.gguf", "model_type": "llama 7B", "backends": "CUDA", "gpu_info": "H100", "n_batch": 512, "n_threads": 8, "n_prompt": 512, "n_gen": 0, "avg_ns": 1000000, "stddev_ns": 1000, "avg_ts": 5120.5, "stddev_ts": 5.5, "samples_ns": [1000000, 1001000], "samples_ts": [5121.5, 5119.5]}])"},
    {"google-benchmark",
     R"({"context": {"host_name": "box", "library_build_type": "release"}, "benchmarks": [{"name": "BM_A", "run_name": "BM_A", "run_type": "iteration", "repetition_index": 0, "iterations": 10, "real_time": 1.5, "cpu_time": 1.25, "time_unit": "us"}]})"},
    {"hyperfine",
     R"({"results": [{"command": "run", "mean": 0.2, "stddev": 0.01, "median": 0.2, "user": 0.1, "system": 0.05, "min": 0.19, "max": 0.21, "times": [0.19, 0.21], "exit_codes": [0, 0]}]})"},
    {"pytest-benchmark",
     R"({"machine_info": {"node": "box"}, "commit_info": {"id": "abc", "dirty": false}, "benchmarks": [{"name": "test_a", "fullname": "t.py::test_a", "params": null, "stats": {"min": 0.1, "max": 0.2, "mean": 0.15, "stddev": 0.01, "rounds": 2, "median": 0.15, "iqr": 0.01, "ops": 6.5, "data": [0.1, 0.2], "outliers": "0;0"}}], "version": "4.0.0"})"},
    {"go-bench",
     "goos: linux\ngoarch: amd64\npkg: example.com/a\nBenchmarkA-8   \t 1000\t 1234 ns/op\t 16 B/op\t 2 "
     "allocs/op\nPASS\n"},
    {"criterion",
     R"({"mean": {"confidence_interval": {"confidence_level": 0.95, "lower_bound": 1.0, "upper_bound": 2.0}, "point_estimate": 1.5, "standard_error": 0.1}, "median": {"confidence_interval": {"confidence_level": 0.95, "lower_bound": 1.0, "upper_bound": 2.0}, "point_estimate": 1.5, "standard_error": 0.1}, "std_dev": {"confidence_interval": {"confidence_level": 0.95, "lower_bound": 0.1, "upper_bound": 0.2}, "point_estimate": 0.15, "standard_error": 0.01}})"},
    {"rust-bench",
     "running 1 test\ntest a ... bench:       1,234 ns/iter (+/- 56)\n\ntest result: ok. 0 passed; 0 failed; 1 "
     "measured\n"},
    {"jmh",
     R"([{"jmhVersion": "1.37", "benchmark": "a.B.c", "mode": "avgt", "threads": 1, "forks": 1, "params": {"n": "8"}, "primaryMetric": {"score": 1.5, "scoreError": "NaN", "scoreConfidence": ["NaN", "NaN"], "scoreUnit": "us/op", "rawData": [[1.4, 1.6]]}, "secondaryMetrics": {}}])"},
    {"catch2",
     "benchmark name                       samples       iterations    estimated\n                               "
     "      "
     "mean          low "
     "mean      high mean\n                                     std dev       low std dev   high std dev\n"
     "-------------------------------------------------------------------------------\nsort                      "
     "          "
     "      "
     "     100             1     1.2345 ms\n                                        12.34 us      12.30 us      "
     "12.40 us\n "
     "        "
     "                               200 ns        100 ns        300 ns\n"},
    {"bencher-bmf", R"({"bench": {"latency": {"value": 1.5, "lower_value": 1.0, "upper_value": 2.0}}})"},
    {"command-times", R"({"plumbline": {"schema": "plumbline.lines.v1", "measured": "time"}, )"
                      R"("run": {"wall_time": {"value": 0.5, "unit": "s"}}})"},
    {"github-action-benchmark", R"([{"name": "a", "unit": "ms", "value": 1.5, "range": "± 5", "extra": "x"}])"},
    {"genai-perf",
     R"({"request_throughput": {"unit": "requests/sec", "avg": 1.5}, "request_latency": {"unit": "ms", "avg": 900.5, "p50": 890.5, "p99": 990.5, "min": 800.5, "max": 999.5, "std": 5.5}, "time_to_first_token": {"unit": "ms", "avg": 30.5, "p99": 40.5}, "input_config": {"model": ["m"]}})"},
    {"guidellm",
     R"({"metadata": {"version": 2, "guidellm_version": "0.4.0"}, "benchmarks": [{"config": {"strategy": {"type_": "constant", "rate": 2.0}}, "metrics": {"requests_per_second": {"successful": {"mean": 1.9, "std_dev": 0.1}}, "time_to_first_token_ms": {"successful": {"mean": 30.5, "median": 29.5, "std_dev": 1.5, "percentiles": {"p50": 29.5, "p99": 40.5}}}, "request_totals": {"successful": 10, "errored": 0, "incomplete": 0, "total": 10}}}]})"},
    {"mlperf-training",
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1000, \"event_type\": \"POINT_IN_TIME\", \"key\": "
     "\"submission_benchmark\", "
     "\"value\": \"bert\", \"metadata\": {}}\n:::MLLOG {\"namespace\": \"\", \"time_ms\": 2000, \"event_type\": "
     "\"INTERVAL_START\", "
     "\"key\": \"run_start\", \"value\": null, \"metadata\": {}}\n:::MLLOG {\"namespace\": \"\", \"time_ms\": "
     "62000, "
     "\"event_type\": "
     "\"INTERVAL_END\", \"key\": \"run_stop\", \"value\": null, \"metadata\": {\"status\": \"success\"}}\n"},
    {"wrk",
     "Running 30s test @ http://127.0.0.1:8080/\n  12 threads and 400 connections\n  Thread Stats   Avg      "
     "Stdev     Max "
     "  +/- Stdev\n    "
     "Latency   635.91us    0.89ms  12.92ms   93.69%\n    Req/Sec    56.20k     8.07k   62.00k    86.54%\n  "
     "22464657 "
     "requests in "
     "30.00s, 17.76GB read\nRequests/sec: 748868.53\nTransfer/sec:    606.33MB\n"},
    {"k6",
     R"json({"metrics": {"http_req_duration": {"avg": 14.5, "min": 1.5, "med": 12.5, "max": 99.5, "p(90)": 20.5, "p(95)": 30.5}, "iterations": {"count": 100, "rate": 10.5}, "iteration_duration": {"avg": 15.5, "p(95)": 31.5}, "checks": {"passes": 100, "fails": 0, "value": 1}}, "root_group": {"name": ""}})json"},
    {"spec_decode_baseline",
     R"({"variant": "eagle3", "model": "m/m-8B", "hardware": "L4", "metrics": {"match_rate": {"expected": 0.75, "tolerance_pct": 10}, "ttft_p50_ms": {"expected": 44.5, "tolerance_pct": 15}}})"},
    {"spec_decode_run",
     R"({"match_rate": 0.74, "acceptance_rate": 0.71, "acceptance_length": 2.5, "speedup": 1.8, "ttft_p50_ms": 45.5})"},
    {"msmodeling-case",
     R"({"type": "text", "name": "a-decode", "initial_time_s": 0.0125, "baseline_time_s": 0.0155, "initial_tolerance": 0.1, "baseline_tolerance": 0.2, "operator_top_n": 2, "operator_tolerance": 0.1, "user_input": {"device": "D", "model_id": "m"}, "operators": [{"name": "aten.mm", "total_time_s": 0.0065, "num_calls": 73}, {"name": "aten.add", "total_time_s": 0.0005, "num_calls": 36}]})"},
    {"msmodeling-table",
     "---------------  --------------  ------------  ----------\n     Name        analytic total  analytic avg  # of Calls\n"
     "---------------  --------------  ------------  ----------\naten.mm.default         6.362ms      87.156us          73\n"
     "aten.add.Tensor        98.822us       2.745us          36\n---------------  --------------  ------------  ----------\n"
     "Total time for analytic: 12.733ms\n"},
    {"tensorsharp-baseline",
     R"({"host_label": "box", "captured_at": "2026-05-26T00:00:00.000Z", "commit": "abc", "entries": [{"case_id": "m__cuda__short_text__baseline", "ok": true, "correctness_ok": true, "prefill_tps": 2480.5, "decode_tps": 95.5}]})"},
    {"tensorsharp-results",
     R"({"case_id": "m__cuda__short_text__baseline", "model": "m", "model_family": "m", "backend": "cuda", "feature": "short_text", "env_var": null, "env_value": null, "ok": true, "skipped": false, "skip_reason": null, "error": null, "correctness_ok": true, "correctness_error": null, "exit_code": 0, "command": "", "model_load_ms": 0.5, "prefill_tokens": 20, "prefill_ms": 1.5, "prefill_tps": 641.5, "decode_tokens": 39, "decode_ms": 2.5, "decode_tps": 58.5, "total_wall_ms": 3844.5, "started_at": "2026-05-27T00:00:00+00:00"})"},
};

// Formats of folders and of several files: their files are read by the others, or stand in tests of their own.
const std::set<std::string_view> kFolders = {"directory", "criterion-folder", "prometheus-pair"};

Input input_of(std::string_view bytes, std::string_view name = "unnamed") {
  Input input;
  input.name = std::string(name);
  input.bytes = bytes;
  return input;
}

const std::map<std::string, std::string>& fixtures() {
  static const std::map<std::string, std::string> kAll = [] {
    std::map<std::string, std::string> all;
    for (const auto& [format, text] : kTexts) all.emplace(format, text);
    std::vector<std::filesystem::path> paths;
    for (const auto& file : std::filesystem::recursive_directory_iterator(PLUMBLINE_TESTS "/formats/fixtures")) {
      if (file.is_regular_file()) paths.push_back(file.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
      std::ifstream file(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      const auto found = detect(input_of(text, path.filename().string()), testing::known_formats());
      if (found && text.size() < 20'000) all.emplace(found->info.name, text);
    }
    return all;
  }();
  return kAll;
}

void expect_rows_or_words(std::string_view bytes, const std::string& format, const std::string& what) {
  ReadOptions options = testing::reading_all();
  options.format = format;
  options.max_rows = 100'000;
  const auto m = read(input_of(bytes), options);
  if (m) {
    EXPECT_FALSE(m->rows().empty()) << what << ": a success without rows";
  } else {
    EXPECT_FALSE(m.error().message.empty()) << what << ": an error without words";
  }
}

std::size_t row_count(std::string_view bytes, const std::string& format, std::string& problem) {
  ReadOptions options = testing::reading_all();
  options.format = format;
  const auto m = read(input_of(bytes), options);
  if (!m) problem = m.error().message;
  return m ? m->rows().size() : 0;
}

class Random {  // the same on every machine and in every run
 public:
  std::size_t below(std::size_t bound) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state_ >> 33U) % bound;
  }

 private:
  std::uint64_t state_ = 20261122;
};

TEST(Hostile, every_format_has_a_file_that_it_reads) {
  for (const Format* format : testing::known_formats()) {
    if (kFolders.count(format->name) != 0) continue;
    const auto known = fixtures().find(std::string(format->name));
    if (known == fixtures().end()) {
      ADD_FAILURE() << format->name << " has no fixture: add a file to tests/formats/fixtures/";
      continue;
    }
    std::string problem;
    EXPECT_GT(row_count(known->second, known->first, problem), 0U) << format->name << ": " << problem;
    const auto found = detect(input_of(known->second), testing::known_formats());
    EXPECT_TRUE(found && found->info.name == format->name)
        << format->name << " is taken for " << (found ? found->info.name : found.error().message);
  }
}

TEST(Hostile, cut_anywhere_it_is_rows_or_an_error) {
  constexpr std::size_t kCuts = 2000;
  for (const auto& [format, text] : fixtures()) {
    const std::size_t step = std::max<std::size_t>(1, text.size() / kCuts);
    for (std::size_t length = 0; length < text.size(); length += step) {
      const std::string what = format + " cut at " + std::to_string(length);
      expect_rows_or_words(std::string_view(text).substr(0, length), length / step % 2 == 0 ? format : std::string(), what);
    }
  }
}

TEST(Hostile, with_bytes_changed_it_is_rows_or_an_error) {
  constexpr int kChanges = 250;
  Random random;
  for (const auto& [format, text] : fixtures()) {
    for (int i = 0; i < kChanges; ++i) {
      std::string bent = text;
      for (int changes = 1 + i % 8; changes > 0; --changes) {
        const std::size_t at = random.below(bent.size());
        constexpr std::string_view kLikely = "0123456789-+.eE{}[]\",:\n |=\0\x80\xFF";
        bent[at] = i % 2 == 0 ? kLikely[random.below(kLikely.size())] : static_cast<char>(random.below(256));
      }
      expect_rows_or_words(bent, i % 3 == 0 ? std::string() : format, format + " changed " + std::to_string(i));
    }
  }
}

TEST(Hostile, with_lines_moved_or_missing_it_is_rows_or_an_error) {
  Random random;
  for (const auto& [format, text] : fixtures()) {
    std::vector<std::string_view> lines = core::split(text, '\n');
    for (int i = 0; i < 20 && lines.size() > 2; ++i) {
      const std::size_t from = random.below(lines.size());
      std::string bent;
      for (std::size_t at = 0; at < lines.size(); ++at) {
        if (i % 2 == 0 && at == from) continue;
        bent.append(lines[i % 2 != 0 && at == from ? random.below(lines.size()) : at]).push_back('\n');
      }
      expect_rows_or_words(bent, format, format + " without line " + std::to_string(from));
    }
  }
}

bool is_text(const std::string& name) {
  const auto known = testing::known_formats();
  return std::none_of(known.begin(), known.end(), [&](const Format* one) { return one->name == name && is_binary(*one); });
}

TEST(Hostile, nul_bytes_are_told_of) {
  for (const auto& [format, text] : fixtures()) {
    if (!is_text(format)) continue;
    for (const std::size_t at : {std::size_t{0}, text.size() / 2, text.size()}) {
      std::string bent = text;
      bent.insert(at, 3, '\0');
      const auto m = read(input_of(bent), testing::reading_all());
      ASSERT_FALSE(m) << format;
      EXPECT_EQ(m.error().message.substr(0, 12), "binary data ") << format;
    }
  }
}

TEST(Hostile, another_encoding_or_line_ending_changes_no_row) {
  for (const auto& [format, text] : fixtures()) {
    if (!is_text(format)) continue;
    std::string problem;
    const std::size_t wanted = row_count(text, format, problem);
    EXPECT_EQ(row_count("\xEF\xBB\xBF" + text, format, problem), wanted) << format << " behind a byte order mark: " << problem;
    if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
      std::string wide = "\xFF\xFE";
      for (const char c : text) wide.append({c, '\0'});
      EXPECT_EQ(row_count(wide, format, problem), wanted) << format << " in UTF-16: " << problem;
    }
    std::string lines;
    for (const char c : text) lines += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(row_count(lines, format, problem), wanted) << format << " with CRLF: " << problem;
  }
}

}  // namespace
}  // namespace plumbline::formats
