// The one answer of one request. Whoever holds it must call result(), error() or drop() once; when it is destroyed without,
// the client is told -32603, so that a fault of ours never leaves a request hanging. Move-only; not thread-safe: the holder
// sees to it that one thread uses it at a time. `Send` gets the whole line, or "" when there is deliberately no answer
// (cancelled): a batch counts those too.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "server/jsonrpc/message.hpp"

namespace plumbline::server::jsonrpc {

class ReplyOnce {
 public:
  using Send = std::function<void(std::string line)>;

  ReplyOnce(std::string id, Send send) : id_(std::move(id)), send_(std::move(send)) {}
  ReplyOnce(ReplyOnce&& other) noexcept : id_(std::move(other.id_)), send_(std::exchange(other.send_, nullptr)) {}
  ReplyOnce(const ReplyOnce&) = delete;
  ReplyOnce& operator=(const ReplyOnce&) = delete;
  ReplyOnce& operator=(ReplyOnce&&) = delete;
  ~ReplyOnce();

  void result(std::string_view result_json) { send(result_line(id_, result_json)); }
  void error(const RpcError& error) { send(error_line(id_, error)); }
  void drop() { send({}); }
  [[nodiscard]] bool open() const { return static_cast<bool>(send_); }
  [[nodiscard]] const std::string& id() const { return id_; }

 private:
  void send(std::string line) {
    if (const Send once = std::exchange(send_, nullptr)) once(std::move(line));
  }

  std::string id_;
  Send send_;
};

}  // namespace plumbline::server::jsonrpc
