#include "server/mcp/verb_tools.hpp"
#include "server/server.hpp"
#include "server/transport/stdio.hpp"

namespace plumbline::server {

int serve_stdio(const ServeOptions& options) {
  const mcp::Server server(mcp::verb_identity(), mcp::verb_catalogue(options));
  return transport::serve_lines(server);
}

}  // namespace plumbline::server
