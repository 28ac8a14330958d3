// What goes wrong, said once: every library of the house returns Expected<T>, and an Error carries what is wrong,
// what would be right (hint) and the place (where: file, line and column, or a key). Codes are a closed list; one
// table maps them to exit status (cli/exit_status) and one to MCP (server/mcp/errors). Texts are asserted verbatim in
// tests: write them as a colleague would, lower case, no trailing full stop in `message`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace plumbline::core {

enum class ErrorCode : std::uint8_t {
  usage,                 // the call's own words: unknown flag, missing parameter, bad value        exit 2
  invalid_input,         // a file's content is not acceptable                                       exit 2
  not_found,             // a path, reference or name that does not exist                            exit 2
  shape_mismatch,        // the two sides are of different shapes or formats                         exit 2
  no_matching_baseline,  // entries exist, none fits the context                                     exit 2
  path_not_allowed,      // outside the allowed roots                                                exit 2
  provenance_mismatch,   // what is stored is not what was published                                 exit 2
  already_exists,        // a published thing would be replaced                                      exit 2
  limit_exceeded,        // a named bound was exceeded                                               exit 2
  cancelled,             // the caller asked to stop                                                 exit 2
  not_confirmed,         // the caller was asked first and did not say yes, or cannot be asked       exit 2
  environment,           // disk full, permission, read-only tree, I/O error                         exit 3
  missing_helper,        // a helper program (nsys) is not there                                     exit 3
  internal               // a fault of ours                                                          exit 70
};

// "usage", "invalid_input", …: the name used in JSON (`code`).
[[nodiscard]] std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string hint;   // what to do about it; may be empty
  std::string where;  // "path:line:column", "path", a key or a parameter; may be empty
};

template <class T>
using Expected = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {},
                                                std::string where = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(hint), std::move(where)});
}
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace plumbline::core
