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

// Which of several entries was measured on a machine like this one: a registry that several hosts share has entries of each. From
// near to far; fingerprints tell machines of one class apart, where both sides have one.
enum class HostMatch : std::uint8_t { same_fingerprint, same_class, not_known, other_class };
// By environment.host_class, else environment.host_label, and by environment.host_fingerprint, else hardware.fingerprint: of each
// the first that both know. What `varying` names is not known.
[[nodiscard]] HostMatch host_match(const Context& baseline, const Context& current, std::span<const std::string> varying_globs);
// Whether any of these keys is known and not declared; else no host can be preferred.
[[nodiscard]] bool knows_host(const Context& context, std::span<const std::string> varying_globs);
// `"a" there, "b" here`: of two contexts that match as other_class.
[[nodiscard]] std::string hosts_text(const Context& baseline, const Context& current);

}  // namespace plumbline::core
