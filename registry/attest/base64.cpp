#include "registry/attest/base64.hpp"

#include <algorithm>
#include <cstddef>

namespace plumbline::registry::attest {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t taken = std::min<std::size_t>(3, bytes.size() - at);
    unsigned bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = (bits << 8U) | (i < taken ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += i <= taken ? kAlphabet[(bits >> (18U - 6U * i)) & 63U] : '=';
  }
  return out;
}

core::Expected<std::string> decode_base64(std::string_view text) {
  const auto failed = [] { return core::fail(core::ErrorCode::invalid_input, "not base64", "RFC 4648, with its padding"); };
  if (text.size() % 4 != 0) return failed();
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::size_t padding = 0;
    if (at + 4 == text.size()) padding = text[at + 3] != '=' ? 0 : text[at + 2] != '=' ? 1 : 2;
    unsigned bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const int value = i + padding >= 4 ? 0 : value_of(text[at + i]);
      if (value < 0) return failed();
      bits = (bits << 6U) | static_cast<unsigned>(value);
    }
    if ((bits & ((1U << (8U * padding)) - 1U)) != 0) return failed();
    for (std::size_t i = 0; i + padding < 3; ++i) out += static_cast<char>((bits >> (16U - 8U * i)) & 0xFFU);
  }
  return out;
}

core::Expected<std::string> decode_any_base64(std::string_view text) {
  std::string standard(text);
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  return decode_base64(standard);
}

}  // namespace plumbline::registry::attest
