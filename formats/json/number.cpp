// Numbers, exactly rounded, and the words that stand for values.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "formats/json/parser.hpp"

namespace plumbline::formats::json {
namespace {

constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// A number that from_chars calls out of range: infinity or zero, by the decimal exponent of its first non-zero digit.
double out_of_range_value(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  const std::size_t e = text.find_first_of("eE");
  std::string_view mantissa = text.substr(0, e);
  if (negative) mantissa.remove_prefix(1);
  std::string_view exponent_text = e == std::string_view::npos ? std::string_view("0") : text.substr(e + 1);
  const bool negative_exponent = !exponent_text.empty() && exponent_text.front() == '-';
  if (!exponent_text.empty() && (exponent_text.front() == '+' || exponent_text.front() == '-')) exponent_text.remove_prefix(1);
  constexpr long long kFar = 4'000'000'000'000LL;
  long long exponent = 0;
  for (const char c : exponent_text) exponent = std::min(exponent * 10 + (c - '0'), kFar);
  if (negative_exponent) exponent = -exponent;
  const std::size_t dot = mantissa.find('.');
  const auto whole = static_cast<long long>(dot == std::string_view::npos ? mantissa.size() : dot);
  long long position = 0;  // of the first non-zero digit, counted without the dot
  bool found = false;
  for (const char c : mantissa) {
    if (c == '.') continue;
    if (c != '0') {
      found = true;
      break;
    }
    ++position;
  }
  double value = 0;
  if (found && exponent + whole - position > 0) value = std::numeric_limits<double>::infinity();
  return negative ? -value : value;
}

// Digits of a number after its leading zeros; only a count that is too large is looked at closely.
std::size_t significant(const char* digits, std::size_t count) {
  for (; count > 19 && (*digits == '0' || *digits == '.'); ++digits) {
    if (*digits == '0') --count;
  }
  return count;
}

}  // namespace

bool Parser::non_finite(double magnitude, std::size_t length, const char* start) {
  p_ += length;
  Node* node = push(Kind::real, start);
  if (node == nullptr) return false;
  node->d = magnitude;
  node->flags = kNotFinite;
  node->length = static_cast<std::uint32_t>(p_ - start);
  note(document_.notes_.non_finite_literals, offset_of(start));
  return true;
}

// true, false, null, and NaN / Infinity as Python, JavaScript and printf write them.
bool Parser::literal() {
  const char* start = p_;
  const auto left = static_cast<std::size_t>(end_ - p_);
  const auto word = [&](std::string_view text) { return left >= text.size() && std::memcmp(p_, text.data(), text.size()) == 0; };
  const auto ends = [&](std::size_t length) { return left == length || (!is_name_start(p_[length]) && !is_digit(p_[length])); };
  if (word("true") && ends(4)) {
    p_ += 4;
    Node* node = push(Kind::boolean, start);
    if (node == nullptr) return false;
    node->u = 1;
    return true;
  }
  if (word("false") && ends(5)) {
    p_ += 5;
    return push(Kind::boolean, start) != nullptr;
  }
  if (word("null") && ends(4)) {
    p_ += 4;
    return push(Kind::null, start) != nullptr;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (matches_no_case(p_, end_, "nan") && ends(3)) return non_finite(std::numeric_limits<double>::quiet_NaN(), 3, start);
  if (matches_no_case(p_, end_, "infinity") && ends(8)) return non_finite(kInfinity, 8, start);
  if (matches_no_case(p_, end_, "inf") && ends(3)) return non_finite(kInfinity, 3, start);
  return unexpected("a value");
}

bool Parser::number() {
  const char* const start = p_;
  const bool negative = *p_ == '-';
  if (negative) {
    ++p_;
    if (p_ != end_ && (matches_no_case(p_, end_, "inf") || matches_no_case(p_, end_, "nan"))) {
      const bool is_nan = (*p_ | 0x20) == 'n';
      const std::size_t length = is_nan ? 3 : matches_no_case(p_, end_, "infinity") ? 8 : 3;
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      return non_finite(is_nan ? std::numeric_limits<double>::quiet_NaN() : -kInfinity, length, start);
    }
  }
  if (p_ == end_ || !is_digit(*p_)) return unexpected("a digit");
  if (*p_ == '0' && p_ + 1 != end_ && is_digit(p_[1])) {
    return error("a number with a leading zero", start, "write it without the zero, or in quotes if it is a name");
  }
  // The cursor is a local from here on: a member would be written back for each digit.
  const char* p = p_;
  const char* const end = end_;
  std::uint64_t mantissa = 0;
  const char* digits = p;
  while (p != end && is_digit(*p)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
  auto digit_count = static_cast<std::size_t>(p - digits);
  bool integer = true;
  int exponent = 0;
  if (p != end && *p == '.') {
    integer = false;
    const char* fraction = ++p;
    while (end - p >= 8 && are_digits(word_at(p))) {
      mantissa = mantissa * 100'000'000 + eight_digits(word_at(p));
      p += 8;
    }
    while (p != end && is_digit(*p)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
    if (p == fraction) return unexpected_at(p, "a digit after the decimal point");
    digit_count += static_cast<std::size_t>(p - fraction);
    exponent = -static_cast<int>(std::min<std::ptrdiff_t>(p - fraction, 100000));
  }
  if (p != end && (*p | 0x20) == 'e') {
    integer = false;
    ++p;
    const bool negative_exponent = p != end && *p == '-';
    if (p != end && (*p == '+' || *p == '-')) ++p;
    const char* exponent_digits = p;
    int written = 0;
    while (p != end && is_digit(*p)) written = std::min(written * 10 + (*p++ - '0'), 100000);
    if (p == exponent_digits) return unexpected_at(p, "a digit in the exponent");
    exponent += negative_exponent ? -written : written;
  }
  p_ = p;
  Node* node = push(Kind::real, start);
  if (node == nullptr) return false;
  node->length = static_cast<std::uint32_t>(p_ - start);
  if (integer && digit_count <= 19 && !(negative && mantissa == 0)) {  // 19 digits fit 64 bits; "-0" stays a double
    if (mantissa <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      node->kind = Kind::integer;
      node->i = negative ? -static_cast<std::int64_t>(mantissa) : static_cast<std::int64_t>(mantissa);
      return true;
    }
    if (!negative) {
      node->kind = Kind::unsigned_integer;
      node->u = mantissa;
      return true;
    }
  }
  // Clinger's fast path: both factors exact, one rounding.
  if (!integer && digit_count <= 19 && mantissa <= (1ULL << 53U) && exponent >= -22 && exponent <= 22) {
    const double exact = static_cast<double>(mantissa);
    const double value = exponent < 0 ? exact / kPowersOfTen[static_cast<std::size_t>(-exponent)]
                                      : exact * kPowersOfTen[static_cast<std::size_t>(exponent)];
    node->d = negative ? -value : value;
    return true;
  }
  // What does not fit: 17 digits, as programs write doubles that must come back the same.
  if (!integer && mantissa != 0 && significant(digits, digit_count) <= 19 &&
      nearest_double(mantissa, exponent, negative, node->d))
    return true;
  if (integer) {
    std::int64_t smallest = 0;
    std::uint64_t big = 0;
    if (std::from_chars(start, p_, smallest).ec == std::errc() && !(negative && mantissa == 0)) {
      node->kind = Kind::integer;
      node->i = smallest;
      return true;
    }
    if (!negative && std::from_chars(start, p_, big).ec == std::errc()) {
      node->kind = Kind::unsigned_integer;
      node->u = big;
      return true;
    }
    if (digit_count > 1) node->flags |= kBeyondInteger;
  }
  double value = 0;
  if (std::from_chars(start, p_, value).ec == std::errc::result_out_of_range) {
    value = out_of_range_value({start, static_cast<std::size_t>(p_ - start)});
  }
  node->d = value;
  if (!std::isfinite(value)) node->flags |= kNotFinite;
  return true;
}

}  // namespace plumbline::formats::json
