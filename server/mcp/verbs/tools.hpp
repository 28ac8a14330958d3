// The verbs of the house as MCP tools: typed input as the schema shows it, and the reference tool's two forms, answered with
// that tool's envelope. The one file of the server that knows verbs.
#pragma once

#include <string_view>

#include "server/mcp/catalogue.hpp"
#include "server/mcp/server.hpp"
#include "server/mcp/verbs/handing.hpp"
#include "server/server.hpp"
#include "verbs/verb.hpp"

namespace plumbline::server::mcp {

// One verb under the name it is called by (its tool name or an alias). `verb` must outlive the tool.
[[nodiscard]] Tool verb_tool(const verbs::Verb& verb, std::string_view name, const ServeOptions& options,
                             const Handing& handing = {});

// All verbs that are offered over MCP, in the table's order, each followed by its aliases.
[[nodiscard]] Catalogue verb_catalogue(const ServeOptions& options, const Handing& handing = {});

// What a verb gets of a call, and what the call answers; for tools that are more than a verb.
[[nodiscard]] verbs::Context context_of(const ServeOptions& options, std::string_view name, std::string_view arguments,
                                        const CallContext& call);
[[nodiscard]] ToolResult typed_result(verbs::Expected<verbs::Outcome> outcome, const ServeOptions& options,
                                      const Handing& handing, const CallContext& call);

// Name, version, icon and instructions of the server; the instructions speak of the tools that are served.
[[nodiscard]] Identity verb_identity(const ServeOptions& options = {});

// --tools as it was given ("diff", "perf_baseline_diff,common") -> names of tools. A name that is none is an error with the
// nearest.
[[nodiscard]] core::Expected<std::vector<std::string>> chosen_tools(const std::vector<std::string>& given);

}  // namespace plumbline::server::mcp
