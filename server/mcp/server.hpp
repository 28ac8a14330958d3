// What a server is, apart from any conversation: its name, its instructions, its catalogue, and the texts made of them that every
// session sends. Immutable once built but for texts that are made when first asked for (thread-safe); outlives its sessions.
#pragma once

#include <array>
#include <mutex>
#include <string>
#include <string_view>

#include "server/mcp/catalogue.hpp"
#include "server/mcp/era.hpp"

namespace plumbline::server::mcp {

struct Identity {
  std::string name, title, version;
  std::string instructions;            // "" = none
  LogLevel log_from = LogLevel::info;  // what legacy clients get that have not said what they want
  std::string icons = {};              // JSON array text, for who asks who we are; "" = none
};

// How long a client may keep a result, and whether for others too (modern era).
struct CacheHint {
  long ttl_ms = 0;
  bool shared = false;
};

class Server {
 public:
  Server(const Identity& identity, Catalogue catalogue);

  [[nodiscard]] const Catalogue& catalogue() const { return catalogue_; }
  [[nodiscard]] LogLevel log_from() const { return log_from_; }

  // Results, whole JSON objects.
  [[nodiscard]] std::string initialize_result(std::string_view protocol_version) const;
  [[nodiscard]] std::string discover_result() const;
  [[nodiscard]] std::string tools_result(Era era, bool views = false) const;
  [[nodiscard]] std::string prompts_result(Era era) const;
  [[nodiscard]] std::string templates_result(Era era) const;
  [[nodiscard]] std::string skills_result() const;
  [[nodiscard]] tl::expected<std::string, jsonrpc::RpcError> skill_result(std::string_view uri) const;
  // `members`: the result's own, joined by commas.
  [[nodiscard]] std::string result(Era era, std::string_view members) const;
  [[nodiscard]] std::string result(Era era, std::string_view members, CacheHint hint) const;
  // With another resultType than "complete" and without cache hints; modern only.
  [[nodiscard]] std::string other_result(std::string_view type, std::string_view members) const;

  // Members of a tool's result. Without `structured` as clients before 2025-06-18 know it: text and nothing else.
  // Throws std::logic_error when the tool's JSON is none.
  [[nodiscard]] static std::string tool_members(const ToolResult& result, bool structured);

 private:
  [[nodiscard]] std::string capabilities(Era era) const;
  [[nodiscard]] static std::string signed_by(std::string_view info, std::string_view type, std::string_view members);
  [[nodiscard]] const std::string& tools_text(bool views) const;
  [[nodiscard]] const std::string& prompts_text() const;

  Catalogue catalogue_;
  const LogLevel log_from_;
  std::string server_info_;                           // {"name":…}
  std::string server_card_;                           // the same with icons, which not every result carries
  std::string instructions_;                          // ,"instructions":"…" or nothing
  mutable std::array<std::once_flag, 2> tools_once_;  // for clients that show pages the second
  mutable std::array<std::string, 2> tools_text_;     // [{…},…]
  mutable std::once_flag prompts_once_;
  mutable std::string prompts_text_;
};

}  // namespace plumbline::server::mcp
