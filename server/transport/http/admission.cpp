#include "server/transport/http/admission.hpp"

#include <algorithm>
#include <utility>

#include "core/text.hpp"
#include "server/jsonrpc/message.hpp"
#include "server/mcp/errors.hpp"

namespace plumbline::server::transport::http {
namespace {

// A token in a URL ends up in logs and histories.
bool has_token_in_query(std::string_view target) {
  const std::size_t query = target.find('?');
  if (query == std::string_view::npos) return false;
  const auto pairs = core::split(target.substr(query + 1), '&');
  return std::any_of(pairs.begin(), pairs.end(),
                     [](std::string_view pair) { return core::starts_with_no_case(pair, "access_token"); });
}

}  // namespace

tl::expected<access::Principal, NotAdmitted> admit(const Admission& admission, const Request& request,
                                                   const std::optional<std::string>& authorization, bool conflict) {
  const access::ProtectedResource& resource = admission.resource;
  const auto refused = [](int status, int code, std::string message, std::string challenge = {}) {
    return tl::unexpected(NotAdmitted{status, code, std::move(message), std::move(challenge)});
  };
  if (!admission.asks_for_credentials()) {
    if (request.loopback) return access::Principal{"", access::How::loopback, true, true};
    return refused(403, mcp::kForbidden, "without credentials this server answers only its own machine");
  }
  const access::Authorization shown = access::parse_authorization(authorization);
  if (has_token_in_query(request.target)) {
    return refused(400, jsonrpc::kInvalidRequest, "a token must not be part of the URL: send it in the Authorization header",
                   challenge_invalid_request(resource, "a token must not be part of the URL"));
  }
  if (conflict || shown.kind == access::Authorization::Kind::malformed) {
    return refused(400, jsonrpc::kInvalidRequest, "the Authorization header must be one \"Bearer TOKEN\"",
                   challenge_invalid_request(resource, "the Authorization header cannot be read"));
  }
  std::optional<access::Principal> who;
  if (shown.kind == access::Authorization::Kind::bearer) {
    std::string problem = "the token is not known";
    if (admission.tokens != nullptr) who = admission.tokens->find(shown.token);
    if (!who && admission.oauth != nullptr) {
      if (auto verified = admission.oauth->verify(shown.token, admission.now())) {
        who = std::move(*verified);
      } else {
        problem = verified.error();
      }
    }
    if (!who) return refused(401, mcp::kUnauthorized, problem, challenge_invalid_token(resource, false, problem));
  } else if (admission.certificate_is_enough() && request.certificate) {
    who = access::Principal{*request.certificate, access::How::certificate, true, true};
  } else {
    return refused(401, mcp::kUnauthorized, "this server asks for credentials: send \"Authorization: Bearer TOKEN\"",
                   challenge_missing(resource, false));
  }
  if (!who->may_read) {
    return refused(403, mcp::kForbidden, "the token does not allow reading", challenge_insufficient_scope(resource, false));
  }
  return *std::move(who);
}

}  // namespace plumbline::server::transport::http
