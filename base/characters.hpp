// Letters and digits of ASCII, whatever the locale: what <cctype> asks about is not constexpr and depends on it.
#pragma once

namespace plumbline::base {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char c) { return is_upper(c) || is_lower(c); }
constexpr bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }

}  // namespace plumbline::base
