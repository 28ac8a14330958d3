#include "verdict/culprits/chance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/evidence/tests_of_means.hpp"

namespace plumbline::verdict::culprits {

double surprise(double n, double mean, double share) {
  mean = std::clamp(mean, 0.0, 1.0);
  if (!(mean > share) || !(share < 1)) return 0;
  double divergence = mean * std::log(mean / share);
  if (mean < 1) divergence += (1 - mean) * std::log((1 - mean) / (1 - share));
  return n * divergence;
}

double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

double log_chance_of_noise(std::span<const double> values, double spread) {
  constexpr double kPriorDegrees = 4;
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = kPriorDegrees * spread * spread;
  for (const double x : values) squares += (x - mean) * (x - mean);
  const double degrees = n - 1 + kPriorDegrees;
  return std::log(core::student_upper_tail(mean / std::sqrt(squares / degrees / n), degrees));
}

double log_hypergeometric_tail(std::uint64_t hits, std::uint64_t in, std::uint64_t hits_total, std::uint64_t rows) {
  if (hits == 0) return 0;
  constexpr double kNegligible = 40;  // natural logarithms below the largest term
  const auto n = static_cast<double>(in), all = static_cast<double>(rows), marked = static_cast<double>(hits_total);
  const std::uint64_t most = std::min(in, hits_total);
  double largest = -HUGE_VAL, sum = 0;
  for (std::uint64_t k = hits; k <= most; ++k) {
    const auto x = static_cast<double>(k);
    if (n - x > all - marked) continue;
    const double term = log_choose(marked, x) + log_choose(all - marked, n - x) - log_choose(all, n);
    if (term > largest) {
      sum = sum * std::exp(largest - term) + 1;
      largest = term;
    } else {
      if (term < largest - kNegligible) break;
      sum += std::exp(term - largest);
    }
  }
  return sum > 0 ? std::min(0.0, largest + std::log(sum)) : 0;
}

}  // namespace plumbline::verdict::culprits
