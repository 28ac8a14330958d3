// Which result answers to which baseline of a suite. Names are asked, from the strictest rule to the most lenient, and the case
// ids inside the files; where several baselines answer to one name, the context decides, and what was chosen is said. Two
// different cases taken for one are worse than a case without a partner: where nothing decides, nothing is paired, and that is
// said. Pure: works on names, ids and contexts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::verbs {

// One file of a suite, or one entry of a family.
struct SuiteItem {
  std::string name;                // relative path with '/', or the measurement's name
  std::vector<std::string> ids;    // case ids that stand inside the file
  std::vector<std::string> names;  // what else it calls itself: "name", "id"
  core::Context context;
  std::string kind;                 // files of different kinds are no trials of one ("spec_decode")
  bool entry = false;               // of a registry: its name is a safe segment
  std::vector<core::Id> keys = {};  // of its rows, sorted: what tells runs of one case from cases that are only numbered
};

struct SuitePair {
  std::string id;
  std::vector<std::size_t> baselines, results;  // indices; one side may be empty; several are trials of one
  std::string by;                               // "path", "file name", "case id", "name without dates and hosts"
  std::string note;                             // "of 2 baselines the one whose hardware.gpu is H100: not a100/x.json"
  std::string problem;                          // why nothing was paired although there were candidates
};

// Every file is in exactly one pair, but those that were passed over for another of the same name.
struct SuitePairs {
  std::vector<SuitePair> pairs;
  std::vector<std::size_t> passed_over;          // baselines of another host or context, or older ones
  std::vector<std::size_t> results_passed_over;  // older runs of a case
};
[[nodiscard]] SuitePairs pair_suite(std::span<const SuiteItem> baselines, std::span<const SuiteItem> results);

// "a/decode.table.txt" -> "a/decode": endings of data go, whatever else follows a dot stays: it may be the case.
[[nodiscard]] std::string without_ending(std::string_view name);
// The case as a safe path segment: what its measurement is called in a registry.
[[nodiscard]] std::string case_segment(std::string_view id);

// Of several baselines the one that fits a context best: nothing fatal differs, and most is known to agree. `note` says why;
// nullopt with a note when none fits. `tied`: another would do as well.
struct BestFit {
  std::optional<std::size_t> index;  // into `candidates`
  bool tied = false;
  std::string note;
};
[[nodiscard]] BestFit best_fitting(std::span<const SuiteItem* const> candidates, const core::Context& context);

}  // namespace plumbline::verbs
