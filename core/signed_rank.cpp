// Wilcoxon's signed ranks (core/statistics.hpp) for trials that were run in pairs.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.hpp"

namespace plumbline::core {
namespace {

constexpr double kSlack = 1e-12;
constexpr std::size_t kExactPairs = 100;

double normal_upper(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

// The probabilities of the sum of those ranks whose sign is plus, each sign a fair coin. Ranks are whole numbers.
std::vector<double> sums_of_signs(std::span<const std::uint64_t> ranks) {
  std::vector<double> chance(std::accumulate(ranks.begin(), ranks.end(), std::size_t{1}));
  chance[0] = 1;
  std::size_t reach = 0;
  for (const std::uint64_t rank : ranks) {
    reach += rank;
    for (std::size_t s = reach + 1; s-- > 0;) {
      const double with = s >= rank ? chance[s - rank] : 0;
      chance[s] = 0.5 * (s + rank <= reach ? chance[s] : 0) + 0.5 * with;
    }
  }
  return chance;
}

}  // namespace

std::uint64_t signed_rank_bound(std::size_t pairs, double alpha) {
  if (pairs == 0 || !(alpha > 0)) return 0;
  const std::uint64_t averages = std::uint64_t{pairs} * (pairs + 1) / 2;
  const std::uint64_t most = (averages + 1) / 2;
  if (pairs <= kExactPairs) {
    std::vector<std::uint64_t> ranks(pairs);
    std::iota(ranks.begin(), ranks.end(), std::uint64_t{1});
    const std::vector<double> chance = sums_of_signs(ranks);
    std::uint64_t k = 0;
    for (double cumulative = chance[0]; k < most && cumulative <= alpha * (1 + kSlack); cumulative += chance[k]) ++k;
    return k;
  }
  const auto n = static_cast<double>(pairs);
  const double middle = n * (n + 1) / 4;
  const double sigma = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  std::uint64_t low = 0, high = most;  // largest k with P(T <= k - 1) <= alpha, with continuity correction
  while (low < high) {
    const std::uint64_t k = low + (high - low + 1) / 2;
    if (normal_upper((middle - (static_cast<double>(k) - 0.5)) / sigma) <= alpha * (1 + kSlack)) {
      low = k;
    } else {
      high = k - 1;
    }
  }
  return low;
}

ShiftEstimate signed_rank(std::span<const double> differences, double alpha) {
  ShiftEstimate estimate;
  if (differences.empty()) return estimate;
  std::vector<double> averages;
  averages.reserve(differences.size() * (differences.size() + 1) / 2);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j) averages.push_back(std::midpoint(differences[i], differences[j]));
  }
  std::sort(averages.begin(), averages.end());
  estimate.shift = std::midpoint(averages[(averages.size() - 1) / 2], averages[averages.size() / 2]);
  if (const std::uint64_t k = signed_rank_bound(differences.size(), alpha); k > 0) {
    estimate.lower = averages[k - 1];
    estimate.upper = averages[averages.size() - k];
  }
  return estimate;
}

double signed_rank_greater(std::span<const double> differences, double shift) {
  struct Difference {
    double size;
    bool above, zero;
    double scale;  // of the numbers that it comes from: what is smaller than their last bits is nothing
  };
  std::vector<Difference> all;
  all.reserve(differences.size());
  for (const double difference : differences) {
    const double e = difference - shift;
    const double scale = std::max(std::fabs(difference), std::fabs(shift));
    all.push_back({std::fabs(e), e > 0, std::fabs(e) <= kSlack * scale, scale});
  }
  std::sort(all.begin(), all.end(), [](const Difference& x, const Difference& y) { return x.size < y.size; });
  std::vector<std::uint64_t> ranks;  // doubled midranks of those with a sign
  std::uint64_t observed = 0, total = 0;
  double squares = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() &&
           (all[end].size == all[end - 1].size ||
            (shift != 0 && all[end].size - all[end - 1].size <= kSlack * std::max(all[end].scale, all[end - 1].scale)))) {
      ++end;
    }
    const std::uint64_t rank = i + 1 + end;
    for (; i < end; ++i) {
      if (all[i].zero) continue;
      ranks.push_back(rank);
      total += rank;
      squares += static_cast<double>(rank) * static_cast<double>(rank);
      if (all[i].above) observed += rank;
    }
  }
  if (ranks.empty()) return 1;
  if (ranks.size() <= kExactPairs) {
    const std::vector<double> chance = sums_of_signs(ranks);
    return std::min(1.0, std::accumulate(chance.begin() + static_cast<std::ptrdiff_t>(observed), chance.end(), 0.0));
  }
  // In doubled ranks: mean total / 2, variance squares / 4, a continuity correction of one half rank is one.
  return normal_upper((static_cast<double>(observed) - static_cast<double>(total) / 2 - 1) / (std::sqrt(squares) / 2));
}

}  // namespace plumbline::core
