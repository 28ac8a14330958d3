// The baseline file and the results of TensorSharp's test matrix in that tool's own terms, and what its regression analysis
// says of them. Source of the rules: facts, baseline-systems section 4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::systems::tensorsharp {

struct Entry {
  std::string case_id;
  bool ok = false;
  std::optional<bool> correctness_ok;
  double prefill_tps = 0, decode_tps = 0, model_load_ms = 0;
};

// A baseline file of one host. Texts that may be null in the file are nullopt then.
struct Baseline {
  std::string host_label;
  std::string captured_at;  // as the tool itself writes it: "2026-05-26T00:00:00+00:00"
  std::optional<std::string> commit, notes;
  std::vector<Entry> entries;
  // Why that tool cannot read the file: it then goes on as if there were none, and passes.
  std::string unreadable;
};

// One cell of a run: results/<case>.json.
struct Cell {
  Entry entry;
  std::string file;
  bool skipped = false;
  std::optional<std::string> error, correctness_error;
  std::string skip_reason, model, backend, started_at;
};

// One file or folder is one or the other.
struct File {
  std::optional<Baseline> baseline;
  std::vector<Cell> cells;
  std::uint64_t unread_files = 0;  // that tool prints a line for each and goes on
};

enum class FindingKind : std::uint8_t { runtime_failure, correctness_failure, throughput_regression, improvement, untracked };
// "NewRuntimeFailure", "NewCorrectnessFailure", "ThroughputRegression", "NewImprovement", "UntrackedNewCase"
[[nodiscard]] std::string_view to_string(FindingKind kind);

struct Finding {
  std::string case_id;
  FindingKind kind = FindingKind::untracked;
  std::string description;
  double baseline_value = 0, current_value = 0, delta_pct = 0;
};

struct Report {
  std::string host_label;
  std::optional<std::string> baseline_path;  // nullopt: none could be read
  std::string captured_at;
  std::optional<std::string> commit;
  double threshold_pct = 10;
  std::vector<Finding> findings;  // by rank, then by case
  std::uint64_t cells = 0, entries = 0, failed = 0, skipped = 0;
  bool blocking = false;
};

// A time of its files: years 1 to 9999, ticks of 100 ns, the offset from UTC in minutes.
struct Time {
  int year = 1, month = 1, day = 1, hour = 0, minute = 0, second = 0, ticks = 0, offset = 0;
};
// "2026-05-26", "2026-05-26T00:00Z", "2026-05-26T00:00:00.123+02:00"; a time without an offset is taken as UTC, where the tool
// takes the machine's own.
[[nodiscard]] std::optional<Time> read_time(std::string_view text);
[[nodiscard]] std::string written_time(const Time& time);            // in its files: "2026-05-26T00:00:00+00:00"
[[nodiscard]] std::string round_trip_time(const Time& time);         // in its reports: "2026-05-26T00:00:00.0000000+00:00"
inline constexpr const char* kNoTime = "0001-01-01T00:00:00+00:00";  // what a file that says none means

}  // namespace plumbline::systems::tensorsharp
