#include "verbs/wording.hpp"

#include <algorithm>
#include <cctype>

namespace plumbline::verbs {

std::string one_line(std::string_view text, std::size_t bytes) {
  const auto inside = [text](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  std::string line(text);
  if (text.size() > bytes) {
    std::size_t front = bytes / 2, back = text.size() - (bytes - front);
    while (front > 0 && inside(front)) --front;
    while (back < text.size() && inside(back)) ++back;
    line = std::string(text.substr(0, front)) + "…" + std::string(text.substr(back));
  }
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

std::string shell_word(std::string_view word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("@%+=:,./-_").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  return "'" + std::string(word) + "'";
}

}  // namespace plumbline::verbs
