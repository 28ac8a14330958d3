#include "core/citing.hpp"

#include "core/unicode.hpp"

namespace plumbline::core {

std::string one_line(std::string_view text) {
  constexpr char32_t kReplacement = 0xFFFD;
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    append_utf8(out, is_break(c) ? U' ' : is_deceptive(c) ? kReplacement : c);
  }
  return out;
}

}  // namespace plumbline::core
