// What `diff` ends in. The row list itself is the Comparison (core/comparison.hpp), borrowed.
#pragma once

#include <memory>
#include <span>
#include <variant>

#include "core/comparison.hpp"
#include "core/results/common.hpp"
#include "core/results/culprit.hpp"
#include "core/results/history_line.hpp"
#include "core/results/second_look.hpp"
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

// What a verdict stands on: one of three.
struct RowsResult {                 // a measurement against a measurement
  Shape shape = Shape::structured;  // or scalar
  std::shared_ptr<const Comparison> comparison;
  RowMarks marks;                              // of its rows
  std::vector<std::uint32_t> order;            // the first 1000 delta indices: adverse first, worst first, then by size
  std::shared_ptr<const NativeReport> native;  // what another system says of its own files; null for most
  std::shared_ptr<const SuiteReport> cells;    // where rows of one file answer for cases of their own; null for most
};
struct CaptureResult {  // a capture against a capture
  std::shared_ptr<const ProfileDiff> profile;
};
struct SuiteResult {                             // a folder of baselines against a folder of results
  std::shared_ptr<const Comparison> comparison;  // rows of all cases, each key behind its case
  RowMarks marks;                                // of them
  std::vector<std::uint32_t> order;
  std::shared_ptr<const SuiteReport> report;
};

struct DiffResult {
  std::string family, measurement;
  DiffSide baseline, current;
  std::optional<DiffSide> initial;      // --initial
  std::optional<SecondAnswers> second;  // where only rows were judged that a first look left in doubt
  std::variant<RowsResult, CaptureResult, SuiteResult> evidence;
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
  std::vector<Culprit> culprits;     // the one that explains most first
  std::vector<HistoryLine> history;  // of headlines, then of the rows that come first; empty without a registry
  Recommendation recommendation;
  std::optional<NextLever> next_lever;
  std::string project_tier;         // the tier of plumbline.yaml that was asked for ("nightly"); "" = none
  std::optional<RedStreak> red;     // of its measurement, this diff among them; null where it is not RED, or is no measurement's
  std::optional<Verdict> previous;  // what the diff of its measurement before this one said
  std::vector<WaiverUse> waivers;   // that speak of its rows, in the project file's order
  std::vector<Warning> warnings;
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

  // What the evidence has of each kind; null or empty where it has none.
  [[nodiscard]] Shape shape() const {
    if (const auto* rows = std::get_if<RowsResult>(&evidence)) return rows->shape;
    return std::holds_alternative<CaptureResult>(evidence) ? Shape::profile : Shape::suite;
  }
  [[nodiscard]] const Comparison* comparison() const {
    if (const auto* rows = std::get_if<RowsResult>(&evidence)) return rows->comparison.get();
    const auto* suite = std::get_if<SuiteResult>(&evidence);
    return suite == nullptr ? nullptr : suite->comparison.get();
  }
  [[nodiscard]] const RowMarks& marks() const {
    static const RowMarks kNone;
    if (const auto* rows = std::get_if<RowsResult>(&evidence)) return rows->marks;
    const auto* suite = std::get_if<SuiteResult>(&evidence);
    return suite == nullptr ? kNone : suite->marks;
  }
  [[nodiscard]] std::span<const std::uint32_t> order() const {
    if (const auto* rows = std::get_if<RowsResult>(&evidence)) return rows->order;
    const auto* suite = std::get_if<SuiteResult>(&evidence);
    return suite == nullptr ? std::span<const std::uint32_t>() : suite->order;
  }
  [[nodiscard]] const ProfileDiff* profile() const {
    const auto* capture = std::get_if<CaptureResult>(&evidence);
    return capture == nullptr ? nullptr : capture->profile.get();
  }
  [[nodiscard]] const NativeReport* native() const {
    const auto* rows = std::get_if<RowsResult>(&evidence);
    return rows == nullptr ? nullptr : rows->native.get();
  }
  [[nodiscard]] const SuiteReport* cases() const {  // of a suite, or of one file whose rows are cases
    if (const auto* rows = std::get_if<RowsResult>(&evidence)) return rows->cells.get();
    const auto* suite = std::get_if<SuiteResult>(&evidence);
    return suite == nullptr ? nullptr : suite->report.get();
  }
};

}  // namespace plumbline::core
