#include "registry/posix_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "registry/confine.hpp"
#include "registry/signed_line.hpp"
#include "registry/staging.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

namespace {

constexpr std::string_view kArtifacts = "experiments/artifacts";
constexpr std::size_t kNamesAtMost = 1'000'000;

std::string inside_of(Kind kind, std::string_view family, std::string_view measurement) {
  std::string inside(kArtifacts);
  inside += kind == Kind::entry ? "/perf-baselines/" : "/perf-baseline-diffs/";
  inside += family;
  inside += '/';
  inside += measurement;
  return inside;
}

core::Expected<PosixStaging*> ours(const std::unique_ptr<Staging>& staging) {
  auto* const posix = dynamic_cast<PosixStaging*>(staging.get());
  if (posix == nullptr) return fail(ErrorCode::internal, "the staged files belong to another store");
  return posix;
}

Published finished(PosixStaging& staging, const std::string& slug, const std::string& bundle) {
  Published published;
  published.path = io::join(staging.parent(), slug);
  published.slug = slug;
  published.sha256 = bundle;
  published.files = staging.files(published.path);
  staging.confirm(published.warnings);
  if (staging.kind() == Kind::entry) {
    if (const auto indexed = derive_index(staging.parent_fd(), staging.parent()); !indexed) {
      published.warnings.push_back(
          {"index_not_written", "the entry is published, INDEX.md is not up to date: " + indexed.error().message});
    }
  }
  return published;
}

}  // namespace

core::Expected<std::string> PosixStore::checked_inside(Kind kind, std::string_view family, std::string_view measurement) const {
  if (auto good = check_segment("family", family); !good) return fail(good.error());
  if (auto good = check_segment("measurement", measurement); !good) return fail(good.error());
  const std::string base = io::join(root_, kArtifacts);
  const std::string wanted = io::join(root_, inside_of(kind, family, measurement));
  // Links that stay inside are followed (a renamed family, say); the resolved path is what is used from here on.
  const std::string real = absolute_path(wanted, "", limits_);
  const bool outside = !limits_.allowed_roots.empty() && !check_allowed(wanted, limits_);
  if (outside || !path_within(real, base)) {
    return fail(ErrorCode::path_not_allowed, "artifact path escapes its registry root",
                outside ? wanted + " leads out of the allowed roots" : wanted + " leads to " + real, wanted);
  }
  return real.substr(root_ == "/" ? 1 : root_.size() + 1);
}

core::Expected<std::string> PosixStore::place(Kind kind, std::string_view family, std::string_view measurement,
                                              std::string_view slug) const {
  auto inside = checked_inside(kind, family, measurement);
  if (!inside) return fail(inside.error());
  if (auto good = check_segment("slug", slug); !good) return fail(good.error());
  return io::join(io::join(root_, *inside), slug);
}

core::Expected<std::unique_ptr<Staging>> PosixStore::stage(Kind kind, std::string_view family, std::string_view measurement) {
  auto inside = checked_inside(kind, family, measurement);
  if (!inside) return fail(inside.error());
  return std::make_unique<PosixStaging>(kind, root_, std::move(*inside), limits_);
}

core::Expected<io::Descriptor> PosixStore::open_inside(const std::string& inside) const {
  const std::string path = io::join(root_, inside);
  const auto root = io::open_folder(root_, limits_);
  if (!root && root.error().code == ErrorCode::not_found) return io::Descriptor();
  if (!root) return fail(root.error());
  io::Descriptor folder(io::open_beneath(root->get(), inside, O_RDONLY | O_DIRECTORY));
  if (folder.valid() || errno == ENOENT) return folder;
  if (errno == ELOOP || errno == EXDEV)
    return fail(ErrorCode::path_not_allowed, "artifact path escapes its registry root", {}, path);
  return fail(io::read_error(path, errno));
}

core::Expected<Published> PosixStore::publish(std::unique_ptr<Staging> staging, std::chrono::system_clock::time_point now) {
  const auto posix = ours(staging);
  if (!posix) return fail(posix.error());
  const auto bundle = (*posix)->seal();
  if (!bundle) return fail(bundle.error());
  (*posix)->sweep();
  auto line = SignedLine::enter(**posix);
  if (!line) return fail(line.error());
  for (auto time = line->not_before(now);; time += std::chrono::microseconds(1)) {
    const std::string slug = slug_of(time);
    if (auto done = line->sign(slug); !done) return fail(done.error());
    const int error = (*posix)->rename_to(slug);
    if (error == 0) return finished(**posix, slug, *bundle);
    if (error != EEXIST) return fail(io::write_error(slug, (*posix)->parent(), error));
  }
}

core::Expected<Published> PosixStore::publish_as(std::unique_ptr<Staging> staging, std::string_view slug) {
  const auto posix = ours(staging);
  if (!posix) return fail(posix.error());
  if (auto good = check_segment("slug", slug); !good) return fail(good.error());
  const auto bundle = (*posix)->seal();
  if (!bundle) return fail(bundle.error());
  (*posix)->sweep();
  const std::string name(slug);
  auto line = SignedLine::enter(**posix);
  if (!line) return fail(line.error());
  if (auto done = line->sign(name); !done) return fail(done.error());
  const int error = (*posix)->rename_to(name);
  if (error == 0) return finished(**posix, name, *bundle);
  const std::string path = io::join((*posix)->parent(), name);
  if (error == EEXIST) return fail(ErrorCode::already_exists, "registry entry already exists: " + path, {}, path);
  return fail(io::write_error(name, (*posix)->parent(), error));
}

core::Expected<Entry> PosixStore::open(const std::string& directory, const PathLimits& limits) const {
  return open_entry(directory, limits);
}

core::Expected<std::vector<std::string>> slugs_in(int folder, const std::string& path) {
  const auto names = io::list_folder(folder, path, kNamesAtMost);
  if (!names) return fail(names.error());
  std::vector<std::string> slugs;
  for (const auto& entry : *names) {
    if (S_ISDIR(entry.type) && is_slug(entry.name)) slugs.push_back(entry.name);
  }
  return slugs;  // sorted by bytes is sorted by time
}

core::Expected<std::vector<std::string>> PosixStore::slugs(Kind kind, std::string_view family,
                                                           std::string_view measurement) const {
  const auto inside = checked_inside(kind, family, measurement);
  if (!inside) return fail(inside.error());
  const std::string path = io::join(root_, *inside);
  const auto folder = open_inside(*inside);
  if (!folder) return fail(folder.error());
  if (!folder->valid()) return std::vector<std::string>{};
  return slugs_in(folder->get(), path);
}

core::Expected<std::vector<std::pair<std::string, std::string>>> PosixStore::measurements(Kind kind) const {
  std::vector<std::pair<std::string, std::string>> found;
  const std::string inside = io::join(kArtifacts, kind == Kind::entry ? "perf-baselines" : "perf-baseline-diffs");
  const std::string top = io::join(root_, inside);
  const auto folder = open_inside(inside);
  if (!folder) return fail(folder.error());
  if (!folder->valid()) return found;
  const auto families = io::list_folder(folder->get(), top, kNamesAtMost);
  if (!families) return fail(families.error());
  for (const auto& family : *families) {
    if (!S_ISDIR(family.type) || !check_segment("family", family.name)) continue;
    const io::Descriptor inner(::openat(folder->get(), family.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner.valid()) continue;  // removed meanwhile
    const auto names = io::list_folder(inner.get(), io::join(top, family.name), kNamesAtMost);
    if (!names) return fail(names.error());
    for (const auto& name : *names) {
      if (S_ISDIR(name.type) && check_segment("measurement", name.name)) found.emplace_back(family.name, name.name);
    }
  }
  return found;
}

std::string PosixStore::directory(Kind kind, std::string_view family, std::string_view measurement) const {
  return io::join(root_, inside_of(kind, family, measurement));
}

std::unique_ptr<Store> posix_store(std::string root, PathLimits limits) {
  return std::make_unique<PosixStore>(root, std::move(limits));
}

}  // namespace plumbline::registry
