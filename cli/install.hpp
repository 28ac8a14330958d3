// `plumbline install`: writes this server into the configuration of an agent's client, so that the client starts it (or connects
// to its URL). What the clients have in common is code; what sets them apart is one table, in install_clients.cpp: a new client
// is one entry of it. Sources of the formats: each client's own `mcp add` and documentation; tests/clients asks the real ones.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/toml_edit.hpp"
#include "verbs/verb.hpp"

namespace plumbline::cli {

// One file that a client reads. `folder` is "~" (the home folder), "@" (the project's) or a folder under "~"; `variable`, when it
// is set in the environment, names that folder instead.
struct ConfigPlace {
  std::string_view scope;  // "user", "project", "local"
  std::string_view variable;
  std::string_view folder;
  std::string_view file;
  std::vector<std::string_view> keys;  // down to the servers by name; "@" stands for the project's folder
};

enum class ConfigSyntax : std::uint8_t { json, commented_json, jsonc, toml };  // jsonc: trailing commas are allowed too

struct Client {
  std::string_view name;   // of --client
  std::string_view title;  // "Claude Code"
  ConfigSyntax syntax = ConfigSyntax::json;
  std::vector<ConfigPlace> places;  // the first is the default scope
  bool typed = false;               // an entry says "type": "stdio" or "http"
  std::string_view url_key;
  std::string_view header_variable;  // how a header names a variable, "${*}"; "" = the key bearer_token_env_var
  std::string_view next;             // what to do in the client afterwards
};
[[nodiscard]] std::span<const Client> clients();
[[nodiscard]] const Client* find_client(std::string_view name);

// Where the client keeps the servers of one scope, for this user and project.
struct ConfigTarget {
  const Client* client = nullptr;
  const ConfigPlace* place = nullptr;
  std::string file;
  std::vector<std::string> keys;
};
using Environment = std::function<std::optional<std::string>(std::string_view)>;
// Error when the client has no such scope, or HOME is not set.
[[nodiscard]] core::Expected<ConfigTarget> config_target(const Client& client, std::string_view scope, const std::string& project,
                                                         const Environment& environment);
// The folder that "project" means: --repo-root, else the enclosing git work tree, else the working directory.
[[nodiscard]] core::Expected<std::string> project_folder(const verbs::Arguments& arguments, const verbs::Context& context);

// What is to stand in the file: a command, or a URL.
struct ServerEntry {
  std::string command;
  std::vector<std::string> args;
  std::string url, bearer_variable;
};
[[nodiscard]] Members entry_members(const Client& client, const ServerEntry& entry);
// The entry as it would be pasted into an empty file.
[[nodiscard]] std::string entry_snippet(const ConfigTarget& target, std::string_view name, const Members& members);
// nullopt: the file's text has no such entry.
[[nodiscard]] core::Expected<std::optional<Members>> find_entry(const ConfigTarget& target, std::string_view name,
                                                                std::string_view text);
[[nodiscard]] core::Expected<std::string> with_entry(const ConfigTarget& target, std::string_view name, std::string_view text,
                                                     const Members& members);
[[nodiscard]] core::Expected<std::string> without_entry(const ConfigTarget& target, std::string_view name, std::string_view text);

// Absolute path of this very program.
[[nodiscard]] core::Expected<std::string> own_program();

[[nodiscard]] const verbs::Verb& install_command();
[[nodiscard]] verbs::CommandOutcome run_install(std::span<const std::string> words, const verbs::Context& context);

}  // namespace plumbline::cli
