// The review site: registry and bundles for people with a browser, on the same listeners and under the same rule of who is let in
// as MCP. It only reads: GET and HEAD, no session, no cookie, no form that changes anything. A browser shows its token as the
// password of HTTP Basic authentication: it keeps it for this scheme, host and port alone and forgets it when it is closed, a
// token that is taken away stops working at once, and there is no login whose session could be stolen or ridden on. Programs
// send "Authorization: Bearer TOKEN" as they do for MCP.
//
// Pages are made on the workers that run tool calls, under the same limits, and are told to stop when their visitor leaves or
// when they take too long. docs/review-site.md is the guide.
#pragma once

#include <memory>

#include "server/mcp/host.hpp"
#include "server/server.hpp"
#include "server/transport/http/admission.hpp"
#include "server/transport/http/beside.hpp"

namespace plumbline::server::site {

[[nodiscard]] std::unique_ptr<transport::http::Beside> make(const ServeOptions& options, mcp::Host& host,
                                                            const transport::http::Admission& admission);

}  // namespace plumbline::server::site
