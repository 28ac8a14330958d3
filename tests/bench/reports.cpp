// A million rows: deltas.jsonl with every row, and with the unchanged ones left out; the page and the result of the same diff.
#include "reports/reports.hpp"

#include <benchmark/benchmark.h>

#include "tests/reports/fixture.hpp"

namespace {

namespace reports = plumbline::reports;
namespace core = plumbline::core;

void deltas(benchmark::State& state, bool all_rows) {
  core::DiffResult result = reports::fixture::many_rows(1'000'000);
  result.all_rows = all_rows;
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    const core::Status status = reports::write_deltas(result, [&bytes](std::string_view piece) {
      bytes += piece.size();
      return core::Status{};
    });
    benchmark::DoNotOptimize(status);
  }
  state.counters["MB"] = static_cast<double>(bytes) / 1e6;
}

void write_deltas_all_rows(benchmark::State& state) { deltas(state, true); }
void write_deltas_changed_rows(benchmark::State& state) { deltas(state, false); }
BENCHMARK(write_deltas_all_rows)->Unit(benchmark::kMillisecond);
BENCHMARK(write_deltas_changed_rows)->Unit(benchmark::kMillisecond);

void render_html(benchmark::State& state) {
  const core::DiffResult result = reports::fixture::many_rows(1'000'000);
  for (auto _ : state) benchmark::DoNotOptimize(reports::diff_html(result));
}
void render_result(benchmark::State& state) {
  const core::DiffResult result = reports::fixture::many_rows(1'000'000);
  for (auto _ : state) benchmark::DoNotOptimize(reports::diff_result_json(result));
}
BENCHMARK(render_html)->Unit(benchmark::kMillisecond);
BENCHMARK(render_result)->Unit(benchmark::kMillisecond);

}  // namespace
