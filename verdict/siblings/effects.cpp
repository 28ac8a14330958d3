#include "verdict/siblings/effects.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/evidence/crowd.hpp"
#include "core/evidence/tests_of_means.hpp"
#include "core/statistics.hpp"

namespace plumbline::verdict::siblings {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kSlack = 1e-12;  // relative, as for tolerances
constexpr double kBroad = 0.5;    // of the tolerance: what the middle line must show of a class that is worse
constexpr std::size_t kTrials = 3;
constexpr double kTrialsApart = 3;          // half-widths of the crowd
constexpr double kMedianVariance = 1.5708;  // of a median of normal numbers, in variances of their mean (pi / 2)
constexpr double kProof = 0.05;

bool is_number(double x) { return std::isfinite(x); }

// The p of those that have a number; 1 for the others.
std::vector<double> chances(const std::vector<double>& means, double resolution, double tests) {
  std::vector<double> there;
  for (const double mean : means) {
    if (is_number(mean)) there.push_back(mean);
  }
  const std::vector<double> p = core::chance_apart(there, resolution);
  std::vector<double> out;
  out.reserve(means.size());
  std::size_t next = 0;
  for (const double mean : means) out.push_back(is_number(mean) ? std::min(1.0, p[next++] * tests) : 1);
  return out;
}

// From the median of the others; NaN where there is no number.
std::vector<double> changes_of(const std::vector<double>& costs) {
  std::vector<double> out = medians_of_others(costs);
  for (std::size_t s = 0; s < costs.size(); ++s) out[s] = is_number(costs[s]) ? costs[s] - out[s] : kNaN;
  return out;
}

class ClassEffect {
 public:
  ClassEffect(const Fleet& fleet, const std::vector<Member>& members, const std::vector<std::uint32_t>& lines)
      : fleet_(fleet), members_(members), lines_(lines) {}

  Effect run(double tests) {
    set_means();
    double resolution = 0;
    for (const std::uint32_t i : lines_) {
      resolution += fleet_.lines[i].resolution;
      out_.limit += fleet_.lines[i].limit;
    }
    resolution /= static_cast<double>(lines_.size());
    out_.limit /= static_cast<double>(lines_.size());
    out_.p = chances(means_, resolution, tests);
    out_.change = changes_of(means_);
    set_broad();
    out_.by_trials.assign(members_.size(), false);
    out_.within.assign(members_.size(), false);
    if (set_trials()) test_trials(tests);
    return std::move(out_);
  }

 private:
  // About each line's own middle, so that a sibling without a line is not held to be better or worse for it.
  void set_means() {
    const std::size_t n = members_.size();
    std::vector<double> sums(n, 0);
    std::vector<std::size_t> counts(n, 0);
    for (const std::uint32_t i : lines_) {
      const std::vector<double>& cost = fleet_.lines[i].cost;
      const double middle = median_of(cost);
      for (std::size_t s = 0; s < n; ++s) {
        if (!is_number(cost[s])) continue;
        sums[s] += cost[s] - middle;
        ++counts[s];
      }
    }
    for (std::size_t s = 0; s < n; ++s) {
      means_.push_back(2 * counts[s] >= lines_.size() && counts[s] > 0 ? sums[s] / static_cast<double>(counts[s]) : kNaN);
    }
  }

  void set_broad() {
    std::vector<std::vector<double>> changes(members_.size());
    for (const std::uint32_t i : lines_) {
      const std::vector<double> here = changes_of(fleet_.lines[i].cost);
      for (std::size_t s = 0; s < members_.size(); ++s) {
        if (is_number(here[s])) changes[s].push_back(here[s]);
      }
    }
    for (std::size_t s = 0; s < members_.size(); ++s) {
      const double middle = core::median(changes[s]);
      out_.broad.push_back(out_.change[s] < 0 ? middle < -kBroad * out_.limit : middle > kBroad * out_.limit);
    }
  }

  // The mean over the lines, trial by trial: what all lines of one run share is in it.
  bool set_trials() {
    for (std::size_t s = 0; s < members_.size(); ++s) {
      if (!is_number(means_[s])) continue;
      std::vector<double> sums;
      for (const std::uint32_t i : lines_) {
        const std::vector<double> costs = trial_costs(fleet_.lines[i], members_, s);
        if (costs.size() < kTrials || (!sums.empty() && costs.size() != sums.size())) return false;
        if (sums.empty()) sums.assign(costs.size(), 0);
        for (std::size_t k = 0; k < costs.size(); ++k) sums[k] += costs[k] / static_cast<double>(lines_.size());
      }
      moments_.push_back(core::side_moments(sums));
      of_moments_.push_back(s);
    }
    return moments_.size() >= 2;
  }

  void test_trials(double tests) {
    double squares = 0, degrees = 0, all = 0;
    for (const core::SideMoments& one : moments_) {
      squares += one.squares;
      degrees += static_cast<double>(one.trials - 1);
      all += static_cast<double>(one.trials);
    }
    const double pooled = squares / degrees;
    const double width = crowd_half_width();
    const double asked = tests * static_cast<double>(moments_.size());
    for (std::size_t j = 0; j < moments_.size(); ++j) {
      const std::size_t s = of_moments_[j];
      const auto own = static_cast<double>(moments_[j].trials);
      // A sibling that scatters more than the others pays for it by itself.
      const double variance =
          std::max(pooled, moments_[j].variance()) / own + kMedianVariance * pooled / std::max(1.0, all - own);
      const double error = std::sqrt(variance);
      const auto tail = [&](double beyond) {
        return error > 0 ? core::student_upper_tail(beyond / error, degrees) : beyond > 0 ? 0.0 : 1.0;
      };
      out_.by_trials[s] =
          moments_.size() > 2 && out_.change[s] >= kTrialsApart * width && tail(out_.change[s] - out_.limit) * asked <= kAlpha;
      out_.within[s] = tail(out_.limit - out_.change[s]) <= kProof;
    }
  }

  // Of the shortest interval that holds more than half of the siblings.
  [[nodiscard]] double crowd_half_width() const {
    std::vector<double> sorted;
    for (const std::size_t s : of_moments_) sorted.push_back(means_[s]);
    std::sort(sorted.begin(), sorted.end());
    const std::size_t held = sorted.size() / 2 + 1;
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + held <= sorted.size(); ++i) shortest = std::min(shortest, sorted[i + held - 1] - sorted[i]);
    return shortest / 2;
  }

  const Fleet& fleet_;
  const std::vector<Member>& members_;
  const std::vector<std::uint32_t>& lines_;
  std::vector<double> means_;
  std::vector<core::SideMoments> moments_;
  std::vector<std::size_t> of_moments_;  // their siblings
  Effect out_;
};

}  // namespace

bool Effect::beyond(std::size_t s, bool two_sided) const {
  const double x = two_sided ? std::fabs(change[s]) : change[s];
  return is_number(x) && x > limit * (1 + kSlack) + kSlack;
}

bool Effect::better(std::size_t s) const { return is_number(change[s]) && change[s] < -limit; }

Effect effect_of(const Fleet& fleet, const std::vector<Member>& members, const std::vector<std::uint32_t>& lines, double tests) {
  return ClassEffect(fleet, members, lines).run(tests);
}

Effect effect_of_line(const Line& line, double tests) {
  Effect out;
  out.limit = line.limit;
  out.p = chances(line.cost, line.resolution, tests);
  out.change = changes_of(line.cost);
  return out;
}

}  // namespace plumbline::verdict::siblings
