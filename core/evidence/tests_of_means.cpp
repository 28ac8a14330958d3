#include "core/evidence/tests_of_means.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/evidence/boost_at_start.hpp"

namespace plumbline::core {
namespace {

// In doubles throughout: a million rows are asked, and the fifteenth digit of a p decides nothing.
using InDoubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Student = boost::math::students_t_distribution<double, InDoubles>;

constexpr std::size_t kExactTrend = 50;

// P(inversions <= k) among all orders of n values: the number of orders by inversions, divided by n! as it grows.
double few_inversions(std::size_t n, std::uint64_t k) {
  std::vector<double> share{1};
  for (std::size_t i = 2; i <= n; ++i) {
    std::vector<double> next(share.size() + i - 1, 0.0);
    for (std::size_t j = 0; j < share.size(); ++j) {
      for (std::size_t add = 0; add < i; ++add) next[j + add] += share[j] / static_cast<double>(i);
    }
    share = std::move(next);
  }
  double sum = 0;
  for (std::size_t j = 0; j < share.size() && j <= k; ++j) sum += share[j];
  return std::min(sum, 1.0);
}

// n (n-1) (2n+5): eighteen times the variance of Kendall's sum over n values, and what a tie of n takes off it.
double kendall_term(double n) { return n * (n - 1) * (2 * n + 5); }

// x with trigamma(x) = y, by Newton's method on its reciprocal, which is nearly a straight line (Smyth 2004, appendix).
double trigamma_inverse(double y) {
  constexpr int kMostSteps = 50;
  constexpr double kEnough = 1e-9;  // relative
  double x = 0.5 + 1 / y;
  for (int i = 0; i < kMostSteps; ++i) {
    const double at = boost::math::trigamma(x, InDoubles());
    const double step = at * (1 - at / y) / boost::math::polygamma(2, x, InDoubles());
    x += step;
    if (std::fabs(step) <= kEnough * x) break;
  }
  return x;
}

}  // namespace

SideMoments side_moments(std::span<const double> x) {
  SideMoments out;
  out.trials = x.size();
  if (x.empty()) return out;
  double sum = 0;
  for (const double value : x) sum += value;
  out.mean = sum / static_cast<double>(x.size());
  double last = 0;
  for (const double value : x) {
    const double residual = value - out.mean;
    out.squares += residual * residual;
    out.lag_squares += residual * last;
    last = residual;
  }
  return out;
}

double variance_degrees(std::span<const SampleVariance> variances) {
  constexpr double kStandardErrors = 2;
  constexpr double kAlike = 1e-6;  // an excess below is none: the degrees would be a million
  std::vector<double> logs;
  logs.reserve(variances.size());
  double sampling = 0;
  double degrees = 0;  // of the last one; nearly all have the same
  double bias = 0;
  double own = 0;
  for (const SampleVariance& one : variances) {
    if (!(one.value > 0) || !(one.degrees > 0)) continue;
    if (one.degrees != degrees) {
      degrees = one.degrees;
      bias = boost::math::digamma(degrees / 2, InDoubles()) - std::log(degrees / 2);
      own = boost::math::trigamma(degrees / 2, InDoubles());
    }
    logs.push_back(std::log(one.value) - bias);
    sampling += own;
  }
  if (logs.size() < 2) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(logs.size());
  double mean = 0;
  for (const double x : logs) mean += x / n;
  double squares = 0;
  double fourths = 0;
  for (const double x : logs) {
    const double square = (x - mean) * (x - mean);
    squares += square;
    fourths += square * square;
  }
  const double error = std::sqrt(std::max(0.0, fourths / n - squares / n * squares / n) / n);
  const double excess = squares / (n - 1) - sampling / n - kStandardErrors * error;
  if (!(excess > kAlike)) return std::numeric_limits<double>::infinity();
  return 2 * trigamma_inverse(excess);
}

DifferenceVariance difference_variance(const SideMoments& baseline, const VariancePrior& baseline_prior,
                                       const SideMoments& current, const VariancePrior& current_prior) {
  double sum = 0;
  double squares = 0;
  const auto add = [&](const SideMoments& side, const VariancePrior& prior) {
    if (side.trials < 2) return;
    const double degrees = static_cast<double>(side.trials - 1) + prior.degrees;
    const double of_mean = (side.squares + prior.degrees * prior.variance) / degrees / static_cast<double>(side.trials);
    sum += of_mean;
    squares += of_mean * of_mean / degrees;
  };
  add(baseline, baseline_prior);
  add(current, current_prior);
  if (!(squares > 0)) return {sum, 1};
  return {sum, sum * sum / squares};
}

double mean_difference_greater(double difference, double limit, const DifferenceVariance& variance) {
  constexpr double kSlack = 1e-12;  // relative, as for tolerances: exactly at the limit is not above it
  const double excess = difference - limit;
  if (!(variance.value > 0)) return excess > kSlack * std::max(std::fabs(difference), std::fabs(limit)) ? 0 : 1;
  return student_upper_tail(excess / std::sqrt(variance.value), variance.degrees);
}

double student_upper_tail(double t, double degrees) {
  if (std::isnan(t) || !(degrees > 0)) return 1;
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return boost::math::cdf(boost::math::complement(Student(degrees), t));
}

double student_upper_quantile(double p, double degrees) {
  if (!(degrees > 0)) return std::numeric_limits<double>::infinity();
  return boost::math::quantile(boost::math::complement(Student(degrees), p));
}

double normal_upper_quantile(double p) {
  return boost::math::quantile(boost::math::complement(boost::math::normal_distribution<double, InDoubles>(), p));
}

double trend_p(std::span<const double> x) {
  const std::size_t n = x.size();
  if (n < 3) return 1;
  std::int64_t rises = 0;
  std::int64_t falls = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      rises += x[j] > x[i] ? 1 : 0;
      falls += x[j] < x[i] ? 1 : 0;
    }
  }
  const auto pairs = static_cast<std::int64_t>(n * (n - 1) / 2);
  if (rises + falls == pairs && n <= kExactTrend) {
    return std::min(1.0, 2 * few_inversions(n, static_cast<std::uint64_t>(std::min(rises, falls))));
  }
  std::vector<double> sorted(x.begin(), x.end());
  std::sort(sorted.begin(), sorted.end());
  double variance = kendall_term(static_cast<double>(n));
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::upper_bound(first, sorted.end(), *first);
    variance -= kendall_term(static_cast<double>(last - first));
    first = last;
  }
  if (!(variance > 0)) return 1;  // all equal
  const double away = std::max<double>(0, static_cast<double>(std::abs(rises - falls)) - 1);
  return std::min(1.0, std::erfc(away / std::sqrt(variance / 18) / std::sqrt(2.0)));
}

}  // namespace plumbline::core
