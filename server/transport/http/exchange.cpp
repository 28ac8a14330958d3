#include "server/transport/http/exchange.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace plumbline::server::transport::http {
namespace {

// "X, X" is what some clients make of sending a header twice: one X. Anything else stays as it is, commas included.
std::string_view once(std::string_view value) {
  const auto parts = core::split(value, ',');
  const std::string_view head = core::trim(parts.front());
  const bool same = std::all_of(parts.begin(), parts.end(), [&](std::string_view part) { return core::trim(part) == head; });
  return same ? head : value;
}

}  // namespace

std::optional<std::string> Request::one(std::string_view name, bool& conflict) const {
  std::optional<std::string> found;
  for (const auto& [key, value] : headers) {
    if (key != name) continue;
    const std::string_view said = once(value);
    if (!found) {
      found = std::string(said);
    } else if (*found != said) {
      conflict = true;
    }
  }
  return found;
}

std::optional<std::string> Request::first(std::string_view name) const {
  const auto at = std::find_if(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; });
  return at == headers.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace plumbline::server::transport::http
