// links: core
// Any bytes through core's text functions: what is written must be valid and read back, and nothing may depend on luck.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/context.hpp"
#include "core/text.hpp"
#include "core/tolerance.hpp"
#include "core/units.hpp"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

// The definition of a glob of '*' and literals, on short texts only.
bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') return matches(pattern.substr(1), text) || (!text.empty() && matches(pattern, text.substr(1)));
  return !text.empty() && pattern[0] == text[0] && matches(pattern.substr(1), text.substr(1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::core;
  const std::string text(reinterpret_cast<const char*>(data), size);

  check(is_valid_utf8(plumbline::core::quoted(text)));
  if (const auto value = parse_double(text)) {
    check(!std::isfinite(*value) || *parse_double(number_text(*value)) == *value);
    (void)short_number(*value);
    (void)signed_number(*value, 3);
  }
  if (const auto value = parse_int(text)) check(parse_double(text).has_value());
  if (const auto tolerance = parse_tolerance(text)) {
    check(std::isfinite(tolerance->value) && tolerance->value >= 0);
    check(parse_tolerance(tolerance_text(*tolerance))->value == tolerance->value);
  }

  const std::size_t half = text.find('\n');
  const std::string left = text.substr(0, half), right = half == std::string::npos ? std::string() : text.substr(half + 1);
  const auto there = conversion_factor(left, right), back = conversion_factor(right, left);
  check(there.has_value() == back.has_value());
  if (there) check(std::abs(*there * *back - 1) < 1e-9);
  check(conversion_factor(text, text) == 1.0);
  check(parse_unit(text).factor > 0);

  const bool match = glob_match(left, right);
  if (left.size() + right.size() < 24 && left.find('?') == std::string::npos) check(match == matches(left, right));
  if (left.size() + right.size() < 200) check(edit_distance(left, right) == edit_distance(right, left));
  (void)is_context_key(text);
  (void)context_severity(text);
  return 0;
}
