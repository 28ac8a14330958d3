// What a folder of baselines against a folder of results ends in: one row per case, and how they add up. Each case is a diff of
// its own; its rows stand in the DiffResult's comparison with the case in front of their keys.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/results/common.hpp"

namespace plumbline::core {

struct NativeReport;  // core/native.hpp

enum class CaseState : std::uint8_t {
  passed,       // compared, and not RED
  failed,       // compared: RED
  error,        // there is a baseline and a result, but they cannot be compared
  stale,        // a baseline without a result
  no_baseline,  // a baseline without a number to compare with
  untracked,    // a result without a baseline
  skipped       // the result says that it was not run
};
inline constexpr std::size_t kCaseStates = 7;
[[nodiscard]] std::string_view to_string(CaseState state);  // "passed" … "no_baseline" …
// Worst first: the order in which cases are listed.
[[nodiscard]] int case_rank(CaseState state, Verdict verdict);

struct CaseHeadline {
  std::string key;  // without the case
  std::string unit;
  std::optional<double> baseline, current, delta_pct;
  std::string state;  // of the row
};

struct SuiteCase {
  std::string id;
  CaseState state = CaseState::passed;
  std::optional<Verdict> verdict;  // of ours; null where nothing was compared
  Tier tier = Tier::draft;
  std::string reason;     // one line; "" where there is nothing to say
  std::string paired_by;  // "path", "name", "case id", …: how baseline and result found each other
  std::string note;       // what was chosen of several, how many trials
  std::vector<std::string> baseline_files, current_files;  // as they stand in the folders; "family/measurement@slug" for entries
  std::optional<CaseHeadline> headline;
  std::vector<Reason> reasons;
  Counts counts;
  std::string run_problem;  // why the result is no run to make a baseline of, whatever it is compared with: "failed is 3"
  bool unmatched = false;   // there are baselines, and none was taken for it: `reason` says why
  std::string format, current_format;
  std::shared_ptr<const NativeReport> native;  // what another system says of it; null for most
};

struct SuiteReport {
  std::vector<SuiteCase> cases;  // worst first, then by id
  [[nodiscard]] std::uint64_t count(CaseState state) const { return totals[static_cast<std::size_t>(state)]; }
  std::array<std::uint64_t, kCaseStates> totals{};
  std::uint64_t left_out = 0;  // cases that the tier of plumbline.yaml does not ask for
};

// What `record --as suite` ends in.
struct SuiteEntry {
  std::string id, measurement, entry_dir, slug, entry_sha256;
  CaseState state = CaseState::passed;  // against what it follows
  std::optional<Verdict> verdict;
};
struct SuiteLeftOut {
  std::string id;
  CaseState state = CaseState::failed;
  std::string reason;
  bool worse = false;  // it was compared, and it regressed
};
struct SuiteRecord {
  std::string family, reason, source_path, against;
  bool dry_run = false;
  std::vector<SuiteEntry> entries;     // by case
  std::vector<SuiteLeftOut> left_out;  // by case
  std::vector<Warning> warnings;
};

// "3 of 4 cases passed, 1 failed, 2 untracked, 1 stale": states without a case are left out.
[[nodiscard]] std::string totals_text(const SuiteReport& suite);

}  // namespace plumbline::core
