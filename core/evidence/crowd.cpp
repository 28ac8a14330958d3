#include "core/evidence/crowd.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace plumbline::core {

namespace {

constexpr double kAlpha = 0.02;    // of the critical ratios
constexpr double kLeastRatio = 2;  // whatever their number, outliers lie twice as far from the middle as any of the crowd
constexpr double kGroupGap = 3;    // half-widths of the wider group
constexpr std::size_t kFewest = 3;
constexpr std::size_t kManyEnough = 16;  // numbers that show their own tails
constexpr double kLight = 0.25;
constexpr double kMedianOfT3 = 0.7649;                     // of |T|
constexpr double kNormalRatio = 2.7, kNormalExponent = 6;  // an upper bound for normal noise from there on
constexpr std::size_t kFewestOfGroup = 2;

// The ratio that the least distant of m numbers outside reaches in 2 of 100 draws, the larger of normal and t3 noise, a million
// draws each: for n = 3 … 16 and m = 1 …, then for larger n, up to where it falls below kLeastRatio.
struct Critical {
  std::size_t n;
  std::array<double, 7> ratio;  // by m - 1; 0 where m is half of n or more, or kLeastRatio is more
};
constexpr auto kCritical = std::to_array<Critical>({
    {3, {177}},
    {4, {15.4}},
    {5, {9.41, 12.1}},
    {6, {7.02, 6.39}},
    {7, {6.29, 4.37, 5.92}},
    {8, {5.68, 3.76, 3.92}},
    {9, {5.42, 3.29, 3.27, 3.77}},
    {10, {5.16, 3.07, 2.82, 3.09}},
    {11, {5.02, 2.9, 2.6, 2.64, 3.02}},
    {12, {4.85, 2.78, 2.42, 2.42, 2.55}},
    {13, {4.78, 2.68, 2.32, 2.23, 2.33, 2.52}},
    {14, {4.69, 2.61, 2.22, 2.12, 2.14, 2.28}},
    {15, {4.64, 2.55, 2.15, 2.03, 2.03, 2.08, 2.25}},
    {16, {4.56, 2.5, 2.09, 2, 2, 2, 2.05}},
    {18, {4.48, 2.42, 2.01}},
    {20, {4.4, 2.37}},
    {24, {4.27, 2.29}},
    {32, {4.14, 2.2}},
    {64, {3.95, 2.08}},
    {128, {3.83, 2.01}},
});

// The entry for as many numbers, or for the next fewer, whose ratios are larger.
double critical_ratio(std::size_t n, std::size_t m) {
  const Critical* best = &kCritical.front();
  for (const Critical& one : kCritical) {
    if (one.n <= n) best = &one;
  }
  return m > best->ratio.size() ? kLeastRatio : std::max(kLeastRatio, best->ratio[m - 1]);
}

// How fast the chance falls with the ratio: see the head of crowd.hpp. Lower bounds of what was simulated.
double exponent(std::size_t n, std::size_t m) {
  const double of_tails = 2 * static_cast<double>(m) + 0.8;
  const double of_agreement = 0.78 * static_cast<double>(n - m - 1);
  return std::min({of_tails, of_agreement, 7.5});
}

// The share of alpha of m outliers: 1/2, 1/6, 1/12 …, which all m there are share out among them.
double share_of(std::size_t m, std::size_t most) {
  const auto whole = static_cast<double>(most) / static_cast<double>(most + 1);
  return 1 / (static_cast<double>(m) * static_cast<double>(m + 1) * whole);
}

double middle_of(std::span<const double> sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double half_width(std::span<const double> sorted) {
  const double middle = middle_of(sorted);
  return std::max(sorted.back() - middle, middle - sorted.front());
}

struct Window {
  std::size_t first = 0, end = 0;
};
Window shortest(std::span<const double> sorted, std::size_t held) {
  Window best{0, held};
  for (std::size_t first = 1; first + held <= sorted.size(); ++first) {
    if (sorted[first + held - 1] - sorted[first] < sorted[best.end - 1] - sorted[best.first]) best = {first, first + held};
  }
  return best;
}

// P(|T| <= x) of Student's t with three degrees of freedom.
double within_t3(double x) {
  const double scaled = x / std::numbers::sqrt3;
  return 2 * std::numbers::inv_pi * (scaled / (1 + scaled * scaled) + std::atan(scaled));
}

// How often so many numbers with heavy tails would all lie as close together, for their own middle half, as this crowd does.
double chance_of_light_tails(std::span<const double> crowd) {
  const double middle = middle_of(crowd);
  std::vector<double> distances;
  for (const double x : crowd) distances.push_back(std::fabs(x - middle));
  std::sort(distances.begin(), distances.end());
  const double half = middle_of(distances);
  if (!(half > 0)) return 1;
  return std::pow(within_t3(kMedianOfT3 * distances.back() / half), static_cast<double>(crowd.size()));
}

// Of many the crowd itself shows whether its tails are heavy, which tells nothing of how far a heavy tail's extreme would lie
// beyond the next. A crowd of light tails, such as one of four would have by chance, adds its own chance to that of the ratio
// (Fisher 1925); any other crowd leaves that as it is. Normal noise is bounded by itself. Several outliers need no such help.
double chance_of(double ratio, std::span<const double> crowd, std::size_t n, std::size_t m, std::size_t most) {
  if (!(ratio > kLeastRatio)) return 1;
  const double share = share_of(m, most);
  const double heavy = std::min(1.0, kAlpha * std::pow(ratio / critical_ratio(n, m), -exponent(n, m)) / share);
  if (n < kManyEnough || m > 1) return heavy;
  const double light = chance_of_light_tails(crowd) / kLight;
  if (light >= 1) return heavy;
  const double both = heavy * light;
  const double normal = kAlpha * std::pow(ratio / kNormalRatio, -kNormalExponent) / share;
  return std::min(1.0, std::max(both > 0 ? both * (1 - std::log(both)) : 0.0, normal));
}

}  // namespace

std::vector<double> chance_apart(std::span<const double> values, double resolution) {
  const std::size_t n = values.size();
  std::vector<double> out(n, 1.0);
  if (n < kFewest) return out;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> sorted;
  sorted.reserve(n);
  for (const std::size_t i : order) sorted.push_back(values[i]);
  const std::size_t most = (n - 1) / 2;
  for (std::size_t m = 1; m <= most; ++m) {
    const Window crowd = shortest(sorted, n - m);
    const auto inside = std::span<const double>(sorted).subspan(crowd.first, crowd.end - crowd.first);
    const double middle = middle_of(inside);
    double nearest = std::numeric_limits<double>::infinity();
    if (crowd.first > 0) nearest = middle - sorted[crowd.first - 1];
    if (crowd.end < n) nearest = std::min(nearest, sorted[crowd.end] - middle);
    const double width = std::max(half_width(inside), resolution);
    const double p = width > 0 ? chance_of(nearest / width, inside, n, m, most) : nearest > 0 ? 0 : 1;
    for (std::size_t i = 0; i < n; ++i) {
      if (i < crowd.first || i >= crowd.end) out[order[i]] = std::min(out[order[i]], p);
    }
  }
  return out;
}

std::optional<TwoGroups> two_groups(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 2 * kFewestOfGroup || n % 2 != 0) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto low = std::span<const double>(sorted).first(n / 2);
  const auto high = std::span<const double>(sorted).last(n / 2);
  const double gap = high.front() - low.back();
  if (!(gap > kGroupGap * std::max(half_width(low), half_width(high)))) return std::nullopt;
  TwoGroups out;
  out.low = middle_of(low);
  out.high = middle_of(high);
  for (const double value : values) out.upper.push_back(value >= high.front());
  return out;
}

}  // namespace plumbline::core
