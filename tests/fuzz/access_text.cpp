// links: server core
// What a stranger may send or an operator may write, before anybody is known: token files, Authorization, Host and Origin, JWTs
// and key sets, sealed state. The first byte chooses the reader, the rest is its input. Whatever comes in: no crash, nobody is
// let in, and what is accepted is what the rest of the house relies on.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/text.hpp"
#include "server/access/base64url.hpp"
#include "server/access/challenge.hpp"
#include "server/access/jwk.hpp"
#include "server/access/oauth.hpp"
#include "server/access/seal.hpp"
#include "server/access/tokens.hpp"
#include "server/access/web_origin.hpp"

using namespace plumbline::server::access;

namespace {

void require(bool good) {
  if (!good) std::abort();
}

void read_tokens(std::string_view text) {
  const auto entries = parse_tokens(text, "tokens");
  if (!entries) return;
  require(!entries->empty() && entries->size() <= 1024);
  for (const TokenEntry& entry : *entries) {
    require(!entry.principal.name.empty() && entry.principal.name.size() <= 64);
    require(entry.principal.may_read && entry.digest.size() == 64);
  }
}

void read_authorization(std::string_view text) {
  const auto authorization = parse_authorization(text);
  require((authorization.kind == Authorization::Kind::bearer) == !authorization.token.empty());
  for (const char c : authorization.token) require(c > 0x20 && c < 0x7F);
  const std::string url(text);
  const std::string value = challenge_invalid_token({url, url}, true, text);
  for (const char c : value) require(c >= 0x20 && c < 0x7F);
}

// Host, newline, Origin. A listener on loopback serves nothing but loopback, whatever else the texts look like.
void read_host(std::string_view text) {
  static const HostRule local = HostRule::make("127.0.0.1", {}, {}).value();
  static const HostRule wide = HostRule::make("0.0.0.0", {}, {}).value();
  const std::size_t end = text.find('\n');
  const std::string_view host = text.substr(0, end);
  const std::string_view origin = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  if (!local.check(host, std::nullopt)) {
    const std::size_t size = host.front() == '[' ? host.find(']') + 1 : host.find(':');
    require(is_loopback(host.substr(0, size)));
    require(!wide.check(host, std::nullopt));
  }
  if (!local.check("localhost", origin)) require(plumbline::core::starts_with_no_case(origin, "http"));
  (void)wide.check(host, origin);
  (void)is_wildcard(text);
  if (auto made = HostRule::make(host, {std::string(host)}, {std::string(origin)})) {
    (void)made->check(host, origin);
    require(!made->check("localhost", origin) || made->check("localhost", origin)->status == 403);
  }
}

void read_token(std::string_view text) {
  static const Oauth oauth({"https://login.example", "https://perf.example/mcp", ""},
                           KeySet::parse(R"({"keys":[{"kty":"EC","crv":"P-256","kid":"k",)"
                                         R"("x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                                         R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})",
                                         "keys")
                               .value());
  require(!oauth.verify(text, {}));
  if (const auto bytes = from_base64url(text)) require(base64url(*bytes) == text);
}

void read_keys(std::string_view text) {
  if (const auto keys = KeySet::parse(text, "keys"))
    require(keys->size() > 0 && !keys->verify("k", Algorithm::es256, text, text));
}

void open_state(std::string_view text) {
  static const Sealer sealer;
  require(!sealer.open(text, "binding", {}));
  require(!sealer.open(base64url("\x01" + std::string(text)), "binding", {}));
  if (const auto sealed = sealer.seal(text, text, {}, std::chrono::milliseconds(1))) {
    require(sealer.open(*sealed, text, {}) == text);
    require(!sealer.open(*sealed, "another", {}) || text == "another");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0]) {
    case 't':
      read_tokens(text);
      break;
    case 'a':
      read_authorization(text);
      break;
    case 'h':
      read_host(text);
      break;
    case 'j':
      read_token(text);
      break;
    case 'k':
      read_keys(text);
      break;
    case 's':
      open_state(text);
      break;
    default:
      break;
  }
  return 0;
}
