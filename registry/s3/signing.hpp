// Signature version 4, and Google's variant of it. Internal to this room.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/s3/settings.hpp"

namespace plumbline::registry::s3 {

struct Signed {
  std::string_view method, host, path;                       // the path as it is sent
  std::vector<std::pair<std::string, std::string>> query;    // not encoded
  std::vector<std::pair<std::string, std::string>> headers;  // of ours, names in lower case: signed with the rest
  std::string_view payload_sha256;                           // hexadecimal
  std::chrono::system_clock::time_point time;
};

// All headers of the request: those given, those that signing needs, and Authorization.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> signed_headers(const Signed& request, const Settings& settings,
                                                                              const Credentials& credentials);
// The same in the address, for whoever has no credentials: a query. Whoever sends the request within `valid` sends the headers of
// `request` with it as they are here; without a payload's digest any payload will do.
// Source: "Authenticating Requests: Using Query Parameters" of AWS's API reference; "Signed URLs" of Google's.
[[nodiscard]] std::string presigned_query(const Signed& request, std::chrono::seconds valid, const Settings& settings,
                                          const Credentials& credentials);
// As the wire and the signature have it: sorted, both sides encoded.
[[nodiscard]] std::string query_text(std::vector<std::pair<std::string, std::string>> query);
// Everything but letters, digits and "-._~" by percent; '/' where it parts a key.
[[nodiscard]] std::string encoded(std::string_view text, bool keep_slashes);

}  // namespace plumbline::registry::s3
