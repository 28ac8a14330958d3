// Speed of weighing the rows of a comparison together (core/evidence), by rows, trials a side and what is worse.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/evidence/row_evidence.hpp"

namespace {

using namespace plumbline::core;

void weigh(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const auto trials = static_cast<std::size_t>(state.range(1));
  const double shift = state.range(2) != 0 ? 1.2 : 1.0;
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.02);
  std::vector<double> values(count * 2 * trials);
  std::vector<EvidenceRow> rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    double* const first = values.data() + i * 2 * trials;
    for (std::size_t t = 0; t < 2 * trials; ++t) first[t] = 100 * (t < trials ? 1 : shift) * std::exp(noise(random));
    rows[i].baseline = {first, trials};
    rows[i].current = {first + trials, trials};
    rows[i].klass = static_cast<std::uint32_t>(i % 8);
    rows[i].point = static_cast<std::uint32_t>(i / 8);
    rows[i].rank_p = trials >= kLeastTrials && shift > 1 ? 0.05 : 1;
  }
  std::vector<ClassName> classes;
  for (Id i = 0; i < 8; ++i) classes.push_back({i, 1, Direction::lower});
  for (auto _ : state) benchmark::DoNotOptimize(weigh_rows(classes, rows).regressed_points);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(weigh)
    ->ArgNames({"rows", "trials", "worse"})
    ->Args({1'000'000, 1, 0})
    ->Args({1'000'000, 1, 1})
    ->Args({1'000'000, 3, 0})
    ->Args({1'000'000, 3, 1})
    ->Args({10'000, 10, 0})
    ->Unit(benchmark::kMillisecond);

}  // namespace
