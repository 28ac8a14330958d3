// The manual in roff, with the macros of man(7), which every reader of manuals knows.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/guide/guide.hpp"
#include "cli/guide/parts.hpp"
#include "cli/program.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/calling/parameters.hpp"

namespace plumbline::cli {
namespace {

using verbs::Param;
using verbs::ParamKind;
using verbs::Verb;

// "\\[u2026]" of the character that begins `text`, whose bytes it takes away.
std::string other_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  unsigned code = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length && i < text.size(); ++i) code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3fU);
  text.remove_prefix(std::min(length, text.size()));
  return fmt::format("\\[u{:04X}]", code);
}

// A text as roff prints it letter for letter: backslashes, hyphens that can be copied, quotes that stay straight.
std::string literal(std::string_view text) {
  constexpr std::array<std::pair<char, std::string_view>, 6> kEscapes = {
      {{'\\', "\\e"}, {'-', "\\-"}, {'~', "\\(ti"}, {'^', "\\(ha"}, {'`', "\\(ga"}, {'\'', "\\(aq"}}};
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += other_character(text);
      continue;
    }
    const auto* escape = std::find_if(kEscapes.begin(), kEscapes.end(), [c](const auto& one) { return one.first == c; });
    out += escape == kEscapes.end() ? std::string(1, c) : std::string(escape->second);
    text.remove_prefix(1);
  }
  return out;
}

constexpr std::size_t kColumns = 76;  // of the roff text; how it is shown is the reader's

// A paragraph: a line for each sentence as roff wants it, none of them long, and none that begins with a control character.
std::string prose(std::string_view text) {
  std::string out;
  std::string line;
  const auto end_line = [&] {
    if (line.starts_with(".")) out += "\\&";
    out += line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const auto space = text.find(' ');
    const std::string word = literal(text.substr(0, space));
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    if (word.empty()) continue;
    if (!line.empty() && line.size() + 1 + word.size() > kColumns) end_line();
    line += (line.empty() ? "" : " ") + word;
    if (word.ends_with(".") && !word.ends_with("..")) end_line();
  }
  if (!line.empty()) end_line();
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string page_name(std::string_view command) {
  return command.empty() ? std::string("plumbline") : "plumbline-" + std::string(command);
}

std::string head(std::string_view command, std::string_view title) {
  const std::string name = page_name(command);
  return ".TH " + upper(literal(name)) + " 1 \"" + std::string(release_day()) + "\" \"plumbline " + literal(verbs::version()) +
         "\" \"User Commands\"\n.SH NAME\n" + literal(name) + " \\- " + literal(title) + "\n";
}

std::string value_of(const Param& param) {
  if (param.kind == ParamKind::boolean) return {};
  if (!param.value_name.empty()) return std::string(param.value_name);
  if (param.kind != ParamKind::choice) return "VALUE";
  std::string name;
  for (const auto choice : param.choices) name += (name.empty() ? "" : "|") + std::string(choice);
  return name;
}

std::string option(std::string_view flag, std::string_view value, std::string_view doc) {
  std::string out = ".TP\n\\fB" + literal(flag) + "\\fR";
  if (!value.empty()) out += " \\fI" + literal(value) + "\\fR";
  return out + "\n" + prose(doc);
}

std::string synopsis(const Verb& verb) {
  std::string out = ".SH SYNOPSIS\n\\fBplumbline " + literal(verb.name) + "\\fR";
  for (const Param* param : verbs::positional_params(verb)) {
    const std::string shown = "\\fI" + literal(value_of(*param)) + "\\fR" + (verbs::is_list(param->kind) ? "\\&..." : "");
    out += param->required ? " " + shown : " [" + shown + "]";
  }
  for (const Param& param : verb.params) {
    if (param.required && param.positional == 0)
      out += " \\fB" + literal(verbs::flag_of(param.name)) + "\\fR \\fI" + literal(value_of(param)) + "\\fR";
  }
  return out + " [\\fIflags\\fR]\n";
}

std::string options(const Verb& verb) {
  std::string out = ".SH OPTIONS\n";
  for (const Param& param : verb.params) {
    if (param.mcp_only) continue;
    std::string doc(param.help.empty() ? param.doc : param.help);
    if (param.kind == ParamKind::string_list) doc += " (repeatable)";
    if (param.kind == ParamKind::path_list) doc += " (one or more)";
    if (param.required) doc += " (required)";
    if (param.positional > 0) doc += " (may stand without its flag)";
    std::string flags = verbs::flag_of(param.name);
    for (const auto alias : param.aliases) flags += ", " + verbs::flag_of(alias);
    out += option(flags, value_of(param), doc);
  }
  out += option("--json", {}, "print the result as one JSON document");
  for (const ProgramFlag& flag : program_flags()) {
    if (flag.anywhere) out += option(flag.name, flag.value, flag.about);
  }
  return out + option("--help", {}, "print the flags, examples and exit status");
}

std::string exit_status() {
  return ".SH EXIT STATUS\n"
         ".TP\n0\ndone, whatever the verdict\n"
         ".TP\n1\nthe gate that was asked for tripped, or verify found a mismatch\n"
         ".TP\n2\nthe call or an input is not acceptable\n"
         ".TP\n3\nthe environment failed: disk full, permission, a helper program is missing\n"
         ".TP\n70\na bug in plumbline\n"
         ".TP\n130, 143\nstopped by Ctrl\\-C or SIGTERM: nothing was published\n";
}

std::string man_page(const Verb& verb) {
  std::string out = head(verb.name, core::to_lower(verb.title.substr(0, 1)) + std::string(verb.title.substr(1)));
  out += synopsis(verb) + ".SH DESCRIPTION\n" + prose(verb.summary) + options(verb) + exit_status();
  if (!verb.examples.empty()) {
    out += ".SH EXAMPLES\n.nf\n";
    for (const auto example : verb.examples) out += literal(example) + "\n";
    out += ".fi\n";
  }
  out += ".SH SEE ALSO\n\\fBplumbline\\fR(1), which has the flags that stand before the command\n";
  if (!topic_text("verbs/" + std::string(verb.name)).empty())
    out += ".PP\nThe whole page: \\fBplumbline help verbs/" + literal(verb.name) + "\\fR\n";
  return out;
}

std::string overview_page() {
  std::string out = head({}, "performance baselines, diffs and verdicts");
  out +=
      ".SH SYNOPSIS\n\\fBplumbline\\fR \\fICOMMAND\\fR [\\fIarguments\\fR]\n"
      ".SH DESCRIPTION\n" +
      prose(
          "Keeps performance baselines, and says whether a new measurement regressed, whether that is real, and which part is to "
          "blame.") +
      ".SH OPTIONS\nThey stand before the command.\n";
  for (const ProgramFlag& flag : program_flags()) out += option(flag.name, flag.value, flag.about);
  out += option("--json", {}, "print the result as one JSON document") + option("--version", {}, "print the version") +
         ".SH COMMANDS\n";
  for (const Verb* command : all_commands())
    out += ".TP\n\\fB" + literal(page_name(command->name)) + "\\fR(1)\n" + prose(command->title);
  out += exit_status();
  out += ".SH PAGES\nEach is printed by \\fBplumbline help\\fR \\fIPAGE\\fR.\n";
  for (const std::string& topic : topics()) {
    const std::string_view text = topic_text(topic);
    const std::string_view first = text.substr(0, text.find('\n'));
    out += ".TP\n\\fB" + literal(topic) + "\\fR\n" + prose(first.starts_with("# ") ? first.substr(2) : first);
  }
  return out;
}

const Verb* find_command(std::string_view name) {
  for (const Verb* command : all_commands()) {
    if (command->name == name) return command;
  }
  return nullptr;
}

}  // namespace

const Verb& man_command() {
  static const Verb kMan{
      .name = "man",
      .tool = "",
      .tool_aliases = {},
      .library = "",
      .title = "Print a manual page",
      .summary =
          "Print the manual page of a command, or of the program, as man(7) source. Use it if no package has installed the "
          "pages; packages make theirs with it.",
      .safety = "read_only",
      .params = {{.name = "command",
                  .value_name = "COMMAND",
                  .doc = "the command whose page to print; default the program's",
                  .positional = 1}},
      .output_schema = {},
      .examples = {"plumbline man diff"},
      .run = nullptr,
  };
  return kMan;
}

verbs::CommandOutcome run_man(std::span<const std::string> words, const verbs::Context& /*context*/) {
  Asked asked = ask(man_command(), words);
  if (asked.answered) return asked.outcome;
  const std::string name = asked.line.arguments.text("command");
  if (name.empty()) {
    asked.outcome.out = overview_page();
    return asked.outcome;
  }
  if (const Verb* command = find_command(name)) {
    asked.outcome.out = man_page(*command);
    return asked.outcome;
  }
  std::vector<std::string_view> names;
  for (const Verb* command : all_commands()) names.push_back(command->name);
  const auto near = core::nearest(name, names);
  return failed({verbs::ErrorCode::usage, "there is no command " + core::cited(name),
                 near.empty() ? "plumbline help lists the commands" : "did you mean " + core::cited(near) + "?", "command"});
}

}  // namespace plumbline::cli
