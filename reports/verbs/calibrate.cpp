#include "reports/verbs/calibrate.hpp"

#include <algorithm>

#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "reports/terminal/terminal.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using core::JsonWriter;

constexpr std::size_t kKeysShown = 20;

std::string number(double value) { return core::short_number(value, 3); }

bool is_history(const core::CalibrateResult& result) { return result.series == core::Series::history; }

std::string source_text(const core::CalibrateResult& result) {
  const std::string name = result.family.empty() ? "" : " of " + result.family + "/" + result.measurement;
  return (is_history(result) ? core::counted(result.entries, "entry", "entries") : core::counted(result.entries, "run")) + name;
}

// A YAML string that needs no knowledge of YAML: JSON's.
std::string quoted(std::string_view text) {
  std::string out;
  JsonWriter(out, -1).value(text);
  return out;
}

}  // namespace

std::string calibrate_json(const core::CalibrateResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.calibrate.v1");
  json.field("tool", "").field("verb", "calibrate").field("safety", "read_only");
  json.field("family", result.family).field("measurement", result.measurement);
  json.field("alarms_pct", result.alarms_pct).field("source", is_history(result) ? "history" : "runs");
  json.field(is_history(result) ? "entries" : "runs", result.entries);
  json.key("rules").begin_array();
  for (const core::CalibratedRule& rule : result.rules) {
    core::compact(json, [&](JsonWriter& out) {
      out.begin_object().field("key", rule.glob).field("tolerance_pct", rule.percent).field("keys", rule.keys).end_object();
    });
  }
  json.end_array().key("keys").begin_array();
  const std::size_t shown = std::min<std::size_t>(result.keys.size(), 50);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [key, tolerance] = result.keys[i];
    core::compact(json, [&key = key, &tolerance = tolerance](JsonWriter& out) {
      out.begin_object().field("key", key).field("tolerance_pct", tolerance.percent).field("spread_pct", tolerance.spread_pct);
      out.field("false_alarms_pct", tolerance.false_alarms_pct)
          .field("exceeded", tolerance.exceeded)
          .field("steps", tolerance.steps);
      out.field("sees_pct", tolerance.sees_pct).end_object();
    });
  }
  json.end_array();
  core::write_omitted(json, "keys", result.keys.size(), shown);
  json.key("undecided").begin_array();
  for (std::size_t i = 0; i < std::min<std::size_t>(result.undecided.size(), 20); ++i) json.value(result.undecided[i]);
  json.end_array();
  core::write_omitted(json, "undecided", result.undecided.size(), std::min<std::size_t>(result.undecided.size(), 20));
  json.field("yaml", calibrate_yaml(result)).key("warnings").begin_array();
  for (const core::Warning& warning : result.warnings) {
    core::compact(json, [&](JsonWriter& out) {
      out.begin_object().field("code", warning.code.text()).field("message", warning.message).end_object();
    });
  }
  json.end_array().end_object();
  return text + "\n";
}

std::string calibrate_yaml(const core::CalibrateResult& result) {
  std::string out = "rules:\n";
  for (const core::CalibratedRule& rule : result.rules) {
    std::string match;
    if (!result.family.empty()) match = "family: " + quoted(result.family) + ", measurement: " + quoted(result.measurement);
    // A rule without any match would be one of the whole project, too, but reads like a mistake.
    const std::string key = rule.glob.empty() && match.empty() ? "*" : rule.glob;
    if (!key.empty()) match += (match.empty() ? "key: " : ", key: ") + quoted(key);
    out += "  - match: {" + match + "}\n    set: {tolerance: " + number(rule.percent) + "%}\n";
  }
  return out;
}

std::string calibrate_text(const core::CalibrateResult& result, bool colour, int width) {
  const Terminal terminal(colour);
  std::string out = Terminal::wrap(
      "", source_text(result) + "; one run against another, at most " + number(result.alarms_pct) + " % false alarms", width);
  Table table({"key", "one run", "tolerance", "false alarms", "sees"}, {true, false, false, false, false});
  table.keep_names();
  for (std::size_t i = 0; i < std::min(result.keys.size(), kKeysShown); ++i) {
    const auto& [key, tolerance] = result.keys[i];
    table.add({{one_line(key)},
               {"+-" + number(tolerance.spread_pct) + " %"},
               {number(tolerance.percent) + " %"},
               {core::short_number(tolerance.false_alarms_pct, 2) + " %, " + std::to_string(tolerance.exceeded) + " of " +
                std::to_string(tolerance.steps) + " seen"},
               {number(tolerance.sees_pct) + " %"}});
  }
  if (!table.empty()) out += "\n" + table.text(terminal, width);
  if (result.keys.size() > kKeysShown) out += "  and " + core::counted(result.keys.size() - kKeysShown, "quieter key") + "\n";
  if (!result.undecided.empty()) {
    out += Terminal::wrap("  ",
                          core::counted(result.undecided.size(), "key") +
                              " with no answer (fewer than five values, or too noisy): " + core::listed(result.undecided),
                          width);
  }
  if (!result.rules.empty()) out += "\n# for plumbline.yaml\n" + calibrate_yaml(result);
  return out;
}

}  // namespace plumbline::reports
