// What the verdict's error rates are: seeded draws with a known truth, decided by core::compare and the default policy, beside
// the plain "5 % between the medians" rule on the same draws. Prints tables and then each bar with what was measured; the exit
// status is 1 when one is missed. bench_operating_points [ROW_DRAWS [VERDICT_DRAWS]]; the defaults take about a minute.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "core/statistics.hpp"
#include "tests/support/measurements.hpp"
#include "verdict/policy.hpp"

namespace {

using plumbline::core::Direction;
using plumbline::core::State;
using plumbline::core::Verdict;
using plumbline::testing::make_measurement;
using plumbline::testing::RowSpec;
using Random = std::mt19937_64;

constexpr double kTolerance = 0.05;

// ---- noise of mean 0 and standard deviation 1 ---------------------------------------------------------------------------

enum class Noise : std::uint8_t { normal, heavy, skewed, bimodal };
constexpr std::array<const char*, 4> kNoiseNames = {"normal", "heavy-tailed", "skewed", "bimodal"};

double draw(Noise noise, Random& random) {
  static thread_local std::normal_distribution<double> normal;
  switch (noise) {
    case Noise::heavy: {  // Student's t with 3 degrees of freedom, variance 3
      double squares = 0;
      for (int i = 0; i < 3; ++i) squares += std::pow(normal(random), 2);
      return normal(random) / std::sqrt(squares / 3) / std::sqrt(3.0);
    }
    case Noise::skewed: {  // lognormal with sigma .8
      constexpr double kSigma = 0.8;
      const double mean = std::exp(kSigma * kSigma / 2);
      const double deviation = mean * std::sqrt(std::exp(kSigma * kSigma) - 1);
      return (std::exp(kSigma * normal(random)) - mean) / deviation;
    }
    case Noise::bimodal: {  // a quarter of the runs in a slow mode, four deviations of the modes away
      const bool slow = random() % 4 == 0;
      return ((slow ? 4.0 : 0.0) + normal(random) - 1.0) / 2.0;
    }
    default:
      return normal(random);
  }
}

// Trials of one side: relative noise of `cv` around `level`; `auto_correlation` of neighbours (AR(1), stationary).
std::vector<double> trials(std::size_t n, double level, double cv, Noise noise, Random& random, double auto_correlation = 0) {
  std::vector<double> out;
  double last = draw(noise, random);
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) last = auto_correlation * last + std::sqrt(1 - auto_correlation * auto_correlation) * draw(noise, random);
    out.push_back(level * std::exp(cv * last));
  }
  return out;
}

// ---- rows ---------------------------------------------------------------------------------------------------------------

struct Share {
  double red = 0, open = 0, plain = 0;  // of the draws: regressed, inconclusive, regressed by the plain rule
};

bool plain_rule(const std::vector<double>& a, const std::vector<double>& b) {
  return plumbline::core::median(b) > plumbline::core::median(a) * (1 + kTolerance) * (1 + 1e-12);
}

// Many independent rows at once are one comparison: row states know nothing of each other.
Share row_states(std::size_t draws, std::size_t n, double shift, double cv, Noise noise, std::uint64_t seed) {
  Random random(seed);
  Share share;
  std::size_t done = 0;
  while (done < draws) {
    const std::size_t now = std::min<std::size_t>(draws - done, 10'000);
    auto pool = std::make_shared<plumbline::core::StringPool>();
    std::vector<RowSpec> before, after;
    for (std::size_t i = 0; i < now; ++i) {
      const std::string key = "k" + std::to_string(i);
      before.push_back({key, trials(n, 100, cv, noise, random)});
      after.push_back({key, trials(n, 100 * (1 + shift), cv, noise, random)});
      share.plain += plain_rule(before.back().values, after.back().values) ? 1 : 0;
    }
    const auto a = make_measurement(pool, before);
    const auto b = make_measurement(pool, after);
    const auto comparison = plumbline::core::compare(a, b, {});
    for (const auto& d : comparison.deltas) {
      share.red += d.state == State::regressed ? 1 : 0;
      share.open += d.state == State::inconclusive ? 1 : 0;
    }
    done += now;
  }
  for (double* one : {&share.red, &share.open, &share.plain}) *one *= 100 / static_cast<double>(draws);
  return share;
}

// ---- verdicts -----------------------------------------------------------------------------------------------------------

struct World {
  const char* name;
  std::size_t keys = 40, n = 3;
  double cv = 0.02;
  double shift = 0;  // of `shifted` keys
  std::size_t shifted = 0;
  Noise noise = Noise::normal;
  double auto_correlation = 0;
  double current_cv_factor = 1;  // unequal variances
  double side_effect = 0;        // deviation of what moves all keys of a side together (another node)
  double key_effect = 0;         // deviation of what moves one key of a side in all its trials (placement on the node)
};

struct Verdicts {
  double red = 0, yellow = 0, green = 0, regressed_rows = 0, plain_red = 0;
};

Verdicts verdicts(const World& world, std::size_t draws, std::uint64_t seed) {
  Random random(seed);
  std::normal_distribution<double> normal;
  Verdicts out;
  for (std::size_t round = 0; round < draws; ++round) {
    auto pool = std::make_shared<plumbline::core::StringPool>();
    std::vector<RowSpec> before, after;
    const double before_side = world.side_effect * normal(random);
    const double after_side = world.side_effect * normal(random);
    std::size_t plain = 0;
    for (std::size_t i = 0; i < world.keys; ++i) {
      const std::string key = "latency_" + std::to_string(i);
      const double shift = i < world.shifted ? world.shift : 0;
      before.push_back({key, trials(world.n, 100 * std::exp(before_side + world.key_effect * normal(random)), world.cv,
                                    world.noise, random, world.auto_correlation)});
      after.push_back({key, trials(world.n, 100 * (1 + shift) * std::exp(after_side + world.key_effect * normal(random)),
                                   world.cv * world.current_cv_factor, world.noise, random, world.auto_correlation)});
      plain += plain_rule(before.back().values, after.back().values) ? 1 : 0;
    }
    const auto a = make_measurement(pool, before);
    const auto b = make_measurement(pool, after);
    const auto* policy = plumbline::verdict::find("plumbline");
    plumbline::verdict::JudgeInput input;
    const auto comparison = policy->decide(plumbline::core::compare(a, b, {}), input);
    input.comparison = &comparison;
    const auto judgement = policy->judge(input);
    (judgement.verdict == Verdict::red ? out.red : judgement.verdict == Verdict::yellow ? out.yellow : out.green) += 1;
    out.regressed_rows += static_cast<double>(judgement.counts.regressed);
    out.plain_red += plain > 0 ? 1 : 0;  // any key over 5 %: what such a gate does
  }
  for (double* one : {&out.red, &out.yellow, &out.green, &out.plain_red}) *one *= 100 / static_cast<double>(draws);
  out.regressed_rows /= static_cast<double>(draws);
  return out;
}

// ---- bars ---------------------------------------------------------------------------------------------------------------

int missed = 0;
struct Worst {
  const char* what;
  bool at_most;
  double bar;
  double seen;
  std::string where;
  void take(double value, const std::string& place) {
    if (where.empty() || (at_most ? value > seen : value < seen)) {
      seen = value;
      where = place;
    }
  }
  void print() const {
    const bool held = at_most ? seen <= bar : seen >= bar;
    missed += held ? 0 : 1;
    std::printf("%-6s %s: %.2f %% (%s), wanted at %s %.2f %%\n", held ? "held" : "MISSED", what, seen, where.c_str(),
                at_most ? "most" : "least", bar);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t row_draws = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20'000;
  const std::size_t verdict_draws = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 400;
  if (row_draws == 0 || verdict_draws == 0) {
    std::fputs("usage: bench_operating_points [ROW_DRAWS [VERDICT_DRAWS]]\n", stderr);
    return 2;
  }
  Worst same{"rows without a change, regressed", true, 0.5, 0, ""};
  Worst edge{"rows shifted by exactly the tolerance, regressed", true, 6, 0, ""};
  Worst power{"rows 10 % slower at CV 1 %, three trials, regressed", false, 97, 100, ""};

  std::printf("Row states before multiplicity, tolerance 5 %%, %zu draws; in percent of the draws\n", row_draws);
  std::printf("%-13s %3s %5s %7s %10s %13s %15s\n", "noise", "n", "CV %", "shift %", "regressed", "inconclusive",
              "plain 5 % rule");
  std::uint64_t seed = 1;
  for (std::size_t noise = 0; noise < kNoiseNames.size(); ++noise) {
    for (const std::size_t n : {3U, 5U, 10U}) {
      for (const double cv : {0.01, 0.03}) {
        for (const double shift : {0.0, kTolerance, 0.10}) {
          const Share share = row_states(row_draws, n, shift, cv, static_cast<Noise>(noise), ++seed);
          std::printf("%-13s %3zu %5.0f %7.0f %10.2f %13.2f %15.2f\n", kNoiseNames[noise], n, 100 * cv, 100 * shift, share.red,
                      share.open, share.plain);
          const std::string place = std::string(kNoiseNames[noise]) + ", n = " + std::to_string(n) + ", CV " +
                                    std::to_string(std::lround(100 * cv)) + " %";
          if (shift == 0) same.take(share.red, place);
          if (shift == kTolerance) edge.take(share.red, place);
          if (shift == 0.10 && cv == 0.01 && n == 3) power.take(share.red, place);
        }
      }
    }
  }

  std::printf("\nVerdicts, %zu draws; in percent of the draws. \"plain\": any key more than 5 %% worse by its median\n",
              verdict_draws);
  std::printf("%-62s %6s %6s %6s %10s %6s\n", "40 keys, 3 trials a side, CV 2 % unless said otherwise", "RED", "YELLOW", "GREEN",
              "rows/draw", "plain");
  struct Run {
    World world;
    double red_at_most = -1, red_at_least = -1;
  };
  const std::vector<Run> runs = {
      {{.name = "A/A"}, 0, -1},
      {{.name = "A/A, 1,000 keys, 5 trials", .keys = 1000, .n = 5}, 0, -1},
      {{.name = "A/A, heavy-tailed", .noise = Noise::heavy}, 0.5, -1},
      {{.name = "A/A, skewed", .noise = Noise::skewed}, 0.5, -1},
      {{.name = "A/A, bimodal", .noise = Noise::bimodal}, 0.5, -1},
      {{.name = "A/A, CV 5 %", .cv = 0.05}, 0.5, -1},
      {{.name = "A/A, trials autocorrelated by .5", .auto_correlation = 0.5}, 0.5, -1},
      {{.name = "A/A, trials autocorrelated by .8, 10 trials", .n = 10, .auto_correlation = 0.8}, 0.5, -1},
      {{.name = "A/A, current side three times as noisy", .current_cv_factor = 3}, 0.5, -1},
      {{.name = "A/A, another node: all keys move together, deviation 1 %", .cv = 0.01, .side_effect = 0.01}, 0.5, -1},
      {{.name = "A/A, another node: each key moves by itself, deviation 1 %", .cv = 0.01, .key_effect = 0.01}, 0.5, -1},
      {{.name = "A/A, another node: each key moves by itself, deviation 2 %", .cv = 0.01, .key_effect = 0.02}, -1, -1},
      {{.name = "39 of 40 keys 10 % slower", .shift = 0.10, .shifted = 39}, -1, 99.5},
      {{.name = "39 of 40 keys 10 % slower, CV 1 %", .cv = 0.01, .shift = 0.10, .shifted = 39}, -1, 100},
      {{.name = "39 of 40 keys 10 % slower, skewed", .shift = 0.10, .shifted = 39, .noise = Noise::skewed}, -1, 99},
      {{.name = "10 of 40 keys 10 % slower, CV 1 %", .cv = 0.01, .shift = 0.10, .shifted = 10}, -1, 99},
      {{.name = "one of 40 keys 10 % slower, CV 1 %: seven trials would tell", .cv = 0.01, .shift = 0.10, .shifted = 1}, -1, -1},
      {{.name = "all 40 keys slower by exactly the tolerance", .shift = kTolerance, .shifted = 40}, -1, -1},
  };
  std::vector<Worst> bars;
  for (const Run& run : runs) {
    const Verdicts v = verdicts(run.world, verdict_draws, ++seed);
    std::printf("%-62s %6.1f %6.1f %6.1f %10.2f %6.1f\n", run.world.name, v.red, v.yellow, v.green, v.regressed_rows,
                v.plain_red);
    if (run.red_at_most >= 0) bars.push_back({"RED", true, run.red_at_most, v.red, run.world.name});
    if (run.red_at_least >= 0) bars.push_back({"RED", false, run.red_at_least, v.red, run.world.name});
  }

  std::printf("\nBars\n");
  same.print();
  edge.print();
  power.print();
  for (const Worst& bar : bars) bar.print();
  return missed == 0 ? 0 : 1;
}
