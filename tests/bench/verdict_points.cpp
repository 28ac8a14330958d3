// What becomes of measurements whose truth is known: P(RED), P(YELLOW), P(GREEN) of the rules for a verdict over the evidence of
// all rows (core/evidence), beside benchstat's rule (any row worse with Mann-Whitney p < .05) and the plain one (any median 5 %
// worse) on the same draws. Each cell with a bound is checked against it; the exit status is 1 when one is missed by more than
// two Monte-Carlo errors. bench_verdict_points [SCALE [NAME_PART [MOST_ROWS]]]: 3,000 draws a cell and fewer for large ones,
// times SCALE.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/evidence/row_evidence.hpp"
#include "core/statistics.hpp"
#include "tests/bench/worlds.hpp"

namespace {

using namespace plumbline::core;
using namespace plumbline::testing;

constexpr double kTolerance = 0.05;
constexpr double kAlpha = 0.05;

enum class Colour : std::uint8_t { green, yellow, red };

// Regressed by ranks of trials that are not independent, and no further than the class scatters.
bool explained(const RowEvidence& row, const Evidence& evidence) {
  if (!row.trials) return false;
  const GroupEvidence& group = evidence.groups[row.group];
  return group.correlated && row.explained && group.proven;
}

// CONTRACT's rules over the evidence: what the policy does with it.
Colour verdict(const Evidence& evidence, std::span<const EvidenceRow> rows, const std::vector<bool>& undecided) {
  bool suspects = false;
  bool open = false;
  bool headline = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowEvidence& row = evidence.rows[i];
    suspects = suspects || (row.suspect && !explained(row, evidence));
    headline = headline || (rows[i].headline && row.regressed && !row.suspect);
    if (!row.trials || row.regressed || !undecided[i]) continue;
    open = open || rows[i].headline || !(row.explained && evidence.groups[row.group].proven);
  }
  const bool suite = std::any_of(evidence.groups.begin(), evidence.groups.end(), [](const GroupEvidence& g) { return g.worse; });
  const bool all_of_few =
      evidence.judged_points < 3 && evidence.judged_points > 0 && evidence.regressed_points == evidence.judged_points;
  if (headline || suite || evidence.regressed_points >= 3 || all_of_few) return Colour::red;
  return suspects || open || evidence.regressed_points > 0 ? Colour::yellow : Colour::green;
}

// Exact p of the rank sum without ties, by the number of pairs won; tables are made once for a pair of sizes.
class RankTable {
 public:
  RankTable(std::size_t n, std::size_t m) {
    // P_{n,m}(u) = n/(n+m) P_{n-1,m}(u-m) + m/(n+m) P_{n,m-1}(u)
    std::vector<std::vector<std::vector<double>>> p(n + 1, std::vector<std::vector<double>>(m + 1));
    for (std::size_t a = 0; a <= n; ++a) {
      for (std::size_t b = 0; b <= m; ++b) {
        std::vector<double>& out = p[a][b];
        out.assign(a * b + 1, 0.0);
        if (a == 0 || b == 0) {
          out[0] = 1;
          continue;
        }
        const auto all = static_cast<double>(a + b);
        for (std::size_t u = 0; u < p[a - 1][b].size(); ++u) out[u + b] += static_cast<double>(a) / all * p[a - 1][b][u];
        for (std::size_t u = 0; u < p[a][b - 1].size(); ++u) out[u] += static_cast<double>(b) / all * p[a][b - 1][u];
      }
      if (a > 0) p[a - 1].clear();
    }
    at_least_ = p[n][m];
    for (std::size_t u = at_least_.size() - 1; u > 0; --u) at_least_[u - 1] += at_least_[u];
  }
  double greater(std::span<const double> a, std::span<const double> b, double factor, bool ties) const {
    std::size_t won = 0;
    for (const double x : a) {
      const double reach = x * factor;
      for (const double y : b) won += y > reach ? 1 : 0;
    }
    const double p = at_least_[won];
    if (!ties || p > 0.3) return p;
    std::vector<double> la, lb;
    for (const double x : a) la.push_back(std::log(x));
    for (const double y : b) lb.push_back(std::log(y));
    return mann_whitney_greater(la, lb, std::log(factor));
  }

 private:
  std::vector<double> at_least_;
};

struct Rates {
  double red = 0, yellow = 0, green = 0, benchstat = 0, plain = 0;
  std::size_t draws = 0;
};

Rates simulate(const World& world, std::size_t draws, std::uint64_t seed) {
  Draw draw(world, seed);
  const bool trials = std::min(world.baseline_trials, world.current_trials) >= kLeastTrials;
  const bool ties = world.noise == Noise::quantised;
  std::unique_ptr<RankTable> table;
  if (trials) table = std::make_unique<RankTable>(world.baseline_trials, world.current_trials);
  std::vector<ClassName> classes(world.classes);
  for (std::size_t i = 0; i < world.classes; ++i) classes[i] = {static_cast<Id>(i + 1), 1, Direction::lower};
  std::vector<EvidenceRow> rows(world.rows);
  for (std::size_t i = 0; i < world.rows; ++i) {
    rows[i].baseline = draw.side(i, false);
    rows[i].current = draw.side(i, true);
    rows[i].klass = static_cast<std::uint32_t>(i % world.classes);
    rows[i].point = static_cast<std::uint32_t>(i);
    rows[i].headline = world.rows - i <= world.headlines;
    if (world.sized) rows[i].size = static_cast<double>(i);
  }
  Rates out;
  out.draws = draws;
  std::vector<bool> undecided(world.rows);
  for (std::size_t round = 0; round < draws; ++round) {
    draw.next();
    bool any_benchstat = false;
    bool any_plain = false;
    for (std::size_t i = 0; i < world.rows; ++i) {
      const double before = median(rows[i].baseline);
      const double after = median(rows[i].current);
      const bool worse = after > before * (1 + kTolerance);
      any_plain = any_plain || worse;
      undecided[i] = worse;
      if (!trials) continue;
      rows[i].rank_p = table->greater(rows[i].baseline, rows[i].current, 1 + kTolerance, ties);
      any_benchstat =
          any_benchstat || (after > before && 2 * table->greater(rows[i].baseline, rows[i].current, 1, ties) < kAlpha);
    }
    const Evidence evidence = weigh_rows(classes, rows, {.alpha = kAlpha});
    const Colour colour = verdict(evidence, rows, undecided);
    (colour == Colour::red ? out.red : colour == Colour::yellow ? out.yellow : out.green) += 1;
    out.benchstat += any_benchstat ? 1 : 0;
    out.plain += any_plain ? 1 : 0;
  }
  for (double* one : {&out.red, &out.yellow, &out.green, &out.benchstat, &out.plain}) *one *= 100 / static_cast<double>(draws);
  return out;
}

struct Sizes {
  std::size_t baseline, current;
};

struct Cell {
  World world;
  double red_at_most = -1, red_at_least = -1, green_at_least = -1;
};

World unchanged(std::size_t rows, Sizes n, double cv, Noise noise = Noise::normal) {
  return {.name = "A/A", .rows = rows, .baseline_trials = n.baseline, .current_trials = n.current, .cv = cv, .noise = noise};
}

// What law 1 allows for a world in which nothing changed; -1 where it says nothing.
double most_red(const World& w) {
  const bool runs = std::min(w.baseline_trials, w.current_trials) < kLeastTrials;
  if (w.noise == Noise::ar1 && w.cv > .1 && w.rows < 20) return 5;
  if (w.noise == Noise::outliers && (runs || w.rows < 10)) return -1;
  if (runs && w.noise == Noise::quantised) return -1;
  if (runs && w.noise == Noise::t3 && w.cv > .05) return -1;
  if (runs && w.noise == Noise::bimodal && w.cv > .1) return 3;
  return 2;
}

void add_unchanged(std::vector<Cell>& out) {
  for (const Sizes n : {Sizes{1, 1}, {2, 2}, {1, 10}, {10, 1}, {3, 3}, {5, 5}, {10, 10}, {30, 30}, {3, 50}}) {
    for (const std::size_t rows : {5U, 10U, 19U, 20U, 50U, 300U, 3000U}) {
      for (const double cv : {.005, .02, .05, .15}) {
        for (std::size_t noise = 0; noise < kNoiseNames.size(); ++noise) {
          for (const std::size_t classes : {1U, 6U}) {
            if (classes > 1 && (rows == 5 || rows == 3000)) continue;
            World w = unchanged(rows, n, cv, static_cast<Noise>(noise));
            w.classes = classes;
            const bool quiet = rows >= 10 && cv <= .02 && std::min(n.baseline, n.current) >= 5 && w.noise != Noise::outliers;
            out.push_back({w, most_red(w), -1, quiet ? 90.0 : -1});
            if (std::min(n.baseline, n.current) >= kLeastTrials || rows < 50 || classes > 1) continue;
            w.name = "A/A, rows with sizes";
            w.sized = true;
            out.push_back({w, most_red(w), -1, quiet ? 90.0 : -1});
          }
        }
      }
    }
  }
}

void add_unchanged_specials(std::vector<Cell>& out) {
  const auto add = [&](World world, const char* name, double most) {
    world.name = name;
    out.push_back({std::move(world), most});
  };
  for (const std::size_t rows : {10U, 20U, 50U, 300U}) {
    for (const double cv : {.02, .05, .15}) {
      for (const std::size_t n : {1U, 3U, 5U, 10U}) {
        World w = unchanged(rows, {n, n}, cv);
        w.headlines = 5;
        add(w, "A/A five headlines", 2);
      }
    }
  }
  for (const std::size_t rows : {5U, 10U, 50U, 300U}) {
    for (const Sizes n : {Sizes{3, 30}, {30, 3}, {3, 3}, {10, 10}}) {
      for (const double cv : {.01, .03}) {
        World w = unchanged(rows, n, cv);
        w.current_cv_factor = 5;
        add(w, "A/A variances 1:5", 2);
        w = unchanged(rows, n, 5 * cv);
        w.current_cv_factor = .2;
        add(w, "A/A variances 5:1", 2);
      }
    }
  }
  for (const std::size_t n : {3U, 5U, 10U}) {
    for (const std::size_t rows : {20U, 100U, 300U}) {
      World w = unchanged(rows, {n, n}, .005);
      w.widest_cv = .15;
      add(w, "A/A rows of CV .5 to 15 %", 2);
    }
  }
  for (const std::size_t rows : {50U, 100U, 300U}) {
    for (const double cv : {.001, .005, .02}) {
      World w = unchanged(rows, {1, 1}, cv);
      w.widest_cv = 20 * cv;
      w.sized = true;
      add(w, "A/A noise that grows with size", -1);  // no law: rows of unlike noise, one run
    }
  }
  for (const std::size_t n : {1U, 3U, 5U, 10U}) {
    for (const std::size_t rows : {10U, 40U, 300U}) {
      World w = unchanged(rows, {n, n}, .01);
      w.common = .03;
      add(w, "A/A noise common to a run 3 %", n == 1 ? -1 : 2);
    }
  }
}

void add_worse(std::vector<Cell>& out, std::size_t n) {
  const auto world = [&](const char* name, std::size_t rows, double cv, std::size_t shifted, double shift,
                         Noise noise = Noise::normal) {
    World w = unchanged(rows, {n, n}, cv, noise);
    w.name = name;
    w.shifted = shifted;
    w.shift = shift;
    return w;
  };
  const auto least = [&](World w, std::size_t from_trials, double bar) {
    out.push_back({std::move(w), -1, n >= from_trials ? bar : -1});
  };
  constexpr std::size_t kNever = 1000;
  least(world("all +8 %", 40, .05, 40, .08), 3, 90);
  least(world("all +8 %", 10, .02, 10, .08), 3, 90);
  least(world("all +8 %", 100, .15, 100, .08), 3, 55);
  least(world("3 of 120 +30 %", 120, .02, 3, .3), 1, 95);
  World mixed = world("10 of 100 +20 %, 60 improved", 100, .005, 10, .2);
  mixed.improved = 60;
  least(mixed, 1, 85);
  least(world("a tenth of 100 +10 %", 100, .005, 10, .1), 3, 95);
  least(world("a tenth of 100 +10 %", 100, .02, 10, .1), 5, 90);
  least(world("4 of 10 doubled", 10, .005, 4, 1), kNever, 0);
  least(world("4 of 10 doubled", 10, .05, 4, 1), kNever, 0);
  least(world("a tenth of 100 +30 %", 100, .05, 10, .3, Noise::t3), kNever, 0);
  least(world("3 of 50 +60 %", 50, .05, 3, .6, Noise::lognormal), kNever, 0);
  least(world("a tenth of 100 +20 %", 100, .02, 10, .2, Noise::outliers), kNever, 0);
  World half = world("half of the sizes +12 %", 100, .005, 50, .12);
  half.sized = true;
  least(half, 1, 95);
  World two = world("all +8 %, two classes", 40, .05, 40, .08);
  two.classes = 2;
  least(two, kNever, 0);
  if (n < kLeastTrials) return;
  for (const std::size_t rows : {1U, 10U, 40U, 100U}) {
    for (const double cv : {.005, .02, .05}) {
      World edge = world("all +5 % = tolerance", rows, cv, rows, .05);
      out.push_back({edge, 6});
      edge.name = "the same, noise common to a run";
      edge.common = .02;
      out.push_back({edge, 7});
    }
  }
}

std::vector<Cell> cells() {
  std::vector<Cell> out;
  for (const std::size_t n : {1U, 2U, 3U, 5U, 10U, 30U}) add_worse(out, n);
  add_unchanged_specials(out);
  add_unchanged(out);
  return out;
}

double monte_carlo_error(double percent, std::size_t draws) {
  return std::sqrt(std::max(percent * (100 - percent), 1.0) / static_cast<double>(draws));
}

// Prints a cell; true when it misses a bound by more than two Monte-Carlo errors.
bool print(const Cell& cell, const Rates& r) {
  const World& w = cell.world;
  const auto error = [&](double percent) { return monte_carlo_error(percent, r.draws); };
  const bool missed = (cell.red_at_most >= 0 && r.red > cell.red_at_most + 2 * error(r.red)) ||
                      (cell.red_at_least >= 0 && r.red < cell.red_at_least - 2 * error(r.red)) ||
                      (cell.green_at_least >= 0 && r.green < cell.green_at_least - 2 * error(r.green));
  std::printf("%-32s %5zu x%zu %3zu v %-3zu CV %4.1f %-9s | %6.2f %6.2f %6.2f +-%4.2f | %6.1f %6.1f |%s\n", w.name.c_str(),
              w.rows, w.classes, w.baseline_trials, w.current_trials, 100 * w.cv, kNoiseNames[static_cast<std::size_t>(w.noise)],
              r.red, r.yellow, r.green, error(r.red), r.benchstat, r.plain, missed ? " MISSED" : "");
  return missed;
}

}  // namespace

int main(int argc, char** argv) {
  const double scale = argc > 1 ? std::atof(argv[1]) : 1;
  const std::string only = argc > 2 ? argv[2] : "";
  const std::size_t most_rows = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 300;
  if (!(scale > 0) || most_rows == 0) {
    std::fputs("usage: bench_verdict_points [SCALE [NAME_PART [MOST_ROWS]]]\n", stderr);
    return 2;
  }
  std::vector<Cell> chosen;
  for (Cell& cell : cells()) {
    if (cell.world.name.find(only) != std::string::npos && cell.world.rows <= most_rows) chosen.push_back(std::move(cell));
  }
  std::vector<Rates> rates(chosen.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < chosen.size(); i = next++) {
      const World& w = chosen[i].world;
      const auto values = static_cast<double>(w.rows * (w.baseline_trials + w.current_trials));
      const double draws = scale * std::clamp(2e6 / values, 60.0, 3000.0);
      rates[i] = simulate(w, static_cast<std::size_t>(std::max(draws, 20.0)), 1000 + i);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  std::printf("%-32s %5s %2s %7s %7s %-9s | %6s %6s %6s %6s | %6s %6s |\n", "percent of the draws", "rows", "in", "trials", "",
              "noise", "RED", "YELLOW", "GREEN", "", "bstat", "5 %");
  std::size_t missed = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) missed += print(chosen[i], rates[i]) ? 1 : 0;
  std::printf("%zu of %zu cells miss a bound by more than two Monte-Carlo errors\n", missed, chosen.size());
  return missed == 0 ? 0 : 1;
}
