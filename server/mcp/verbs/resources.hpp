// What `plumbline serve` offers to read: the ceilings in force, the schemas, and the registry's entries and bundles (uri.hpp
// names them). The list is ordered by time and reads the names of everything but the documents of its own page only; a cursor
// is the place it stands for, so that what is recorded meanwhile moves nothing. Reads give a part of at most a megabyte, cut
// between characters, and for files of lines between lines; what is read was checked first (publications.hpp).
#pragma once

#include <string_view>

#include "core/error.hpp"
#include "server/jsonrpc/message.hpp"
#include "server/mcp/catalogue.hpp"
#include "server/server.hpp"

namespace plumbline::server::mcp {

// The templates as resources/templates/list shows them: what a completion refers to.
inline constexpr std::string_view kEntryTemplate = "plumbline://baselines/{family}/{measurement}/{slug}{?offset,length}";
inline constexpr std::string_view kBundleTemplate = "plumbline://diffs/{family}/{measurement}/{slug}/{file}{?offset,length}";
inline constexpr std::string_view kSchemaTemplate = "plumbline://schemas/{name}{?offset,length}";

void offer_resources(Catalogue& catalogue, const ServeOptions& options);

// The ceilings that the verbs use at this root ("" = none): the repository's file, else the embedded one.
[[nodiscard]] core::Expected<std::string> ceilings_text(const std::string& root);

// "text/markdown" of "diff.md"; "" when the name does not say.
[[nodiscard]] std::string_view mime_type_of(std::string_view name);

// The part of `bytes` that a read gives. Text is cut between characters; with `lines` after a line break where there is one.
struct Part {
  std::string_view bytes;
  std::uint64_t offset = 0;  // where it begins: past the rest of a character that `offset` fell into
  bool text = false;         // valid UTF-8
};
[[nodiscard]] Part part_of(std::string_view bytes, std::uint64_t offset, std::uint64_t length, bool text, bool lines);

}  // namespace plumbline::server::mcp
