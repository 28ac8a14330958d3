// A statement of plumbline.yaml held against a text, as the fuzzer and a test with a fixed seed do: what is before the first line
// "===" is the list under `formats:`, what is behind it the text. Aborts where something does not hold.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "configs/configs.hpp"
#include "formats/format.hpp"
#include "formats/stated/draft.hpp"
#include "formats/stated/mapping.hpp"
#include "formats/stated/stated.hpp"

namespace plumbline::fuzz {

inline void hold(bool good) {
  if (!good) std::abort();
}

// It detects, reads and explains whatever it is given; what it says of lines is within the text.
inline void read_by(const formats::Format& format, const formats::Input& input) {
  const formats::Detection detection = formats::detect_as(format, input);
  hold(detection.score >= 0 && detection.score <= 1);
  formats::ReadOptions options;
  options.max_rows = 10000;
  formats::stated::Account account;
  const auto measured = formats::stated::read(*format.statement, input, options, &account);
  const auto lines = static_cast<std::size_t>(std::count(input.bytes.begin(), input.bytes.end(), '\n')) + 1;
  for (const formats::stated::Account::Taken& taken : account.lines) hold(taken.line >= 1 && taken.line <= lines);
  hold(measured ? !measured->rows().empty() : !measured.error().message.empty());
}

// How many formats the statement stated: 0 where it has a problem, which is said.
inline std::size_t hold_statement(std::string_view all) {
  constexpr std::string_view kBetween = "\n===\n";
  const std::size_t between = std::min(all.find(kBetween), all.size());
  const std::string statement(all.substr(0, between));
  const std::string text(all.substr(std::min(between + kBetween.size(), all.size())));
  formats::Input input;
  input.name = "fuzz";
  input.bytes = text;
  std::size_t stated = 0;
  if (const auto own = formats::stated::parse_formats(statement, "fuzz")) {
    stated = (*own)->formats().size();
    for (const formats::Format* format : (*own)->formats()) read_by(*format, input);
  } else {
    hold(!own.error().message.empty());
  }
  // The draft that is made of a text is a statement again.
  const std::string draft = formats::stated::draft_of(input, *configs::MetricNames::builtin(), "drafted");
  hold(draft.empty() || formats::stated::parse_formats(draft, "draft").has_value());
  return stated;
}

}  // namespace plumbline::fuzz
