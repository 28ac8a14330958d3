// Who may only read, in words: what a refusal says of them, and what it would take.
#pragma once

#include <string>
#include <string_view>

#include "server/access/principal.hpp"

namespace plumbline::server::mcp {

// `the token "ci"`, `the certificate of "ci"`, "this client".
[[nodiscard]] std::string in_words(const access::Principal& who);
// What of the same kind may write: "a token with the permission write".
[[nodiscard]] std::string_view writer_like(const access::Principal& who);
// The refusal of a tool, a prompt, a resource.
[[nodiscard]] std::string not_permitted(const access::Principal& who, std::string_view name);

}  // namespace plumbline::server::mcp
