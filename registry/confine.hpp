// Where a path leads, and opening it so that it cannot lead anywhere else. Internal to the registry room.
// With allowed roots a path is opened in two steps. First it is resolved to a text without links: a link that leaves the
// roots ends the call there, whether or not anything stands behind it, so that an answer says nothing of what lies outside
// (a link outside that leads back in is followed: roots are often named through one). Then that text is opened below its
// root with no link followed at all, by the kernel (openat2, RESOLVE_BENEATH) or part by part. Whatever was exchanged
// between the steps is a link now and fails: the second step alone is what confines, the first only finds the way.
// Without allowed roots a path is opened as it stands.
#pragma once

#include <fcntl.h>

#include <optional>
#include <string>

#include "registry/handed/handed.hpp"
#include "registry/io.hpp"

namespace plumbline::registry::io {

// Opens `relative` (no "..", not absolute; "" or "." is the folder itself) below an open folder, following no link: a
// descriptor, or -1 with errno. ELOOP: a link stands there. EXDEV: it would lead out.
[[nodiscard]] int open_beneath(int folder, const std::string& relative, int flags, mode_t mode = 0);
// The two ways of doing so: ENOSYS from the first where the kernel (before 5.6) or its filter has no openat2.
[[nodiscard]] int open_by_openat2(int folder, const std::string& relative, int flags, mode_t mode);
[[nodiscard]] int open_by_parts(int folder, const std::string& relative, int flags, mode_t mode);

// A path that was looked up: inside `root` as `relative` when the call is confined.
struct Place {
  std::string path;  // as it was given
  std::string real;  // confined: absolute and without links
  Descriptor root;   // confined: the allowed root that holds it
  std::string relative;
  std::optional<HandedPlace> handed;  // instead of all that; its path is "" where nothing was handed over
  // A descriptor, or -1 with errno.
  [[nodiscard]] int open(int flags, mode_t mode = 0) const;
  // What open's errno means to the reader.
  [[nodiscard]] core::Error error(int code, const PathLimits& limits) const;
};
[[nodiscard]] core::Expected<Place> find_place(const std::string& path, const PathLimits& limits);

// The folder of a file that is to be written, and the file's name in it.
struct Target {
  Descriptor folder;
  std::string name;
};
[[nodiscard]] core::Expected<Target> find_target(const std::string& path, const PathLimits& limits);

// `path` resolved, links followed as far as it exists; path_not_allowed outside. Only for calls with allowed roots.
[[nodiscard]] core::Expected<std::string> resolve_confined(const std::string& path, const PathLimits& limits);

}  // namespace plumbline::registry::io
