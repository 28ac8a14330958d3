// What `config check` answers.
#include "core/results/config_check.hpp"

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/reports.hpp"
#include "reports/terminal/terminal.hpp"

namespace plumbline::reports {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string joined(const Pairs& pairs, std::string_view empty) {
  std::string out;
  for (const auto& [name, value] : pairs) {
    if (!out.empty()) out += ", ";
    out += name;
    out += ' ';
    out += value;
  }
  return out.empty() ? std::string(empty) : out;
}

std::string count_text(const std::optional<std::uint64_t>& count) { return count ? std::to_string(*count) : std::string("-"); }

void write_rule(JsonWriter& json, const core::ConfigRule& rule) {
  json.begin_object().field("line", rule.line).key("match").begin_object();
  std::vector<std::string_view> keys;
  for (const auto& [name, value] : rule.match) {
    if (name == "key") {
      keys.push_back(value);
    } else {
      json.field(name, value);
    }
  }
  if (!keys.empty()) {
    json.key("key").begin_array();
    for (const std::string_view key : keys) json.value(key);
    json.end_array();
  }
  json.end_object().key("set").begin_object();
  for (const auto& [name, value] : rule.set) json.field(name, value);
  json.end_object();
  json.field_or_null("measurements", rule.measurements).field_or_null("rows", rule.rows).field_or_null("decides", rule.decides);
  json.end_object();
}

std::string place(const core::ConfigProblem& problem) {
  if (problem.line == 0) return "plumbline.yaml";
  std::string out = "plumbline.yaml:" + std::to_string(problem.line);
  if (problem.column > 0) out += ":" + std::to_string(problem.column);
  return out;
}

}  // namespace

std::string config_check_json(const core::ConfigCheck& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.config.v1").field("verb", "config").field("safety", "read_only");
  json.place("path", result.path).field("ok", result.errors() == 0);
  json.key("rules").begin_array();
  for (const core::ConfigRule& rule : result.rules) compact(json, [&](JsonWriter& one) { write_rule(one, rule); });
  json.end_array().key("problems").begin_array();
  for (const core::ConfigProblem& problem : result.problems) {
    compact(json, [&](JsonWriter& one) {
      one.begin_object().field("severity", problem.error ? "error" : "warning").field("line", problem.line);
      one.field("column", problem.column).field("message", problem.message).field("hint", problem.hint).end_object();
    });
  }
  json.end_array().key("source");
  if (result.source.empty()) {
    json.null();
  } else {
    json.begin_object().place("path", result.source).field("format", result.source_format);
    json.field("measurement", result.measurement).field("rows", result.source_rows).end_object();
  }
  json.end_object();
  text += '\n';
  return text;
}

std::string config_check_table(const core::ConfigCheck& result, bool colour, int width) {
  const Terminal terminal(colour);
  const bool tried = !result.source.empty();
  std::string out = core::cited_path(result.path) + ": " + core::counted(result.rules.size(), "rule") + " that can be used, " +
                    (result.errors() == 0 ? std::string("no errors") : core::counted(result.errors(), "error")) + "\n";
  if (tried) {
    out += "tried on " + core::cited_path(result.source) + ": " + result.source_format + ", as " + result.measurement + ", " +
           core::counted(result.source_rows, "row") + "\n";
  }
  if (!result.rules.empty()) {
    std::vector<std::string> header = {"match", "line", "sets", "measurements"};
    if (tried) header.insert(header.end(), {"rows", "decides"});
    Table table(header, {true, false, true});
    for (const core::ConfigRule& rule : result.rules) {
      std::vector<Table::Cell> row = {{joined(rule.match, "everything")},
                                      {std::to_string(rule.line)},
                                      {joined(rule.set, "")},
                                      {count_text(rule.measurements)}};
      if (tried) row.insert(row.end(), {{count_text(rule.rows)}, {count_text(rule.decides)}});
      table.add(std::move(row));
    }
    out += "\n" + table.text(terminal, width);
  }
  if (!result.problems.empty()) out += '\n';
  for (const core::ConfigProblem& problem : result.problems) {
    out += place(problem) + ": " +
           terminal.paint(problem.error ? Paint::red : Paint::yellow, problem.error ? "error" : "warning") + ": " +
           problem.message + "\n";
    if (!problem.hint.empty()) out += "  hint: " + problem.hint + "\n";
  }
  return out;
}

}  // namespace plumbline::reports
