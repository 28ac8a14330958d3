#include "cli/program.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "cli/bug_report.hpp"
#include "cli/doctor.hpp"
#include "cli/guide/guide.hpp"
#include "cli/hook.hpp"
#include "cli/install.hpp"
#include "cli/remote.hpp"
#include "cli/standard_input.hpp"
#include "cli/terminal.hpp"
#include "core/text.hpp"
#include "server/server.hpp"
#include "server/uploading.hpp"

namespace plumbline::cli {
namespace {

using verbs::ErrorCode;

std::atomic<bool> g_cancelled{false};
std::atomic<int> g_signal{0};  // which one it was
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free, "a signal handler sets them");

// The first interrupt asks the verb to stop, so that it cleans up and publishes nothing; the second ends the process.
void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    g_signal.store(signal, std::memory_order_relaxed);
    g_cancelled.store(true, std::memory_order_relaxed);
  };
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // A terminal that is closed; but who asked by nohup to go on is not stopped.
  struct sigaction hangup {};
  if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
}

// A reader that goes away is seen as EPIPE by whoever writes, not as a sudden death in the middle of a publication.
void ignore_broken_pipes() {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

std::optional<std::string> environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string working_directory() {
  std::array<char, PATH_MAX> buffer{};
  return ::getcwd(buffer.data(), buffer.size()) == nullptr ? std::string("/") : std::string(buffer.data());
}

// As it could be typed again; only for provenance.
std::string command_text(std::span<const std::string> words) {
  std::string text = "plumbline";
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                            "@%+=:,./_-") == std::string::npos;
    text += ' ';
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

// Prints both; standard output that cannot take the result is an error of the environment, a reader that left is not.
int print(std::string_view out, std::string_view err, int status) {
  const Written printed = write_all(STDOUT_FILENO, out);
  static_cast<void>(write_all(STDERR_FILENO, err));
  if (printed.ok || printed.closed) return status;
  const verbs::Error error{
      ErrorCode::environment, std::string("cannot write to standard output: ") + std::strerror(printed.error), {}, {}};
  static_cast<void>(write_all(STDERR_FILENO, verbs::error_text(error)));
  return verbs::exit_status(error.code);
}

int print_error(const verbs::Error& error) { return print({}, verbs::error_text(error), verbs::exit_status(error.code)); }

// What was stopped by a signal ends as shells tell it, 130 after Ctrl-C; what was done all the same keeps its status.
int status_of(int status) {
  const int signal = g_signal.load(std::memory_order_relaxed);
  return signal != 0 && status == verbs::exit_status(ErrorCode::cancelled) ? 128 + signal : status;
}

// The call's surroundings, without progress.
verbs::Context caller_context(std::span<const std::string> words) {
  verbs::Context context;
  context.cwd = working_directory();
  context.environment = environment;
  context.now = [] { return std::chrono::system_clock::now(); };
  context.cancelled = &g_cancelled;
  context.command = command_text(words);
  context.runs_hooks = true;
  context.width = static_cast<int>(answer_width(STDOUT_FILENO, environment));
  return context;
}

// The answer as standard output takes it.
std::string as_shown(const verbs::CommandOutcome& command) {
  std::string out = wants_colour(STDOUT_FILENO, command.color, environment) ? command.out : without_colour(command.out);
  return wants_ascii(STDOUT_FILENO, environment) ? in_ascii(out) : out;
}

int run_verb(const Invocation& invocation, std::span<const std::string> words, const Remote& remote) {
  const auto asked = is_asked_of(remote, *invocation.verb);
  if (!asked) return print_error(asked.error());
  watch_interrupts();
  ProgressLine progress(STDERR_FILENO, invocation.verb->name);
  verbs::Context context = caller_context(words);
  if (progress.wanted()) {
    context.progress = [&progress](double fraction, std::string_view message) { progress.show(fraction, message); };
  }
  context.tell = [&progress](const verbs::Error& error) {
    progress.clear();
    static_cast<void>(write_all(STDERR_FILENO, verbs::error_text(error)));
  };
  StandardInput input;
  std::vector<std::string> given(invocation.words.begin(), invocation.words.end());
  if (auto ok = input.take(*invocation.verb, given, context); !ok) return status_of(print_error(ok.error()));
  const auto command =
      *asked ? run_remote(remote, *invocation.verb, given, context) : verbs::run_command(*invocation.verb, given, context);
  progress.clear();
  const int status = print(as_shown(command), command.err, status_of(command.exit_status));
  if (command.hook) static_cast<void>(write_all(STDERR_FILENO, run_hook(*command.hook, &g_cancelled)));
  return status;
}

int run_own(const Invocation& invocation, std::span<const std::string> words) {
  watch_interrupts();
  const auto command = find_own_command(invocation.verb->name)->run(invocation.words, caller_context(words));
  return print(as_shown(command), command.err, status_of(command.exit_status));
}

constexpr std::int64_t kMostJobs = 256, kMostMemory = std::int64_t{1} << 24;  // MiB

// An integer flag within its bounds, or nothing when it is not given.
core::Expected<std::optional<std::int64_t>> bounded(const verbs::Arguments& given, const char* name, std::int64_t least,
                                                    std::int64_t most) {
  const auto value = given.integer(name);
  if (!value || (*value >= least && *value <= most)) return value;
  std::string flag = std::string("--") + name;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return core::fail(ErrorCode::usage,
                    flag + " must be " + std::to_string(least) + " to " + std::to_string(most) + ": " + std::to_string(*value),
                    {}, flag);
}

int run_serve(std::span<const std::string> words) {
  const auto line = verbs::parse_command_line(serve_command(), words);
  if (!line) return print_error(line.error());
  if (line->help) return print(verbs::help_text(serve_command()), {}, 0);
  const verbs::Arguments& given = line->arguments;
  server::ServeOptions options;
  options.cwd = working_directory();
  options.drop_in = given.flag("drop_in");
  options.read_only = given.flag("read_only");
  options.tools = given.list("tools");
  options.site = !given.flag("no_site");
  options.allowed_roots = given.list("allow_root");
  options.allow_run = given.text("allow_run");
  if (given.has("repo_root")) options.repo_root = given.text("repo_root");
  const auto level = server::Log::parse(given.text("log_level", "info"));
  if (!level) return print_error(level.error());
  auto passed = server::passed_sockets();
  if (!passed) return print_error(passed.error());
  server::ServingOptions serving;
  serving.passed = std::move(*passed);
  serving.log_level = *level;
  serving.stdio = given.flag("stdio");
  serving.unix_sockets = given.list("unix");
  serving.tcp = given.list("tcp");
  serving.http = given.list("http");
  serving.tls_certificate = given.text("tls_cert");
  serving.tls_key = given.text("tls_key");
  serving.tls_client_ca = given.text("tls_client_ca");
  serving.token_file = given.text("token_file");
  serving.state_key = given.text("state_key");
  serving.oauth_issuer = given.text("oauth_issuer");
  serving.oauth_keys = given.text("oauth_keys");
  serving.public_url = given.text("public_url");
  serving.allow_hosts = given.list("allow_host");
  serving.allow_origins = given.list("allow_origin");
  serving.calls_per_second = given.number("rate");
  serving.audit_log = given.text("audit_log");
  if (const auto seconds = given.integer("drain")) serving.drain = std::chrono::seconds(*seconds);
  server::UploadOptions uploads;
  if (given.has("blob_dir")) uploads.folder = given.text("blob_dir");
  uploads.direct = !given.flag("no_blob_direct");
  if (given.has("blob_quota")) {
    const auto quota = server::blobs::parse_quota(given.text("blob_quota"));
    if (!quota) return print_error(quota.error());
    uploads.quota = *quota;
  }
  if (given.has("blob_ttl")) {
    const auto ttl = server::blobs::parse_ttl(given.text("blob_ttl"));
    if (!ttl) return print_error(ttl.error());
    uploads.ttl = *ttl;
  }
  const auto jobs = bounded(given, "jobs", 1, kMostJobs);
  const auto mib = bounded(given, "unpack_memory", 0, kMostMemory);
  for (const auto* each : {&jobs, &mib}) {
    if (!*each) return print_error(each->error());
  }
  if (*jobs) serving.jobs = static_cast<std::size_t>(**jobs);
  if (*mib) serving.unpack_memory = static_cast<std::uint64_t>(**mib) << 20U;
  const auto status = server::serve(std::move(options), serving, uploads);
  return status ? *status : print_error(status.error());
}

// --store, which every command takes. Whatever this process starts asks the same store. The last of words that are being
// completed is no value yet.
verbs::Status take_store(std::vector<std::string>& words) {
  constexpr std::string_view kFlag = "--store";
  const std::size_t typed = words.size() > 2 && words[0] == "completions" && words[1] == "--words" ? 1 : 0;
  for (std::size_t at = 0; at + typed < words.size() && words[at] != "--";) {
    const bool joined = words[at].starts_with(std::string(kFlag) + "=");
    if (!joined && words[at] != kFlag) {
      ++at;
      continue;
    }
    if (!joined && typed != 0 && at + 2 == words.size()) break;
    if (!joined && at + 1 == words.size())
      return core::fail(ErrorCode::usage, "--store needs a value", "s3://BUCKET/PREFIX, or the absolute path of a folder");
    const std::string address = joined ? words[at].substr(kFlag.size() + 1) : words[at + 1];
    ::setenv("PLUMBLINE_STORE", address.c_str(), 1);
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
    words.erase(first, first + (joined ? 1 : 2));
  }
  return {};
}

int run_words(std::span<const std::string> given) {
  std::vector<std::string> words(given.begin(), given.end());
  if (auto named = take_store(words); !named) return print_error(named.error());
  const auto remote = take_remote(words, caller_context(given));
  if (!remote) return print_error(remote.error());
  const auto invocation = understand(words);
  if (!invocation) return print_error(invocation.error());
  const bool own = invocation->kind == Invocation::Kind::own || invocation->kind == Invocation::Kind::serve;
  if (own && remote->by_flag) return print_error(is_asked_of(*remote, *invocation->verb).error());
  switch (invocation->kind) {
    case Invocation::Kind::overview:
      return print({}, overview_text(), 2);
    case Invocation::Kind::topic:
      return print(invocation->topic == "topics" ? topics_text() : std::string(topic_text(invocation->topic)), {}, 0);
    case Invocation::Kind::help:
      return print(invocation->verb == nullptr ? overview_text() : verbs::help_text(*invocation->verb), {}, 0);
    case Invocation::Kind::own:
      return run_own(*invocation, words);
    case Invocation::Kind::serve:
      return run_serve(invocation->words);
    case Invocation::Kind::verb:
      return run_verb(*invocation, words, *remote);
  }
  return 70;
}

}  // namespace

std::span<const OwnCommand> own_commands() {
  static const std::array<OwnCommand, 9> kCommands = {{{&demo_command(), run_demo},
                                                       {&serve_command(), nullptr},
                                                       {&install_command(), run_install},
                                                       {&doctor_command(), run_doctor},
                                                       {&bug_report_command(), run_bug_report},
                                                       {&completions_command(), run_completions},
                                                       {&man_command(), run_man},
                                                       {&licenses_command(), run_licenses},
                                                       {&version_command(), run_version}}};
  return kCommands;
}

const OwnCommand* find_own_command(std::string_view word) {
  for (const OwnCommand& own : own_commands()) {
    if (own.verb->name == word) return &own;
  }
  return nullptr;
}

const verbs::Verb& serve_command() {
  using enum verbs::ParamKind;
  static const verbs::Verb kServe{
      .name = "serve",
      .tool = "",
      .tool_aliases = {},
      .library = "",
      .title = "Run the MCP server",
      .summary =
          "Serve the commands as MCP tools on standard input and output, on sockets and over HTTP. On standard input it ends "
          "when the input ends. SIGTERM ends it after the running calls; SIGHUP makes it read tokens, keys and certificates "
          "again. Logs go to standard error.",
      .safety = "",
      .destructive = false,
      .idempotent = false,
      .params =
          {
              {.name = "stdio",
               .kind = boolean,
               .doc = "serve standard input and output (the default when nothing is listened on)"},
              {.name = "unix", .kind = path_list, .value_name = "PATH", .doc = "listen on a Unix socket, for this account only"},
              {.name = "tcp", .kind = string_list, .value_name = "HOST:PORT", .doc = "listen for lines of JSON-RPC"},
              {.name = "http",
               .kind = string_list,
               .value_name = "HOST:PORT",
               .doc = "listen for Streamable HTTP at /mcp, and browsers; port 0: any"},
              {.name = "tls_cert", .kind = path, .value_name = "FILE", .doc = "certificate chain: TLS on --tcp and --http"},
              {.name = "tls_key", .kind = path, .value_name = "FILE", .doc = "its private key"},
              {.name = "tls_client_ca",
               .kind = path,
               .value_name = "FILE",
               .doc = "require client certificates of this authority"},
              {.name = "token_file",
               .kind = path,
               .value_name = "FILE",
               .doc = "require a bearer token; a line each: NAME TOKEN [read|write]"},
              {.name = "state_key",
               .kind = path,
               .value_name = "FILE",
               .doc = "one secret for all servers behind one address, so that any of them can take the answer to a question of "
                      "another"},
              {.name = "oauth_issuer", .value_name = "URL", .doc = "accept access tokens (JWT) of this issuer"},
              {.name = "oauth_keys", .kind = path, .value_name = "FILE", .doc = "the issuer's keys: a JWK Set"},
              {.name = "public_url", .value_name = "URL", .doc = "the endpoint's URL, as clients reach it"},
              {.name = "allow_host", .kind = string_list, .value_name = "NAME", .doc = "accept this Host header as well"},
              {.name = "allow_origin", .kind = string_list, .value_name = "ORIGIN", .doc = "let pages of this origin call"},
              {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "the registry's root for calls that name none"},
              {.name = "allow_root", .kind = path_list, .value_name = "DIR", .doc = "confine every path to these folders"},
              {.name = "read_only", .kind = boolean, .doc = "write nothing; tools that can answer without writing still do"},
              {.name = "tools",
               .kind = string_list,
               .value_name = "LIST",
               .doc = "offer only these tools: their names, common (inspect, record, diff, history, accept) or all"},
              {.name = "allow_run",
               .kind = path,
               .value_name = "FILE",
               .doc = "let clients run the commands that this file lists, by name"},
              {.name = "no_site", .kind = boolean, .doc = "only MCP on --http, no review site"},
              {.name = "blob_dir",
               .kind = path,
               .value_name = "DIR",
               .doc = "keep uploads there (default .plumbline-blobs in the root)"},
              {.name = "blob_quota",
               .value_name = "ALL,EACH",
               .doc = "most bytes of uploads, of all clients and of one (default 16GiB,4GiB; 0: take none)"},
              {.name = "no_blob_direct",
               .kind = boolean,
               .doc = "take large uploads here, too, if the store is a bucket that clients cannot reach"},
              {.name = "blob_ttl", .value_name = "TIME", .doc = "how long an unused upload is kept (default 1d)"},
              {.name = "drop_in", .kind = boolean, .doc = "list the reference tool's names as well"},
              {.name = "rate",
               .kind = number,
               .value_name = "N",
               .doc = "calls a second of one client (default 50 with credentials, else no limit)"},
              {.name = "audit_log",
               .kind = path,
               .value_name = "FILE",
               .doc = "a line per call (default: standard error, if there are sockets; off: none)"},
              {.name = "jobs", .kind = integer, .value_name = "N", .doc = "calls that run at once (default 4)"},
              {.name = "unpack_memory",
               .kind = integer,
               .value_name = "MIB",
               .doc = "memory for unpacked files, of all calls together (default 1024; 0: no limit)"},
              {.name = "drain",
               .kind = integer,
               .value_name = "SECONDS",
               .doc = "how long running calls may take at the end (default 10)"},
              {.name = "log_level", .value_name = "LEVEL", .doc = "debug, info (default), warning, error or off"},
          },
      .output_schema = {},
      .examples = {"plumbline serve --stdio --repo-root .", "plumbline serve --http 127.0.0.1:4711 --repo-root ."},
      .run = nullptr,
  };
  return kServe;
}

int run(int argc, char** argv) {
  ignore_broken_pipes();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  try {
    return run_words(words);
  } catch (const std::exception& exception) {
    return print_error({ErrorCode::internal,
                        std::string("internal error: ") + exception.what(),
                        "this is a fault in plumbline: please report it (plumbline bug-report -- COMMAND)",
                        {}});
  }
}

}  // namespace plumbline::cli
