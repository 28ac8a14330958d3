// How a name is read is written down in metric-names.yaml; this file is the reading. One hash table holds every phrase of
// the data with all its meanings, so a name costs about one look-up a word.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

#include "configs/configs.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace plumbline::configs {
namespace {

constexpr std::size_t kMaxTokens = 24;
constexpr std::uint64_t kHashStart = 1469598103934665603ULL;
constexpr int kPerStrength = 65, kUnknownPerStrength = 40, kUnitStrength = 25, kFailure = 80, kPrefixStrength = 66;

enum class Statistic : std::uint8_t { none, plain, noise, count, least, most };
enum class PerClass : std::uint8_t { none, work, bytes, time, cost, share };
enum class UnitQuantity : std::uint8_t { none, time, rate, other };

struct Group {
  std::string name;
  int strength = 0;
  core::Direction direction = core::Direction::unknown;
  core::Direction peak = core::Direction::unknown;  // with "peak" or "max" in the name
  core::Role role = core::Role::judged;
  bool exact = false;
  bool alone = false;  // holds only when nothing but statistics stands beside it
};
struct UnitRule {
  std::string unit;
  std::string note;
  UnitQuantity quantity = UnitQuantity::none;
};

// All that one phrase may mean.
struct Meaning {
  std::array<std::uint8_t, 3> groups{};  // index + 1, 0 = none
  std::uint8_t unit = 0;                 // index + 1
  std::uint8_t longest = 1;              // words of the longest phrase that starts with this word
  Statistic statistic = Statistic::none;
  PerClass per = PerClass::none;
  bool context_prefix = false, is_dimension = false, is_volatile = false;
  std::uint8_t context = 0;  // index + 1 into context keys
};

std::uint64_t hash_word(std::uint64_t hash, std::string_view word) {
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

struct Token {
  std::string_view lower, raw;
  std::uint8_t case_unit = 0;  // index + 1: a unit told by its capitals
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_word(char c) {
  return is_digit(c) || is_upper(c) || is_lower(c) || c == '%' || c == '#' || c == '$' || c == '@' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}
bool is_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
}
// p99, p99.9, p_95 joined, 95th, median's kin: a percentile tag.
bool is_percentile(std::string_view word) {
  if (word.size() >= 2 && (word.front() == 'p' || word.front() == 'q')) return is_number(word.substr(1));
  if (word.size() > 2 && is_digit(word.front()) && (word.ends_with("th") || word.ends_with("st") || word.ends_with("rd"))) {
    return is_number(word.substr(0, word.size() - 2));
  }
  return false;
}

}  // namespace

struct MetricNames::Rules {
  std::vector<Group> groups;
  std::vector<UnitRule> units;
  std::vector<std::string> context_keys;
  std::unordered_map<std::uint64_t, Meaning> phrases;
  std::unordered_map<std::string, std::uint8_t> case_units;

  class Words;
  struct Part;

  Meaning& phrase(std::string_view text);
  [[nodiscard]] const Meaning* find(std::uint64_t hash) const {
    const auto it = phrases.find(hash);
    return it == phrases.end() ? nullptr : &it->second;
  }
  [[nodiscard]] const Meaning* whole(std::string_view name) const;
  void read_part(std::string_view text, Part& part) const;
  void decide_per(const Words& words, Part& part) const;
  [[nodiscard]] core::Expected<void> load(const YAML::Node& root, std::string_view where);
};

// The words of one part of a path, lowered, with '/' and "per" both as "per". No heap.
class MetricNames::Rules::Words {
 public:
  Words(std::string_view text, const std::unordered_map<std::string, std::uint8_t>* case_units) : case_units_(case_units) {
    text = text.substr(0, buffer_.size() - 8);
    std::size_t i = 0;
    while (i < text.size() && count_ < kMaxTokens) {
      if (text[i] == '/') {
        add("per", text.substr(i, 1), 0);
        ++i;
        continue;
      }
      if (!is_word(text[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < text.size() && (is_word(text[end]) || (text[end] == '.' && end > i && is_digit(text[end - 1]) &&
                                                          end + 1 < text.size() && is_digit(text[end + 1])))) {
        ++end;
      }
      // p(95) is p95.
      if (end == i + 1 && (text[i] == 'p' || text[i] == 'P') && end + 2 < text.size() && text[end] == '(' &&
          is_digit(text[end + 1])) {
        std::size_t close = end + 1;
        while (close < text.size() && (is_digit(text[close]) || text[close] == '.')) ++close;
        if (close < text.size() && text[close] == ')') {
          char* out = lower_ + used_;
          std::size_t length = 0;
          out[length++] = 'p';
          for (std::size_t k = end + 1; k < close; ++k) out[length++] = text[k];
          add({out, length}, text.substr(i, close - i), 0);
          used_ += length;
          i = close + 1;
          continue;
        }
      }
      word(text, i, end);
      i = end;
    }
  }

  [[nodiscard]] std::size_t size() const { return count_; }
  const Token& operator[](std::size_t i) const { return tokens_[i]; }

 private:
  void add(std::string_view lower, std::string_view raw, std::uint8_t unit) {
    if (count_ < kMaxTokens) tokens_[count_++] = {lower, raw, unit};
  }
  [[nodiscard]] std::uint8_t case_unit(std::string_view raw) const {
    if (case_units_ == nullptr || raw.back() != 's' || raw.size() < 2) return 0;
    const auto it = case_units_->find(std::string(raw));
    return it == case_units_->end() ? std::uint8_t{0} : it->second;
  }
  void lowered(std::string_view raw, std::uint8_t unit) {
    char* out = lower_ + used_;
    for (std::size_t i = 0; i < raw.size(); ++i) out[i] = is_upper(raw[i]) ? static_cast<char>(raw[i] | 0x20) : raw[i];
    used_ += raw.size();
    add({out, raw.size()}, raw, unit);
  }
  // Capitals first (GBps, Gb/s: bytes or bits), then camelCase.
  void word(std::string_view text, std::size_t& begin, std::size_t& end) {
    std::size_t slash_end = end;
    if (end + 1 < text.size() && text[end] == '/' && text[end + 1] == 's' && (end + 2 == text.size() || !is_word(text[end + 2])))
      slash_end = end + 2;
    if (slash_end != end) {
      if (const std::uint8_t unit = case_unit(text.substr(begin, slash_end - begin)); unit != 0) {
        lowered(text.substr(begin, slash_end - begin), unit);
        end = slash_end;
        return;
      }
    }
    std::size_t start = begin;
    for (std::size_t i = begin; i < end; ++i) {
      const bool boundary = i > start && ((is_upper(text[i]) && is_lower(text[i - 1])) ||
                                          (is_upper(text[i]) && is_upper(text[i - 1]) && i + 1 < end && is_lower(text[i + 1]) &&
                                           text.substr(i + 1, end - i - 1) != "s") ||
                                          ((text[i] == '%' || text[i] == '$')));
      if (i == begin || boundary) {
        if (const std::uint8_t unit = case_unit(text.substr(i, end - i)); unit != 0) {
          if (i > start) lowered(text.substr(start, i - start), 0);
          lowered(text.substr(i, end - i), unit);
          return;
        }
      }
      if (boundary) {
        lowered(text.substr(start, i - start), 0);
        start = i;
      }
    }
    lowered(text.substr(start, end - start), 0);
  }

  std::array<Token, kMaxTokens> tokens_;
  std::array<char, 512> buffer_;
  char* lower_ = buffer_.data();
  std::size_t used_ = 0;
  std::size_t count_ = 0;
  const std::unordered_map<std::string, std::uint8_t>* case_units_;
};

struct MetricNames::Rules::Part {
  int strength = -1;
  std::uint8_t group = 0;  // index + 1
  std::array<char, 64> phrase{};
  std::size_t phrase_length = 0;
  bool by_per = false;
  core::Direction per_direction = core::Direction::unknown;
  std::uint8_t unit = 0;                  // index + 1
  bool bits = false;                      // "Gb" before "s": the unit's bytes are bits
  Statistic statistic = Statistic::none;  // the last one
  bool peak = false;
  bool only_statistics = true;  // nothing but statistics, numbers and units: the part before it decides
};

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

core::Expected<void> MetricNames::Rules::load(const YAML::Node& root, std::string_view where) {
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
    group.alone = node["alone"] && node["alone"].as<bool>();
    groups.push_back(group);
    if (groups.size() > 200) return wrong("metric names: more than 200 groups");
    for (const auto& word : node["words"]) {
      auto& slots = phrase(word.as<std::string>()).groups;
      const auto free = std::find(slots.begin(), slots.end(), std::uint8_t{0});
      if (free == slots.end()) return wrong("metric names: '" + word.as<std::string>() + "' stands in more than three groups");
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
    for (const auto& word : root["statistics"][key]) phrase(word.as<std::string>()).statistic = statistic;
  }
  static constexpr std::pair<const char*, PerClass> kPer[] = {{"work", PerClass::work},
                                                              {"bytes", PerClass::bytes},
                                                              {"time", PerClass::time},
                                                              {"cost", PerClass::cost},
                                                              {"share", PerClass::share}};
  for (const auto& [key, per] : kPer) {
    for (const auto& word : root["per"][key]) phrase(word.as<std::string>()).per = per;
  }
  for (const auto& word : root["context_prefixes"]) phrase(word.as<std::string>()).context_prefix = true;
  for (const auto& word : root["dimensions"]) phrase(word.as<std::string>()).is_dimension = true;
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

// "<X> per <Y>": which side is work decides.
void MetricNames::Rules::decide_per(const Words& words, Part& part) const {
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k].lower != "per" || k + 1 >= words.size()) continue;
    const auto class_at = [&](std::size_t i) {
      const Meaning* meaning = find(hash_word(kHashStart, words[i].lower));
      return meaning == nullptr ? PerClass::none : meaning->per;
    };
    PerClass right = class_at(k + 1);
    // "per output token", "per million tokens", "per 1k requests": the noun may stand one word further on.
    if (right == PerClass::none && k + 2 < words.size())
      right = class_at(k + 2) == PerClass::work ? PerClass::work : PerClass::none;
    const PerClass left = k == 0 ? PerClass::none : class_at(k - 1);
    core::Direction direction = core::Direction::unknown;
    int strength = kPerStrength;
    if (right == PerClass::share || right == PerClass::none) continue;
    if ((left == PerClass::work || left == PerClass::bytes) && (right == PerClass::time || right == PerClass::cost)) {
      direction = core::Direction::higher;
    } else if ((left == PerClass::time || left == PerClass::cost || left == PerClass::bytes) && right == PerClass::work) {
      direction = core::Direction::lower;
    } else if (left == PerClass::none && right == PerClass::time && k > 0) {
      direction = core::Direction::higher;  // something per second: events
      strength = kUnknownPerStrength;
    } else if (left == PerClass::none || left == PerClass::cost) {
      continue;  // "cost per hour", "per second": the nouns decide
    }
    if (strength <= part.strength) continue;
    part.strength = strength;
    part.group = 0;
    part.by_per = true;
    part.per_direction = direction;
    const std::string_view x = k == 0 ? std::string_view() : words[k - 1].lower;
    part.phrase_length = 0;
    for (const std::string_view piece : {x, std::string_view(" per "), words[k + 1].lower}) {
      const std::size_t length = std::min(piece.size(), part.phrase.size() - part.phrase_length);
      std::copy_n(piece.data(), length, part.phrase.data() + part.phrase_length);
      part.phrase_length += length;
    }
    return;
  }
}

void MetricNames::Rules::read_part(std::string_view text, Part& part) const {
  const Words words(text, &case_units);
  bool others = false;  // a word that is neither statistic nor number

  struct Found {
    std::uint8_t group;
    std::size_t first, length;
  };
  std::array<Found, kMaxTokens * 3> found;
  std::size_t found_count = 0;
  bool prefix = false;
  std::size_t plain_words = 0;
  for (std::size_t i = 0; i < words.size();) {
    if (words[i].case_unit != 0) {
      ++i;
      continue;
    }
    const Meaning* first = find(hash_word(kHashStart, words[i].lower));
    const Meaning* best = nullptr;
    std::size_t best_length = 0;
    if (first != nullptr) {
      std::uint64_t hash = hash_word(kHashStart, words[i].lower);
      for (std::size_t length = 1; length <= first->longest && i + length <= words.size(); ++length) {
        if (length > 1) hash = hash_word(hash_word(hash, " "), words[i + length - 1].lower);
        const Meaning* meaning = length == 1 ? first : find(hash);
        if (meaning != nullptr && (meaning->groups[0] != 0 || meaning->statistic != Statistic::none)) {
          best = meaning;
          best_length = length;
        }
        if (i == 0 && meaning != nullptr && meaning->context_prefix && words.size() > length) prefix = true;
      }
    }
    if (best != nullptr) {
      for (const std::uint8_t group : best->groups) {
        if (group != 0) found[found_count++] = {group, i, best_length};
      }
      if (best->statistic != Statistic::none) {
        part.statistic = best->statistic;
        if (best->groups[0] == 0) plain_words += best_length;
        if (words[i].lower == "peak" || best->statistic == Statistic::most) part.peak = true;
      } else {
        others = true;
      }
      i += best_length;
      continue;
    }
    if (is_percentile(words[i].lower)) {
      if (part.statistic == Statistic::none) part.statistic = Statistic::plain;
      ++plain_words;
    } else if (is_number(words[i].lower)) {
      ++plain_words;
    } else if (first != nullptr && first->context_prefix && i == 0) {
      ++plain_words;
    } else if (first == nullptr || first->unit == 0) {
      if (words[i].lower != "per") others = true;
    }
    ++i;
  }
  // The unit that ends last, and of those the longest: "toks per s" is not "s".
  std::size_t unit_end = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t hash = hash_word(kHashStart, words[i].lower);
    const Meaning* first = find(hash);
    if (words[i].case_unit != 0) {
      part.unit = words[i].case_unit;
      part.bits = false;
      unit_end = i + 1;
    }
    if (first == nullptr || (words.size() == 1 && words[i].lower.size() == 1)) continue;
    for (std::size_t length = 1; length <= first->longest && i + length <= words.size(); ++length) {
      if (length > 1) hash = hash_word(hash_word(hash, " "), words[i + length - 1].lower);
      const Meaning* meaning = length == 1 ? first : find(hash);
      if (meaning == nullptr || meaning->unit == 0 || i + length <= unit_end) continue;
      part.unit = meaning->unit;
      part.bits = words[i].raw.size() == 2 && is_upper(words[i].raw[0]) && words[i].raw[1] == 'b';
      unit_end = i + length;
    }
  }
  for (std::size_t f = 0; f < found_count; ++f) {
    const Group& group = groups[found[f].group - 1U];
    if (group.alone && found[f].length + plain_words < words.size()) continue;
    if (group.strength < part.strength) continue;
    part.strength = group.strength;
    part.group = found[f].group;
    part.phrase_length = 0;
    for (std::size_t k = 0; k < found[f].length; ++k) {
      const std::string_view word = words[found[f].first + k].lower;
      if (k > 0 && part.phrase_length < part.phrase.size()) part.phrase[part.phrase_length++] = ' ';
      const std::size_t length = std::min(word.size(), part.phrase.size() - part.phrase_length);
      std::copy_n(word.data(), length, part.phrase.data() + part.phrase_length);
      part.phrase_length += length;
    }
  }
  decide_per(words, part);
  if (prefix && part.strength < kPrefixStrength && !part.by_per) {
    part.strength = kPrefixStrength;
    part.group = 0;
    part.by_per = false;
    part.statistic = Statistic::count;
    others = true;
  }
  part.only_statistics = !others && part.strength < 0;
}

MetricNames::MetricNames() : rules_(std::make_unique<Rules>()) {}
MetricNames::~MetricNames() = default;

core::Expected<std::shared_ptr<const MetricNames>> MetricNames::parse(std::string_view yaml, std::string_view where) {
  std::shared_ptr<MetricNames> names(new MetricNames());
  try {
    if (auto loaded = names->rules_->load(YAML::Load(std::string(yaml)), where); !loaded) return core::fail(loaded.error());
  } catch (const YAML::Exception& error) {
    return core::fail(
        core::ErrorCode::invalid_input, std::string("metric names: ") + error.msg,
        "see the embedded metric-names.yaml for the layout",
        std::string(where) + ":" + std::to_string(error.mark.line + 1) + ":" + std::to_string(error.mark.column + 1));
  }
  return std::shared_ptr<const MetricNames>(std::move(names));
}

std::shared_ptr<const MetricNames> MetricNames::builtin() {
  static const std::shared_ptr<const MetricNames> kBuiltin = [] {
    auto parsed = parse(embedded("metric-names.yaml"), "metric-names.yaml");
    return parsed ? *parsed : std::shared_ptr<const MetricNames>();
  }();
  return kBuiltin;
}

bool MetricNames::is_dimension(std::string_view name) const {
  const Meaning* meaning = rules_->whole(name);
  return meaning != nullptr && meaning->is_dimension;
}
bool MetricNames::is_volatile(std::string_view name) const {
  const Meaning* meaning = rules_->whole(name);
  return meaning != nullptr && meaning->is_volatile;
}
std::string_view MetricNames::context_key(std::string_view name) const {
  const Meaning* meaning = rules_->whole(name);
  return meaning == nullptr || meaning->context == 0 ? std::string_view()
                                                     : std::string_view(rules_->context_keys[meaning->context - 1U]);
}

namespace {

// The last part of a path and what stands before it. A '.' between digits is a decimal point; brackets hold dimensions.
std::string_view take_last_part(std::string_view& path) {
  std::size_t i = path.size();
  int brackets = 0;
  while (i > 0) {
    const char c = path[i - 1];
    if (c == ']') ++brackets;
    if (c == '[' && brackets > 0) --brackets;
    const bool decimal = i >= 2 && i < path.size() && is_digit(path[i - 2]) && is_digit(path[i]) && (i < 3 || path[i - 3] != '.');
    if (brackets == 0 && (c == ':' || (c == '.' && !decimal))) break;
    --i;
  }
  std::string_view part = path.substr(i);
  path = path.substr(0, i == 0 ? 0 : i - 1);
  if (const std::size_t bracket = part.find('['); bracket != std::string_view::npos && part.ends_with(']'))
    part = part.substr(0, bracket);
  return part;
}

}  // namespace

MetricGuess MetricNames::guess(std::string_view path, std::string_view unit) const {
  const Rules& rules = *rules_;
  MetricGuess out;
  Rules::Part decided;
  Statistic statistic = Statistic::none;
  bool peak = false;
  bool bits = false;
  std::uint8_t unit_index = 0;
  std::string_view rest = path;
  for (int level = 0; level < 4 && !rest.empty(); ++level) {
    const std::string_view text = take_last_part(rest);
    Rules::Part part;
    rules.read_part(text, part);
    if (statistic == Statistic::none || statistic == Statistic::plain) {
      if (part.statistic != Statistic::none && (level == 0 || part.only_statistics || part.statistic != Statistic::count))
        statistic = part.statistic;
    }
    peak = peak || part.peak;
    if (unit_index == 0) {
      unit_index = part.unit;
      bits = part.bits;
    }
    if (level > 0 && part.strength < decided.strength) break;  // an ambiguous noun stands unless the part before knows better
    decided = part;
    const bool ambiguous = part.group != 0 && part.unit == 0 &&
                           rules.groups[part.group - 1U].direction == core::Direction::unknown &&
                           rules.groups[part.group - 1U].role == core::Role::judged;
    if (!part.only_statistics && !(ambiguous && level == 0)) break;
  }
  const UnitRule* by_name = unit_index == 0 ? nullptr : &rules.units[unit_index - 1U];
  UnitQuantity quantity = by_name == nullptr ? UnitQuantity::none : by_name->quantity;
  if (by_name != nullptr) {
    out.unit = by_name->unit;
    if (bits && out.unit.size() > 3 && out.unit[1] == 'B') out.unit = std::string(1, out.unit[0]) + "bit/s";
  }
  core::Direction unit_direction = core::Direction::unknown;
  if (!unit.empty()) {
    out.unit = std::string(unit);
    Rules::Part part;
    rules.read_part(unit, part);
    quantity = part.unit == 0 ? UnitQuantity::none : rules.units[part.unit - 1U].quantity;
    if (part.by_per) unit_direction = part.per_direction;
    switch (core::parse_unit(unit).quantity) {
      case core::Quantity::time:
        quantity = UnitQuantity::time;
        break;
      case core::Quantity::bytes_per_second:
      case core::Quantity::flops:
      case core::Quantity::operations_per_second:
        quantity = UnitQuantity::rate;
        break;
      default:
        break;
    }
  }
  if (unit_direction == core::Direction::unknown) {
    if (quantity == UnitQuantity::time) unit_direction = core::Direction::lower;
    if (quantity == UnitQuantity::rate) unit_direction = core::Direction::higher;
  }
  const std::string phrase(decided.phrase.data(), decided.phrase_length);
  const bool unit_knows = unit_direction != core::Direction::unknown && decided.group != 0 &&
                          rules.groups[decided.group - 1U].direction == core::Direction::unknown &&
                          rules.groups[decided.group - 1U].role == core::Role::judged;
  if (decided.by_per) {
    out.direction = decided.per_direction;
    out.note = out.direction == core::Direction::unknown ? "'" + phrase + "': neither side says which way is better"
                                                         : "'" + phrase + "'";
  } else if (decided.group != 0 && decided.strength > kUnitStrength && !unit_knows) {
    const Group& group = rules.groups[decided.group - 1U];
    out.direction = group.direction;
    out.role = group.role;
    out.exact = group.exact;
    if (peak && group.peak != core::Direction::unknown) {
      out.direction = group.peak;
      out.role = core::Role::judged;
    }
    out.note = group.name + " '" + phrase + "'";
  } else if (unit_direction != core::Direction::unknown && decided.strength < kPrefixStrength) {
    out.direction = unit_direction;
    out.direction_source = core::Source::unit;
    out.note = (quantity == UnitQuantity::time && unit_direction == core::Direction::lower ? "time unit '" : "rate unit '") +
               out.unit + "' with no other noun";
  } else if (decided.group != 0) {
    const Group& group = rules.groups[decided.group - 1U];
    out.direction = group.direction;
    out.role = group.role;
    out.exact = group.exact;
    out.note = group.name + " '" + phrase + "'";
  }
  if (by_name != nullptr && unit.empty() && !by_name->note.empty()) out.note += (out.note.empty() ? "" : "; ") + by_name->note;
  if (decided.strength >= kFailure && out.role == core::Role::gate) return out;
  switch (statistic) {
    case Statistic::noise:
      out.role = core::Role::noise;
      out.direction = core::Direction::unknown;
      out.note = "the tool's own spread";
      break;
    case Statistic::count:
      if (decided.strength >= kFailure) break;
      out.role = core::Role::context;
      out.direction = core::Direction::unknown;
      out.note = "a count or sum";
      break;
    case Statistic::least:
      if (out.direction != core::Direction::lower || out.role != core::Role::judged) break;
      out.role = core::Role::context;
      out.note += ": the least of a lower-is-better metric is its best case";
      break;
    case Statistic::most:
      if (out.direction != core::Direction::higher || out.role != core::Role::judged) break;
      out.role = core::Role::context;
      out.note += ": the most of a higher-is-better metric is its best case";
      break;
    default:
      break;
  }
  return out;
}

}  // namespace plumbline::configs
