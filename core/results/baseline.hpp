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
  std::string measured_at_utc;  // of what was measured before it was registered (backfill), else ""
  std::string operator_user, hostname, uname;
  std::optional<std::string> profile_and_optimize_sha;
  std::string notes;
  // ours
  std::string schema;  // "plumbline.baseline.v1"; empty for the reference tool's entries
  Shape shape = Shape::structured;
  FormatInfo format;
  std::string stated_format;  // of a format of the project file: how it is stated there, YAML; "" for all others
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
  std::string slug, entry_dir, registered_at_utc, measured_at_utc, label, reason;
  std::optional<double> value;  // the scalar, or what the structured entry has under the history's key
  std::string unit;
  Tier tier = Tier::draft;
  Context context;
  bool accepted = false;
  std::string superseded_by;
  std::string problem;  // an entry that cannot be read is listed with its problem
};
struct HistoryChangePoint {
  std::string slug;                  // the first entry of the new level
  std::string key;                   // "" for a scalar
  double before = 0, after = 0;      // medians of the two levels
  std::optional<double> change_pct;  // of before; none when that is 0
  double p = 1;                      // permutation p, corrected for the search
};
struct HistoryDrift {
  double pct = 0;  // newest against oldest
  std::string from, to;
  std::uint64_t steps = 0;
  std::optional<double> largest_step_pct;  // of neighbours, as a magnitude
  bool unseen = false;                     // a direction beyond chance, and no diff of two neighbours exceeds the tolerance
  std::string text;                        // the sentence, when unseen
};
// What one key's values say together; a scalar's has no name.
struct HistoryKey {
  std::string key, unit;
  std::uint64_t entries = 0;
  std::optional<double> newest, trend_pct_per_entry, noise_floor_pct;
  double tolerance_pct = 5;
  std::optional<HistoryDrift> drift;
  std::vector<HistoryChangePoint> change_points;
  std::vector<double> values;  // oldest first, the newest 60: for the sparkline
};
// A diff against this measurement, as its bundle has it; what a later VERDICT on the same pair overturned says by which.
struct HistoryDiff {
  std::string slug, diff_dir, verdict, tier, baseline_slug, superseded_by;
};
struct HistoryResult {
  std::string family, measurement;
  std::vector<HistoryEntry> entries;  // oldest first
  HistoryKey whole;                   // of the scalar, or of the first of `keys`
  std::vector<HistoryKey> keys;       // of structured entries: those asked for; what moved first
  std::uint64_t keys_total = 0;
  std::vector<HistoryDiff> diffs;  // oldest first
  std::optional<RedStreak> red;    // of the newest of them, up to today
  std::vector<Warning> warnings;
};

}  // namespace plumbline::core
