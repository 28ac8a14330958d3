// A publication's folder held against its SHA256SUMS. Internal to the registry room: Store::open turns problems into an
// error, verify() lists them. Works on open folders and follows no link, so a hostile tree gets problems, not reads elsewhere.
#pragma once

#include <string>
#include <vector>

#include "registry/io.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {

struct TreeCheck {
  bool has_manifest = false;
  bool has_attest = false;  // attest/ is there; what is in it is the attestation's to say
  std::string sha256;       // of SHA256SUMS
  std::vector<ManifestLine> lines;
  std::vector<std::string> names;             // at the top, sorted
  std::uint64_t files = 0;                    // regular files found, SHA256SUMS and attest/ not counted
  std::vector<core::VerifyProblem> problems;  // sorted by path, the first 1000
  std::uint64_t problems_omitted = 0;
  std::vector<std::string> unjoined;  // files that lie here in their parts, as they came from a store's objects
};
[[nodiscard]] core::Expected<TreeCheck> check_tree(int folder, const std::string& path, const PathLimits& limits);

// A snapshot of the reference tool, or of ours without a manifest: `prefix`* in the folder against a recorded digest.
struct SnapshotCheck {
  std::string name;  // "source-snapshot.json", "" when there is none
  bool verified = false;
  std::string unverified;  // why it could not be checked; "" when verified or wrong
  std::string mismatch;    // both digests, in words; "" when right
};
[[nodiscard]] core::Expected<SnapshotCheck> check_snapshot(int folder, const std::string& path,
                                                           const std::vector<std::string>& names, std::string_view prefix,
                                                           const std::string& recorded, const PathLimits& limits);

// Bytes of a baseline.json or diff.json that are read at most.
inline constexpr std::uint64_t kDocumentAtMost = 64ULL << 20;

}  // namespace plumbline::registry
