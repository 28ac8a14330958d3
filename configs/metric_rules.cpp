// metric-names.yaml into its table of phrases.
#include "configs/metric_rules.hpp"

#include <yaml-cpp/yaml.h>

#include <optional>
#include <utility>

namespace plumbline::configs {

Meaning& MetricNames::Rules::phrase(std::string_view text) {
  const Words words(text, nullptr);
  std::uint64_t hash = kHashStart;
  Meaning* first = nullptr;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) hash = hash_word(hash, " ");
    hash = hash_word(hash, words[i].lower);
    if (i == 0) {
      first = &phrases[hash];
      first->longest = std::max(first->longest, static_cast<std::uint8_t>(words.size()));
    }
  }
  return phrases[hash];
}

const Meaning* MetricNames::Rules::whole(std::string_view name) const {
  const Words words(name, nullptr);
  std::uint64_t hash = kHashStart;
  for (std::size_t i = 0; i < words.size(); ++i) hash = hash_word(i > 0 ? hash_word(hash, " ") : hash, words[i].lower);
  return find(hash);
}

core::Expected<void> MetricNames::Rules::load(std::string_view yaml, std::string_view where) {
  const YAML::Node root = YAML::Load(std::string(yaml));
  const auto wrong = [&](const std::string& what) {
    return core::fail(core::ErrorCode::invalid_input, what, "see the embedded metric-names.yaml for the layout",
                      std::string(where));
  };
  if (!root.IsMap() || !root["version"] || root["version"].as<int>() != 1)
    return wrong("metric names: expected a map with version: 1");
  for (const auto& node : root["groups"]) {
    Group group;
    group.name = node["name"].as<std::string>();
    group.strength = node["strength"].as<int>();
    const auto direction = [&](const char* key) -> std::optional<core::Direction> {
      if (!node[key] || node[key].as<std::string>() == "unknown") return core::Direction::unknown;
      const std::string text = node[key].as<std::string>();
      if (text == "lower") return core::Direction::lower;
      if (text == "higher") return core::Direction::higher;
      if (text == "two-sided") return core::Direction::two_sided;
      return std::nullopt;
    };
    const auto stated = direction("direction");
    const auto peak = direction("peak");
    if (!stated || !peak)
      return wrong("metric names: group '" + group.name + "': a direction is lower, higher, two-sided or unknown");
    group.direction = *stated;
    group.peak = *peak;
    const std::string role = node["role"] ? node["role"].as<std::string>() : "judged";
    if (role != "judged" && role != "gate" && role != "context") {
      return wrong("metric names: group '" + group.name + "': a role is judged, gate or context");
    }
    group.role = role == "gate" ? core::Role::gate : role == "context" ? core::Role::context : core::Role::judged;
    group.exact = node["exact"] && node["exact"].as<bool>();
    const std::string share = node["share"] ? node["share"].as<std::string>() : "none";
    if (share != "none" && share != "quality" && share != "reliability") {
      return wrong("metric names: group '" + group.name + "': a share is of quality or reliability");
    }
    group.share = share == "quality"       ? core::Share::quality
                  : share == "reliability" ? core::Share::reliability
                                           : core::Share::none;
    group.alone = node["alone"] && node["alone"].as<bool>();
    group.outcome = node["outcome"] && node["outcome"].as<bool>();
    groups.push_back(group);
    if (groups.size() > 200) return wrong("metric names: more than 200 groups");
    for (const auto& word : node["words"]) {
      auto& slots = phrase(word.as<std::string>()).groups;
      const auto free = std::find(slots.begin(), slots.end(), std::uint8_t{0});
      if (free == slots.end()) return wrong("metric names: '" + word.as<std::string>() + "' is in more than three groups");
      *free = static_cast<std::uint8_t>(groups.size());
    }
  }
  for (const auto& node : root["units"]) {
    const std::string quantity = node["quantity"].as<std::string>();
    units.push_back({node["unit"].as<std::string>(), node["note"] ? node["note"].as<std::string>() : "",
                     quantity == "time"   ? UnitQuantity::time
                     : quantity == "rate" ? UnitQuantity::rate
                                          : UnitQuantity::other});
    if (units.size() > 200) return wrong("metric names: more than 200 units");
    for (const auto& word : node["words"]) phrase(word.as<std::string>()).unit = static_cast<std::uint8_t>(units.size());
  }
  for (const auto& node : root["case"]) {
    units.push_back({node["unit"].as<std::string>(), "", UnitQuantity::rate});
    if (units.size() > 250) return wrong("metric names: more than 250 units");
    for (const auto& word : node["words"]) case_units[word.as<std::string>()] = static_cast<std::uint8_t>(units.size());
  }
  static constexpr std::pair<const char*, Statistic> kStatistics[] = {{"plain", Statistic::plain},
                                                                      {"noise", Statistic::noise},
                                                                      {"count", Statistic::count},
                                                                      {"least", Statistic::least},
                                                                      {"most", Statistic::most}};
  for (const auto& [key, statistic] : kStatistics) {
    if (!root["statistics"]) break;  // a section left out is an empty one
    for (const auto& word : root["statistics"][key]) phrase(word.as<std::string>()).statistic = statistic;
  }
  if (root["statistics"]) {
    for (const auto& word : root["statistics"]["noise behind"]) {
      Meaning& meaning = phrase(word.as<std::string>());
      meaning.statistic = Statistic::noise;
      meaning.statistic_behind = true;
    }
  }
  static constexpr std::pair<const char*, PerClass> kPer[] = {{"work", PerClass::work},
                                                              {"bytes", PerClass::bytes},
                                                              {"time", PerClass::time},
                                                              {"cost", PerClass::cost},
                                                              {"share", PerClass::share}};
  for (const auto& [key, per] : kPer) {
    if (!root["per"]) break;
    for (const auto& word : root["per"][key]) phrase(word.as<std::string>()).per = per;
  }
  static constexpr std::pair<const char*, core::TallyKind> kTallies[] = {{"attempts", core::TallyKind::attempts},
                                                                         {"successes", core::TallyKind::successes},
                                                                         {"failures", core::TallyKind::failures}};
  for (const auto& [key, kind] : kTallies) {
    if (!root["tallies"]) break;
    std::uint8_t rank = 0;
    for (const auto& word : root["tallies"][key]) {
      if (rank == 200) return wrong("metric names: more than 200 names of one tally");
      phrase(word.as<std::string>()).tally = {kind, rank++};
    }
  }
  for (const auto& word : root["context_prefixes"]) phrase(word.as<std::string>()).context_prefix = true;
  for (const auto& word : root["dimensions"]) phrase(word.as<std::string>()).is_dimension = true;
  for (const auto& word : root["settings"]) phrase(word.as<std::string>()).is_settings = true;
  for (const auto& word : root["volatile"]) phrase(word.as<std::string>()).is_volatile = true;
  for (const auto& pair : root["context_keys"]) {
    const auto key = pair.second.as<std::string>();
    auto it = std::find(context_keys.begin(), context_keys.end(), key);
    if (it == context_keys.end()) it = context_keys.insert(context_keys.end(), key);
    if (context_keys.size() > 250) return wrong("metric names: more than 250 context keys");
    phrase(pair.first.as<std::string>()).context = static_cast<std::uint8_t>(it - context_keys.begin() + 1);
  }
  return {};
}

}  // namespace plumbline::configs
