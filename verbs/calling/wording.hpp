// How texts of others stand in texts of ours: errors and questions are one line each and bounded, whatever a file name or a third
// party's message holds.
#pragma once

#include <string>
#include <string_view>

#include "core/citing.hpp"

namespace plumbline::verbs {

using core::cited;     // "a text of others", quoted and bounded
using core::one_line;  // without quotes, for a whole line

// A word of a command in a hint, in single quotes where a shell would want them.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace plumbline::verbs
