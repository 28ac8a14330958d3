#include "verbs/resolving/session.hpp"

#include <algorithm>
#include <cctype>

#include "core/text.hpp"
#include "intake/measurement.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/resolving/inputs.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verbs {

using core::KeyRule;
using core::Measurement;

std::string absolute(const Context& context, std::string_view path) {
  return registry::absolute_path(std::string(path), context.cwd, path_limits(context));
}

profiles::Opener capture_opener(const Context& context) { return intake::capture_opener(path_limits(context)); }

Expected<intake::Opened> load_source(std::string_view path, const Context& context, std::string_view parameter,
                                     intake::OpenedAhead* ahead) {
  if (core::trim(path).empty()) {
    return core::fail(ErrorCode::usage, "--" + std::string(parameter) + " is empty", "give the path of a file or folder");
  }
  const std::string whole = absolute(context, path);
  auto opened = ahead != nullptr ? ahead->open(whole, path_limits(context)) : intake::open(whole, path_limits(context));
  if (!opened && opened.error().code == ErrorCode::not_found) {
    Error error = opened.error();
    error.message = "--" + std::string(parameter) + " does not exist: " + core::cited_path(whole);
    return core::fail(std::move(error));
  }
  return opened;
}

Expected<ReadingRules> reading_rules_for(const std::string& root, const Context& context) {
  if (root.empty()) return reading_rules_with({}, root, context);
  const auto project = read_project_file(root, context);
  if (!project) return core::fail(project.error());
  return reading_rules_with(*project, root, context);
}

Expected<ReadingRules> reading_rules_with(const ProjectFile& project, const std::string& root, const Context& context) {
  ReadingRules rules;
  if (project.formats != nullptr) rules.formats.push_back(project.formats);
  if (root.empty()) return rules;
  const std::string path = root + "/configs/metric-names.yaml";
  const registry::PathLimits limits = path_limits(context);
  if (is_absent(path, limits)) return rules;
  auto bytes = registry::read_file(path, limits);
  if (!bytes) return core::fail(bytes.error());
  if (context.inputs != nullptr) context.inputs->note_rules(path, bytes->view());
  auto names = configs::MetricNames::parse(bytes->view(), path);
  if (!names) return core::fail(names.error());
  rules.own_names = std::move(*names);
  return rules;
}

std::string ReadingRules::statement_of(std::string_view format) const {
  for (const auto& own : formats) {
    if (std::string text = own->text_of(format); !text.empty()) return text;
  }
  return {};
}

Expected<ReadingRules> with_formats_beside(ReadingRules reading, const intake::Opened& source, const Context& context) {
  const std::string& path = source.source.path;
  auto project = read_project_file(source.source.is_directory ? path : path.substr(0, path.rfind('/')), context);
  if (!project) return core::fail(project.error());
  if (project->formats != nullptr) reading.formats.push_back(std::move(project->formats));
  return reading;
}

Expected<Measurement> read_measurement(const std::vector<intake::Opened>& sources, const std::string& format,
                                       const std::shared_ptr<core::StringPool>& pool, const Context& context,
                                       const ReadingRules& reading, bool allow_no_numbers) {
  intake::ReadOptions options;
  options.format = format;
  options.pool = pool;
  options.names = reading.own_names;
  options.own_formats = reading.formats;
  if (reading.beside && !sources.empty()) {
    auto more = with_formats_beside(reading, sources.front(), context);
    if (!more) return core::fail(more.error());
    options.own_formats = std::move(more->formats);
  }
  options.allow_no_numbers = allow_no_numbers;
  options.one_host = reading.one_host;
  options.limits = {context.limits.json_depth, context.limits.rows, [&context] { return context.stop_asked(); }};
  return intake::read(sources, options);
}

Expected<FlagRules> flag_rules(const Arguments& arguments) {
  FlagRules out;
  const auto key_value = [](const std::string& text) -> std::pair<std::string, std::string> {
    const std::size_t at = text.rfind('=');  // keys may hold '=' (results[size=8].busbw), specs never do
    if (at == std::string::npos) return {"", text};
    return {text.substr(0, at), text.substr(at + 1)};
  };
  for (const std::string& text : arguments.list("direction")) {
    const auto [key, word] = key_value(text);
    if (word == "auto") continue;
    const auto direction = core::parse_direction(word);
    if (!direction) {
      static constexpr std::array<std::string_view, 4> kWords = {"auto", "higher-is-better", "lower-is-better", "two-sided"};
      const std::string_view near = core::nearest(word, kWords);
      return core::fail(ErrorCode::usage, "--direction " + cited(text) + " is not a direction",
                        near.empty() ? "directions are higher-is-better, lower-is-better, two-sided and auto, for one key KEY=DIR"
                                     : "did you mean " + cited(near) + "?");
    }
    if (key.empty()) {
      if (out.direction && out.direction != direction) {
        return core::fail(ErrorCode::usage, "--direction is given twice, with different directions",
                          "give one for all rows, and KEY=DIR for those that differ");
      }
      out.direction = direction;
      continue;
    }
    KeyRule rule;
    rule.glob = key;
    rule.source = core::Source::flag;
    rule.note = "--direction";
    rule.direction = direction;
    out.key_rules.push_back(std::move(rule));
    out.directions.emplace_back(key, word);
  }
  for (const std::string& text : arguments.list("tolerance")) {
    const auto [key, spec] = key_value(text);
    if (key.empty()) {
      return core::fail(ErrorCode::usage, "--tolerance " + cited(text) + " names no key",
                        "write `--tolerance KEY=SPEC`, or `--tolerance-percent N` for all rows");
    }
    auto tolerance = core::parse_tolerance(spec);
    if (!tolerance)
      return core::fail(ErrorCode::usage, "--tolerance " + text + ": " + tolerance.error().message, tolerance.error().hint);
    KeyRule rule;
    rule.glob = key;
    rule.source = core::Source::flag;
    rule.note = "--tolerance";
    rule.tolerance = *tolerance;
    rule.tolerance->source = core::Source::flag;
    out.key_rules.push_back(std::move(rule));
    out.tolerances.emplace_back(key, spec);
  }
  for (const std::string& key : arguments.list("headline")) {
    KeyRule rule;
    rule.glob = key;
    rule.source = core::Source::flag;
    rule.note = "--headline";
    rule.headline = true;
    out.key_rules.push_back(std::move(rule));
    out.headlines.push_back(key);
  }
  return out;
}

Status check_keys(const FlagRules& rules, std::span<const Measurement* const> sides) {
  for (const KeyRule& rule : rules.key_rules) {
    const bool glob = rule.glob.find_first_of("*?") != std::string::npos;
    const auto names_row = [&](const Measurement* side) {
      const core::Id id = side->pool().find(rule.glob);
      return std::any_of(side->rows().begin(), side->rows().end(), [&](const core::Row& row) {
        return row.key == id || (glob && core::glob_match(rule.glob, side->key(row)));
      });
    };
    if (std::any_of(sides.begin(), sides.end(), names_row)) continue;
    std::vector<std::string_view> keys;
    for (const Measurement* side : sides) {
      for (const core::Row& row : side->rows()) {
        if (keys.size() >= 10'000) break;
        keys.push_back(side->key(row));
      }
    }
    const std::string_view near = core::nearest(rule.glob, keys);
    return core::fail(ErrorCode::usage, rule.note + ": no key matches " + cited(rule.glob),
                      near.empty()
                          ? "`plumbline inspect PATH` lists the keys; \"*" + rule.glob + "\" matches at the end of a path"
                          : "did you mean " + cited(near) + "?");
  }
  return {};
}

namespace {

Expected<std::vector<KeyRule>> text_rules(const std::vector<std::pair<std::string, std::string>>& tolerances,
                                          const std::vector<std::string>& headlines, const std::vector<std::string>& gates,
                                          core::Source source, const std::string& note) {
  std::vector<KeyRule> out;
  for (const auto& [glob, spec] : tolerances) {
    auto tolerance = core::parse_tolerance(spec);
    if (!tolerance)
      return core::fail(ErrorCode::invalid_input, note + ": tolerance of " + glob + ": " + tolerance.error().message);
    KeyRule rule;
    rule.glob = glob;
    rule.source = source;
    rule.note = note;
    rule.tolerance = *tolerance;
    rule.tolerance->source = source;
    rule.tolerance->note = note;
    out.push_back(std::move(rule));
  }
  for (const std::string& glob : headlines) {
    KeyRule rule;
    rule.glob = glob;
    rule.source = source;
    rule.note = note;
    rule.headline = true;
    out.push_back(std::move(rule));
  }
  for (const std::string& glob : gates) {
    KeyRule rule;
    rule.glob = glob;
    rule.source = source;
    rule.note = note;
    rule.gate = true;
    out.push_back(std::move(rule));
  }
  return out;
}

}  // namespace

Expected<std::vector<KeyRule>> declared_key_rules(const Measurement& measurement) {
  core::DeclaredRules declared = measurement.declared;
  if (declared.tolerances.empty() && declared.headlines.empty() && declared.gates.empty()) {
    if (auto known = verdict::declared_rules(measurement.format.name)) declared = std::move(*known);
  }
  return text_rules(declared.tolerances, declared.headlines, declared.gates, core::Source::format, measurement.format.name);
}

Expected<std::vector<KeyRule>> entry_key_rules(const core::BaselineRecord& record) {
  auto rules = text_rules(record.tolerances, record.headline, {}, core::Source::entry, "baseline.json");
  if (!rules) return rules;
  for (const auto& [glob, word] : record.directions) {
    const auto direction = core::parse_direction(word);
    if (!direction)
      return core::fail(ErrorCode::invalid_input, "invalid baseline metadata: direction of " + glob + " is " + cited(word));
    KeyRule rule;
    rule.glob = glob;
    rule.source = core::Source::entry;
    rule.note = "baseline.json";
    rule.direction = direction;
    rules->push_back(std::move(rule));
  }
  return rules;
}

Measurement scalar_measurement(const core::BaselineRecord& record, const std::shared_ptr<core::StringPool>& pool) {
  Measurement m(pool);
  m.shape = core::Shape::scalar;
  m.format = record.format;
  if (m.format.name.empty()) m.format.name = "scalar";
  core::MetricClass klass;
  klass.unit = pool->intern(record.unit.value_or(""));
  klass.unit_source = core::Source::entry;
  core::Row row;
  row.key = row.metric = pool->intern(record.measurement);
  row.metric_class = m.intern_class(klass);
  if (!record.value_text.empty()) {
    row.state = core::ValueState::big_integer;
    row.text = pool->intern(record.value_text);
  }
  const double value = record.value.value_or(0);
  m.add_row(row, {&value, 1});
  return m;
}

Measurement named_scalar(Measurement measurement, std::string_view name) {
  if (measurement.shape != core::Shape::scalar || measurement.rows().empty()) return measurement;
  core::Row& row = measurement.rows().front();
  row.key = row.metric = measurement.pool().intern(name);
  return measurement;
}

std::string snapshot_name(std::string_view stem, const registry::Source& source, std::size_t trial) {
  std::string name(stem);
  if (trial > 0) name += "." + std::to_string(trial + 1);
  if (source.is_directory) return name;
  const std::string_view suffix = registry::suffix_of(source.name);
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '+'; };
  if (suffix.size() > 1 && std::all_of(suffix.begin() + 1, suffix.end(), plain)) name += suffix;
  return name;
}

void show_progress(const Context& context, double fraction, std::string_view message) {
  if (context.progress) context.progress(fraction, message);
}

Error cancelled_error() { return {ErrorCode::cancelled, "cancelled; nothing was published", "", ""}; }

}  // namespace plumbline::verbs
