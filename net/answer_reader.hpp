// An answer of an HTTP server, understood as its bytes come, whatever pieces they come in. What it does not understand is an
// error that says so, and every size has a bound: a stranger may answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "net/http_client.hpp"

namespace plumbline::net {

class AnswerReader {
 public:
  using Sink = std::function<core::Status(std::string_view)>;
  // `to_head`: the answer to a HEAD, which has no body. `sink`, if any, takes the body of an answer with status 200, any other is
  // kept and has at most `message_bytes`.
  AnswerReader(bool to_head, std::size_t message_bytes, Sink sink)
      : to_head_(to_head), message_bytes_(message_bytes), sink_(std::move(sink)) {}

  // More of it. Errors: invalid_input for what is no HTTP, limit_exceeded, or the sink's.
  [[nodiscard]] core::Status take(std::string_view bytes);
  // `open`: the connection has not ended.
  [[nodiscard]] bool is_whole(bool open) const;
  [[nodiscard]] bool has_head() const { return has_head_; }
  [[nodiscard]] bool to_sink() const { return sink_ && has_head_ && answer_.status == 200; }
  // So far.
  [[nodiscard]] const HttpAnswer& answer() const { return answer_; }
  [[nodiscard]] HttpAnswer release() { return std::move(answer_); }
  // It is whole, and another one may follow on the same connection.
  [[nodiscard]] bool may_be_followed() const;

 private:
  enum class Ends : std::uint8_t { at_once, at_length, at_last_chunk, with_connection };

  core::Expected<bool> find_head();
  core::Status understand_length();
  core::Status take_body();
  core::Status hand_on(std::string_view piece);
  bool chunk_line(std::string_view line);

  const bool to_head_;
  const std::size_t message_bytes_;
  const Sink sink_;
  std::string text_;  // not understood yet
  HttpAnswer answer_;
  bool has_head_ = false;
  int before_ = 0;  // answers that came before the one
  Ends ends_ = Ends::with_connection;
  std::uint64_t left_ = 0;  // of the body, or of this chunk
  std::size_t trailing_ = 0;
  bool after_chunk_ = false, trailers_ = false, last_ = false;
  bool two_lengths_ = false;
};

}  // namespace plumbline::net
