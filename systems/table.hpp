// Every other system, and what is asked of all of them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/format.hpp"
#include "systems/system.hpp"

namespace plumbline::systems {

[[nodiscard]] std::span<const System* const> table();
[[nodiscard]] const System* find(std::string_view name);
[[nodiscard]] std::string names();  // "inferencebench, msmodeling, tensorsharp and spec_decode"

// The readers of their files, in the order of docs/formats.md, for formats::joined.
[[nodiscard]] std::span<const formats::Format* const> readers();
// What formats/ reads and is a run of a system as well is told in its terms, for formats::ReadOptions.
void retell(core::Measurement& measurement, const formats::Format& format, const formats::Input& input);

// The report of the system that knows both sides; nullopt when none does. An unknown setting is a usage error.
[[nodiscard]] core::Expected<std::optional<core::NativeReport>> report_of(const core::Measurement& baseline,
                                                                          const core::Measurement& current,
                                                                          const Options& options);

// Of whichever system it concerns: see System.
[[nodiscard]] std::shared_ptr<const core::SuiteReport> cases_of(const core::Comparison& comparison, const core::RowMarks& marks,
                                                                const core::NativeReport* report);
[[nodiscard]] std::optional<RunProblem> run_problem(const core::Measurement& run);
[[nodiscard]] std::optional<std::string> skipped(const core::Measurement& result);

}  // namespace plumbline::systems
