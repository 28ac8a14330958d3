// A line of a statement, taken apart once and held against many lines (statement.hpp says how). Not thread-safe to make; const
// use is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace plumbline::formats::stated {

class Pattern {
 public:
  // Error (invalid_input): an open brace without its end, or two holes side by side.
  static core::Expected<Pattern> parse(std::string_view text);

  // Names of the holes in their order, "" for "{}".
  [[nodiscard]] const std::vector<std::string>& holes() const { return holes_; }
  // Whether the line, trimmed, fits; `values` are then what the holes hold, trimmed, in their order.
  // The first hole passes over `further` places where the text behind it would fit.
  [[nodiscard]] bool match(std::string_view line, std::vector<std::string_view>& values, std::size_t further = 0) const;
  // What every line that fits begins with, as far as the pattern says it; empty where it begins with a hole.
  [[nodiscard]] char first() const { return parts_.empty() || parts_.front().empty() ? '\0' : parts_.front().front(); }
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> parts_;  // texts before, between and behind the holes: one more than holes
  std::vector<std::string> holes_;
  std::string longest_;  // word of the parts: a line without it does not fit, which is quickly seen
};

// "p{p}" with the holes filled in: `value_of(name)` says what. Unknown holes are empty; "{of:lower}" is in lower case, its blanks
// as "_"; "{p:short}" is without the zeros that end a decimal fraction, "99.90" as "99.9".
[[nodiscard]] std::string as_name(std::string_view text);
[[nodiscard]] std::string as_short(std::string_view text);
template <class ValueOf>
[[nodiscard]] std::string filled(std::string_view text, ValueOf value_of) {
  std::string made;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view hole = text.substr(open + 1, close - open - 1);
    const std::size_t colon = std::min(hole.find(':'), hole.size());
    const std::string_view name = hole.substr(0, colon), how = hole.substr(colon);
    const std::string_view value = value_of(name);
    made.append(text.substr(0, open));
    made.append(how == ":lower" ? as_name(value) : how == ":short" ? as_short(value) : std::string(value));
    text.remove_prefix(close + 1);
  }
  return made.append(text);
}

}  // namespace plumbline::formats::stated
