#include <vector>

#include "core/text.hpp"
#include "systems/reference/perfbench_rules.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verdict {

#define POLICY(name) extern const Policy name##_policy;
#include "verdict/policies.inc"
#undef POLICY

namespace {
#define POLICY(name) &name##_policy,
constexpr const Policy* kTable[] = {
#include "verdict/policies.inc"
};
#undef POLICY
}  // namespace

std::span<const Policy* const> table() { return kTable; }

std::vector<std::string_view> policy_choices() {
  std::vector<std::string_view> names;
  for (const Policy* policy : kTable) names.push_back(policy->name);
  return names;
}

std::string policy_names() {
  std::vector<std::string> names;
  for (const Policy* policy : kTable) names.emplace_back(policy->name);
  return core::listed(names, names.size());
}

const Policy* find(std::string_view name) {
  for (const Policy* policy : kTable) {
    if (policy->name == name) return policy;
  }
  return nullptr;
}

std::optional<core::DeclaredRules> declared_rules(std::string_view format) {
  if (format == "inference_perfbench_v1") return systems::reference::perfbench_rules();
  return std::nullopt;
}

}  // namespace plumbline::verdict
