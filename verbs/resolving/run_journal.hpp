// The journal of a `run` (schemas/plumbline.run.v1.json): how the trials came about that are compared. It names the files by
// digest, so a diff believes it only of exactly those files, in that order: a trial left out or added is an error, not a better
// number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/gates/more_failures.hpp"
#include "core/measurement.hpp"
#include "core/results/second_look.hpp"

namespace plumbline::verbs {

struct RunJournal {
  struct Side {
    std::string label;
    std::vector<std::string> sha256;  // of the trials that count, in their order
    core::Failures runs;              // warm-ups are none
    std::uint32_t disturbed = 0;      // of those that count
    std::string disturbance;          // of the first of them
  };
  std::vector<Side> sides;
  bool interleaved = false, anytime = false;
  std::uint32_t max_runs = 0;  // of an `anytime` run, said beforehand; 0: by a program that did not say it
  core::Context machine;       // that measured them
  std::shared_ptr<const core::SecondLook> second_look;  // of `run --confirm`; null: every row is judged

  // The side whose trials these are.
  [[nodiscard]] const Side* side_of(std::span<const std::string> sha256) const;
};

// Errors name the path and the place.
[[nodiscard]] core::Expected<RunJournal> parse_run_journal(std::string_view text, const std::string& path);

// How many trials may be disturbed before they weaken a verdict: one in ten.
[[nodiscard]] bool is_disturbed(const RunJournal::Side& side);

}  // namespace plumbline::verbs
