// The statistical core: pure functions over samples, exact where the sample is small. Every function says its source;
// tests/core/statistics holds goldens from independent implementations. Inputs are finite; sizes are checked by assert-free
// total behaviour: an impossible question gives nullopt, never NaN.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace plumbline::core {

[[nodiscard]] double mean(std::span<const double> x);
[[nodiscard]] double sample_stddev(std::span<const double> x);  // n-1; 0 for n < 2
[[nodiscard]] double median(std::span<const double> x);         // mean of the middle two for even n; 0 for n = 0
// 1.4826 * median(|x - median|): a robust standard deviation (Hampel 1974). 0 for n = 0.
[[nodiscard]] double robust_spread(std::span<const double> x);

// The shortest interval that holds half of the values (the shorth, Rousseeuw & Leroy 1988): its middle, and half its length
// times 1.4826 as a robust standard deviation. Of equally short ones the lowest. Zeros for n = 0.
struct HalfSample {
  double middle = 0, spread = 0;
};
[[nodiscard]] HalfSample shortest_half(std::span<const double> x);

// Distribution-free interval of the median from order statistics (binomial(n, 1/2)); none when n is too small for the
// confidence asked (n >= 6 for 95 %). Gives the actual confidence too.
struct MedianInterval {
  double low = 0, high = 0, confidence = 0;
};
[[nodiscard]] std::optional<MedianInterval> median_interval(std::span<const double> x, double confidence);

// Hodges & Lehmann 1963: median of all pairwise differences b - a, with one-sided confidence bounds by inverting the
// Mann-Whitney test: k = largest with P0(U <= k-1) <= alpha (exact for untied n*m small enough, normal above ~50 an
// arm); bounds are the k-th smallest and k-th largest difference. No bounds (nullopt) when k = 0, i.e. n too small.
struct ShiftEstimate {
  double shift = 0;
  std::optional<double> lower, upper;  // one-sided, each at confidence 1 - alpha
};
[[nodiscard]] ShiftEstimate hodges_lehmann(std::span<const double> a, std::span<const double> b, double alpha);

// Number k of the bound above for sample sizes (n, m): 3v3 -> 1, 4v4 -> 2, 5v5 -> 5, 6v6 -> 8, 8v8 -> 16, 10v10 -> 28, 20v20 ->
// 139 at alpha .05. 0 = none.
[[nodiscard]] std::uint64_t rank_bound(std::size_t n, std::size_t m, double alpha);

// Mann & Whitney 1947, exact conditional permutation distribution with midranks (ties handled exactly); one-sided p that
// b is stochastically greater than a + shift: P(W >= w_observed). Large samples: normal with continuity and tie correction.
[[nodiscard]] double mann_whitney_greater(std::span<const double> a, std::span<const double> b, double shift = 0);

// Recorded pairs (A B A B, the i-th of each side run next to each other): Wilcoxon 1945 on the differences. The shift is the
// median of the Walsh averages (Hodges & Lehmann 1963), its one-sided bounds their k-th smallest and largest, k = largest with
// P0(T <= k-1) <= alpha; exact up to 100 pairs, normal above. At .05 five pairs are the fewest that have bounds.
[[nodiscard]] std::uint64_t signed_rank_bound(std::size_t pairs, double alpha);
[[nodiscard]] ShiftEstimate signed_rank(std::span<const double> differences, double alpha);
// One-sided p that the differences lie above `shift`: every choice of signs equally likely, midranks, exact up to 100 pairs;
// a difference of exactly `shift` keeps its rank and has no sign (Pratt 1959), so that no pair is dropped.
[[nodiscard]] double signed_rank_greater(std::span<const double> differences, double shift = 0);

// Largest count c with P(X > c) >= 1 - confidence … in words: the `confidence` quantile of Binomial(n, p). Exact sum.
[[nodiscard]] std::uint64_t binomial_quantile(std::uint64_t n, double p, double confidence);

// Benjamini & Hochberg 1995: which p-values survive at level q. Same order as given.
[[nodiscard]] std::vector<bool> benjamini_hochberg(std::span<const double> p, double q);

// Benjamini & Hochberg 1995 over `judged` tests, of which only those with p at most alpha are given: the largest p that survives,
// -1 for none.
[[nodiscard]] double largest_surviving(std::vector<double>& p, std::size_t judged, double alpha);

// Holm 1979: which p-values survive at family-wise level alpha. Same order as given.
[[nodiscard]] std::vector<bool> holm(std::span<const double> p, double alpha);

// A standard deviation from few values drawn towards a prior one: the variances weighted by their degrees of freedom (Smyth
// 2004). Less of it than it should be leads to promises that more trials do not keep.
[[nodiscard]] double moderated_sigma(double sigma, double degrees, double prior_sigma, double prior_degrees);

// Minimum detectable excess at 80 % power for n trials an arm: c(n) * sigma, c simulated for Gaussian noise
// (n = 3: 2.58 … n = 30: .67), log-log interpolated between, 3.66/sqrt(n) above. nullopt for n < 3.
[[nodiscard]] std::optional<double> mde80(std::size_t n, double sigma);
// Smallest n with mde80(n, sigma) <= effect, at most 1000; nullopt when effect <= 0 or it would be more.
[[nodiscard]] std::optional<std::size_t> trials_needed(double effect, double sigma);
// How many trials a side would decide what they left open. `room` is how far the difference that was seen lies from the edge of
// the tolerance, `width` how far no difference at all does. So close to the edge that it would take more than 100, the number is
// that for `width`: it tells a change twice the tolerance, or none, from the tolerance itself (`coarse`). nullopt where that
// takes more than 1000.
struct TrialPlan {
  std::uint32_t trials = 0;
  bool coarse = false;
};
[[nodiscard]] std::optional<TrialPlan> plan_trials(double room, double width, double sigma);
// Fewest trials a side at which the smallest one-sided p there is, 1 / C(2n, n), is at most `p`: 3 at .05, 4 at .025; none
// for p <= 0, at most 200.
[[nodiscard]] std::optional<std::size_t> trials_for_p(double p);

}  // namespace plumbline::core
