// What the headers of a request say about media types (RFC 9110 sections 8.3 and 12.5.1). Pure.
#pragma once

#include <string_view>

#include "server/transport/http/exchange.hpp"

namespace plumbline::server::transport::http {

struct Accepted {
  bool json = false, events = false;
};

// Without an Accept header everything is accepted. The most specific range decides; q=0 refuses.
[[nodiscard]] Accepted accepted(const Request& request);

// OpenMetrics 1.0 is wanted at least as much as plain text, which is what whoever says nothing gets.
[[nodiscard]] bool wants_openmetrics(const Request& request);

// The body is plain UTF-8 JSON: application/json, whatever its case, with no charset but utf-8 and no content coding.
[[nodiscard]] bool is_json(const Request& request);

}  // namespace plumbline::server::transport::http
