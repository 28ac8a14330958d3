// What may stand for a template's variable or a prompt's argument, from the registry's names, the ceilings and the schemas.
// Names that begin with what was typed come first, then those that hold it; slugs newest first. Paths are never completed:
// what lies on this machine is not the client's to look through.
#pragma once

#include "server/mcp/catalogue.hpp"
#include "server/server.hpp"

namespace plumbline::server::mcp {

void offer_completion(Catalogue& catalogue, const ServeOptions& options);

}  // namespace plumbline::server::mcp
