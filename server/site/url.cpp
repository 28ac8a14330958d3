#include "server/site/url.hpp"

#include <fmt/core.h>

#include "base/characters.hpp"
#include "core/text.hpp"

namespace plumbline::server::site {
namespace {

constexpr std::size_t kParts = 64;

int hex_value(char c) {
  if (base::is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 1 < text.size() ? hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    }
    out += c;
  }
  return out;
}

bool names_nothing(std::string_view part) {
  if (part.empty() || part == "." || part == "..") return true;
  for (const char c : part) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || c == '/' || c == '\\') return true;
  }
  return false;
}

bool is_unreserved(char c) { return base::is_alphanumeric(c) || std::string_view("-._~").find(c) != std::string_view::npos; }

}  // namespace

std::optional<std::vector<std::string>> parts_of(std::string_view path) {
  if (path.empty() || path.front() != '/') return std::nullopt;
  path.remove_prefix(1);
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string> parts;
  if (path.empty()) return parts;
  for (const std::string_view part : core::split(path, '/')) {
    auto text = decoded(part, false);
    if (!text || names_nothing(*text) || parts.size() == kParts) return std::nullopt;
    parts.push_back(std::move(*text));
  }
  return parts;
}

std::optional<Query> Query::parse(std::string_view text) {
  Query query;
  if (text.empty()) return query;
  for (const std::string_view pair : core::split(text, '&')) {
    const std::size_t equals = pair.find('=');
    auto name = decoded(pair.substr(0, equals), true);
    auto value = decoded(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), true);
    if (!name || !value || value->find('\0') != std::string::npos) return std::nullopt;
    query.values_.emplace(std::move(*name), std::move(*value));
  }
  return query;
}

std::string Query::get(std::string_view name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? std::string() : at->second;
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string link(std::string_view page, const std::vector<std::string_view>& parts) {
  std::string out = "/" + std::string(page);
  for (const std::string_view part : parts) {
    for (const std::string_view piece : core::split(part, '/')) out.append("/").append(encoded(piece));
  }
  return out;
}

}  // namespace plumbline::server::site
