#include "registry/pgindex/address.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::registry::pgindex {
namespace {

constexpr std::array<std::string_view, 2> kSchemes = {"postgresql://", "postgres://"};
constexpr std::size_t kAddressAtMost = 4096;

std::string_view scheme_of(std::string_view address) {
  for (const std::string_view scheme : kSchemes) {
    if (address.starts_with(scheme)) return scheme;
  }
  return {};
}

struct Parts {
  std::string_view scheme, user, password, rest;  // rest: from the host on, without parameters
  std::vector<std::string_view> parameters;
  bool at = false;
};

Parts split(std::string_view address) {
  Parts out;
  out.scheme = scheme_of(address);
  address.remove_prefix(out.scheme.size());
  if (const auto question = address.find('?'); question != std::string_view::npos) {
    out.parameters = core::split(address.substr(question + 1), '&');
    address = address.substr(0, question);
  }
  out.rest = address;
  const std::string_view authority = address.substr(0, address.find('/'));
  const auto at = authority.rfind('@');
  if (at == std::string_view::npos) return out;
  out.at = true;
  out.rest = address.substr(at + 1);
  out.user = authority.substr(0, at);
  const auto colon = out.user.find(':');
  if (colon == std::string_view::npos) return out;
  out.password = out.user.substr(colon + 1);
  out.user = out.user.substr(0, colon);
  return out;
}

bool is_secret(std::string_view parameter) {
  const std::string name = core::to_lower(parameter.substr(0, parameter.find('=')));
  return name.find("password") != std::string::npos || name.find('%') != std::string::npos;
}

}  // namespace

core::Status check_address(std::string_view address, std::string_view where) {
  const auto bad = [&](std::string what) {
    return core::fail(core::ErrorCode::usage, std::string(where) + " " + std::move(what),
                      "for instance postgresql://plumbline@db.example.org/plumbline", std::string(where));
  };
  if (scheme_of(address).empty()) return bad("must be a postgresql:// address, not " + core::cited(shown_address(address)));
  if (address.size() > kAddressAtMost) return bad("is longer than " + std::to_string(kAddressAtMost) + " bytes");
  const bool plain = std::ranges::all_of(address, [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; });
  return plain ? core::Status() : bad("has blanks or control characters in it");
}

bool has_password(std::string_view address) {
  const Parts parts = split(address);
  return !parts.password.empty() || std::ranges::any_of(parts.parameters, is_secret);
}

std::string shown_address(std::string_view address) {
  const Parts parts = split(address);
  if (parts.scheme.empty()) return std::string(address.substr(0, address.find("://") == std::string_view::npos ? 160 : 20));
  std::string out(parts.scheme);
  if (parts.at) out += std::string(parts.user) + "@";
  out += parts.rest;
  char mark = '?';
  for (const std::string_view parameter : parts.parameters) {
    if (is_secret(parameter)) continue;
    out += mark;
    out += parameter;
    mark = '&';
  }
  return out;
}

}  // namespace plumbline::registry::pgindex
