#include "cli/program.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "cli/terminal.hpp"
#include "core/text.hpp"
#include "server/server.hpp"

namespace plumbline::cli {
namespace {

using verbs::ErrorCode;

std::atomic<bool> g_cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

// The first interrupt asks the verb to stop, so that it cleans up and publishes nothing; the second ends the process.
void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { g_cancelled.store(true, std::memory_order_relaxed); };
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
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

int run_verb(const Invocation& invocation, std::span<const std::string> words) {
  watch_interrupts();
  ProgressLine progress(STDERR_FILENO);
  verbs::Context context;
  context.cwd = working_directory();
  context.environment = environment;
  context.now = [] { return std::chrono::system_clock::now(); };
  if (::isatty(STDERR_FILENO) != 0) {
    context.progress = [&progress](double fraction, std::string_view message) { progress.show(fraction, message); };
  }
  context.cancelled = &g_cancelled;
  context.command = command_text(words);
  context.width = static_cast<int>(terminal_width(STDOUT_FILENO, 120));
  const auto command = verbs::run_command(*invocation.verb, invocation.words, context);
  progress.clear();
  const bool colour = wants_colour(STDOUT_FILENO, environment);
  return print(colour ? command.out : without_colour(command.out), command.err, command.exit_status);
}

int run_serve(std::span<const std::string> words) {
  const auto line = verbs::parse_command_line(serve_command(), words);
  if (!line) return print_error(line.error());
  if (line->help) return print(verbs::help_text(serve_command()), {}, 0);
  server::ServeOptions options;
  options.cwd = working_directory();
  options.drop_in = line->arguments.flag("drop_in");
  options.read_only = line->arguments.flag("read_only");
  options.allowed_roots = line->arguments.list("allow_root");
  if (line->arguments.has("repo_root")) options.repo_root = line->arguments.text("repo_root");
  return server::serve_stdio(options);
}

int run_words(std::span<const std::string> words) {
  const auto invocation = understand(words);
  if (!invocation) return print_error(invocation.error());
  switch (invocation->kind) {
    case Invocation::Kind::overview:
      return print({}, overview_text(), 2);
    case Invocation::Kind::version:
      return print("plumbline " + std::string(verbs::version()) + "\n", {}, 0);
    case Invocation::Kind::help:
      return print(invocation->verb == nullptr ? overview_text() : verbs::help_text(*invocation->verb), {}, 0);
    case Invocation::Kind::serve:
      return run_serve(invocation->words);
    case Invocation::Kind::verb:
      return run_verb(*invocation, words);
  }
  return 70;
}

}  // namespace

const verbs::Verb& serve_command() {
  using enum verbs::ParamKind;
  static const verbs::Verb kServe{
      .name = "serve",
      .tool = "",
      .tool_aliases = {},
      .library = "",
      .title = "Run the MCP server",
      .summary =
          "Serve the commands as MCP tools on standard input and output, until standard input ends. Logs go to standard error.",
      .safety = "",
      .destructive = false,
      .idempotent = false,
      .params =
          {
              {.name = "stdio", .kind = boolean, .doc = "serve standard input and output (the default)"},
              {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "the registry's root for calls that name none"},
              {.name = "allow_root", .kind = path_list, .value_name = "DIR", .doc = "confine every path to these folders"},
              {.name = "read_only", .kind = boolean, .doc = "do not offer tools that write"},
              {.name = "drop_in", .kind = boolean, .doc = "list the reference tool's names as well"},
          },
      .output_schema = {},
      .examples = {"plumbline serve --stdio --repo-root ."},
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
                        "this is a fault in plumbline: please report it with the command that was run",
                        {}});
  }
}

}  // namespace plumbline::cli
