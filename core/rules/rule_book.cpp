#include "core/rules/rule_book.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::core {

RuleBook::RuleBook(const CompareRules& rules, const StringPool& pool, std::vector<Tolerance>& tolerances) {
  tolerances.push_back(rules.default_tolerance);
  order_.reserve(rules.key_rules.size());
  for (const KeyRule& rule : rules.key_rules) order_.push_back({&rule, 0, 0});
  std::stable_sort(order_.begin(), order_.end(), [](const Ranked& a, const Ranked& b) {
    if (a.rule->source != b.rule->source) return a.rule->source < b.rule->source;
    return glob_specificity(a.rule->glob) > glob_specificity(b.rule->glob);
  });
  for (std::size_t i = 0; i < order_.size(); ++i) {
    Ranked& ranked = order_[i];
    if (ranked.rule->tolerance) {
      ranked.tolerance = static_cast<std::uint32_t>(tolerances.size());
      tolerances.push_back(*ranked.rule->tolerance);
    }
    if (ranked.rule->glob.find_first_of("*?") == std::string::npos) {
      const Id id = pool.find(ranked.rule->glob);
      if (id != kNoId) exact_[id].push_back(static_cast<std::uint32_t>(i));
    } else {
      globs_.push_back(static_cast<std::uint32_t>(i));
    }
  }
}

Resolved RuleBook::resolve(Id key, std::string_view text) {
  Resolved out;
  matched_.clear();
  if (const auto it = exact_.find(key); it != exact_.end()) matched_ = it->second;
  for (const std::uint32_t i : globs_) {
    if (glob_match(order_[i].rule->glob, text)) matched_.push_back(i);
  }
  std::sort(matched_.begin(), matched_.end());  // index order is strength order
  for (const std::uint32_t i : matched_) {
    Ranked& ranked = order_[i];
    ++ranked.uses;
    const KeyRule* rule = ranked.rule;
    if (rule->tolerance && out.tolerance_rule == nullptr) {
      out.tolerance = ranked.tolerance;
      out.tolerance_rule = rule;
    }
    if (rule->direction && out.direction == nullptr) out.direction = rule;
    if (rule->unit && out.unit == nullptr) out.unit = rule;
    if (rule->headline && out.headline == nullptr) out.headline = rule;
    if (rule->gate && out.gate == nullptr) out.gate = rule;
  }
  return out;
}

void RuleBook::report_unused(std::vector<Warning>& warnings) const {
  for (const Ranked& ranked : order_) {
    // A project file's rules speak for many measurements; a flag that matches nothing is most likely a slip.
    if (ranked.uses > 0 || (ranked.rule->source != Source::flag && ranked.rule->source != Source::entry)) continue;
    warnings.push_back({"rule_matches_nothing",
                        "no key matches " + cited(ranked.rule->glob) + " (" +
                            (ranked.rule->note.empty() ? std::string(to_string(ranked.rule->source)) : ranked.rule->note) + ")"});
  }
}

}  // namespace plumbline::core
