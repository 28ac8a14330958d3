// Another system that has a baseline and a verdict of its own: what it is called, how it judges two of its files, how it prints
// that, and what becomes a baseline file of it. One folder a system (systems/<system>/: the model of its files, their readers,
// its rule, its printer, its exporter), each of which defines its System; systems/table.hpp has them all. Pure like core: paths
// are texts, nothing is opened.
//
// A system says whether it knows the two sides, judges them exactly as its program does, and says what that program does not
// see. Two things are made of its report: `native` beside our verdict, and the policy of the system's name (verdict/native.hpp),
// which takes the system's verdict as its own.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/comparison.hpp"
#include "core/error.hpp"
#include "core/native.hpp"
#include "core/results/suite.hpp"
#include "core/row_marks.hpp"
#include "formats/format.hpp"

namespace plumbline::systems {

struct Exporter;  // systems/exporter.hpp

// What the caller asked for. What is not given has the system's own default.
struct Options {
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
struct Setting {
  std::string_view name, meaning;
};

// What a run says against itself, in its own words: "exit 124".
struct RunProblem {
  std::string case_id;  // of a run of several cases, else ""
  std::string why;
};

struct System {
  std::string_view name;  // of the policy and of `native.system`
  std::string_view title;
  std::string_view needs;  // "two envelope files (envelope_version v1)": what the policy needs to be asked for
  std::span<const Setting> settings = {};
  // Whether both sides are files of this system (or what it takes for a run).
  bool (*applies)(const core::Measurement& baseline, const core::Measurement& current) = nullptr;
  // Only asked where applies() holds. Errors are about settings.
  core::Expected<core::NativeReport> (*judge)(const core::Measurement& baseline, const core::Measurement& current,
                                              const Options& options) = nullptr;
  // Under the policy of its name the rows get the states that the system gives them: the last step of comparing them.
  core::Comparison (*decide_rows)(const core::NativeReport& report, core::Comparison comparison) = nullptr;
  const core::NativePrinter* printer = nullptr;
  const Exporter* exporter = nullptr;  // null where it has no baseline file that is reviewed and refreshed

  // Tells a measurement of a format in formats/ in the system's terms as well, where it is one of its runs; null where there is
  // none.
  void (*retell)(core::Measurement& measurement, const formats::Format& format, const formats::Input& input) = nullptr;

  // Where one file or folder of the system holds many cases; null for the others.
  // The cases of two sides, as those of a suite; null where the sides are no such files.
  std::shared_ptr<const core::SuiteReport> (*cases)(const core::Comparison& comparison, const core::RowMarks& marks,
                                                    const core::NativeReport* report) = nullptr;
  // Why a run is nothing to expect anything of; nullopt where nothing speaks against it.
  std::optional<RunProblem> (*run_problem)(const core::Measurement& run) = nullptr;
  // What a result says that was never run, "" where it gives no reason; nullopt where it was run.
  std::optional<std::string> (*skipped)(const core::Measurement& result) = nullptr;
};

}  // namespace plumbline::systems
