// What the steps of one diff share, and those that have files of their own: a pair is judged (judge.cpp), what was judged
// becomes a gate, a bundle and an answer (outcome.cpp), captures go to profile-diff and come back as a diff
// (capture.cpp). Sides are opened, and suites walked, in diff.cpp. Private to verbs/diff/; one call at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/comparison.hpp"
#include "core/results/diff.hpp"
#include "verbs/diff/request.hpp"
#include "verbs/resolving/baseline_side.hpp"
#include "verbs/resolving/project_file.hpp"
#include "verbs/resolving/run_journal.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/verify/trust.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verbs {

class BegunBundle;  // bundle.hpp

struct DiffRun {
  DiffRequest request;
  const Context& context;
  Arguments asked = {};  // what `request` was made of, for the bundle
  std::shared_ptr<core::StringPool> pool = std::make_shared<core::StringPool>();
  std::shared_ptr<registry::Store> store = {};
  ProjectFile project = {};
  ReadingRules reading = {};
  std::shared_ptr<const TrustedKeys> trusted = {};  // null: nobody asks who signed the baseline
  std::vector<intake::Opened> sources = {};         // of the current side; of a large file without its bytes once it is read
  std::string current_sha256 = {};                  // of the first of them, "" where it was not asked for yet
  std::shared_ptr<const core::Measurement> current = {};
  std::shared_ptr<const RunJournal> journal = {};  // of the run that measured the trials; null: none was given
  struct {
    const RunJournal::Side *baseline = nullptr, *current = nullptr;
  } journal_sides = {};
  std::string policy = "plumbline";         // the one that judged
  bool accepted = false;                    // the baseline is its measurement's accepted entry
  std::shared_ptr<BegunBundle> begun = {};  // of large files, while their rows are judged; refers to what is above
};

// One pair, compared and judged.
struct Judged {
  std::shared_ptr<const core::Comparison> comparison;
  std::shared_ptr<const core::NativeReport> native;
  verdict::Judgement judgement;
  std::vector<core::SolLine> sol;
  std::vector<core::HistoryLine> history;
  std::vector<core::ContextDifference> differences;
  std::vector<core::Warning> warnings;
};
// Error where keys are pinned for the baseline, an entry, and it is not signed as they ask.
[[nodiscard]] Status check_trusted(const DiffRun& run, const Baseline& baseline);
// The current side against a baseline under a request's rules: run.request's, or those that --initial has. Sets run.policy.
[[nodiscard]] Expected<Judged> judge(DiffRun& run, const DiffRequest& request, Baseline& baseline, const std::string& family,
                                     const std::string& measurement);
// What was asked of all rows, by flag or by the entry; unknown where nothing was.
[[nodiscard]] core::Direction overall_direction(const Baseline& baseline, const DiffRequest& request);

// Of very many rows those that say nothing are left out of deltas.jsonl, unless --all-rows asks for them; a warning says so.
void omit_uneventful(core::DiffResult& result);

// Everything after the verdict: the gate, which is decided before anything is published, the bundle, and the answer.
[[nodiscard]] Expected<Outcome> conclude(const DiffRun& run, core::DiffResult result);
// Its steps, for captures, whose bundle is another.
[[nodiscard]] Status decide_gate(const DiffRun& run, core::DiffResult& result);
// What the diffs of the measurement before this one said: before it is published.
[[nodiscard]] Status look_back(const DiffRun& run, core::DiffResult& result);
[[nodiscard]] Status keep(const DiffRun& run, core::DiffResult& result, const std::function<Status(registry::Store&)>& publish);
[[nodiscard]] Expected<Outcome> outcome_of(const DiffRun& run, const core::DiffResult& result);

// The files that --baseline names as trials, several or a folder of them with --as trials; none where it is one reference.
[[nodiscard]] Expected<std::vector<intake::Opened>> baseline_trials(const DiffRun& run);

[[nodiscard]] Expected<Outcome> diff_captures(DiffRun& run);
// Before anything is concluded.
[[nodiscard]] Expected<core::DiffResult> captures_result(DiffRun& run);

}  // namespace plumbline::verbs
