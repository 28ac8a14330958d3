#include "verbs/resolving/waiver_words.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>

#include "core/citing.hpp"
#include "core/rules/day.hpp"
#include "core/text.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/resolving/yaml_words.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::array<std::string_view, 6> kWaiverWords = {"match", "ceiling", "until", "reason", "link", "gate"};
constexpr std::array<std::string_view, 4> kMatchWords = {"family", "measurement", "format", "key"};
constexpr std::string_view kExample =
    "{match: {key: \"*p99*\"}, ceiling: 12%, until: 2026-12-31, reason: known since the new scheduler}";
constexpr std::size_t kReasonBytes = 300, kLinkBytes = 500;

class WaiverReader : private YamlWords {
 public:
  using YamlWords::YamlWords;

  core::Waivers read(const YAML::Node& list) {
    core::Waivers out;
    if (!list.IsSequence()) {
      problem(list, "waivers is a list");
      return out;
    }
    for (const auto& node : list) {
      const std::size_t before = problems();
      core::Waiver waiver = read_one(node);
      if (problems() == before) out.push_back(std::make_shared<const core::Waiver>(std::move(waiver)));
    }
    return out;
  }

 private:
  core::Waiver read_one(const YAML::Node& node) {
    core::Waiver waiver;
    waiver.line = node.Mark().line + 1;
    if (!node.IsMap()) {
      problem(node, "a waiver is a map", "for instance " + std::string(kExample));
      return waiver;
    }
    check_words(node, kWaiverWords, "a waiver");
    for (const char* name : {"match", "ceiling", "until", "reason"}) {
      if (!node[name]) problem(node, std::string("a waiver needs `") + name + "`", "for instance " + std::string(kExample));
    }
    if (node["match"]) read_match(node, waiver);
    if (const auto text = text_of(node, "ceiling")) read_ceiling(node["ceiling"], *text, waiver);
    if (const auto text = text_of(node, "until")) read_until(node["until"], *text, waiver);
    if (const auto text = text_of(node, "reason")) read_reason(node["reason"], *text, waiver);
    if (const auto text = text_of(node, "link")) read_link(node["link"], *text, waiver);
    waiver.gate = truth_of(node, "gate").value_or(false);
    return waiver;
  }

  void read_match(const YAML::Node& node, core::Waiver& waiver) {
    const YAML::Node match = map_of(node, "match", kMatchWords);
    waiver.family = text_of(match, "family").value_or("*");
    waiver.measurement = text_of(match, "measurement").value_or("*");
    waiver.format = text_of(match, "format").value_or("*");
    waiver.keys = texts_of(match, "key");
    if (waiver.keys.empty() && node["match"].IsMap() && !match["key"])
      problem(node["match"], "the match of a waiver needs `key`", "`key: \"*\"` waives every row, which is seldom meant");
  }

  void read_ceiling(const YAML::Node& node, const std::string& text, core::Waiver& waiver) {
    auto ceiling = core::parse_tolerance(text);
    if (!ceiling)
      return problem(node, "ceiling" + ceiling.error().message.substr(std::string_view("tolerance").size()),
                     ceiling.error().hint);
    waiver.ceiling = *ceiling;
    waiver.ceiling.source = core::Source::project;
    waiver.ceiling.note = core::source_of(waiver);
  }

  void read_until(const YAML::Node& node, const std::string& text, core::Waiver& waiver) {
    auto day = core::parse_day("until", text);
    if (!day) return problem(node, day.error().message, day.error().hint);
    waiver.until = std::move(*day);
  }

  void read_reason(const YAML::Node& node, const std::string& text, core::Waiver& waiver) {
    waiver.reason = one_line(text, kReasonBytes + 1);
    if (core::trim(text).empty()) return problem(node, "reason is a text");
    if (text.size() > kReasonBytes)
      problem(node,
              "reason has " + std::to_string(text.size()) + " bytes, and at most " + std::to_string(kReasonBytes) + " are kept",
              "say it in a sentence, and the rest behind `link`");
  }

  // It becomes a link of pages and comments.
  void read_link(const YAML::Node& node, const std::string& text, core::Waiver& waiver) {
    waiver.link = text;
    const bool web = text.starts_with("https://") || text.starts_with("http://");
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
      return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F &&
             std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
    });
    if (!web || !plain || text.size() > kLinkBytes)
      problem(node, "link " + cited(text) + " is no address of the web",
              "write it whole, for instance https://example.org/issues/123");
  }
};

}  // namespace

core::Waivers read_waivers(const YAML::Node& list, std::vector<core::ConfigProblem>& problems) {
  return WaiverReader(problems).read(list);
}

}  // namespace plumbline::verbs
