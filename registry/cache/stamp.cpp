#include "registry/cache/stamp.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>

namespace plumbline::registry::cache {
namespace {

constexpr std::int64_t kSettledAfterNs = 3'000'000'000;

std::int64_t nanoseconds(const timespec& time) { return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec; }

}  // namespace

bool Stamp::settled() const {
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return now - std::max(mtime_ns, ctime_ns) >= kSettledAfterNs;
}

std::optional<Stamp> stamp_of(int folder) {
  struct stat info {};
  if (::fstat(folder, &info) != 0) return std::nullopt;
  return Stamp{info.st_dev, info.st_ino, nanoseconds(info.st_mtim), nanoseconds(info.st_ctim), info.st_nlink};
}

Stamp stamp_of(const struct stat& file) {
  return {file.st_dev, file.st_ino, nanoseconds(file.st_mtim), nanoseconds(file.st_ctim),
          static_cast<std::uint64_t>(file.st_size)};
}

void Watch::begin(int folder) { first_ = last_ = stamp_of(folder); }

void Watch::before(int folder) {
  if (last_ && stamp_of(folder) != last_) last_.reset();
}

void Watch::after(int folder, int folders_added) {
  if (!last_) return;
  const auto now = stamp_of(folder);
  // Without a count a change of somebody else between our two looks would not be seen.
  const bool counted = last_->links >= 2 && now && now->links >= 2;
  const bool ours_alone = counted && now->links == last_->links + static_cast<std::uint64_t>(folders_added);
  last_ = ours_alone ? now : std::nullopt;
}

std::optional<Stamp> Watch::undisturbed(int folder) {
  before(folder);
  return last_;
}

}  // namespace plumbline::registry::cache
