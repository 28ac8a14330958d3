// The full-context descriptor and its differences. Severity is a table by key: a different collective or dtype makes a
// comparison meaningless (fatal), a different driver weakens it, a different host name is for information.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::core {

enum class Severity : std::uint8_t { informative, weakening, fatal };
[[nodiscard]] std::string_view to_string(Severity severity);
// Keys are "group.key"; unknown keys: identity, parallelism, serving, workload, regime -> weakening, others informative.
[[nodiscard]] Severity context_severity(std::string_view key);
[[nodiscard]] std::span<const std::string_view> context_groups();
// "hardware.gpu" is well-formed when its group is one of context_groups() and its key matches [A-Za-z0-9_.-]+.
[[nodiscard]] bool is_context_key(std::string_view key);

struct ContextDifference {
  std::string key;
  std::string baseline, current;  // "" when a side does not say
  bool baseline_known = true, current_known = true;
  Severity severity = Severity::informative;
  bool declared = false;  // named by --varying: no warning, no effect
};

// Every key that differs, in key order. A key that only one side knows is a difference of severity informative. Clocks within 1 %
// of each other are no difference.
[[nodiscard]] std::vector<ContextDifference> context_differences(const Context& baseline, const Context& current,
                                                                 std::span<const std::string> varying_globs);

}  // namespace plumbline::core
