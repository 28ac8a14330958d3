#include "cli/guide/guide.hpp"
#include "cli/program.hpp"

namespace plumbline::cli {

std::vector<const verbs::Verb*> all_commands() {
  std::vector<const verbs::Verb*> commands;
  for (const verbs::Verb& verb : verbs::table()) commands.push_back(&verb);
  for (const OwnCommand& own : own_commands()) commands.push_back(own.verb);
  return commands;
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
