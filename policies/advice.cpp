#include "policies/advice.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "core/text.hpp"
#include "policies/axis.hpp"
#include "policies/row_text.hpp"

namespace plumbline::policies {

namespace {

using core::Delta;
using core::State;
using core::Verdict;

constexpr std::size_t kOrdered = 1000;

int rank_of(const Delta& d) {
  if (d.state == State::regressed) return d.suspect ? 1 : 0;
  if (d.state == State::missing || d.state == State::invalid) return 2;
  if (d.state == State::added) return 4;
  return 3;
}

double size_of_change(const Delta& d) {
  if (std::isfinite(d.delta_pct)) return std::fabs(d.delta_pct);
  return d.delta != 0 ? HUGE_VAL : 0;
}

}  // namespace

std::vector<std::uint32_t> advice_order(const core::Comparison& c) {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const Delta& x = c.deltas[a];
    const Delta& y = c.deltas[b];
    const int rx = rank_of(x);
    const int ry = rank_of(y);
    if (rx != ry) return rx < ry;
    if (rx <= 1) {
      if (x.headline != y.headline) return x.headline;
      if (x.used != y.used) return x.used > y.used;
    }
    const double sx = size_of_change(x);
    const double sy = size_of_change(y);
    if (sx != sy) return sx > sy;
    return a < b;
  };
  // A heap with the last of those kept on top: of a million rows nearly all are turned away by one comparison.
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < c.deltas.size(); ++i) {
    if (c.deltas[i].state == State::context) continue;
    if (order.size() < kOrdered) {
      order.push_back(i);
      std::push_heap(order.begin(), order.end(), before);
    } else if (before(i, order.front())) {
      std::pop_heap(order.begin(), order.end(), before);
      order.back() = i;
      std::push_heap(order.begin(), order.end(), before);
    }
  }
  std::sort_heap(order.begin(), order.end(), before);
  return order;
}

core::Recommendation recommend(const JudgeInput& in, const Judgement& j) {
  const core::Comparison& c = *in.comparison;
  core::Recommendation r;
  const auto has = [&](std::string_view code) {
    return std::any_of(j.reasons.begin(), j.reasons.end(), [&](const core::Reason& reason) { return reason.code == code; });
  };
  const auto worst = [&]() -> std::string { return j.order.empty() ? std::string() : row_text(c, c.deltas[j.order.front()]); };
  if (j.verdict == Verdict::green) {
    r.action = "none";
    r.message = "no regression detected; no action needed";
    if (j.tier == core::Tier::draft && !j.promote.empty()) r.message += " (a DRAFT: " + j.promote.front() + ")";
    if (j.counts.improved > 0 && j.counts.regressed == 0) {
      r.action = "re-baseline";
      r.message = core::counted(j.counts.improved, "row") +
                  " improved beyond tolerance: if that is meant to stay, record the new level and accept it";
    }
    return r;
  }
  if (has("gate_failed") || has("gate_missing") || has("headline_missing")) {
    r.action = "fix_gate";
    r.message = "the run itself is not valid or not complete; mend that before reading its timings: " + j.reasons.front().message;
    r.suspects = j.reasons.front().keys;
    return r;
  }
  const bool fatal_context =
      std::any_of(in.context_differences.begin(), in.context_differences.end(),
                  [](const auto& difference) { return !difference.declared && difference.severity == core::Severity::fatal; });
  if (fatal_context) {
    r.action = "compare_like_with_like";
    r.message =
        "the two sides do not measure the same thing; choose a baseline with the same context or declare the change with "
        "--varying";
    for (const auto& difference : in.context_differences) {
      if (!difference.declared && difference.severity == core::Severity::fatal) r.suspects.push_back(difference.key);
    }
    return r;
  }
  if (j.verdict == Verdict::red) {
    r.action = "bisect";
    if (in.shape == core::Shape::scalar) {
      r.message = worst() + ": bisect between the two builds? (absolute change " +
                  core::signed_number(c.deltas[j.order.front()].delta) + ")";
      return r;
    }
    if (const auto axis = suspect_axis(c)) {
      r.message = "the regressions cluster on " + axis->name + " (" + std::to_string(axis->regressed) + " of " +
                  core::counted(axis->regressed_total, "regressed row") + ", " + std::to_string(axis->regressed) + " of " +
                  core::counted(axis->rows, "row") + " with it): look there first";
      r.suspects.push_back(axis->name);
      return r;
    }
    r.message = "the regressions share no single axis; bisect on the worst row: " + worst();
    return r;
  }
  if (has("context_differs") && j.reasons.size() == 1) {
    r.action = "declare_context";
    r.message = "numbers are within tolerance, but the context changed; declare what was changed on purpose with --varying KEY";
    r.suspects = j.reasons.front().keys;
    return r;
  }
  if (has("row_missing") || has("row_invalid")) {
    r.action = "investigate";
    r.message = "a baseline row has no counterpart: check that the run was complete, then diff again";
    return r;
  }
  if (has("direction_unknown") && j.counts.regressed == 0) {
    r.action = "investigate";
    r.message = "say which way is better for these rows (--direction KEY=DIR, or plumbline.yaml), then diff again";
    return r;
  }
  // What trials have shown needs no other run to be believed; what single numbers say does.
  const bool shown = j.counts.regressed > 0 && std::all_of(c.deltas.begin(), c.deltas.end(), [&](const Delta& d) {
                       return d.state != State::regressed ||
                              (!d.suspect && d.statistics != core::kNoRow && c.statistics[d.statistics].statistical);
                     });
  if (shown) {
    r.action = "investigate";
    r.message = "the trials show it: " + worst() + "; look at what changed for " +
                (j.counts.regressed == 1 ? std::string("that row") : core::counted(j.counts.regressed, "row")) +
                ", or accept the new level with a reason";
    for (const std::uint32_t i : j.order) {
      if (c.deltas[i].state == State::regressed) r.suspects.emplace_back(c.baseline->pool().view(c.deltas[i].key));
    }
    return r;
  }
  r.action = "rerun";
  std::uint32_t need = 0;
  for (const core::RowStatistics& s : c.statistics) need = std::max(need, s.trials_needed.value_or(0));
  const std::uint64_t spots = j.counts.regressed;
  r.message = spots > 0 ? "spot regression on " + core::counted(spots, "key") + "; measure again on the same node"
                        : "measure again on the same node";
  if (need > 0 && need <= 100) {
    r.message += " with " + std::to_string(need) + " trials a side, interleaved A B A B, and diff with all of them";
  } else {
    r.message += " (three or more trials a side, interleaved A B A B) to rule out noise, then diff again";
  }
  if (const auto axis = suspect_axis(c)) r.suspects.push_back(axis->name);
  return r;
}

std::optional<core::NextLever> next_lever(const JudgeInput& in, const Judgement& j) {
  const core::Comparison& c = *in.comparison;
  // A regression with a place: undoing it is worth what was lost there.
  if (j.verdict == Verdict::red && !j.order.empty()) {
    const Delta& d = c.deltas[j.order.front()];
    if (d.state != State::regressed || !std::isfinite(d.delta_pct)) return std::nullopt;
    const auto axis = suspect_axis(c);
    core::NextLever lever;
    lever.lever =
        "restore " + std::string(c.baseline->pool().view(d.key)) + (axis ? " (with the other rows of " + axis->name + ")" : "");
    lever.expected_unlock =
        "up to " + core::short_number(std::fabs(d.delta_pct), 3) + " % on that row: what this diff shows as lost";
    lever.gate = "the same diff against this baseline is GREEN";
    return lever;
  }
  // Nothing lost: the room left below the ceiling, where the entry carries one.
  const core::SolLine* farthest = nullptr;
  for (const core::SolLine& line : in.sol) {
    if (line.current_pct > 0 && line.current_pct < 100 && (farthest == nullptr || line.current_pct < farthest->current_pct))
      farthest = &line;
  }
  if (farthest == nullptr) return std::nullopt;
  core::NextLever lever;
  lever.lever = "close the gap of " + farthest->row_key + " to " + farthest->ceiling_key;
  lever.expected_unlock = "at most x" + core::short_number(100 / farthest->current_pct, 3) + " (" +
                          core::short_number(farthest->current_pct, 3) + " % of the ceiling now)";
  lever.gate = "a diff against this baseline that shows the row improved beyond its tolerance";
  return lever;
}

}  // namespace plumbline::policies
