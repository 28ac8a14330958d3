// How an agent asks: the verbs of the house as an MCP server. One call serves one connection until the other side ends it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plumbline::server {

struct ServeOptions {
  bool drop_in = false;                    // the reference tool's names are listed as well; they can be called in any case
  bool read_only = false;                  // verbs that write are neither listed nor served
  std::vector<std::string> allowed_roots;  // empty: paths are not confined (stdio only)
  std::optional<std::string> repo_root;
  std::string cwd;  // "" = the process's own
};

// MCP on standard input and output until stdin ends, the client stops reading, the parent process dies, or SIGTERM, SIGINT
// or SIGHUP arrives. Takes over those signals and SIGPIPE. Returns the exit status.
int serve_stdio(const ServeOptions& options);

}  // namespace plumbline::server
