// record --as suite: the results of a suite become the baselines of tomorrow, one entry a case. A deliberate act: it takes a
// reason, passing cases only, and says of every other case why it was left out.
#pragma once

#include "verbs/verb.hpp"

namespace plumbline::verbs {

[[nodiscard]] Expected<Outcome> run_record_suite(const Arguments& arguments, const Context& context);

}  // namespace plumbline::verbs
