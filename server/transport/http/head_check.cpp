#include "server/transport/http/head_check.hpp"

#include <fmt/core.h>

#include <string_view>

#include "base/characters.hpp"
#include "server/transport/http/request_target.hpp"

namespace plumbline::server::transport::http {
namespace {

constexpr std::size_t kMethodBytes = 32;

using base::is_digit;
bool is_token(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || kMarks.find(c) != std::string_view::npos;
}
bool is_visible(char c) { return c > ' ' && c < 0x7F; }
// Bytes beyond ASCII are opaque data in a value (RFC 9110 section 5.5).
bool is_value(char c) { return c == '\t' || c == ' ' || is_visible(c) || static_cast<unsigned char>(c) >= 0x80; }

}  // namespace

bool HeadCheck::fail(int status, std::string text) {
  fault_ = {status, std::move(text)};
  return false;
}

bool HeadCheck::take(char c) {
  if (++bytes_ > bounds_.head_bytes)
    return fail(431, fmt::format("the request's head has more than {} bytes", bounds_.head_bytes));
  switch (state_) {
    case State::start:
      if (c == '\r') {
        state_ = State::empty_line;
        return true;
      }
      [[fallthrough]];
    case State::after_empty_line:
      if (!is_token(c)) return fail(400, "the request does not begin with a method");
      state_ = State::method;
      length_ = 1;
      return true;
    case State::empty_line:
      state_ = State::after_empty_line;
      return c == '\n' || fail(400, "a carriage return is alone");
    case State::method:
      if (c == ' ') {
        state_ = State::target;
        length_ = 0;
        return true;
      }
      if (!is_token(c)) return fail(400, "the method holds a character that none may have");
      return ++length_ <= kMethodBytes || fail(400, fmt::format("the method has more than {} bytes", kMethodBytes));
    case State::target:
      return c == ' ' && length_ > 0 ? end_of_target() : of_target(c);
    case State::version:
      if (c == '\r') return end_of_version();
      version_ += c;
      return (is_visible(c) && version_.size() <= 8) || fail(400, "the request line does not end with a version of HTTP");
    case State::line_end:
      state_ = State::line_start;
      return c == '\n' || fail(400, "a carriage return is alone");
    case State::line_start:
      return first_of_line(c);
    case State::name:
      if (c == ':') {
        state_ = State::value;
        return true;
      }
      return is_token(c) || fail(400, "a header's name holds a character that none may have, or has no colon");
    case State::value:
      if (c == '\r') {
        state_ = State::line_end;
        return true;
      }
      if (c == '\n') return fail(400, "a line ends without a carriage return");
      return is_value(c) || fail(400, "a header's value holds a control character");
    case State::last_line_end:
      state_ = State::complete;
      return c == '\n' || fail(400, "a carriage return is alone");
    case State::complete:
      break;
  }
  return false;
}

bool HeadCheck::of_target(char c) {
  if (length_ == 0 ? c != '/' : !absolute_.empty()) {
    absolute_ += c;
    if (!may_begin_absolute(absolute_)) {
      return fail(400, "the request's target must be a path that begins with /, or begin with http:// or https://");
    }
  }
  if (!is_visible(c) || c == '#') return fail(400, "the request's target holds a character that must be percent-encoded");
  return ++length_ <= bounds_.target_bytes ||
         fail(414, fmt::format("the request's target has more than {} bytes", bounds_.target_bytes));
}

bool HeadCheck::end_of_target() {
  state_ = State::version;
  return absolute_.empty() || absolute_target(absolute_) ||
         fail(400, "the request's target has no host after http://, or a user's name before it");
}

bool HeadCheck::end_of_version() {
  state_ = State::line_end;
  if (version_ == "HTTP/1.1") return true;
  const bool other = version_.size() == 8 && version_.compare(0, 5, "HTTP/") == 0 && is_digit(version_[5]) &&
                     version_[6] == '.' && is_digit(version_[7]);
  return other ? fail(505, "this server speaks HTTP/1.1 only")
               : fail(400, "the request line does not end with a version of HTTP");
}

bool HeadCheck::first_of_line(char c) {
  if (c == '\r') {
    state_ = State::last_line_end;
    return true;
  }
  if (c == ' ' || c == '\t') return fail(400, "a header is folded over two lines");
  if (c == '\n') return fail(400, "a line ends without a carriage return");
  if (!is_token(c)) return fail(400, "a header's name holds a character that none may have, or has no colon");
  if (++fields_ > bounds_.fields) return fail(431, fmt::format("the request has more than {} headers", bounds_.fields));
  state_ = State::name;
  return true;
}

}  // namespace plumbline::server::transport::http
