#include "server/access/oauth.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "server/access/base64url.hpp"
#include "server/access/challenge.hpp"
#include "server/access/small_file.hpp"
#include "server/access/tokens.hpp"
#include "server/access/web_origin.hpp"

namespace plumbline::server::access {
namespace {

using core::ErrorCode;
using nlohmann::json;
using Problem = tl::unexpected<TokenProblem>;

constexpr std::size_t kSubjectBytes = 256;

core::Expected<KeySet> read_keys(const std::string& path) {
  const auto text = read_small_file(path, Privacy::trusted);
  if (!text) return core::fail(text.error());
  return KeySet::parse(*text, path);
}

// Absolute, without query and fragment; plain http only where nobody listens in.
core::Status check_url(const std::string& what, const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::string_view rest = std::string_view(url).substr(scheme == std::string::npos ? url.size() : scheme + 3);
  const std::string_view host = rest.substr(0, rest.find_first_of("/:", rest.substr(0, 1) == "[" ? rest.find(']') : 0));
  const bool visible = std::all_of(url.begin(), url.end(), [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\\'; });
  const bool good = visible && !host.empty() && url.find_first_of("?#@") == std::string::npos &&
                    (url.substr(0, scheme) == "https" || (url.substr(0, scheme) == "http" && is_loopback(host)));
  if (good) return {};
  return core::fail(ErrorCode::usage, what + " must be an https URL without query and fragment: " + core::cited(url),
                    "http is accepted for this machine only, for instance http://127.0.0.1:8080", what);
}

std::optional<json> object_of(std::string_view part) {
  const auto text = from_base64url(part);
  if (!text) return std::nullopt;
  json value = json::parse(*text, nullptr, false);
  if (!value.is_object()) return std::nullopt;
  return value;
}

std::optional<std::string> text_at(const json& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end() || !at->is_string()) return std::nullopt;
  return at->get<std::string>();
}

// `name` as text, or among others in an array.
bool names(const json& object, const char* name, std::string_view wanted) {
  const auto at = object.find(name);
  if (at == object.end()) return false;
  return at->is_array() ? std::find(at->begin(), at->end(), wanted) != at->end() : *at == wanted;
}

bool is_access_token_type(const json& header) {
  if (!header.contains("typ")) return true;
  std::string type = core::to_lower(text_at(header, "typ").value_or(""));
  if (core::starts_with_no_case(type, "application/")) type.erase(0, std::string_view("application/").size());
  return type == "jwt" || type == "at+jwt";
}

// Scopes as RFC 8693 has them (one text), or as a list, which some issuers send.
std::vector<std::string> scopes_of(const json& claims) {
  auto at = claims.find("scope");
  if (at == claims.end()) at = claims.find("scp");
  std::vector<std::string> scopes;
  if (at == claims.end()) return scopes;
  if (at->is_string()) {
    for (const std::string_view scope : core::split(at->get_ref<const std::string&>(), ' ')) scopes.emplace_back(scope);
  } else if (at->is_array()) {
    for (const json& scope : *at) {
      if (scope.is_string()) scopes.push_back(scope.get<std::string>());
    }
  }
  return scopes;
}

tl::expected<void, TokenProblem> check_time(const json& claims, std::chrono::system_clock::time_point time) {
  const double now = std::chrono::duration<double>(time.time_since_epoch()).count();
  const auto leeway = static_cast<double>(Oauth::kLeeway.count());
  const auto exp = claims.find("exp");
  if (exp == claims.end() || !exp->is_number()) return Problem("the token does not say when it expires");
  if (!(now < exp->get<double>() + leeway)) return Problem("the token has expired");
  const auto nbf = claims.find("nbf");
  if (nbf == claims.end()) return {};
  if (!nbf->is_number() || !(now >= nbf->get<double>() - leeway)) return Problem("the token is not valid yet");
  return {};
}

}  // namespace

core::Expected<std::unique_ptr<Oauth>> Oauth::load(OauthOptions options) {
  if (auto good = check_url("the issuer", options.issuer); !good) return core::fail(good.error());
  if (auto good = check_url("the audience", options.audience); !good) return core::fail(good.error());
  auto keys = read_keys(options.keys_file);
  if (!keys) return core::fail(keys.error());
  return std::make_unique<Oauth>(std::move(options), std::move(*keys));
}

core::Status Oauth::reload() {
  auto keys = read_keys(options_.keys_file);
  if (!keys) return core::fail(keys.error());
  keys_.set(std::move(*keys));
  return {};
}

tl::expected<Principal, TokenProblem> Oauth::verify(std::string_view token, std::chrono::system_clock::time_point now) const {
  if (token.size() > kBearerBytes) return Problem("the token is too long");
  const auto parts = core::split(token, '.');
  if (parts.size() != 3) return Problem("the token is not a signed JWT");
  const auto header = object_of(parts[0]);
  const auto signature = from_base64url(parts[2]);
  if (!header || !signature) return Problem("the token is not a signed JWT");

  const auto algorithm = algorithm_of(text_at(*header, "alg").value_or(""));
  if (!algorithm) return Problem("the token is not signed by RS256, PS256 or ES256");
  if (!is_access_token_type(*header)) return Problem("the token is not an access token");
  if (header->contains("crit")) return Problem("the token asks for extensions that are not known here");
  const auto kid = text_at(*header, "kid");
  if (!kid) return Problem("the token does not name its key");
  const auto keys = keys_.get();
  if (!keys->knows(*kid)) return Problem("the token names a key that is not known here");
  const std::string_view signed_text = token.substr(0, parts[0].size() + 1 + parts[1].size());
  if (!keys->verify(*kid, *algorithm, signed_text, *signature)) return Problem("the signature of the token is not valid");

  // From here on it is the issuer who speaks.
  const auto claims = object_of(parts[1]);
  if (!claims) return Problem("the token holds no claims");
  if (text_at(*claims, "iss") != options_.issuer) return Problem("the token is from another issuer");
  if (!names(*claims, "aud", options_.audience)) return Problem("the token is for another audience");
  if (auto valid = check_time(*claims, now); !valid) return Problem(valid.error());
  auto subject = text_at(*claims, "sub");
  if (!subject || subject->empty()) return Problem("the token names no subject");
  if (subject->size() > kSubjectBytes) return Problem("the subject of the token is too long");

  const auto scopes = scopes_of(*claims);
  const auto has = [&](std::string_view scope) { return std::find(scopes.begin(), scopes.end(), scope) != scopes.end(); };
  const bool may_write = has(kWriteScope);
  return Principal{std::move(*subject), How::oauth, may_write || has(kReadScope), may_write};
}

}  // namespace plumbline::server::access
