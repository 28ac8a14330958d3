// Locations, spreads, corrections and power. The rank tests are in core/rank_tests.cpp.
#include "core/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace plumbline::core {
namespace {

// "At most" for probabilities, so that 1/20 counts as 0.05 whatever the last bit says.
constexpr double kSlack = 1e-12;

// Most samples are a handful of trials: they are copied to the stack.
class Copy {
 public:
  explicit Copy(std::span<const double> x) : size_(x.size()) {
    if (size_ > small_.size()) large_.resize(size_);
    std::copy(x.begin(), x.end(), begin());
  }
  double* begin() { return large_.empty() ? small_.data() : large_.data(); }
  double* end() { return begin() + size_; }

 private:
  std::size_t size_;
  std::array<double, 64> small_;
  std::vector<double> large_;
};

double median_in_place(double* first, double* last) {
  const std::ptrdiff_t n = last - first;
  if (n == 0) return 0;
  double* const middle = first + n / 2;
  std::nth_element(first, middle, last);
  if (n % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(first, middle), *middle);
}

// ln(n!), exact products below, Stirling's series above (error below 1e-19 from 32 on).
long double log_factorial(std::uint64_t n) {
  if (n < 32) {
    long double product = 1;
    for (std::uint64_t i = 2; i <= n; ++i) product *= static_cast<long double>(i);
    return std::log(product);
  }
  const auto x = static_cast<long double>(n);
  constexpr long double kHalfLogTwoPi = 0.918938533204672741780329736405617639861L;
  const long double y = 1 / (x * x);
  const long double series = (1.0L / 12 - y * (1.0L / 360 - y * (1.0L / 1260 - y * (1.0L / 1680 - y / 1188)))) / x;
  return (x + 0.5L) * std::log(x) - x + kHalfLogTwoPi + series;
}

// Walks the probabilities of Binomial(n, p), 0 < p < 1, from far below the mean upwards; what lies further below is less
// than 1e-180. O(sqrt(n)) steps to the middle.
class BinomialWalk {
 public:
  BinomialWalk(std::uint64_t n, long double p) : n_(n), odds_(p / (1 - p)) {
    const auto mean = static_cast<long double>(n) * p;
    const long double reach = 40 * std::sqrt(mean * (1 - p)) + 1;
    value_ = mean > reach ? static_cast<std::uint64_t>(mean - reach) : 0;
    const auto k = static_cast<long double>(value_);
    probability_ = std::exp(log_factorial(n) - log_factorial(value_) - log_factorial(n - value_) + k * std::log(p) +
                            (static_cast<long double>(n) - k) * std::log1p(-p));
    cumulative_ = probability_;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }
  [[nodiscard]] long double cumulative() const { return cumulative_; }  // P(X <= value)
  void next() {
    probability_ *= odds_ * static_cast<long double>(n_ - value_) / static_cast<long double>(value_ + 1);
    cumulative_ += probability_;
    ++value_;
  }

 private:
  std::uint64_t n_;
  long double odds_;
  std::uint64_t value_ = 0;
  long double probability_ = 0, cumulative_ = 0;
};

}  // namespace

double mean(std::span<const double> x) {
  if (x.empty()) return 0;
  long double sum = 0;
  for (const double value : x) sum += value;
  return static_cast<double>(sum / static_cast<long double>(x.size()));
}

double sample_stddev(std::span<const double> x) {
  if (x.size() < 2) return 0;
  long double sum = 0;
  for (const double value : x) sum += value;
  const long double center = sum / static_cast<long double>(x.size());
  long double squares = 0;
  for (const double value : x) squares += (value - center) * (value - center);
  return static_cast<double>(std::sqrt(squares / static_cast<long double>(x.size() - 1)));
}

double median(std::span<const double> x) {
  Copy copy(x);
  return median_in_place(copy.begin(), copy.end());
}

double robust_spread(std::span<const double> x) {
  Copy copy(x);
  const double center = median_in_place(copy.begin(), copy.end());
  for (double& value : copy) value = std::abs(value - center);
  return 1.4826 * median_in_place(copy.begin(), copy.end());
}

HalfSample shortest_half(std::span<const double> x) {
  if (x.empty()) return {};
  std::vector<double> sorted(x.begin(), x.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = (sorted.size() + 1) / 2;
  std::size_t best = 0;
  for (std::size_t i = 0; i + half <= sorted.size(); ++i) {
    if (sorted[i + half - 1] - sorted[i] < sorted[best + half - 1] - sorted[best]) best = i;
  }
  const double low = sorted[best];
  const double high = sorted[best + half - 1];
  return {(low + high) / 2, 1.4826 * (high - low) / 2};
}

std::optional<MedianInterval> median_interval(std::span<const double> x, double confidence) {
  const std::size_t n = x.size();
  if (n == 0 || !(confidence > 0) || !(confidence < 1)) return std::nullopt;
  // Between the l-th smallest and the l-th largest lies the median unless fewer than l values fall on one side of it.
  const long double tail = (1 - static_cast<long double>(confidence)) / 2 * (1 + kSlack);
  BinomialWalk walk(n, 0.5L);
  if (walk.cumulative() > tail) return std::nullopt;
  std::uint64_t rank = 0;
  long double outside = 0;
  while (walk.cumulative() <= tail && 2 * (walk.value() + 1) <= n) {
    rank = walk.value() + 1;
    outside = walk.cumulative();
    walk.next();
  }
  if (rank == 0) return std::nullopt;
  Copy sorted(x);
  std::sort(sorted.begin(), sorted.end());
  return MedianInterval{sorted.begin()[rank - 1], sorted.begin()[n - rank], static_cast<double>(1 - 2 * outside)};
}

std::uint64_t binomial_quantile(std::uint64_t n, double p, double confidence) {
  if (n == 0 || !(p > 0) || !(confidence > 0)) return 0;
  if (p >= 1 || confidence >= 1) return n;
  const long double allowed = (1 - static_cast<long double>(confidence)) * (1 + kSlack);
  BinomialWalk walk(n, p);
  while (walk.value() < n && 1 - walk.cumulative() > allowed) walk.next();
  return walk.value();
}

std::vector<bool> benjamini_hochberg(std::span<const double> p, double q) {
  std::vector<double> sorted(p.begin(), p.end());
  std::sort(sorted.begin(), sorted.end());
  const auto m = static_cast<double>(p.size());
  double threshold = -1;  // the largest surviving p
  for (std::size_t i = sorted.size(); i > 0; --i) {
    if (sorted[i - 1] <= static_cast<double>(i) / m * q * (1 + kSlack)) {
      threshold = sorted[i - 1];
      break;
    }
  }
  std::vector<bool> survives(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) survives[i] = p[i] <= threshold;
  return survives;
}

double largest_surviving(std::vector<double>& p, std::size_t judged, double alpha) {
  std::sort(p.begin(), p.end());
  for (std::size_t i = p.size(); i > 0; --i) {
    if (p[i - 1] <= static_cast<double>(i) / static_cast<double>(judged) * alpha * (1 + kSlack)) return p[i - 1];
  }
  return -1;
}

std::vector<bool> holm(std::span<const double> p, double alpha) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<bool> survives(p.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!(p[order[i]] <= alpha / static_cast<double>(p.size() - i) * (1 + kSlack))) break;
    survives[order[i]] = true;
  }
  return survives;
}

double moderated_sigma(double sigma, double degrees, double prior_sigma, double prior_degrees) {
  const double all = degrees + prior_degrees;
  if (!(all > 0)) return sigma;
  return std::sqrt((degrees * sigma * sigma + prior_degrees * prior_sigma * prior_sigma) / all);
}

std::optional<double> mde80(std::size_t n, double sigma) {
  // Simulated: Gaussian noise, three-way rule at alpha .05, 80 % of the runs decided (docs/methodology.md).
  struct Point {
    double n, c;
  };
  constexpr auto kPoints =
      std::to_array<Point>({{3, 2.58}, {4, 2.39}, {5, 1.81}, {6, 1.63}, {8, 1.41}, {10, 1.22}, {15, .96}, {20, .83}, {30, .67}});
  if (n < 3 || !(sigma >= 0) || !std::isfinite(sigma)) return std::nullopt;
  const auto trials = static_cast<double>(n);
  if (trials > kPoints.back().n) return 3.66 / std::sqrt(trials) * sigma;
  const auto above = std::find_if(kPoints.begin(), kPoints.end(), [&](const Point& point) { return point.n >= trials; });
  if (above->n == trials) return above->c * sigma;
  const auto below = above - 1;
  const double share = std::log(trials / below->n) / std::log(above->n / below->n);
  return below->c * std::pow(above->c / below->c, share) * sigma;
}

std::optional<std::size_t> trials_needed(double effect, double sigma) {
  if (!(effect > 0)) return std::nullopt;
  for (std::size_t n = 3; n <= 1000; ++n) {
    const std::optional<double> detectable = mde80(n, sigma);
    if (!detectable) return std::nullopt;
    if (*detectable <= effect * (1 + kSlack)) return n;
  }
  return std::nullopt;
}

std::optional<TrialPlan> plan_trials(double room, double width, double sigma) {
  constexpr std::size_t kMost = 100;
  if (const auto need = trials_needed(room, sigma); need && *need <= kMost)
    return TrialPlan{static_cast<std::uint32_t>(*need), false};
  const auto need = trials_needed(std::max(room, width), sigma);
  if (!need) return std::nullopt;
  return TrialPlan{static_cast<std::uint32_t>(*need), room < width};
}

std::optional<std::size_t> trials_for_p(double p) {
  double smallest = 1;
  for (std::size_t n = 1; n <= 200; ++n) {
    const auto trials = static_cast<double>(n);
    smallest *= trials / (2 * (2 * trials - 1));  // C(2n, n) = C(2n - 2, n - 1) * 2 (2n - 1) / n
    if (smallest <= p * (1 + kSlack)) return n;
  }
  return std::nullopt;
}

}  // namespace plumbline::core
