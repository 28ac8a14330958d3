// Pages of docs/ that are written from what the code says of itself: whole ones, and parts between the lines
// "<!-- NAME: written by FILE -->" and "<!-- end of NAME -->". Tests compare them; PLUMBLINE_UPDATE_GOLDENS=1 writes them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace plumbline::testing {

// A cell of a Markdown table: a pipe would end it.
inline std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

inline std::string page_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// `path` and `writer` (the test that writes the part) are seen from the root of the sources.
inline void expect_part(const std::string& path, const std::string& name, const std::string& writer, const std::string& wanted) {
  const std::string file = PLUMBLINE_SOURCE "/" + path, text = page_text(file);
  const std::string begin = "<!-- " + name + ": written by " + writer + " -->\n", end = "<!-- end of " + name + " -->\n";
  const std::size_t from = text.find(begin), to = text.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos && from < to) << path << " lacks the lines " << begin << end;
  const std::string whole = text.substr(0, from) + begin + wanted + text.substr(to);
  if (std::getenv("PLUMBLINE_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(file, std::ios::binary) << whole;
    return;
  }
  EXPECT_EQ(text, whole) << path << ": PLUMBLINE_UPDATE_GOLDENS=1 and the program of " << writer << " write it";
}

// A page that a test writes from its first line to its last.
inline void expect_page(const std::string& path, const std::string& writer, const std::string& wanted) {
  const std::string file = PLUMBLINE_SOURCE "/" + path;
  if (std::getenv("PLUMBLINE_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(file, std::ios::binary) << wanted;
    return;
  }
  EXPECT_EQ(page_text(file), wanted) << path << ": PLUMBLINE_UPDATE_GOLDENS=1 and the program of " << writer << " write it";
}

// Words in lines of at most 120 bytes; what stands between backticks stays on one line.
inline std::string wrapped(const std::string& text, const std::string& indent) {
  constexpr std::size_t kWidth = 120;
  std::string out, word;
  std::size_t column = 0;
  bool code = false;
  const auto put = [&] {
    if (word.empty()) return;
    if (column > 0 && column + 1 + word.size() > kWidth) {
      out += "\n" + indent;
      column = indent.size();
    } else if (column > 0) {
      out += ' ', ++column;
    }
    out += word;
    column += word.size();
    word.clear();
  };
  for (const char c : text) {
    if (c == '`') code = !code;
    if (c == ' ' && !code) {
      put();
    } else {
      word += c;
    }
  }
  put();
  return out + "\n";
}

// A phrase of an About as sentences: each part behind a semicolon is one, but inside brackets and backticks.
inline std::string sentences(std::string_view phrase) {
  std::string out;
  int depth = 0;
  bool code = false;
  for (std::size_t i = 0; i < phrase.size(); ++i) {
    const char c = phrase[i];
    if (c == '`') code = !code;
    if (!code) depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ';' || code || depth > 0 || i + 2 >= phrase.size() || phrase[i + 1] != ' ') {
      out += c;
      continue;
    }
    const std::string_view next = phrase.substr(i + 2, phrase.find(' ', i + 2) - (i + 2));
    const bool is_plain_word = next.find_first_not_of("abcdefghijklmnopqrstuvwxyz,:'") == std::string_view::npos;
    out += ". ";
    if (is_plain_word) {
      out += static_cast<char>(next.front() - 'a' + 'A');
      i += 2;
    } else {
      i += 1;
    }
  }
  return out + ".";
}

}  // namespace plumbline::testing
