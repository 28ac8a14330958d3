// The command line: which verb is meant, its words, and what is printed. Everything that a verb must not know lives here:
// argv, terminals, signals of a person at a keyboard.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verbs/verb.hpp"

namespace plumbline::cli {

// What the words after the program's name mean, decided without doing anything.
struct Invocation {
  enum class Kind : std::uint8_t { verb, own, serve, overview, help, topic };
  Kind kind = Kind::overview;
  const verbs::Verb* verb = nullptr;  // of `verb` and `own`, and of `help` on one of them; null with `help` is the overview
  std::vector<std::string> words;     // after the verb's name; flags that stood before it come first
  std::string topic;                  // of `topic`: a page of docs/, or "topics"
};
// Errors: unknown command, with the nearest name.
[[nodiscard]] verbs::Expected<Invocation> understand(std::span<const std::string> words);

// `plumbline help`: every command with its one-liner.
[[nodiscard]] std::string overview_text();
// Commands of the program itself, which are no questions and so not in the verbs' table: serve, install, doctor, bug-report and
// what the program tells of itself. `run` is null for serve, which owns the process until it ends.
struct OwnCommand {
  const verbs::Verb* verb = nullptr;
  verbs::CommandOutcome (*run)(std::span<const std::string> words, const verbs::Context& context) = nullptr;
};
[[nodiscard]] std::span<const OwnCommand> own_commands();
// Null for every other word.
[[nodiscard]] const OwnCommand* find_own_command(std::string_view word);
// The flags of `plumbline serve`, as a verb's table; it is not in the verbs' table because it is not a question.
[[nodiscard]] const verbs::Verb& serve_command();

// main(): reads argv, runs, prints, gives the exit status.
[[nodiscard]] int run(int argc, char** argv);

}  // namespace plumbline::cli
