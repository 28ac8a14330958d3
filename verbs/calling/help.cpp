#include <algorithm>

#include "verbs/calling/parameters.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::size_t kWidth = 100;

// Words of `text` in lines of at most kWidth columns, continuation lines indented.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent, std::size_t column) {
  bool first = true;
  while (!text.empty()) {
    const auto space = text.find(' ');
    const auto word = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    if (!first && column + 1 + word.size() > kWidth) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
  }
  out += '\n';
}

std::string value_name(const Param& param) {
  if (param.kind == ParamKind::boolean) return "";
  if (!param.value_name.empty()) return std::string(param.value_name);
  if (param.kind != ParamKind::choice) return "VALUE";
  std::string name;
  for (const auto choice : param.choices) name += (name.empty() ? "" : "|") + std::string(choice);
  return name;
}

std::string usage_line(const Verb& verb) {
  std::string usage = "Usage: plumbline " + std::string(verb.name);
  for (const Param* param : positional_params(verb)) {
    const std::string shown = "[" + flag_of(param->name) + "] " + value_name(*param) + (is_list(param->kind) ? "..." : "");
    usage += param->required ? " " + shown : " [" + shown + "]";
  }
  for (const Param& param : verb.params) {
    if (param.required && param.positional == 0) usage += " " + flag_of(param.name) + " " + value_name(param);
  }
  return usage + " [flags]\n";
}

struct Line {
  std::string left;
  std::string right;
};

std::vector<Line> flag_lines(const Verb& verb) {
  std::vector<Line> lines;
  for (const Param& param : verb.params) {
    if (param.mcp_only) continue;
    std::string left = flag_of(param.name);
    for (const auto alias : param.aliases) left += ", " + flag_of(alias);
    if (const auto name = value_name(param); !name.empty()) left += " " + name;
    std::string right(param.help.empty() ? param.doc : param.help);
    if (param.kind == ParamKind::string_list) right += " (repeatable)";
    if (param.kind == ParamKind::path_list) right += " (one or more)";
    if (param.required) right += " (required)";
    lines.push_back({std::move(left), std::move(right)});
  }
  lines.push_back({"--json", "print the result as one JSON document"});
  lines.push_back({"--color WHEN", "colours: auto (default: on a terminal, unless NO_COLOR is set), always or never"});
  lines.push_back({"--help", "print this"});
  return lines;
}

}  // namespace

std::string help_text(const Verb& verb) {
  std::string out = usage_line(verb);
  out += '\n';
  append_wrapped(out, verb.summary, 0, 0);
  out += "\nFLAGS\n";
  const auto lines = flag_lines(verb);
  constexpr std::size_t kLongest = 34;  // a longer flag gets a line of its own
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, std::min(line.left.size(), kLongest));
  for (const Line& line : lines) {
    out += "  " + line.left;
    if (line.right.empty()) {
      out += '\n';
      continue;
    }
    if (line.left.size() > kLongest) {
      out += '\n';
      out.append(width + 4, ' ');
    } else {
      out.append(width - line.left.size() + 2, ' ');
    }
    append_wrapped(out, line.right, width + 4, width + 4);
  }
  if (!verb.examples.empty()) {
    out += "\nEXAMPLES\n";
    for (const auto example : verb.examples) out += "  " + std::string(example) + "\n";
  }
  out +=
      "\nEXIT STATUS\n"
      "  0   done, whatever the verdict\n"
      "  1   the gate that was asked for tripped, or verify found a mismatch\n"
      "  2   the call or an input is not acceptable\n"
      "  3   the environment failed: disk full, permission, a helper program is missing\n"
      "  70  a bug in plumbline\n";
  return out;
}

}  // namespace plumbline::verbs
