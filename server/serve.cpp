#include "registry/store.hpp"
#include "server/mcp/publications.hpp"
#include "server/mcp/verbs/run_tool.hpp"
#include "server/mcp/verbs/tools.hpp"
#include "server/server.hpp"
#include "server/site/site.hpp"

namespace plumbline::server {

// Whoever comes over a socket is confined to the repository unless the operator names other roots.
core::Expected<int> serve(ServeOptions options, const ServingOptions& serving) {
  if (serving.network() && options.allowed_roots.empty()) {
    auto root = mcp::served_root(options);
    if (!root) {
      return core::fail(core::ErrorCode::usage, "a server on sockets is confined to a repository, and there is none here",
                        "name it with --repo-root DIR, or other folders with --allow-root DIR");
    }
    options.allowed_roots = {*root};
    options.repo_root = std::move(*root);
  }
  auto roots = registry::resolve_allowed_roots(options.allowed_roots, options.cwd);
  if (!roots) return core::fail(std::move(roots.error()));
  options.allowed_roots = std::move(*roots);
  mcp::Catalogue catalogue = mcp::verb_catalogue(options);
  if (!options.allow_run.empty()) {
    auto tool = mcp::run_tool(options);
    if (!tool) return core::fail(std::move(tool.error()));
    catalogue.add(std::move(*tool));
  }
  const mcp::Server server(mcp::verb_identity(), std::move(catalogue));
  MakeBeside make_site;
  if (options.site) {
    make_site = [&options](mcp::Host& host, const transport::http::Admission& admission) {
      return site::make(options, host, admission);
    };
  }
  return serve(server, verbs::version(), serving, make_site);
}

}  // namespace plumbline::server
