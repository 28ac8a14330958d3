// Files as the house sees them: opened without following surprises, read whole, walked with bounds, hashed in the pass
// that copies them, and published by one rename. Every other room gets bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace plumbline::registry {

// SHA-256, streaming (OpenSSL EVP). hex() finishes it.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void update(std::string_view bytes);
  [[nodiscard]] Sha256 copy() const;  // which goes on by itself
  [[nodiscard]] std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
[[nodiscard]] bool is_sha256_hex(std::string_view text);

struct PathLimits {
  std::uint64_t bytes = 8ULL << 30;  // of one file and of a folder's sum
  std::uint32_t files = 100'000;
  std::uint32_t depth = 64;  // of folders
  // Real paths, taken when they were allowed; empty = anywhere. Every path that is opened, listed or written with them is
  // confined: what leads out, by whatever link, is path_not_allowed, and so is what is exchanged during the call.
  std::vector<std::string> allowed_roots;
  std::function<bool()> stop;
};

// A file's bytes: read (or mapped read-only when large) exactly once, together with its digest, so that what is parsed,
// hashed and copied is the same content. FIFOs, devices, sockets are refused by name; a change while reading is an error.
class Bytes {
 public:
  [[nodiscard]] std::string_view view() const { return view_; }
  Bytes() = default;
  Bytes(Bytes&&) noexcept;
  Bytes& operator=(Bytes&&) noexcept;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes();

 private:
  friend core::Expected<Bytes> read_file(const std::string&, const PathLimits&);
  std::string_view view_;
  void* owned_ = nullptr;
  std::size_t owned_size_ = 0;
  bool mapped_ = false;
};
[[nodiscard]] core::Expected<Bytes> read_file(const std::string& path, const PathLimits& limits);

// A source as given: a file, or a folder walked once. Symbolic links to files are followed (their content is what counts);
// links to folders are not entered and are reported in `skipped`; loops therefore cannot happen. Entries are sorted in the
// reference tool's order (by path components).
struct SourceFile {
  std::string relative;  // with '/', for a file its base name
  std::string path;      // absolute
  std::uint64_t bytes = 0;
  std::uint32_t mode = 0;
  std::int64_t mtime_ns = 0;
};
struct Source {
  std::string path;  // absolute, links resolved
  std::string name;  // base name
  bool is_directory = false;
  std::uint64_t bytes = 0;
  std::vector<SourceFile> files;
  // What is not part of the digest, each with its reason: "logs (a link to a folder)", "pipe (a FIFO)", "x (an empty folder)".
  std::vector<std::string> skipped;
};
// Errors: not_found with the nearest name in the folder, invalid_input for a FIFO or device, limit_exceeded, path_not_allowed.
[[nodiscard]] core::Expected<Source> open_source(const std::string& path, const PathLimits& limits);

// The reference tool's digest: a file's SHA-256; for a folder one SHA-256 over relative path, NUL, content in its order.
// Vectors in tests/registry. `read_file` bytes can be handed in through the overload to avoid a second read.
[[nodiscard]] core::Expected<std::string> source_digest(const Source& source, const PathLimits& limits);
[[nodiscard]] core::Expected<std::string> source_digest(const Source& source, const PathLimits& limits, std::string_view bytes);

// Python's Path.suffix of a base name, what a snapshot's name ends in: "a.tar.gz" -> ".gz", "x.", ".hid", "x" -> "".
[[nodiscard]] std::string_view suffix_of(std::string_view name);

// A folder that holds the registry cannot be recorded into it. Error invalid_input "the registry lies inside the source".
[[nodiscard]] core::Status check_not_inside(const Source& source, const std::string& place);

// Absolute path with links resolved as far as it exists.
[[nodiscard]] std::string absolute_path(const std::string& path, const std::string& cwd);
// The same under allowed roots: a path that leads out of them stays as it is written, for whoever opens it to refuse.
[[nodiscard]] std::string absolute_path(const std::string& path, const std::string& cwd, const PathLimits& limits);
[[nodiscard]] bool path_within(const std::string& path, const std::string& root);
// Error path_not_allowed when limits.allowed_roots is not empty and the real path is in none of them, whether or not
// anything is there. An early answer: every function here that opens, lists or writes confines by itself.
[[nodiscard]] core::Status check_allowed(const std::string& path, const PathLimits& limits);

// What stands at a path, links followed; nullopt for nothing, and for everything outside the allowed roots.
enum class PathKind : std::uint8_t { file, folder, other };
[[nodiscard]] std::optional<PathKind> path_kind(const std::string& path, const PathLimits& limits);
// For readers that need an open file or folder: a descriptor for reading that the caller closes, or -1 with errno (EACCES
// outside the allowed roots).
[[nodiscard]] int open_descriptor(const std::string& path, const PathLimits& limits);

// A report where the caller asked for one: complete or not there, in the place of what stood there. With allowed roots it
// replaces nothing (already_exists) and goes neither into a registry's artifacts nor into a .git folder (path_not_allowed).
[[nodiscard]] core::Status write_report(const std::string& path, std::string_view text, const PathLimits& limits);
// A file that must not be there yet: it replaces nothing, and follows no link at its place.
[[nodiscard]] core::Status create_file(const std::string& path, std::string_view text, std::uint32_t mode,
                                       const PathLimits& limits);
// --out: the folder must be empty, or new in one that exists. already_exists, not_found.
[[nodiscard]] core::Status check_out_folder(const std::string& folder, const PathLimits& limits);
// Copies files of the folder `from` into it, by their names relative to that.
[[nodiscard]] core::Status copy_to_out_folder(const std::vector<std::string>& names, const std::string& from,
                                              const std::string& folder, const PathLimits& limits);

}  // namespace plumbline::registry
