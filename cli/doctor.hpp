// `plumbline doctor`: starts (or reaches) the server the way a client would, speaks MCP of both eras with it, looks at what
// it stands on, and says of each thing whether it is right and, if not, what to do.
#pragma once

#include <span>
#include <string>

#include "verbs/verb.hpp"

namespace plumbline::cli {

[[nodiscard]] const verbs::Verb& doctor_command();
// Exit status: 0 nothing is at fault, 3 when every fault is the environment's, else 2.
[[nodiscard]] verbs::CommandOutcome run_doctor(std::span<const std::string> words, const verbs::Context& context);

}  // namespace plumbline::cli
