// What a shell loads is a few lines: it asks the program for the words, which knows its table and the registry. A line of the
// answer is a word, a tab and what it is for; lines that begin with ':' say what the shell adds by itself.
#include "cli/guide/guide.hpp"

namespace plumbline::shells {
std::string_view embedded_file(std::string_view name);
}

namespace plumbline::cli {
namespace {

using verbs::ParamKind;

std::string lines_of(const Candidates& all) {
  std::string text;
  if (all.paths == Candidates::Paths::files) text += ":files\n";
  if (all.paths == Candidates::Paths::folders) text += ":folders\n";
  if (all.more) text += ":more\n";
  for (const Candidate& one : all.words) text += one.word + (one.about.empty() ? "" : "\t" + one.about) + "\n";
  return text;
}

}  // namespace

const verbs::Verb& completions_command() {
  static const verbs::Verb kCompletions{
      .name = "completions",
      .tool = "",
      .tool_aliases = {},
      .library = "",
      .title = "Print a shell's completions",
      .summary =
          "Print what makes bash, zsh or fish complete commands, flags, paths, families, measurements and keys. "
          "The packages install it; without one, load it from the shell's start file.",
      .safety = "read_only",
      .params = {{.name = "shell",
                  .kind = ParamKind::choice,
                  .doc = "which shell",
                  .required = true,
                  .positional = 1,
                  .choices = {"bash", "zsh", "fish"}},
                 {.name = "words",
                  .kind = ParamKind::string_list,
                  .value_name = "WORD",
                  .doc = "used by that script: what can complete the last of these words; takes the rest of the line"}},
      .output_schema = {},
      .examples = {"plumbline completions bash"},
      .run = nullptr,
  };
  return kCompletions;
}

verbs::CommandOutcome run_completions(std::span<const std::string> words, const verbs::Context& context) {
  if (!words.empty() && words.front() == "--words") {
    verbs::CommandOutcome outcome;
    outcome.out = lines_of(candidates(words.subspan(1), context));
    return outcome;
  }
  Asked asked = ask(completions_command(), words);
  if (asked.answered) return asked.outcome;
  const std::string shell = asked.line.arguments.text("shell");
  if (shell.empty())
    return failed({verbs::ErrorCode::usage, "completions needs a shell", "plumbline completions bash, zsh or fish", "shell"});
  asked.outcome.out = shells::embedded_file(shell);
  return asked.outcome;
}

}  // namespace plumbline::cli
