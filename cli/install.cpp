#include "cli/install.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <nlohmann/json.hpp>

#include "cli/config_file.hpp"
#include "cli/json_edit.hpp"
#include "cli/program.hpp"
#include "core/text.hpp"
#include "verbs/environment.hpp"

namespace plumbline::cli {
namespace {

using core::ErrorCode;
using core::Expected;
using Json = nlohmann::ordered_json;

std::vector<std::string> path_of(const ConfigTarget& target, std::string_view name) {
  auto path = target.keys;
  path.emplace_back(name);
  return path;
}

bool has(const Members& members, std::string_view key) {
  return std::any_of(members.begin(), members.end(), [key](const auto& member) { return member.first == key; });
}

Json value_of(const Members& members, std::string_view key) {
  for (const auto& [name, text] : members) {
    if (name == key) return Json::parse(text, nullptr, false);
  }
  return {Json::value_t::discarded};
}

bool says_already(const Members& there, const Members& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& member) { return value_of(there, member.first) == Json::parse(member.second); });
}

// A server that is started and one that is connected to have other keys: one cannot become the other by setting a few.
bool same_kind(const Members& there, const Members& wanted) {
  const bool url_agrees = has(wanted, "command") || has(there, "url") == has(wanted, "url");
  return has(there, "command") == has(wanted, "command") && url_agrees;
}

std::string args_text(const std::vector<std::string>& args) {
  std::string text = "[";
  for (const auto& arg : args) text += (text.size() > 1 ? ", " : "") + core::quoted(arg);
  return text + "]";
}

struct Asked {
  ConfigTarget target;
  std::string name;
  Members members;
  bool remove = false, dry_run = false;
};

core::Status check_name(std::string_view name) {
  const bool plain = !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
  if (plain) return {};
  return core::fail(ErrorCode::usage, "--name must be 1 to 64 letters, digits, \"_\" and \"-\", not " + core::quoted(name),
                    "clients make tool names of it: mcp__NAME__perf_baseline_diff");
}

core::Status check_url(std::string_view url) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return core::fail(ErrorCode::usage, "--http must be an http or https URL, not " + core::quoted(url),
                      "such as http://127.0.0.1:8321/mcp");
  }
  const auto authority = url.substr(url.find("//") + 2);
  if (authority.substr(0, authority.find('/')).find('@') != std::string_view::npos || url.find('?') != std::string_view::npos) {
    return core::fail(ErrorCode::usage, "--http must not carry credentials or a query",
                      "name the token's variable: --bearer-env VAR");
  }
  return {};
}

core::Status check_variable(std::string_view name) {
  const auto good = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (!name.empty() && std::all_of(name.begin(), name.end(), good) && std::isdigit(static_cast<unsigned char>(name[0])) == 0)
    return {};
  return core::fail(ErrorCode::usage, "--bearer-env must be the name of an environment variable, not its value",
                    "export PLUMBLINE_TOKEN=… and pass --bearer-env PLUMBLINE_TOKEN");
}

Expected<ServerEntry> entry_asked(const verbs::Arguments& arguments, std::vector<std::string> serve_flags) {
  ServerEntry entry;
  if (arguments.has("http")) {
    entry.url = arguments.text("http");
    entry.bearer_variable = arguments.text("bearer_env");
    if (!serve_flags.empty()) {
      return core::fail(ErrorCode::usage, "flags of serve behind -- and --http exclude each other",
                        "the server behind a URL has been started with its own flags");
    }
    if (auto good = check_url(entry.url); !good) return core::fail(good.error());
    if (arguments.has("bearer_env")) {
      if (auto good = check_variable(entry.bearer_variable); !good) return core::fail(good.error());
    }
    return entry;
  }
  if (arguments.has("bearer_env")) {
    return core::fail(ErrorCode::usage, "--bearer-env needs --http URL", "a server on standard input and output needs no token");
  }
  const auto line = verbs::parse_command_line(serve_command(), serve_flags);
  if (!line) return core::fail(line.error());
  auto program = own_program();
  if (!program) return core::fail(program.error());
  entry.command = std::move(*program);
  std::erase(serve_flags, "--stdio");
  entry.args = {"serve", "--stdio"};
  entry.args.insert(entry.args.end(), serve_flags.begin(), serve_flags.end());
  return entry;
}

Expected<Asked> understand_install(const verbs::Arguments& arguments, std::vector<std::string> serve_flags,
                                   const verbs::Context& context) {
  if (!arguments.has("client")) {
    std::vector<std::string> names;
    for (const Client& client : clients()) names.emplace_back(client.name);
    return core::fail(ErrorCode::usage, "--client is missing", "one of " + core::listed(names, names.size()));
  }
  const Client& client = *find_client(arguments.text("client"));
  Asked asked;
  asked.remove = arguments.flag("remove");
  asked.dry_run = arguments.flag("dry_run");
  asked.name = arguments.text("name", "plumbline");
  if (auto good = check_name(asked.name); !good) return core::fail(good.error());
  const auto project = project_folder(arguments, context);
  if (!project) return core::fail(project.error());
  auto target = config_target(client, arguments.text("scope", client.places.front().scope), *project, context.environment);
  if (!target) return core::fail(target.error());
  asked.target = std::move(*target);
  if (asked.remove) return asked;
  const auto entry = entry_asked(arguments, std::move(serve_flags));
  if (!entry) return core::fail(entry.error());
  asked.members = entry_members(client, *entry);
  return asked;
}

// What was done, for people and as --json.
struct Done {
  std::string action;  // "added", "updated", "unchanged", "removed", "absent"
  std::string backup, change;
};

std::string result_json(const Asked& asked, const Done& done) {
  Json entry = Json::object();
  for (const auto& [key, value] : asked.members) entry[key] = Json::parse(value);
  const bool written = !asked.dry_run && (done.action == "added" || done.action == "updated" || done.action == "removed");
  return Json{{"verb", "install"},
              {"client", asked.target.client->name},
              {"scope", asked.target.place->scope},
              {"file", asked.target.file},
              {"name", asked.name},
              {"action", done.action},
              {"written", written},
              {"backup", done.backup.empty() ? Json() : Json(done.backup)},
              {"entry", asked.remove ? Json() : std::move(entry)},
              {"change", asked.dry_run ? Json(done.change) : Json()}}
      .dump(2);
}

std::string result_text(const Asked& asked, const Done& done) {
  const std::string what = core::quoted(asked.name) + " in " + asked.target.file;
  if (done.action == "unchanged") return "already there: " + what + "\n";
  if (done.action == "absent") return "not there: " + what + "\n";
  if (asked.dry_run) return done.change;
  std::string text = done.action + " " + what + "\n";
  if (!done.backup.empty()) text += "backup  " + done.backup + "\n";
  if (!asked.remove) text += "next    " + std::string(asked.target.client->next) + "\n";
  return text;
}

// The edit itself. Errors of the text name its line; the caller says which file, and what to paste.
Expected<std::pair<std::string, std::string>> edited(const Asked& asked, const ConfigFile& file) {
  using Result = std::pair<std::string, std::string>;  // action, new text
  const auto there = find_entry(asked.target, asked.name, file.text);
  if (!there) return core::fail(there.error());
  if (asked.remove) {
    if (!*there) return Result("absent", file.text);
    auto text = without_entry(asked.target, asked.name, file.text);
    if (!text) return core::fail(text.error());
    return Result("removed", std::move(*text));
  }
  if (*there && says_already(**there, asked.members) && same_kind(**there, asked.members)) return Result("unchanged", file.text);
  std::string before = file.text;
  if (*there && !same_kind(**there, asked.members)) {
    auto text = without_entry(asked.target, asked.name, before);
    if (!text) return core::fail(text.error());
    before = std::move(*text);
  }
  auto text = with_entry(asked.target, asked.name, before, asked.members);
  if (!text) return core::fail(text.error());
  return Result(*there ? "updated" : "added", std::move(*text));
}

// Our own work is read again before it is written: a text that does not say what was asked never reaches the disk.
core::Status check_edited(const Asked& asked, const std::string& text) {
  const auto entry = find_entry(asked.target, asked.name, text);
  const bool good = entry && entry->has_value() != asked.remove && (asked.remove || says_already(**entry, asked.members));
  if (good) return {};
  return core::fail(ErrorCode::internal, "the edit of " + asked.target.file + " went wrong; nothing was written",
                    "please report it with the file's text");
}

}  // namespace

Expected<std::string> own_program() {
  std::array<char, PATH_MAX> path{};
  const auto size = ::readlink("/proc/self/exe", path.data(), path.size());
  const std::string program(path.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  if (program.empty() || ::access(program.c_str(), X_OK) != 0 || !core::is_valid_utf8(program)) {
    return core::fail(ErrorCode::environment, "cannot tell the path of this program" + (program.empty() ? "" : ": " + program),
                      "run it from where it is to stay");
  }
  return program;
}

Expected<std::string> project_folder(const verbs::Arguments& arguments, const verbs::Context& context) {
  verbs::Context bare = context;  // the project is where the client is started, not where the registry's variables point
  bare.environment = [](std::string_view) { return std::optional<std::string>(); };
  auto root = verbs::root_of(arguments, bare);
  return root || arguments.has("repo_root") ? root : Expected<std::string>(context.cwd);
}

Expected<ConfigTarget> config_target(const Client& client, std::string_view scope, const std::string& project,
                                     const Environment& environment) {
  const auto place =
      std::find_if(client.places.begin(), client.places.end(), [scope](const auto& p) { return p.scope == scope; });
  if (place == client.places.end()) {
    std::vector<std::string> scopes;
    for (const auto& one : client.places) scopes.emplace_back(one.scope);
    return core::fail(ErrorCode::usage, std::string(client.title) + " has no scope " + core::quoted(scope),
                      "it has " + core::listed(scopes));
  }
  ConfigTarget target{&client, &*place, {}, {}};
  const auto named = place->variable.empty() ? std::nullopt : environment(place->variable);
  if (named && named->starts_with('/')) {
    target.file = *named;
  } else if (place->folder == "@") {
    target.file = project;
  } else {
    const auto home = environment("HOME");
    if (!home || !home->starts_with('/')) {
      return core::fail(ErrorCode::environment,
                        "HOME is not set, so there is no place for " + std::string(client.title) + "'s file",
                        "set HOME, or choose --scope project");
    }
    target.file = *home + std::string(place->folder.substr(1));
  }
  target.file += "/" + std::string(place->file);
  for (const auto key : place->keys) target.keys.push_back(key == "@" ? project : std::string(key));
  return target;
}

Members entry_members(const Client& client, const ServerEntry& entry) {
  Members members;
  if (client.typed) members.emplace_back("type", entry.url.empty() ? "\"stdio\"" : "\"http\"");
  if (entry.url.empty()) {
    members.emplace_back("command", core::quoted(entry.command));
    members.emplace_back("args", args_text(entry.args));
    return members;
  }
  members.emplace_back(client.url_key, core::quoted(entry.url));
  if (entry.bearer_variable.empty()) return members;
  if (client.header_variable.empty()) {
    members.emplace_back("bearer_token_env_var", core::quoted(entry.bearer_variable));
  } else {
    std::string variable(client.header_variable);
    variable.replace(variable.find('*'), 1, entry.bearer_variable);
    members.emplace_back("headers", Json{{"Authorization", "Bearer " + variable}}.dump());
  }
  return members;
}

Expected<std::optional<Members>> find_entry(const ConfigTarget& target, std::string_view name, std::string_view text) {
  const auto path = path_of(target, name);
  if (target.client->syntax == ConfigSyntax::toml) return toml_table(text, path);
  if (target.client->syntax != ConfigSyntax::jsonc) {
    const bool comments_allowed = target.client->syntax == ConfigSyntax::commented_json;
    if (auto strict = check_strict_json(text, comments_allowed); !strict) return core::fail(strict.error());
  }
  const auto entry = json_member(text, path);
  if (!entry) return core::fail(entry.error());
  if (!*entry) return std::optional<Members>();
  const Json object = Json::parse(**entry, nullptr, false);
  if (!object.is_object()) {
    return core::fail(ErrorCode::invalid_input, core::quoted(name) + " is there, but is not an object");
  }
  Members members;
  for (const auto& [key, value] : object.items()) members.emplace_back(key, value.dump());
  return std::optional(std::move(members));
}

Expected<std::string> with_entry(const ConfigTarget& target, std::string_view name, std::string_view text,
                                 const Members& members) {
  auto path = path_of(target, name);
  if (target.client->syntax == ConfigSyntax::toml) return with_toml_keys(text, path, members);
  const auto there = find_entry(target, name, text);
  if (!there) return core::fail(there.error());
  if (!*there) {
    Json entry = Json::object();
    for (const auto& [key, value] : members) entry[key] = Json::parse(value);
    return with_json_member(text, path, entry.dump());
  }
  std::string out(text);
  path.emplace_back();
  for (const auto& [key, value] : members) {  // keys that say so already are left as they are written
    if (value_of(**there, key) == Json::parse(value)) continue;
    path.back() = key;
    auto edit = with_json_member(out, path, value);
    if (!edit) return edit;
    out = std::move(*edit);
  }
  return out;
}

Expected<std::string> without_entry(const ConfigTarget& target, std::string_view name, std::string_view text) {
  const auto path = path_of(target, name);
  return target.client->syntax == ConfigSyntax::toml ? without_toml_table(text, path) : without_json_member(text, path);
}

std::string entry_snippet(const ConfigTarget& target, std::string_view name, const Members& members) {
  const auto text = with_entry(target, name, "", members);
  return text ? *text : std::string();
}

const verbs::Verb& install_command() {
  using enum verbs::ParamKind;
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const Client& client : clients()) names.push_back(client.name);
    return names;
  }();
  static const verbs::Verb kInstall{
      .name = "install",
      .tool = "",
      .tool_aliases = {},
      .library = "",
      .title = "Register the server with an agent's client",
      .summary =
          "Add the MCP server to a client's configuration. Everything else in it is kept, and so is a backup beside it. Flags "
          "behind -- are added to those of serve. plumbline doctor then says whether it works.",
      .safety = "",
      .destructive = false,
      .idempotent = true,
      .params =
          {
              {.name = "client",
               .kind = choice,
               .doc = "the client whose configuration to write",
               .required = true,
               .choices = kNames},
              {.name = "scope",
               .kind = choice,
               .doc = "for you everywhere (default), for all in this project, or for you in this "
                      "project (claude)",
               .choices = {"user", "project", "local"}},
              {.name = "name",
               .kind = string,
               .value_name = "NAME",
               .doc = "the server's name there (default plumbline); "
                      "profile_and_optimize keeps older allow-lists working"},
              {.name = "http", .kind = string, .value_name = "URL", .doc = "connect to a running server instead of starting one"},
              {.name = "bearer_env",
               .kind = string,
               .value_name = "VAR",
               .doc = "with --http: the variable that holds the token"},
              {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "the project (default: the git work tree)"},
              {.name = "remove", .kind = boolean, .doc = "take the entry out again"},
              {.name = "dry_run", .kind = boolean, .doc = "show what would change and write nothing"},
          },
      .output_schema = {},
      .examples = {"plumbline install --client claude --scope project --dry-run",
                   "plumbline install --client codex --name profile_and_optimize --dry-run -- --read-only"},
      .run = nullptr,
  };
  return kInstall;
}

verbs::CommandOutcome run_install(std::span<const std::string> words, const verbs::Context& context) {
  verbs::CommandOutcome outcome;
  const auto failed = [&outcome](const core::Error& error) {
    outcome.exit_status = verbs::exit_status(error.code);
    outcome.err = verbs::error_text(error);
    return outcome;
  };
  const auto separator = std::find(words.begin(), words.end(), "--");
  std::vector<std::string> serve_flags(separator == words.end() ? separator : separator + 1, words.end());
  const auto line = verbs::parse_command_line(install_command(), {words.begin(), separator});
  if (!line) return failed(line.error());
  if (line->help) {
    outcome.out = verbs::help_text(install_command());
    return outcome;
  }
  const auto asked = understand_install(line->arguments, std::move(serve_flags), context);
  if (!asked) return failed(asked.error());
  const auto file = read_config(asked->target.file);
  if (!file) return failed(file.error());
  const auto edit = edited(*asked, *file);
  if (!edit) {
    core::Error error = edit.error();
    error.message = file->path + ": " + error.message;
    error.hint =
        "nothing was written; " + std::string(asked->remove ? "take the entry out by hand" : "fix it, or add this by hand");
    failed(error);
    const std::string snippet = asked->remove ? "" : entry_snippet(asked->target, asked->name, asked->members);
    (line->json ? outcome.err : outcome.out) += snippet;
    return outcome;
  }
  const auto& [action, text] = *edit;
  Done done{action, {}, change_text(file->path, file->text, text)};
  if (action != "unchanged" && action != "absent") {
    if (auto good = check_edited(*asked, text); !good) return failed(good.error());
    if (!asked->dry_run) {
      auto backup = replace_config(*file, text, asked->target.place->folder != "@", context.now());
      if (!backup) return failed(backup.error());
      done.backup = std::move(*backup);
    }
  }
  outcome.json = result_json(*asked, done);
  outcome.out = line->json ? outcome.json + "\n" : result_text(*asked, done);
  return outcome;
}

}  // namespace plumbline::cli
