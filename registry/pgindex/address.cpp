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

// What stands before the last `@` and has a `:` in it may be a password, with a `/` or `?` in it that libpq would not take there:
// it is no text to show, whatever it was meant to be.
Parts split(std::string_view address) {
  Parts out;
  out.scheme = scheme_of(address);
  address.remove_prefix(out.scheme.size());
  const auto at = address.rfind('@');
  const std::string_view user = address.substr(0, at == std::string_view::npos ? 0 : at);
  if (at != std::string_view::npos && (at < address.find_first_of("/?") || user.find(':') != std::string_view::npos)) {
    out.at = true;
    out.user = user.substr(0, user.find_first_of(":/?"));
    if (const auto colon = user.find(':'); colon != std::string_view::npos) out.password = user.substr(colon + 1);
    address.remove_prefix(at + 1);
  }
  if (const auto question = address.find('?'); question != std::string_view::npos) {
    out.parameters = core::split(address.substr(question + 1), '&');
    address = address.substr(0, question);
  }
  out.rest = address;
  return out;
}

bool is_secret(std::string_view parameter) {
  const std::string name = core::to_lower(parameter.substr(0, parameter.find('=')));
  return name.find("password") != std::string::npos || name.find('%') != std::string::npos;
}

bool escapes_are_whole(std::string_view address) {
  for (auto at = address.find('%'); at != std::string_view::npos; at = address.find('%', at + 1)) {
    const std::string_view digits = address.substr(at + 1, 2);
    if (digits.size() < 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) return false;
  }
  return true;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  if (what.empty()) return;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// Of something that is no such address nothing is shown that could be more than a name.
std::string_view name_in(std::string_view text) {
  text = text.substr(0, 160);
  const auto colon = text.find("://");
  if (colon != std::string_view::npos) return text.substr(0, colon + 3);
  return text.substr(0, text.find_first_of(":=@?"));
}

bool is_local_host(std::string_view host) {
  if (host.empty() || host.starts_with('/') || host.starts_with("%2F") || host.starts_with("%2f")) return true;
  const bool loopback = host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
  return loopback || host == "localhost" || host == "::1";
}

// Of "name:5432" or "[::1]:5432".
std::string_view without_port(std::string_view host) {
  if (!host.starts_with('[')) return host.substr(0, host.find(':'));
  return host.substr(1, std::min(host.find(']'), host.size()) - 1);
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
  if (!plain) return bad("has blanks or control characters in it");
  if (split(address).password.find_first_of("/@") != std::string_view::npos)
    return bad("has a `/` or `@` in front of the last `@`: in a user's name or password they are written %2F and %40");
  return escapes_are_whole(address) ? core::Status() : bad("has a `%` without two hexadecimal digits: it is written %25");
}

bool has_password(std::string_view address) {
  const Parts parts = split(address);
  return !parts.password.empty() || std::ranges::any_of(parts.parameters, is_secret);
}

std::string shown_address(std::string_view address) {
  const Parts parts = split(address);
  if (parts.scheme.empty()) return std::string(name_in(address));
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

bool leaves_machine(std::string_view address) {
  const Parts parts = split(address);
  std::vector<std::string_view> hosts;
  for (const std::string_view host : core::split(parts.rest.substr(0, parts.rest.find('/')), ','))
    hosts.push_back(without_port(host));
  for (const std::string_view parameter : parts.parameters) {
    const std::string_view name = parameter.substr(0, parameter.find('='));
    if (name == "host" || name == "hostaddr") {
      const auto more = core::split(parameter.substr(std::min(name.size() + 1, parameter.size())), ',');
      hosts.insert(hosts.end(), more.begin(), more.end());
    } else if (name.find('%') != std::string_view::npos) {
      return true;  // whatever it says
    }
  }
  return !std::ranges::all_of(hosts, is_local_host);
}

bool verifies_server(std::string_view address) {
  const Parts parts = split(address);
  const auto names_mode = [](std::string_view parameter) { return parameter.starts_with("sslmode="); };
  return std::ranges::any_of(parts.parameters, names_mode) && std::ranges::all_of(parts.parameters, [&](std::string_view each) {
           return names_mode(each) ? each == "sslmode=verify-full"
                                   : each.substr(0, each.find('=')).find('%') == std::string_view::npos;
         });
}

std::string without_surrounding_password(const std::string& address) {
  // An empty one is one for libpq, which asks its password file then and not PGPASSWORD.
  return address + (address.find('?') == std::string::npos ? "?password=" : "&password=");
}

std::string without_password(std::string message, std::string_view address) {
  constexpr std::size_t kTooShort = 4;  // to be looked for in a sentence
  const Parts parts = split(address);
  replace_all(message, address, shown_address(address));
  std::vector<std::string_view> secrets = {parts.password};
  for (const std::string_view parameter : parts.parameters) {
    if (is_secret(parameter)) secrets.push_back(parameter.substr(std::min(parameter.find('='), parameter.size() - 1) + 1));
  }
  for (const std::string_view secret : secrets) {
    if (secret.size() >= kTooShort) replace_all(message, secret, "[redacted]");
  }
  return message;
}

}  // namespace plumbline::registry::pgindex
