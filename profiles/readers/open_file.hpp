// A file or folder of a capture, opened through the caller's opener and looked at by its descriptor only: what was opened
// is what is read, whatever stands at the path meanwhile. Closed when this goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

class OpenFile {
 public:
  // An empty opener opens the path as it stands.
  OpenFile(const std::string& path, const Opener& open);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] int error() const { return error_; }  // errno; 0 when it is open
  [[nodiscard]] bool is_file() const { return kind_ == Kind::file; }
  [[nodiscard]] bool is_folder() const { return kind_ == Kind::folder; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // The first bytes of a file, at most `at_most`; nullopt when reading fails.
  [[nodiscard]] std::optional<std::string> head(std::size_t at_most) const;
  // Bytes from `offset` on into `to`: fewer than asked for at the end only; nullopt when reading fails.
  [[nodiscard]] std::optional<std::size_t> read_at(std::uint64_t offset, char* to, std::size_t size) const;
  // Names in a folder that are files or may turn out to be links to some, sorted.
  [[nodiscard]] std::optional<std::vector<std::string>> file_names() const;
  // The whole file into a new one at `path`.
  [[nodiscard]] bool copy_to(const std::string& path) const;

 private:
  enum class Kind : std::uint8_t { other, file, folder };
  int fd_ = -1;
  int error_ = 0;
  Kind kind_ = Kind::other;
  std::uint64_t size_ = 0;
};

// Bytes as a file that has no name: for what was packed and is told apart like a file. Not to be opened where there is no memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes);
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();
  [[nodiscard]] int open() const;  // a descriptor that is the caller's, or -1 with errno

 private:
  int fd_ = -1;
};

}  // namespace plumbline::profiles
