// The clients that `plumbline install` and `plumbline doctor` know. Sources: what `claude mcp add` 2.1.329, `codex mcp add`
// 0.169.0 and `gemini mcp add` 0.61.0 write and read; docs.cursor.com on MCP; code.visualstudio.com on MCP servers.
#include "cli/install.hpp"

namespace plumbline::cli {

std::span<const Client> clients() {
  using enum ConfigSyntax;
  static const std::vector<Client> kClients = {
      {.name = "claude",
       .title = "Claude Code",
       .syntax = json,
       .places = {{"user", "CLAUDE_CONFIG_DIR", "~", ".claude.json", {"mcpServers"}},
                  {"local", "CLAUDE_CONFIG_DIR", "~", ".claude.json", {"projects", "@", "mcpServers"}},
                  {"project", "", "@", ".mcp.json", {"mcpServers"}}},
       .typed = true,
       .url_key = "url",
       .header_variable = "${*}",
       .next = "claude mcp list shows whether it connects; a server of scope project waits there until you approve it in claude"},
      {.name = "codex",
       .title = "Codex",
       .syntax = toml,
       .places = {{"user", "CODEX_HOME", "~/.codex", "config.toml", {"mcp_servers"}},
                  {"project", "", "@", ".codex/config.toml", {"mcp_servers"}}},
       .url_key = "url",
       .header_variable = "",
       .next = "codex mcp list shows it; a server of scope project counts in folders that codex trusts"},
      {.name = "gemini",
       .title = "Gemini CLI",
       .syntax = commented_json,
       .places = {{"user", "GEMINI_CLI_HOME", "~", ".gemini/settings.json", {"mcpServers"}},
                  {"project", "", "@", ".gemini/settings.json", {"mcpServers"}}},
       .url_key = "httpUrl",
       .header_variable = "${*}",
       .next = "gemini mcp list shows whether it connects; it does so only in folders that gemini trusts"},
      {.name = "cursor",
       .title = "Cursor",
       .syntax = jsonc,
       .places = {{"user", "", "~", ".cursor/mcp.json", {"mcpServers"}},
                  {"project", "", "@", ".cursor/mcp.json", {"mcpServers"}}},
       .url_key = "url",
       .header_variable = "${env:*}",
       .next = "Cursor shows it under Settings, MCP"},
      {.name = "vscode",
       .title = "Visual Studio Code",
       .syntax = jsonc,
       .places = {{"user", "XDG_CONFIG_HOME", "~/.config", "Code/User/mcp.json", {"servers"}},
                  {"project", "", "@", ".vscode/mcp.json", {"servers"}}},
       .typed = true,
       .url_key = "url",
       .header_variable = "${env:*}",
       .next = "MCP: List Servers in the command palette shows and starts it"},
  };
  return kClients;
}

const Client* find_client(std::string_view name) {
  for (const Client& client : clients()) {
    if (client.name == name) return &client;
  }
  return nullptr;
}

}  // namespace plumbline::cli
