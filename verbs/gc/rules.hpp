// What a rule of gc keeps, in the words of restic's `forget`: the last N; the newest of each of the last N days, weeks, months
// and years that have any; everything within a time. Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct KeepRules {
  std::uint64_t last = 0, daily = 0, weekly = 0, monthly = 0, yearly = 0, within_days = 0;
  [[nodiscard]] bool empty() const { return last + daily + weekly + monthly + yearly + within_days == 0; }
  [[nodiscard]] std::string text() const;  // "last 10, monthly 12"
};

// --keep RULE and --keep-last N and the like.
[[nodiscard]] Expected<KeepRules> keep_rules(const Arguments& arguments);

// For times from the newest on: why each is kept; no reason, and it goes.
[[nodiscard]] std::vector<std::vector<std::string>> reasons_to_keep(
    const std::vector<std::chrono::system_clock::time_point>& times, const KeepRules& rules,
    std::chrono::system_clock::time_point now);

}  // namespace plumbline::verbs
