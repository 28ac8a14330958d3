#include "server/access/web_origin.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/characters.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::server::access {
namespace {

constexpr std::size_t kNameBytes = 253;  // of a DNS name
constexpr std::size_t kLabelBytes = 63;  // of one of its parts
constexpr std::size_t kSchemeBytes = 32;

using base::is_digit;
using base::is_lower;

std::optional<std::string> ipv4(std::string_view text) {
  in_addr address{};
  const std::string terminated(text);
  if (text.find('\0') != std::string_view::npos || inet_pton(AF_INET, terminated.c_str(), &address) != 1) return std::nullopt;
  return terminated;  // inet_pton takes decimal numbers without leading zeros only: the text is canonical
}

std::optional<std::string> ipv6(std::string_view text) {
  in6_addr address{};
  std::array<char, INET6_ADDRSTRLEN> shortest{};
  const std::string terminated(text);
  if (text.find('\0') != std::string_view::npos || inet_pton(AF_INET6, terminated.c_str(), &address) != 1) return std::nullopt;
  inet_ntop(AF_INET6, &address, shortest.data(), shortest.size());
  return "[" + std::string(shortest.data()) + "]";
}

// Browsers read a host that ends so as an address ("127.1", "0x7f.0x1", "2130706433"): it is no name.
bool is_number(std::string_view label) {
  if (label.substr(0, 2) == "0x") {
    label.remove_prefix(2);
    return std::all_of(label.begin(), label.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
  }
  return std::all_of(label.begin(), label.end(), is_digit);
}

// In lower case: labels of letters, digits, '-' and '_'.
bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kNameBytes) return false;
  const auto labels = core::split(text, '.');
  for (const std::string_view label : labels) {
    if (label.empty() || label.size() > kLabelBytes || label.front() == '-' || label.back() == '-') return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '_'; }))
      return false;
  }
  return !is_number(labels.back());
}

bool is_address(std::string_view canonical) { return canonical.front() == '[' || ipv4(canonical); }

// A name, an IPv4 address, or an IPv6 address in brackets, in canonical form.
std::optional<std::string> canonical_host(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') return ipv6(text.substr(1, text.size() - 2));
  if (auto address = ipv4(text)) return address;
  std::string name = core::to_lower(text);
  if (!is_name(name)) return std::nullopt;
  return name;
}

struct Authority {
  std::string host;  // canonical
  std::string port;  // "" = absent
};

std::optional<Authority> parse_authority(std::string_view text) {
  // In an IPv6 address the colons lie before the bracket.
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  auto host = canonical_host(text.substr(0, colon));
  if (!host) return std::nullopt;
  if (colon == std::string_view::npos) return Authority{std::move(*host), {}};
  const std::string_view port = text.substr(colon + 1);
  if (port.empty() || port.size() > 5 || port.front() == '0' || !std::all_of(port.begin(), port.end(), is_digit))
    return std::nullopt;
  if (*core::parse_int(port) > 65535) return std::nullopt;
  return Authority{std::move(*host), std::string(port)};
}

struct Origin {
  std::string scheme;
  Authority authority;
  [[nodiscard]] std::string text() const {
    const bool usual = (scheme == "http" && authority.port == "80") || (scheme == "https" && authority.port == "443");
    return scheme + "://" + authority.host + (authority.port.empty() || usual ? "" : ":" + authority.port);
  }
};

// scheme "://" host [":" port], nothing else: what browsers send for everything that has an origin.
std::optional<Origin> parse_origin(std::string_view text) {
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos || end == 0 || end > kSchemeBytes) return std::nullopt;
  std::string scheme = core::to_lower(text.substr(0, end));
  const bool good = std::all_of(scheme.begin(), scheme.end(),
                                [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '+' || c == '.'; });
  if (!good || !is_lower(scheme.front())) return std::nullopt;
  auto authority = parse_authority(text.substr(end + 3));
  if (!authority) return std::nullopt;
  return Origin{std::move(scheme), std::move(*authority)};
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// As listeners and peers are written: brackets around IPv6 may be missing.
std::string without_brackets(std::string_view address) {
  if (address.size() > 2 && address.front() == '[' && address.back() == ']') address = address.substr(1, address.size() - 2);
  return std::string(address);
}

}  // namespace

bool is_loopback(std::string_view address) {
  if (core::to_lower(address) == "localhost") return true;
  const std::string text = without_brackets(address);
  in_addr four{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  if (inet_pton(AF_INET6, text.c_str(), &six) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
}

bool is_wildcard(std::string_view address) {
  const std::string text = without_brackets(address);
  in6_addr six{};
  return text == "0.0.0.0" || (inet_pton(AF_INET6, text.c_str(), &six) == 1 && IN6_IS_ADDR_UNSPECIFIED(&six));
}

core::Expected<HostRule> HostRule::make(std::string_view listen, const std::vector<std::string>& allow_hosts,
                                        const std::vector<std::string>& allow_origins) {
  using core::ErrorCode;
  HostRule rule;
  rule.any_address_ = is_wildcard(listen);
  if (rule.any_address_ || is_loopback(listen)) rule.hosts_ = {"localhost", "127.0.0.1", "[::1]"};
  const auto six = ipv6(listen);
  if (auto own = six ? six : canonical_host(listen)) {
    if (!rule.any_address_ && !contains(rule.hosts_, *own)) rule.hosts_.push_back(std::move(*own));
  } else {
    return core::fail(ErrorCode::usage, "cannot listen on " + core::cited(listen) + ": that is no address and no host name", {},
                      "listen");
  }
  for (const std::string& text : allow_hosts) {
    const auto address = ipv6(text);
    auto host = address ? address : canonical_host(text);
    if (!host) {
      return core::fail(ErrorCode::usage, "--allow-host " + core::cited(text) + " is no host name and no address",
                        "give one name as clients write it, without scheme and port, for instance perf.example", "allow_host");
    }
    rule.hosts_.push_back(std::move(*host));
  }
  for (const std::string& text : allow_origins) {
    const auto origin = parse_origin(text);
    if (!origin) {
      return core::fail(ErrorCode::usage, "--allow-origin " + core::cited(text) + " is no origin",
                        "give scheme, host and port as browsers send them, for instance https://perf.example:8443",
                        "allow_origin");
    }
    rule.origins_.push_back(origin->text());
  }
  return rule;
}

bool HostRule::names_us(std::string_view host) const { return contains(hosts_, host) || (any_address_ && is_address(host)); }

std::optional<HostRule::Refusal> HostRule::check(std::optional<std::string_view> host,
                                                 std::optional<std::string_view> origin) const {
  if (!host) return Refusal{400, "the Host header is missing"};
  const auto authority = parse_authority(*host);
  if (!authority) return Refusal{400, "the Host header is not a host name or address with an optional port"};
  if (!names_us(authority->host)) {
    return Refusal{403, "the Host header names a host that this server does not answer for; --allow-host adds one"};
  }
  if (!origin) return std::nullopt;
  const Refusal foreign{403, "the Origin header names a site that may not use this server; --allow-origin adds one"};
  const auto from = parse_origin(*origin);
  if (!from) return foreign;
  if (contains(origins_, from->text())) return std::nullopt;
  // With a wildcard any address may be our own as Host, but only that one as the page's origin.
  const bool ours = contains(hosts_, from->authority.host) || (any_address_ && from->authority.host == authority->host);
  if (ours && (from->scheme == "http" || from->scheme == "https")) return std::nullopt;
  return foreign;
}

}  // namespace plumbline::server::access
