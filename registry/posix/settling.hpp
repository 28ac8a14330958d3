// What is left to do once publications are visible: INDEX.md of entries, the index of the line, and what crashed writers left
// in its folder. Internal to the registry room. Without an index, or where somebody else was at work, it costs listings of the
// folder; with one it costs the same whatever the folder holds.
#pragma once

#include "registry/cache/index.hpp"
#include "registry/posix/staging.hpp"
#include "registry/posix/store.hpp"

namespace plumbline::registry {

inline constexpr std::size_t kIndexRows = 200;  // of INDEX.md, the newest (CONTRACT section 4)

// `published` in order. An error means that INDEX.md is not up to date.
[[nodiscard]] core::Status settle(PosixStaging& staging, cache::Index& index, const cache::SlugList& published);

// INDEX.md of an open folder that holds so many entries, of which `newest` are the newest. False when it said so already.
[[nodiscard]] core::Expected<bool> write_index(int folder, const std::string& path, std::size_t entries,
                                               const cache::SlugList& newest, cache::Watch& watch);
// The same until it lists exactly what is there, by listing the folder; gives what was there last to `listing`.
[[nodiscard]] core::Status derive_index(int folder, const std::string& path, cache::Watch& watch, cache::Listing& listing);

}  // namespace plumbline::registry
