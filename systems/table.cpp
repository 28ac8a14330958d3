#include "systems/table.hpp"

#include "core/citing.hpp"
#include "core/text.hpp"
#include "systems/inferencebench/system.hpp"
#include "systems/msmodeling/system.hpp"
#include "systems/spec_decode/system.hpp"
#include "systems/tensorsharp/system.hpp"

namespace plumbline::systems {

namespace {

// One line per system.
constexpr const System* kTable[] = {
    &inferencebench::kSystem,
    &msmodeling::kSystem,
    &tensorsharp::kSystem,
    &spec_decode::kSystem,
};

constexpr const formats::Format* kReaders[] = {
    &spec_decode::kBaselineFormat, &spec_decode::kRunFormat,      &inferencebench::kEnvelopeFormat, &msmodeling::kCaseFormat,
    &msmodeling::kTableFormat,     &tensorsharp::kBaselineFormat, &tensorsharp::kResultsFormat,
};

core::Status check_settings(const System& system, const Options& options) {
  for (const auto& [name, value] : options.settings) {
    bool known = false;
    std::vector<std::string_view> names;
    std::vector<std::string> all;
    for (const Setting& setting : system.settings) {
      known = known || setting.name == name;
      names.push_back(setting.name);
      all.emplace_back(setting.name);
    }
    if (known) continue;
    const std::string_view near = core::nearest(name, names);
    return core::fail(core::ErrorCode::usage, "--native: " + std::string(system.name) + " has no setting " + core::cited(name),
                      all.empty()     ? std::string(system.name) + " has no settings"
                      : !near.empty() ? "did you mean " + std::string(near) + "?"
                                      : "its settings are " + core::listed(all, all.size()));
  }
  return {};
}

}  // namespace

std::span<const System* const> table() { return kTable; }
std::span<const formats::Format* const> readers() { return kReaders; }

void retell(core::Measurement& measurement, const formats::Format& format, const formats::Input& input) {
  for (const System* system : kTable) {
    if (system->retell != nullptr) system->retell(measurement, format, input);
  }
}

std::string names() {
  std::vector<std::string> names;
  for (const System* system : kTable) names.emplace_back(system->name);
  return core::listed(names, names.size());
}

const System* find(std::string_view name) {
  for (const System* system : kTable) {
    if (system->name == name) return system;
  }
  return nullptr;
}

core::Expected<std::optional<core::NativeReport>> report_of(const core::Measurement& baseline, const core::Measurement& current,
                                                            const Options& options) {
  for (const System* system : kTable) {
    if (!system->applies(baseline, current)) continue;
    if (auto ok = check_settings(*system, options); !ok) return core::fail(ok.error());
    auto report = system->judge(baseline, current, options);
    if (!report) return core::fail(report.error());
    report->printer = system->printer;
    return std::optional<core::NativeReport>(std::move(*report));
  }
  return std::optional<core::NativeReport>();
}

std::shared_ptr<const core::SuiteReport> cases_of(const core::Comparison& comparison, const core::RowMarks& marks,
                                                  const core::NativeReport* report) {
  for (const System* system : kTable) {
    if (system->cases == nullptr) continue;
    if (auto cases = system->cases(comparison, marks, report)) return cases;
  }
  return nullptr;
}

std::optional<RunProblem> run_problem(const core::Measurement& run) {
  for (const System* system : kTable) {
    if (system->run_problem == nullptr) continue;
    if (auto problem = system->run_problem(run)) return problem;
  }
  return std::nullopt;
}

std::optional<std::string> skipped(const core::Measurement& result) {
  for (const System* system : kTable) {
    if (system->skipped == nullptr) continue;
    if (auto why = system->skipped(result)) return why;
  }
  return std::nullopt;
}

}  // namespace plumbline::systems
