// A line of a statement, taken apart once and held against many lines (statement.hpp says how). Not thread-safe to make; const
// use is.
#pragma once

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
  [[nodiscard]] bool match(std::string_view line, std::vector<std::string_view>& values) const;
  // What every line that fits begins with, as far as the pattern says it; empty where it begins with a hole.
  [[nodiscard]] char first() const { return parts_.empty() || parts_.front().empty() ? '\0' : parts_.front().front(); }
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> parts_;  // texts before, between and behind the holes: one more than holes
  std::vector<std::string> holes_;
};

// "p{p}" with the holes filled in: `value_of(name)` says what. Unknown holes are empty; "{of:lower}" is in lower case, its blanks
// as "_".
[[nodiscard]] std::string as_name(std::string_view text);
template <class ValueOf>
[[nodiscard]] std::string filled(std::string_view text, ValueOf value_of) {
  std::string made;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    constexpr std::string_view kLower = ":lower";
    std::string_view name = text.substr(open + 1, close - open - 1);
    const bool lower = name.ends_with(kLower);
    if (lower) name.remove_suffix(kLower.size());
    made.append(text.substr(0, open)).append(lower ? as_name(value_of(name)) : std::string(value_of(name)));
    text.remove_prefix(close + 1);
  }
  return made.append(text);
}

}  // namespace plumbline::formats::stated
