// Where a number's level changed: split and merge over a series of values, oldest first.
//
// The search is E-divisive's (Matteson & James 2014, arXiv 1306.4933: the best split, tested by permutation, then each part by
// itself), in sliding windows and with a second look at every point between its neighbours as in Hunter (Fleming et al., ICPE
// 2023, arXiv 2301.03034; before it Daly et al., ICPE 2020, arXiv 2003.00584). The statistic is the rank sum's: the largest, over
// all splits k of n, of (sum of the first k midranks - its mean)^2 / (k (n - k)). Ranks make one wild value harmless and the
// null distribution the same for every series without ties, so that a thousand series share one set of permutations.
//
// p is the permutation p of the *largest* statistic, so it is corrected for having searched: on noise, one window in a thousand
// has a change point at alpha .001. Permutations end early once twenty reached the observed value (Besag & Clifford 1991).
// A permutation test says little of few values: 3 of 20 in a row give 1/570 at best, however far away they lie. So a shift of two
// pooled standard deviations is taken at ten times alpha, and one of six between parts that do not overlap whatever p says; the
// p that is reported stays the permutations'. The latter is also looked for in windows of twelve, for short levels. Ranks with
// ties have permutations of their own, unless the ties are so few that they take less than a twentieth of the ranks' variance:
// then that is corrected for, as in the rank-sum test.
//
// Values that follow each other too closely (a random walk, a slow drift) are no exchangeable noise: such a series shows
// changes of level where there is a slope.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plumbline::core {

struct ChangePointRules {
  double least_change = 0;  // smaller differences of the two levels' medians do not count; on the scale of the values
  double alpha = 0.001;
  std::size_t window = 50;
  std::size_t least_segment = 3;
  std::size_t least_points = 10;  // shorter series have no change points
};

struct ChangePoint {
  std::size_t at = 0;            // index of the first value of the new level
  double before = 0, after = 0;  // medians of the two levels, of at most `window` values each
  double p = 1;
};

// Keeps the permutations it has made: use one for many series. Deterministic: the permutations follow from the number of
// values, and from their ties where there are some. One thread.
class ChangePointFinder {
 public:
  // In order. Values must be finite; where they are not, there are no change points.
  [[nodiscard]] std::vector<ChangePoint> find(std::span<const double> x, const ChangePointRules& rules);

 private:
  class Null {  // largest statistics of permuted ranks, made as they are asked for
   public:
    Null() = default;
    Null(std::vector<std::int64_t> doubled_ranks, std::size_t least_segment);
    [[nodiscard]] bool empty() const { return ranks_.empty(); }
    [[nodiscard]] double p(double observed);

   private:
    double draw();
    std::vector<std::int64_t> ranks_;
    std::vector<double> weights_;  // 1 / (k (n - k)), 0 where a part would be too short
    std::vector<double> drawn_;
    std::uint64_t state_ = 0;
  };
  enum class Shape : std::uint8_t { any, large, plain };
  struct Split {
    std::size_t at = 0;
    double score = 0;
    double p = 1;
    Shape shape = Shape::any;
    [[nodiscard]] bool real(double alpha) const;
  };
  static Shape shape_of(std::span<const double> x, std::size_t at);

  void rank(std::span<const double> x);
  Split place(std::span<const double> x, std::size_t least_segment);  // the best place, without its p
  Split best_split(std::span<const double> x, std::size_t least_segment);
  Split split_at(std::span<const double> x, std::size_t at, std::size_t least_segment);
  double p_of(std::size_t n, double score, std::size_t least_segment);
  void bisect(std::span<const double> x, std::size_t first, const ChangePointRules& rules, std::vector<std::size_t>& found);

  std::vector<Null> untied_;  // by number of values
  std::size_t untied_segment_ = 0;
  std::vector<std::int64_t> ranks_;  // doubled midranks of what is looked at
  double tied_ = 1;                  // their variance as a share of that of ranks without ties
  std::vector<std::size_t> order_;
};

}  // namespace plumbline::core
