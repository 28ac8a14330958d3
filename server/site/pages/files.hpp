// The files of a publication and whether they are what was published, as a section of its page.
#pragma once

#include <string>

#include "server/site/page.hpp"

namespace plumbline::server::site {

// "entries" or "diffs": the first part of a publication's address.
[[nodiscard]] std::string_view page_of(registry::Kind kind);

[[nodiscard]] std::string files_section(const Visit& visit, const mcp::Place& place);

// {{state}}, {{tone}} and {{explained}} of a verification.
void set_verification(Data& data, const Verified& verified);

}  // namespace plumbline::server::site
