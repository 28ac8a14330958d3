// How a name is read is written down in metric-names.yaml; this file is the reading.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "configs/configs.hpp"
#include "configs/metric_rules.hpp"
#include "core/privacy.hpp"
#include "core/text.hpp"
#include "core/tolerance.hpp"
#include "core/units.hpp"

namespace plumbline::configs {

namespace {

// "99%", "p99.9%": a column of a percentile, not a share of anything.
bool is_percentile_tag(const auto& words) {
  if (words.size() < 2 || words[words.size() - 1].lower != "%") return false;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (!is_number(words[i].lower) && !is_percentile(words[i].lower)) return false;
  }
  return true;
}

}  // namespace

PerClass MetricNames::Rules::per_class(const Words& words, std::size_t i) const {
  const Meaning* meaning = find(hash_token(kHashStart, words[i].lower));
  return meaning == nullptr ? PerClass::none : meaning->per;
}

// "<X> per <Y>": which side is work decides.
void MetricNames::Rules::decide_per(const Words& words, Part& part) const {
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k].lower != "per" || k + 1 >= words.size()) continue;
    PerClass right = per_class(words, k + 1);
    // "per output token", "per million tokens", "per 1k requests": the noun may stand one word further on.
    if (right == PerClass::none && k + 2 < words.size())
      right = per_class(words, k + 2) == PerClass::work ? PerClass::work : PerClass::none;
    const PerClass left = k == 0 ? PerClass::none : per_class(words, k - 1);
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

// "s_p99", "s per call", "s mean", and not "s_qo".
bool MetricNames::Rules::may_follow_unit(std::string_view word) const {
  const Meaning* meaning = find(hash_token(kHashStart, word));
  return word == "per" || is_number(word) || is_percentile(word) || (meaning != nullptr && meaning->statistic != Statistic::none);
}

bool MetricNames::Rules::only_units_from(const Words& words, std::size_t first) const {
  for (std::size_t i = first; i < words.size(); ++i) {
    const Meaning* meaning = find(hash_token(kHashStart, words[i].lower));
    const bool unit = words[i].case_unit != 0 || words[i].lower == "per" || (meaning != nullptr && meaning->unit != 0);
    if (!unit) return false;
  }
  return true;
}

// Whether "per second" or "per joule" stands there: "samples per second" is a rate, and no count of samples.
bool MetricNames::Rules::is_rate_of(const Words& words, std::size_t behind) const {
  if (behind + 1 >= words.size() || words[behind].lower != "per") return false;
  const PerClass of = per_class(words, behind + 1);
  return of == PerClass::time || of == PerClass::cost;
}

// "Core(s)" says how many there are; "time(s)" is in seconds.
bool MetricNames::Rules::is_plural(const Words& words, std::size_t i) const {
  static constexpr auto kThings = std::to_array<std::string_view>(
      {"cpu",     "core",    "socket",  "thread",    "node",       "gpu",        "device",  "mode",      "job",
       "process", "rank",    "request", "test",      "file",       "user",       "client",  "worker",    "error",
       "failure", "warning", "sample",  "iteration", "trial",      "item",       "message", "packet",    "query",
       "record",  "row",     "stream",  "disk",      "image",      "server",     "host",    "container", "event",
       "call",    "step",    "layer",   "token",     "connection", "transaction"});
  if (i == 0 || words[i].lower != "s") return false;
  const std::string_view before = words[i - 1].raw;
  const bool joined = words[i].raw.data() == before.data() + before.size() + 1 && before.data()[before.size()] == '(';
  return joined && std::find(kThings.begin(), kThings.end(), words[i - 1].lower) != kThings.end();
}

// The unit that ends last, and of those the longest: "toks per s" is not "s". A single letter in front of other words is part of
// a name ("s_qo").
void MetricNames::Rules::find_unit(const Words& words, Part& part) const {
  std::size_t unit_end = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t hash = hash_token(kHashStart, words[i].lower);
    const Meaning* first = find(hash);
    if (words[i].case_unit != 0) {
      part.unit = words[i].case_unit;
      part.bits = false;
      unit_end = i + 1;
    }
    if (first == nullptr || (words.size() == 1 && words[i].lower.size() == 1)) continue;
    for (std::size_t length = 1; length <= first->longest && i + length <= words.size(); ++length) {
      if (length > 1) hash = hash_token(hash_word(hash, " "), words[i + length - 1].lower);
      const Meaning* meaning = length == 1 ? first : find(hash);
      if (meaning == nullptr || meaning->unit == 0 || i + length <= unit_end) continue;
      const bool of_time = units[meaning->unit - 1U].quantity == UnitQuantity::time;
      if (length == 1 && of_time && i > 0 && words[i - 1].lower == "per") continue;  // "pkts per s"
      if (length == 1 && is_plural(words, i)) continue;
      if (length == 1 && i == 0 && words[i].lower.size() == 1 && !may_follow_unit(words[1].lower)) continue;
      part.unit = meaning->unit;
      part.bits = words[i].raw.size() == 2 && is_upper(words[i].raw[0]) && words[i].raw[1] == 'b';
      unit_end = i + length;
    }
  }
  if (part.unit == 0) name_rate(words, part);
}

// "pkts per s": a rate of what it counts.
void MetricNames::Rules::name_rate(const Words& words, Part& part) const {
  for (std::size_t k = 1; k + 1 < words.size(); ++k) {
    if (words[k].lower != "per") continue;
    const Meaning* per = find(hash_token(kHashStart, words[k + 1].lower));
    const Meaning* of = find(hash_token(kHashStart, words[k - 1].lower));
    if (per == nullptr || per->unit == 0 || units[per->unit - 1U].quantity != UnitQuantity::time) continue;
    // "throughput per second" says no noun.
    if (of != nullptr && of->groups[0] != 0 && groups[of->groups[0] - 1U].direction == core::Direction::higher) continue;
    part.rate = std::string(words[k - 1].lower) + "/" + units[per->unit - 1U].unit;
    return;
  }
}

// Whether a part of a path says that it is a time, or draws times together, so that "ok" below it tells of which.
bool MetricNames::Rules::is_time_of(const Part& part) const {
  if (part.statistic == Statistic::noise || part.percentile) return true;
  if (part.unit != 0 && units[part.unit - 1U].quantity == UnitQuantity::time) return true;
  if (part.group == 0 || part.strength >= kFailure) return false;
  const Group& group = groups[part.group - 1U];
  return group.direction == core::Direction::lower && group.role == core::Role::judged;
}

void MetricNames::Rules::read_part(std::string_view text, Part& part) const {
  const Words words(text, &case_units);
  if (is_percentile_tag(words)) {
    part.statistic = Statistic::plain;
    part.percentile = true;
    return;
  }
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
    const Meaning* first = find(hash_token(kHashStart, words[i].lower));
    const Meaning* best = nullptr;
    std::size_t best_length = 0;
    if (first != nullptr) {
      std::uint64_t hash = hash_token(kHashStart, words[i].lower);
      for (std::size_t length = 1; length <= first->longest && i + length <= words.size(); ++length) {
        if (length > 1) hash = hash_token(hash_word(hash, " "), words[i + length - 1].lower);
        const Meaning* meaning = length == 1 ? first : find(hash);
        if (meaning != nullptr && (meaning->groups[0] != 0 || meaning->statistic != Statistic::none)) {
          best = meaning;
          best_length = length;
        }
        if (i == 0 && meaning != nullptr && meaning->context_prefix && words.size() > length) prefix = true;
      }
    }
    if (best != nullptr && best->statistic_behind && (i == 0 || !only_units_from(words, i + best_length))) best = nullptr;
    if (best != nullptr) {
      for (const std::uint8_t group : best->groups) {
        if (group != 0) found[found_count++] = {group, i, best_length};
      }
      if (best->statistic != Statistic::none && !is_rate_of(words, i + best_length)) {
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
      part.percentile = true;
      ++plain_words;
    } else if (is_number(words[i].lower) || (first != nullptr && first->context_prefix && i == 0)) {
      ++plain_words;
    } else if (first == nullptr || first->unit == 0) {
      if (words[i].lower != "per") others = true;
    }
    ++i;
  }
  find_unit(words, part);
  for (std::size_t f = 0; f < found_count; ++f) {
    const Group& group = groups[found[f].group - 1U];
    if (group.alone && found[f].length + plain_words < words.size()) continue;
    if (group.strength < part.strength) continue;
    part.strength = group.strength;
    part.group = found[f].group;
    part.outcome = group.outcome && found[f].length + plain_words == words.size();
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
    if (auto loaded = names->rules_->load(yaml, where); !loaded) return core::fail(loaded.error());
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
  if (meaning != nullptr && meaning->is_dimension) return true;
  // With the unit of a size behind it: "size_mb", "message_size_KiB".
  constexpr std::array<std::string_view, 9> kSizes = {"b", "bytes", "kb", "kib", "mb", "mib", "gb", "gib", "tb"};
  const std::size_t at = name.find_last_of("_- ");
  return at != std::string_view::npos && at > 0 &&
         std::find(kSizes.begin(), kSizes.end(), core::to_lower(name.substr(at + 1))) != kSizes.end() &&
         is_dimension(name.substr(0, at));
}
core::Tally MetricNames::tally(std::string_view name) const {
  const Meaning* meaning = rules_->whole(name);
  return meaning == nullptr ? core::Tally{} : meaning->tally;
}
bool MetricNames::is_volatile(std::string_view name) const {
  const Meaning* meaning = rules_->whole(name);
  return (meaning != nullptr && meaning->is_volatile) || core::sounds_secret(name);
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

// A share is a percentage or a fraction. "errors per second" is neither: a rate like others.
void settle_share(MetricGuess& guess) {
  if (guess.share == core::Share::none || core::points_per_unit(guess.unit, 0, 0)) return;
  if (guess.share == core::Share::reliability) guess.role = core::Role::judged;
  guess.share = core::Share::none;
}

}  // namespace

// Whether what the last part names stands among settings.
bool MetricNames::Rules::is_of_settings(std::string_view path) const {
  take_last_part(path);
  while (!path.empty()) {
    const Meaning* meaning = whole(take_last_part(path));
    if (meaning != nullptr && meaning->is_settings) return true;
  }
  return false;
}

namespace {
bool is_rate(std::string_view name) {
  if (name.find('/') == std::string_view::npos) return false;
  const core::Quantity quantity = core::parse_unit(name).quantity;
  return quantity == core::Quantity::bytes_per_second || quantity == core::Quantity::flops;
}
}  // namespace

MetricGuess MetricNames::guess(std::string_view path, std::string_view unit) const {
  MetricGuess out = rules_->guess(path, unit);
  // "MByte/s: 5" is called as its unit: the words in it ("byte") are no nouns.
  if (const std::string_view last = path.substr(path.rfind('.') + 1); unit.empty() && is_rate(last)) out.unit = last;
  if (out.role != core::Role::context && rules_->is_of_settings(path)) {
    out.role = core::Role::context;
    out.direction = core::Direction::unknown;
    out.note = "it is among settings";
  }
  return out;
}

// By its own name and what that leaves to the names before it.
MetricGuess MetricNames::Rules::guess(std::string_view path, std::string_view unit) const {
  const Rules& rules = *this;
  MetricGuess out;
  Rules::Part decided;
  Statistic statistic = Statistic::none;
  bool peak = false;
  bool bits = false;
  bool times_of_things = false;
  std::uint8_t unit_index = 0;
  std::string rate;
  std::string_view rest = path;
  for (int level = 0; level < 4 && !rest.empty(); ++level) {
    const std::string_view text = take_last_part(rest);
    Rules::Part part;
    rules.read_part(text, part);
    if (statistic == Statistic::none || statistic == Statistic::plain) {
      if (part.statistic != Statistic::none && (level == 0 || part.only_statistics || part.statistic != Statistic::count))
        statistic = part.statistic;
    }
    // "response_time.ok" is the time of what went well.
    const bool time_of_outcome = level == 1 && decided.outcome && rules.is_time_of(part);
    peak = peak || part.peak;
    // "samples_ms": durations of samples, not a number of them; a sum of times stays a sum.
    if (level == 0 && part.unit != 0 && rules.units[part.unit - 1U].quantity == UnitQuantity::time) {
      times_of_things = core::to_lower(text).find("sum") == std::string::npos;
    }
    if (unit_index == 0) {
      unit_index = part.unit;
      bits = part.bits;
    }
    if (level == 0) rate = part.rate;
    if (level > 0 && part.strength < decided.strength && !time_of_outcome)
      break;  // an ambiguous noun stands unless the part before knows better
    decided = part;
    const bool ambiguous = part.group != 0 && part.unit == 0 &&
                           rules.groups[part.group - 1U].direction == core::Direction::unknown &&
                           rules.groups[part.group - 1U].role == core::Role::judged;
    const bool asks_before = level == 0 && (ambiguous || part.outcome);
    if (!part.only_statistics && !asks_before) break;
  }
  const UnitRule* by_name = unit_index == 0 ? nullptr : &rules.units[unit_index - 1U];
  UnitQuantity quantity = by_name == nullptr ? UnitQuantity::none : by_name->quantity;
  out.unit = rate;
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
    out.share = group.share;
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
    out.share = group.share;
    out.note = group.name + " '" + phrase + "'";
  }
  settle_share(out);
  if (by_name != nullptr && unit.empty() && !by_name->note.empty()) out.note += (out.note.empty() ? "" : "; ") + by_name->note;
  const bool is_share = out.share != core::Share::none;
  if (decided.strength >= kFailure && out.role == core::Role::gate && !is_share) return out;
  switch (statistic) {
    case Statistic::noise:
      out.role = core::Role::noise;
      out.direction = core::Direction::unknown;
      out.note = "the tool's own spread";
      break;
    case Statistic::count:
      if (decided.strength >= kFailure && !is_share) break;
      if (times_of_things) break;
      out.role = core::Role::context;
      out.direction = core::Direction::unknown;
      out.note = "a count or sum";
      break;
    case Statistic::least:
      if (out.direction != core::Direction::lower || !(out.role == core::Role::judged || is_share)) break;
      out.role = core::Role::context;
      out.note += ": the least of a lower-is-better metric is its best case";
      break;
    case Statistic::most:
      if (out.direction != core::Direction::higher || !(out.role == core::Role::judged || is_share)) break;
      out.role = core::Role::context;
      out.note += ": the most of a higher-is-better metric is its best case";
      break;
    default:
      break;
  }
  return out;
}

}  // namespace plumbline::configs
