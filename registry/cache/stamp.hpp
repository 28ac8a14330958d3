// Whether a folder is as it was: the cheap test on which the index rests.
//
// A Stamp is what stat says of a folder. Every name that comes or goes changes its times, and where the file system counts
// subfolders in the number of links (ext4 up to 65,000, XFS, tmpfs, NFS of those) every publication changes that too. Times
// are as fine as the kernel's clock: 4 ms on older ones, a second or two on some servers. What may therefore be missed is a
// change within one tick of the clock that leaves the number of subfolders as it was: one removed and one published between
// two looks. Hence the two rules below, and whoever is told of an entry opens and verifies it all the same.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>

namespace plumbline::registry::cache {

struct Stamp {
  std::uint64_t device = 0, inode = 0;
  std::int64_t mtime_ns = 0, ctime_ns = 0;
  std::uint64_t links = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;

  // The file system counts subfolders here, and these are all.
  [[nodiscard]] bool counts(std::uint64_t folders) const { return links == folders + 2; }
  // Its last change is so long ago that none can hide in the same tick of any clock.
  [[nodiscard]] bool settled() const;
};
[[nodiscard]] std::optional<Stamp> stamp_of(int folder);
// Of a file: its size in the place of the links.
[[nodiscard]] Stamp stamp_of(const struct stat& file);

// Whether anybody but us changed a folder since begin(). Each change of ours is put between before() and after(), which takes
// how many subfolders it added.
class Watch {
 public:
  void begin(int folder);
  void before(int folder);
  void after(int folder, int folders_added);
  // As it was at begin().
  [[nodiscard]] const std::optional<Stamp>& first() const { return first_; }
  // As it is now; nullopt when somebody else changed it, or when that cannot be told.
  [[nodiscard]] std::optional<Stamp> undisturbed(int folder);

 private:
  std::optional<Stamp> first_, last_;  // `last_` is empty once somebody else was seen
};

}  // namespace plumbline::registry::cache
