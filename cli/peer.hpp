// The other side of `plumbline doctor`: an MCP server reached as a client reaches it. One request is under way at a time; every
// wait ends at the peer's time limit or when the caller asks to stop. Blocking, one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace plumbline::net {
struct HttpAnswer;
}

namespace plumbline::cli {

struct PeerLimits {
  std::chrono::milliseconds answer{10'000};  // for one answer, the start of a program included
  std::chrono::milliseconds end{3'000};      // for a program to end after its input did
  std::size_t message_bytes = 16U << 20;     // of one message
  const std::atomic<bool>* cancelled = nullptr;
};

// One JSON-RPC message of ours, and what an HTTP header says of it.
struct Message {
  std::string text;     // one line
  std::string method;   // Mcp-Method
  std::string version;  // MCP-Protocol-Version; "" for none
  bool modern = false;
};

// What a process left besides its answers, once it has been ended.
struct Remains {
  std::size_t foreign_lines = 0;  // on standard output, not JSON-RPC
  std::string first_foreign;      // cut to 200 bytes
  std::size_t log_lines = 0;      // on standard error
  std::string first_log, last_log;
  bool is_process = false;
  bool ended_itself = false;  // after its input ended, in time
  std::string how;            // "exit status 0", "signal 9"
};

class Peer {
 public:
  virtual ~Peer() = default;
  // The answer to the request with this id, one JSON object. Errors carry what to do as their hint.
  [[nodiscard]] virtual core::Expected<std::string> ask(std::int64_t id, const Message& request) = 0;
  [[nodiscard]] virtual core::Status tell(const Message& notification) = 0;
  // Ends the conversation. Once.
  [[nodiscard]] virtual Remains end() = 0;
};

struct Program {
  std::vector<std::string> argv;                                 // argv[0] is an absolute path
  std::vector<std::pair<std::string, std::string>> environment;  // over this process's own
  std::string folder;                                            // working directory
};
[[nodiscard]] core::Expected<std::unique_ptr<Peer>> start_program(const Program& program, const PeerLimits& limits);
[[nodiscard]] core::Expected<std::unique_ptr<Peer>> connect_unix(const std::string& path, const PeerLimits& limits);

// http://HOST[:PORT]/PATH of this machine; `token` is sent as a bearer token when it is not empty. Nothing is sent before ask().
// Error when the URL is not one, is https, or is of another machine: a token must not cross a network in the clear.
[[nodiscard]] core::Expected<std::unique_ptr<Peer>> connect_http(std::string_view url, std::string token,
                                                                 const PeerLimits& limits);

// Shared by the peers: poll() until `fd` has one of `events`, false at the deadline or when asked to stop.
[[nodiscard]] bool wait_for(int fd, short events, std::chrono::steady_clock::time_point deadline,
                            const std::atomic<bool>* cancelled);
// The message's id when it is an answer; -1 for any other JSON-RPC message; nullopt for what is none.
[[nodiscard]] std::optional<std::int64_t> answer_id(std::string_view line);
// The message with this id in an answer over HTTP, whole or as an event of a stream.
[[nodiscard]] std::optional<std::string> rpc_answer(const net::HttpAnswer& answer, std::int64_t id);

}  // namespace plumbline::cli
