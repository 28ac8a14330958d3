#include "registry/confine.hpp"

#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "core/text.hpp"
#include "registry/handed/handed.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

namespace io {

namespace {

constexpr int kLinksAtMost = 40;  // as the kernel

core::Error outside(const std::string& path, const PathLimits& limits) {
  return {ErrorCode::path_not_allowed, path + " is outside the allowed roots",
          "allowed: " + core::listed(limits.allowed_roots) + "; --allow-root adds one", path};
}

const std::string* root_of(const std::string& real, const PathLimits& limits) {
  for (const auto& root : limits.allowed_roots) {
    if (path_within(real, root)) return &root;
  }
  return nullptr;
}

// On the way to an allowed root, or inside one: what may be looked at freely.
bool open_ground(const std::string& real, const PathLimits& limits) {
  return root_of(real, limits) != nullptr || std::any_of(limits.allowed_roots.begin(), limits.allowed_roots.end(),
                                                         [&](const std::string& root) { return path_within(root, real); });
}

// The parts of a path that are still to be walked, the next one last.
void push_parts(std::vector<std::string>& parts, std::string_view path) {
  const auto split = core::split(path, '/');
  for (auto part = split.rbegin(); part != split.rend(); ++part) {
    if (!part->empty() && *part != ".") parts.emplace_back(*part);
  }
}

// The text of the link at `path`; nullopt with errno EINVAL when something else stands there.
std::optional<std::string> link_text(const std::string& path) {
  std::array<char, PATH_MAX> text{};
  const auto size = ::readlink(path.c_str(), text.data(), text.size());
  if (size < 0) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(size));
}

bool is_link(int folder, const std::string& name) {
  struct stat info {};
  return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

}  // namespace

int open_by_openat2(int folder, const std::string& relative, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const char* const name = relative.empty() ? "." : relative.c_str();
  // EAGAIN: something was renamed meanwhile and the kernel could not be sure.
  for (int attempt = 0; attempt < 128; ++attempt) {
    const long fd = ::syscall(SYS_openat2, folder, name, &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) return static_cast<int>(fd);
  }
  errno = EXDEV;
  return -1;
}

int open_by_parts(int folder, const std::string& relative, int flags, mode_t mode) {
  if (!relative.empty() && relative.front() == '/') {
    errno = EXDEV;
    return -1;
  }
  std::vector<std::string> parts;
  push_parts(parts, relative);
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) {
    errno = EXDEV;
    return -1;
  }
  Descriptor held;
  int here = folder;
  while (parts.size() > 1) {
    Descriptor next(::openat(here, parts.back().c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid()) {
      const int error = errno;
      errno = error == ENOTDIR && is_link(here, parts.back()) ? ELOOP : error;
      return -1;
    }
    held = std::move(next);
    here = held.get();
    parts.pop_back();
  }
  const std::string name = parts.empty() ? "." : parts.back();
  Descriptor fd(::openat(here, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd.valid()) {
    const int error = errno;
    errno = error == ENOTDIR && is_link(here, name) ? ELOOP : error;
    return -1;
  }
  struct stat info {};
  // With O_PATH the link itself is what was opened.
  if ((flags & O_PATH) != 0 && ::fstat(fd.get(), &info) == 0 && S_ISLNK(info.st_mode)) {
    errno = ELOOP;
    return -1;
  }
  return fd.release();
}

int open_beneath(int folder, const std::string& relative, int flags, mode_t mode) {
  const int fd = open_by_openat2(folder, relative, flags, mode);
  // EPERM: filters of containers older than the call answer so; where it is a real refusal the other way says the same.
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return fd;
  return open_by_parts(folder, relative, flags, mode);
}

core::Expected<std::string> resolve_confined(const std::string& path, const PathLimits& limits) {
  if (path.size() >= PATH_MAX) return fail(read_error(path.substr(0, 80) + "…", ENAMETOOLONG));
  std::vector<std::string> parts;
  push_parts(parts, absolute_text(path, ""));
  std::string here = "/";
  int links = 0;
  while (!parts.empty()) {
    const std::string part = std::move(parts.back());
    parts.pop_back();
    const bool free = open_ground(here, limits);
    if (part == "..") {
      if (!free) return fail(outside(path, limits));
      here = parent_of(here);
      continue;
    }
    const std::string next = join(here, part);
    const bool inside = open_ground(next, limits);
    // What /proc calls links are not: their text may name another place than they lead to.
    if (!inside && path_within(next, "/proc")) return fail(outside(path, limits));
    const auto link = link_text(next);
    if (!link) {
      if (is_shortage(errno)) return fail(read_error(path, errno));
      if (!inside && errno != EINVAL) return fail(outside(path, limits));
      here = next;
      continue;
    }
    if (++links > kLinksAtMost) {
      if (!free) return fail(outside(path, limits));
      return fail(read_error(path, ELOOP));
    }
    if (!link->empty() && link->front() == '/') here = "/";
    push_parts(parts, *link);
  }
  if (root_of(here, limits) == nullptr || is_closed_folder(here)) return fail(outside(path, limits));
  return here;
}

int Place::open(int flags, mode_t mode) const {
  if (handed && handed->path.empty()) {
    errno = ENOENT;
    return -1;
  }
  if (handed) return ::open(handed->path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode);
  if (root.valid()) return open_beneath(root.get(), relative, flags, mode);
  return ::open(path.c_str(), flags | O_CLOEXEC, mode);
}

core::Error Place::error(int code, const PathLimits& limits) const {
  if (handed) return code == ENOENT || code == ENOTDIR ? not_handed(path) : read_error(path, code);
  if (!root.valid()) return explained_read_error(path, code);
  if (code == ELOOP || code == EXDEV) return outside(path, limits);
  auto error = read_error(path, code);
  if (code == ENOENT) error.hint = nearest_name_hint(path, limits);
  return error;
}

core::Expected<Place> find_place(const std::string& path, const PathLimits& limits) {
  if (path.empty()) return fail(ErrorCode::invalid_input, "the path is empty");
  if (path.find('\0') != std::string::npos) return fail(ErrorCode::invalid_input, "the path contains a NUL byte");
  Place place;
  place.path = path;
  const FindHanded* const handed = HandedScope::current();
  if (handed == nullptr && blob_name(path)) {
    return fail(ErrorCode::not_found, path + " is an upload, and no server is asked here",
                "name the file itself, or ask the server that has it: plumbline --server URL …", path);
  }
  if (handed != nullptr && names_handed(path)) {
    place.handed = (*handed)(path).value_or(HandedPlace{});
    return place;
  }
  if (limits.allowed_roots.empty()) return place;
  auto real = resolve_confined(path, limits);
  if (!real) return fail(real.error());
  place.real = std::move(*real);
  const std::string& root = *root_of(place.real, limits);
  const Descriptor top(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top.valid()) return fail(read_error(path, errno));
  // The root itself was resolved when it was allowed: a link in its place was put there since.
  place.root.reset(open_beneath(top.get(), root.substr(1), O_PATH | O_DIRECTORY));
  if (!place.root.valid()) return fail(is_shortage(errno) ? read_error(path, errno) : outside(path, limits));
  place.relative = place.real.substr(std::min(place.real.size(), root.back() == '/' ? root.size() : root.size() + 1));
  return place;
}

core::Expected<Target> find_target(const std::string& path, const PathLimits& limits) {
  auto place = find_place(path, limits);
  if (!place) return fail(place.error());
  Target target;
  if (place->handed && !place->handed->writable) {
    return fail(ErrorCode::path_not_allowed, path + " is what was handed over, and nothing is written there",
                "name a path of the server's machine", path);
  }
  const bool confined = place->root.valid();
  const std::string whole = place->handed ? place->handed->path : confined ? place->relative : path;
  target.name = base_of(whole);
  const std::string parent(parent_of(whole));
  target.folder.reset(confined ? open_beneath(place->root.get(), parent, O_RDONLY | O_DIRECTORY)
                               : ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!target.folder.valid()) {
    const int error = errno;
    if (confined && (error == ELOOP || error == EXDEV)) return fail(outside(path, limits));
    return fail(write_error(path, std::string(parent_of(path)), error));
  }
  if (target.name.empty() || target.name == "/") return fail(write_error(path, std::string(parent_of(path)), EISDIR));
  return target;
}

}  // namespace io

}  // namespace plumbline::registry
