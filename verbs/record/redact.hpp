// --redact: a source without the environments and secrets it carries, before it is hashed. JSON documents (objects named env,
// environment, environ, texts under names that sound like secrets, and secrets inside texts: core/privacy.hpp) and captures of
// forms that can be made anew from what is known to be harmless (profiles/redact.hpp); other kinds are refused rather than passed
// on as they are.
#pragma once

#include <string>

#include "profiles/redaction/redaction.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

[[nodiscard]] Expected<profiles::Redaction> redacted(const intake::Opened& source, const Context& context);
// What was left out, for the person who recorded: counts by place.
[[nodiscard]] core::Warning redacted_warning(const std::vector<profiles::TakenOut::Place>& places);

// The source as its redacted copy is to be named: a packed capture comes out unpacked.
[[nodiscard]] registry::Source redacted_name(const intake::Opened& source, std::string_view bytes);

// A file in a scratch folder of ours.
[[nodiscard]] Status write_scratch(const std::string& path, std::string_view bytes);

// Absolute path of nsys: PLUMBLINE_NSYS, else on PATH; "" when there is none.
[[nodiscard]] std::string nsys_path(const Context& context);

}  // namespace plumbline::verbs
