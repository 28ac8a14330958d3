// How fast files of 200 MB become a Measurement, beside what the machine can do with the same bytes: a pass of memchr that
// finds every line, and a copy. PLUMBLINE_BENCH_MB sets another size. Inputs are made from a fixed seed (large_inputs.hpp).
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "formats/format.hpp"
#include "formats/json/document.hpp"
#include "tests/bench/large_inputs.hpp"

namespace {

using namespace plumbline;

std::size_t wanted() {
  static const std::size_t kBytes = [] {
    const char* said = std::getenv("PLUMBLINE_BENCH_MB");
    return (said == nullptr ? 200 : std::strtoul(said, nullptr, 10)) * bench::kMegabyte;
  }();
  return kBytes;
}

using Make = std::string (*)();

// One input at a time: ten of them would not fit a small machine.
const std::string& input(Make make) {
  static Make made = nullptr;
  static std::string text;
  if (made != make) {
    text = std::string();
    text = make();
    made = make;
  }
  return text;
}

std::string nccl_rounds() { return bench::nccl_rounds(wanted()); }
std::string nccl_runs() { return bench::nccl_runs(wanted()); }
std::string nccl_debug() { return bench::nccl_debug(wanted()); }
std::string go_few() { return bench::go_bench(wanted(), 1000); }
std::string google_ten() { return bench::google_benchmark(10'000, 10); }
std::string google_large() { return bench::google_benchmark(10'000, static_cast<int>(wanted() / 10'000 / 440) + 1); }
std::string vllm() { return bench::vllm_detailed(wanted()); }
std::string flat() { return bench::flat_json(wanted()); }
std::string records() { return bench::record_json(wanted()); }
std::string csv() { return bench::table_csv(wanted()); }

void reads(benchmark::State& state, Make make, const char* name, const char* format) {
  formats::Input in;
  in.name = name;
  in.bytes = input(make);
  std::size_t rows = 0;
  for (auto _ : state) {
    auto measurement = formats::read(in, {});
    if (!measurement) {
      state.SkipWithError(measurement.error().message.c_str());
      return;
    }
    if (measurement->format.name != format) {
      state.SkipWithError(("read as " + measurement->format.name).c_str());
      return;
    }
    rows = measurement->rows().size();
  }
  state.counters["rows"] = static_cast<double>(rows);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rows));  // rows a second
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * in.bytes.size()));
}
void parses(benchmark::State& state, Make make) {
  const std::string& text = input(make);
  for (auto _ : state) {
    auto document = formats::json::parse(text, "large.json");
    if (!document) state.SkipWithError(document.error().message.c_str());
    benchmark::DoNotOptimize(document);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

void machine_lines(benchmark::State& state, Make make) {
  const std::string& text = input(make);
  for (auto _ : state) {
    std::size_t lines = 0;
    for (const char *at = text.data(), *end = at + text.size(); at != end; ++lines) {
      const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
      at = found == nullptr ? end : static_cast<const char*>(found) + 1;
    }
    benchmark::DoNotOptimize(lines);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
void machine_copy(benchmark::State& state, Make make) {
  const std::string& text = input(make);
  const auto copy = std::make_unique<char[]>(text.size());
  for (auto _ : state) {
    std::memcpy(copy.get(), text.data(), text.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

#define PLUMBLINE_BENCH(function, ...)     \
  BENCHMARK_CAPTURE(function, __VA_ARGS__) \
      ->Unit(benchmark::kMillisecond)      \
      ->MinTime(0.01)                      \
      ->Repetitions(3)                     \
      ->ReportAggregatesOnly(false)

PLUMBLINE_BENCH(machine_lines, nccl_rounds, nccl_rounds);
PLUMBLINE_BENCH(machine_copy, nccl_rounds, nccl_rounds);
PLUMBLINE_BENCH(reads, nccl_rounds, nccl_rounds, "nccl.log", "nccl-tests");
PLUMBLINE_BENCH(reads, nccl_debug, nccl_debug, "nccl.log", "nccl-tests");
PLUMBLINE_BENCH(reads, nccl_runs, nccl_runs, "nccl.log", "nccl-tests");
PLUMBLINE_BENCH(reads, go_bench, go_few, "bench.txt", "go-bench");
PLUMBLINE_BENCH(reads, csv, csv, "table.csv", "csv");
PLUMBLINE_BENCH(parses, google_benchmark_10x10k, google_ten);
PLUMBLINE_BENCH(reads, google_benchmark_10x10k, google_ten, "gb.json", "google-benchmark");
PLUMBLINE_BENCH(parses, google_benchmark, google_large);
PLUMBLINE_BENCH(reads, google_benchmark, google_large, "gb.json", "google-benchmark");
PLUMBLINE_BENCH(parses, vllm_detailed, vllm);
PLUMBLINE_BENCH(reads, vllm_detailed, vllm, "vllm.json", "vllm-serve");
PLUMBLINE_BENCH(parses, records, records);
PLUMBLINE_BENCH(reads, records, records, "results.json", "generic-json");
PLUMBLINE_BENCH(parses, flat, flat);
PLUMBLINE_BENCH(reads, flat, flat, "flat.json", "generic-json");

}  // namespace
