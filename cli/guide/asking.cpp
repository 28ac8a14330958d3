#include <algorithm>
#include <array>

#include "cli/guide/guide.hpp"
#include "cli/program.hpp"

namespace plumbline::cli {

std::vector<const verbs::Verb*> all_commands() {
  std::vector<const verbs::Verb*> commands;
  for (const verbs::Verb& verb : verbs::table()) commands.push_back(&verb);
  for (const OwnCommand& own : own_commands()) commands.push_back(own.verb);
  return commands;
}

std::span<const ProgramFlag> program_flags() {
  using Paths = Candidates::Paths;
  static constexpr std::array<ProgramFlag, 6> kFlags = {{
      {"--repo-root", "DIR", "folder of the registry", Paths::folders, false},
      {"--store", "ADDRESS", "where the registry is kept: s3://BUCKET/PREFIX, or a folder; default PLUMBLINE_STORE",
       Paths::folders, true},
      {"--color", "WHEN", "colours: auto (default: on a terminal, unless NO_COLOR is set), always or never", Paths::none, true},
      {"--server", "URL", "ask this server, and hand over the files that the command names; default PLUMBLINE_SERVER",
       Paths::none, false},
      {"--bearer-env", "NAME", "the variable with the token for the server; default PLUMBLINE_TOKEN", Paths::none, false},
      {"--ca", "FILE", "believe the server's certificate by this authority (PEM)", Paths::files, false},
  }};
  return kFlags;
}

const ProgramFlag* find_program_flag(std::string_view word) {
  const auto all = program_flags();
  const auto found = std::ranges::find(all, word, &ProgramFlag::name);
  return found == all.end() ? nullptr : &*found;
}

verbs::CommandOutcome failed(const verbs::Error& error) {
  verbs::CommandOutcome outcome;
  outcome.err = verbs::error_text(error);
  outcome.exit_status = verbs::exit_status(error.code);
  return outcome;
}

Asked ask(const verbs::Verb& command, std::span<const std::string> words) {
  Asked asked;
  auto line = verbs::parse_command_line(command, words);
  if (!line) {
    asked.answered = true;
    asked.outcome = failed(line.error());
    return asked;
  }
  if (line->help) {
    asked.answered = true;
    asked.outcome.out = verbs::help_text(command);
  }
  asked.line = std::move(*line);
  return asked;
}

}  // namespace plumbline::cli
