// Plain decimal numbers, "42", "-0.75", "1234.5", as tables and logs are full of: read in one pass where the result is exact by
// construction (both factors are whole doubles, one rounding). Everything else, exponents and twenty digits among it, is left
// to core::parse_double, which gives the same result for what is read here. Private to formats/.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plumbline::formats {

inline constexpr std::array<double, 19> kDecimalPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                                          1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

// False: not of this kind, which says nothing about what it is.
[[nodiscard]] inline bool plain_decimal(std::string_view text, double& value) {
  constexpr std::size_t kLongest = 20;  // sign, point and eighteen digits cannot overflow 64 bits
  if (text.empty() || text.size() > kLongest) return false;
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = *p == '-';
  if (negative) ++p;
  std::uint64_t digits = 0;
  const char* const whole = p;
  for (; p != end; ++p) {
    const unsigned digit = static_cast<unsigned>(static_cast<unsigned char>(*p)) - '0';
    if (digit > 9) break;
    digits = digits * 10 + digit;
  }
  std::size_t count = static_cast<std::size_t>(p - whole), fraction = 0;
  if (count == 0) return false;
  if (p != end) {
    if (*p != '.') return false;
    const char* const after = ++p;
    for (; p != end; ++p) {
      const unsigned digit = static_cast<unsigned>(static_cast<unsigned char>(*p)) - '0';
      if (digit > 9) return false;
      digits = digits * 10 + digit;
    }
    fraction = static_cast<std::size_t>(p - after);
    if (fraction == 0) return false;
    count += fraction;
  }
  if (count > 18 || digits >= (1ULL << 53U)) return false;
  const double exact = static_cast<double>(digits);
  const double read = fraction == 0 ? exact : exact / kDecimalPowers[fraction];
  value = negative ? -read : read;
  return true;
}

}  // namespace plumbline::formats
