// --schema: the source held against a user's JSON Schema (draft-07, by valijson). Remote $ref is refused, never fetched;
// keywords of later drafts, and those that ask for a regular expression, are not checked and reported as warnings. The work that
// a schema asks for is bounded before the validator sees it: schemas come from agents, and run inside the server.
#pragma once

#include <string>
#include <vector>

#include "core/measurement.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

// Error "--source fails JSON Schema at a.b.0: …". Gives the warnings (schema_keyword_ignored).
[[nodiscard]] Expected<std::vector<core::Warning>> check_schema(const std::string& schema_path, const intake::Opened& source,
                                                                const Context& context);
// The same over texts, for tests and for our own files.
[[nodiscard]] Expected<std::vector<core::Warning>> validate_json(std::string_view document, std::string_view schema,
                                                                 const std::string& schema_name);

}  // namespace plumbline::verbs
