// What a call hands over instead of naming a file of this machine, and what goes back to a client on another one: read out of
// the call, and put into its answer. The files themselves are verbs/calling/handed.hpp's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/mcp/reference_form.hpp"
#include "server/server.hpp"
#include "verbs/calling/handed.hpp"
#include "verbs/verb.hpp"

namespace plumbline::server::blobs {
class Store;
}

namespace plumbline::server::mcp {

// What the tools of a server have for it.
struct Handing {
  blobs::Store* blobs = nullptr;                 // null: nothing can be uploaded; outlives the server
  std::shared_ptr<const std::string> site_base;  // null or "": there are no pages; set before the first call
};

// Of one call; `context` outlives it.
[[nodiscard]] std::unique_ptr<verbs::Handed> hand_over(const verbs::Context& context, const Handing& handing);

// {"client:/home/me/x.json": {"content": "…"} | {"blob": HEX} | {"folder": true} | {"write": true}, …}
[[nodiscard]] verbs::Status take_files(verbs::Handed& handed, std::string_view files);

// The arguments as they may be kept for provenance: contents are named by their size.
[[nodiscard]] std::string without_contents(std::string_view arguments);

// Where the review site shows what a call has published, by its result; "" where there is nothing, or no site.
[[nodiscard]] std::string page_of(std::string_view result, const ServeOptions& options, const Handing& handing);

// Further members of the envelope: the page, and the reports that the caller asked for.
[[nodiscard]] std::string envelope_members(const verbs::Handed& handed, const std::string& page);

}  // namespace plumbline::server::mcp
