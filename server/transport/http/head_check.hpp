// The head of an HTTP/1.1 request, read byte by byte before any library sees it. A strict reading of RFC 9112: one line per
// field, CRLF only, no folding, no white space before a colon, no control characters, targets in origin or absolute form.
// Whatever two programs could read in two ways is refused here; that is what request smuggling lives on. Because every byte is
// judged alone, the outcome cannot depend on how the bytes were split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace plumbline::server::transport::http {

struct ParserBounds {
  std::size_t head_bytes = 16U << 10;
  std::size_t fields = 64;
  std::size_t target_bytes = 2048;
  std::size_t body_bytes = 10U << 20;
  // Requests that begin so have a body that is given on as it comes; "" = none has.
  std::string streams = {};                   // "PUT /blobs/"
  std::uint64_t streamed_bytes = 1ULL << 40;  // who takes them has a bound of its own
};

// What the client is told instead of an answer; the connection ends with it.
struct Fault {
  int status = 0;  // 0 = none
  std::string text;
};

class HeadCheck {
 public:
  explicit HeadCheck(const ParserBounds& bounds) : bounds_(bounds) {}

  // False when the byte cannot be part of an acceptable head: fault() says why. Not to be called again then, nor once complete.
  bool take(char c);
  [[nodiscard]] bool begun() const { return bytes_ > 0; }
  [[nodiscard]] bool complete() const { return state_ == State::complete; }
  // The last byte belonged to an empty line before the request (RFC 9112 section 2.2 has us ignore one).
  [[nodiscard]] bool in_empty_line() const { return state_ == State::empty_line || state_ == State::after_empty_line; }
  [[nodiscard]] const Fault& fault() const { return fault_; }

 private:
  enum class State : std::uint8_t {
    start,
    empty_line,
    after_empty_line,
    method,
    target,
    version,
    line_end,
    line_start,
    name,
    value,
    last_line_end,
    complete
  };
  bool fail(int status, std::string text);
  bool of_target(char c);
  bool end_of_target();
  bool end_of_version();
  bool first_of_line(char c);

  ParserBounds bounds_;
  State state_ = State::start;
  std::size_t bytes_ = 0;
  std::size_t length_ = 0;  // of the method or target
  std::size_t fields_ = 0;
  std::string absolute_;  // a target in absolute form
  std::string version_;
  Fault fault_;
};

}  // namespace plumbline::server::transport::http
