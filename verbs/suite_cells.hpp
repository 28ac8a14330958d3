// A measurement that is a suite by itself: one file of baselines and one folder of results, read as one (TensorSharp's matrix).
// Its cells are told as the cases of a suite are; verdict and rows are those of the comparison.
#pragma once

#include <memory>

#include "core/comparison.hpp"
#include "core/native/native.hpp"
#include "core/results/suite.hpp"

namespace plumbline::verbs {

// null where the sides are no such files.
[[nodiscard]] std::shared_ptr<const core::SuiteReport> cells_as_cases(const core::Comparison& comparison,
                                                                      const core::NativeReport* native);

// Why a cell is no run to expect anything of: "exit 124", "wrong output: …". "" for one that passed, and for a skipped one.
[[nodiscard]] std::string cell_problem(const core::tensorsharp::Cell& cell);

}  // namespace plumbline::verbs
