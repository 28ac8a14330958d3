// Student's t for the means of few trials, with what other rows of the class know of their variance. The scale is that of
// core/evidence/scatter.hpp: oriented so that + is worse. Total: variances of 0 give a p of 0 or 1, never NaN.
#pragma once

#include <cstddef>
#include <span>

namespace plumbline::core {

// One side of a row, in the order in which its trials ran.
struct SideMoments {
  std::size_t trials = 0;
  double mean = 0;
  double squares = 0;      // sum of squares about the mean
  double lag_squares = 0;  // sum of products of neighbouring residuals
  [[nodiscard]] double variance() const { return trials > 1 ? squares / static_cast<double>(trials - 1) : 0; }
};
[[nodiscard]] SideMoments side_moments(std::span<const double> x);

// What a class knows of the variance of a trial, counted as so many degrees of freedom (Smyth 2004).
struct VariancePrior {
  double variance = 0, degrees = 0;
};

// How alike the variances behind sample variances are: as if each were drawn once, one over chi-square of so many degrees. Read
// from how their logarithms scatter beyond their own sampling (Smyth 2004, section 6.2), as far as two standard errors show it;
// infinite where they do not. Variances of 0 are left out.
struct SampleVariance {
  double value = 0, degrees = 0;
};
[[nodiscard]] double variance_degrees(std::span<const SampleVariance> variances);

// Two independent estimates of a variance added (Welch 1947, Satterthwaite 1946): `value` is the variance of a difference of
// means, `degrees` what it is known to.
struct DifferenceVariance {
  double value = 0, degrees = 1;
};
[[nodiscard]] DifferenceVariance difference_variance(const SideMoments& baseline, const VariancePrior& baseline_prior,
                                                     const SideMoments& current, const VariancePrior& current_prior);

// One-sided p of a difference of means above `limit` (with priors: McCarthy & Smyth 2009, TREAT; Welch's degrees bear
// sides of unequal variance). Where the p is above .5 it is given as such and not computed further than needed.
[[nodiscard]] double mean_difference_greater(double difference, double limit, const DifferenceVariance& variance);

// P(T > t) of Student's distribution, and t with P(T > t) = p; degrees need not be whole.
[[nodiscard]] double student_upper_tail(double t, double degrees);
[[nodiscard]] double student_upper_quantile(double p, double degrees);
[[nodiscard]] double normal_upper_quantile(double p);

// Two-sided p of a trend in the order given (Mann 1945, Kendall's tau): exact without ties up to 50 values, else normal with
// correction for ties and continuity. 1 for fewer than three.
[[nodiscard]] double trend_p(std::span<const double> x);

}  // namespace plumbline::core
