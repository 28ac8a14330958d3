// MCP has two eras. A modern request (revision 2026-07-28) says its protocol version and the client's capabilities itself, in
// params._meta, and is served without regard to what came before. A legacy connection opens with `initialize`, which settles
// one of the older revisions. Both may be used on one connection; a request that makes the claim is modern.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "server/jsonrpc/message.hpp"

namespace plumbline::server::mcp {

inline constexpr std::string_view kModernVersion = "2026-07-28";
// Newest first. The names sort by date, so they compare as strings.
inline constexpr std::array<std::string_view, 4> kLegacyVersions = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
inline constexpr std::string_view kBatchVersion = "2025-03-26";  // the only revision with batches
inline constexpr std::string_view kElicitationSince = "2025-06-18";
inline constexpr std::string_view kStructuredSince = "2025-06-18";  // structuredContent and resource links

enum class Era { legacy, modern };

// Whether the request claims the modern era, and if so whether it may: -32602 for a claim that is not whole, -32022 for
// a version we do not serve. `params` may be null.
[[nodiscard]] tl::expected<Era, jsonrpc::RpcError> era_of(const nlohmann::json* params);

// The answer to a legacy client that asked for `requested`: that version if we know it, else our newest legacy one.
[[nodiscard]] std::string_view negotiate(std::string_view requested);

}  // namespace plumbline::server::mcp
