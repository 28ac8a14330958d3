// The head of an HTTP/1.1 response. Pure but for the date.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/transport/http/exchange.hpp"

namespace plumbline::server::transport::http {

struct Framing {
  std::optional<std::size_t> length;  // nothing: chunked
  bool keep_alive = true;
};

// With the empty line. Adds Date, Connection where it is to be closed, and Content-Length or Transfer-Encoding where the
// status has a body. A header that would not stay one line is left out.
[[nodiscard]] std::string response_head(int status, const Headers& headers, const Framing& framing);
// "Not Found"; "" for one we do not know.
[[nodiscard]] std::string_view reason_phrase(int status);
// 1xx, 204, 304: whatever is given as body is not sent.
[[nodiscard]] bool has_body(int status);
// A whole response that ends the connection: `text` for people.
[[nodiscard]] std::string closing_response(int status, std::string_view text, Headers headers = {});

}  // namespace plumbline::server::transport::http
