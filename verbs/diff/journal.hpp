// --journal: what a run says of the trials that are compared. Private to verbs/diff/.
#pragma once

#include "verbs/diff/run.hpp"

namespace plumbline::verbs {

// Reads the journal that was asked for, checks that both sides are its trials and all of them, and takes from it how they are
// judged: in pairs, with tests that hold at any stop. Nothing where none was asked for.
[[nodiscard]] Status take_journal(DiffRun& run);

}  // namespace plumbline::verbs
