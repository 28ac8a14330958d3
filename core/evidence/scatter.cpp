#include "core/evidence/scatter.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "core/evidence/boost_at_start.hpp"

namespace plumbline::core {
namespace {

constexpr double kShare = 0.6;             // of the rows, in the shortest interval
constexpr double kShareOfNormal = 1.6832;  // length of that interval for normal noise of standard deviation 1
constexpr double kWorseQuantile = 0.4;
constexpr std::size_t kWorseRows = 20;
constexpr double kMostCorrelated = 0.95;

// What AR(1) trials do to sums over them, given as multiples of the variance of one trial.
struct Ar1Sums {
  double of_mean = 0;     // variance of the mean
  double of_squares = 0;  // expected sum of squares about the mean
  double of_lag = 0;      // expected sum of products of neighbours about the mean
};

Ar1Sums ar1_sums(double rho, std::size_t trials) {
  const auto n = static_cast<double>(trials);
  double all = n;    // sum of all correlations
  double power = 1;  // rho^k
  double reach = 1;  // sum of rho^0 .. rho^(n-1): what one end trial shares with all
  for (std::size_t k = 1; k < trials; ++k) {
    power *= rho;
    all += 2 * (n - static_cast<double>(k)) * power;
    reach += power;
  }
  const double ends = 2 * reach;
  const double of_mean = all / (n * n);
  // Neighbours about the mean: E sum (x_t - m)(x_{t+1} - m) = (n-1) rho - (2 all - ends) / n + (n-1) var(m).
  return {of_mean, n - n * of_mean, (n - 1) * rho - (2 * all - ends) / n + (n - 1) * of_mean};
}

}  // namespace

ClassGroups group_classes(std::span<const ClassName> classes, std::span<const std::uint32_t> rows) {
  ClassGroups out;
  out.of_class.assign(classes.size(), kNoGroup);
  std::map<std::pair<Id, Direction>, std::uint32_t> small;
  for (std::size_t i = 0; i < classes.size() && i < rows.size(); ++i) {
    if (rows[i] == 0) continue;
    if (rows[i] >= kClassRows && classes[i].metric != kNoId) {
      out.of_class[i] = out.count++;
    } else {
      const auto [it, added] = small.try_emplace({classes[i].unit, classes[i].direction}, out.count);
      out.count += added ? 1 : 0;
      out.of_class[i] = it->second;
    }
  }
  return out;
}

double shortest_share_spread(std::span<const double> sorted) {
  if (sorted.size() < 3) return 0;
  const auto wanted = static_cast<std::size_t>(std::ceil(kShare * static_cast<double>(sorted.size()) * (1 - 1e-12)));
  const std::size_t held = std::max<std::size_t>(wanted, 3);
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + held <= sorted.size(); ++i) shortest = std::min(shortest, sorted[i + held - 1] - sorted[i]);
  return shortest / kShareOfNormal;
}

namespace {

using Part = std::span<const std::uint32_t>;  // indices of rows, by ascending size

double spread_of(Part part, std::span<const double> differences) {
  std::vector<double> sorted;
  sorted.reserve(part.size());
  for (const std::uint32_t i : part) sorted.push_back(differences[i]);
  std::sort(sorted.begin(), sorted.end());
  return shortest_share_spread(sorted);
}

// The boundary between two sizes that lies nearest to the middle; the end where all rows have one size.
std::size_t cut_of(Part part, std::span<const double> sizes) {
  const std::size_t middle = part.size() / 2;
  const auto boundary = [&](std::size_t at) { return sizes[part[at - 1]] < sizes[part[at]]; };
  for (std::size_t off = 0; off < middle; ++off) {
    if (boundary(middle - off)) return middle - off;
    if (middle + off < part.size() && boundary(middle + off)) return middle + off;
  }
  return part.size();
}

void split(Part part, std::span<const double> sizes, std::span<const double> differences,
           std::vector<std::vector<std::uint32_t>>& out) {
  constexpr double kUnlike = 2;
  const std::size_t cut = cut_of(part, sizes);
  if (cut >= kPartRows && part.size() - cut >= kPartRows) {
    const double low = spread_of(part.first(cut), differences);
    const double high = spread_of(part.subspan(cut), differences);
    const bool unlike = std::min(low, high) > 0 && std::max(low, high) > kUnlike * std::min(low, high);
    const bool moved = spread_of(part, differences) > kUnlike * std::max(low, high);
    if (unlike || moved) {
      split(part.first(cut), sizes, differences, out);
      split(part.subspan(cut), sizes, differences, out);
      return;
    }
  }
  out.emplace_back(part.begin(), part.end());
}

}  // namespace

std::vector<std::vector<std::uint32_t>> parts_by_size(std::span<const double> sizes, std::span<const double> differences) {
  std::vector<std::uint32_t> order(differences.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<std::vector<std::uint32_t>> out;
  if (order.size() < 2 * kPartRows || std::any_of(sizes.begin(), sizes.end(), [](double size) { return std::isnan(size); })) {
    out.push_back(std::move(order));
    return out;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return sizes[a] < sizes[b]; });
  split(order, sizes, differences, out);
  return out;
}

double worse_quantile(std::span<const double> sorted) {
  const auto first = std::upper_bound(sorted.begin(), sorted.end(), 0.0);
  const std::span<const double> worse(first, sorted.end());
  if (worse.size() < kWorseRows) return 0;
  return worse[static_cast<std::size_t>(kWorseQuantile * static_cast<double>(worse.size()))];
}

double spread_multiplier(std::size_t of_class, std::size_t judged) {
  return std::hypot(std::cbrt(static_cast<double>(judged)), 18 * std::exp(-static_cast<double>(of_class) / 32));
}

double worse_quantile_multiplier(std::size_t of_class, std::size_t judged) {
  return std::hypot(2 * std::cbrt(static_cast<double>(judged)), 100 / std::sqrt(static_cast<double>(of_class)));
}

double known_spread_multiplier(std::size_t judged) { return std::max(3.0, std::cbrt(static_cast<double>(judged))); }

double median_multiplier(std::size_t of_class) {
  const auto m = static_cast<double>(of_class);
  return 3.2 + 1200 / (m * m);
}

double unequal_runs_factor(double baseline_runs, double current_runs) {
  return std::sqrt(2 / std::min(baseline_runs, current_runs) / (1 / baseline_runs + 1 / current_runs));
}

double variance_median_factor(double degrees) {
  if (!(degrees > 0)) return 1;
  return boost::math::median(boost::math::chi_squared(degrees)) / degrees;
}

double Correlation::inflation(std::size_t trials) const {
  if (trials < 2 || !(rho > 0)) return 1;
  const Ar1Sums sums = ar1_sums(rho, trials);
  const auto n = static_cast<double>(trials);
  return sums.of_mean / (sums.of_squares / (n * (n - 1)));
}

Correlation correlation_from_lag(double excess, std::size_t trials) {
  if (trials < 3 || !(excess > 0)) return {};
  const double wanted = excess - 1 / static_cast<double>(trials);
  const auto ratio = [&](double rho) {
    const Ar1Sums sums = ar1_sums(rho, trials);
    return sums.of_lag / sums.of_squares;
  };
  if (ratio(kMostCorrelated) <= wanted) return {kMostCorrelated};
  double low = 0;
  double high = kMostCorrelated;
  for (int i = 0; i < 60; ++i) {  // the ratio grows with rho
    const double middle = (low + high) / 2;
    (ratio(middle) < wanted ? low : high) = middle;
  }
  return {(low + high) / 2};
}

}  // namespace plumbline::core
