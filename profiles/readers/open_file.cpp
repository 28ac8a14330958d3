#include "profiles/readers/open_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace plumbline::profiles {

namespace {
bool write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto wrote = ::write(to, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}
}  // namespace

OpenFile::OpenFile(const std::string& path, const Opener& open)
    : fd_(open ? open(path) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  struct stat info {};
  if (fd_ < 0 || ::fstat(fd_, &info) != 0) {
    error_ = errno;
    return;
  }
  kind_ = S_ISREG(info.st_mode) ? Kind::file : S_ISDIR(info.st_mode) ? Kind::folder : Kind::other;
  size_ = is_file() ? static_cast<std::uint64_t>(info.st_size) : 0;
}

OpenFile::~OpenFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<std::string> OpenFile::head(std::size_t at_most) const {
  if (!is_file()) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(at_most, size_)), '\0');
  const auto read = read_at(0, bytes.data(), bytes.size());
  if (!read) return std::nullopt;
  bytes.resize(*read);
  return bytes;
}

std::optional<std::size_t> OpenFile::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  std::size_t read = 0;
  while (read < size) {
    const auto got = ::pread(fd_, to + read, size - read, static_cast<off_t>(offset + read));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    read += static_cast<std::size_t>(got);
  }
  return read;
}

std::optional<std::vector<std::string>> OpenFile::file_names() const {
  const int own = ::openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return std::nullopt;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(own), ::closedir);
  if (!folder) {
    ::close(own);
    return std::nullopt;
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_type == DT_REG || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) names.emplace_back(entry->d_name);
  }
  if (errno != 0) return std::nullopt;
  std::sort(names.begin(), names.end());
  return names;
}

bool OpenFile::copy_to(const std::string& path) const {
  const int to = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (to < 0) return false;
  constexpr std::size_t kBlock = 1U << 20;
  const auto block = std::make_unique_for_overwrite<char[]>(kBlock);
  bool good = true;
  for (off_t at = 0; good;) {
    const auto got = ::pread(fd_, block.get(), kBlock, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      good = got == 0;
      break;
    }
    good = write_all(to, {block.get(), static_cast<std::size_t>(got)});
    at += got;
  }
  return ::close(to) == 0 && good;
}

MemoryFile::MemoryFile(std::string_view bytes) : fd_(::memfd_create("packed", MFD_CLOEXEC)) {
  if (fd_ < 0 || write_all(fd_, bytes)) return;
  ::close(fd_);
  fd_ = -1;
}

MemoryFile::~MemoryFile() {
  if (fd_ >= 0) ::close(fd_);
}

int MemoryFile::open() const { return ::fcntl(fd_, F_DUPFD_CLOEXEC, 0); }

}  // namespace plumbline::profiles
