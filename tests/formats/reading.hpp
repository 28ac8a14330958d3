// Reading fixtures and texts in tests of formats: a fixture as its listing, a text as a measurement, what a format refuses, and a
// file cut anywhere.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "tests/formats/listing.hpp"

namespace plumbline::formats {

inline std::string fixture(const std::string& name) {
  std::ifstream file(PLUMBLINE_TESTS "/formats/fixtures/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}
inline std::string rows(const std::string& name) { return listing_of(fixture(name), name); }
inline core::Expected<core::Measurement> measured(std::string_view text, std::string name = "result") {
  Input input;
  input.name = std::move(name);
  input.bytes = text;
  return read(input, testing::reading_all());
}
// What reading under this format says instead of a measurement: message, hint, place.
inline std::string refused(std::string_view text, std::string format) {
  Input input;
  input.name = "result";
  input.bytes = text;
  ReadOptions options = testing::reading_all();
  options.format = std::move(format);
  const auto m = read(input, options);
  return m ? "read" : m.error().message + " | " + m.error().hint + " | " + m.error().where;
}
// Every beginning of a file gives an error or rows, never an empty success.
inline void cut_anywhere(const std::string& name, const std::string& format) {
  const std::string text = fixture(name);
  const std::size_t step = text.size() > 1500 ? 3 : 1;
  for (std::size_t end = 1; end < text.size(); end += step) {
    Input input;
    input.name = name;
    input.bytes = std::string_view(text).substr(0, end);
    ReadOptions options = testing::reading_all();
    options.format = format;
    const auto m = read(input, options);
    EXPECT_TRUE(m ? !m->rows().empty() : !m.error().message.empty()) << format << " cut at " << end;
  }
}
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}
inline std::string first_lines(const std::string& text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0; --count) at = text.find('\n', at) + 1;
  return text.substr(0, at);
}
// The error of a text, with its place first.
inline std::string problem(std::string_view text, std::string name = "run.log") {
  const auto m = measured(text, std::move(name));
  return m ? "no error" : m.error().where + ": " + m.error().message + " | " + m.error().hint;
}
inline bool has(const std::string& listing, std::string_view line) { return listing.find(line) != std::string::npos; }
inline bool has_line(const std::string& listing, const std::string& line) {
  return ("\n" + listing).find("\n" + line + "\n") != std::string::npos;
}
// The first warning of that code.
inline std::string warning_of(std::string_view text, core::WarningCode code) {
  const auto m = measured(text, "run.log");
  if (!m) return "error: " + m.error().message;
  for (const core::Warning& warning : m->warnings) {
    if (warning.code == code) return warning.message;
  }
  return {};
}

}  // namespace plumbline::formats
