// `plumbline doctor --machine`: what to change on this machine before something is measured, and how small a change it can see.
#pragma once

#include "cli/mcp_checks.hpp"
#include "verbs/verb.hpp"

namespace plumbline::cli {

// Adds a check for each setting, and one for the noise, which takes `seconds` at most.
void check_machine(double seconds, const verbs::Context& context, Checks& checks);

}  // namespace plumbline::cli
