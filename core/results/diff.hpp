// What `diff` ends in. The row list itself is the Comparison (core/comparison.hpp), borrowed.
#pragma once

#include <memory>

#include "core/comparison.hpp"
#include "core/results/common.hpp"
#include "core/row_marks.hpp"
#include "core/speed_of_light.hpp"

namespace plumbline::core {

struct ProfileDiff;  // core/results/profile_diff.hpp

struct DiffSide {
  std::string path;  // entry directory or file, absolute
  std::string label;
  std::string slug;          // of a registry entry, else ""
  std::string sha256;        // of the source (a folder: the reference tool's digest)
  std::string entry_sha256;  // bundle id of the entry, else ""
  FormatInfo format;
  std::uint32_t trials = 1;
};

struct NativeReport;  // core/native.hpp
struct SuiteReport;   // core/results/suite.hpp

struct DiffResult {
  std::string family, measurement;
  DiffSide baseline, current;
  std::optional<DiffSide> initial;  // --initial
  Shape shape = Shape::structured;
  std::string policy = "plumbline";
  Direction direction = Direction::unknown;  // of the scalar or the whole; `unknown` prints as "auto" for structured shapes
  double tolerance_percent = 5;
  std::optional<double> tolerance_absolute;
  Verdict verdict = Verdict::green;
  Tier tier = Tier::draft;
  std::vector<std::string> promote;
  std::vector<Reason> reasons;  // in order of weight
  Counts counts;
  Context baseline_context, current_context;
  std::vector<ContextDifference> context_differences;
  std::vector<SolLine> sol;
  Recommendation recommendation;
  std::optional<NextLever> next_lever;
  std::vector<Warning> warnings;
  std::shared_ptr<const Comparison> comparison;  // null for captures
  RowMarks marks;                                // of its rows
  std::vector<std::uint32_t>
      order;  // the first 1000 delta indices as deltas_top20 wants them: adverse first, worst first, then by size
  std::shared_ptr<const ProfileDiff> profile;  // for captures
  std::shared_ptr<const NativeReport> native;  // what another system says of its own files; null for most
  std::shared_ptr<const SuiteReport> suite;    // a folder of baselines against a folder of results; null for most
  bool all_rows = false;
  std::uint64_t rows_omitted = 0;   // `unchanged` rows left out of deltas.jsonl
  bool gate_asked = false;          // --fail-on or --strict was given, or the project file asks
  std::optional<std::string> gate;  // what tripped, in a sentence
  std::string diff_dir;             // "" with --no-bundle
  std::string bundle_sha256;
  std::vector<FileRef> files;
  std::string compared_at_utc;
  ToolInfo tool;
  std::string command;  // as asked, secrets never in it
};

}  // namespace plumbline::core
