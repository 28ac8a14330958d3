#include "verdict/rows/second_look.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/experiment/confirmation.hpp"
#include "verdict/evidence_of_rows.hpp"

namespace plumbline::verdict {
namespace {

using core::Comparison;
using core::Delta;
using core::SecondAnswer;
using core::State;

constexpr std::uint32_t kFewestTrials = 3;

bool has_trials(const Comparison& c, const Delta& d) {
  if (d.statistics == core::kNoRow) return false;
  const core::RowStatistics& s = c.statistics[d.statistics];
  return s.n_baseline >= kFewestTrials && s.n_current >= kFewestTrials;
}

// Trials of a count or size that repeats exactly: there are enough of them, and no test was made.
bool repeats(const Comparison& c, const Delta& d) { return has_trials(c, d) && !c.statistics[d.statistics].statistical; }

}  // namespace

void pass_over_others(const core::SecondLook& look, Comparison& c) {
  const core::StringPool& pool = c.baseline->pool();
  std::vector<bool> in_doubt(pool.size());
  for (const core::DoubtfulRow& row : look.rows) {
    if (const core::Id key = pool.find(row.key); key != core::kNoId) in_doubt[key] = true;
  }
  for (Delta& d : c.deltas) {
    if (d.state == State::context) continue;
    if (in_doubt[d.key]) {
      d.headline = !d.gate && is_decided(d);  // one that is gone is said to be, and no more
      if (d.headline) d.headline_source = core::Source::flag;
      continue;
    }
    d.state = State::context;
    d.headline = d.gate = d.exceeds = d.proven = false;
    d.statistics = core::kNoRow;
    c.notes[c.index(d)] = "not in doubt at the first look: not judged again";
  }
}

void mark_unconfirmed(const core::SecondLook& look, double alpha, const Comparison& c, core::RowMarks& marks) {
  std::vector<std::uint32_t> rows;
  std::vector<double> p;
  for (const Delta& d : c.deltas) {
    if (d.state != State::regressed || d.gate || repeats(c, d)) continue;
    rows.push_back(c.index(d));
    p.push_back(has_trials(c, d) ? c.statistics[d.statistics].p.value_or(1) : 1);
  }
  const std::vector<bool> survive = core::holm_survivors(p, alpha, look.family);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!survive[i]) marks.mark_suspect(rows[i]);
  }
}

SecondAnswer answer_of(const Comparison& c, const Delta& d, bool suspect) {
  switch (d.state) {
    case State::regressed:
      return suspect ? SecondAnswer::undecided : SecondAnswer::confirmed;
    case State::unchanged:
      return d.gate || d.proven || repeats(c, d) ? SecondAnswer::not_confirmed : SecondAnswer::undecided;
    case State::improved:
      return d.gate || has_trials(c, d) ? SecondAnswer::not_confirmed : SecondAnswer::undecided;
    case State::missing:
    case State::added:
    case State::invalid:
    case State::context:
      return SecondAnswer::gone;
    case State::unclassified:
      return d.exceeds || !has_trials(c, d) ? SecondAnswer::undecided : SecondAnswer::not_confirmed;
    case State::inconclusive:
      break;
  }
  return SecondAnswer::undecided;
}

std::vector<SecondAnswer> answers_of(const core::SecondLook& look, const Comparison& c, const core::RowMarks& marks) {
  std::unordered_map<core::Id, std::uint32_t> by_key;
  by_key.reserve(look.rows.size());
  const core::StringPool& pool = c.baseline->pool();
  std::vector<core::Id> keys;
  for (const core::DoubtfulRow& row : look.rows) {
    keys.push_back(pool.find(row.key));
    if (keys.back() != core::kNoId) by_key.emplace(keys.back(), core::kNoRow);
  }
  for (const Delta& d : c.deltas) {
    if (const auto at = by_key.find(d.key); at != by_key.end()) at->second = c.index(d);
  }
  std::vector<SecondAnswer> out;
  for (const core::Id key : keys) {
    const std::uint32_t i = key == core::kNoId ? core::kNoRow : by_key.at(key);
    out.push_back(i == core::kNoRow ? SecondAnswer::gone : answer_of(c, c.deltas[i], marks.suspect(i)));
  }
  return out;
}

}  // namespace plumbline::verdict
