// Change points: what a thousand series of a hundred values cost, and how often they are right. The operating points are
// printed before the timings: a series counts as found when a point lies within two entries of the step.
#include "core/history/change_points.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using namespace plumbline::core;

enum class Noise { normal, student3, skewed, quantised };

double draw(std::mt19937_64& random, Noise noise) {
  std::normal_distribution<double> normal;
  if (noise == Noise::student3) return std::student_t_distribution<double>(3)(random) / std::sqrt(3.0);
  if (noise == Noise::skewed) return std::exponential_distribution<double>(1)(random) - 1;
  if (noise == Noise::quantised) return std::round(2 * normal(random)) / 2;
  return normal(random);
}

// Logarithms with a spread of `cv`; from `at` on higher by log1p(step).
std::vector<double> series(std::mt19937_64& random, std::size_t length, Noise noise, double cv, std::size_t at, double step) {
  std::vector<double> x(length);
  for (std::size_t i = 0; i < length; ++i) x[i] = cv * draw(random, noise) + (i >= at ? std::log1p(step) : 0);
  return x;
}

void print_operating_points() {
  constexpr int kDraws = 2000;
  const ChangePointRules any{};  // the strictest reading of a false alarm: no least size
  ChangePointRules two_percent;
  two_percent.least_change = std::log1p(0.02);
  std::printf("change points, %d draws a cell, window 50, alpha .001, segments of 3 or more\n", kDraws);
  std::printf("%-10s %6s | %-24s | 3 %% step at 1 %% noise, least size 2 %%\n", "noise", "length", "pure noise: false alarms");
  std::printf("%-10s %6s | %11s %12s | %9s %12s\n", "", "", "any size", "2 % or more", "middle", "anywhere*");
  const std::pair<const char*, Noise> noises[] = {
      {"normal", Noise::normal}, {"t3", Noise::student3}, {"skewed", Noise::skewed}, {"quantised", Noise::quantised}};
  for (const auto& [name, noise] : noises) {
    for (const std::size_t length : {std::size_t{20}, std::size_t{50}, std::size_t{100}}) {
      std::mt19937_64 random(20261122 + length);
      ChangePointFinder finder;
      int any_size = 0, large = 0, middle = 0, anywhere = 0;
      for (int i = 0; i < kDraws; ++i) {
        const auto noise_only = series(random, length, noise, 0.01, length, 0);
        any_size += finder.find(noise_only, any).empty() ? 0 : 1;
        large += finder.find(noise_only, two_percent).empty() ? 0 : 1;
        const auto near = [&](std::size_t at) {
          for (const ChangePoint& point : finder.find(series(random, length, noise, 0.01, at, 0.03), two_percent)) {
            if (point.at + 2 >= at && point.at <= at + 2) return 1;
          }
          return 0;
        };
        middle += near(length / 2);
        anywhere += near(length / 4 + random() % (length / 2 + 1));
      }
      const auto pct = [](int count) { return 100.0 * count / kDraws; };
      std::printf("%-10s %6zu | %10.2f%% %11.2f%% | %8.1f%% %11.1f%%\n", name, length, pct(any_size), pct(large), pct(middle),
                  pct(anywhere));
    }
  }
  std::printf("* in the middle half of the series\n");
}

std::vector<std::vector<double>> thousand(double step, Noise noise) {
  std::mt19937_64 random(1);
  std::vector<std::vector<double>> all;
  for (int i = 0; i < 1000; ++i) all.push_back(series(random, 100, noise, 0.01, 20 + random() % 61, step));
  return all;
}

// A finder starts without permutations each time, as a call of history does.
void find_all(benchmark::State& state, const std::vector<std::vector<double>>& all) {
  ChangePointRules rules;
  rules.least_change = std::log1p(0.02);
  for (auto _ : state) {
    ChangePointFinder finder;
    for (const auto& x : all) benchmark::DoNotOptimize(finder.find(x, rules));
  }
}
void thousand_series_of_noise(benchmark::State& state) { find_all(state, thousand(0, Noise::normal)); }
BENCHMARK(thousand_series_of_noise)->Unit(benchmark::kMillisecond);
void thousand_series_with_a_step(benchmark::State& state) { find_all(state, thousand(0.03, Noise::normal)); }
BENCHMARK(thousand_series_with_a_step)->Unit(benchmark::kMillisecond);
void thousand_series_with_ties(benchmark::State& state) { find_all(state, thousand(0.03, Noise::quantised)); }
BENCHMARK(thousand_series_with_ties)->Unit(benchmark::kMillisecond);

const bool kPrinted = (print_operating_points(), true);

}  // namespace
