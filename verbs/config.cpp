// config check: plumbline.yaml read to its end, and, where a file is given, which rule decides which of its rows.
#include <algorithm>
#include <map>
#include <set>

#include "core/rules/rule_book.hpp"
#include "core/text.hpp"
#include "registry/posix/store.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/record/freeze_sol.hpp"
#include "verbs/resolving/project_file.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/verify/trust.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

// A rule and a waiver say alike what they are about.
template <class Matching>
std::vector<std::pair<std::string, std::string>> match_of(const Matching& rule) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto match = [&](const char* name, const std::string& glob) {
    if (glob != "*") out.emplace_back(name, glob);
  };
  match("family", rule.family);
  match("measurement", rule.measurement);
  match("format", rule.format);
  for (const std::string& key : rule.keys) out.emplace_back("key", key);
  return out;
}

core::ConfigWaiver told(const core::Waiver& waiver, std::string_view today) {
  core::ConfigWaiver out;
  out.line = waiver.line;
  out.match = match_of(waiver);
  out.ceiling = tolerance_text(waiver.ceiling);
  out.until = waiver.until;
  out.reason = waiver.reason;
  out.link = waiver.link;
  out.gate = waiver.gate;
  out.expired = core::is_expired(waiver, today);
  return out;
}

core::ConfigRule told(const ProjectRule& rule) {
  core::ConfigRule out;
  out.line = rule.line;
  out.match = match_of(rule);
  const auto set = [&](const char* name, const std::optional<std::string>& text) {
    if (text) out.set.emplace_back(name, *text);
  };
  const auto truth = [](const std::optional<bool>& value) {
    return value ? std::optional<std::string>(*value ? "true" : "false") : std::nullopt;
  };
  if (rule.tolerance) out.set.emplace_back("tolerance", tolerance_text(*rule.tolerance));
  set("unit", rule.unit);
  if (rule.direction) out.set.emplace_back("direction", core::to_string(*rule.direction));
  set("headline", truth(rule.headline));
  set("gate", truth(rule.gate));
  set("ceiling", rule.ceiling);
  set("fail_on", rule.fail_on);
  set("policy", rule.policy);
  if (!rule.trusted_keys.empty()) out.set.emplace_back("trusted_keys", core::cited_list(rule.trusted_keys));
  return out;
}

// A later rule of the same rows that sets all that this one sets.
bool replaced_by(const core::ConfigRule& rule, const core::ConfigRule& later) {
  return rule.match == later.match && std::all_of(rule.set.begin(), rule.set.end(), [&](const auto& setting) {
           return std::any_of(later.set.begin(), later.set.end(),
                              [&](const auto& other) { return other.first == setting.first; });
         });
}

class Checker {
 public:
  Checker(const Arguments& arguments, const Context& context) : arguments_(arguments), context_(context) {}

  Expected<core::ConfigCheck> check() {
    auto root = root_of(arguments_, context_);
    if (!root) return core::fail(root.error());
    root_ = std::move(*root);
    out_.path = project_file_path(root_);
    registry::PathLimits limits = path_limits(context_);
    if (is_absent(out_.path, limits)) {
      return core::fail(ErrorCode::not_found, "there is no plumbline.yaml: " + core::cited_path(out_.path),
                        "the file is optional; `rules: [{match: {key: \"*p99*\"}, set: {tolerance: 10%}}]` is one");
    }
    auto bytes = registry::read_file(out_.path, limits);
    if (!bytes) return core::fail(bytes.error());
    ProjectReading reading = read_rules(std::string(bytes->view()));
    out_.problems = std::move(reading.problems);
    check_tiers(reading.file);
    auto chosen = with_tier(std::move(reading.file), tier_asked(arguments_, context_));
    if (!chosen) return core::fail(chosen.error());
    file_ = std::move(*chosen);
    for (const ProjectRule& rule : file_.rules) out_.rules.push_back(told(rule));
    take_waivers();
    if (auto ok = check_ceilings(); !ok) return core::fail(ok.error());
    check_trusted_keys();
    if (auto ok = count_measurements(); !ok) return core::fail(ok.error());
    if (arguments_.has("source")) {
      if (auto ok = try_on_source(); !ok) return core::fail(ok.error());
    }
    find_idle_rules();
    std::stable_sort(out_.problems.begin(), out_.problems.end(),
                     [](const auto& a, const auto& b) { return std::pair(a.line, a.column) < std::pair(b.line, b.column); });
    return std::move(out_);
  }

 private:
  void problem(bool error, int line, std::string message, std::string hint) {
    out_.problems.push_back({error, line, 0, std::move(message), std::move(hint)});
  }

  // Of every tier, chosen or not: what has ended has to go.
  void check_tiers(const ProjectFile& file) {
    for (const ProjectTier& tier : file.tiers) {
      out_.tiers.push_back(tier.name);
      check_ends(tier.waivers);
    }
    check_ends(file.waivers);
  }

  void take_waivers() {
    for (const auto& waiver : file_.waivers) out_.waivers.push_back(told(*waiver, today()));
  }
  [[nodiscard]] std::string today() const { return registry::utc_text(context_.now()).substr(0, 10); }

  void check_ends(const core::Waivers& waivers) {
    for (const auto& waiver : waivers) {
      if (!core::is_expired(*waiver, today())) continue;
      problem(true, waiver->line,
              "this waiver ended on " + waiver->until + ", and every gate it speaks of fails until it is gone",
              "take it out, or give it a later `until` if its reason still holds");
    }
  }

  Status check_ceilings() {
    auto ceilings = ceilings_for(root_, context_);
    if (!ceilings) return core::fail(ceilings.error());
    for (const ProjectRule& rule : file_.rules) {
      if (!rule.ceiling || *rule.ceiling == "auto" || *rule.ceiling == "none") continue;
      if (const auto known = (*ceilings)->find(*rule.ceiling); !known)
        problem(true, rule.line, known.error().message, known.error().hint);
    }
    return {};
  }

  void check_trusted_keys() {
    for (const ProjectRule& rule : file_.rules) {
      for (const std::string& path : rule.trusted_keys) {
        if (const auto key = read_public_key(root_, path, context_); !key)
          problem(true, rule.line, "trusted_keys: " + core::cited_path(path) + ": " + key.error().message, key.error().hint);
      }
    }
  }

  template <class Matching, class Names>
  static std::uint64_t spoken_of(const Matching& rule, const Names& known) {
    return static_cast<std::uint64_t>(std::count_if(known.begin(), known.end(), [&](const auto& name) {
      return core::glob_match(rule.family, name.first) && core::glob_match(rule.measurement, name.second);
    }));
  }
  void no_measurement(int line) {
    problem(false, line, "no measurement of the registry has this family and measurement",
            "`plumbline search` lists what is there");
  }

  Status count_measurements() {
    const auto store = open_store(root_, context_);
    const auto known = store->measurements(registry::Kind::entry);
    if (!known) return core::fail(known.error());
    if (known->empty()) return {};
    for (std::size_t i = 0; i < file_.rules.size(); ++i) {
      const ProjectRule& rule = file_.rules[i];
      out_.rules[i].measurements = spoken_of(rule, *known);
    }
    for (std::size_t i = 0; i < file_.waivers.size(); ++i) {
      out_.waivers[i].measurements = spoken_of(*file_.waivers[i], *known);
      if (out_.waivers[i].measurements == 0) no_measurement(file_.waivers[i]->line);
    }
    return {};
  }

  // Each row of a file asks the rules, as in a diff; flags, entries and formats are not asked.
  Status try_on_source() {
    if (const std::string name = arguments_.text("measurement"); !name.empty()) {
      const auto named = parse_named_reference(name);
      if (!named || !named->selector.empty()) {
        return core::fail(ErrorCode::usage, "--measurement must be FAMILY/MEASUREMENT, not " + core::cited(name),
                          "for instance `--measurement nccl/all_reduce`");
      }
      family_ = named->family;
      measurement_ = named->measurement;
    }
    auto reading = reading_rules_with(file_, root_, context_);  // as far as the file could be read
    if (!reading) return core::fail(reading.error());
    reading->beside = false;
    std::vector<intake::Opened> sources;
    auto source = load_source(arguments_.text("source"), context_, "source");
    if (!source) return core::fail(source.error());
    if (source->is_capture()) {
      return core::fail(ErrorCode::shape_mismatch, "rules of keys are tried on measurements, and this is a capture",
                        "of captures only `fail_on` counts");
    }
    out_.source = source->source.path;
    sources.push_back(std::move(*source));
    const auto pool = std::make_shared<core::StringPool>();
    const auto m = read_measurement(sources, arguments_.text("format"), pool, context_, *reading);
    if (!m) return core::fail(m.error());
    out_.source_format = m->format.name;
    if (measurement_.empty()) measurement_ = m->format.name;
    out_.measurement = family_ + "/" + measurement_;
    out_.source_rows = m->rows().size();
    count_rows(*m, settings_for(file_, family_, measurement_, m->format.name));
    return {};
  }

  void count_rows(const core::Measurement& m, const ProjectSettings& settings) {
    core::CompareRules rules;
    rules.key_rules = settings.key_rules;
    if (settings.tolerance) rules.default_tolerance = *settings.tolerance;
    std::vector<core::Tolerance> tolerances;
    core::RuleBook book(rules, m.pool(), tolerances);
    std::map<std::string, std::uint64_t> decided;  // rows by the rule's note
    std::set<const core::Waiver*> useful;          // waivers that allow a row more than its tolerance does
    for (const core::Row& row : m.rows()) {
      const core::Resolved said = book.resolve(row.key, m.key(row));
      for (const auto& waiver : file_.waivers) {
        const core::Tolerance& tolerance = tolerances[said.tolerance];
        if (core::match(*waiver, m.key(row)) < 0) continue;
        if (waiver->ceiling.kind != tolerance.kind || waiver->ceiling.value > tolerance.value) useful.insert(waiver.get());
      }
      std::set<std::string> deciding;
      for (const core::KeyRule* rule : {said.tolerance_rule, said.direction, said.unit, said.headline, said.gate}) {
        if (rule != nullptr) deciding.insert(rule->note);
      }
      if (said.tolerance_rule == nullptr && settings.tolerance) deciding.insert(settings.tolerance->note);
      for (const std::string& note : deciding) ++decided[note];
    }
    for (std::size_t i = 0; i < file_.rules.size(); ++i) {
      out_.rules[i].rows = matched_rows(file_.rules[i], m);
      out_.rules[i].decides = decided["plumbline.yaml:" + std::to_string(file_.rules[i].line)];
    }
    for (std::size_t i = 0; i < file_.waivers.size(); ++i) {
      const core::Waiver& waiver = *file_.waivers[i];
      out_.waivers[i].rows = matched_rows(waiver, m);
      if (out_.waivers[i].rows == 0 || useful.contains(&waiver)) continue;
      problem(
          false, waiver.line,
          "its ceiling of " + tolerance_text(waiver.ceiling) + " is no more than the tolerance of its rows: it waives nothing",
          "a row counts from its tolerance on; take the waiver out, or raise the ceiling");
    }
  }

  // Of a rule of this measurement; a key that no row has is said, with the nearest one.
  template <class Matching>
  std::uint64_t matched_rows(const Matching& rule, const core::Measurement& m) {
    if (!core::glob_match(rule.family, family_) || !core::glob_match(rule.measurement, measurement_) ||
        !core::glob_match(rule.format, m.format.name))
      return 0;
    if (rule.keys.empty()) return m.rows().size();
    std::vector<std::string_view> keys;
    for (const core::Row& row : m.rows()) keys.push_back(m.key(row));
    for (const std::string& glob : rule.keys) {
      if (std::any_of(keys.begin(), keys.end(), [&](std::string_view key) { return core::glob_match(glob, key); })) continue;
      const std::string_view near = core::nearest(glob, keys);
      problem(false, rule.line, "no row of the file matches the key " + cited(glob),
              near.empty() ? "`plumbline inspect PATH` lists its keys" : "did you mean " + cited(near) + "?");
    }
    return std::count_if(keys.begin(), keys.end(), [&](std::string_view key) {
      return std::any_of(rule.keys.begin(), rule.keys.end(), [&](const auto& glob) { return core::glob_match(glob, key); });
    });
  }

  void find_idle_rules() {
    for (std::size_t i = 0; i < out_.rules.size(); ++i) {
      core::ConfigRule& rule = out_.rules[i];
      const auto later = std::find_if(out_.rules.begin() + static_cast<std::ptrdiff_t>(i) + 1, out_.rules.end(),
                                      [&](const core::ConfigRule& other) { return replaced_by(rule, other); });
      if (later != out_.rules.end()) {
        problem(false, rule.line,
                "this rule never decides: line " + std::to_string(later->line) + " sets the same of the same rows",
                "the later of two such rules holds; keep one");
      } else if (rule.measurements == 0) {
        no_measurement(rule.line);
      }
    }
  }

  const Arguments& arguments_;
  const Context& context_;
  std::string root_;
  std::string family_ = "adhoc", measurement_;  // of the source: as which it is compared
  ProjectFile file_;
  core::ConfigCheck out_;
};

Expected<Outcome> run_config(const Arguments& arguments, const Context& context) {
  if (arguments.text("action").empty()) {
    return core::fail(ErrorCode::usage, "config needs to be told what to do", "`plumbline config check` reads plumbline.yaml");
  }
  const auto result = Checker(arguments, context).check();
  if (!result) return core::fail(result.error());
  Outcome outcome;
  outcome.json = reports::config_check_json(*result);
  outcome.text = reports::config_check_table(*result, true, context.width);
  if (const std::uint64_t errors = result->errors(); errors > 0) {
    outcome.gate_tripped = true;
    outcome.gate_message = "plumbline.yaml has " + core::counted(errors, "error");
  }
  return outcome;
}

}  // namespace

const Verb kConfig{
    .name = "config",
    .tool = "",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Check the project file",
    .summary =
        "Check all of plumbline.yaml: list everything that is wrong with it, and where, and the rules that have no effect. Use "
        "it before a change to the file is merged. Given a file of results, it says how many of its rows each rule decides.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "action", .kind = choice, .doc = "what to do", .required = true, .positional = 1, .choices = {"check"}},
            {.name = "source",
             .kind = path,
             .value_name = "PATH",
             .doc = "a file of results to try the rules on",
             .positional = 2},
            {.name = "measurement",
             .value_name = "FAMILY/MEASUREMENT",
             .doc = "the measurement that the file is compared as; default adhoc/FORMAT"},
            {.name = "format", .value_name = "NAME", .doc = "do not detect it"},
            tier_param(),
            {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "where plumbline.yaml is"},
        },
    .output_schema = schemas::text("plumbline.result.config.v1"),
    .examples = {"plumbline config check", "plumbline config check results.json --measurement inference/decode"},
    .run = &run_config,
};

}  // namespace plumbline::verbs
