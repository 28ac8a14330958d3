// Speed of what runs once per row: interning, rank test, shift estimate, number text.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/statistics.hpp"
#include "core/string_pool.hpp"
#include "core/text.hpp"

namespace {

using namespace plumbline::core;

std::vector<std::string> million_keys() {
  std::vector<std::string> keys(1'000'000);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::string number = std::to_string(i);
    keys[i] = "row." + std::string(7 - number.size(), '0') + number + ".metric.x";  // 20 bytes
  }
  return keys;
}

void intern_million(benchmark::State& state) {
  const auto keys = million_keys();
  for (auto _ : state) {
    StringPool pool;
    for (const std::string& key : keys) benchmark::DoNotOptimize(pool.intern(key));
  }
}
BENCHMARK(intern_million)->Unit(benchmark::kMillisecond);

void intern_million_again(benchmark::State& state) {
  const auto keys = million_keys();
  StringPool pool;
  for (const std::string& key : keys) pool.intern(key);
  for (auto _ : state) {
    for (const std::string& key : keys) benchmark::DoNotOptimize(pool.intern(key));
  }
}
BENCHMARK(intern_million_again)->Unit(benchmark::kMillisecond);

void intern_million_guessed(benchmark::State& state) {
  const auto keys = million_keys();
  StringPool pool;
  for (const std::string& key : keys) pool.intern(key);
  for (auto _ : state) {
    Id guess = 1;
    for (const std::string& key : keys) benchmark::DoNotOptimize(pool.intern(key, guess++));
  }
}
BENCHMARK(intern_million_guessed)->Unit(benchmark::kMillisecond);

struct Arms {
  std::vector<double> a, b;
  Arms(std::size_t n, bool tied) : a(n), b(n) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise(100, 3);
    for (double& x : a) x = tied ? std::round(noise(random)) : noise(random);
    for (double& y : b) y = tied ? std::round(noise(random)) : noise(random);
  }
};

void mann_whitney(benchmark::State& state) {
  const Arms arms(static_cast<std::size_t>(state.range(0)), state.range(1) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(mann_whitney_greater(arms.a, arms.b, 0));
}
BENCHMARK(mann_whitney)
    ->ArgNames({"trials", "tied"})
    ->Args({10, 0})
    ->Args({10, 1})
    ->Args({30, 0})
    ->Args({30, 1})
    ->Args({1000, 1});

void shift_estimate(benchmark::State& state) {
  const Arms arms(static_cast<std::size_t>(state.range(0)), false);
  for (auto _ : state) benchmark::DoNotOptimize(hodges_lehmann(arms.a, arms.b, .05));
}
BENCHMARK(shift_estimate)->ArgName("trials")->Arg(3)->Arg(10)->Arg(30)->Arg(1000);

void number(benchmark::State& state) {
  const double value = state.range(0) != 0 ? 310.0 : 310.1234567890123;
  std::string out;
  for (auto _ : state) {
    out.clear();
    append_number(out, value);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(number)->ArgName("whole")->Arg(0)->Arg(1);

}  // namespace
