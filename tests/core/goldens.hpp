// Goldens that independent implementations made: lines of tab-separated fields, the first of which says what the line is about.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"

namespace plumbline::core {

using Samples = std::vector<double>;

inline double number(std::string_view text) { return parse_double(text).value(); }
inline Samples numbers(std::string_view text) {
  Samples out;
  for (const std::string_view part : split(text, ',')) out.push_back(number(part));
  return out;
}

// Checks the fields of each line of this kind in tests/core/`file`; how many there are.
template <class Check>
int for_goldens_in(const std::string& file, std::string_view kind, Check check) {
  std::ifstream lines(PLUMBLINE_TESTS "/core/" + file);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto fields = split(line, '\t');
    if (fields[0] != kind) continue;
    SCOPED_TRACE(line.substr(0, 200));
    check(fields);
    ++count;
  }
  return count;
}

}  // namespace plumbline::core
