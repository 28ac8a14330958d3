#include "cli/doctor.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/config_file.hpp"
#include "cli/doctor_machine.hpp"
#include "cli/install.hpp"
#include "cli/mcp_checks.hpp"
#include "cli/peer.hpp"
#include "cli/program.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/environment.hpp"
#include "verbs/run/request.hpp"

namespace plumbline::cli {
namespace {

using core::Error;
using core::ErrorCode;
using core::Expected;
using Json = nlohmann::ordered_json;

// What to examine: a program, a socket or a URL, and which words of `serve` it was given.
struct Subject {
  std::string title;
  Program program;
  std::string url, token, token_from, socket;
};

// ${VAR}, ${VAR:-otherwise}, ${env:VAR} and ${workspaceFolder} as clients expand them; what is not set stays as it is.
std::string expanded(std::string_view text, const verbs::Context& context) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find("${");
    const auto close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    out += text.substr(0, open);
    std::string_view name = text.substr(open + 2, close - open - 2);
    const auto dash = name.find(":-");
    std::optional<std::string> value;
    if (dash != std::string_view::npos) value = std::string(name.substr(dash + 2));
    name = name.substr(0, dash);
    if (name == "workspaceFolder") value = context.cwd;
    if (name.starts_with("env:")) name.remove_prefix(4);
    if (auto set = context.environment(name)) value = std::move(set);
    out += value ? *value : std::string(text.substr(open, close + 1 - open));
    text.remove_prefix(close + 1);
  }
  return out + std::string(text);
}

Json member(const Members& members, std::string_view key) {
  for (const auto& [name, text] : members) {
    if (name == key) return Json::parse(text, nullptr, false);
  }
  return {};
}

std::string text_member(const Members& members, std::string_view key, const verbs::Context& context) {
  const Json value = member(members, key);
  return value.is_string() ? expanded(value.get<std::string>(), context) : std::string();
}

void take_token(const Members& entry, const verbs::Context& context, Subject& subject) {
  const std::string variable = text_member(entry, "bearer_token_env_var", context);
  const Json headers = member(entry, "headers");
  std::string header = headers.is_object() ? headers.value("Authorization", std::string()) : std::string();
  if (!variable.empty()) header = "Bearer ${" + variable + "}";
  if (!header.starts_with("Bearer ")) return;
  subject.token = expanded(header.substr(7), context);
  subject.token_from = header.substr(7);
}

Subject subject_of(const Members& entry, const Client& client, const verbs::Context& context) {
  Subject subject;
  subject.url = text_member(entry, client.url_key, context);
  if (subject.url.empty()) subject.url = text_member(entry, "url", context);
  if (!subject.url.empty()) {
    take_token(entry, context, subject);
    return subject;
  }
  subject.program.argv.push_back(text_member(entry, "command", context));
  for (const auto& arg : member(entry, "args")) {
    if (arg.is_string()) subject.program.argv.push_back(expanded(arg.get<std::string>(), context));
  }
  const Json variables = member(entry, "env");
  if (variables.is_object()) {
    for (const auto& [name, value] : variables.items()) {
      if (value.is_string()) subject.program.environment.emplace_back(name, expanded(value.get<std::string>(), context));
    }
  }
  subject.program.folder = text_member(entry, "cwd", context);
  return subject;
}

// The names an entry may have: the one asked for, else both of ours.
std::vector<std::string> names_asked(const verbs::Arguments& arguments) {
  if (arguments.has("name")) return {arguments.text("name")};
  return {"plumbline", "profile_and_optimize"};
}

// The client's entry, from the nearest scope that has one. Every file that is there is read, so that a broken one is seen.
std::optional<Subject> configured_subject(const verbs::Arguments& arguments, const verbs::Context& context, Checks& checks) {
  const Client& client = *find_client(arguments.text("client"));
  const auto project = project_folder(arguments, context);
  if (!project) {
    checks.fault("configuration", project.error());
    return std::nullopt;
  }
  std::optional<Subject> subject;
  std::vector<std::string> looked;
  for (const std::string_view scope : {"local", "project", "user"}) {
    if (arguments.has("scope") && arguments.text("scope") != scope) continue;
    const auto has_scope = [scope](const ConfigPlace& place) { return place.scope == scope; };
    if (!arguments.has("scope") && std::none_of(client.places.begin(), client.places.end(), has_scope)) continue;
    const auto target = config_target(client, scope, *project, context.environment);
    if (!target) {
      checks.fault("configuration", target.error());
      continue;
    }
    const auto file = read_config(target->file);
    if (!file) {
      checks.fault("configuration", file.error());
      continue;
    }
    if (!file->exists) {
      looked.push_back(target->file);
      continue;
    }
    for (const std::string& name : names_asked(arguments)) {
      const auto entry = find_entry(*target, name, file->text);
      if (!entry) {
        checks.fault("configuration", {ErrorCode::invalid_input,
                                       target->file + ": " + entry.error().message,
                                       std::string(client.title) + " cannot read it either: fix that line",
                                       {}});
        break;
      }
      if (!*entry || subject) continue;
      subject = subject_of(**entry, client, context);
      subject->title = core::quoted(name) + " in " + target->file + " (" + std::string(scope) + ")";
      checks.ok("configuration", subject->title);
    }
    if (looked.empty() || looked.back() != target->file) looked.push_back(target->file);
  }
  if (!subject &&
      std::none_of(checks.all().begin(), checks.all().end(), [](const Check& c) { return c.level == Check::Level::fault; })) {
    checks.fault("configuration", {ErrorCode::not_found,
                                   "no entry " + core::listed(names_asked(arguments)) + " in " + core::listed(looked),
                                   "plumbline install --client " + std::string(client.name),
                                   {}});
  }
  return subject;
}

// argv[0] made absolute; false, with a fault, when it cannot be started.
bool check_program(Program& program, const verbs::Context& context, Checks& checks) {
  std::string& path = program.argv.front();
  const auto fault = [&checks](ErrorCode code, std::string detail, std::string advice) {
    checks.fault("program", {code, std::move(detail), std::move(advice), {}});
    return false;
  };
  if (path.empty()) return fault(ErrorCode::invalid_input, "the entry has no command", "plumbline install writes one");
  if (path.find('/') == std::string::npos) {
    const auto found = verbs::find_program(path, context);
    if (!found) return fault(ErrorCode::not_found, path + " is not on PATH", "plumbline install writes the absolute path");
    checks.warning("program", path + " is found on PATH as " + *found,
                   "a client that is started elsewhere may have another PATH; plumbline install writes the absolute path");
    path = *found;
    return true;
  }
  if (!path.starts_with('/')) path = context.cwd + "/" + path;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    return fault(ErrorCode::not_found, path + " does not exist", "plumbline install from where it is now");
  if (!S_ISREG(info.st_mode) || ::access(path.c_str(), X_OK) != 0) {
    return fault(ErrorCode::environment, path + " cannot be executed", "chmod +x " + path);
  }
  const auto own = own_program();
  struct stat mine {};
  const bool same = own && ::stat(own->c_str(), &mine) == 0 && mine.st_ino == info.st_ino && mine.st_dev == info.st_dev;
  checks.ok("program", path + (same ? "" : " (not this program)"));
  return true;
}

bool in_work_tree(std::string folder) {
  struct stat info {};
  for (;; folder.erase(folder.rfind('/'))) {
    if (::stat((folder + "/.git").c_str(), &info) == 0) return true;
    if (folder.find('/') == std::string::npos) return false;
  }
}

// The registry's root as the server resolves it, from its own words and surroundings.
void check_root(const Program& program, const verbs::Context& context, Checks& checks) {
  verbs::Context there = context;
  if (!program.folder.empty()) there.cwd = program.folder;
  there.environment = [&program, &context](std::string_view name) {
    for (const auto& [key, value] : program.environment) {
      if (key == name) return std::optional<std::string>(value);
    }
    return context.environment(name);
  };
  const auto serve = std::find(program.argv.begin(), program.argv.end(), "serve");
  if (serve == program.argv.end()) return;
  const auto line = verbs::parse_command_line(serve_command(), {serve + 1, program.argv.end()});
  if (!line) return;  // the server has refused these words itself, and "start" has said so
  const auto root = verbs::root_of(line->arguments, there);
  if (!root)
    return checks.warning("root", root.error().message,
                          "every call must name its repo_root, or: plumbline install … -- --repo-root DIR");
  std::string folder = *root + "/experiments/artifacts";
  while (::access(folder.c_str(), F_OK) != 0 && folder != *root) folder.erase(folder.rfind('/'));
  if (line->arguments.flag("read_only") || ::access(folder.c_str(), W_OK) == 0) {
    checks.ok("root", *root + (line->arguments.flag("read_only") ? ", read only as asked" : ", can be written"));
  } else {
    checks.fault("root", {ErrorCode::environment,
                          folder + " cannot be written",
                          "make it writable for uid " + std::to_string(::geteuid()) + ", or serve with --read-only",
                          {}});
  }
  if (in_work_tree(*root)) return checks.ok("git", "a git work tree");
  checks.warning("git", *root + " is in no git work tree", "entries will not say which commit they belong to");
}

void check_helpers(const verbs::Context& context, Checks& checks) {
  const auto nsys = verbs::find_program("nsys", context);
  checks.ok("nsys", nsys ? *nsys : "not on PATH; captures are read as .sqlite and as folders of CSV reports");
}

void examine_program(Program program, const PeerLimits& limits, const verbs::Context& context, Checks& checks) {
  if (!check_program(program, context, checks)) return;
  if (program.folder.empty()) program.folder = context.cwd;
  const auto started = std::chrono::steady_clock::now();
  auto peer = start_program(program, limits);
  if (!peer) return checks.fault("start", peer.error());
  check_legacy(**peer, started, checks);
  const bool speaks = checks.all().back().name != "start" || checks.all().back().level != Check::Level::fault;
  if (speaks) {
    check_remains((*peer)->end(), checks);
    peer = start_program(program, limits);
    if (!peer) return checks.fault("discover", peer.error());
    check_modern(**peer, checks);
    static_cast<void>((*peer)->end());
  } else if (const auto remains = (*peer)->end(); remains.foreign_lines != 0) {
    check_remains(remains, checks);  // why it did not answer
  }
  check_root(program, context, checks);
  check_helpers(context, checks);
}

// A socket or a URL: a connection for each era.
template <class Connect>
void examine_connection(const Connect& connect, Checks& checks) {
  for (const bool modern : {false, true}) {
    const auto started = std::chrono::steady_clock::now();
    auto peer = connect();
    if (!peer) return checks.fault("connection", peer.error());
    const std::size_t before = checks.all().size();
    modern ? check_modern(**peer, checks) : check_legacy(**peer, started, checks);
    static_cast<void>((*peer)->end());
    const Check& first = checks.all()[before];
    if (first.level == Check::Level::fault && first.name == "start") return;  // the other era fails in the same way
  }
}

void examine_url(const Subject& subject, const PeerLimits& limits, Checks& checks) {
  if (!subject.token_from.empty()) {
    if (subject.token.empty() || subject.token.starts_with("${")) {
      return checks.fault(
          "token", {ErrorCode::environment, subject.token_from + " is not set", "export it where the client is started", {}});
    }
    checks.ok("token", "from " + (subject.token == subject.token_from ? std::string("the configuration") : subject.token_from));
  }
  examine_connection([&] { return connect_http(subject.url, subject.token, limits); }, checks);
}

Expected<Subject> named_subject(const verbs::Arguments& arguments, const verbs::Context& context) {
  Subject subject;
  if (arguments.has("http")) {
    subject.title = subject.url = arguments.text("http");
  } else if (arguments.has("unix")) {
    const std::string path = arguments.text("unix");
    subject.title = subject.socket = path.starts_with('/') ? path : context.cwd + "/" + path;
  } else {
    auto own = own_program();
    if (!own) return core::fail(own.error());
    subject.program.argv = {std::move(*own), "serve", "--stdio"};
    if (arguments.has("repo_root")) {
      subject.program.argv.emplace_back("--repo-root");
      subject.program.argv.push_back(arguments.text("repo_root"));
    }
    subject.title = "plumbline serve --stdio";
  }
  return subject;
}

core::Status check_words(const verbs::Arguments& arguments) {
  int subjects = 0;
  for (const char* name : {"client", "http", "unix"}) subjects += arguments.has(name) ? 1 : 0;
  if (subjects > 1) {
    return core::fail(ErrorCode::usage, "--client, --http and --unix exclude each other", "name one thing to examine");
  }
  for (const char* name : {"scope", "name"}) {
    if (arguments.has(name) && !arguments.has("client")) {
      return core::fail(ErrorCode::usage, "--" + std::string(name) + " needs --client",
                        "it says where in a client's configuration to look");
    }
  }
  if (arguments.has("token_env") && !arguments.has("http")) {
    return core::fail(ErrorCode::usage, "--token-env needs --http URL", "a client's entry names its token's variable itself");
  }
  const double seconds = arguments.number("timeout").value_or(10.0);
  if (seconds < 0.1 || seconds > 600.0) {
    return core::fail(ErrorCode::usage, "--timeout must be between 0.1 and 600 seconds, not " + core::short_number(seconds));
  }
  return {};
}

std::string_view level_text(Check::Level level) {
  return level == Check::Level::ok ? "ok" : level == Check::Level::warning ? "warning" : "fault";
}

std::string table(const Checks& checks) {
  std::string text;
  const auto column = [&text](std::string_view word, std::size_t width) {
    text += word;
    text.append(word.size() < width ? width - word.size() : 1, ' ');
  };
  for (const Check& check : checks.all()) {
    column(level_text(check.level), 9);
    column(check.name, 15);
    text += check.detail + "\n";
    if (check.advice.empty()) continue;
    column("", 9);
    column("what to do", 15);
    text += check.advice + "\n";
  }
  return text;
}

std::string summary(std::size_t faults, std::size_t warnings) {
  if (faults + warnings == 0) return "everything is right\n";
  std::string text = faults == 0 ? "no fault" : core::counted(faults, "fault");
  if (warnings != 0) text += ", " + core::counted(warnings, "warning");
  return text + "\n";
}

verbs::CommandOutcome outcome_of(const std::string& title, const Checks& checks, bool json) {
  verbs::CommandOutcome outcome;
  std::size_t faults = 0;
  std::size_t warnings = 0;
  Json list = Json::array();
  for (const Check& check : checks.all()) {
    list.push_back({{"name", check.name},
                    {"level", level_text(check.level)},
                    {"detail", check.detail},
                    {"advice", check.advice.empty() ? Json() : Json(check.advice)}});
    if (!check.figures.empty()) list.back()["figures"] = Json::parse(check.figures);
    warnings += check.level == Check::Level::warning ? 1 : 0;
    if (check.level != Check::Level::fault) continue;
    const int status = verbs::exit_status(check.code);
    outcome.exit_status = faults++ == 0 ? status : std::min(status, outcome.exit_status);
  }
  outcome.json = Json{{"verb", "doctor"}, {"subject", title},     {"ok", faults == 0},
                      {"faults", faults}, {"warnings", warnings}, {"checks", std::move(list)}}
                     .dump(2, ' ', false, Json::error_handler_t::replace);
  outcome.out = json ? outcome.json + "\n" : table(checks) + summary(faults, warnings);
  return outcome;
}

}  // namespace

const verbs::Verb& doctor_command() {
  using enum verbs::ParamKind;
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const Client& client : clients()) names.push_back(client.name);
    return names;
  }();
  static const verbs::Verb kDoctor{
      .name = "doctor",
      .tool = "",
      .tool_aliases = {},
      .library = "",
      .title = "Check that agents can use the server, or check the machine",
      .summary =
          "Check that a client can use the server: start it as the client's configuration says, or connect to a running one, "
          "call it in both revisions of the protocol, and say of each requirement whether it is met. Without --client, --http or "
          "--unix: this program itself.",
      .safety = "",
      .destructive = false,
      .idempotent = true,
      .params =
          {
              {.name = "client", .kind = choice, .doc = "the client whose configuration to examine", .choices = kNames},
              {.name = "scope",
               .kind = choice,
               .doc = "only this scope (default: local, project, user, the first that has an entry)",
               .choices = {"user", "project", "local"}},
              {.name = "name",
               .kind = string,
               .value_name = "NAME",
               .doc = "the entry's name (default plumbline, else profile_and_optimize)"},
              {.name = "http", .kind = string, .value_name = "URL", .doc = "a server on this machine, over plain HTTP"},
              {.name = "unix", .kind = path, .value_name = "PATH", .doc = "a server on a Unix socket"},
              {.name = "token_env", .kind = string, .value_name = "VAR", .doc = "with --http: the variable that holds the token"},
              {.name = "machine",
               .kind = boolean,
               .doc = "check this machine instead: what to change before measuring on it, and the smallest change that can be "
                      "detected on it"},
              {.name = "budget",
               .kind = string,
               .value_name = "TIME",
               .doc = "with --machine: how long its noise is measured (default 2m)"},
              {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "the project (default: the git work tree)"},
              {.name = "timeout", .kind = number, .value_name = "SECONDS", .doc = "longest wait for one answer (default 10)"},
          },
      .output_schema = {},
      .examples = {"plumbline doctor --repo-root ."},
      .run = nullptr,
  };
  return kDoctor;
}

verbs::CommandOutcome run_doctor(std::span<const std::string> words, const verbs::Context& context) {
  verbs::CommandOutcome outcome;
  const auto failed = [&outcome](const Error& error) {
    outcome.exit_status = verbs::exit_status(error.code);
    outcome.err = verbs::error_text(error);
    return outcome;
  };
  const auto line = verbs::parse_command_line(doctor_command(), words);
  if (!line) return failed(line.error());
  if (line->help) {
    outcome.out = verbs::help_text(doctor_command());
    return outcome;
  }
  const verbs::Arguments& arguments = line->arguments;
  if (auto good = check_words(arguments); !good) return failed(good.error());
  Checks checks;
  if (arguments.flag("machine")) {
    const auto seconds = verbs::parse_duration(arguments.text("budget", "2m"));
    if (!seconds) {
      return failed(
          {ErrorCode::usage, "--budget " + core::cited(arguments.text("budget")) + " is no time", "write 90s, 2m or 10m", {}});
    }
    check_machine(*seconds, context, checks);
    return outcome_of("this machine", checks, line->json);
  }
  std::optional<Subject> subject;
  if (arguments.has("client")) {
    subject = configured_subject(arguments, context, checks);
  } else {
    auto named = named_subject(arguments, context);
    if (!named) return failed(named.error());
    subject = std::move(*named);
  }
  if (subject && arguments.has("token_env")) {
    subject->token_from = "${" + arguments.text("token_env") + "}";
    subject->token = expanded(subject->token_from, context);
  }
  PeerLimits limits;
  limits.answer = std::chrono::milliseconds(std::llround(arguments.number("timeout").value_or(10.0) * 1000.0));
  limits.cancelled = context.cancelled;
  if (subject && !subject->url.empty()) {
    examine_url(*subject, limits, checks);
  } else if (subject && !subject->socket.empty()) {
    examine_connection([&] { return connect_unix(subject->socket, limits); }, checks);
  } else if (subject) {
    examine_program(std::move(subject->program), limits, context, checks);
  }
  return outcome_of(subject ? subject->title : "plumbline in " + arguments.text("client"), checks, line->json);
}

}  // namespace plumbline::cli
