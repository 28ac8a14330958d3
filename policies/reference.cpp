// The Python tool's rule, reproduced (facts: reference-tool section 3): only shared top-level keys that are finite numbers
// (booleans count 1/0, numeric strings count), one direction and one tolerance for all of them; strictly more than the
// tolerance counts, percent of a zero baseline always does; a scalar over tolerance is RED, one or two structured rows
// are YELLOW, three or more RED. Rows it does not look at keep their states, so that they are seen, but do not count.
#include "policies/reference.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "policies/advice.hpp"
#include "policies/row_text.hpp"

namespace plumbline::policies {

namespace {

using core::Delta;
using core::Direction;
using core::State;

bool number_like(const core::Measurement& m, const core::Row& row) {
  return row.value_count == 1 &&
         (row.state == core::ValueState::number || row.state == core::ValueState::numeric_string ||
          row.state == core::ValueState::boolean || row.state == core::ValueState::big_integer) &&
         std::isfinite(m.values(row)[0]);
}

}  // namespace

Judgement judge_reference(const JudgeInput& in) {
  core::Comparison& c = *in.comparison;
  Judgement out;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> over;
  const bool scalar = in.shape == core::Shape::scalar;
  for (std::uint32_t i = 0; i < c.deltas.size(); ++i) {
    Delta& d = c.deltas[i];
    d.suspect = false;
    if (d.baseline_row == core::kNoRow || d.current_row == core::kNoRow) continue;
    const core::Row& b = c.baseline->rows()[d.baseline_row];
    const core::Row& n = c.current->rows()[d.current_row];
    const bool top_level = scalar ? d.headline : (b.key == b.metric && b.dims == 0);
    if (!top_level || !number_like(*c.baseline, b) || !number_like(*c.current, n)) continue;
    rows.push_back(i);
    // This tool knows no units: the raw numbers are compared.
    d.baseline = c.baseline->values(b)[0];
    d.current = c.current->values(n)[0];
    d.delta = d.current - d.baseline;
    d.delta_pct = d.baseline != 0 ? 100.0 * (d.current - d.baseline) / d.baseline : (d.current == 0 ? 0 : std::nan(""));
    const bool exceeds = in.tolerance_absolute ? std::fabs(d.delta) > *in.tolerance_absolute
                                               : (std::isnan(d.delta_pct) || std::fabs(d.delta_pct) > in.tolerance_percent);
    const bool adverse = in.direction == Direction::higher ? d.delta < 0 : in.direction == Direction::lower ? d.delta > 0 : true;
    d.exceeds = exceeds;
    d.adverse = adverse && d.delta != 0;
    d.direction = in.direction;
    d.state = exceeds ? (adverse ? State::regressed : State::improved) : State::unchanged;
    const double limit = in.tolerance_absolute ? *in.tolerance_absolute : in.tolerance_percent;
    const double amount = in.tolerance_absolute ? std::fabs(d.delta) : std::fabs(d.delta_pct);
    d.used = std::isnan(amount) ? HUGE_VAL : (limit > 0 ? amount / limit : (amount > 0 ? HUGE_VAL : 0));
    if (d.state == State::regressed) over.push_back(i);
  }
  for (const Delta& d : c.deltas) {
    switch (d.state) {
      case State::regressed:
        ++out.counts.regressed;
        break;
      case State::improved:
        ++out.counts.improved;
        break;
      case State::unchanged:
        ++out.counts.unchanged;
        break;
      case State::inconclusive:
        ++out.counts.inconclusive;
        break;
      case State::missing:
        ++out.counts.missing;
        break;
      case State::added:
        ++out.counts.added;
        break;
      case State::invalid:
        ++out.counts.invalid;
        break;
      case State::unclassified:
        ++out.counts.unclassified;
        break;
      case State::context:
        ++out.counts.context;
        break;
    }
  }
  out.counts.compared = rows.size();
  out.verdict = over.empty() ? core::Verdict::green : (scalar || over.size() > 2 ? core::Verdict::red : core::Verdict::yellow);
  // Its order: by size whatever the direction, an undefined percent first, ties by key.
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const Delta& x = c.deltas[a];
    const Delta& y = c.deltas[b];
    const auto size = [&](const Delta& d) {
      if (in.tolerance_absolute) return std::fabs(d.delta);
      return std::isnan(d.delta_pct) ? HUGE_VAL : std::fabs(d.delta_pct);
    };
    if (size(x) != size(y)) return size(x) > size(y);
    return c.baseline->pool().view(x.key) < c.baseline->pool().view(y.key);
  };
  std::sort(over.begin(), over.end(), before);
  if (!over.empty()) {
    core::Reason reason;
    reason.code = scalar ? "scalar_regressed" : "reference_over_tolerance";
    reason.keys_count = over.size();
    for (std::size_t i = 0; i < std::min<std::size_t>(over.size(), 20); ++i)
      reason.keys.emplace_back(c.baseline->pool().view(c.deltas[over[i]].key));
    reason.message = core::counted(over.size(), "row") + " over tolerance, largest " + row_text(c, c.deltas[over.front()]);
    out.reasons.push_back(std::move(reason));
  }
  out.promote.emplace_back("policy: the reference rule has no noise model; use --policy plumbline");
  out.tier = core::Tier::draft;
  std::sort(rows.begin(), rows.end(), before);
  if (rows.size() > 1000) rows.resize(1000);
  out.order = std::move(rows);
  out.recommendation = recommend(in, out);
  out.next_lever = next_lever(in, out);
  return out;
}

}  // namespace plumbline::policies
