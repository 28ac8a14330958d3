// --confirm: what a diff left in doubt becomes what is run, what it is compared with and what its answers may err. Private to
// verbs/run/.
#pragma once

#include "verbs/run/request.hpp"

namespace plumbline::verbs {

// Reads the diff, tells the commands which cases to run, and finds the baseline where there is one command and no --against.
// Nothing where --confirm was not given. `request` has its sides and names.
[[nodiscard]] Status take_confirm(RunRequest& request, const Arguments& arguments, const Context& context);

}  // namespace plumbline::verbs
