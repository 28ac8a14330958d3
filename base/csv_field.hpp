// A field of CSV in quotes, for all that read CSV: profiles' tables, results' tables. What stands around fields differs between
// them (blanks, comments, separators); what quotes mean does not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace plumbline::base {

// With its doubled quotes made single.
inline std::string without_doubled_quotes(std::string_view content) {
  std::string plain;
  for (std::size_t i = 0; i < content.size(); ++i) {
    plain.push_back(content[i]);
    if (content[i] == '"') ++i;
  }
  return plain;
}

struct QuotedField {
  std::string_view content;  // in the text, or in `kept` where quotes were doubled
  bool closed = false;       // else the text ended within the quotes
};
// `at` is the place of the opening quote, and then that behind the closing one, or the end of the text.
inline QuotedField quoted_field(std::string_view text, std::size_t& at, std::deque<std::string>& kept) {
  const std::size_t begin = ++at;
  bool doubled = false;
  for (;; at += 2, doubled = true) {
    at = std::min(text.find('"', at), text.size());
    if (at + 1 >= text.size() || text[at + 1] != '"') break;
  }
  QuotedField field{text.substr(begin, at - begin), at < text.size()};
  if (doubled) field.content = kept.emplace_back(without_doubled_quotes(field.content));
  if (field.closed) ++at;
  return field;
}

}  // namespace plumbline::base
