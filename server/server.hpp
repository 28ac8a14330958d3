// How an agent asks: the verbs of the house as an MCP server, over standard input and output, sockets and HTTP, several at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "server/serving.hpp"

namespace plumbline::server {

struct ServeOptions {
  bool drop_in = false;                    // the reference tool's names are listed as well; they can be called in any case
  bool read_only = false;                  // nothing is written: verbs that cannot answer without are neither listed nor served
  std::vector<std::string> tools;          // of --tools: these alone, by any of their names, "common" or "all"; empty: all
  bool site = true;                        // the review site beside MCP over HTTP (site/)
  std::string allow_run;                   // a file of commands that clients may have run; "" = none
  std::vector<std::string> allowed_roots;  // empty: paths are not confined (stdio only); sockets: the repository's root
  std::optional<std::string> repo_root;
  std::string cwd;  // "" = the process's own; on sockets relative paths are taken from the root
};

// Until the input ends, the client stops reading or the parent process dies (stdio), or SIGTERM or SIGINT arrives. Takes over
// those signals, SIGHUP and SIGPIPE. The exit status; an error before anything was served.
[[nodiscard]] core::Expected<int> serve(ServeOptions options, ServingOptions serving);

}  // namespace plumbline::server
