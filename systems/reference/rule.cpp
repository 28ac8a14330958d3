// The Python tool's rule, reproduced (facts: reference-tool section 3): only shared top-level keys that are finite numbers
// (booleans count 1/0, numeric strings count), one direction and one tolerance for all of them; strictly more than the
// tolerance counts, percent of a zero baseline always does; a scalar over tolerance is RED, one or two structured rows
// are YELLOW, three or more RED. Rows it does not look at keep their states, so that they are seen, but do not count.
#include "systems/reference/rule.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline::systems::reference {

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

bool is_compared(const core::Comparison& c, const Delta& d, bool scalar) {
  if (d.baseline_row == core::kNoRow || d.current_row == core::kNoRow) return false;
  const core::Row& b = c.baseline->rows()[d.baseline_row];
  const bool top_level = scalar ? d.headline : (b.key == b.metric && b.dims == 0);
  return top_level && number_like(*c.baseline, b) && number_like(*c.current, c.current->rows()[d.current_row]);
}

void decide_row(const core::Comparison& c, const Rule& rule, Delta& d) {
  // This tool knows no units: the raw numbers are compared.
  d.baseline = c.baseline->values(c.baseline->rows()[d.baseline_row])[0];
  d.current = c.current->values(c.current->rows()[d.current_row])[0];
  d.delta = d.current - d.baseline;
  d.delta_pct = d.baseline != 0 ? 100.0 * (d.current - d.baseline) / d.baseline : (d.current == 0 ? 0 : std::nan(""));
  const bool exceeds = rule.tolerance_absolute ? std::fabs(d.delta) > *rule.tolerance_absolute
                                               : (std::isnan(d.delta_pct) || std::fabs(d.delta_pct) > rule.tolerance_percent);
  const bool adverse = rule.direction == Direction::higher  ? d.delta < 0
                       : rule.direction == Direction::lower ? d.delta > 0
                                                            : true;
  d.exceeds = exceeds;
  d.adverse = adverse && d.delta != 0;
  d.direction = rule.direction;
  d.state = exceeds ? (adverse ? State::regressed : State::improved) : State::unchanged;
  const double limit = rule.tolerance_absolute ? *rule.tolerance_absolute : rule.tolerance_percent;
  const double amount = rule.tolerance_absolute ? std::fabs(d.delta) : std::fabs(d.delta_pct);
  d.used = std::isnan(amount) ? HUGE_VAL : (limit > 0 ? amount / limit : (amount > 0 ? HUGE_VAL : 0));
}

}  // namespace

core::Comparison decide_rows(core::Comparison c, const Rule& rule) {
  for (Delta& d : c.deltas) {
    if (is_compared(c, d, rule.scalar)) decide_row(c, rule, d);
  }
  return c;
}

Outcome outcome_of(const core::Comparison& c, const Rule& rule) {
  Outcome out;
  for (std::uint32_t i = 0; i < c.deltas.size(); ++i) {
    if (!is_compared(c, c.deltas[i], rule.scalar)) continue;
    out.rows.push_back(i);
    if (c.deltas[i].state == State::regressed) out.over.push_back(i);
  }
  if (!out.over.empty()) out.verdict = rule.scalar || out.over.size() > 2 ? core::Verdict::red : core::Verdict::yellow;
  const auto size = [&](const Delta& d) {
    if (rule.tolerance_absolute) return std::fabs(d.delta);
    return std::isnan(d.delta_pct) ? HUGE_VAL : std::fabs(d.delta_pct);
  };
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const Delta& x = c.deltas[a];
    const Delta& y = c.deltas[b];
    if (size(x) != size(y)) return size(x) > size(y);
    return c.baseline->pool().view(x.key) < c.baseline->pool().view(y.key);
  };
  std::sort(out.rows.begin(), out.rows.end(), before);
  std::sort(out.over.begin(), out.over.end(), before);
  return out;
}

}  // namespace plumbline::systems::reference
