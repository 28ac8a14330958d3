#include "server/transport/http/request_target.hpp"

#include <algorithm>
#include <array>

#include "base/characters.hpp"

namespace plumbline::server::transport::http {
namespace {

constexpr std::array<std::string_view, 2> kSchemes = {"http://", "https://"};

char lower(char c) { return base::is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(std::string_view text, std::string_view scheme) {
  return std::equal(text.begin(), text.end(), scheme.begin(), scheme.end(), [](char a, char b) { return lower(a) == b; });
}

}  // namespace

bool may_begin_absolute(std::string_view text) {
  return std::any_of(kSchemes.begin(), kSchemes.end(), [&](std::string_view scheme) {
    const std::size_t both = std::min(text.size(), scheme.size());
    return same(text.substr(0, both), scheme.substr(0, both));
  });
}

std::optional<AbsoluteTarget> absolute_target(std::string_view target) {
  for (const std::string_view scheme : kSchemes) {
    if (!same(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::string_view authority = target.substr(0, target.find_first_of("/?"));
    if (authority.empty() || authority.find('@') != std::string_view::npos) return std::nullopt;
    return AbsoluteTarget{authority, target.substr(authority.size())};
  }
  return std::nullopt;
}

}  // namespace plumbline::server::transport::http
