// What `outliers` ends in: siblings (files of one test on several nodes, GPUs of one file, ends of pairs) held against each
// other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/results/common.hpp"
#include "core/results/culprit.hpp"

namespace plumbline::core {

// out: worse than the others; fast: better than them; doubtful: worse by more than tolerance, which chance explains; failed: gave
// no result, or a gate of it failed.
enum class SiblingState : std::uint8_t { within, doubtful, fast, out, failed };
[[nodiscard]] std::string_view to_string(SiblingState state);

// A number of a sibling, or the mean of a class of them, beside the median of the other siblings.
struct SiblingDeviation {
  std::string what;              // a row's key, or "busbw, GB/s, 46 rows"
  std::string unit;              // of a row
  double value = 0, others = 0;  // of a row; of a class both are 0
  double change_pct = 0;         // signed percent of the others' median, as the metric counts
  double limit_pct = 0;          // tolerance
  bool worse = false;
  double p = 1;                                   // family-wise over siblings and classes, or over siblings and rows
  std::optional<double> sol_pct, others_sol_pct;  // of a ceiling, where one was asked for; of a class its best row
};

struct Sibling {
  std::string name;
  std::vector<std::string> files;
  std::uint32_t trials = 0;
  SiblingState state = SiblingState::within;
  std::string why;                                  // a sentence for every state but within
  std::vector<SiblingDeviation> classes;            // the worst first
  std::vector<SiblingDeviation> rows;               // those that stand apart by themselves, the worst first
  std::uint64_t rows_out = 0;                       // how many of them
  std::uint64_t rows_worse = 0, rows_compared = 0;  // by more than tolerance
  std::vector<std::string> parts;                   // "collective=alltoall": where it is slow, if not everywhere
  std::vector<std::string> missing;                 // rows that most others have, the first 20
  std::uint64_t missing_count = 0;
  std::vector<ContextDifference> differs;  // from what most siblings say; `baseline` is theirs

  [[nodiscard]] bool is_out() const { return state == SiblingState::out || state == SiblingState::failed; }
};

// A column of the heatmap: one test and metric, or one row. NaN: a sibling has none.
struct SiblingColumn {
  std::string name;  // a row's key, or a class's metric
  std::string unit;
  std::vector<double> change_pct;  // by sibling, signed percent of the others' median, as the metric counts
  double limit_pct = 0;
  bool higher = false;  // more is better
  std::uint64_t rows = 0;
};

// What siblings that are out have in common: a switch or a rack by their names.
struct SiblingGroup {
  std::string predicate;
  std::vector<std::string> siblings;
  double p = 1;
};

struct OutliersResult {
  std::string family, measurement;
  FormatInfo format;
  std::string sibling_kind = "node";  // "node", or the dimension that tells them apart
  bool pairs = false;                 // siblings are the ends of pairs
  std::vector<Sibling> siblings;      // out first, the worst first; then by name
  std::vector<SiblingColumn> columns;
  std::uint64_t columns_omitted = 0;
  std::vector<SiblingGroup> groups;
  std::vector<std::string> links;  // pairs that stand apart though neither of their ends does
  std::vector<std::string> drain;  // names of those out
  Verdict verdict = Verdict::green;
  Tier tier = Tier::draft;
  std::vector<std::string> promote;
  std::vector<Reason> reasons;
  std::uint64_t rows = 0, classes = 0;  // judged
  double tolerance_percent = 5;
  Context context;  // what most siblings say
  Recommendation recommendation;
  std::vector<Warning> warnings;
  bool gate_asked = false;
  std::optional<std::string> gate;
  std::string diff_dir, bundle_sha256;
  std::vector<FileRef> sources;  // what was read: name as given, path, bytes, digest
  std::vector<FileRef> files;
  std::string compared_at_utc;
  ToolInfo tool;
  std::string command;
};

}  // namespace plumbline::core
