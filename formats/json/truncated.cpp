#include "formats/json/truncated.hpp"

#include <algorithm>

namespace plumbline::formats::json {

std::optional<Closed> close_truncated(std::string_view text, std::size_t depth) {
  std::string open;  // the closing brackets that are due, the innermost last
  std::size_t whole = 0, levels = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        for (++at; at < text.size() && text[at] != '"'; ++at) {
          if (text[at] == '\\') ++at;
        }
        break;
      case '{':
      case '[':
        open.push_back(text[at] == '{' ? '}' : ']');
        break;
      case '}':
      case ']':
        if (open.empty() || open.back() != text[at]) return std::nullopt;  // damaged, not truncated
        open.pop_back();
        if (open.empty()) return std::nullopt;
        if (open.size() <= depth) {
          whole = at + 1;
          levels = open.size();
        }
        break;
      case ',':
        // A number or word is whole once something follows it.
        if (!open.empty() && open.size() <= depth) {
          whole = at;
          levels = open.size();
        }
        break;
      default:
        break;
    }
  }
  if (whole == 0) return std::nullopt;
  // Brackets opened since then hold nothing whole: they are cut away with what is in them.
  Closed out;
  out.cut = whole;
  out.text = std::string(text.substr(0, whole));
  std::string due = open.substr(0, std::min(levels, open.size()));
  std::reverse(due.begin(), due.end());
  out.text += due;
  return out;
}

}  // namespace plumbline::formats::json
