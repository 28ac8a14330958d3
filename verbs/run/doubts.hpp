// --confirm DIFF: which rows a diff left in doubt, and what is known of the cases that they are of. A bundle is verified before
// it is believed. Private to verbs/run/.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/second_look.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// What a filter needs to know of a row in doubt.
struct DoubtfulCase {
  std::string key, metric;
  std::map<std::string, std::string, std::less<>> dims;
};

struct Doubts {
  core::SecondLook look;             // without `family` and `alpha`, which depend on how the rows are measured again
  std::vector<DoubtfulCase> cases;   // as look.rows
  std::string format;                // that read the current side; "" where only rows were given
  std::vector<std::string> reasons;  // codes, as far as the diff says them
  bool libtest = false;              // rows of Rust's own harness are among those of criterion
  // What the diff compared with, where it lies in the bundle: an entry's folder or files that are trials; empty where the bundle
  // holds no copy, or there is none.
  std::vector<std::string> baseline;
};

// `given`: a bundle's folder, its diff.json or its deltas.jsonl; either file alone is believed as it is. Nothing in doubt: no
// rows.
[[nodiscard]] Expected<Doubts> read_doubts(const std::string& given, const Context& context);

}  // namespace plumbline::verbs
