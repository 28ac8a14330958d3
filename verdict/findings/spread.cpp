#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/citing.hpp"
#include "core/evidence/tests_of_means.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "verdict/findings/findings.hpp"

namespace plumbline::verdict {

namespace {

constexpr std::size_t kLeastTrials = 5;
constexpr double kAlpha = 0.01;
constexpr double kTwice = 2;

// Distances of the logarithms from their median; empty where a value is not positive.
std::vector<double> distances(std::span<const double> values) {
  if (std::any_of(values.begin(), values.end(), [](double x) { return !(x > 0); })) return {};
  std::vector<double> out;
  for (const double x : values) out.push_back(std::log(x));
  const double middle = core::median(out);
  for (double& x : out) x = std::fabs(x - middle);
  return out;
}

struct Grown {
  std::uint32_t delta = 0;
  double p = 1, before = 0, after = 0;  // mean distances
};

std::optional<Grown> test(const core::Comparison& c, std::uint32_t i) {
  const core::Delta& d = c.deltas[i];
  const auto before = distances(c.baseline->values(c.baseline->rows()[d.baseline_row]));
  const auto after = distances(c.current->values(c.current->rows()[d.current_row]));
  if (std::min(before.size(), after.size()) < kLeastTrials) return std::nullopt;
  const core::SideMoments b = core::side_moments(before);
  const core::SideMoments a = core::side_moments(after);
  const double p = core::mean_difference_greater(a.mean - b.mean, 0, core::difference_variance(b, {}, a, {}));
  return Grown{i, p, b.mean, a.mean};
}

}  // namespace

std::optional<core::Warning> grown_spread(const core::Comparison& c, std::span<const std::uint32_t> tested) {
  std::vector<Grown> rows;
  std::vector<double> p;
  for (const std::uint32_t i : tested) {
    if (const auto row = test(c, i)) {
      rows.push_back(*row);
      p.push_back(row->p);
    }
  }
  const std::vector<bool> survives = core::benjamini_hochberg(p, kAlpha);
  const Grown* most = nullptr;
  std::uint64_t count = 0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (!survives[j] || !(rows[j].after >= kTwice * rows[j].before)) continue;
    ++count;
    if (most == nullptr || rows[j].after > most->after) most = &rows[j];
  }
  if (most == nullptr) return std::nullopt;
  const auto percent = [](double distance) { return core::short_number(100 * std::expm1(distance), 2) + " %"; };
  return core::Warning{"spread_grew", core::counted(count, "row") + (count == 1 ? " scatters" : " scatter") +
                                          " more from trial to trial than before, whatever the medians say: most " +
                                          core::cited(c.baseline->pool().view(c.deltas[most->delta].key)) +
                                          ", whose trials lie " + percent(most->after) + " from their median, " +
                                          percent(most->before) + " before"};
}

}  // namespace plumbline::verdict
