#include "profiles/readers/sqlite/descriptor_vfs.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace plumbline::profiles {
namespace {

constexpr const char* kName = "plumbline-descriptor";
constexpr std::size_t kPrefix = 3;  // "fd-7"

struct File {
  sqlite3_file base;
  int fd;
};

int fd_of(sqlite3_file* file) { return reinterpret_cast<File*>(file)->fd; }

int close_file(sqlite3_file* file) {
  ::close(fd_of(file));
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* to, int wanted, sqlite3_int64 at) {
  auto* const bytes = static_cast<char*>(to);
  std::size_t left = static_cast<std::size_t>(wanted);
  while (left > 0) {
    const auto done = static_cast<std::size_t>(wanted) - left;
    const auto got = ::pread(fd_of(file), bytes + done, left, at + static_cast<sqlite3_int64>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SQLITE_IOERR_READ;
    if (got == 0) {
      std::memset(bytes + done, 0, left);  // as the interface asks for
      return SQLITE_IOERR_SHORT_READ;
    }
    left -= static_cast<std::size_t>(got);
  }
  return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  struct stat info {};
  if (::fstat(fd_of(file), &info) != 0) return SQLITE_IOERR_FSTAT;
  *size = info.st_size;
  return SQLITE_OK;
}

int refuse_write(sqlite3_file* /*file*/, const void* /*from*/, int /*size*/, sqlite3_int64 /*at*/) { return SQLITE_READONLY; }
int refuse_truncate(sqlite3_file* /*file*/, sqlite3_int64 /*size*/) { return SQLITE_READONLY; }
int nothing(sqlite3_file* /*file*/, int /*how*/) { return SQLITE_OK; }
int not_locked(sqlite3_file* /*file*/, int* locked) {
  *locked = 0;
  return SQLITE_OK;
}
int no_control(sqlite3_file* /*file*/, int /*what*/, void* /*value*/) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file* /*file*/) { return 4096; }
int immutable(sqlite3_file* /*file*/) { return SQLITE_IOCAP_IMMUTABLE; }

sqlite3_vfs* default_vfs() {
  static sqlite3_vfs* const kVfs = sqlite3_vfs_find(nullptr);
  return kVfs;
}

int open_file(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* flags_given) {
  file->pMethods = nullptr;
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return default_vfs()->xOpen(default_vfs(), name, file, flags, flags_given);
  static const sqlite3_io_methods kMethods = [] {
    sqlite3_io_methods methods{};
    methods.iVersion = 1;
    methods.xClose = close_file;
    methods.xRead = read_file;
    methods.xWrite = refuse_write;
    methods.xTruncate = refuse_truncate;
    methods.xSync = nothing;
    methods.xFileSize = file_size;
    methods.xLock = nothing;
    methods.xUnlock = nothing;
    methods.xCheckReservedLock = not_locked;
    methods.xFileControl = no_control;
    methods.xSectorSize = sector_size;
    methods.xDeviceCharacteristics = immutable;
    return methods;
  }();
  const int fd = ::fcntl(static_cast<int>(std::strtol(name + kPrefix, nullptr, 10)), F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return SQLITE_CANTOPEN;
  reinterpret_cast<File*>(file)->fd = fd;
  file->pMethods = &kMethods;
  if (flags_given != nullptr) *flags_given = SQLITE_OPEN_READONLY;
  return SQLITE_OK;
}

int nothing_beside(sqlite3_vfs* /*vfs*/, const char* /*name*/, int /*what*/, int* result) {
  *result = 0;
  return SQLITE_OK;
}

int same_name(sqlite3_vfs* /*vfs*/, const char* name, int room, char* full) {
  sqlite3_snprintf(room, full, "%s", name);
  return SQLITE_OK;
}

// Registered once for the life of the process. The rest (time, random numbers, temporary files) is the default's.
bool registered() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs made = *default_vfs();
    made.zName = kName;
    made.pNext = nullptr;
    made.szOsFile = std::max(made.szOsFile, static_cast<int>(sizeof(File)));
    made.xOpen = open_file;
    made.xAccess = nothing_beside;
    made.xFullPathname = same_name;
    return made;
  }();
  static const bool kDone = sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
  return kDone;
}

}  // namespace

int open_descriptor(int fd, sqlite3** database) {
  if (default_vfs() == nullptr || !registered()) return SQLITE_CANTOPEN;
  return sqlite3_open_v2(("fd-" + std::to_string(fd)).c_str(), database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, kName);
}

}  // namespace plumbline::profiles
