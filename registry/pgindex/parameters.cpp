#include "registry/pgindex/parameters.hpp"

#include <array>
#include <charconv>

#include "core/text.hpp"

namespace plumbline::registry::pgindex {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kDigits = "0123456789abcdef";

// Bytes of the character that begins here; 0 where none does.
std::size_t character_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t size = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  return size != 0 && size <= text.size() && first != 0 && core::is_valid_utf8(text.substr(0, size)) ? size : 0;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void append_hex(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
}

}  // namespace

bool is_clean(std::string_view text) { return text.find('\0') == std::string_view::npos && core::is_valid_utf8(text); }

std::string clean(std::string_view text) {
  if (is_clean(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t size = character_at(text);
    out += size == 0 ? kReplacement : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

void Array::next() {
  if (!first_) text_ += ',';
  first_ = false;
}

void Array::add(std::string_view text) {
  next();
  text_ += '"';
  for (const char c : clean(text)) {
    if (c == '"' || c == '\\') text_ += '\\';
    text_ += c;
  }
  text_ += '"';
}

void Array::add_number(std::int64_t number) {
  next();
  text_ += std::to_string(number);
}

void Array::add_number(double number) {
  next();
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text_.append(digits.data(), end);
}

void Array::add_bytes(std::string_view bytes) {
  next();
  text_ += "\"\\\\x";
  append_hex(text_, bytes);
  text_ += '"';
}

void Array::add_null() {
  next();
  text_ += "NULL";
}

std::string Array::take() { return std::move(text_) + "}"; }

std::string hex_bytes(std::string_view bytes) {
  std::string out = "\\x";
  append_hex(out, bytes);
  return out;
}

std::optional<std::string> bytes_of(std::string_view hex) {
  if (!hex.starts_with("\\x") || hex.size() % 2 != 0) return std::nullopt;
  std::string out;
  out.reserve(hex.size() / 2);
  for (std::size_t i = 2; i < hex.size(); i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

std::string like_literal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace plumbline::registry::pgindex
