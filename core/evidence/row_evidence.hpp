// What the rows of a comparison say together: which regressed rows chance explains, and whether a class of rows is worse as a
// whole. A rule set (verdict/) weighs it; here nothing is RED or GREEN. docs/methodology.md, "Many rows", tells the procedure:
//
// - three or more trials on both sides: exact ranks say whether a row is regressed, Benjamini & Hochberg (1995) over two lists of
//   p (moderated t: Smyth 2004, McCarthy & Smyth 2009; exact ranks) whether chance explains it among so many rows, Welch's t
//   over the trials' geometric means whether the class is worse (suite effect, Holm 1979 over classes);
// - one or two runs on a side: the difference of the medians against tolerance plus an allowance, which is what the class's own
//   quiet part scatters (shorth), or the kind of benchmark or the history where that is more.
//
// Values are given in one unit for both sides, trials in the order in which they ran. The scale is logarithms (a percentage is
// a ratio) where the baseline is positive and the tolerance relative; differences relative to the baseline's median where it is
// not, plain differences where the tolerance is absolute. A class with rows of several scales, or of runs and trials, is several
// groups. A value of the current side that is not positive counts as a millionth of the baseline's smallest.
// Pure; the order of the rows has no influence. bench_evidence measures what a million rows take.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/evidence/scatter.hpp"
#include "core/measurement.hpp"

namespace plumbline::core {

inline constexpr std::size_t kLeastTrials = 3;  // on both sides, for a test to speak at 5 %

struct EvidenceRow {
  std::span<const double> baseline, current;  // finite; a row with an empty side is not judged
  std::uint32_t klass = 0;                    // into the class names
  std::uint32_t point = 0;                    // rows of one run at the same dimensions; numbered from 0
  double tolerance = 0.05;                    // of the baseline (.05 is 5 %), or in the values' unit where `absolute`
  double rank_p = 1;                          // exact p of "worse by more than tolerance"; of rows with trials
  // Standard deviation of one run as it is known beforehand, as a share of the value (in the unit where `absolute`); 0: not
  // known.
  double known_spread = 0;
  // Logarithm of the row's size (message size, concurrency, …): rows of a class whose noise depends on it lend their scatter to
  // rows of like size alone. NaN: the row has none, and its class is not told apart by size.
  double size = std::numeric_limits<double>::quiet_NaN();
  bool absolute = false;
  bool headline = false;
  bool paired = false;  // the i-th values of the sides belong together, and what moves both is taken out of them already
};

struct WeighRules {
  double alpha = 0.05;
  // How many trials there are was decided while looking at them: rows count by their rank_p alone, which holds at any stop, and
  // classes by a test of that kind over their trials' means.
  bool anytime = false;
  std::uint32_t last_look = 0;  // core/experiment/looks.hpp
};

// All rows that are weighed. Most of what a row says is known from elsewhere, and of a million rows a list would be the largest
// thing in memory: each is put together when it is asked for, a few times. Asking for one twice gives the same.
class EvidenceRows {
 public:
  EvidenceRows() = default;
  EvidenceRows(const EvidenceRows&) = default;
  EvidenceRows& operator=(const EvidenceRows&) = default;
  EvidenceRows(EvidenceRows&&) = default;
  EvidenceRows& operator=(EvidenceRows&&) = default;
  virtual ~EvidenceRows() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual EvidenceRow operator[](std::size_t i) const = 0;
  // The row's point alone.
  [[nodiscard]] virtual std::uint32_t point_of(std::size_t i) const { return (*this)[i].point; }
};

struct RowEvidence {
  double allowance = 0;  // what chance explains on the class's scale: beyond tolerance (runs), of the difference (trials)
  std::uint32_t group = kNoGroup;  // into Evidence::groups
  bool trials = false;             // three or more on both sides
  bool regressed = false;          // by itself: by ranks, or the medians differ by more than tolerance
  bool suspect = false;            // regressed, and chance explains it
  bool explained = false;          // with trials: the class's pooled scatter explains the difference among so many rows
};

// A group: the rows of one class (or of the small classes of its unit and direction) that are judged in one way.
struct GroupEvidence {
  std::uint32_t klass = 0;  // the first class in it
  std::size_t rows = 0;
  bool trials = false;
  bool small = false;   // fewer than five rows: no suite effect, the scatter is that of a larger group of its unit and direction
  double scatter = -1;  // standard deviation of a trial, or of the difference of two runs; -1: not known
  // Suite effect, on the group's scale (logarithms: exp(effect) is the geometric mean of the rows' ratios), + is worse.
  double effect = 0, limit = 0;  // limit: the rows' mean tolerance on the same scale
  double low = 0, high = 0;      // 95 % interval of the effect; with trials
  double p = 1;                  // that it is worse than the limit; with trials
  bool worse = false;            // the suite effect is beyond tolerance and not by chance
  bool proven = false;           // with trials: its one-sided 95 % bound lies within tolerance
  bool correlated = false;       // neighbouring trials resemble each other: they count as `effective` ones
  double rho = 0;
  double effective_baseline = 0, effective_current = 0;  // number of trials, mean over the rows
  double drift_p_baseline = 1, drift_p_current = 1;      // a trend in the trials of a side (trend_p of their means over rows)
};

struct Evidence {
  std::vector<RowEvidence> rows;  // as given
  // Of each row with trials p of the moderated t against the tolerance; 1 where it lies above alpha. Empty where no row has
  // trials.
  std::vector<double> p;
  std::vector<GroupEvidence> groups;
  std::size_t judged = 0;            // rows with values on both sides
  std::size_t judged_points = 0;     // points with such rows
  std::size_t regressed_points = 0;  // points with a row that is regressed and not suspect
};

[[nodiscard]] Evidence weigh_rows(std::span<const ClassName> classes, const EvidenceRows& rows, const WeighRules& rules = {});
// Of rows that are listed.
[[nodiscard]] Evidence weigh_rows(std::span<const ClassName> classes, std::span<const EvidenceRow> rows,
                                  const WeighRules& rules = {});

}  // namespace plumbline::core
