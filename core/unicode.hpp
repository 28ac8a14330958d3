// Text as code points, and what of it must never reach a reader raw. Pure; no tables beyond what is named here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline::core {

// One code point of `text` from `at` on (which moves past it); U+FFFD for a byte that starts no valid sequence.
[[nodiscard]] char32_t next_code_point(std::string_view text, std::size_t& at);
void append_utf8(std::string& out, char32_t code_point);

// Characters that change what a reader sees of the text around them, or that only a machine reads: controls (C0, DEL, C1), line
// and paragraph separators, the marks and overrides of bidirectional text ("Trojan Source", CVE-2021-42574), the byte order mark,
// interlinear annotations, and the invisible tag characters U+E0000 to U+E007F.
[[nodiscard]] bool is_deceptive(char32_t c);

// White space that ends or breaks a line: tab, line feed, form feed, U+2028, …
[[nodiscard]] bool is_break(char32_t c);

// At most `bytes` bytes, cut in the middle with "…" between code points.
[[nodiscard]] std::string shorten_bytes(std::string_view text, std::size_t bytes);

}  // namespace plumbline::core
