// The reference tool's way to call: {"params": {"args": […], "allow_nonzero": true}}, or `args` and `allow_nonzero` at the top,
// as its README shows. The answer is its envelope. Agents and scripts written for it match on these keys and texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/mcp/catalogue.hpp"

namespace plumbline::server::mcp {

struct ReferenceCall {
  std::vector<std::string> args;  // "--json" included
  bool allow_nonzero = false;     // only the literal true counts
  // `plumbline --server`: nothing is added to the words, texts are as wide as the caller's terminal, and what the words name on
  // the caller's machine comes with them (handing.hpp).
  std::optional<int> terminal;  // columns
  std::string files;            // JSON object text, "" = none
};

// What a call's arguments ask for. A ToolResult is the answer to a form that is neither.
struct TypedCall {};
using CallForm = std::variant<TypedCall, ReferenceCall, ToolResult>;
[[nodiscard]] CallForm form_of(std::string_view tool, std::string_view arguments_json);

struct Envelope {
  std::string_view tool, library, verb, safety;
  const std::vector<std::string>* args = nullptr;
  int returncode = 0;
  std::string_view out, err;
  std::string_view json;  // JSON text, "" = null
  std::string more = {};  // further members, as JSON text: "\"open\": …"; "" = none
};
// Keys in byte order, ", " and ": " between them, as that tool prints it.
[[nodiscard]] std::string envelope_text(const Envelope& envelope);
[[nodiscard]] ToolResult envelope_result(const Envelope& envelope, bool allow_nonzero);

}  // namespace plumbline::server::mcp
