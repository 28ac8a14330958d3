// `plumbline --server URL VERB …`: the verb runs on a server, as if it ran here. What the words name of this machine is handed
// over with the call, small files in it, large ones uploaded before; reports that are asked for as files come back and are
// written here. Texts, --json and the exit status are the server's.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/http_client.hpp"
#include "verbs/verb.hpp"

namespace plumbline::cli {

// Which server, from flags in front of the command and from the environment. The token comes from a variable, never from a word.
struct Remote {
  std::string url;  // as given; "" = none
  std::string token, ca_file;
  bool by_flag = false;  // --server; else PLUMBLINE_SERVER
};
// Takes --server URL, --bearer-env VAR and --ca FILE out of the words before the command.
[[nodiscard]] verbs::Expected<Remote> take_remote(std::vector<std::string>& words, const verbs::Context& context);

// Whether this verb is asked of the server. Without a flag, verbs that only run here do so; with it that is an error.
[[nodiscard]] verbs::Expected<bool> is_asked_of(const Remote& remote, const verbs::Verb& verb);

[[nodiscard]] verbs::CommandOutcome run_remote(const Remote& remote, const verbs::Verb& verb,
                                               const std::vector<std::string>& words, const verbs::Context& context);

// One way to a server: its endpoint, and where it takes uploads.
struct Server {
  net::HttpUrl url;
  std::string token;
  net::HttpLimits limits;

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> headers() const;  // Authorization
};

// Sends the file unless it is there already, going on where an earlier attempt ended, for as long as something of it arrives.
[[nodiscard]] verbs::Status upload(const Server& server, const std::string& path, const std::string& digest, std::uint64_t bytes,
                                   const std::function<void(std::uint64_t sent)>& progress);

}  // namespace plumbline::cli
