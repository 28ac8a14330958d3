#include "core/context.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::core {
namespace {

constexpr std::array<std::string_view, 8> kGroups = {"identity", "parallelism", "serving",  "workload",
                                                     "regime",   "stack",       "hardware", "environment"};

struct Rule {
  std::string_view glob;
  Severity severity;
};

// The first match decides. Fatal: the two sides did different work or did it on different machines. Weakening: the same
// work, done by something else. Informative: who and where.
constexpr auto kRules = std::to_array<Rule>({
    // what was run
    {"identity.model", Severity::fatal},
    {"identity.model_id", Severity::fatal},
    {"identity.quantization", Severity::fatal},
    {"identity.quantization_format", Severity::fatal},
    {"identity.weight_dtype", Severity::fatal},
    {"identity.kv_cache_dtype", Severity::fatal},
    {"identity.draft_model", Severity::fatal},
    {"identity.benchmark", Severity::fatal},
    {"identity.suite*", Severity::fatal},
    {"identity.label", Severity::informative},
    {"identity.name", Severity::informative},
    {"identity.*", Severity::weakening},
    // on what load
    {"workload.collective", Severity::fatal},
    {"workload.operation", Severity::fatal},
    {"workload.dtype", Severity::fatal},
    {"workload.redop", Severity::fatal},
    {"workload.dataset*", Severity::fatal},
    {"workload.isl", Severity::fatal},
    {"workload.osl", Severity::fatal},
    {"workload.input_len*", Severity::fatal},
    {"workload.output_len*", Severity::fatal},
    {"workload.concurrency", Severity::fatal},
    {"workload.max_concurrency", Severity::fatal},
    {"workload.request_rate", Severity::fatal},
    {"workload.*batch_size", Severity::fatal},
    {"workload.message_size*", Severity::fatal},
    {"workload.shape", Severity::fatal},
    {"workload.*", Severity::weakening},
    {"parallelism.*", Severity::fatal},
    {"serving.engine", Severity::fatal},
    {"serving.backend", Severity::fatal},
    {"serving.*", Severity::weakening},
    {"regime.*", Severity::weakening},
    {"stack.*", Severity::weakening},
    // on what machine
    {"hardware.gpu", Severity::fatal},
    {"hardware.gpu_name", Severity::fatal},
    {"hardware.gpu_count", Severity::fatal},
    {"hardware.gpu_memory*", Severity::weakening},
    {"hardware.nodes", Severity::fatal},
    {"hardware.node_count", Severity::fatal},
    {"hardware.driver*", Severity::weakening},
    {"hardware.cuda*", Severity::weakening},
    {"hardware.nccl*", Severity::weakening},
    {"hardware.rocm*", Severity::weakening},
    {"hardware.cpu*", Severity::weakening},
    {"hardware.interconnect", Severity::weakening},
    {"hardware.power*", Severity::weakening},
    {"hardware.clock*", Severity::weakening},
    {"environment.hostname", Severity::informative},
});

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

// A clock is read while it moves: 1980 and 1965 MHz are one setting. Values in one unit, within 1 % of the larger.
bool is_same_clock(std::string_view key, std::string_view a, std::string_view b) {
  constexpr double kSame = 0.01;
  constexpr auto kClocks = std::to_array<std::string_view>({"*clock*", "*mhz*", "*freq*"});
  if (std::none_of(kClocks.begin(), kClocks.end(), [&](std::string_view glob) { return glob_match(glob, key); })) return false;
  double x = 0;
  double y = 0;
  const auto after_x = std::from_chars(a.data(), a.data() + a.size(), x);
  const auto after_y = std::from_chars(b.data(), b.data() + b.size(), y);
  if (after_x.ec != std::errc() || after_y.ec != std::errc()) return false;
  const std::string_view unit(after_x.ptr, static_cast<std::size_t>(a.data() + a.size() - after_x.ptr));
  if (unit != std::string_view(after_y.ptr, static_cast<std::size_t>(b.data() + b.size() - after_y.ptr))) return false;
  return std::fabs(x - y) <= kSame * std::max(std::fabs(x), std::fabs(y)) * (1 + 1e-12);
}

using HostKeys = std::array<const char*, 2>;
constexpr HostKeys kHostClass = {"environment.host_class", "environment.host_label"};
constexpr HostKeys kHostFingerprint = {"environment.host_fingerprint", "hardware.fingerprint"};

bool is_declared(std::string_view key, std::span<const std::string> varying_globs) {
  return std::any_of(varying_globs.begin(), varying_globs.end(), [&](const std::string& glob) { return glob_match(glob, key); });
}

// The first key that both know; "" for none.
std::string shared_key(const HostKeys& keys, const Context& baseline, const Context& current,
                       std::span<const std::string> varying_globs) {
  for (const char* key : keys) {
    if (baseline.contains(key) && current.contains(key) && !is_declared(key, varying_globs)) return key;
  }
  return {};
}

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::informative:
      return "informative";
    case Severity::weakening:
      return "weakening";
    case Severity::fatal:
      return "fatal";
  }
  return "informative";
}

Severity context_severity(std::string_view key) {
  for (const Rule& rule : kRules) {
    if (glob_match(rule.glob, key)) return rule.severity;
  }
  return Severity::informative;  // hardware and environment keys that no rule names
}

std::span<const std::string_view> context_groups() { return kGroups; }

bool is_context_key(std::string_view key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos || dot + 1 == key.size()) return false;
  const std::string_view name = key.substr(dot + 1);
  return std::find(kGroups.begin(), kGroups.end(), key.substr(0, dot)) != kGroups.end() &&
         std::all_of(name.begin(), name.end(), is_key_character);
}

std::vector<ContextDifference> context_differences(const Context& baseline, const Context& current,
                                                   std::span<const std::string> varying_globs) {
  std::vector<ContextDifference> differences;
  const auto add = [&](ContextDifference difference) {
    difference.declared = is_declared(difference.key, varying_globs);
    differences.push_back(std::move(difference));
  };
  auto left = baseline.begin();
  auto right = current.begin();
  while (left != baseline.end() || right != current.end()) {
    if (right == current.end() || (left != baseline.end() && left->first < right->first)) {
      add({.key = left->first, .baseline = left->second, .current = {}, .current_known = false});
      ++left;
    } else if (left == baseline.end() || right->first < left->first) {
      add({.key = right->first, .baseline = {}, .current = right->second, .baseline_known = false});
      ++right;
    } else {
      if (left->second != right->second && !is_same_clock(left->first, left->second, right->second)) {
        add({.key = left->first, .baseline = left->second, .current = right->second, .severity = context_severity(left->first)});
      }
      ++left;
      ++right;
    }
  }
  return differences;
}

HostMatch host_match(const Context& baseline, const Context& current, std::span<const std::string> varying_globs) {
  const auto same_at = [&](const std::string& key) { return baseline.find(key)->second == current.find(key)->second; };
  const std::string of_class = shared_key(kHostClass, baseline, current, varying_globs);
  const std::string of_machine = shared_key(kHostFingerprint, baseline, current, varying_globs);
  const bool same_machine = !of_machine.empty() && same_at(of_machine);
  if (of_class.empty()) return same_machine ? HostMatch::same_fingerprint : HostMatch::not_known;
  if (!same_at(of_class)) return HostMatch::other_class;
  return same_machine ? HostMatch::same_fingerprint : HostMatch::same_class;
}

bool knows_host(const Context& context, std::span<const std::string> varying_globs) {
  const auto known = [&](const char* key) { return context.contains(key) && !is_declared(key, varying_globs); };
  return std::any_of(kHostClass.begin(), kHostClass.end(), known) ||
         std::any_of(kHostFingerprint.begin(), kHostFingerprint.end(), known);
}

std::string hosts_text(const Context& baseline, const Context& current) {
  const std::string key = shared_key(kHostClass, baseline, current, {});
  if (key.empty()) return {};
  return cited(baseline.find(key)->second) + " there, " + cited(current.find(key)->second) + " here";
}

}  // namespace plumbline::core
