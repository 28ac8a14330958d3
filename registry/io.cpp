#include "registry/io.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>
#include <random>
#include <system_error>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/confine.hpp"

namespace plumbline::registry::io {

using core::ErrorCode;
using core::fail;

std::string errno_text(int error) { return std::generic_category().message(error); }

bool is_shortage(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM; }

namespace {

std::string shortage_hint(int error) {
  if (error == ENOMEM) return "nothing is wrong with the path: try again when less runs at once";
  return std::string("nothing is wrong with the path: ") +
         (error == EMFILE ? "this process has as many files open as it may (ulimit -n)" : "the machine has no descriptors left") +
         "; try again, or raise the limit";
}

}  // namespace

std::string join(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty() && path.back() != '/') path += '/';
  path += name;
  return path;
}

std::string_view parent_of(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? std::string_view("/") : path.substr(0, slash);
}

std::string_view base_of(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string hex_random(std::size_t bytes) {
  std::array<unsigned char, 32> noise{};
  bytes = std::min(bytes, noise.size());
  if (::getrandom(noise.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
    std::random_device device;
    for (auto& byte : noise) byte = static_cast<unsigned char>(device());
  }
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    text += kDigits[noise[i] >> 4];
    text += kDigits[noise[i] & 15];
  }
  return text;
}

std::string_view kind_name(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFIFO:
      return "a FIFO";
    case S_IFDIR:
      return "a folder";
    case S_IFCHR:
      return "a character device";
    case S_IFBLK:
      return "a block device";
    case S_IFSOCK:
      return "a socket";
    case S_IFREG:
      return "a file";
    case S_IFLNK:
      return "a symbolic link";
    default:
      return "not a regular file";
  }
}

std::int64_t mtime_ns(const struct stat& info) { return info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec; }

std::string absolute_text(const std::string& path, const std::string& cwd) {
  if (!path.empty() && path.front() == '/') return path;
  if (!cwd.empty()) return join(cwd, path);
  std::array<char, PATH_MAX> here{};
  return join(::getcwd(here.data(), here.size()) != nullptr ? here.data() : "/", path);
}

std::string nearest_name_hint(const std::string& path, const PathLimits& limits) {
  const std::string folder(parent_of(path));
  auto fd = open_folder(folder, limits);
  if (!fd) {
    struct stat info {};
    const bool absent = limits.allowed_roots.empty() && ::stat(folder.c_str(), &info) != 0;
    return absent ? "the folder " + core::cited_path(folder) + " does not exist either" : std::string();
  }
  const auto names = list_folder(fd->get(), folder, 20'000);
  if (!names) return {};
  std::vector<std::string_view> candidates;
  for (const auto& entry : *names) {
    if (entry.name.front() != '.') candidates.emplace_back(entry.name);
  }
  const auto found = core::nearest(base_of(path), candidates);
  if (found.empty()) return {};
  return "did you mean " + (path.find('/') == std::string::npos ? std::string(found) : join(folder, found)) + "?";
}

namespace {

core::Error not_a_file(const std::string& path, mode_t mode) {
  return {ErrorCode::invalid_input, path + " is " + std::string(kind_name(mode)) + ", not a file", {}, path};
}

core::Status check_opened(OpenedFile& file, const PathLimits& limits) {
  if (::fstat(file.fd.get(), &file.info) != 0) return fail(read_error(file.path, errno));
  if (!S_ISREG(file.info.st_mode)) return fail(not_a_file(file.path, file.info.st_mode));
  if (static_cast<std::uint64_t>(file.info.st_size) > limits.bytes) {
    return fail(
        ErrorCode::limit_exceeded,
        file.path + " has " + std::to_string(file.info.st_size) + " bytes; at most " + std::to_string(limits.bytes) + " are read",
        {}, file.path);
  }
  return {};
}

core::Error changed(const std::string& path) {
  return {ErrorCode::invalid_input, path + " changed while it was being read", "wait until its writer has finished, then repeat",
          path};
}

}  // namespace

core::Error read_error(const std::string& path, int error) {
  switch (error) {
    case ENOENT:
      return {ErrorCode::not_found, path + " does not exist", {}, path};
    case ENOTDIR:
      return {ErrorCode::not_found, path + " does not exist", "a part of the path is a file, not a folder", path};
    case ELOOP:
      return {ErrorCode::invalid_input, path + " is a loop of symbolic links", {}, path};
    case ENAMETOOLONG:
      return {ErrorCode::invalid_input, path + " is too long for a path", {}, path};
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return {ErrorCode::environment, "cannot read " + path + ": " + errno_text(error), shortage_hint(error), path};
    case EACCES:
    case EPERM:
      return {ErrorCode::environment, "permission denied reading " + path,
              "the account of uid " + std::to_string(::geteuid()) + " needs read permission", path};
    default:
      return {ErrorCode::environment, "cannot read " + path + ": " + errno_text(error), {}, path};
  }
}

core::Error explained_read_error(const std::string& path, int error) {
  auto explained = read_error(path, error);
  if (error != ENOENT) return explained;
  std::array<char, PATH_MAX> target{};
  const auto size = ::readlink(path.c_str(), target.data(), target.size());
  if (size >= 0) {
    const std::string to(target.data(), static_cast<std::size_t>(size));
    explained.message = path + " is a symbolic link to " + to + ", which does not exist";
  } else {
    explained.hint = nearest_name_hint(path, {});
  }
  return explained;
}

core::Error write_error(const std::string& file, const std::string& place, int error) {
  const std::string elsewhere = ", or choose another root with --repo-root";
  switch (error) {
    case ENOSPC:
      return {ErrorCode::environment, "no space left on device while writing " + file,
              "free some space on the file system of " + place + elsewhere, place};
    case EDQUOT:
      return {ErrorCode::environment, "disk quota exceeded while writing " + file,
              "free some of the quota on the file system of " + place + elsewhere, place};
    case EROFS:
      return {ErrorCode::environment, "read-only file system: cannot write " + file + " in " + place,
              "mount it writable" + elsewhere, place};
    case EACCES:
    case EPERM:
      return {ErrorCode::environment, "permission denied writing " + file + " in " + place,
              "the account of uid " + std::to_string(::geteuid()) + " needs write permission there" + elsewhere, place};
    case ENOTDIR:
    case EEXIST:
      return {ErrorCode::environment,
              "cannot write " + file + " in " + place + ": there is a file where a folder is needed",
              {},
              place};
    case EFBIG:
      return {ErrorCode::environment, "file too large while writing " + file,
              "the file system or the limit of this process (ulimit -f) allows no larger file", place};
    case ENAMETOOLONG:
      return {ErrorCode::environment, "cannot write " + file + " in " + place + ": the name is too long", {}, place};
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return {ErrorCode::environment, "cannot write " + file + " in " + place + ": " + errno_text(error), shortage_hint(error),
              place};
    default:
      return {ErrorCode::environment, "cannot write " + file + " in " + place + ": " + errno_text(error), {}, place};
  }
}

namespace {

core::Expected<struct stat> look_at(const Place& place, const PathLimits& limits) {
  struct stat info {};
  if (!place.root.valid() && !place.handed) {
    if (::stat(place.path.c_str(), &info) != 0) return fail(place.error(errno, limits));
    return info;
  }
  const Descriptor fd(place.open(O_PATH));
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) return fail(place.error(errno, limits));
  return info;
}

}  // namespace

core::Expected<struct stat> look_at(const std::string& path, const PathLimits& limits) {
  const auto place = find_place(path, limits);
  if (!place) return fail(place.error());
  return look_at(*place, limits);
}

core::Expected<OpenedFile> open_file(const std::string& path, const PathLimits& limits) {
  const auto place = find_place(path, limits);
  if (!place) return fail(place.error());
  // Looked at before it is opened: opening a device can already do something.
  const auto info = look_at(*place, limits);
  if (!info) return fail(info.error());
  if (!S_ISREG(info->st_mode)) return fail(not_a_file(path, info->st_mode));
  OpenedFile file;
  file.path = path;
  file.fd.reset(place->open(O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (!file.fd.valid()) return fail(place->error(errno, limits));
  if (auto checked = check_opened(file, limits); !checked) return fail(checked.error());
  return file;
}

core::Expected<OpenedFile> open_file_at(int folder, const std::string& name, const std::string& path, const PathLimits& limits) {
  OpenedFile file;
  file.path = path;
  file.fd.reset(::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
  if (!file.fd.valid()) {
    const int error = errno;
    struct stat info {};
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(info.st_mode)) {
      return fail(not_a_file(path, info.st_mode));
    }
    return fail(read_error(path, error));
  }
  if (auto checked = check_opened(file, limits); !checked) return fail(checked.error());
  return file;
}

core::Status check_unchanged(const OpenedFile& file, std::uint64_t read) {
  struct stat now {};
  if (::fstat(file.fd.get(), &now) != 0) return fail(read_error(file.path, errno));
  if (now.st_size != file.info.st_size || mtime_ns(now) != mtime_ns(file.info)) return fail(changed(file.path));
  // Files of /proc have content and no size; everything else must have given exactly its size.
  if (file.info.st_size != 0 && read != static_cast<std::uint64_t>(file.info.st_size)) return fail(changed(file.path));
  return {};
}

core::Status read_blocks(const OpenedFile& file, const PathLimits& limits,
                         const std::function<core::Status(std::string_view)>& block) {
  const std::size_t room = std::clamp<std::size_t>(static_cast<std::size_t>(file.info.st_size) + 1, 4096, kBlock);
  const auto buffer = std::make_unique_for_overwrite<char[]>(room);
  if (file.info.st_size > static_cast<off_t>(kBlock)) ::posix_fadvise(file.fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  std::uint64_t read = 0;
  for (;;) {
    if (limits.stop && limits.stop()) return fail(ErrorCode::cancelled, "stopped while reading " + file.path, {}, file.path);
    const auto got = ::read(file.fd.get(), buffer.get(), room);
    if (got < 0) {
      if (errno == EINTR) continue;
      return fail(read_error(file.path, errno));
    }
    if (got == 0) break;
    read += static_cast<std::uint64_t>(got);
    if (read > limits.bytes) {
      return fail(ErrorCode::limit_exceeded,
                  file.path + " has more than the " + std::to_string(limits.bytes) + " bytes that are read at most", {},
                  file.path);
    }
    if (auto done = block({buffer.get(), static_cast<std::size_t>(got)}); !done) return done;
  }
  return check_unchanged(file, read);
}

core::Expected<std::string> hash_file(const OpenedFile& file, const PathLimits& limits) {
  Sha256 sha;
  auto done = read_blocks(file, limits, [&](std::string_view bytes) -> core::Status {
    sha.update(bytes);
    return {};
  });
  if (!done) return fail(done.error());
  return sha.hex();
}

core::Expected<std::string> read_text_at(int folder, const std::string& name, const std::string& path, std::uint64_t at_most) {
  PathLimits limits;
  limits.bytes = at_most;
  auto file = open_file_at(folder, name, path, limits);
  if (!file) return fail(file.error());
  std::string text;
  text.reserve(static_cast<std::size_t>(file->info.st_size));
  auto done = read_blocks(*file, limits, [&](std::string_view bytes) -> core::Status {
    text += bytes;
    return {};
  });
  if (!done) return fail(done.error());
  return text;
}

core::Expected<Descriptor> open_folder(const std::string& path, const PathLimits& limits) {
  const auto place = find_place(path, limits);
  if (!place) return fail(place.error());
  Descriptor fd(place->open(O_RDONLY | O_DIRECTORY));
  if (!fd.valid()) return fail(place->error(errno, limits));
  return fd;
}

core::Expected<std::vector<Name>> list_folder(int folder, const std::string& path, std::size_t at_most) {
  // A descriptor of its own: fdopendir takes it over, and its position must not be shared.
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return fail(read_error(path, errno));
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(own), ::closedir);
  if (!directory) {
    const int error = errno;
    ::close(own);
    return fail(read_error(path, error));
  }
  std::vector<Name> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) {
      if (errno != 0) return fail(read_error(path, errno));
      break;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == at_most) {
      return fail(ErrorCode::limit_exceeded,
                  path + " has more than the " + std::to_string(at_most) + " names that are read at most", {}, path);
    }
    names.push_back({std::string(name), static_cast<mode_t>(DTTOIF(entry->d_type))});
  }
  for (auto& entry : names) {
    struct stat info {};
    if (entry.type != 0) continue;  // some file systems do not say
    if (::fstatat(folder, entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) entry.type = info.st_mode & S_IFMT;
  }
  std::sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.name < b.name; });
  return names;
}

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (written == 0) return ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int sync(int fd, bool* confirmed) {
  for (;;) {
    if (::fsync(fd) == 0) return 0;
    if (errno == EINTR) continue;
    if (errno == EINVAL || errno == ENOTSUP || errno == ENOSYS) {
      *confirmed = false;
      return 0;
    }
    return errno;
  }
}

int rename_no_replace(int folder, const char* from, const char* to) {
  if (::renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return errno;
  // NFS, Lustre and older ZFS refuse every flag.
  struct stat info {};
  if (::fstatat(folder, to, &info, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  if (::renameat(folder, from, folder, to) == 0) return 0;
  return errno == ENOTEMPTY || errno == ENOTDIR ? EEXIST : errno;
}

void remove_tree(int folder, const char* name) {
  if (::unlinkat(folder, name, 0) == 0) return;
  if (errno != EISDIR && errno != EPERM) return;
  {
    const Descriptor inner(::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (inner.valid()) {
      ::fchmod(inner.get(), 0700);
      if (const auto names = list_folder(inner.get(), name, SIZE_MAX)) {
        for (const auto& entry : *names) remove_tree(inner.get(), entry.name.c_str());
      }
    }
  }
  ::unlinkat(folder, name, AT_REMOVEDIR);
}

}  // namespace plumbline::registry::io
