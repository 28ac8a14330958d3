// What naming the part that regressed takes of a diff with a million rows in eight dimensions: beside core::compare and the
// judgement as a whole.
#include "verdict/culprits/culprits.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "tests/support/tables.hpp"

namespace {

using namespace plumbline;

// Eight dimensions of 4 to 40 values; `slow` of a million rows: all of one tenth of the sizes in one of the tests.
struct Million {
  explicit Million(bool slow) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> noise(0, 0.01);
    const std::vector<std::pair<std::string, std::size_t>> dims = {{"size", 40}, {"dtype", 4}, {"place", 5},  {"node", 25},
                                                                   {"algo", 5},  {"proto", 5}, {"batch", 10}, {"isl", 8}};
    constexpr std::size_t kRows = 1'000'000;
    for (std::size_t i = 0; i < kRows; ++i) {
      testing::Point point{i % 4 == 0 ? "alltoall" : "all_reduce", {}, "busbw"};
      std::size_t rest = i;
      for (const auto& [name, values] : dims) {
        point.dims.emplace_back(name, std::to_string(std::size_t{1} << (rest % values)));
        rest /= values;
      }
      const bool part = slow && i % 4 == 0 && i % 40 >= 36;
      table.add(point, {100 * std::exp(noise(random))}, {(part ? 88 : 100) * std::exp(noise(random))});
    }
    judgement = table.judge();
  }
  testing::Table table;
  verdict::Judgement judgement;
};

Million& million(bool slow) {
  static Million same(false), part(true);
  return slow ? part : same;
}

void BM_Culprits(benchmark::State& state) {
  Million& of = million(state.range(0) != 0);
  for (auto _ : state) {
    auto found = verdict::find_culprits(of.table.comparison, of.judgement.marks);
    benchmark::DoNotOptimize(found);
    if (state.range(0) != 0) state.SetLabel(found.culprits.empty() ? "none" : found.culprits.front().predicate);
  }
}
BENCHMARK(BM_Culprits)->ArgName("slow")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_WholeJudgement(benchmark::State& state) {
  Million& of = million(state.range(0) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(of.table.judge());
}
BENCHMARK(BM_WholeJudgement)->ArgName("slow")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
