// One or two runs on a side: each row's difference against tolerance plus what its class's quiet part scatters.
#include <algorithm>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/evidence/row_groups.hpp"
#include "core/large_block.hpp"

namespace plumbline::core {
namespace {

class RunWeigher {
 public:
  RunWeigher(RowGroups& groups, Evidence& out) : groups_(groups), out_(out), known_(groups.count()) {}

  void run() {
    take_differences();
    for (const bool small : {false, true}) {  // small groups take what the others know
      for (std::uint32_t g = 0; g < groups_.count(); ++g) {
        if (!out_.groups[g].trials && out_.groups[g].small == small) weigh_group_of_runs(g);
      }
    }
    for (std::uint32_t i = 0; i < groups_.rows().size(); ++i) {
      const std::uint32_t g = out_.rows[i].group;
      if (g != kNoGroup && !out_.rows[i].trials) judge_run(i, g);
    }
  }

 private:
  // What a group's weighing leaves for others of its unit and direction that are too small to know it themselves.
  struct Known {
    double spread = 0, worse = 0;  // of differences of runs, and their worse quantile
    std::size_t rows = 0;          // that it rests on
    bool equal_runs = true;
    double unequal = 0;    // sum over rows of what unequal numbers of runs widen
    double allowance = 0;  // of a single run
    bool sized = false;    // its first row has a size
    // A row that differs by no more is within its tolerance, whatever its own is. Negative where rows have to be asked.
    double surely_within = std::numeric_limits<double>::infinity();
  };

  // A row's difference stands in the place of its allowance until it is judged.
  void take_differences() {
    for (std::size_t i = 0; i < groups_.rows().size(); ++i) {
      const std::uint32_t g = out_.rows[i].group;
      if (g == kNoGroup || out_.rows[i].trials) continue;
      const EvidenceRow row = groups_.rows()[i];
      const RowScale scale = groups_.scale_of(row);
      out_.rows[i].allowance = scale(middle(row.current)) - scale(middle(row.baseline));
      out_.groups[g].limit += scale.limit() / static_cast<double>(out_.groups[g].rows);
      Known& known = known_[g];
      if (known.unequal == 0) known.sized = !std::isnan(row.size);
      known.surely_within = std::min(known.surely_within, row.known_spread > 0 ? kAsked : least_limit(scale));
      if (row.baseline.size() == row.current.size()) {
        known.unequal += 1;
      } else {
        known.equal_runs = false;
        known.unequal += unequal_runs_factor(static_cast<double>(row.baseline.size()), static_cast<double>(row.current.size()));
      }
    }
  }

  static double least_limit(const RowScale& scale) {
    return scale.two_sided() ? std::min(scale.limit(), scale.other_limit()) : scale.limit();
  }

  void weigh_group_of_runs(std::uint32_t g) {
    GroupEvidence& group = out_.groups[g];
    Known& known = known_[g];
    take_differences_of(g, sorted_);
    boost::sort::pdqsort_branchless(sorted_.begin(), sorted_.end());  // of a million rows three times as fast as std::sort
    group.effect = std::midpoint(sorted_[(group.rows - 1) / 2], sorted_[group.rows / 2]);
    const Known* source = &known;
    if (group.small) {
      source = groups_.lender<Known>(g, known_, [](const Known& one) { return one.spread; });
    } else {
      know_spread(known, known.unequal / static_cast<double>(group.rows));
      judge_median(group, known);
    }
    if (source == nullptr) return;
    group.scatter = source->spread;
    known.allowance = allowance_of(*source);
    if (!group.small) allow_by_size(g);
  }

  void take_differences_of(std::uint32_t g, std::vector<double>& into) {
    into.clear();
    reserve_large(into, out_.groups[g].rows);
    if (groups_.count() == 1) {
      for (const RowEvidence& row : out_.rows) {
        if (row.group == g) into.push_back(row.allowance);
      }
    } else {
      for (const std::uint32_t i : groups_.rows_of(g)) into.push_back(out_.rows[i].allowance);
    }
  }

  // Of the rows whose differences are sorted.
  void know_spread(Known& known, double unequal_factor) const {
    known.rows = sorted_.size();
    known.spread = shortest_share_spread(sorted_) * unequal_factor;
    known.worse = known.equal_runs ? worse_quantile(sorted_) : 0;
  }

  // Small messages scatter more than large ones: each part of the sizes has the allowance of its own rows.
  void allow_by_size(std::uint32_t g) {
    if (!known_[g].sized) return;
    const std::span<const std::uint32_t> rows = groups_.rows_of(g);
    std::vector<double> sizes, differences;
    for (const std::uint32_t i : rows) sizes.push_back(groups_.rows()[i].size);
    take_differences_of(g, differences);
    const auto parts = parts_by_size(sizes, differences);
    if (parts.size() == 1) return;
    part_allowances_.resize(groups_.rows().size(), kOfGroup);
    for (const std::vector<std::uint32_t>& part : parts) {
      sorted_.clear();
      for (const std::uint32_t i : part) sorted_.push_back(differences[i]);
      std::sort(sorted_.begin(), sorted_.end());
      Known own = known_[g];
      know_spread(own, own.unequal / static_cast<double>(out_.groups[g].rows));
      const double allowance = allowance_of(own);
      for (const std::uint32_t i : part) part_allowances_[rows[i]] = allowance;
    }
  }

  [[nodiscard]] double allowance_at(std::uint32_t i, std::uint32_t g) const {
    const bool of_group = part_allowances_.empty() || part_allowances_[i] == kOfGroup;
    return of_group ? known_[g].allowance : part_allowances_[i];
  }

  [[nodiscard]] double allowance_of(const Known& known) const {
    const double spread = known.spread * spread_multiplier(known.rows, out_.judged);
    if (!(known.worse > 0)) return spread;
    return std::min(spread, known.worse * worse_quantile_multiplier(known.rows, out_.judged));
  }

  // The class as a whole: its median row against tolerance and what chance does to a median.
  void judge_median(GroupEvidence& group, const Known& known) const {
    const auto m = static_cast<double>(group.rows);
    const double allowance = known.spread * median_multiplier(group.rows) / std::sqrt(m);
    group.worse = exceeds(groups_.is_two_sided(group) ? std::fabs(group.effect) : group.effect, group.limit + allowance);
  }

  void judge_run(std::uint32_t i, std::uint32_t g) {
    RowEvidence& out = out_.rows[i];
    const double difference = out.allowance;
    // Where half of the rows changed, no quiet part is left to measure and the spread is that of the change. What is four times
    // the other run is no noise all the same, unless something else than these rows says so.
    constexpr double kMost = 1.3862943611198906;  // ln 4
    const double allowance = groups_.is_absolute(g) ? allowance_at(i, g) : std::min(allowance_at(i, g), kMost);
    out.allowance = allowance;
    // Of a million rows nearly all: what else is known of them is not asked for again.
    if ((groups_.is_two_sided(out_.groups[g]) ? std::fabs(difference) : difference) <= known_[g].surely_within) return;
    const EvidenceRow row = groups_.rows()[i];
    const RowScale scale = groups_.scale_of(row);
    if (row.known_spread > 0) {
      const double runs = 1 / static_cast<double>(row.baseline.size()) + 1 / static_cast<double>(row.current.size());
      out.allowance = std::max(allowance, row.known_spread * std::sqrt(runs) * known_spread_multiplier(out_.judged));
    }
    const auto beyond = [&](double more) {
      return exceeds(difference, scale.limit() + more) || (scale.two_sided() && exceeds(-difference, scale.other_limit() + more));
    };
    out.regressed = beyond(0);
    out.suspect = out.regressed && !beyond(out.allowance);
  }

  RowGroups& groups_;
  Evidence& out_;
  std::vector<Known> known_;    // by group
  std::vector<double> sorted_;  // of what is being weighed
  static constexpr double kOfGroup = -1, kAsked = std::numeric_limits<double>::lowest();
  std::vector<double> part_allowances_;  // by row; empty where no group is told apart by size
};

}  // namespace

void weigh_runs(RowGroups& groups, Evidence& out) {
  if (groups.with_trials() < out.judged) RunWeigher(groups, out).run();
}

}  // namespace plumbline::core
