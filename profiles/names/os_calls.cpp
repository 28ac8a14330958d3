#include "profiles/names/os_calls.hpp"

#include <algorithm>
#include <array>

namespace plumbline::profiles {
namespace {

constexpr std::array<std::string_view, 11> kLocks = {"pthread_mutex_",
                                                     "pthread_cond_wait",
                                                     "pthread_cond_timedwait",
                                                     "pthread_cond_clockwait",
                                                     "pthread_rwlock_",
                                                     "pthread_spin_lock",
                                                     "pthread_barrier_wait",
                                                     "pthread_join",
                                                     "sem_wait",
                                                     "sem_timedwait",
                                                     "futex"};
// Without what marks a wider type ("pread64") or a checked form ("__read_chk").
constexpr std::array<std::string_view, 44> kInputOutput = {
    "read",   "pread",    "readv",   "preadv",   "fread",  "fgets",  "getline",    "getdelim",   "fscanf",
    "write",  "pwrite",   "writev",  "pwritev",  "fwrite", "fputs",  "fflush",     "fsync",      "fdatasync",
    "sync",   "open",     "openat",  "fopen",    "close",  "fclose", "stat",       "fstat",      "lstat",
    "recv",   "recvfrom", "recvmsg", "recvmmsg", "send",   "sendto", "sendmsg",    "sendfile",   "splice",
    "accept", "accept4",  "connect", "poll",     "ppoll",  "select", "epoll_wait", "epoll_pwait"};

}  // namespace

OsWait os_wait(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  if (std::any_of(kLocks.begin(), kLocks.end(), [name](std::string_view lock) { return name.starts_with(lock); }))
    return OsWait::lock;
  for (const std::string_view end : {"_chk", "64"}) {
    if (name.ends_with(end)) name.remove_suffix(end.size());
  }
  return std::find(kInputOutput.begin(), kInputOutput.end(), name) != kInputOutput.end() ? OsWait::io : OsWait::none;
}

}  // namespace plumbline::profiles
