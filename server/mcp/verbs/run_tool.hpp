// perf_run, the tool that is there only where the operator lists commands (`serve --allow-run FILE`): a client names one of them
// and chooses how many trials, what they are compared with and what they are recorded as. Nothing of the command is the client's.
#pragma once

#include "core/error.hpp"
#include "server/mcp/catalogue.hpp"
#include "server/server.hpp"

namespace plumbline::server::mcp {

// Reads the file, which must be this account's (or root's) and writable by nobody else. Errors name the place in it.
[[nodiscard]] core::Expected<Tool> run_tool(const ServeOptions& options);

}  // namespace plumbline::server::mcp
