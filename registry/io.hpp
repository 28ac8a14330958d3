// System calls of the registry room, with errors that say what was being done to which file. Internal: other rooms use
// files.hpp and store.hpp. Everything works on descriptors where a name could be exchanged between two calls; EINTR and
// short transfers are handled here and nowhere else.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "core/error.hpp"
#include "registry/files.hpp"

namespace plumbline::registry::io {

inline constexpr std::size_t kBlock = 1U << 20;

using base::Descriptor;

[[nodiscard]] std::string errno_text(int error);
// What failed for want of descriptors or memory says nothing of the path that was asked for.
[[nodiscard]] bool is_shortage(int error);
[[nodiscard]] std::string join(std::string_view folder, std::string_view name);
[[nodiscard]] std::string_view parent_of(std::string_view path);
[[nodiscard]] std::string_view base_of(std::string_view path);
[[nodiscard]] std::string hex_random(std::size_t bytes);
// "a FIFO", "a folder", "a character device", …
[[nodiscard]] std::string_view kind_name(mode_t mode);
[[nodiscard]] std::int64_t mtime_ns(const struct stat& info);

// Absolute, from `cwd` ("": the process's), and otherwise as it is written.
[[nodiscard]] std::string absolute_text(const std::string& path, const std::string& cwd);

// Errors of looking at `path`; asks nothing of the file system.
[[nodiscard]] core::Error read_error(const std::string& path, int error);
// The same for a path that is not confined: a link that leads nowhere is named, and for what is not there the nearest name.
[[nodiscard]] core::Error explained_read_error(const std::string& path, int error);
// "did you mean PATH?", with the nearest name in the folder of a path that does not exist; "" when none is near.
[[nodiscard]] std::string nearest_name_hint(const std::string& path, const PathLimits& limits);
// Errors of writing `file` (as the reader knows it) in the folder `place`.
[[nodiscard]] core::Error write_error(const std::string& file, const std::string& place, int error);

// A regular file, opened for reading, with what fstat said of it.
struct OpenedFile {
  Descriptor fd;
  std::string path;
  struct stat info {};
};
// Follows links, inside the allowed roots only (confine.hpp); refuses everything but regular files, by name, without
// blocking; checks the size bound.
[[nodiscard]] core::Expected<OpenedFile> open_file(const std::string& path, const PathLimits& limits);
// The same for a name in an open folder, links not followed.
[[nodiscard]] core::Expected<OpenedFile> open_file_at(int folder, const std::string& name, const std::string& path,
                                                      const PathLimits& limits);
// The whole content in pieces; an error when the file is not the same before and after.
[[nodiscard]] core::Status read_blocks(const OpenedFile& file, const PathLimits& limits,
                                       const std::function<core::Status(std::string_view)>& block);
[[nodiscard]] core::Status check_unchanged(const OpenedFile& file, std::uint64_t read);
[[nodiscard]] core::Expected<std::string> hash_file(const OpenedFile& file, const PathLimits& limits);
// A small text file in an open folder, links not followed.
[[nodiscard]] core::Expected<std::string> read_text_at(int folder, const std::string& name, const std::string& path,
                                                       std::uint64_t at_most);

[[nodiscard]] core::Expected<Descriptor> open_folder(const std::string& path, const PathLimits& limits);
// What stands at `path`, links followed; nothing is opened for reading.
[[nodiscard]] core::Expected<struct stat> look_at(const std::string& path, const PathLimits& limits);
struct Name {
  std::string name;
  mode_t type = 0;  // S_IFMT part, links not followed; 0 when it vanished meanwhile
};
// Everything but "." and "..", sorted by bytes; at most `at_most` names, else limit_exceeded.
[[nodiscard]] core::Expected<std::vector<Name>> list_folder(int folder, const std::string& path, std::size_t at_most);

// 0 or an errno.
[[nodiscard]] int write_all(int fd, std::string_view bytes);
// fsync; EINVAL, ENOTSUP and ENOSYS mean that this file system cannot say: *confirmed becomes false.
[[nodiscard]] int sync(int fd, bool* confirmed);
// rename that replaces nothing. File systems without RENAME_NOREPLACE: for a folder a plain rename is the same, as a
// published folder is never empty; for a file `to` must be known to be free (a claim is held).
[[nodiscard]] int rename_no_replace(int folder, const char* from, const char* to);
// Removes a tree without following links; errors are ignored, the rest is left for a later sweep.
void remove_tree(int folder, const char* name);

}  // namespace plumbline::registry::io
