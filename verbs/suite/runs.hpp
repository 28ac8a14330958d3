// Runs of one case among the files of a suite: conc8-run0.json, conc8-run1.json, conc8-run2.json are three trials of conc8, not
// three cases. Only a number that is marked as one of a run counts (run, trial, repeat, seed, iter, …): a bare one may be a size.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "verbs/suite/pairing.hpp"

namespace plumbline::verbs {

// The name without its numbers of runs, in file and folders: "a/conc8-run0.json" -> "a/conc8.json", "run1/x.json" -> "x.json",
// "seed-3.json" -> "seed.json"; nullopt when it has none. `numbers` gets them in their order.
[[nodiscard]] std::optional<std::string> without_runs(std::string_view name, std::vector<std::int64_t>& numbers);

// pair_suite with the runs of a case put together first, on either side. Where one side has several runs, a single one of the
// other is a run of the case, too. Files that cannot be trials of one another (another kind, another machine or model, no key in
// common) stay cases of their own, and so does every result that a registered entry is called after.
[[nodiscard]] SuitePairs pair_cases(std::span<const SuiteItem> baselines, std::span<const SuiteItem> results);

}  // namespace plumbline::verbs
