#include "registry/s3/xml.hpp"

#include <array>
#include <charconv>
#include <cstdint>

namespace plumbline::registry::s3 {

namespace {

// From `at` on: where the content of the next element of that name begins and ends.
std::optional<std::pair<std::size_t, std::size_t>> find_element(std::string_view xml, std::string_view name, std::size_t at) {
  const std::string open = "<" + std::string(name), close = "</" + std::string(name) + ">";
  for (at = xml.find(open, at); at != std::string_view::npos; at = xml.find(open, at + 1)) {
    const std::size_t after = at + open.size();
    if (after >= xml.size()) return std::nullopt;
    if (xml[after] != '>' && xml[after] != ' ' && xml[after] != '/') continue;  // the beginning of another name
    const auto begin = xml.find('>', after);
    if (begin == std::string_view::npos) return std::nullopt;
    if (xml[begin - 1] == '/') return std::pair(begin + 1, begin + 1);
    const auto end = xml.find(close, begin);
    if (end == std::string_view::npos) return std::nullopt;
    return std::pair(begin + 1, end);
  }
  return std::nullopt;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

std::string resolved(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> kNamed = {
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto mark = text.find('&');
    out += text.substr(0, mark);
    if (mark == std::string_view::npos) break;
    text.remove_prefix(mark + 1);
    const auto end = text.find(';');
    if (end > 10) {  // also where there is none
      out += '&';
      continue;
    }
    const std::string_view name = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (name.starts_with('#')) {
      std::uint32_t code = 0;
      const bool hexadecimal = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
      const auto digits = name.substr(hexadecimal ? 2 : 1);
      std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
      if (code > 0 && code < 0x110000) append_utf8(out, code);
      continue;
    }
    for (const auto& [known, character] : kNamed) {
      if (known == name) out += character;
    }
  }
  return out;
}

}  // namespace

std::optional<std::string> element(std::string_view xml, std::string_view name) {
  const auto found = find_element(xml, name, 0);
  if (!found) return std::nullopt;
  return resolved(xml.substr(found->first, found->second - found->first));
}

std::vector<std::string_view> elements(std::string_view xml, std::string_view name) {
  std::vector<std::string_view> out;
  for (auto found = find_element(xml, name, 0); found; found = find_element(xml, name, found->second)) {
    out.push_back(xml.substr(found->first, found->second - found->first));
  }
  return out;
}

}  // namespace plumbline::registry::s3
