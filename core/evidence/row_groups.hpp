// The rows of a comparison in the groups in which they are weighed: those of one class (or of the small classes of one unit and
// direction) that stand on one scale and have trials, or have none. A group that is too small to know its own noise borrows from
// the others of its unit, direction and kind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/evidence/row_evidence.hpp"
#include "core/evidence/scale.hpp"

namespace plumbline::core {

class RowGroups {
 public:
  // Fills the groups of `out`, and of each of its rows the group and whether it has trials. All three must outlive this.
  RowGroups(std::span<const ClassName> classes, const EvidenceRows& rows, Evidence& out);

  [[nodiscard]] const EvidenceRows& rows() const { return rows_; }
  [[nodiscard]] std::size_t with_trials() const { return with_trials_; }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(out_.groups.size()); }
  // Listed when they are first asked for: where all rows are of one group, and need no list of it, nobody does.
  [[nodiscard]] std::span<const std::uint32_t> rows_of(std::uint32_t g) {
    if (order_.empty()) list_rows();
    return std::span(order_).subspan(first_row_[g], first_row_[g + 1] - first_row_[g]);
  }

  [[nodiscard]] RowScale scale_of(const EvidenceRow& row);
  [[nodiscard]] bool is_absolute(std::uint32_t g) const;
  [[nodiscard]] bool is_two_sided(const GroupEvidence& group) const {
    const Direction direction = classes_[group.klass].direction;
    return direction == Direction::two_sided || direction == Direction::unknown;
  }

  // Of what is `known` of each group, that of the one of this unit, direction and kind that scatters most; null where there is
  // none.
  template <class Known, class Spread>
  [[nodiscard]] const Known* lender(std::uint32_t g, std::span<const Known> known, Spread spread) const {
    const Known* best = nullptr;
    for (std::uint32_t other = 0; other < count(); ++other) {
      if (out_.groups[other].small || kinds_[other] != kinds_[g] || !is_alike(other, g)) continue;
      if (best == nullptr || spread(known[other]) > spread(*best)) best = &known[other];
    }
    return best;
  }

 private:
  void list_rows();
  void add_groups(std::size_t kind, const ClassGroups& groups, const std::vector<std::uint32_t>& counts);
  [[nodiscard]] bool is_alike(std::uint32_t a, std::uint32_t b) const {
    const ClassName& one = classes_[out_.groups[a].klass];
    const ClassName& other = classes_[out_.groups[b].klass];
    return one.unit == other.unit && one.direction == other.direction;
  }

  std::span<const ClassName> classes_;
  const EvidenceRows& rows_;
  Evidence& out_;
  std::vector<std::size_t> first_row_;  // of each group, into order_
  std::vector<std::uint32_t> order_;    // rows by group
  std::vector<std::size_t> kinds_;      // by group
  std::size_t with_trials_ = 0;
  double tolerance_ = 0;
  ToleranceLogs logs_{0};
};

// With slack for the last digits, as for tolerances.
[[nodiscard]] bool exceeds(double value, double limit);
// Of all trials of a side; a single value is its own.
[[nodiscard]] double middle(std::span<const double> values);
// Rearranges what it is given; 0 for nothing.
[[nodiscard]] double median_of(std::vector<double>& x);

// One or two runs on a side, and three trials or more on both: how each row and each group fares.
void weigh_runs(RowGroups& groups, Evidence& out);
void weigh_trials(RowGroups& groups, const WeighRules& rules, Evidence& out);

}  // namespace plumbline::core
