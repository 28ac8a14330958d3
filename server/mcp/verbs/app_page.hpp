// The page of a comparison inside a client (extension io.modelcontextprotocol/ui, MCP Apps): a view that a host shows beside a
// tool's result. It speaks JSON-RPC with its host alone, loads nothing, and shows the bundle's own report (diff.html) where the
// host lets it read that resource, else the verdict, its reasons and the rows at the top.
#pragma once

#include <string_view>

namespace plumbline::server::mcp {

inline constexpr std::string_view kAppUri = "ui://plumbline/comparison";

[[nodiscard]] std::string_view app_page();

}  // namespace plumbline::server::mcp
