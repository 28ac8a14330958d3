#include <array>

#include "core/text.hpp"
#include "policies/inferencebench.hpp"
#include "policies/msmodeling.hpp"
#include "policies/native.hpp"
#include "policies/spec_decode.hpp"
#include "policies/tensorsharp.hpp"

namespace plumbline::policies {

namespace {

// One line per system.
const auto& systems() {
  static const std::array kSystems = {
      inferencebench_system(),
      msmodeling_system(),
      tensorsharp_system(),
      spec_decode_system(),
  };
  return kSystems;
}

core::Status check_settings(const NativeSystem& system, const NativeOptions& options) {
  for (const auto& [name, value] : options.settings) {
    bool known = false;
    std::vector<std::string_view> names;
    std::vector<std::string> all;
    for (const NativeSetting& setting : system.settings) {
      known = known || setting.name == name;
      names.push_back(setting.name);
      all.emplace_back(setting.name);
    }
    if (known) continue;
    const std::string_view near = core::nearest(name, names);
    return core::fail(core::ErrorCode::usage, "--native: " + std::string(system.name) + " has no setting " + core::quoted(name),
                      all.empty()     ? std::string(system.name) + " has no settings"
                      : !near.empty() ? "did you mean " + std::string(near) + "?"
                                      : "its settings are " + core::listed(all, all.size()));
  }
  return {};
}

}  // namespace

std::span<const NativeSystem> native_systems() { return systems(); }

std::string native_system_names() {
  std::vector<std::string> names;
  for (const NativeSystem& system : native_systems()) names.emplace_back(system.name);
  return core::listed(names, names.size());
}

const NativeSystem* find_native_system(std::string_view name) {
  for (const NativeSystem& system : systems()) {
    if (system.name == name) return &system;
  }
  return nullptr;
}

core::Expected<std::optional<core::NativeReport>> native_report(const core::Measurement& baseline,
                                                                const core::Measurement& current, const NativeOptions& options) {
  for (const NativeSystem& system : systems()) {
    if (!system.applies(baseline, current)) continue;
    if (auto ok = check_settings(system, options); !ok) return core::fail(ok.error());
    auto report = system.judge(baseline, current, options);
    if (!report) return core::fail(report.error());
    return std::optional<core::NativeReport>(std::move(*report));
  }
  return std::optional<core::NativeReport>();
}

}  // namespace plumbline::policies
