// Where an index may be kept.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline::registry::cache {

// PLUMBLINE_CACHE_DIR, else $XDG_CACHE_HOME/plumbline, else ~/.cache/plumbline. "" for `PLUMBLINE_CACHE_DIR=off`, where none of
// them is an absolute path, and where the folder is on a network file system, whose locks SQLite cannot rely on: there only
// PLUMBLINE_CACHE_DIR, which somebody chose, is taken. Nothing is made.
[[nodiscard]] std::string folder(const std::function<std::optional<std::string>(std::string_view)>& environment);

// Of the nearest folder that exists: NFS, SMB, Lustre, GPFS, Ceph, FUSE and the like.
[[nodiscard]] bool on_network(const std::string& path);

// The file of one registry, by its root's real path.
[[nodiscard]] std::string file(const std::string& folder, const std::string& root);

}  // namespace plumbline::registry::cache
