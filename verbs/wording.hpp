// How texts of others stand in texts of ours: errors and questions are one line each and bounded, whatever a file name or a third
// party's message holds.
#pragma once

#include <string>
#include <string_view>

namespace plumbline::verbs {

// Control characters as blanks; past `bytes` bytes the beginning and the end, cut between code points.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t bytes = std::string_view::npos);

// A word of a command in a hint, in single quotes where a shell would want them.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace plumbline::verbs
