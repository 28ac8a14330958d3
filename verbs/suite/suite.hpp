// Suites: a folder of baselines (or a family of the registry) against a folder of results. Each case is compared by the path of a
// single diff, which the caller hands in; the suite pairs the files, says what has no partner, and adds the cases up to one
// verdict, one comparison (every row, with its case before its key) and one report.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/diff.hpp"
#include "core/results/suite.hpp"
#include "verbs/diff/request.hpp"
#include "verbs/resolving/baseline_side.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

// What both sides of a suite are, before any file of them is read as a measurement.
struct SuiteInput {
  const intake::Opened* current = nullptr;  // the folder of results
  std::optional<intake::Opened> baseline;   // a folder of baseline files, or
  std::string family;                       // a family of the registry
  std::string baseline_path;                // what is said of it
  std::vector<std::string> shards = {};     // folders that the results were united of (shards.hpp)
};

// What the cases share, and how one pair of them becomes a result (no bundle, no gate).
struct SuiteTools {
  const Context& context;
  const registry::Store& store;
  std::shared_ptr<core::StringPool> pool;
  ReadingRules reading;
  std::string format;  // --format
  std::function<Expected<core::DiffResult>(const std::string& id, Baseline& baseline, std::vector<intake::Opened> sources,
                                           std::shared_ptr<const core::Measurement> current)>
      compare;
  // What another system says of a pair that ours finds nothing to compare in; null for most. May be empty.
  std::function<std::shared_ptr<const core::NativeReport>(const core::Measurement& baseline, const core::Measurement& current)>
      native = {};
  std::vector<std::string> varying = {};  // --varying: a family's entries may differ in these
  core::Context stated = {};              // --context: what the results do not say of themselves
  std::string tier = {};                  // of plumbline.yaml, and the cases that it asks for, as globs; none: all of them
  std::vector<std::string> cases = {};
};

// The question as one of suites; nullopt when it is none. `sources` are the current side's and must outlive the answer.
[[nodiscard]] Expected<std::optional<SuiteInput>> suite_input(const std::string& reference, const std::string& format,
                                                              const std::vector<intake::Opened>& sources,
                                                              const registry::Store& store, const Context& context);

// The suite's result: verdict, reasons, counts, rows and `suite`; sides' paths and digests are filled, the rest is the caller's.
[[nodiscard]] Expected<core::DiffResult> compare_suite(const SuiteInput& input, const SuiteTools& tools);

// A folder of baselines against one measurement: the baseline file that fits it (one per host). The reference itself where it
// is no such folder.
[[nodiscard]] Expected<std::string> baseline_in_folder(const std::string& reference, const core::Measurement& current,
                                                       const std::string& current_name, const SuiteTools& tools,
                                                       std::vector<core::Warning>& warnings);

// A run that broke is no baseline, however it compares: nothing judged has a number, or a count of failures is not zero. "" for a
// run that did not.
[[nodiscard]] std::string run_problem(const core::Measurement& measurement);

// The same comparison for verbs that act on its cases (record --as suite): nothing is written. Defined beside diff.
[[nodiscard]] Expected<core::DiffResult> diff_suite(const DiffRequest& request, const Context& context, const SuiteInput& input);

// A folder that is one measurement of many cells against one file that holds an entry for each (TensorSharp's matrix). Its
// `suite` is null where the two are no such thing; rows are left out. Nothing is written. Defined beside diff.
[[nodiscard]] Expected<core::DiffResult> diff_cells(const DiffRequest& request, const Context& context);

}  // namespace plumbline::verbs
