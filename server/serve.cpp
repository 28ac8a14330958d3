#include <dirent.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/memory_budget.hpp"
#include "registry/files.hpp"
#include "registry/store.hpp"
#include "server/mcp/publications.hpp"
#include "server/mcp/verbs/run_tool.hpp"
#include "server/mcp/verbs/tools.hpp"
#include "server/server.hpp"
#include "server/site/site.hpp"

namespace plumbline::server {

namespace {

// Whoever comes over a socket is confined to the repository unless the operator names other roots. Nor does it know where this
// process was started: a relative path is taken from the root.
core::Status confine(ServeOptions& options, bool network) {
  if (network && options.allowed_roots.empty()) {
    auto root = mcp::served_root(options);
    if (!root) {
      return core::fail(core::ErrorCode::usage, "a server on sockets is confined to a repository, and there is none here",
                        "name it with --repo-root DIR, or other folders with --allow-root DIR");
    }
    options.allowed_roots = {std::move(*root)};
  }
  auto roots = registry::resolve_allowed_roots(options.allowed_roots, options.cwd);
  if (!roots) return core::fail(std::move(roots.error()));
  options.allowed_roots = std::move(*roots);
  if (!network) return {};
  const auto root = mcp::served_root(options);
  if (root) {
    options.repo_root = *root;
  } else if (options.repo_root) {
    options.repo_root = registry::absolute_path(*options.repo_root, options.cwd);
  }
  options.cwd = root ? *root : options.allowed_roots.front();
  return {};
}

// Without its root a server answers nothing but errors. What is wrong is said without the path: anybody may ask.
std::string look_at(const std::string& root) {
  DIR* folder = opendir(root.c_str());
  if (folder == nullptr) return "the root cannot be read: " + std::generic_category().message(errno);
  errno = 0;
  const bool readable = readdir(folder) != nullptr || errno == 0;
  const int error = errno;
  closedir(folder);
  return readable ? "" : "the root cannot be read: " + std::generic_category().message(error);
}

}  // namespace

core::Expected<int> serve(ServeOptions options, ServingOptions serving) {
  base::unpacking_budget().set_bound(serving.unpack_memory);
  // The operator's file: it lies where he says, not where clients' paths are taken from.
  if (!options.allow_run.empty()) options.allow_run = registry::absolute_path(options.allow_run, options.cwd);
  if (auto confined = confine(options, serving.network()); !confined) return core::fail(std::move(confined.error()));
  auto tools = mcp::chosen_tools(options.tools);
  if (!tools) return core::fail(std::move(tools.error()));
  options.tools = std::move(*tools);
  mcp::Catalogue catalogue = mcp::verb_catalogue(options);
  if (!options.allow_run.empty()) {
    auto tool = mcp::run_tool(options);
    if (!tool) return core::fail(std::move(tool.error()));
    catalogue.add(std::move(*tool));
  }
  const mcp::Server server(mcp::verb_identity(options), std::move(catalogue));
  serving.look = [root = options.cwd] { return look_at(root); };
  MakeBeside make_site;
  if (options.site) {
    make_site = [&options](mcp::Host& host, const transport::http::Admission& admission) {
      return site::make(options, host, admission);
    };
  }
  return serve(server, verbs::version(), serving, make_site);
}

}  // namespace plumbline::server
