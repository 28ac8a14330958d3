// What the program tells of itself: its pages, its manual, what a shell may complete, what it is made of. All of it comes from
// the table of commands, from docs/ and from what the build wrote down, so that nothing here is to be kept up to date by hand.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verbs/verb.hpp"

namespace plumbline::cli {

// Every command: the verbs, then the program's own.
[[nodiscard]] std::vector<const verbs::Verb*> all_commands();

[[nodiscard]] const verbs::Verb& completions_command();
[[nodiscard]] verbs::CommandOutcome run_completions(std::span<const std::string> words, const verbs::Context& context);

[[nodiscard]] const verbs::Verb& man_command();
[[nodiscard]] verbs::CommandOutcome run_man(std::span<const std::string> words, const verbs::Context& context);

[[nodiscard]] const verbs::Verb& demo_command();
[[nodiscard]] verbs::CommandOutcome run_demo(std::span<const std::string> words, const verbs::Context& context);

[[nodiscard]] const verbs::Verb& licenses_command();
[[nodiscard]] verbs::CommandOutcome run_licenses(std::span<const std::string> words, const verbs::Context& context);

[[nodiscard]] const verbs::Verb& version_command();
[[nodiscard]] verbs::CommandOutcome run_version(std::span<const std::string> words, const verbs::Context& context);

// The pages of docs/ as `plumbline help` takes them, by their place there: "methodology", "verbs/diff"; "docs/digest" where the
// place alone would be a command.
[[nodiscard]] std::vector<std::string> topics();
// "" when there is no such page.
[[nodiscard]] std::string_view topic_text(std::string_view topic);
// `plumbline help topics`: each with its title.
[[nodiscard]] std::string topics_text();

// One word that may stand next, and what it is for.
struct Candidate {
  std::string word, about;
};
// What a shell may offer for the last of `words`, which is typed so far. Where a path may stand, the shell adds its files.
struct Candidates {
  enum class Paths : std::uint8_t { none, files, folders };
  std::vector<Candidate> words;
  Paths paths = Paths::none;
  bool more = false;  // a candidate is the beginning of a longer word: no blank behind it
};
[[nodiscard]] Candidates candidates(std::span<const std::string> words, const verbs::Context& context);

// A flag of the program itself that has a value. It stands before the command, and where `anywhere` is set behind it as well.
struct ProgramFlag {
  std::string_view name, value, about;
  Candidates::Paths paths = Candidates::Paths::none;
  bool anywhere = false;
};
[[nodiscard]] std::span<const ProgramFlag> program_flags();
// Null for every other word.
[[nodiscard]] const ProgramFlag* find_program_flag(std::string_view word);

// What was asked of one of these commands: its arguments, or what is printed instead (help, an error).
struct Asked {
  verbs::CommandLine line;
  bool answered = false;
  verbs::CommandOutcome outcome;
};
[[nodiscard]] Asked ask(const verbs::Verb& command, std::span<const std::string> words);
[[nodiscard]] verbs::CommandOutcome failed(const verbs::Error& error);

}  // namespace plumbline::cli
