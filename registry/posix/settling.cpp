#include "registry/posix/settling.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

namespace plumbline::registry {

using core::fail;

namespace {

constexpr long kLeftBehindSeconds = 24L * 3600;

// Removes what crashed writers left here more than a day ago; true when there was any.
bool sweep(int folder, const std::vector<std::string>& temporaries) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  bool any = false;
  for (const std::string& name : temporaries) {
    struct stat info {};
    if (!name.starts_with(".tmp-") || ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (info.st_uid != ::geteuid() || now - info.st_mtim.tv_sec <= kLeftBehindSeconds) continue;
    io::remove_tree(folder, name.c_str());
    any = true;
  }
  return any;
}

// With what the index knew before the first thing was staged. False when it did not, or when somebody else was at work.
core::Expected<bool> settle_by_index(PosixStaging& staging, cache::Index& index, const cache::SlugList& published) {
  cache::Watch& watch = staging.watch();
  const auto& was = watch.first();
  if (!was || !watch.undisturbed(staging.parent_fd())) return false;
  auto known = index.known(staging.line(), *was, kIndexRows);
  if (!known || known->newest.newest() >= published[0]) return false;
  if (staging.kind() == Kind::entry) {
    for (std::size_t i = 0; i < published.size(); ++i) known->newest.add(published[i]);
    const auto written =
        write_index(staging.parent_fd(), staging.parent(), known->count + published.size(), known->newest, watch);
    if (!written) return fail(written.error());
  }
  const auto now = watch.undisturbed(staging.parent_fd());
  if (!now) return false;
  index.keep_added(staging.line(), *was, *now, published);
  return true;
}

core::Status settle_by_listing(PosixStaging& staging, cache::Index& index) {
  const int folder = staging.parent_fd();
  cache::Watch& watch = staging.watch();
  watch.begin(folder);
  auto listing = cache::list_line(folder, staging.parent());
  if (!listing) return fail(listing.error());
  if (sweep(folder, listing->temporaries)) {
    watch.begin(folder);
    listing = cache::list_line(folder, staging.parent());
    if (!listing) return fail(listing.error());
  }
  if (staging.kind() == Kind::entry) {
    if (auto derived = derive_index(folder, staging.parent(), watch, *listing); !derived) return derived;
  }
  if (const auto now = watch.undisturbed(folder)) index.keep(staging.line(), *now, *listing);
  return {};
}

}  // namespace

// Without a lock: whoever replaces INDEX.md looks again afterwards and goes on until the list it wrote is the list that is
// there. The last one to replace it therefore saw everything published before, and whatever is published later brings its
// own rewrite. Locks on network file systems could not be relied on for this. The look is a stat where the folder's subfolders
// are counted and all are publications: then nobody was there to publish unseen.
core::Status derive_index(int folder, const std::string& path, cache::Watch& watch, cache::Listing& listing) {
  for (int round = 0; round < 10'000; ++round) {
    if (round != 0) {
      watch.begin(folder);
      auto again = cache::list_line(folder, path);
      if (!again) return fail(again.error());
      listing = std::move(*again);
    }
    const auto written = write_index(folder, path, listing.slugs.size(), listing.slugs.last(kIndexRows), watch);
    if (!written) return fail(written.error());
    if (!*written) return {};
    const auto now = watch.undisturbed(folder);
    if (now && is_all(listing, *now)) return {};
  }
  return fail(core::ErrorCode::environment, "INDEX.md of " + path + " was changed again and again by others", {}, path);
}

core::Status settle(PosixStaging& staging, cache::Index& index, const cache::SlugList& published) {
  const auto settled = settle_by_index(staging, index, published);
  if (!settled) return fail(settled.error());
  return *settled ? core::Status{} : settle_by_listing(staging, index);
}

}  // namespace plumbline::registry
