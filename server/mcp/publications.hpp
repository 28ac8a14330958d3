// Entries and bundles as resources show them: which there are, newest first, and their files, one at a time. A file is believed
// when it lies in the publication's own folder without a link on the way and its digest is the one that SHA256SUMS gives; so
// one report can be read without hashing the snapshot beside it. Publications of the older tool have no SHA256SUMS: there the
// registry's own rule speaks (verify()), and what it could not check comes along as a warning.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/measurement.hpp"
#include "registry/handed/shared_files.hpp"
#include "registry/store.hpp"
#include "server/mcp/uri.hpp"
#include "server/server.hpp"

namespace plumbline::server::mcp {

// The root that the server's tools write to: named by the options or the environment, inside the allowed roots.
[[nodiscard]] core::Expected<std::string> served_root(const ServeOptions& options);
// Limits that confine to the options' roots.
[[nodiscard]] registry::PathLimits roots_of(const ServeOptions& options);
// The store of that root. What it waits for ends soon after `stop` says so, which any thread may ask while the store lives.
[[nodiscard]] std::unique_ptr<registry::Store> served_store(const ServeOptions& options, const std::string& root,
                                                            std::function<bool()> stop = {});
// Where clients put large files beside that store; null where it is on this machine.
[[nodiscard]] core::Expected<std::unique_ptr<registry::SharedFiles>> served_files(const ServeOptions& options,
                                                                                  const std::string& root,
                                                                                  std::function<bool()> stop);

// What other machines do shows in no folder of this one's copy of a shared store: what was read of a folder there holds at most
// until this text is another, ten seconds later. "" in a store on a file system, where the folder itself says it.
[[nodiscard]] std::string tick_of(const registry::Store& store, const std::string& folder);

struct Place {
  registry::Kind kind = registry::Kind::entry;
  std::string family, measurement, slug;
  // Newest first; of one moment entries before bundles, then by name. A total order, so that a page can begin after any place,
  // whether it still exists or not.
  friend bool operator<(const Place& a, const Place& b);
};
// Those after `after` in that order, at most `at_most`. Reads names only.
[[nodiscard]] core::Expected<std::vector<Place>> newest_first(const registry::Store& store, const std::optional<Place>& after,
                                                              std::size_t at_most);
// The place that a URI names, `newest` and `accepted` looked up. not_found says what there is instead. Of a shared store its
// files need not be here: who reads them brings them first.
[[nodiscard]] core::Expected<Place> find_place(const registry::Store& store, const ResourceUri& uri);
[[nodiscard]] ResourceUri uri_of(const Place& place);

// Digests of large files that were hashed before, by what the file system says of the file: reading one in pieces hashes it
// once. Bounded; thread-safe.
class KnownDigests {
 public:
  struct Identity {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t modified_ns = 0, changed_ns = 0;
    bool operator==(const Identity&) const = default;
  };
  [[nodiscard]] std::optional<std::string> find(const Identity& identity);
  void remember(const Identity& identity, std::string sha256);

 private:
  std::mutex mutex_;
  std::list<std::pair<Identity, std::string>> known_;  // the last used first
};

// A file that is what was published, but for what the warnings say.
struct Member {
  registry::Bytes bytes;
  std::string sha256;         // "" where no digest is kept for it
  std::string bundle_sha256;  // "" without SHA256SUMS
  std::vector<core::Warning> warnings;
};
// `with_bare`: a publication without SHA256SUMS is verified as a whole; else it is read with a warning.
[[nodiscard]] core::Expected<Member> read_member(const registry::Store& store, const Place& place, const std::string& file,
                                                 KnownDigests& known, registry::PathLimits limits, bool verify_bare = true);

struct MemberName {
  std::string name, sha256;
  std::uint64_t bytes = 0;
};
struct Contents {
  std::vector<MemberName> files;  // the first of them
  std::uint64_t count = 0;
  std::string bundle_sha256;
  std::vector<core::Warning> warnings;
};
// What SHA256SUMS lists, with itself and the signatures; without one, what lies in the folder.
[[nodiscard]] core::Expected<Contents> contents_of(const registry::Store& store, const Place& place, std::size_t at_most,
                                                   registry::PathLimits limits);

}  // namespace plumbline::server::mcp
