// What `run` did: its trials one by one, in the order in which they ran, and how it stopped. The journal
// (plumbline.run.v1) is made of it, and what `run` answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/measurement.hpp"
#include "core/results/second_look.hpp"

namespace plumbline::core {

struct RunTrial {
  std::uint32_t side = 0, block = 0;  // sides as they were given; blocks from 1, 0 for a warm-up
  double started_s = 0;               // since the first trial began
  double wall_s = 0, user_s = 0, system_s = 0, peak_mib = 0;
  bool ok = true;
  std::string problem;                    // "exited with 3", "printed no result that a format reads"; "" when ok
  std::vector<std::string> left_running;  // processes that it left, which were ended
  std::vector<std::string> disturbed;     // what disturbed it, with figures
  std::string file, sha256;               // what is compared of it; "" when it is not
};

struct RunSide {
  std::string label;               // "A", "B", a revision
  std::string command;             // as given
  std::vector<std::string> files;  // of the trials that count, in their order
};

enum class RunStop : std::uint8_t { planned, decided, hopeless, max_runs, budget, asked, no_doubt };
[[nodiscard]] std::string_view to_string(RunStop stop);

struct RunLook {
  std::uint32_t trials = 0;  // a side
  std::string verdict, tier;
  std::optional<double> low_pct, high_pct;  // of the headline's change, where there is one
  std::uint64_t open = 0;                   // --confirm: rows in doubt without an answer
};

// --confirm: what is run again, and how the command was told so.
struct RunConfirm {
  std::shared_ptr<const SecondLook> look;
  std::string harness;                 // "go test"; "" where none is known
  std::string filter;                  // what was added to the command; "": the whole command runs
  std::string why_whole;               // then: why
  std::vector<std::string> cases;      // that the filter names
  std::optional<std::uint32_t> least;  // trials a side with which a row can be confirmed at all; none where no number can
};

struct RunResult {
  std::vector<RunSide> sides;
  std::vector<RunTrial> trials;  // warm-ups among them
  bool interleaved = false, anytime = false;
  std::uint32_t max_runs = 0;  // where `anytime`: the most that there would be
  std::uint64_t seed = 0;
  std::string measured;  // "time", or the format that read the output
  RunStop stop = RunStop::planned;
  std::string stop_reason;  // why more trials would not decide it, where that ended it
  std::vector<RunLook> looks;
  std::optional<RunConfirm> confirm;
  double elapsed_s = 0;
  std::string began_at_utc;
  Context machine;
  std::vector<Warning> warnings;
};

}  // namespace plumbline::core
