// A measurement that is a suite by itself: one file of baselines and one folder of results, read as one (TensorSharp's matrix).
// Its cells are told as the cases of a suite are; verdict and rows are those of the comparison.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/comparison.hpp"
#include "core/native.hpp"
#include "core/results/suite.hpp"
#include "systems/system.hpp"

namespace plumbline::systems::tensorsharp {

// null where the sides are no such files.
[[nodiscard]] std::shared_ptr<const core::SuiteReport> cells_as_cases(const core::Comparison& comparison,
                                                                      const core::RowMarks& marks,
                                                                      const core::NativeReport* native);

// The first cell of a run that is nothing to expect anything of: "exit 124", "wrong output: …". nullopt where all passed or were
// skipped, and for what is no run of this system.
[[nodiscard]] std::optional<RunProblem> run_problem(const core::Measurement& run);

// The reason that a result gives of which no cell was run, "" without one; nullopt for all others.
[[nodiscard]] std::optional<std::string> skipped(const core::Measurement& result);

}  // namespace plumbline::systems::tensorsharp
