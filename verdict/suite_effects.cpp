#include "verdict/suite_effects.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verdict/rows/waiving.hpp"

namespace plumbline::verdict {

namespace {

using core::Comparison;
using core::Direction;
using core::GroupEvidence;
using core::kNoRow;

constexpr double kDriftAlpha = 0.01;

// A group by one of its rows.
struct Member {
  std::uint32_t row = kNoRow;  // into the weighed rows
  bool one_metric = true;
};

std::vector<Member> members(const WeighedRows& weighed) {
  std::vector<Member> out(weighed.evidence.groups.size());
  for (std::uint32_t j = 0; j < weighed.rows.size(); ++j) {
    const std::uint32_t g = weighed.evidence.rows[j].group;
    if (g == core::kNoGroup) continue;
    if (out[g].row == kNoRow) out[g].row = j;
    out[g].one_metric = out[g].one_metric && weighed.rows.baseline_row(j).metric == weighed.rows.baseline_row(out[g].row).metric;
  }
  return out;
}

// "50 rows of "time" in ns"; "12 rows in ms" where several metrics are judged together.
std::string group_name(const Comparison& c, const WeighedRows& weighed, const GroupEvidence& group, const Member& member) {
  std::string out = core::counted(group.rows, "row");
  const core::Row& row = weighed.rows.baseline_row(member.row);
  if (member.one_metric) out += " of " + core::cited(c.baseline->metric(row));
  const std::string_view unit = c.baseline->pool().view(weighed.classes[group.klass].unit);
  if (!unit.empty()) out += " in " + core::cited_word(unit);
  return out;
}

// From the group's scale, on which + is worse, to signed percent of the baseline, or to the unit of absolute tolerances.
class GroupScale {
 public:
  GroupScale(const WeighedRows& weighed, const GroupEvidence& group, const Member& member)
      : sign_(weighed.classes[group.klass].direction == Direction::higher ? -1 : 1) {
    const core::EvidenceRow row = weighed.rows[member.row];
    absolute_ = row.absolute;
    logs_ = !absolute_ && std::all_of(row.baseline.begin(), row.baseline.end(), [](double x) { return x > 0; });
  }
  [[nodiscard]] double change(double effect) const {
    const double x = sign_ * effect;
    if (absolute_) return x;
    return 100 * (logs_ ? std::expm1(x) : x);
  }
  [[nodiscard]] std::string_view unit() const { return absolute_ ? "" : " %"; }
  [[nodiscard]] std::string text(double effect) const { return core::signed_number(change(effect), 3) + std::string(unit()); }
  [[nodiscard]] std::string size(double effect) const {
    return core::short_number(std::fabs(change(effect)), 3) + std::string(unit());
  }

 private:
  double sign_;
  bool absolute_ = false, logs_ = true;
};

std::string effect_text(const Comparison& c, const WeighedRows& weighed, const GroupEvidence& group, const Member& member) {
  const GroupScale scale(weighed, group, member);
  std::string text = group_name(c, weighed, group, member) + " changed by " + scale.text(group.effect);
  if (group.trials) {
    const auto [low, high] = std::minmax({scale.change(group.low), scale.change(group.high)});
    text += " as a whole (95 % interval " + core::signed_number(low, 3) + " to " + core::signed_number(high, 3) +
            std::string(scale.unit()) + ", tolerance " + scale.size(group.limit) + ")";
  } else {
    text += " in their median (tolerance " + scale.size(group.limit) +
            "; one run cannot tell noise that all its rows share from a change)";
  }
  return text;
}

// Trials a side after which the bound of the effect lies within tolerance, as the error falls with their root; none where the
// effect itself does not.
std::optional<std::uint32_t> trials_to_prove(const GroupEvidence& group, double trials) {
  const double room = group.limit - group.effect;
  const double reach = (group.high - group.low) / 2;
  if (!(room > 0)) return std::nullopt;
  const double wanted = std::ceil(trials * (reach / room) * (reach / room));
  if (!(wanted < 1e6)) return std::nullopt;
  return static_cast<std::uint32_t>(std::max(wanted, trials + 1));
}

class Proof {
 public:
  Proof(const Comparison& c, const WeighedRows& weighed, const core::RowMarks& marks) : c_(c), weighed_(weighed), marks_(marks) {}

  Unproven run() {
    for (std::size_t j = 0; j < weighed_.rows.size(); ++j) {
      if (!weighed_.rows.delta(j).headline) continue;
      out_.headlines = true;
      ask_row(weighed_.rows.delta(j));
    }
    if (!out_.headlines) ask_classes();
    if (hopeless_) out_.trials.reset();
    return out_;
  }

 private:
  // What has fewer than three trials on a side is lacking those, which is said elsewhere.
  void ask_row(const core::Delta& d) {
    if (marks_.waived(c_.index(d))) return;
    ++out_.questions;
    if (!has_tested_trials(c_, d) || d.proven) return;
    open(c_.statistics[d.statistics].trials_needed);
  }

  void open(std::optional<std::uint32_t> trials) {
    ++out_.open;
    hopeless_ = hopeless_ || !trials;
    if (trials) out_.trials = std::max(out_.trials.value_or(0), *trials);
  }

  void ask_classes() {
    const std::vector<Member> of_groups = members(weighed_);
    const auto& groups = weighed_.evidence.groups;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (!groups[g].trials || groups[g].small) continue;
      ++out_.questions;
      if (groups[g].proven) continue;
      const core::EvidenceRow row = weighed_.rows[of_groups[g].row];
      open(trials_to_prove(groups[g], static_cast<double>(std::min(row.baseline.size(), row.current.size()))));
    }
    for (std::size_t j = 0; j < weighed_.rows.size(); ++j) {
      const std::uint32_t g = weighed_.evidence.rows[j].group;
      if (g != core::kNoGroup && groups[g].trials && groups[g].small) ask_row(weighed_.rows.delta(j));
    }
  }

  const Comparison& c_;
  const WeighedRows& weighed_;
  const core::RowMarks& marks_;
  Unproven out_;
  bool hopeless_ = false;
};

}  // namespace

std::vector<core::Reason> suite_reasons(const Comparison& comparison, const WeighedRows& weighed, const Waiving& waiving) {
  std::vector<core::Reason> out;
  const auto& groups = weighed.evidence.groups;
  if (std::none_of(groups.begin(), groups.end(), [](const GroupEvidence& g) { return g.worse; })) return out;
  const std::vector<Member> of_groups = members(weighed);
  const std::vector<bool> excused = waiving.excused_groups(weighed);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const GroupEvidence& group = groups[g];
    if (!group.worse || excused[g]) continue;
    core::Reason reason{"class_shift"};
    reason.message = effect_text(comparison, weighed, group, of_groups[g]);
    out.push_back(std::move(reason));
  }
  return out;
}

std::vector<core::Warning> trial_order_warnings(const Comparison& comparison, const WeighedRows& weighed) {
  std::vector<core::Warning> out;
  const auto& groups = weighed.evidence.groups;
  const auto correlated = std::find_if(groups.begin(), groups.end(), [](const GroupEvidence& g) { return g.correlated; });
  if (correlated != groups.end()) {
    out.push_back({"trials_correlated", "trials that ran one after another resemble each other (correlation " +
                                            core::short_number(correlated->rho, 2) + "): they count as " +
                                            core::short_number(correlated->effective_baseline, 2) + " and " +
                                            core::short_number(correlated->effective_current, 2) +
                                            " independent ones; interleave the two sides, or leave time between the runs"});
  }
  const auto drift = [](const GroupEvidence& g) { return std::min(g.drift_p_baseline, g.drift_p_current); };
  std::size_t clearest = groups.size();
  std::size_t tested = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!groups[g].trials) continue;
    ++tested;
    if (clearest == groups.size() || drift(groups[g]) < drift(groups[clearest])) clearest = g;
  }
  if (clearest == groups.size() || drift(groups[clearest]) * 2 * static_cast<double>(tested) > kDriftAlpha) return out;
  const GroupEvidence& group = groups[clearest];
  const bool current = group.drift_p_current < group.drift_p_baseline;
  out.push_back({"trials_drift", "the trials of the " + std::string(current ? "current" : "baseline") +
                                     " side go one way from the first to the last (" +
                                     group_name(comparison, weighed, group, members(weighed)[clearest]) +
                                     "): something warmed up, filled or aged while they ran; they count as about " +
                                     core::short_number(current ? group.effective_current : group.effective_baseline, 2) +
                                     " independent ones at most"});
  return out;
}

Unproven unproven(const Comparison& comparison, const WeighedRows& weighed, const core::RowMarks& marks) {
  return Proof(comparison, weighed, marks).run();
}

}  // namespace plumbline::verdict
