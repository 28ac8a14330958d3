// baseline.json as a struct: what the registry reads from an entry and reports writes into a new one (CONTRACT section 4).
#pragma once

#include "core/results/common.hpp"
#include "core/speed_of_light.hpp"

namespace plumbline::core {

struct BaselineRecord {
  // the reference tool's fields
  std::string family, measurement;
  std::optional<double> value;
  std::string value_text;  // exact text of an integer beyond 2^53, else ""
  std::optional<std::string> unit;
  std::string direction;  // "higher-is-better", …, "auto"; absent in a file -> "two-sided"
  bool direction_present = true;
  std::string source_path, source_sha256;
  std::optional<std::string> schema_path;
  std::string registered_at_utc;
  std::string operator_user, hostname, uname;
  std::optional<std::string> profile_and_optimize_sha;
  std::string notes;
  // ours
  std::string schema;  // "plumbline.baseline.v1"; empty for the reference tool's entries
  Shape shape = Shape::structured;
  FormatInfo format;
  std::string forced_format;  // --format at record: the diff reads both sides with it
  Tier tier = Tier::draft;
  std::uint32_t trials = 1;
  std::vector<std::string> headline;
  std::vector<std::pair<std::string, std::string>> directions;  // glob -> direction text, from --direction KEY=DIR
  std::vector<std::pair<std::string, std::string>> tolerances;  // glob -> SPEC
  Context context;
  std::optional<std::string> git_commit;
  std::optional<bool> git_dirty;
  std::optional<FrozenSol> scalar_sol;
  std::vector<FrozenSol> sol;
  std::string snapshot_path;  // "source-snapshot.json", "source-snapshot", or "" when only referenced
  std::uint64_t snapshot_bytes = 0;
  std::string snapshot_sha256;
  std::vector<std::string> trial_snapshots;  // further trials: "source-snapshot.2.json", …
  std::string supersedes;                    // slug
  std::string reason, label, command;
  std::uint64_t rows = 0;
  ToolInfo tool;
};

struct RecordResult {
  BaselineRecord baseline;
  std::string entry_dir;  // absolute; with dry_run where it would be
  std::string slug;
  std::string entry_sha256;
  bool dry_run = false;
  std::vector<Warning> warnings;
  std::vector<FileRef> files;
};

struct Acceptance {
  std::uint64_t seq = 0;
  std::string family, measurement, slug, entry_sha256, reason, accepted_at_utc, accepted_by;
  std::optional<std::string> previous;  // slug of the accepted entry before
};
struct AcceptResult {
  Acceptance acceptance;
  std::string path;  // of the acceptance file
  std::string entry_dir;
  std::vector<Warning> warnings;
};

struct HistoryEntry {
  std::string slug, entry_dir, registered_at_utc, label, reason;
  std::optional<double> value;
  std::string unit;
  Tier tier = Tier::draft;
  Context context;
  bool accepted = false;
  std::string superseded_by;
  std::string problem;  // an entry that cannot be read is listed with its problem
};
struct HistoryResult {
  std::string family, measurement;
  std::vector<HistoryEntry> entries;  // oldest first
  std::optional<double> trend_pct_per_entry;
  std::optional<double> noise_floor_pct;
  std::vector<std::string> change_points;  // slugs
  std::optional<double> drift_pct;         // newest against oldest
  std::vector<Warning> warnings;
};

}  // namespace plumbline::core
