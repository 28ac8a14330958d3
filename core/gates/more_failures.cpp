#include "core/gates/more_failures.hpp"

#include <algorithm>
#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "core/evidence/boost_at_start.hpp"

namespace plumbline::core {
namespace {

using InDoubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

double log_choose(double n, double k) {
  const auto log_factorial = [](double x) { return boost::math::lgamma(x + 1, InDoubles()); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

// The hypergeometric distribution of the failures that fall to the current side.
struct Draw {
  double current = 0, baseline = 0, failed = 0;  // attempts of each side, failures of both

  [[nodiscard]] double probability(double x) const {
    return std::exp(log_choose(current, x) + log_choose(baseline, failed - x) - log_choose(current + baseline, failed));
  }
  // P(x + 1) / P(x)
  [[nodiscard]] double step(double x) const { return (current - x) * (failed - x) / ((x + 1) * (baseline - failed + x + 1)); }
};

// Terms fall by more and more on the way out from the middle: what is left out is below the last digit.
constexpr double kNothing = 1e-17;

double upper_tail(const Draw& draw, double from, double most) {
  double term = draw.probability(from);
  double sum = term;
  for (double x = from; x < most && term > kNothing * sum; ++x) {
    term *= draw.step(x);
    sum += term;
  }
  return sum;
}

double below(const Draw& draw, double from, double least) {
  if (from <= least) return 0;
  double term = draw.probability(from - 1);
  double sum = term;
  for (double x = from - 1; x > least && term > kNothing * sum; --x) {
    term /= draw.step(x - 1);
    sum += term;
  }
  return sum;
}

}  // namespace

double more_failures_p(const Failures& baseline, const Failures& current) {
  if (baseline.attempts == 0 || current.attempts == 0) return 1;
  const Draw draw{static_cast<double>(current.attempts), static_cast<double>(baseline.attempts),
                  static_cast<double>(baseline.failed) + static_cast<double>(current.failed)};
  const auto observed = static_cast<double>(current.failed);
  const double most = std::min(draw.current, draw.failed);
  const double least = std::max(0.0, draw.failed - draw.baseline);
  const double mean = draw.failed * draw.current / (draw.current + draw.baseline);
  const double p = observed > mean ? upper_tail(draw, observed, most) : 1 - below(draw, observed, least);
  return std::clamp(p, 0.0, 1.0);
}

}  // namespace plumbline::core
