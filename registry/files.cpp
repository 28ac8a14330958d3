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

#include "core/large_block.hpp"
#include "core/text.hpp"
#include "registry/confine.hpp"
#include "registry/handed/handed.hpp"
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
  bytes.owned_ = core::large_block(room);
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
  std::string absolute = io::absolute_text(path, cwd);
  if (absolute.find('\0') != std::string::npos) return absolute;  // no path: for whoever opens it to say so
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

std::string absolute_path(const std::string& path, const std::string& cwd, const PathLimits& limits) {
  if (blob_name(path) || (HandedScope::current() != nullptr && names_handed(path))) return path;
  if (limits.allowed_roots.empty()) return absolute_path(path, cwd);
  std::string absolute = io::absolute_text(path, cwd);
  if (absolute.find('\0') != std::string::npos) return absolute;
  const auto real = io::resolve_confined(absolute, limits);
  return real ? *real : absolute;
}

core::Status check_allowed(const std::string& path, const PathLimits& limits) {
  if (limits.allowed_roots.empty()) return {};
  const auto place = io::find_place(path, limits);
  if (!place) return fail(place.error());
  return {};
}

std::optional<PathKind> path_kind(const std::string& path, const PathLimits& limits) {
  const auto info = io::look_at(path, limits);
  if (!info) return std::nullopt;
  return S_ISREG(info->st_mode) ? PathKind::file : S_ISDIR(info->st_mode) ? PathKind::folder : PathKind::other;
}

int open_descriptor(const std::string& path, const PathLimits& limits) {
  errno = 0;
  const auto place = io::find_place(path, limits);
  if (!place) {
    if (!io::is_shortage(errno)) errno = EACCES;
    return -1;
  }
  return place->open(O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

namespace {

// Where no confined caller names a file: among the registry's entries and bundles, whose content is vouched for, and in a
// repository of git, which runs what lies there.
core::Status check_report_place(const std::string& path, const PathLimits& limits) {
  const auto real = io::resolve_confined(path, limits);
  if (!real) return fail(real.error());
  const std::string framed = *real + "/";
  if (framed.find("/.git/") != std::string::npos)
    return fail(ErrorCode::path_not_allowed, path + " is in a .git folder", "name a file outside of it", path);
  if (framed.find("/experiments/artifacts/") != std::string::npos)
    return fail(ErrorCode::path_not_allowed, path + " is in the registry", "name a file outside experiments/artifacts", path);
  return {};
}

}  // namespace

core::Status write_report(const std::string& path, std::string_view text, const PathLimits& limits) {
  const bool confined = !limits.allowed_roots.empty() && !(HandedScope::current() != nullptr && names_handed(path));
  const auto target = io::find_target(path, limits);
  if (!target) return fail(target.error());
  if (confined) {
    if (auto ok = check_report_place(path, limits); !ok) return ok;
  }
  const int folder = target->folder.get();
  const std::string temporary = target->name + ".tmp-" + std::to_string(::getpid()) + "-" + io::hex_random(8);
  const auto failed = [&](int error) {
    if (confined && error == EEXIST)
      return fail(ErrorCode::already_exists, path + " already exists", "name a new file; nothing is ever replaced", path);
    return fail(ErrorCode::environment, "cannot write " + path + ": " + io::errno_text(error),
                "choose a folder that exists and is writable");
  };
  io::Descriptor fd(::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd.valid()) return failed(errno);
  bool confirmed = true;
  int error = io::write_all(fd.get(), text);
  if (error == 0) error = io::sync(fd.get(), &confirmed);
  if (error == 0) error = fd.close_checked();
  if (error == 0 && confined) {
    error = io::rename_no_replace(folder, temporary.c_str(), target->name.c_str());
  } else if (error == 0 && ::renameat(folder, temporary.c_str(), folder, target->name.c_str()) != 0) {
    error = errno;
  }
  if (error == 0) return {};
  ::unlinkat(folder, temporary.c_str(), 0);
  return failed(error);
}

core::Status create_file(const std::string& path, std::string_view text, std::uint32_t mode, const PathLimits& limits) {
  const auto target = io::find_target(path, limits);
  if (!target) return fail(target.error());
  if (!limits.allowed_roots.empty()) {
    if (auto ok = check_report_place(path, limits); !ok) return ok;
  }
  const int folder = target->folder.get();
  const auto failed = [&](int error) {
    if (error == EEXIST)
      return fail(ErrorCode::already_exists, path + " already exists", "name a new file; nothing is ever replaced", path);
    return fail(ErrorCode::environment, "cannot write " + path + ": " + io::errno_text(error),
                "choose a folder that exists and is writable");
  };
  io::Descriptor fd(::openat(folder, target->name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!fd.valid()) return failed(errno);
  bool confirmed = true;
  int error = ::fchmod(fd.get(), mode) == 0 ? 0 : errno;  // whatever the umask says
  if (error == 0) error = io::write_all(fd.get(), text);
  if (error == 0) error = io::sync(fd.get(), &confirmed);
  if (error == 0) error = fd.close_checked();
  if (error == 0) return {};
  ::unlinkat(folder, target->name.c_str(), 0);
  return failed(error);
}

namespace {

// The folder of --out, opened: the one that stands there when it is empty, or a new one.
core::Expected<io::Descriptor> open_out_folder(const std::string& folder, const PathLimits& limits, bool make) {
  const auto place = io::find_place(folder, limits);
  if (!place) return fail(place.error());
  if (place->handed) {
    return fail(ErrorCode::path_not_allowed, "--out " + folder + " is no folder of the server's machine",
                "leave --out away: the bundle is kept in the server's registry");
  }
  io::Descriptor fd(place->open(O_RDONLY | O_DIRECTORY));
  if (!fd.valid() && errno == ENOENT) {
    const std::string parent(io::parent_of(place->root.valid() ? place->real : folder));
    const auto inner = io::find_target(folder, limits);
    if (!inner && inner.error().code == ErrorCode::path_not_allowed) return fail(inner.error());
    if (!inner) return fail(ErrorCode::not_found, "--out: the folder " + parent + " does not exist", "make it first");
    if (!make) return fd;
    if (::mkdirat(inner->folder.get(), inner->name.c_str(), 0755) != 0) return fail(io::write_error(inner->name, parent, errno));
    fd.reset(::openat(inner->folder.get(), inner->name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd.valid()) return fail(io::write_error(inner->name, parent, errno));
    return fd;
  }
  if (!fd.valid() && errno == ENOTDIR)
    return fail(ErrorCode::already_exists, "--out " + folder + " is a file", "name a new folder; nothing is ever replaced");
  if (!fd.valid()) return fail(place->error(errno, limits));
  const auto names = io::list_folder(fd.get(), folder, 0);
  if (!names && names.error().code == ErrorCode::limit_exceeded)
    return fail(ErrorCode::already_exists, "--out " + folder + " is not empty", "name a new folder; nothing is ever replaced");
  if (!names) return fail(names.error());
  return fd;
}

// Folders of a relative name, made where they are not there yet; the last one, opened. nullopt with errno.
std::optional<io::Descriptor> make_folders(int folder, const std::string& relative) {
  io::Descriptor here(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!here.valid()) return std::nullopt;
  for (const auto part : core::split(relative, '/')) {
    if (part.empty() || part == ".") continue;
    const std::string name(part);
    if (::mkdirat(here.get(), name.c_str(), 0755) != 0 && errno != EEXIST) return std::nullopt;
    io::Descriptor next(::openat(here.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid()) return std::nullopt;
    here = std::move(next);
  }
  return here;
}

}  // namespace

core::Status check_out_folder(const std::string& folder, const PathLimits& limits) {
  const auto fd = open_out_folder(folder, limits, false);
  if (!fd) return fail(fd.error());
  return {};
}

core::Status copy_to_out_folder(const std::vector<std::string>& names, const std::string& from, const std::string& folder,
                                const PathLimits& limits) {
  const auto out = open_out_folder(folder, limits, true);
  if (!out) return fail(out.error());
  for (const std::string& name : names) {
    const std::string path = io::join(folder, name);
    const auto failed = [&](int error) {
      return fail(ErrorCode::environment, "cannot write " + path + ": " + io::errno_text(error));
    };
    const auto file = io::open_file(io::join(from, name), limits);
    if (!file) return fail(file.error());
    const auto inner = make_folders(out->get(), std::string(io::parent_of(name)));
    if (!inner) return failed(errno);
    io::Descriptor fd(::openat(inner->get(), std::string(io::base_of(name)).c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file->info.st_mode & 0777));
    if (!fd.valid()) return failed(errno);
    auto copied = io::read_blocks(*file, limits, [&](std::string_view bytes) -> core::Status {
      if (const int error = io::write_all(fd.get(), bytes); error != 0) return failed(error);
      return {};
    });
    if (!copied) return copied;
    if (const int error = fd.close_checked(); error != 0) return failed(error);
  }
  return {};
}

}  // namespace plumbline::registry
