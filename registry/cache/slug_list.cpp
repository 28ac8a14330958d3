#include "registry/cache/slug_list.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "registry/io.hpp"
#include "registry/store.hpp"

namespace plumbline::registry::cache {

using core::fail;

namespace {

constexpr std::size_t kNamesAtMost = 1'000'000;
constexpr std::size_t kBuffer = 256U << 10;  // of names read at once: readdir takes 32 KiB, which is four times the calls

using Slug = std::array<char, SlugList::kWidth>;

mode_t type_of(int folder, const dirent64& entry) {
  if (entry.d_type != DT_UNKNOWN) return DTTOIF(entry.d_type);
  struct stat info {};  // some file systems do not say
  return ::fstatat(folder, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 ? info.st_mode & S_IFMT : 0;
}

void take(Listing& listing, int folder, const dirent64& entry) {
  const std::string_view name = entry.d_name;
  if (name == "." || name == "..") return;
  const bool is_folder = S_ISDIR(type_of(folder, entry));
  if (name.starts_with(".tmp-") || name.starts_with(".gc-")) listing.temporaries.emplace_back(name);
  if (!is_folder) return;
  if (name.front() == '.') {
    ++listing.hidden_folders;
  } else if (is_slug(name)) {
    listing.slugs.add(name);
  } else {
    ++listing.folders;
  }
}

}  // namespace

SlugList SlugList::checked(std::string packed) {
  SlugList list;
  if (packed.size() % kWidth != 0) return list;
  for (std::size_t at = 0; at < packed.size(); at += kWidth) {
    const auto slug = std::string_view(packed).substr(at, kWidth);
    if (!is_slug(slug) || (at != 0 && std::string_view(packed).substr(at - kWidth, kWidth) >= slug)) return list;
  }
  list.packed_ = std::move(packed);
  return list;
}

void SlugList::sort() {
  auto* const first = reinterpret_cast<Slug*>(packed_.data());
  auto* const last = first + size();
  if (!std::is_sorted(first, last)) std::sort(first, last);
}

SlugList SlugList::last(std::size_t n) const {
  SlugList out;
  out.packed_ = packed_.substr((size() - std::min(n, size())) * kWidth);
  return out;
}

std::vector<std::string> SlugList::texts() const {
  std::vector<std::string> out;
  out.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) out.emplace_back((*this)[i]);
  return out;
}

core::Expected<Listing> list_line(int folder, const std::string& path) {
  // A descriptor of its own: a position in the folder must not be shared.
  const io::Descriptor own(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own.valid()) return fail(io::read_error(path, errno));
  const auto buffer = std::make_unique<char[]>(kBuffer);
  Listing listing;
  std::size_t names = 0;
  for (;;) {
    const long got = ::syscall(SYS_getdents64, own.get(), buffer.get(), kBuffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(io::read_error(path, errno));
    if (got == 0) break;
    for (long at = 0; at < got;) {
      const auto& entry = *reinterpret_cast<const dirent64*>(buffer.get() + at);
      at += entry.d_reclen;
      if (++names > kNamesAtMost + 2) {
        return fail(core::ErrorCode::limit_exceeded,
                    path + " has more than the " + std::to_string(kNamesAtMost) + " names that are read at most", {}, path);
      }
      take(listing, folder, entry);
    }
  }
  listing.slugs.sort();
  return listing;
}

}  // namespace plumbline::registry::cache
