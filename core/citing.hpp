// How a text of somebody else (a key, a kernel's name, a note, a file's name) stands in a sentence of ours.
#pragma once

#include <string>
#include <string_view>

namespace plumbline::core {

// Valid UTF-8 on one line: control characters (C0, DEL, C1, line and paragraph separators, bidirectional overrides) become a
// blank for white space and U+FFFD otherwise.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace plumbline::core
