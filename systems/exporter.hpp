// Other systems' own baseline files from what is measured or recorded here: one exporter per system that has such files
// (systems/<system>/exporter.cpp). An exporter takes what passed, says what it left out, and refuses to write down as expected
// what fails against the file that it replaces, unless there is a reason. It opens and writes no file: the verb does
// (verbs/export/export.cpp), which also takes suites apart, case by case (verbs/export/suite.cpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/measurement.hpp"
#include "core/results/baseline.hpp"

namespace plumbline::systems {

struct ExportSource {
  const core::Measurement* measurement = nullptr;
  const core::BaselineRecord* record = nullptr;  // of an entry; null for a file or folder
  std::string path;
  std::string run_problem;  // why the run is nothing to expect anything of; "" where nothing speaks against it
};

struct ExportOptions {
  std::string host_label, captured_at, reason;
  std::optional<std::string> commit, notes;
};

struct Exported {
  std::string text;                                           // the file, byte for byte
  std::string file_name;                                      // what that system calls it
  std::uint64_t written = 0;                                  // cases or operators
  std::vector<std::pair<std::string, std::string>> left_out;  // case and why
  std::vector<core::Warning> warnings;
};

struct Exporter {
  std::string_view name;   // of --as
  std::string_view takes;  // "a folder of results, a baseline file or an entry of either"
  // `refreshed` is the file given with --refresh, or null.
  core::Expected<Exported> (*write)(const ExportSource& source, const core::Measurement* refreshed,
                                    const ExportOptions& options) = nullptr;
  // Where one file holds all cases: the cases of a suite as one measurement, without those that are no files of that system
  // (an empty one when none is). Null where every case has a file of its own.
  core::Measurement (*join)(std::span<const core::Measurement* const> cases) = nullptr;
};

// What a file calls itself as the name of one: no folder of it, no hidden file.
[[nodiscard]] std::string as_file_name(std::string_view name);

// "this is format X, not …": when the source is no file of the exporter's system.
[[nodiscard]] core::Error not_exportable(const Exporter& exporter, const ExportSource& source);

}  // namespace plumbline::systems
