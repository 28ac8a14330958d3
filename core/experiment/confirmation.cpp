#include "core/experiment/confirmation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumbline::core {
namespace {

constexpr std::uint32_t kMostTrials = 1000;
constexpr double kSlack = 1e-12;  // relative, as of all comparisons of p with alpha

// One arrangement of all: every pair worse, or every current trial worse than every one of the baseline.
double log_smallest_p(Design design, double trials, double baseline) {
  if (design == Design::pairs) return -trials * std::log(2.0);
  return std::lgamma(trials + 1) + std::lgamma(baseline + 1) - std::lgamma(trials + baseline + 1);
}

}  // namespace

std::vector<bool> holm_survivors(std::span<const double> p, double alpha, std::uint64_t family) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  const std::uint64_t hypotheses = std::max<std::uint64_t>(family, p.size());
  std::vector<bool> out(p.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!(p[order[i]] <= alpha / static_cast<double>(hypotheses - i) * (1 + kSlack))) break;
    out[order[i]] = true;
  }
  return out;
}

std::optional<std::uint32_t> fewest_to_confirm(Design design, bool anytime, double alpha, std::uint64_t family,
                                               std::uint32_t baseline, std::uint32_t last) {
  const double wanted = std::log(alpha / static_cast<double>(std::max<std::uint64_t>(family, 1)) * (1 + kSlack));
  const auto reaches = [&](std::uint32_t n, double share) {
    return log_smallest_p(design, n, baseline) <= wanted + std::log(share) + kSlack;
  };
  if (!anytime) {
    for (std::uint32_t n = 3; n <= kMostTrials; ++n) {
      if (reaches(n, 1)) return n;
    }
    return std::nullopt;
  }
  for (std::uint32_t n = next_look(design, 0, last); n <= kMostTrials; n = next_look(design, n, last)) {
    if (reaches(n, look_share(design, n, last))) return n;
  }
  return std::nullopt;
}

}  // namespace plumbline::core
