#include "verbs/resolving/project_file.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/text.hpp"
#include "registry/pgindex/address.hpp"
#include "verbs/calling/fail_on.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/inputs.hpp"
#include "verbs/resolving/waiver_words.hpp"
#include "verbs/resolving/yaml_words.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verbs {

namespace {

using core::ErrorCode;
using core::Expected;
using core::Status;

constexpr std::array<std::string_view, 4> kMatchWords = {"family", "measurement", "format", "key"};
constexpr std::array<std::string_view, 9> kSetWords = {"tolerance", "unit",    "direction", "headline",    "gate",
                                                       "ceiling",   "fail_on", "policy",    "trusted_keys"};
constexpr std::array<std::string_view, 2> kRuleWords = {"match", "set"};
constexpr std::array<std::string_view, 6> kTopWords = {"rules", "formats", "waivers", "tiers", "store", "index"};
constexpr std::array<std::string_view, 5> kTierWords = {"set", "rules", "waivers", "cases", "run"};
constexpr std::array<std::string_view, 3> kRunWords = {"n", "budget", "max_runs"};

// Reads what it can and keeps what it cannot, with the place.
class Reader : private YamlWords {
 public:
  explicit Reader(ProjectReading& out) : YamlWords(out.problems), out_(out) {}

  void read(const YAML::Node& root) {
    if (!root || root.IsNull()) return;
    if (!root.IsMap()) return problem(root, "the file is a map with `rules`, `waivers`, `tiers` and `formats`");
    check_words(root, kTopWords, "plumbline.yaml");
    if (root["index"]) read_index(root);
    if (const YAML::Node own = root["formats"]) {
      auto read = formats::stated::read_formats(own, out_.problems);
      if (!read.empty()) out_.file.formats = std::make_shared<const formats::stated::OwnFormats>(std::move(read));
    }
    if (const YAML::Node waivers = root["waivers"]) out_.file.waivers = read_waivers(waivers, out_.problems);
    if (const YAML::Node rules = root["rules"]) out_.file.rules = read_rules(rules);
    if (const YAML::Node tiers = root["tiers"]) read_tiers(tiers);
    if (const YAML::Node store = root["store"]) read_store(store);
  }

 private:
  void read_index(const YAML::Node& root) {
    const std::string address = text_of(root, "index").value_or("off");
    if (address == "off") return;
    if (const auto good = registry::pgindex::check_address(address, "index"); !good)
      return problem(root["index"], good.error().message, good.error().hint);
    if (registry::pgindex::has_password(address)) {
      return problem(root["index"], "the address of the index has a password in it, and this file is reviewed with the code",
                     "leave it out: ~/.pgpass gives it");
    }
    if (registry::pgindex::leaves_machine(address) && !registry::pgindex::verifies_server(address)) {
      return problem(root["index"], "the index is asked over a network, and whoever answers there would be believed",
                     "end it with ?sslmode=verify-full; PLUMBLINE_INDEX and --index may name any address");
    }
  }

  void read_store(const YAML::Node& node) {
    const std::string text = node.IsScalar() ? node.Scalar() : std::string();
    if (text.starts_with('/') || text.starts_with("s3://"))
      out_.file.store = text;
    else
      problem(node, "store is s3://BUCKET/PREFIX or the absolute path of a folder");
  }

  // Those that are right.
  std::vector<ProjectRule> read_rules(const YAML::Node& list) {
    std::vector<ProjectRule> out;
    if (!list.IsSequence()) {
      problem(list, "rules is a list");
      return out;
    }
    for (const auto& node : list) {
      const std::size_t before = problems();
      ProjectRule rule = read_rule(node);
      if (problems() == before) out.push_back(std::move(rule));
    }
    return out;
  }

  void read_tiers(const YAML::Node& tiers) {
    if (!tiers.IsMap())
      return problem(tiers, "tiers is a map from names to what they ask for", "for instance {nightly: {run: {n: 10}}}");
    for (const auto& item : tiers) {
      if (!item.first.IsScalar() || !is_name(item.first.Scalar())) {
        problem(item.first, "the name of a tier is a word of lower-case letters, digits, `-` and `_`");
        continue;
      }
      const std::string& name = item.first.Scalar();
      if (std::any_of(out_.file.tiers.begin(), out_.file.tiers.end(), [&](const auto& tier) { return tier.name == name; })) {
        problem(item.first, cited(name) + " is twice in tiers", "keep one of them");
        continue;
      }
      ProjectTier tier;
      tier.line = item.first.Mark().line + 1;
      tier.name = name;
      read_tier(item.second, tier);
      out_.file.tiers.push_back(std::move(tier));
    }
  }
  static bool is_name(const std::string& text) {
    return !text.empty() && text.size() <= 64 &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
  }

  void read_tier(const YAML::Node& node, ProjectTier& tier) {
    if (node.IsNull()) return;  // as the file has it for everyone
    if (!node.IsMap()) return problem(node, "a tier is a map", "it may have " + list_of(kTierWords));
    check_words(node, kTierWords, "a tier");
    if (node["set"]) {
      ProjectRule all;
      all.line = node["set"].Mark().line + 1;
      read_set(map_of(node, "set", kSetWords), all);
      tier.rules.push_back(std::move(all));
    }
    if (const YAML::Node rules = node["rules"]) {
      for (ProjectRule& rule : read_rules(rules)) tier.rules.push_back(std::move(rule));
    }
    if (const YAML::Node waivers = node["waivers"]) tier.waivers = read_waivers(waivers, out_.problems);
    tier.cases = texts_of(node, "cases");
    const YAML::Node run = map_of(node, "run", kRunWords);
    tier.runs = text_of(run, "n");
    if (tier.runs && *tier.runs != "auto" && core::parse_int(*tier.runs).value_or(0) < 1)
      problem(run["n"], "n is a number of trials or auto, not " + cited(*tier.runs));
    tier.budget = text_of(run, "budget");
    if (const auto most = text_of(run, "max_runs")) {
      tier.max_runs = core::parse_int(*most);
      if (!tier.max_runs) problem(run["max_runs"], "max_runs is a whole number, not " + cited(*most));
    }
  }

  ProjectRule read_rule(const YAML::Node& node) {
    ProjectRule rule;
    rule.line = node.Mark().line + 1;
    if (!node.IsMap()) {
      problem(node, "a rule is a map with match and set");
      return rule;
    }
    check_words(node, kRuleWords, "a rule");
    if (!node["set"] || !node["set"].IsMap() || node["set"].size() == 0) {
      problem(node, "a rule needs a map `set`", "it may set " + list_of(kSetWords));
      return rule;
    }
    read_match(map_of(node, "match", kMatchWords), rule);
    read_set(map_of(node, "set", kSetWords), rule);
    return rule;
  }

  void read_match(const YAML::Node& match, ProjectRule& rule) {
    rule.family = text_of(match, "family").value_or("*");
    rule.measurement = text_of(match, "measurement").value_or("*");
    rule.format = text_of(match, "format").value_or("*");
    rule.keys = texts_of(match, "key");
  }

  void read_set(const YAML::Node& set, ProjectRule& rule) {
    if (const auto text = text_of(set, "tolerance")) read_tolerance(set["tolerance"], *text, rule);
    if (const auto text = text_of(set, "direction")) {
      rule.direction = core::parse_direction(*text);
      if (!rule.direction) {
        problem(set["direction"], "direction " + cited(*text) + " is not one",
                "directions are higher-is-better, lower-is-better and two-sided");
      }
    }
    rule.unit = text_of(set, "unit");
    rule.headline = truth_of(set, "headline");
    rule.gate = truth_of(set, "gate");
    rule.ceiling = text_of(set, "ceiling");
    rule.policy = text_of(set, "policy");
    if (rule.policy && verdict::find(*rule.policy) == nullptr) {
      problem(set["policy"], "the policy " + cited(*rule.policy) + " does not exist", "policies are " + verdict::policy_names());
    }
    read_trusted_keys(set, rule);
    const std::vector<std::string> words = texts_of(set, "fail_on");
    if (words.empty()) return;
    if (const auto known = fail_words(words, false); !known) {
      problem(set["fail_on"], "fail_on" + known.error().message.substr(std::string_view("--fail-on").size()), known.error().hint);
    }
    for (const std::string& word : words) rule.fail_on = rule.fail_on ? *rule.fail_on + "," + word : word;
  }

  // Publications are verified without being read as measurements.
  void read_trusted_keys(const YAML::Node& set, ProjectRule& rule) {
    rule.trusted_keys = texts_of(set, "trusted_keys");
    if (rule.trusted_keys.empty() || (rule.format == "*" && rule.keys.empty())) return;
    problem(set["trusted_keys"], "trusted_keys hold for publications, and the rule is about a format or keys in them",
            "match family and measurement only, or nothing");
  }

  void read_tolerance(const YAML::Node& node, const std::string& text, ProjectRule& rule) {
    auto tolerance = core::parse_tolerance(text);
    if (!tolerance) return problem(node, tolerance.error().message, tolerance.error().hint);
    rule.tolerance = *tolerance;
    rule.tolerance->source = core::Source::project;
    rule.tolerance->note = "plumbline.yaml:" + std::to_string(rule.line);
  }

  ProjectReading& out_;
};

core::KeyRule key_rule(const ProjectRule& rule, const std::string& glob) {
  core::KeyRule out;
  out.glob = glob;
  out.source = core::Source::project;
  out.note = "plumbline.yaml:" + std::to_string(rule.line);
  out.direction = rule.direction;
  out.unit = rule.unit;
  out.headline = rule.headline;
  out.gate = rule.gate;
  return out;
}

}  // namespace

std::string project_file_path(const std::string& root) { return root + "/plumbline.yaml"; }

ProjectReading read_rules(const std::string& text) {
  ProjectReading out;
  try {
    Reader(out).read(YAML::Load(text));
  } catch (const YAML::Exception& e) {
    out.problems.push_back({true, e.mark.line + 1, e.mark.column + 1, e.msg, {}});
  }
  return out;
}

Expected<ProjectFile> parse_project_file(const std::string& text, const std::string& path) {
  ProjectReading reading = read_rules(text);
  if (!reading.problems.empty()) {
    const core::ConfigProblem& first = reading.problems.front();
    const std::string place = path + ":" + std::to_string(first.line) + ":" + std::to_string(first.column);
    const std::size_t others = reading.problems.size() - 1;
    std::string message = place + ": " + first.message;
    if (others > 0) message += " (and " + core::counted(others, "problem") + " more: `plumbline config check`)";
    return core::fail(ErrorCode::invalid_input, message, first.hint, place);
  }
  reading.file.path = path;
  return std::move(reading.file);
}

Expected<ProjectFile> read_project_file(const std::string& root, const Context& context) {
  if (root.empty()) return ProjectFile{};
  const std::string path = project_file_path(root);
  registry::PathLimits limits = path_limits(context);
  limits.bytes = 4U << 20U;
  if (is_absent(path, limits)) return ProjectFile{};
  auto bytes = registry::read_file(path, limits);
  if (!bytes) return core::fail(bytes.error());
  if (context.inputs != nullptr) context.inputs->note_rules(path, bytes->view());
  return parse_project_file(std::string(bytes->view()), path);
}

std::string tier_asked(const Arguments& arguments, const Context& context) {
  if (arguments.has("tier")) return arguments.text("tier");
  return context.environment ? context.environment("PLUMBLINE_TIER").value_or("") : std::string();
}

Expected<ProjectFile> with_tier(ProjectFile file, const std::string& name) {
  if (name.empty()) return file;
  const auto found = std::find_if(file.tiers.begin(), file.tiers.end(), [&](const auto& tier) { return tier.name == name; });
  if (found == file.tiers.end()) {
    std::vector<std::string> names;
    for (const ProjectTier& tier : file.tiers) names.push_back(tier.name);
    if (names.empty()) {
      return core::fail(
          ErrorCode::usage, "there is no tier " + cited(name) + ": plumbline.yaml has none",
          "`tiers: {" + name + ": {run: {n: 10}}}` is one; leave out --tier and PLUMBLINE_TIER where there are none");
    }
    const std::string_view near = core::nearest(name, std::vector<std::string_view>(names.begin(), names.end()));
    return core::fail(ErrorCode::usage, "there is no tier " + cited(name) + " in plumbline.yaml",
                      near.empty() ? "tiers are " + core::listed(names, names.size()) : "did you mean " + cited(near) + "?");
  }
  const ProjectTier tier = *found;
  file.tier = name;
  file.cases = tier.cases;
  file.rules.insert(file.rules.end(), tier.rules.begin(), tier.rules.end());
  file.waivers.insert(file.waivers.end(), tier.waivers.begin(), tier.waivers.end());
  return file;
}

ProjectSettings settings_for(const ProjectFile& file, std::string_view family, std::string_view measurement,
                             std::string_view format) {
  ProjectSettings out;
  // Of rules equally specific the comparison takes the first: the last written comes first.
  for (auto it = file.rules.rbegin(); it != file.rules.rend(); ++it) {
    const ProjectRule& rule = *it;
    if (!core::glob_match(rule.family, family) || !core::glob_match(rule.measurement, measurement) ||
        !core::glob_match(rule.format, format)) {
      continue;
    }
    if (rule.ceiling && !out.ceiling) out.ceiling = rule.ceiling;
    if (rule.policy && !out.policy) out.policy = rule.policy;
    if (rule.fail_on && !out.fail_on) out.fail_on = rule.fail_on;
    if (rule.keys.empty()) {
      if (rule.tolerance && !out.tolerance) out.tolerance = rule.tolerance;
      const bool of_rows = rule.direction || rule.unit || rule.headline || rule.gate;
      if (of_rows) out.key_rules.push_back(key_rule(rule, "*"));
    }
    for (const std::string& glob : rule.keys) {
      core::KeyRule key = key_rule(rule, glob);
      key.tolerance = rule.tolerance;
      if (key.tolerance || key.direction || key.unit || key.headline || key.gate) out.key_rules.push_back(std::move(key));
    }
  }
  return out;
}

core::Waivers waivers_for(const ProjectFile& file, std::string_view family, std::string_view measurement,
                          std::string_view format) {
  core::Waivers out;
  std::copy_if(file.waivers.begin(), file.waivers.end(), std::back_inserter(out), [&](const auto& waiver) {
    return core::glob_match(waiver->family, family) && core::glob_match(waiver->measurement, measurement) &&
           core::glob_match(waiver->format, format);
  });
  return out;
}

std::vector<PinnedKey> trusted_keys_for(const ProjectFile& file, std::string_view family, std::string_view measurement) {
  std::vector<PinnedKey> out;
  for (auto it = file.rules.rbegin(); it != file.rules.rend(); ++it) {
    const ProjectRule& rule = *it;
    const bool of_all = family.empty();
    if (rule.trusted_keys.empty()) continue;
    if (!of_all && (!core::glob_match(rule.family, family) || !core::glob_match(rule.measurement, measurement))) continue;
    for (const std::string& path : rule.trusted_keys) out.push_back({path, rule.line});
    if (!of_all) break;
  }
  return out;
}

}  // namespace plumbline::verbs
