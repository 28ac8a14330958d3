// How a benchmark is told to run only some of its cases: one table of harnesses. A filter may let more through than was asked
// for, since other rows are not judged, but never less: where that cannot be promised, the whole command runs, and the reason is
// said. Private to verbs/run/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verbs/run/doubts.hpp"

namespace plumbline::verbs {

struct Filtered {
  std::string harness;                             // "go test"; "" where none is known
  std::string filter;                              // the words that the first command got; "": the whole commands run
  std::string why_whole;                           // then: why
  std::vector<std::string> cases;                  // that the filter names
  std::vector<std::vector<std::string>> commands;  // as they are to be started, in the order given
};

// `flag` is --filter-flag: "" uses the table, "none" runs the whole commands, anything else is put behind each command, `{}` in
// it being a regular expression of all cases, or itself once a case where it has `{case}`. All commands are filtered, or none.
[[nodiscard]] Expected<Filtered> filtered(const Doubts& doubts, std::vector<std::vector<std::string>> commands,
                                          const std::string& flag);

// The words of a line of shell in which the shell would only split and unquote, whatever characters stand in quotes; none where
// it would do more. `braces`: they are taken for themselves.
[[nodiscard]] std::optional<std::vector<std::string>> plain_words(std::string_view line, bool braces = false);

// Matches exactly this text in POSIX extended, RE2's and Rust's syntax alike.
[[nodiscard]] std::string escaped_for_regex(std::string_view text);

}  // namespace plumbline::verbs
