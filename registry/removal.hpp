// Publications that gc took away, and what is left of each: a tombstone, removed/<slug>.json in the folder of its line. It has
// the publication's digest and, where that was signed, its envelope word for word, so that the chain of the line still holds and
// the signature can still be checked. Written before anything is removed: wherever a removal is cut off, the publication is
// complete, or gone with its tombstone there (docs/gc.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "registry/attest/chain.hpp"
#include "registry/verification.hpp"

namespace plumbline::registry {

struct Tombstone {
  Kind kind = Kind::entry;
  std::string family, measurement, slug;
  std::string sha256;    // bundle id; "" for entries of the reference tool, which have none
  std::string envelope;  // attest/statement.dsse.json; "" where nothing was signed
  std::uint64_t bytes = 0;
  std::string removed_at_utc, removed_by, rule;
};
// "removed by gc on 2026-11-23 by keep-last 10"
[[nodiscard]] std::string removal_text(const Tombstone& tombstone);

// nullopt where there is none. Errors (provenance_mismatch) say what is wrong with the one that is there.
[[nodiscard]] core::Expected<std::optional<Tombstone>> tombstone_of(const std::string& line, std::string_view slug,
                                                                    const PathLimits& limits);
// Slugs that have one in an open folder of a line, sorted; empty where there is no removed/.
[[nodiscard]] core::Expected<std::set<std::string>> removed_slugs(int line, const std::string& path);
// What the envelope in it says; nullopt without one.
[[nodiscard]] core::Expected<std::optional<attest::Attestation>> attestation_of(const Tombstone& tombstone);

// The parts of a line that gc keeps whatever the rule: every slug that was ever accepted, and the newest signed publication,
// which the next one continues.
[[nodiscard]] core::Expected<std::set<std::string>> never_removed(const std::string& line, const PathLimits& limits);

// Removes one publication of a line, for good. Removing what is gone already finishes what a killed gc left.
[[nodiscard]] core::Status remove_publication(const std::string& line, Tombstone tombstone, const PathLimits& limits);
// What killed removals left in the line's folder, and INDEX.md of entries anew.
[[nodiscard]] core::Status finish_removals(Kind kind, const std::string& line, const PathLimits& limits);

// Bytes of a publication's files.
[[nodiscard]] std::uint64_t bytes_of(const std::string& line, std::string_view slug, const PathLimits& limits);

}  // namespace plumbline::registry
