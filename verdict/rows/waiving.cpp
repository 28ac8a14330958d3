#include "verdict/rows/waiving.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/citing.hpp"
#include "core/evidence/scale.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "verdict/row_text.hpp"

namespace plumbline::verdict {

namespace {

using core::Delta;
using core::State;
using core::Waiver;
using core::WaiverState;

constexpr std::size_t kNone = SIZE_MAX;
constexpr std::size_t kReasonKeys = 20, kShown = 3;

// What a verdict could be made of: worse, or not decided and worse as far as it goes.
bool is_worse(const Delta& d) {
  if (d.state == State::regressed) return true;
  return d.state == State::inconclusive && (d.headline || d.gate || (d.exceeds && d.adverse));
}

std::string told(const Waiver& waiver) {
  return "the waiver of " + core::source_of(waiver) + " (" + core::cited(waiver.reason) + ")";
}

}  // namespace

Waiving::Waiving(const JudgeInput& input) : in_(input), c_(*input.comparison) {
  for (const auto& waiver : in_.waivers) {
    One one{waiver.get(), core::is_expired(*waiver, in_.today), false, {}, {}, 0};
    one.matches = std::any_of(c_.deltas.begin(), c_.deltas.end(), [&](const Delta& d) {
      return d.state != State::context && core::match(*waiver, c_.baseline->pool().view(d.key)) >= 0;
    });
    all_.push_back(std::move(one));
  }
}

std::string_view Waiving::key(std::uint32_t row) const { return c_.baseline->pool().view(c_.deltas[row].key); }

std::size_t Waiving::strongest(std::uint32_t row, bool expired) const {
  std::size_t best = kNone;
  int strength = -1;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].expired != expired || !all_[i].matches || (c_.deltas[row].gate && !all_[i].waiver->gate)) continue;
    if (const int how = core::match(*all_[i].waiver, key(row)); how >= 0 && how >= strength) {
      strength = how;
      best = i;
    }
  }
  return best;
}

bool Waiving::keeps_ceiling(const Waiver& waiver, const Delta& d) const {
  if (d.baseline_row == core::kNoRow || d.current_row == core::kNoRow) return false;
  if (!std::isfinite(d.baseline) || !std::isfinite(d.current)) return false;
  const std::string_view unit = c_.baseline->unit(c_.baseline->rows()[d.baseline_row]);
  if (waiver.ceiling.kind == core::ToleranceKind::points && !core::points_per_unit(unit, d.baseline, d.current)) return false;
  const double change = core::change_on_scale(waiver.ceiling, d.baseline, d.current, unit);
  const bool better = d.direction == core::Direction::lower ? change <= 0 : d.direction == core::Direction::higher && change >= 0;
  return better || !core::exceeds(waiver.ceiling, change);
}

bool Waiving::covers(std::uint32_t row) const {
  const std::size_t at = any() ? strongest(row, false) : kNone;
  return at != kNone && keeps_ceiling(*all_[at].waiver, c_.deltas[row]);
}

bool Waiving::speaks_of(std::uint32_t row) const { return any() && strongest(row, false) != kNone; }

void Waiving::mark(std::span<const std::uint32_t> rows, Judgement& out) {
  if (!any()) return;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].matches) out.waivers.push_back({in_.waivers[i], all_[i].expired, 0, 0});
  }
  const auto use_of = [&](std::size_t at) {
    return std::find_if(out.waivers.begin(), out.waivers.end(),
                        [&](const core::WaiverUse& use) { return use.waiver == in_.waivers[at]; });
  };
  for (const std::uint32_t row : rows) {
    const Delta& d = c_.deltas[row];
    if (!is_worse(d)) continue;
    if (d.gate) {
      for (One& one : all_) one.gates += !one.waiver->gate && core::match(*one.waiver, key(row)) >= 0 ? 1 : 0;
    }
    if (const std::size_t at = strongest(row, false); at != kNone) {
      const bool kept = keeps_ceiling(*all_[at].waiver, d);
      out.marks.mark_waiver(row, {in_.waivers[at], kept ? WaiverState::holds : WaiverState::exceeded});
      ++(kept ? use_of(at)->waived : use_of(at)->exceeded);
      if (!kept) all_[at].exceeded.push_back(row);
      out.counts.waived += kept ? 1 : 0;
    } else if (const std::size_t over = strongest(row, true); over != kNone) {
      out.marks.mark_waiver(row, {in_.waivers[over], WaiverState::expired});
      all_[over].worse.push_back(row);
    }
  }
}

namespace {

// The groups' effects without the rows under waivers, by the same means as core::weigh_rows: of trials the mean over rows of the
// differences of their means, of runs the median. No test: the rows were tested together.
class OthersAlone {
 public:
  explicit OthersAlone(const WeighedRows& weighed) : weighed_(weighed), groups_(weighed.evidence.groups.size()) {}

  void add(std::size_t j) {
    const core::EvidenceRow row = weighed_.rows[j];
    const core::RowScale scale(row.baseline, core::median(row.baseline), weighed_.rows.delta(j).direction, row.tolerance,
                               core::ToleranceLogs(row.tolerance), row.absolute);
    One& one = groups_[weighed_.evidence.rows[j].group];
    one.changes.push_back(middle(row.current, scale) - middle(row.baseline, scale));
    one.limits += scale.limit();
    one.two_sided = scale.two_sided();
  }
  [[nodiscard]] bool worse(std::size_t group) {
    One& one = groups_[group];
    if (one.changes.empty()) return false;
    const auto rows = static_cast<double>(one.changes.size());
    const double effect = weighed_.evidence.groups[group].trials
                              ? std::accumulate(one.changes.begin(), one.changes.end(), 0.0) / rows
                              : core::median(one.changes);
    return (one.two_sided ? std::fabs(effect) : effect) > one.limits / rows;
  }

 private:
  struct One {
    std::vector<double> changes;
    double limits = 0;
    bool two_sided = false;
  };
  static double middle(std::span<const double> values, const core::RowScale& scale) {
    double sum = 0;
    for (const double value : values) sum += scale(value);
    return sum / static_cast<double>(values.size());
  }

  const WeighedRows& weighed_;
  std::vector<One> groups_;
};

}  // namespace

std::vector<bool> Waiving::excused_groups(const WeighedRows& weighed) const {
  std::vector<bool> out(weighed.evidence.groups.size());
  if (!any()) return out;
  OthersAlone others(weighed);
  std::vector<bool> waived(out.size()), exceeded(out.size());
  for (std::size_t j = 0; j < weighed.rows.size(); ++j) {
    const std::uint32_t group = weighed.evidence.rows[j].group, row = weighed.rows.deltas[j];
    if (group == core::kNoGroup || !weighed.evidence.groups[group].worse) continue;
    if (const std::size_t at = strongest(row, false); at == kNone) {
      others.add(j);
    } else {
      waived[group] = true;
      if (!keeps_ceiling(*all_[at].waiver, c_.deltas[row])) exceeded[group] = true;
    }
  }
  for (std::size_t g = 0; g < out.size(); ++g) out[g] = waived[g] && !exceeded[g] && !others.worse(g);
  return out;
}

core::Reason Waiving::expired_reason() const {
  core::Reason reason{"waiver_expired"};
  std::vector<std::string> said;
  std::size_t over = 0;
  for (const One& one : all_) {
    if (!one.expired || !one.matches) continue;
    ++over;
    for (const std::uint32_t row : one.worse) {
      ++reason.keys_count;
      if (reason.keys.size() < kReasonKeys) reason.keys.emplace_back(key(row));
    }
    if (said.size() == kShown) continue;
    said.push_back(told(*one.waiver) + " ended on " + one.waiver->until + ": " +
                   (one.worse.empty() ? std::string("none of its rows is worse now, so take it out")
                                      : core::counted(one.worse.size(), "row counts again", "rows count again") +
                                            ", so fix the regression or renew the waiver"));
  }
  for (const std::string& text : said) reason.message += (reason.message.empty() ? "" : "; ") + text;
  if (over > said.size()) reason.message += "; and " + core::counted(over - said.size(), "more waiver") + " ended";
  return reason;
}

void Waiving::say(std::span<const std::uint32_t> counting, std::vector<core::Reason>& reasons) const {
  if (!any()) return;
  core::Reason exceeded{"waiver_exceeded"};
  std::vector<std::string> said;
  for (const One& one : all_) {
    std::uint32_t worst = core::kNoRow;
    for (const std::uint32_t row : one.exceeded) {
      if (!std::binary_search(counting.begin(), counting.end(), row)) continue;
      ++exceeded.keys_count;
      if (exceeded.keys.size() < kReasonKeys) exceeded.keys.emplace_back(key(row));
      if (worst == core::kNoRow || c_.deltas[row].used > c_.deltas[worst].used) worst = row;
    }
    if (worst != core::kNoRow && said.size() < kShown) {
      said.push_back(told(*one.waiver) + " allows " + core::tolerance_text(one.waiver->ceiling) + ", and " +
                     row_text(c_, c_.deltas[worst]));
    }
  }
  for (const std::string& text : said) exceeded.message += (exceeded.message.empty() ? "" : "; ") + text;
  if (exceeded.keys_count > 0) reasons.push_back(std::move(exceeded));
  if (core::Reason expired = expired_reason(); !expired.message.empty()) reasons.push_back(std::move(expired));
}

std::uint64_t waived_rows(const core::Comparison& comparison, const core::RowMarks& marks, State state) {
  return static_cast<std::uint64_t>(std::count_if(marks.waivers().begin(), marks.waivers().end(), [&](const auto& marked) {
    return marked.second.state == WaiverState::holds && comparison.deltas[marked.first].state == state;
  }));
}

std::string waivers_text(std::span<const core::WaiverUse> waivers) {
  std::vector<std::string> said;
  for (const core::WaiverUse& use : waivers) {
    if (use.waived > 0) said.push_back(core::source_of(*use.waiver) + " until " + use.waiver->until);
  }
  return core::listed(said, kShown);
}

void Waiving::warn(std::vector<core::Warning>& warnings) const {
  for (const One& one : all_) {
    if (one.gates > 0) {
      warnings.push_back(
          {"rule_matches_nothing", told(*one.waiver) + " does not speak of gates, and " +
                                       core::counted(one.gates, "gate that it names is worse", "gates that it names are worse") +
                                       ": only `gate: true` waives those"});
    } else if (!one.matches && core::names_measurement(*one.waiver)) {
      warnings.push_back({"rule_matches_nothing", told(*one.waiver) + " matches no row"});
    }
  }
}

}  // namespace plumbline::verdict
