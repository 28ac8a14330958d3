// What `run` was asked, checked before anything is started. Private to verbs/run/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/results/diff.hpp"
#include "core/results/run.hpp"
#include "machine/command.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

constexpr std::uint32_t kDefaultRuns = 10;  // of each side, where nothing is compared or the number is fixed
constexpr std::uint32_t kMostRuns = 1000;

// Where the numbers of a trial come from.
enum class Measures : std::uint8_t { automatic, output, time };

struct RunRequest {
  struct Side {
    std::string label;    // "A", "B", a revision; "" where there is one
    std::string command;  // as given
    machine::Command start;
  };
  std::vector<Side> sides;
  std::vector<std::string> revisions;  // --ab-rev
  std::string build;                   // --build, for each of them
  std::string prepare, cleanup;        // before and after each trial, not measured

  std::uint32_t runs = kDefaultRuns;  // a side
  bool automatic = false;             // -n auto: until the verdict is decided
  std::string auto_note;              // what -n auto became, where nothing is compared
  std::uint32_t max_runs = 30;
  double budget_s = 0;  // 0: none
  std::uint32_t warmup = 1;
  std::uint64_t seed = 0;
  std::uint32_t max_failures = 3;  // in a row, of one side

  Measures measures = Measures::automatic;
  std::string result;  // --result: a file or glob that the command writes
  std::string format;

  std::string against;                      // REF
  std::vector<std::string> against_trials;  // further trials of it
  std::optional<core::RunConfirm> confirm;  // --confirm
  std::string record;                       // F/M
  std::string auto_baseline;                // F/M
  std::string keep;                         // a folder for the trials' files
  std::string folder;                       // where they lie meanwhile, new or empty; "" = a scratch folder of its own
  // What ends -n auto besides a verdict that is decided; null: nothing. Of bisect, which asks less of its two ends.
  std::function<bool(const core::DiffResult&)> enough;
  bool judge_when_stopped = true;  // what was measured before it was asked to stop is judged
  bool apart = false;              // --nodes: sides are nodes, and a trial of one counts whatever the others do
  [[nodiscard]] bool compares() const { return sides.size() > 1 || !against.empty(); }
};

// A command as one would type it: a shell makes these very words of it.
[[nodiscard]] std::string shown_command(const std::vector<std::string>& words);

[[nodiscard]] Expected<RunRequest> parse_run(const Arguments& arguments, const Context& context);

// "90s", "10m", "1.5h", "250ms", "30" (seconds). nullopt where it is none of them or not positive.
[[nodiscard]] std::optional<double> parse_duration(std::string_view text);

}  // namespace plumbline::verbs
