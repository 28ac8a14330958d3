// Pages of docs/ of which a part is written from what the code says of itself, between the lines "<!-- NAME: written by FILE -->"
// and "<!-- end of NAME -->". Tests compare that part; PLUMBLINE_UPDATE_GOLDENS=1 writes it.
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

}  // namespace plumbline::testing
