// Runs the trials of `run` in blocks and keeps what is compared of each in a folder: what the command printed or wrote, or its
// times in the format of docs/harness-output.md. A trial that failed is kept in the list with its reason and compared with
// nothing; of several sides its whole block is left out, so that pairs stay pairs. Private to verbs/run/.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/results/run.hpp"
#include "machine/gpus.hpp"
#include "machine/state.hpp"
#include "verbs/run/request.hpp"

namespace plumbline::verbs {

class Bench {
 public:
  // `folder` is there and empty.
  Bench(const RunRequest& request, const Context& context, std::string folder);

  // What the machine is; the sides, without trials.
  [[nodiscard]] Status begin();
  // Warm-ups, which also show how results are read. False where it was asked to stop.
  [[nodiscard]] Expected<bool> warm_up();
  // Each side once, in the order of this block (from 1). False where it was asked to stop or the budget was spent before it was
  // through; its trials then count only for a single side.
  [[nodiscard]] Expected<bool> run_block(std::uint32_t block);

  [[nodiscard]] core::RunResult& result() { return result_; }
  [[nodiscard]] double elapsed_s() const;
  [[nodiscard]] bool budget_spent() const;
  // The median of a row of a trial's file.
  [[nodiscard]] Expected<double> number(const std::string& file, std::string_view key) const;
  [[nodiscard]] bool asked_to_stop() const { return context_.stop_asked(); }

 private:
  Expected<core::RunTrial> run_trial(std::uint32_t side, std::uint32_t block);
  Expected<bool> helper_line(const std::string& line, const char* flag, const std::string& folder, double limit_s) const;
  Status choose_measure(const machine::CommandRun& run, core::RunTrial& trial);
  Status keep(const machine::CommandRun& run, core::RunTrial& trial);
  Expected<std::string> written_result(const core::RunTrial& trial);
  Status write(core::RunTrial& trial, const std::string& text, std::string_view suffix) const;
  [[nodiscard]] Expected<core::Measurement> read(const std::string& path) const;
  void check_readable(core::RunTrial& trial);
  Status note_failure(const core::RunTrial& trial);

  const RunRequest& request_;
  const Context& context_;
  std::string folder_;
  std::unique_ptr<machine::Gpus> gpus_;
  std::optional<machine::TrialWatch> watch_;
  std::chrono::steady_clock::time_point began_;
  std::chrono::system_clock::time_point trial_began_;
  bool times_ = false, memory_ = false, chosen_ = false;
  std::vector<std::uint32_t> failures_;  // in a row, by side
  std::string last_error_;               // what the last failed command said
  core::RunResult result_;
};

// A trial's measures in the format of docs/harness-output.md; peak memory where `memory` says so.
[[nodiscard]] std::string times_text(const machine::CommandRun& run, bool memory);

}  // namespace plumbline::verbs
