// How metric-names.yaml lies in memory: one hash table holds every phrase of the data with all its meanings, so a name
// costs about one look-up a word. metric_rules.cpp reads the file into it, metric_names.cpp reads names with it. Private to
// configs/. Immutable once loaded.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/characters.hpp"
#include "configs/configs.hpp"

namespace plumbline::configs {

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
  core::Share share = core::Share::none;
  bool alone = false;    // holds only when nothing but statistics stands beside it
  bool outcome = false;  // how something ended: alone, it says less than a time that it is of
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
  bool statistic_behind = false;  // only behind another word, with nothing but a unit behind it
  bool context_prefix = false, is_dimension = false, is_volatile = false, is_settings = false;
  std::uint8_t context = 0;  // index + 1 into context keys
  core::Tally tally;
};

inline std::uint64_t hash_word(std::uint64_t hash, std::string_view word) {
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

// The same of one word of a name: what stands behind an @ and is a number is any number, so that pass@10 is "pass@k".
inline std::uint64_t hash_token(std::uint64_t hash, std::string_view word) {
  const std::size_t at = word.find('@');
  if (at == std::string_view::npos || at + 1 == word.size() ||
      word.find_first_not_of("0123456789", at + 1) != std::string_view::npos) {
    return hash_word(hash, word);
  }
  return hash_word(hash_word(hash, word.substr(0, at + 1)), "k");
}

struct Token {
  std::string_view lower, raw;
  std::uint8_t case_unit = 0;  // index + 1: a unit told by its capitals
};

using base::is_digit;
using base::is_lower;
using base::is_upper;
inline bool is_word(char c) {
  return is_digit(c) || is_upper(c) || is_lower(c) || c == '%' || c == '#' || c == '$' || c == '@' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}
inline bool is_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
}
// p99, p99.9, p_95 joined, 95th, median's kin: a percentile tag.
inline bool is_percentile(std::string_view word) {
  for (const std::string_view name : {"percentiles", "percentile"}) {  // Gatling's percentiles1 to percentiles4
    if (word.starts_with(name) && is_number(word.substr(name.size()))) return true;
  }
  if (word.size() >= 2 && (word.front() == 'p' || word.front() == 'q')) return is_number(word.substr(1));
  if (word.size() > 2 && is_digit(word.front()) && (word.ends_with("th") || word.ends_with("st") || word.ends_with("rd"))) {
    return is_number(word.substr(0, word.size() - 2));
  }
  return false;
}

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
  void find_unit(const Words& words, Part& part) const;
  void name_rate(const Words& words, Part& part) const;
  [[nodiscard]] PerClass per_class(const Words& words, std::size_t i) const;
  [[nodiscard]] bool only_units_from(const Words& words, std::size_t first) const;
  [[nodiscard]] bool may_follow_unit(std::string_view word) const;
  [[nodiscard]] bool is_rate_of(const Words& words, std::size_t behind) const;
  [[nodiscard]] bool is_time_of(const Part& part) const;
  [[nodiscard]] bool is_of_settings(std::string_view path) const;
  [[nodiscard]] MetricGuess guess(std::string_view path, std::string_view unit) const;
  [[nodiscard]] bool is_plural(const Words& words, std::size_t i) const;
  // Throws what the YAML library throws on a node of another kind than expected.
  [[nodiscard]] core::Expected<void> load(std::string_view yaml, std::string_view where);
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
  std::string rate;                       // "pkts/s", where no unit of the data is that
  Statistic statistic = Statistic::none;  // the last one
  bool peak = false;
  bool percentile = false;
  bool outcome = false;         // nothing beside the name of an outcome: "ok"
  bool only_statistics = true;  // nothing but statistics, numbers and units: the part before it decides
};

}  // namespace plumbline::configs
