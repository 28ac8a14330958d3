// Measurements whose truth is known, drawn for simulations: rows of one or several classes, trials of both sides, and what moves
// them. A value is level * (1 + CV * noise), noise of mean 0 and standard deviation 1.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace plumbline::testing {

using Random = std::mt19937_64;

enum class Noise : std::uint8_t { normal, lognormal, t3, bimodal, ar1, quantised, outliers };
inline constexpr std::array<const char*, 7> kNoiseNames = {"normal",   "lognormal", "t3",      "bimodal",
                                                           "AR(1) .5", "quantised", "outliers"};

class NoiseSource {
 public:
  explicit NoiseSource(std::uint64_t seed) : random_(seed) {}

  double normal() { return normal_(random_); }
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  double one(Noise noise) {
    switch (noise) {
      case Noise::lognormal: {  // sigma .8
        constexpr double kSigma = 0.8;
        static const double mean = std::exp(kSigma * kSigma / 2);
        static const double deviation = mean * std::sqrt(std::exp(kSigma * kSigma) - 1);
        return (std::exp(kSigma * normal()) - mean) / deviation;
      }
      case Noise::t3: {
        double squares = 0;
        for (int i = 0; i < 3; ++i) squares += std::pow(normal(), 2);
        return normal() / std::sqrt(squares / 3) / std::sqrt(3.0);
      }
      case Noise::bimodal:  // a quarter of the runs in a slow mode, four deviations of the modes away
        return ((uniform() < 0.25 ? 4.0 : 0.0) + normal() - 1.0) / 2.0;
      case Noise::quantised:
        return std::round(normal());
      default:
        return normal();
    }
  }

  // Trials of one side, written to `out`; `common` is what each trial shares with the other rows of its run.
  void fill(std::span<double> out, double level, double cv, Noise noise, std::span<const double> common) {
    constexpr double kPhi = 0.5;
    double last = 0;
    for (std::size_t t = 0; t < out.size(); ++t) {
      double z = one(noise);
      if (noise == Noise::ar1) z = last = t == 0 ? z : kPhi * last + std::sqrt(1 - kPhi * kPhi) * z;
      out[t] = level * std::max(1 + cv * z, 0.01) * (common.empty() ? 1 : common[t]);
      if (noise == Noise::outliers && uniform() < 0.1) out[t] *= 3;
    }
  }

 private:
  Random random_;
  std::normal_distribution<double> normal_;
};

struct World {
  std::string name;
  std::size_t rows = 40, classes = 1;
  std::size_t baseline_trials = 3, current_trials = 3;
  double cv = 0.02;
  Noise noise = Noise::normal;
  std::size_t shifted = 0;  // rows that are `shift` worse
  double shift = 0;
  std::size_t improved = 0;      // rows that are 5 to 50 % better
  double current_cv_factor = 1;  // unequal variances
  double common = 0;             // deviation of what moves all rows of a run together
  double widest_cv = 0;          // rows of unlike noise: log-even from cv to this
  std::size_t headlines = 0;
  bool sized = false;  // rows have sizes, in their order
};

// One draw: the values of all rows, baseline and current of each row next to each other.
class Draw {
 public:
  Draw(const World& world, std::uint64_t seed) : world_(world), source_(seed) {
    values_.resize(world.rows * (world.baseline_trials + world.current_trials));
  }
  void next() {
    const std::vector<double> before = common(world_.baseline_trials);
    const std::vector<double> after = common(world_.current_trials);
    for (std::size_t i = 0; i < world_.rows; ++i) {
      double level = 1 + (i < world_.shifted ? world_.shift : 0);
      if (i >= world_.shifted && i < world_.shifted + world_.improved) level = 1 - 0.05 - 0.45 * source_.uniform();
      double cv = world_.cv;
      if (world_.widest_cv > 0) cv *= std::exp(source_.uniform() * std::log(world_.widest_cv / world_.cv));
      source_.fill(side(i, false), 100, cv, world_.noise, before);
      source_.fill(side(i, true), 100 * level, cv * world_.current_cv_factor, world_.noise, after);
    }
  }
  [[nodiscard]] std::span<double> side(std::size_t row, bool current) {
    const std::size_t first = row * (world_.baseline_trials + world_.current_trials);
    if (current) return std::span(values_).subspan(first + world_.baseline_trials, world_.current_trials);
    return std::span(values_).subspan(first, world_.baseline_trials);
  }
  [[nodiscard]] const World& world() const { return world_; }

 private:
  std::vector<double> common(std::size_t trials) {
    std::vector<double> out;
    if (world_.common > 0) {
      for (std::size_t t = 0; t < trials; ++t) out.push_back(std::exp(world_.common * source_.normal()));
    }
    return out;
  }
  World world_;
  NoiseSource source_;
  std::vector<double> values_;
};

}  // namespace plumbline::testing
