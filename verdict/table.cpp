#include <array>
#include <vector>

#include "core/text.hpp"
#include "systems/reference/perfbench_rules.hpp"
#include "verdict/native.hpp"
#include "verdict/plumbline.hpp"
#include "verdict/policy.hpp"
#include "verdict/reference.hpp"

namespace plumbline::verdict {

namespace {
constexpr std::array<Policy, 6> kTable = {{
    {"plumbline", "three-way rows, suspects, headline and gates; the default", &decide_plumbline, &judge_plumbline, true},
    {"reference", "the Python tool's rule: one direction, one tolerance, counts of rows", &decide_by_reference, &judge_reference},
    {"inferencebench", "that tool's diff of two envelopes", &decide_by_native, &judge_native},
    {"msmodeling", "that tool's checks of a case against a simulator run", &decide_by_native, &judge_native},
    {"tensorsharp", "that project's regression analysis of a result folder against its baseline", &decide_by_native,
     &judge_native},
    {"spec_decode", "the bands of the vLLM RFC on speculative decoding", &decide_by_native, &judge_native},
}};
}  // namespace

std::span<const Policy> table() { return kTable; }

std::vector<std::string_view> policy_choices() {
  std::vector<std::string_view> names;
  for (const Policy& policy : kTable) names.push_back(policy.name);
  return names;
}

std::string policy_names() {
  std::vector<std::string> names;
  for (const Policy& policy : kTable) names.emplace_back(policy.name);
  return core::listed(names, names.size());
}

const Policy* find(std::string_view name) {
  for (const Policy& policy : kTable) {
    if (policy.name == name) return &policy;
  }
  return nullptr;
}

std::optional<core::DeclaredRules> declared_rules(std::string_view format) {
  if (format == "inference_perfbench_v1") return systems::reference::perfbench_rules();
  return std::nullopt;
}

}  // namespace plumbline::verdict
