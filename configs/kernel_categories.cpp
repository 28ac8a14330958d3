// kernel-categories.yaml -> KernelCategories. A file that is wrong is an error with its place: a rule that silently does not
// hold would put time into categories that nobody can explain.
#include "configs/kernel_categories.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <utility>

#include "configs/configs.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::configs {
namespace {

using core::ErrorCode;
using core::fail;

constexpr std::size_t kMostCategories = 1'000, kMostRules = 10'000, kMostPatterns = 1'000, kLongestPattern = 1'000;
constexpr std::size_t kJudged = std::size_t{16} << 10U;  // of a name
constexpr std::string_view kOther = "Other", kPrecision = "{precision}";

std::string place(std::string_view where, const YAML::Mark& mark) {
  if (mark.is_null()) return std::string(where);
  return std::string(where) + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
}

std::string text_of(const YAML::Node& node) { return node && node.IsScalar() ? node.Scalar() : std::string(); }

bool same(char pattern, char c) { return pattern == c || pattern == '?' || (pattern == '#' && c >= '0' && c <= '9'); }

bool same_at(std::string_view part, std::string_view text, std::size_t at) {
  return at + part.size() <= text.size() &&
         std::equal(part.begin(), part.end(), text.begin() + static_cast<std::ptrdiff_t>(at), same);
}

std::size_t find_part(std::string_view part, std::string_view text, std::size_t from) {
  const std::size_t plain = std::min(part.find_first_of("?#"), part.size());
  if (plain == part.size()) return text.find(part, from);
  for (std::size_t at = from;; ++at) {
    at = text.find(part.substr(0, plain), at);
    if (at == std::string_view::npos || at + part.size() > text.size()) return std::string_view::npos;
    if (same_at(part, text, at)) return at;
  }
}

std::string judged(std::string_view name) { return core::to_lower(name.substr(0, kJudged)); }

}  // namespace

std::uint32_t NameClues::clue(std::string_view three) {
  std::uint32_t hash = 0;
  for (const char c : three.substr(0, 3)) hash = hash * 0x9E3779B1U + static_cast<unsigned char>(c);
  return (hash ^ (hash >> 15U)) % kBits;
}

NameClues::NameClues(std::string_view name) {
  for (std::size_t i = 0; i + 3 <= name.size(); ++i) bits_.set(clue(name.substr(i, 3)));
}

NamePattern::NamePattern(std::string_view pattern) {
  for (const std::string_view part : core::split(pattern, '*')) parts_.push_back(core::to_lower(part));
  // Of the longest run of plain characters its last three: what stands at the end of a word is rarer than how words begin.
  std::size_t longest = 2;
  for (const std::string& part : parts_) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= part.size(); ++i) {
      if (i < part.size() && part[i] != '?' && part[i] != '#') continue;
      if (i - begin > longest) {
        longest = i - begin;
        clue_ = NameClues::clue(std::string_view(part).substr(i - 3, 3));
      }
      begin = i + 1;
    }
  }
}

// The parts in order, each at its first place after the one before; the first and the last where the pattern begins and ends.
bool NamePattern::matches(std::string_view name) const {
  const std::string& head = parts_.front();
  if (!same_at(head, name, 0)) return false;
  if (parts_.size() == 1) return head.size() == name.size();
  std::size_t at = head.size();
  for (std::size_t i = 1; i + 1 < parts_.size(); ++i) {
    at = find_part(parts_[i], name, at);
    if (at == std::string_view::npos) return false;
    at += parts_[i].size();
  }
  const std::string& tail = parts_.back();
  return at + tail.size() <= name.size() && same_at(tail, name, name.size() - tail.size());
}

struct KernelCategories::Reader {
  std::string_view where;
  KernelCategories& out;
  std::vector<std::pair<std::string, std::size_t>> names;  // category as written -> index of its plain form
  std::vector<std::string> split;

  [[nodiscard]] tl::unexpected<core::Error> wrong(const YAML::Node& node, std::string message, std::string hint = {}) const {
    return fail(ErrorCode::invalid_input, std::move(message), std::move(hint), place(where, node.Mark()));
  }

  // A list of maps, "" = absent is allowed.
  core::Expected<YAML::Node> list(const YAML::Node& root, const char* name, const char* form) const {
    const YAML::Node node = root[name];
    if (!node || !node.IsSequence()) {
      return fail(ErrorCode::invalid_input, "the kernel categories file has no list of " + std::string(name), form,
                  std::string(where));
    }
    if (node.size() > kMostRules) {
      return wrong(node, "the list of " + std::string(name) + " has more than " + std::to_string(kMostRules) + " entries");
    }
    for (const auto& each : node) {
      if (!each.IsMap()) return wrong(each, "an entry of " + std::string(name) + " is not a map", form);
    }
    return node;
  }

  core::Status read_patterns(const YAML::Node& node, Rule& rule) const {
    const YAML::Node any = node["any"];
    const char* const form = "write any: [\"*gemm*\", …]; '*' is any run of characters, '?' any one, '#' one digit";
    if (!any || !any.IsSequence() || any.size() == 0) return wrong(node, "a rule has no list of patterns (any)", form);
    if (any.size() > kMostPatterns) {
      return wrong(any, "a rule has more than " + std::to_string(kMostPatterns) + " patterns", form);
    }
    for (const auto& each : any) {
      const std::string pattern = text_of(each);
      if (pattern.empty() || pattern.size() > kLongestPattern) {
        return wrong(each, "a pattern is empty, no text, or longer than " + std::to_string(kLongestPattern) + " characters",
                     form);
      }
      rule.any.emplace_back(pattern);
    }
    return {};
  }

  core::Status read_named_rules(const YAML::Node& root, const char* list_name, const char* key, std::vector<Rule>& rules) const {
    if (!root[list_name]) return {};
    const auto nodes = list(root, list_name, "write {any: [\"*e4m3*\"], …} per entry");
    if (!nodes) return fail(nodes.error());
    for (const auto& node : *nodes) {
      Rule rule;
      rule.text = text_of(node[key]);
      if (rule.text.empty()) return wrong(node, "an entry of " + std::string(list_name) + " has no " + key);
      if (auto ok = read_patterns(node, rule); !ok) return ok;
      rules.push_back(std::move(rule));
    }
    return {};
  }

  core::Status read_category(const YAML::Node& node) {
    const char* const form =
        "write {name: Attention, reference: FMHA, ceiling: {metric: memory bandwidth, unit: GB/s, bound: bandwidth}}";
    KernelCategory category;
    category.name = text_of(node["name"]);
    if (category.name.empty()) return wrong(node, "a category has no name", form);
    for (const auto& [name, index] : names) {
      if (name == category.name) return wrong(node, "category " + name + " is declared twice");
    }
    category.reference = text_of(node["reference"]);
    category.communication = text_of(node["communication"]) == "true";
    if (const YAML::Node ceiling = node["ceiling"]; ceiling && ceiling.IsMap()) {
      category.metric = text_of(ceiling["metric"]);
      category.unit = text_of(ceiling["unit"]);
      category.bound = text_of(ceiling["bound"]);
      if (category.metric.empty() || category.unit.empty() || (category.bound != "compute" && category.bound != "bandwidth")) {
        return wrong(ceiling, "the ceiling of category " + category.name + " lacks metric, unit, or a bound (compute, bandwidth)",
                     form);
      }
    } else if (ceiling) {
      return wrong(ceiling, "the ceiling of category " + category.name + " is not a map", form);
    }
    const std::string by = text_of(node["split"]);
    if (!by.empty() && by != "precision") {
      return wrong(node, "category " + category.name + " is split by " + core::cited(by),
                   "a category can be split by precision only");
    }
    names.emplace_back(category.name, out.all_.size());
    if (!by.empty()) split.push_back(category.name);
    out.all_.push_back(category);
    for (const Rule& precision : out.precisions_) {
      if (by.empty()) break;
      KernelCategory one = category;
      one.name += " " + precision.text;
      if (const std::size_t at = one.metric.find(kPrecision); at != std::string::npos)
        one.metric.replace(at, kPrecision.size(), precision.text);
      out.all_.push_back(std::move(one));
    }
    return {};
  }

  core::Status read_rule(const YAML::Node& node) {
    Rule rule;
    const std::string category = text_of(node["category"]);
    const auto known = std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == category; });
    if (known == names.end()) {
      std::vector<std::string_view> all;
      for (const auto& [name, index] : names) all.push_back(name);
      const std::string_view near = core::nearest(category, all);
      return wrong(node, "a rule names the category " + core::cited(category) + ", which is not declared",
                   near.empty() ? "declare it under categories" : "did you mean " + core::cited(near) + "?");
    }
    rule.category = known->second;
    rule.split = std::find(split.begin(), split.end(), category) != split.end();
    if (auto ok = read_patterns(node, rule); !ok) return ok;
    out.rules_.push_back(std::move(rule));
    return {};
  }

  core::Status read(const YAML::Node& root) {
    if (!root.IsMap()) {
      return fail(ErrorCode::invalid_input, "the kernel categories file is not a map",
                  "write categories: and rules:", std::string(where));
    }
    if (auto ok = read_named_rules(root, "precisions", "precision", out.precisions_); !ok) return ok;
    if (auto ok = read_named_rules(root, "reference", "bucket", out.reference_); !ok) return ok;
    const auto categories = list(root, "categories", "write {name: Attention, reference: FMHA} per entry");
    if (!categories) return fail(categories.error());
    for (const auto& node : *categories) {
      if (auto ok = read_category(node); !ok) return ok;
      if (out.all_.size() > kMostCategories)
        return wrong(node, "there are more than " + std::to_string(kMostCategories) + " categories");
    }
    const auto rules = list(root, "rules", "write {category: Attention, any: [\"*fmha*\"]} per entry");
    if (!rules) return fail(rules.error());
    for (const auto& node : *rules) {
      if (auto ok = read_rule(node); !ok) return ok;
    }
    const auto other = std::find_if(out.all_.begin(), out.all_.end(), [](const auto& each) { return each.name == kOther; });
    out.other_ = static_cast<std::size_t>(other - out.all_.begin());
    if (other == out.all_.end()) out.all_.push_back({std::string(kOther), std::string(kOther), false, {}, {}, {}});
    return {};
  }
};

core::Expected<std::shared_ptr<const KernelCategories>> KernelCategories::parse(std::string_view yaml, std::string_view where) {
  auto result = std::make_shared<KernelCategories>();
  try {
    if (auto ok = Reader{where, *result, {}, {}}.read(YAML::Load(std::string(yaml))); !ok) return fail(ok.error());
  } catch (const YAML::Exception& problem) {
    return fail(ErrorCode::invalid_input, "the kernel categories file is not valid YAML: " + problem.msg, "",
                place(where, problem.mark));
  }
  return std::shared_ptr<const KernelCategories>(std::move(result));
}

std::shared_ptr<const KernelCategories> KernelCategories::builtin() {
  static const std::shared_ptr<const KernelCategories> kBuiltin = [] {
    auto parsed = parse(embedded("kernel-categories.yaml"), "kernel-categories.yaml");
    if (parsed) return *parsed;
    return *parse("categories: []\nrules: []\n", "");  // the embedded file is checked by a test
  }();
  return kBuiltin;
}

const KernelCategories::Rule* KernelCategories::first(const std::vector<Rule>& rules, std::string_view lower_name) {
  const NameClues clues(lower_name);
  for (const Rule& rule : rules) {
    for (const NamePattern& pattern : rule.any) {
      if (pattern.possible(clues) && pattern.matches(lower_name)) return &rule;
    }
  }
  return nullptr;
}

const KernelCategory& KernelCategories::of(std::string_view kernel_name) const {
  const std::string name = judged(kernel_name);
  const Rule* rule = first(rules_, name);
  if (rule == nullptr) return all_[other_];
  if (rule->split) {
    if (const Rule* precision = first(precisions_, name); precision != nullptr)
      return all_[rule->category + 1 + static_cast<std::size_t>(precision - precisions_.data())];
  }
  return all_[rule->category];
}

std::string_view KernelCategories::precision(std::string_view kernel_name) const {
  const Rule* rule = first(precisions_, judged(kernel_name));
  return rule == nullptr ? std::string_view() : std::string_view(rule->text);
}

std::string_view KernelCategories::reference(std::string_view kernel_name) const {
  const Rule* rule = first(reference_, judged(kernel_name));
  return rule == nullptr ? kOther : std::string_view(rule->text);
}

const KernelCategory* KernelCategories::find(std::string_view category) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& each) { return each.name == category; });
  return found == all_.end() ? nullptr : &*found;
}

std::string kernel_category(std::string_view kernel_name) { return KernelCategories::builtin()->of(kernel_name).name; }

}  // namespace plumbline::configs
