// --redact: a source without the environments and secrets it carries, before it is hashed. JSON documents (objects named env,
// environment, environ, texts under names that sound like secrets, and secrets inside texts: core/privacy.hpp) and Nsight
// Systems SQLite exports (their environment tables) can be redacted; other kinds are refused rather than passed on as they are.
#pragma once

#include <string>

#include "verbs/session.hpp"

namespace plumbline::verbs {

[[nodiscard]] Expected<std::string> redacted(const LoadedSource& source, const Context& context);

// Absolute path of nsys: PLUMBLINE_NSYS, else on PATH; "" when there is none.
[[nodiscard]] std::string nsys_path(const Context& context);

}  // namespace plumbline::verbs
