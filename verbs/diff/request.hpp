// What a diff was asked, checked before any file is opened: flags as typed rules, and the current side's sources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tolerance.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct DiffRequest {
  std::string root, reference, initial;
  std::vector<std::string> current;
  FlagRules flags;
  std::optional<core::Tolerance> tolerance, initial_tolerance;  // of all rows
  std::optional<double> tolerance_absolute;
  double alpha = 0.05;
  bool paired = false;  // the i-th trials of the two sides belong together
  std::optional<std::string> policy;
  std::vector<std::pair<std::string, std::string>> native;  // --native KEY=VALUE
  std::vector<std::string> fail_on;
  bool strict = false;
};

[[nodiscard]] Expected<DiffRequest> parse_diff(const Arguments& arguments, const Context& context);

// The sources of --current; a folder of trials (--as trials) stands for its files.
[[nodiscard]] Expected<std::vector<intake::Opened>> load_current(const DiffRequest& request, const Arguments& arguments,
                                                                 const Context& context);

}  // namespace plumbline::verbs
