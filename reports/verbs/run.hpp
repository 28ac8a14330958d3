// What `run` did: its journal (run.json, schemas/plumbline.run.v1.json), its answer, and what a person reads.
#pragma once

#include <string>
#include <vector>

#include "core/results/run.hpp"

namespace plumbline::reports {

[[nodiscard]] std::string run_journal_json(const core::RunResult& result);

// What came of the trials: a comparison of a side with the first (or with --against), or a record. JSON texts of those verbs.
struct RunAnswers {
  struct Comparison {
    std::string label, result_json;
  };
  std::vector<Comparison> comparisons;
  std::string record_json;   // "" = none
  std::string journal_path;  // "" = it was not kept
};
[[nodiscard]] std::string run_result_json(const core::RunResult& result, const RunAnswers& answers);

// The table of the trials, a line a side: how many, how long, how much they scatter, what failed and disturbed. What was compared
// follows from the verbs that compared.
[[nodiscard]] std::string run_table(const core::RunResult& result, bool colour, int width);

}  // namespace plumbline::reports
