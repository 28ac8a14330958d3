// Text as code points, and what of it must never reach a reader raw.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline::core {

// One code point of `text` from `at` on (which moves past it); U+FFFD for a byte that starts no valid sequence.
[[nodiscard]] char32_t next_code_point(std::string_view text, std::size_t& at);
void append_utf8(std::string& out, char32_t code_point);

// Characters that change what a reader sees of the rest of a line: controls, and the bidirectional overrides ("trojan source").
[[nodiscard]] bool is_deceptive(char32_t c);

// White space that ends or breaks a line: tab, line feed, form feed, U+2028, …
[[nodiscard]] bool is_break(char32_t c);

}  // namespace plumbline::core
