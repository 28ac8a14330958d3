#include "registry/files.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>

#include "core/text.hpp"
#include "registry/io.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

namespace {

// Up to here a file is read into memory, where nobody can change it; beyond it is mapped.
constexpr std::uint64_t kReadUpTo = 256ULL << 20;

}  // namespace

Bytes::Bytes(Bytes&& other) noexcept
    : view_(std::exchange(other.view_, {})),
      owned_(std::exchange(other.owned_, nullptr)),
      owned_size_(std::exchange(other.owned_size_, 0)),
      mapped_(std::exchange(other.mapped_, false)) {}

Bytes& Bytes::operator=(Bytes&& other) noexcept {
  std::swap(view_, other.view_);
  std::swap(owned_, other.owned_);
  std::swap(owned_size_, other.owned_size_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

Bytes::~Bytes() {
  if (mapped_) {
    ::munmap(owned_, owned_size_);
  } else {
    std::free(owned_);
  }
}

core::Expected<Bytes> read_file(const std::string& path, const PathLimits& limits) {
  auto file = io::open_file(path, limits);
  if (!file) return fail(file.error());
  const auto size = static_cast<std::uint64_t>(file->info.st_size);
  Bytes bytes;
  if (size > kReadUpTo) {
    void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file->fd.get(), 0);
    if (mapped == MAP_FAILED) return fail(io::read_error(path, errno));
    ::madvise(mapped, size, MADV_SEQUENTIAL);
    bytes.owned_ = mapped;
    bytes.owned_size_ = size;
    bytes.mapped_ = true;
    bytes.view_ = {static_cast<const char*>(mapped), size};
    if (auto same = io::check_unchanged(*file, size); !same) return fail(same.error());
    return bytes;
  }
  std::size_t room = size + 1;  // one more, so that a growing file is noticed and an end of file seen in one read
  bytes.owned_ = std::malloc(room);
  if (bytes.owned_ == nullptr)
    return fail(ErrorCode::limit_exceeded, "no memory for the " + std::to_string(size) + " bytes of " + path);
  std::size_t read = 0;
  for (;;) {
    if (limits.stop && limits.stop()) return fail(ErrorCode::cancelled, "stopped while reading " + path, {}, path);
    if (read == room) {
      if (size != 0) break;  // more than fstat said: reported below
      if (room > std::min(limits.bytes, kReadUpTo)) {
        return fail(
            ErrorCode::limit_exceeded,
            path + " has more than the " + std::to_string(std::min(limits.bytes, kReadUpTo)) + " bytes that are read at most", {},
            path);
      }
      // A file without a size that has content nevertheless (/proc).
      room = std::max<std::size_t>(room * 2, 4096);
      void* const larger = std::realloc(bytes.owned_, room);
      if (larger == nullptr) return fail(ErrorCode::limit_exceeded, "no memory for " + path);
      bytes.owned_ = larger;
    }
    // In pieces, so that a cancelled call stops soon.
    const auto got =
        ::read(file->fd.get(), static_cast<char*>(bytes.owned_) + read, std::min<std::size_t>(room - read, 16U << 20));
    if (got < 0) {
      if (errno == EINTR) continue;
      return fail(io::read_error(path, errno));
    }
    if (got == 0) break;
    read += static_cast<std::size_t>(got);
  }
  bytes.owned_size_ = room;
  bytes.view_ = {static_cast<const char*>(bytes.owned_), read};
  if (auto same = io::check_unchanged(*file, read); !same) return fail(same.error());
  return bytes;
}

std::string absolute_path(const std::string& path, const std::string& cwd) {
  std::string absolute = path;
  if (path.empty() || path.front() != '/') {
    std::string base = cwd;
    if (base.empty()) {
      std::array<char, PATH_MAX> here{};
      base = ::getcwd(here.data(), here.size()) != nullptr ? here.data() : "/";
    }
    absolute = io::join(base, path);
  }
  // The longest part that exists, links resolved, then the rest as it is written.
  std::string head = absolute;
  std::vector<std::string> rest;
  std::array<char, PATH_MAX> real{};
  while (::realpath(head.c_str(), real.data()) == nullptr) {
    if (head == "/" || head.empty()) {
      real[0] = '/';
      real[1] = '\0';
      break;
    }
    rest.emplace_back(io::base_of(head));
    head = std::string(io::parent_of(head));
  }
  std::string out = real.data();
  for (auto part = rest.rbegin(); part != rest.rend(); ++part) {
    if (part->empty() || *part == ".") continue;
    if (*part == "..") {
      out = std::string(io::parent_of(out));
    } else {
      out = io::join(out, *part);
    }
  }
  return out;
}

bool path_within(const std::string& path, const std::string& root) {
  if (root == "/") return true;
  if (root.empty() || path.compare(0, root.size(), root) != 0) return false;
  return path.size() == root.size() || path[root.size()] == '/' || root.back() == '/';
}

core::Status check_allowed(const std::string& path, const PathLimits& limits) {
  if (limits.allowed_roots.empty()) return {};
  const std::string real = absolute_path(path, "");
  for (const auto& root : limits.allowed_roots) {
    if (path_within(real, root)) return {};
  }
  return fail(ErrorCode::path_not_allowed, path + " is outside the allowed roots",
              "allowed: " + core::listed(limits.allowed_roots) + "; --allow-root adds one", path);
}

}  // namespace plumbline::registry
