// Runs what a request asks for and has it judged: trials in blocks until as many as asked for, or until the verdict is decided,
// and then diff or record. What is judged, and how, is theirs alone: a look is a diff of the trials so far. For run and bisect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/results/diff.hpp"
#include "reports/verbs/run.hpp"
#include "verbs/run/bench.hpp"
#include "verbs/run/worktrees.hpp"

namespace plumbline::verbs {

class Runner {
 public:
  Runner(RunRequest request, const Arguments& asked, const Context& context)
      : request_(std::move(request)), asked_(asked), context_(context) {}

  // measure and conclude.
  [[nodiscard]] Expected<Outcome> run();

  // Checks revisions out, warms up and runs the trials.
  [[nodiscard]] Status measure();
  // The first comparison's, of the trials so far.
  [[nodiscard]] Expected<core::DiffResult> verdict();
  [[nodiscard]] core::RunResult& result() { return bench_->result(); }
  [[nodiscard]] const RunRequest& request() const { return request_; }
  [[nodiscard]] Bench& bench() { return *bench_; }

 private:
  Status make_folder();
  Status check_out();
  [[nodiscard]] std::string out_folder() const;
  Status choose_baseline();
  void plan_confirm();
  void record_instead(const Error& nothing_fits);
  [[nodiscard]] std::uint32_t trials();
  Status run_trials();
  void show(std::uint32_t block, std::uint32_t wanted);
  Expected<bool> look();
  [[nodiscard]] Context quiet() const;
  Expected<core::DiffResult> judged(const Arguments& question);
  [[nodiscard]] std::string journal_path() const { return folder_ + "/run.json"; }
  Status write_journal();
  std::vector<Arguments> comparisons();
  Status warn_of_order(const std::vector<Arguments>& questions);
  Arguments question(std::vector<std::string> baseline, std::vector<std::string> current, std::size_t share);
  std::vector<std::string> context_words();
  Expected<Outcome> record();
  Expected<Outcome> conclude();
  Expected<Outcome> nothing_in_doubt();
  Status compare(reports::RunAnswers& answers, Outcome& out);
  [[nodiscard]] std::string first_problem();

  RunRequest request_;
  const Arguments& asked_;
  const Context& context_;
  std::optional<ScratchFolder> scratch_;
  std::optional<Worktrees> trees_;
  std::string folder_;
  std::optional<Bench> bench_;
  std::string recorded_instead_;  // why --auto-baseline records though its name is known
};

}  // namespace plumbline::verbs
