#include "verbs/suite/case_requests.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace plumbline::verbs {

namespace {

bool names_row(const std::string& glob, const core::Measurement& side) {
  return std::any_of(side.rows().begin(), side.rows().end(),
                     [&](const core::Row& row) { return core::glob_match(glob, side.key(row)); });
}

}  // namespace

CaseRequests::CaseRequests(const DiffRequest& request) : request_(request), key_use_(request.flags.key_rules) {
  request_.reports.clear();
  request_.out.reset();
  request_.initial.clear();
}

DiffRequest CaseRequests::request(const std::string& id, const core::Measurement& baseline,
                                  const core::Measurement& current) const {
  DiffRequest out = request_;
  out.flags.key_rules.clear();
  for (const core::KeyRule& rule : request_.flags.key_rules) {
    const auto take = [&](const std::string& glob) {
      if (!names_row(glob, baseline) && !names_row(glob, current)) return;
      core::KeyRule mine = rule;
      mine.glob = glob;
      out.flags.key_rules.push_back(std::move(mine));
      used_.insert(rule.glob);
    };
    take(rule.glob);
    // Case ids may hold colons: each is tried as the end of the case's part.
    for (std::size_t colon = rule.glob.find(':'); colon != std::string::npos; colon = rule.glob.find(':', colon + 1)) {
      if (core::glob_match(rule.glob.substr(0, colon), id)) take(rule.glob.substr(colon + 1));
    }
  }
  return out;
}

Status CaseRequests::check(const core::DiffResult& result) const {
  for (const core::KeyRule& rule : request_.flags.key_rules) {
    if (used_.contains(rule.glob)) continue;
    const core::Measurement* const sides[] = {result.comparison()->baseline, result.comparison()->current};
    FlagRules one;
    one.key_rules.push_back(rule);
    if (auto ok = check_keys(one, sides); !ok) return ok;
  }
  return {};
}

}  // namespace plumbline::verbs
