// The rules of other systems, reproduced from their own files: one file per system (policies/<system>.cpp), one table of them
// (policies/native_table.cpp). A system says whether it knows the two sides, judges them exactly as its program does, and says
// what that program does not see. Pure like core: paths are texts, nothing is opened.
//
// Two things are made of a report: `native` beside our verdict (verbs/diff.cpp), and the policy of the system's name
// (judge_native), which takes the system's verdict as its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/native/native.hpp"
#include "policies/policy.hpp"

namespace plumbline::policies {

// What the caller asked for. What is not given has the system's own default.
struct NativeOptions {
  std::optional<double> tolerance_percent;                    // --tolerance-percent
  bool strict = false;                                        // the gate of that system's program was asked for
  std::vector<std::pair<std::string, std::string>> settings;  // --native KEY=VALUE, checked against the system's list
  [[nodiscard]] std::optional<std::string_view> setting(std::string_view name) const {
    for (const auto& [key, value] : settings) {
      if (key == name) return value;
    }
    return std::nullopt;
  }
};

// A setting of one system: `--native NAME=VALUE`.
struct NativeSetting {
  std::string_view name, meaning;
};

struct NativeSystem {
  std::string_view name;  // of the policy and of `native.system`
  std::string_view title;
  std::string_view needs;  // "two envelope files (envelope_version v1)": what the policy needs to be asked for
  std::span<const NativeSetting> settings;
  // Whether both sides are files of this system (or what it takes for a run).
  bool (*applies)(const core::Measurement& baseline, const core::Measurement& current) = nullptr;
  // Only asked where applies() holds. Errors are about settings.
  core::Expected<core::NativeReport> (*judge)(const core::Measurement& baseline, const core::Measurement& current,
                                              const NativeOptions& options) = nullptr;
  // Under the policy of its name the rows get the states that the system gives them; null where it knows no rows.
  void (*decide_rows)(const core::NativeReport& report, core::Comparison& comparison) = nullptr;
};
[[nodiscard]] std::span<const NativeSystem> native_systems();
[[nodiscard]] const NativeSystem* find_native_system(std::string_view name);
[[nodiscard]] std::string native_system_names();  // "inferencebench, msmodeling, tensorsharp and spec_decode"

// The report of the system that knows both sides; nullopt when none does. An unknown setting is a usage error.
[[nodiscard]] core::Expected<std::optional<core::NativeReport>> native_report(const core::Measurement& baseline,
                                                                              const core::Measurement& current,
                                                                              const NativeOptions& options);

// The policy of a system's name. JudgeInput::native must be its report.
[[nodiscard]] Judgement judge_native(const JudgeInput& input);

// Reasons that stand beside a verdict which is not that system's: how the two verdicts differ and what theirs misses.
[[nodiscard]] std::vector<core::Reason> native_reasons(const core::NativeReport& report, core::Verdict ours);

}  // namespace plumbline::policies
