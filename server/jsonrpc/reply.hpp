// The one answer of one request. Whoever holds it must call result(), error() or drop() once; when it is destroyed without,
// the client is told -32603, so that a fault of ours never leaves a request hanging. Move-only; not thread-safe: the holder
// sees to it that one thread uses it at a time. `Send` gets the whole line and the HTTP
// status it deserves; "" when there is deliberately no answer (cancelled): a batch counts those too.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "server/jsonrpc/message.hpp"

namespace plumbline::server::jsonrpc {

class ReplyOnce {
 public:
  using Send = std::function<void(std::string line, int status)>;

  ReplyOnce(std::string id, Send send) : id_(std::move(id)), send_(std::move(send)) {}
  ReplyOnce(ReplyOnce&& other) noexcept : id_(std::move(other.id_)), send_(std::exchange(other.send_, nullptr)) {}
  ReplyOnce(const ReplyOnce&) = delete;
  ReplyOnce& operator=(const ReplyOnce&) = delete;
  ReplyOnce& operator=(ReplyOnce&&) = delete;
  ~ReplyOnce();

  void result(std::string_view result_json) { send(result_line(id_, result_json), 200); }
  void error(const RpcError& error) { send(error_line(id_, error), error.status); }
  void drop() { send({}, 200); }
  [[nodiscard]] bool open() const { return static_cast<bool>(send_); }
  [[nodiscard]] const std::string& id() const { return id_; }

 private:
  void send(std::string line, int status) {
    if (const Send once = std::exchange(send_, nullptr)) once(std::move(line), status);
  }

  std::string id_;
  Send send_;
};

}  // namespace plumbline::server::jsonrpc
