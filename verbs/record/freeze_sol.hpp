// Speed of light at record: the ceiling is looked up once and frozen into the entry with the value's share of it; at diff: the
// lines for what was frozen.
#pragma once

#include <string>
#include <vector>

#include "configs/class_noise.hpp"
#include "configs/configs.hpp"
#include "configs/kernel_categories.hpp"
#include "core/comparison.hpp"
#include "core/measurement.hpp"
#include "core/results/baseline.hpp"
#include "core/speed_of_light.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// The ceilings in force: <root>/configs/sol-ceilings.yaml if it is there, else the embedded file.
[[nodiscard]] Expected<std::shared_ptr<const configs::Ceilings>> ceilings_for(const std::string& root, const Context& context);

// The class noise in force: <root>/configs/class-noise.yaml if it is there, else the embedded file.
[[nodiscard]] Expected<std::shared_ptr<const configs::ClassNoise>> class_noise_for(const std::string& root,
                                                                                   const Context& context);

// Which of the ceilings that these lines are held against the file in force calls uncertain; sorted.
[[nodiscard]] Expected<std::vector<std::string>> uncertain_ceilings(const std::vector<core::SolLine>& lines,
                                                                    const std::string& root, const Context& context);

// The kernel categories in force: <root>/configs/kernel-categories.yaml if it is there, else the embedded file.
[[nodiscard]] Expected<std::shared_ptr<const configs::KernelCategories>> kernel_categories_for(const std::string& root,
                                                                                               const Context& context);

// `which` is a ceiling's key or "auto". One FrozenSol for every judged row that the ceiling can be held against; an error
// when there is none, saying what the rows are in and what the ceiling is in.
struct FrozenCeilings {
  std::vector<core::FrozenSol> rows;
  std::vector<core::Warning> warnings;  // sol_evidence, uncertain_ceiling, duplex_mismatch, above_ceiling, no_ceiling
};
[[nodiscard]] Expected<FrozenCeilings> freeze_sol(const core::Measurement& measurement, const core::Context& context,
                                                  std::string_view which, const configs::Ceilings& ceilings);

// The lines of a diff for the rows that the entry has a share of, and the warning duplex_mismatch where it applies. An entry
// without shares has no lines: nothing is made up afterwards.
[[nodiscard]] std::vector<core::SolLine> sol_lines(const core::BaselineRecord& record, const core::Comparison& comparison,
                                                   std::vector<core::Warning>& warnings);

}  // namespace plumbline::verbs
