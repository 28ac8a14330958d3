#include "verbs/calling/wording.hpp"

#include <algorithm>
#include <cctype>

namespace plumbline::verbs {

std::string shell_word(std::string_view word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("@%+=:,./-_").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  if (core::cited_path(word).find('\\') != std::string::npos || word.find('\'') != std::string_view::npos)
    return cited(word, 1024);
  return "'" + std::string(word) + "'";
}

}  // namespace plumbline::verbs
