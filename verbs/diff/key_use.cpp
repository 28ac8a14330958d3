#include "verbs/diff/key_use.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/calling/wording.hpp"

namespace plumbline::verbs {

namespace {

// Case ids may hold colons: each is tried as the end of the case's part.
bool names(const std::string& glob, std::string_view case_id, std::string_view key) {
  if (core::glob_match(glob, key)) return true;
  if (case_id.empty()) return false;
  for (std::size_t colon = glob.find(':'); colon != std::string::npos; colon = glob.find(':', colon + 1)) {
    if (core::glob_match(std::string_view(glob).substr(0, colon), case_id) &&
        core::glob_match(std::string_view(glob).substr(colon + 1), key))
      return true;
  }
  return false;
}

core::Role role_of(const core::Comparison& comparison, const core::Delta& delta) {
  return comparison.side(delta).metric_class(*comparison.row(delta)).role;
}

std::string rows_text(std::uint64_t count) { return count == 1 ? "1 row" : "all " + std::to_string(count) + " rows"; }

}  // namespace

KeyUse::KeyUse(const std::vector<core::KeyRule>& rules) {
  for (const core::KeyRule& rule : rules) {
    Key key;
    key.flag = rule.note;
    key.glob = rule.glob;
    key.direction = rule.direction.has_value();
    key.judges = key.direction || rule.headline.has_value();
    keys_.push_back(std::move(key));
  }
}

void KeyUse::see(const core::Comparison& comparison, std::string_view case_id) {
  const core::StringPool& pool = comparison.baseline->pool();
  for (Key& key : keys_) {
    for (const core::Delta& delta : comparison.deltas) {
      const std::string_view name = pool.view(delta.key);
      if (!names(key.glob, case_id, name)) continue;
      if (delta.state != core::State::context) {
        ++key.judged;
        continue;
      }
      const core::Role role = role_of(comparison, delta);
      ++(role == core::Role::context ? key.context : role == core::Role::noise ? key.noise : key.empty);
      if (key.first.empty()) key.first = (case_id.empty() ? std::string() : std::string(case_id) + ":") + std::string(name);
    }
  }
}

std::vector<core::Warning> KeyUse::warnings() const {
  std::vector<core::Warning> out;
  for (const Key& key : keys_) {
    const std::uint64_t all = key.context + key.noise + key.empty;
    if (key.judged > 0 || all == 0) continue;
    const bool glob = key.glob.find_first_of("*?") != std::string::npos;
    std::string why = key.noise == all                   ? "a measure of noise"
                      : key.empty == all                 ? "without a number on both sides"
                      : key.empty == 0 && key.noise == 0 ? "context by name or format"
                                                         : "context, noise or without a number";
    std::string message = key.flag + ": " + cited(key.glob) + " has no effect: ";
    message += (glob ? rows_text(all) + " that it matches " + (all == 1 ? "is " : "are ") : std::string("its row is ")) + why;
    message += " and not judged";
    if (glob) message += (all == 1 ? ": " : ", first ") + cited(key.first);
    // A glob of directions or headlines leaves context alone, for it may take in more than was meant.
    if (key.context > 0 && (glob || !key.judges))
      message +=
          "; `--direction " + core::cited_path(key.first) + "=DIR` makes " + (glob && all > 1 ? "that row" : "it") + " judged";
    out.push_back({"key_not_judged", std::move(message)});
  }
  return out;
}

std::vector<core::Warning> keys_without_effect(const std::vector<core::KeyRule>& rules, std::string_view policy) {
  std::vector<std::string> flags;
  for (const core::KeyRule& rule : rules) {
    std::string flag = rule.note + " " + core::cited(rule.glob);
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) flags.push_back(std::move(flag));
  }
  if (flags.empty()) return {};
  const bool one = flags.size() == 1;
  return {{"key_not_judged", core::listed(flags) + (one ? " has" : " have") + " no effect: the policy " + std::string(policy) +
                                 " judges by that system's own rules"}};
}

}  // namespace plumbline::verbs
