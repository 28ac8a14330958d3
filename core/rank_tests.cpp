// Mann-Whitney and Hodges-Lehmann (core/statistics.hpp): exact null distributions, rank bounds, shift estimates.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/statistics.hpp"

namespace plumbline::core {
namespace {

constexpr double kSlack = 1e-12;

__extension__ using Wide = unsigned __int128;

double normal_upper(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

// ---- the untied null distribution ---------------------------------------------------------------------------------------

// P0(U <= u) of the Mann-Whitney statistic for untied samples, for u from 0 to n*m; empty where the normal takes over.
// The counts are the coefficients of the Gaussian binomial [n+m choose n] = prod (1 - x^(m+i)) / (1 - x^i). Arithmetic
// modulo 2^128 is exact as long as the total C(n+m, n) stays below, whatever the steps between do.
std::vector<double> untied_cumulative(std::size_t n, std::size_t m) {
  const std::size_t small = std::min(n, m), large = std::max(n, m);
  const std::size_t top = small * large;
  std::vector<Wide> counts(top + 1);
  counts[0] = 1;
  for (std::size_t i = 1; i <= small; ++i) {
    for (std::size_t u = top + 1; u-- > large + i;) counts[u] -= counts[u - large - i];
    for (std::size_t u = i; u <= top; ++u) counts[u] += counts[u - i];
  }
  std::vector<double> cumulative(top + 1);
  const Wide total = std::accumulate(counts.begin(), counts.end(), Wide{0});
  Wide sum = 0;
  for (std::size_t u = 0; u <= top; ++u) {
    sum += counts[u];
    cumulative[u] = static_cast<double>(static_cast<long double>(sum) / static_cast<long double>(total));
  }
  return cumulative;
}

bool untied_is_exact(std::size_t n, std::size_t m) {
  const std::size_t small = std::min(n, m), large = std::max(n, m);
  if (small == 0 || large > 2000 || small * small * large > 130'000) return false;  // 50 v 50: 125,000
  double log2_choices = 0;                                                          // of C(n + m, n)
  for (std::size_t i = 1; i <= small; ++i) log2_choices += std::log2(static_cast<double>(large + i) / static_cast<double>(i));
  return log2_choices < 126;
}

// Whole files have the same number of trials in every row: the last few distributions are kept, per thread.
struct NullDistribution {
  std::size_t n = 0, m = 0;
  std::vector<double> cumulative;
};
const std::vector<double>* untied_null(std::size_t n, std::size_t m) {
  thread_local std::array<NullDistribution, 8> kept;
  thread_local std::size_t oldest = 0;
  if (n > m) std::swap(n, m);
  for (const NullDistribution& one : kept) {
    if (one.n == n && one.m == m && !one.cumulative.empty()) return &one.cumulative;
  }
  if (!untied_is_exact(n, m)) return nullptr;
  NullDistribution& place = kept[oldest++ % kept.size()];
  place = {n, m, untied_cumulative(n, m)};
  return &place.cumulative;
}

// ---- selection among pairwise differences -------------------------------------------------------------------------------

// The doubles in order as unsigned integers, so that a bisection over values ends after 64 steps at an exact double.
std::uint64_t to_ordered(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits >> 63U) != 0 ? ~bits : bits | (std::uint64_t{1} << 63U);
}
double from_ordered(std::uint64_t ordered) {
  return std::bit_cast<double>((ordered >> 63U) != 0 ? ordered & ~(std::uint64_t{1} << 63U) : ~ordered);
}

// All differences b - a of two samples, asked by rank (1 = smallest). Few are kept in a sorted list; many are never formed:
// rounding is monotone, so in sorted samples the pairs with b - a <= t are counted in one walk of n + m steps.
class Differences {
 public:
  Differences(std::span<const double> a, std::span<const double> b) : pairs_(std::uint64_t{a.size()} * b.size()) {
    if (pairs_ <= few_.size()) {
      double* at = few_.data();
      for (const double y : b) {
        for (const double x : a) *at++ = y - x;
      }
      std::sort(few_.data(), at);
    } else {
      a_.assign(a.begin(), a.end());
      b_.assign(b.begin(), b.end());
      std::sort(a_.begin(), a_.end());
      std::sort(b_.begin(), b_.end());
    }
  }
  [[nodiscard]] std::uint64_t pairs() const { return pairs_; }
  [[nodiscard]] double ranked(std::uint64_t rank) const {
    if (pairs_ <= few_.size()) return few_[static_cast<std::size_t>(rank - 1)];
    std::uint64_t low = to_ordered(b_.front() - a_.back()), high = to_ordered(b_.back() - a_.front());
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (count_at_most(from_ordered(middle)) >= rank) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return from_ordered(low) + 0.0;  // -0 and 0 are one value
  }

 private:
  [[nodiscard]] std::uint64_t count_at_most(double limit) const {
    std::uint64_t count = 0;
    std::size_t j = 0;  // b's below it are within the limit; grows with a
    for (const double x : a_) {
      while (j < b_.size() && b_[j] - x <= limit) ++j;
      count += j;
    }
    return count;
  }

  std::uint64_t pairs_;
  std::array<double, 256> few_;
  std::vector<double> a_, b_;
};

// ---- ranks with ties ----------------------------------------------------------------------------------------------------

struct Observation {
  double value;
  bool second;  // of b
};

// A run of equal values among all.
struct Tie {
  std::size_t count = 0;
  std::size_t second = 0;  // of them from b
};

// Groups of equal values in rising order. With a shift, values are sums of rounded numbers: what differs by less than
// 1e-12 of their size is one value, so that a change of exactly the shift ties.
void tie_groups(std::vector<Observation>& all, double shift, std::vector<Tie>& groups) {
  std::sort(all.begin(), all.end(), [](const Observation& x, const Observation& y) { return x.value < y.value; });
  groups.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool equal =
        i > 0 && (all[i].value == all[i - 1].value ||
                  (shift != 0 && all[i].value - all[i - 1].value <=
                                     kSlack * std::max({std::abs(all[i].value), std::abs(all[i - 1].value), std::abs(shift)})));
    if (!equal) groups.emplace_back();
    ++groups.back().count;
    groups.back().second += all[i].second ? 1 : 0;
  }
}

// The exact conditional null: every choice of m of the n + m observations is equally likely. Twice the midranks are whole
// numbers; dp[k * width + s] counts the choices of k observations so far whose doubled ranks, less the least possible for
// k, sum to s. Probability of a sum of at least `observed`, of m chosen.
double exact_tied_upper(const std::vector<Tie>& groups, std::size_t n, std::size_t m, std::uint64_t observed) {
  const std::size_t width = 2 * n * m + 1;  // doubled U
  thread_local std::vector<double> ways;
  ways.assign((m + 1) * width, 0.0);
  ways[0] = 1;
  std::size_t before = 0;  // observations in earlier groups
  for (const Tie& group : groups) {
    // Chosen from the latest group: each beats (doubled) 2 per earlier observation not chosen and ties with those of the
    // group not chosen. With k chosen before and j now: gain = j * 2 * (before - k) + j * (count - j).
    for (std::size_t k = std::min(before, m) + 1; k-- > 0;) {
      if (before - k > n) break;  // more left out than there are a's; fewer chosen leave out still more
      const std::size_t most = std::min(group.count, m - k);
      const double* const from = ways.data() + k * width;
      const std::size_t reach = 2 * k * (before - k);  // the largest doubled U of k among `before`
      double choose = 1;
      for (std::size_t j = 1; j <= most; ++j) {
        choose = choose * static_cast<double>(group.count - j + 1) / static_cast<double>(j);
        if (before - k + group.count - j > n) continue;
        const std::size_t gain = j * 2 * (before - k) + j * (group.count - j);
        double* const to = ways.data() + (k + j) * width + gain;
        for (std::size_t s = 0; s <= reach; ++s) to[s] += choose * from[s];
      }
    }
    before += group.count;
  }
  const double* const all_chosen = ways.data() + m * width;
  const double at_least = std::accumulate(all_chosen + std::min<std::uint64_t>(observed, width), all_chosen + width, 0.0);
  const double total = std::accumulate(all_chosen, all_chosen + width, 0.0);
  return std::min(1.0, at_least / total);
}

}  // namespace

std::uint64_t rank_bound(std::size_t n, std::size_t m, double alpha) {
  if (n == 0 || m == 0 || !(alpha > 0)) return 0;
  const std::uint64_t pairs = std::uint64_t{n} * m;
  const std::uint64_t most = (pairs + 1) / 2;  // beyond the middle the two bounds would pass each other
  if (const std::vector<double>* cumulative = untied_null(n, m)) {
    const auto end = std::upper_bound(cumulative->begin(), cumulative->end(), alpha * (1 + kSlack));
    return std::min<std::uint64_t>(most, static_cast<std::uint64_t>(end - cumulative->begin()));
  }
  const double mean_u = static_cast<double>(pairs) / 2;
  const double sigma = std::sqrt(static_cast<double>(pairs) * (static_cast<double>(n) + static_cast<double>(m) + 1) / 12);
  // Largest k with P(U <= k - 1) <= alpha, normal with continuity correction.
  std::uint64_t low = 0, high = most;
  while (low < high) {
    const std::uint64_t k = low + (high - low + 1) / 2;
    if (normal_upper((mean_u - (static_cast<double>(k) - 0.5)) / sigma) <= alpha * (1 + kSlack)) {
      low = k;
    } else {
      high = k - 1;
    }
  }
  return low;
}

ShiftEstimate hodges_lehmann(std::span<const double> a, std::span<const double> b, double alpha) {
  ShiftEstimate estimate;
  if (a.empty() || b.empty()) return estimate;
  const Differences differences(a, b);
  const std::uint64_t pairs = differences.pairs();
  estimate.shift = pairs % 2 == 1 ? differences.ranked(pairs / 2 + 1)
                                  : std::midpoint(differences.ranked(pairs / 2), differences.ranked(pairs / 2 + 1));
  if (const std::uint64_t k = rank_bound(a.size(), b.size(), alpha); k > 0) {
    estimate.lower = differences.ranked(k);
    estimate.upper = differences.ranked(pairs + 1 - k);
  }
  return estimate;
}

double mann_whitney_greater(std::span<const double> a, std::span<const double> b, double shift) {
  const std::size_t n = a.size(), m = b.size();
  if (n == 0 || m == 0) return 1;
  thread_local std::vector<Observation> all;
  thread_local std::vector<Tie> groups;
  all.clear();
  for (const double value : a) all.push_back({value + shift, false});
  for (const double value : b) all.push_back({value, true});
  tie_groups(all, shift, groups);
  if (groups.size() == 1) return 1;  // complete tie: every arrangement is as extreme

  // Doubled U of b: 2 for each a below, 1 for each a equal.
  std::uint64_t doubled = 0, firsts = 0;
  double tie_sum = 0;  // of t^3 - t
  bool tied = false;
  for (const Tie& group : groups) {
    const std::uint64_t first = group.count - group.second;
    doubled += group.second * (2 * firsts + first);
    firsts += first;
    const auto t = static_cast<double>(group.count);
    tie_sum += t * t * t - t;
    tied = tied || group.count > 1;
  }

  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  const double size = static_cast<double>(n) + static_cast<double>(m);
  if (!tied) {
    if (const std::vector<double>* cumulative = untied_null(n, m)) {
      // The null is symmetric: P(U >= u) = P(U <= nm - u).
      return (*cumulative)[static_cast<std::size_t>(std::uint64_t{n} * m - doubled / 2)];
    }
  } else if (pairs * size * static_cast<double>(m) <= 2e6) {  // 30 v 30: 1.6e6, well under a millisecond
    return exact_tied_upper(groups, n, m, doubled);
  } else if (pairs * size * static_cast<double>(n) <= 2e6) {  // a is the smaller arm
    std::reverse(groups.begin(), groups.end());               // turned round, an a below a b is an a above it
    return exact_tied_upper(groups, m, n, doubled);
  }
  const double variance = pairs / 12 * (size + 1 - tie_sum / (size * (size - 1)));
  if (!(variance > 0)) return 1;
  return normal_upper((static_cast<double>(doubled) / 2 - pairs / 2 - 0.5) / std::sqrt(variance));
}

}  // namespace plumbline::core
