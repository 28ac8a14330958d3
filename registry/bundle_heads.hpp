// What the diffs of one measurement concluded, in order, and which of them a later diff overturned. Derived from the bundles'
// diff.json each time it is asked: nothing published is changed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/store.hpp"

namespace plumbline::registry {

// The document that a bundle is known by: of a diff, of two captures, of siblings.
inline constexpr std::array<std::string_view, 3> kBundleDocuments = {"diff.json", "profile-diff.json", "outliers.json"};

struct BundleHead {
  std::string slug, path, verdict, tier, baseline_slug;
  std::vector<std::string> baseline_ids;  // digests of the reference: of its source, and of the entry
  std::vector<std::string> current_ids;   // digests of what was compared with it, all trials where the bundle holds them
  std::string superseded_by;              // slug of the VERDICT that overturned this DRAFT
  std::optional<core::RedStreak> red;     // what a RED one says of those before it
};

// What the bundle in a folder concluded; nullopt where that cannot be read.
[[nodiscard]] std::optional<BundleHead> bundle_head(const std::string& path, const std::string& slug, const PathLimits& limits);

// Bundles whose slug is `since` or later, oldest first; at most the newest 10,000. Those that cannot be read, and those that are
// older than that, are left out and counted.
struct BundleHeads {
  std::vector<BundleHead> heads;
  std::uint64_t unreadable = 0;
  std::uint64_t older = 0;
};
[[nodiscard]] core::Expected<BundleHeads> bundle_heads(const Store& store, std::string_view family, std::string_view measurement,
                                                       std::string_view since, const PathLimits& limits);

// Marks DRAFTs that a later VERDICT with another verdict overturned, on the same pair: a reference with the same digest, and
// at least one file in common on the current side (the DRAFT's one run is among the VERDICT's trials). Of several such
// VERDICTs the newest is named, unless it agrees with the DRAFT again.
void mark_superseded(std::vector<BundleHead>& oldest_first);

}  // namespace plumbline::registry
