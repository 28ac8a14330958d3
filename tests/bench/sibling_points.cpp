// How often a sibling is called out where none is slow, and how often the slow ones are named, all of them and no other: seeded
// fleets whose truth is known, judged as `outliers` does it. Prints a line a cell; the exit status is 1 when a bound is missed.
// bench_sibling_points [FLEETS [SEED [NAME_PART]]].
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/fleets.hpp"

namespace {

using namespace plumbline;
using testing::FleetOf;
using Random = std::mt19937_64;

enum class Noise : std::uint8_t { normal, skewed, heavy };
constexpr const char* kNoise[] = {"normal", "lognormal", "t3"};

// Of variance 1.
double deviate(Noise noise, Random& random) {
  std::normal_distribution<double> normal;
  if (noise == Noise::heavy) {  // Student's t with 3 degrees of freedom
    double squares = 0;
    for (int i = 0; i < 3; ++i) squares += std::pow(normal(random), 2);
    return normal(random) / std::sqrt(squares / 3) / std::sqrt(3.0);
  }
  if (noise == Noise::skewed) {  // lognormal with sigma .5, its long tail on the slow side
    constexpr double kSigma = 0.5;
    const double mean = std::exp(kSigma * kSigma / 2);
    return -(std::exp(kSigma * normal(random)) - mean) / (mean * std::sqrt(std::exp(kSigma * kSigma) - 1));
  }
  return normal(random);
}

enum class Truth : std::uint8_t { none, one, group, all };
constexpr const char* kTruth[] = {"A/A", "one -12 %", "a switch -12 %", "all -12 %"};

struct Cell {
  std::size_t siblings, rows, trials;
  double cv;
  Noise noise;
  bool common;  // all rows of a run move together
  Truth truth;

  [[nodiscard]] std::size_t on_a_switch() const { return siblings >= 32 ? siblings / 8 : 2; }
  [[nodiscard]] std::string name() const {
    char text[160];
    std::snprintf(text, sizeof text, "%s, %zu siblings, %zu rows, %zu trials, CV %g %%, %s%s", kTruth[static_cast<int>(truth)],
                  siblings, rows, trials, 100 * cv, kNoise[static_cast<int>(noise)], common ? ", rows as one" : "");
    return text;
  }
};

std::string name_of(const Cell& cell, std::size_t s) {
  char text[40];
  std::snprintf(text, sizeof text, "sw%zu-n%03zu", s / cell.on_a_switch(), s);
  return text;
}

struct Outcome {
  std::size_t named = 0, exact = 0, grouped = 0;
};

FleetOf drawn(const Cell& cell, Random& random, std::set<std::string>& slow) {
  const std::size_t which = random() % (cell.siblings / cell.on_a_switch()), one = random() % cell.siblings;
  FleetOf fleet;
  for (std::size_t s = 0; s < cell.siblings; ++s) {
    const std::string name = name_of(cell, s);
    const bool is_slow =
        (cell.truth == Truth::one && s == one) || (cell.truth == Truth::group && s / cell.on_a_switch() == which);
    if (is_slow) slow.insert(name);
    const double factor = is_slow || cell.truth == Truth::all ? 0.88 : 1;
    std::vector<std::vector<double>> values(cell.rows);
    for (std::size_t t = 0; t < cell.trials; ++t) {
      const double run = deviate(cell.noise, random);
      for (std::size_t r = 0; r < cell.rows; ++r) {
        const double z = !cell.common ? deviate(cell.noise, random) : 0.95 * run + 0.3 * deviate(cell.noise, random);
        const double level = 100 + 20 * static_cast<double>(r);
        values[r].push_back(std::round(100 * level * factor * std::max(0.05, 1 + cell.cv * z)) / 100);
      }
    }
    for (std::size_t r = 0; r < cell.rows; ++r) {
      fleet.add(name, r % 2 == 0 ? "all_reduce" : "all_gather", {{"size", std::to_string(1024ULL << (r / 2))}}, values[r]);
    }
  }
  return fleet;
}

Outcome run(const Cell& cell, std::size_t fleets, std::uint64_t seed) {
  Outcome out;
  Random random(seed ^ std::hash<std::string>{}(cell.name()));
  for (std::size_t i = 0; i < fleets; ++i) {
    std::set<std::string> slow;
    const core::OutliersResult result = drawn(cell, random, slow).judge();
    const std::set<std::string> named(result.drain.begin(), result.drain.end());
    out.named += named.empty() ? 0 : 1;
    out.exact += named == slow ? 1 : 0;
    const bool told = std::any_of(result.groups.begin(), result.groups.end(), [&](const core::SiblingGroup& group) {
      return std::set<std::string>(group.siblings.begin(), group.siblings.end()) == slow;
    });
    out.grouped += told ? 1 : 0;
  }
  return out;
}

std::vector<Cell> cells() {
  std::vector<Cell> out;
  for (const Truth truth : {Truth::none, Truth::one, Truth::group, Truth::all}) {
    for (const std::size_t siblings : {3, 5, 10, 32, 100}) {
      if (truth == Truth::group && siblings < 10) continue;
      for (const std::size_t rows : {1, 5, 29}) {
        for (const double cv : {0.005, 0.01, 0.02, 0.05}) {
          for (const Noise noise : {Noise::normal, Noise::skewed, Noise::heavy}) {
            for (const bool common : {false, true}) {
              if (rows == 1 && common) continue;
              out.push_back({siblings, rows, 1, cv, noise, common, truth});
              if (siblings <= 10 && rows != 5) out.push_back({siblings, rows, 3, cv, noise, common, truth});
            }
          }
        }
      }
    }
  }
  return out;
}

// What is promised of slow ones among ten or more, all of them named and no other. Noise that all rows of a run share, and single
// rows, leave one number a sibling: little is promised of those at CV 1 %, and nothing where their tail is long besides.
double least_exact(const Cell& cell) {
  if (cell.noise == Noise::heavy || cell.siblings < 10) return 0;
  const bool one_number = cell.common || cell.rows == 1;
  if (one_number && cell.noise == Noise::skewed) return 0;
  if (cell.cv <= 0.005) return 0.98;
  if (cell.cv <= 0.01) return one_number ? 0.55 : cell.rows >= 29 ? 0.98 : cell.noise == Noise::normal ? 0.98 : 0.7;
  return cell.cv <= 0.02 && !one_number && cell.rows >= 29 ? 0.98 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t fleets = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20261123;
  const std::string part = argc > 3 ? argv[3] : "";
  int missed = 0;
  std::printf("%-84s %8s %8s %8s  bound\n", "cell", "named", "exactly", "switch");
  for (const Cell& cell : cells()) {
    if (cell.name().find(part) == std::string::npos) continue;
    const Outcome outcome = run(cell, fleets, seed);
    const auto n = static_cast<double>(fleets);
    const bool slow = cell.truth == Truth::one || cell.truth == Truth::group;
    const double most = 0.02 * n + 2 * std::sqrt(0.02 * 0.98 * n);
    const double least = least_exact(cell);
    const bool ok = slow ? static_cast<double>(outcome.exact) >= least * n - 2 * std::sqrt(least * (1 - least) * n)
                         : static_cast<double>(outcome.named) <= most;
    missed += ok ? 0 : 1;
    std::printf("%-84s %8.3f %8.3f %8.3f  %s%s\n", cell.name().c_str(), static_cast<double>(outcome.named) / n,
                static_cast<double>(outcome.exact) / n, static_cast<double>(outcome.grouped) / n,
                !slow       ? "named <= .02"
                : least > 0 ? ("exactly >= " + std::to_string(least)).c_str()
                            : "-",
                ok ? "" : "  MISSED");
    std::fflush(stdout);
  }
  std::printf("%d bounds missed\n", missed);
  return missed == 0 ? 0 : 1;
}
