// What a server is, apart from any connection: its name, its instructions, its tools, and the texts made of them that every
// session sends. Immutable once built but for texts that are made when first asked for (thread-safe); outlives its sessions.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "server/mcp/catalogue.hpp"
#include "server/mcp/era.hpp"

namespace plumbline::server::mcp {

struct Identity {
  std::string name, title, version;
  std::string instructions;  // "" = none
};

class Server {
 public:
  Server(const Identity& identity, Catalogue catalogue);

  [[nodiscard]] const Catalogue& catalogue() const { return catalogue_; }

  // Results, whole JSON objects.
  [[nodiscard]] std::string initialize_result(std::string_view protocol_version) const;
  [[nodiscard]] std::string discover_result() const;
  [[nodiscard]] std::string tools_result(Era era) const;
  [[nodiscard]] std::string empty_result(Era era) const;
  // Throws std::logic_error when the tool's JSON is none.
  [[nodiscard]] std::string call_result(Era era, const ToolResult& result, bool with_links) const;

 private:
  [[nodiscard]] std::string completed(Era era, std::string_view members) const;
  [[nodiscard]] const std::string& tools_text() const;

  Catalogue catalogue_;
  std::string server_info_;   // {"name":…}
  std::string instructions_;  // ,"instructions":"…" or nothing
  mutable std::once_flag tools_once_;
  mutable std::string tools_text_;  // [{…},…]
};

}  // namespace plumbline::server::mcp
