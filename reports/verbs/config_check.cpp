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

void write_match(JsonWriter& json, const Pairs& match) {
  json.key("match").begin_object();
  std::vector<std::string_view> keys;
  for (const auto& [name, value] : match) {
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
  json.end_object();
}

void write_rule(JsonWriter& json, const core::ConfigRule& rule) {
  json.begin_object().field("line", rule.line);
  write_match(json, rule.match);
  json.key("set").begin_object();
  for (const auto& [name, value] : rule.set) json.field(name, value);
  json.end_object();
  json.field_or_null("measurements", rule.measurements).field_or_null("rows", rule.rows).field_or_null("decides", rule.decides);
  json.end_object();
}

void write_waiver(JsonWriter& json, const core::ConfigWaiver& waiver) {
  json.begin_object().field("line", waiver.line);
  write_match(json, waiver.match);
  json.field("ceiling", waiver.ceiling).field("until", waiver.until).field("expired", waiver.expired);
  json.field("reason", waiver.reason);
  if (!waiver.link.empty()) json.field("link", waiver.link);
  json.field("gate", waiver.gate).field_or_null("measurements", waiver.measurements).field_or_null("rows", waiver.rows);
  json.end_object();
}

void add_waivers(std::string& out, const core::ConfigCheck& result, const Terminal& terminal, int width) {
  if (result.waivers.empty()) return;
  const bool tried = !result.source.empty();
  std::vector<std::string> header = {"waives", "line", "up to", "until", "reason"};
  if (tried) header.emplace_back("rows");
  Table table(header, {true, false, false, true, true});
  for (const core::ConfigWaiver& waiver : result.waivers) {
    std::vector<Table::Cell> row = {{joined(waiver.match, "everything") + (waiver.gate ? ", gates too" : "")},
                                    {std::to_string(waiver.line)},
                                    {waiver.ceiling},
                                    {waiver.until, waiver.expired ? Paint::red : Paint::none},
                                    {core::one_line(waiver.reason)}};
    if (tried) row.push_back({count_text(waiver.rows)});
    table.add(std::move(row));
  }
  out += "\n" + table.text(terminal, width);
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
  json.end_array().key("waivers").begin_array();
  for (const core::ConfigWaiver& waiver : result.waivers) compact(json, [&](JsonWriter& one) { write_waiver(one, waiver); });
  json.end_array().key("tiers").begin_array();
  for (const std::string& tier : result.tiers) json.value(tier);
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
  if (!result.tiers.empty()) out += "tiers: " + core::listed(result.tiers, result.tiers.size()) + "\n";
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
  add_waivers(out, result, terminal, width);
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
