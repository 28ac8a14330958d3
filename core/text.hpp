// Pure text helpers used by every room: numbers that read back the same, JSON quoting, globs, nearest names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::core {

// Shortest decimal text that reads back as the same double, in JSON's grammar and ECMAScript's layout
// (RFC 8785 section 3.2.2.3: plain decimal for 1e-6 <= |x| < 1e21, else d.ddde+N). -0 is "0". NaN and infinities have
// no JSON text: the caller must not ask (they come out as "null").
void append_number(std::string& out, double value);
void append_number(std::string& out, std::int64_t value);
void append_number(std::string& out, std::uint64_t value);
[[nodiscard]] std::string number_text(double value);

// For people: `digits` significant digits, no exponent between 1e-4 and 1e15, no trailing zeros ("310", "17.2", "0.0123").
[[nodiscard]] std::string short_number(double value, int digits = 6);
// Signed, with explicit plus: "+4.8", "-15", "0".
[[nodiscard]] std::string signed_number(double value, int digits = 6);

// A JSON string with its quotes. Invalid UTF-8 becomes U+FFFD, so that what we write is always valid; characters that deceive a
// reader (core/unicode.hpp) are escaped, so that no JSON of ours moves a terminal's cursor or turns a line around.
void append_quoted(std::string& out, std::string_view text);
[[nodiscard]] std::string quoted(std::string_view text);
[[nodiscard]] bool is_valid_utf8(std::string_view text);

// Whole text as a finite-or-not double, locale independent; accepts surrounding blanks, a leading '+', inf, nan.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text);

[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string to_lower(std::string_view text);  // ASCII only
[[nodiscard]] bool starts_with_no_case(std::string_view text, std::string_view prefix);
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

// KEY globs: '*' any run, '?' one character, everything else literally; case-sensitive; linear time in practice
// (iterative with one backtrack point).
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view text);
// More literal characters win; used to order KEY=SPEC rules. An exact text (no wildcard) is most specific of all.
[[nodiscard]] int glob_specificity(std::string_view pattern);

// The candidate nearest to `word` (Damerau-Levenshtein, case-insensitive), or empty when none is within
// max(1, length/3) edits: what "did you mean" shows.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

// "1 row", "3 rows"; "a, b and c"
[[nodiscard]] std::string counted(std::uint64_t n, std::string_view singular, std::string_view plural = {});
[[nodiscard]] std::string listed(std::span<const std::string> items, std::size_t at_most = 5);

}  // namespace plumbline::core
