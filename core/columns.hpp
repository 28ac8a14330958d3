// Text in the columns of a terminal.
#pragma once

#include <string>
#include <string_view>

namespace plumbline::core {

// Columns that a terminal gives the text: 0 for combining marks, 2 for wide East Asian and emoji.
[[nodiscard]] int display_width(std::string_view text);
// At most `width` columns, cut in the middle with "…"; never inside a code point. The text must be one_line already.
[[nodiscard]] std::string shorten_middle(std::string_view text, int width);
[[nodiscard]] std::string pad_right(std::string_view text, int width);  // text, then blanks
[[nodiscard]] std::string pad_left(std::string_view text, int width);   // blanks, then text

}  // namespace plumbline::core
