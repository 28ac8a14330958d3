#include "core/history/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/statistics.hpp"

namespace plumbline::core {
namespace {

constexpr std::size_t kPermutations = 1999;
constexpr std::size_t kEnough = 20;  // so many at least as large settle that it is noise
constexpr double kSlack = 1e-12;
constexpr double kPlainDeviations = 6;
constexpr std::size_t kCloseWindow = 12;
constexpr std::size_t kNearby = 6;
constexpr double kLargeDeviations = 2;
constexpr double kLargeAlpha = 10;  // so many times alpha is enough for a large shift
constexpr double kFewTies = 0.95;   // of the variance that ranks without ties have

// splitmix64 (Steele, Lea & Flood 2014): small, and the same on every machine.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

double squares_about_mean(std::span<const double> x, double centre) {
  double sum = 0;
  for (const double value : x) sum += (value - centre) * (value - centre);
  return sum;
}

// How far apart two parts lie: their means in pooled standard deviations (infinite when neither part varies), and whether no
// value of one lies among the other's.
struct Distance {
  double deviations = 0;
  bool apart = false;
};
Distance distance(std::span<const double> before, std::span<const double> after) {
  const auto [low_a, high_a] = std::minmax_element(before.begin(), before.end());
  const auto [low_b, high_b] = std::minmax_element(after.begin(), after.end());
  const double a = mean(before), b = mean(after);
  const double squares = squares_about_mean(before, a) + squares_about_mean(after, b);
  const double deviation = std::sqrt(squares / static_cast<double>(before.size() + after.size() - 2));
  const double shift = std::abs(b - a);
  return {deviation > 0 ? shift / deviation
          : shift > 0   ? std::numeric_limits<double>::infinity()
                        : 0,
          *high_a < *low_b || *high_b < *low_a};
}

// From where to where point i may look: to its neighbours, at most a window.
std::pair<std::size_t, std::size_t> room(const std::vector<std::size_t>& at, std::size_t i, std::size_t n, std::size_t window) {
  const std::size_t before = i == 0 ? 0 : at[i - 1];
  const std::size_t after = i + 1 == at.size() ? n : at[i + 1];
  return {std::max(before, at[i] - std::min(at[i], window)), std::min(after, at[i] + window)};
}

double absolute_deviations(std::span<const double> x) {
  const double centre = median(x);
  double sum = 0;
  for (const double value : x) sum += std::abs(value - centre);
  return sum;
}

// Ranks draw a split towards the middle. Nearby, the place is the one that leaves the least absolute deviation from the two
// medians (the L1 Potts functional of one jump); of equal ones the nearest.
std::size_t best_place(std::span<const double> x, std::size_t at, std::size_t least_segment) {
  const auto cost = [&](std::size_t k) { return absolute_deviations(x.first(k)) + absolute_deviations(x.subspan(k)); };
  if (at < least_segment || at + least_segment > x.size()) return at;
  std::size_t best = at;
  double least = cost(at);
  for (std::size_t far = 1; far <= kNearby; ++far) {
    for (const std::size_t k : {at - std::min(at, far), at + far}) {
      if (k < least_segment || k + least_segment > x.size()) continue;
      const double here = cost(k);
      if (here < least * (1 - kSlack)) {
        least = here;
        best = k;
      }
    }
  }
  return best;
}

}  // namespace

ChangePointFinder::Null::Null(std::vector<std::int64_t> doubled_ranks, std::size_t least_segment)
    : ranks_(std::move(doubled_ranks)), weights_(ranks_.size() + 1, 0.0) {
  const std::size_t n = ranks_.size();
  for (std::size_t k = least_segment; k + least_segment <= n; ++k) weights_[k] = 1.0 / static_cast<double>(k * (n - k));
  // Sorted, so that the same ranks in any order draw the same permutations.
  std::sort(ranks_.begin(), ranks_.end());
  state_ = n;
  for (const std::int64_t rank : ranks_) {
    state_ ^= static_cast<std::uint64_t>(rank);
    state_ = next_random(state_);
  }
  // Centred: what is added up is then the difference from the mean, n times.
  const auto count = static_cast<std::int64_t>(n);
  const std::int64_t total = std::accumulate(ranks_.begin(), ranks_.end(), std::int64_t{0});
  for (std::int64_t& rank : ranks_) rank = rank * count - total;
}

double ChangePointFinder::Null::draw() {
  const std::size_t n = ranks_.size();
  std::int64_t sum = 0;
  double largest = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const auto random = static_cast<std::uint32_t>(next_random(state_) >> 32);
    const std::size_t j = i + static_cast<std::size_t>((static_cast<std::uint64_t>(random) * (n - i)) >> 32);
    std::swap(ranks_[i], ranks_[j]);
    sum += ranks_[i];
    const auto difference = static_cast<double>(sum);
    largest = std::max(largest, difference * difference * weights_[i + 1]);
  }
  return largest;
}

double ChangePointFinder::Null::p(double observed) {
  const double least = observed * (1 - kSlack);
  std::size_t reached = 0;
  for (std::size_t i = 0; i < kPermutations; ++i) {
    if (i == drawn_.size()) drawn_.push_back(draw());
    if (drawn_[i] < least) continue;
    if (++reached == kEnough) return static_cast<double>(kEnough) / static_cast<double>(i + 1);
  }
  return static_cast<double>(reached + 1) / static_cast<double>(kPermutations + 1);
}

void ChangePointFinder::rank(std::span<const double> x) {
  const std::size_t n = x.size();
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  ranks_.resize(n);
  double lost = 0;
  for (std::size_t i = 0; i < n;) {
    std::size_t j = i;
    while (j < n && x[order_[j]] == x[order_[i]]) ++j;
    const auto equal = static_cast<double>(j - i);
    lost += equal * (equal * equal - 1);
    for (std::size_t k = i; k < j; ++k) ranks_[order_[k]] = static_cast<std::int64_t>(i + j + 1);  // first + last, counted from 1
    i = j;
  }
  const auto count = static_cast<double>(n);
  tied_ = n < 2 ? 1 : 1 - lost / (count * (count * count - 1));
}

bool ChangePointFinder::Split::real(double alpha) const {
  if (shape == Shape::plain) return true;
  return p <= (shape == Shape::large ? kLargeAlpha : 1) * alpha * (1 + kSlack);
}

ChangePointFinder::Shape ChangePointFinder::shape_of(std::span<const double> x, std::size_t at) {
  const Distance far = distance(x.first(at), x.subspan(at));
  if (far.apart && far.deviations >= kPlainDeviations) return Shape::plain;
  return far.deviations >= kLargeDeviations ? Shape::large : Shape::any;
}

double ChangePointFinder::p_of(std::size_t n, double score, std::size_t least_segment) {
  if (!(score > 0)) return 1;
  if (tied_ < kFewTies) return Null(ranks_, least_segment).p(score);
  if (untied_segment_ != least_segment) untied_.clear();
  untied_segment_ = least_segment;
  if (untied_.size() <= n) untied_.resize(n + 1);
  Null& null = untied_[n];
  if (null.empty()) {
    std::vector<std::int64_t> untied(n);
    for (std::size_t i = 0; i < n; ++i) untied[i] = static_cast<std::int64_t>(2 * i + 2);
    null = Null(std::move(untied), least_segment);
  }
  return null.p(score / tied_);
}

ChangePointFinder::Split ChangePointFinder::split_at(std::span<const double> x, std::size_t at, std::size_t least_segment) {
  rank(x);
  const auto n = static_cast<std::int64_t>(x.size());
  const std::int64_t total = n * (n + 1);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < at; ++i) sum += ranks_[i] * n - total;
  const auto difference = static_cast<double>(sum);
  Split split;
  split.at = at;
  split.score = difference * difference * (1.0 / static_cast<double>(at * (x.size() - at)));
  split.p = p_of(x.size(), split.score, least_segment);
  split.shape = shape_of(x, at);
  return split;
}

ChangePointFinder::Split ChangePointFinder::place(std::span<const double> x, std::size_t least_segment) {
  Split split;
  if (x.size() < 2 * least_segment || least_segment == 0) return split;
  rank(x);
  const auto n = static_cast<std::int64_t>(x.size());
  const std::int64_t total = n * (n + 1);
  std::int64_t sum = 0;
  for (std::size_t k = 1; k + least_segment <= x.size(); ++k) {
    sum += ranks_[k - 1] * n - total;
    if (k < least_segment) continue;
    const auto difference = static_cast<double>(sum);
    const double score = difference * difference * (1.0 / static_cast<double>(k * (x.size() - k)));
    if (score <= split.score) continue;
    split.score = score;
    split.at = k;
  }
  return split;
}

ChangePointFinder::Split ChangePointFinder::best_split(std::span<const double> x, std::size_t least_segment) {
  Split split = place(x, least_segment);
  if (split.at == 0) return split;  // too short, or all values are equal
  split.p = p_of(x.size(), split.score, least_segment);
  split.shape = shape_of(x, split.at);
  return split;
}

void ChangePointFinder::bisect(std::span<const double> x, std::size_t first, const ChangePointRules& rules,
                               std::vector<std::size_t>& found) {
  const Split split = best_split(x, rules.least_segment);
  if (split.at == 0 || !split.real(rules.alpha)) return;
  found.push_back(first + split.at);
  bisect(x.first(split.at), first, rules, found);
  bisect(x.subspan(split.at), first + split.at, rules, found);
}

std::vector<ChangePoint> ChangePointFinder::find(std::span<const double> x, const ChangePointRules& rules) {
  const std::size_t n = x.size();
  const std::size_t window = std::max(rules.window, 2 * rules.least_segment);
  if (n < rules.least_points || rules.least_segment == 0) return {};
  if (!std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); })) return {};
  std::vector<std::size_t> at;
  for (std::size_t first = 0;; first += std::max<std::size_t>(1, window / 2)) {
    if (n > window) first = std::min(first, n - window);  // the last window is a whole one
    bisect(x.subspan(first, std::min(window, n - first)), first, rules, at);
    if (first + window >= n) break;
  }
  // A short level between two longer ones has no single split that shows it: close up, where only the plain counts.
  for (std::size_t first = 0; first + kCloseWindow <= n; first += rules.least_segment) {
    const std::span<const double> close = x.subspan(first, kCloseWindow);
    const Split split = place(close, rules.least_segment);
    if (split.at != 0 && shape_of(close, split.at) == Shape::plain) at.push_back(first + split.at);
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());

  // A second look: each point between its neighbours, at most a window to either side; the weakest that is none goes, and the
  // others are looked at again with more room. A window's edge may have put a point beside its place: it is moved there first.
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto [low, high] = room(at, i, n, window);
    at[i] = low + best_place(x.subspan(low, high - low), at[i] - low, rules.least_segment);
  }
  std::vector<ChangePoint> points;
  while (!at.empty()) {
    points.clear();
    std::size_t weakest = at.size();
    double weakness = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto [low, high] = room(at, i, n, window);
      const std::span<const double> around = x.subspan(low, high - low);
      const std::size_t here = at[i] - low;
      double doubt = 3;  // too close to its neighbours to have a level of its own
      if (here >= rules.least_segment && around.size() - here >= rules.least_segment) {
        const Split split = split_at(around, here, rules.least_segment);
        const ChangePoint point{at[i], median(around.first(here)), median(around.subspan(here)), split.p};
        const bool large = std::abs(point.after - point.before) >= rules.least_change * (1 - kSlack);
        doubt = !split.real(rules.alpha) ? 1 + split.p
                : large                  ? 0
                                         : 1e-9 + (1 - std::abs(point.after - point.before) / rules.least_change);
        points.push_back(point);
      }
      if (doubt > weakness) {
        weakness = doubt;
        weakest = i;
      }
    }
    if (weakest == at.size()) break;
    at.erase(at.begin() + static_cast<std::ptrdiff_t>(weakest));
    points.clear();
  }
  return points;
}

}  // namespace plumbline::core
