// --redact: a source without the environments and secrets it carries, before it is hashed. JSON documents, traces among them
// (objects named env, environment, environ, texts under names that sound like secrets, and secrets inside texts:
// core/privacy.hpp) and captures in SQLite (their environment tables) can be redacted; other kinds are refused rather than
// passed on as they are.
#pragma once

#include <string>

#include "verbs/session.hpp"

namespace plumbline::verbs {

[[nodiscard]] Expected<std::string> redacted(const LoadedSource& source, const Context& context);

// The source as its redacted copy is to be named: a packed trace comes out unpacked.
[[nodiscard]] registry::Source redacted_name(const LoadedSource& source);

// Absolute path of nsys: PLUMBLINE_NSYS, else on PATH; "" when there is none.
[[nodiscard]] std::string nsys_path(const Context& context);

}  // namespace plumbline::verbs
