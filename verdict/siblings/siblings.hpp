// Which of several siblings is slow: nodes that ran one test, GPUs of one node, the ends of pairs. Each is held against the
// median of the others; what chance explains is told from their own scatter (core/evidence/crowd.hpp), which siblings that are
// slow together do not widen. A class of rows is judged as one (rows of one node move together), single rows among all of them,
// and parts by the search of verdict/culprits/ (docs/verbs/outliers.md says the rules). Nothing names a sibling that is within
// tolerance of the others, and nothing tells which of two is the slow one. Pure.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/comparison.hpp"
#include "core/results/outliers.hpp"

namespace plumbline::verdict {

struct SiblingInput {
  std::string name;
  std::vector<std::string> files;
  std::shared_ptr<const core::Measurement> measurement;  // null: it gave no result
  std::string problem;                                   // why
};

struct SiblingsQuestion {
  std::vector<SiblingInput> siblings;  // two at least; all measurements share one pool
  core::CompareRules rules;
  std::string kind = "node";
  bool pairs = false;
  std::vector<std::string> varying;  // context that may differ
  // Percent of the ceiling that a value of this row reaches; nullopt where there is none. May be empty.
  std::function<std::optional<double>(std::string_view key, double value)> sol_pct;
  // What the class of benchmark is known to scatter between runs, percent, by key. May be empty.
  std::function<std::optional<double>(std::string_view key)> class_noise_pct;
  std::function<bool()> stop;
};

// Everything that is judged: siblings, columns, groups, links, drain, verdict, tier, reasons, recommendation. What was asked and
// where it is kept is the caller's.
[[nodiscard]] core::OutliersResult judge_siblings(const SiblingsQuestion& question);

}  // namespace plumbline::verdict
