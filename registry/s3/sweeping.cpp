#include "registry/s3/sweeping.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <string_view>

#include "registry/io.hpp"

namespace plumbline::registry::s3 {

namespace {

constexpr long kLeftBehindSeconds = 24L * 3600;
constexpr std::size_t kNamesAtMost = 1'000'000;

io::Descriptor inner_folder(int folder, const std::string& name) {
  return io::Descriptor(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

void sweep(int folder, std::string_view beginning, long now) {
  const auto names = io::list_folder(folder, std::string(beginning), kNamesAtMost);
  if (!names) return;
  for (const io::Name& one : *names) {
    struct stat info {};
    if (!one.name.starts_with(beginning) || ::fstatat(folder, one.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (info.st_uid == ::geteuid() && now - info.st_mtim.tv_sec > kLeftBehindSeconds) io::remove_tree(folder, one.name.c_str());
  }
}

// Of folders so many levels down.
void sweep_stagings(int folder, int levels, long now) {
  if (levels == 0) return sweep(folder, ".tmp-", now);
  const auto names = io::list_folder(folder, "the copy", kNamesAtMost);
  if (!names) return;
  for (const io::Name& one : *names) {
    if (!S_ISDIR(one.type)) continue;
    if (const auto inner = inner_folder(folder, one.name); inner.valid()) sweep_stagings(inner.get(), levels - 1, now);
  }
}

}  // namespace

void sweep_copy(const std::string& copy) {
  const long now = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  const io::Descriptor root(::open(copy.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return;
  if (const auto coming = inner_folder(root.get(), ".coming"); coming.valid()) sweep(coming.get(), "", now);
  // Kind, family, measurement.
  if (const auto artifacts = inner_folder(root.get(), "experiments/artifacts"); artifacts.valid())
    sweep_stagings(artifacts.get(), 3, now);
}

}  // namespace plumbline::registry::s3
