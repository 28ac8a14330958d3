#include "registry/posix/store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "registry/confine.hpp"
#include "registry/far_lines.hpp"
#include "registry/pgindex/indexed_store.hpp"
#include "registry/posix/settling.hpp"
#include "registry/posix/signed_line.hpp"
#include "registry/posix/staging.hpp"

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

// Visible, and as far as can be told on its disk.
Published visible(PosixStaging& staging, const std::string& slug, const std::string& bundle) {
  Published published;
  published.path = published.address = io::join(staging.parent(), slug);
  published.slug = slug;
  published.sha256 = bundle;
  published.files = staging.files(published.path);
  return published;
}

void settle_all(PosixStaging& staging, cache::Index& index, std::vector<Published>& published) {
  cache::SlugList slugs;
  for (const Published& one : published) slugs.add(one.slug);
  if (const auto settled = settle(staging, index, slugs); !settled) {
    published.back().warnings.push_back(
        {"index_not_written", "the entry is published, INDEX.md is not up to date: " + settled.error().message});
  }
}

Published finished(PosixStaging& staging, SignedLine& line, cache::Index& index, const std::string& slug,
                   const std::string& bundle) {
  std::vector<Published> published = {visible(staging, slug, bundle)};
  staging.confirm(published.front().warnings);
  line.leave();
  settle_all(staging, index, published);
  return std::move(published.front());
}

}  // namespace

core::Expected<std::string> PosixStore::checked_inside(Kind kind, std::string_view family, std::string_view measurement) const {
  if (auto good = check_segment("family", family); !good) return fail(good.error());
  if (auto good = check_segment("measurement", measurement); !good) return fail(good.error());
  const std::string base = io::join(root_, kArtifacts);
  const std::string wanted = io::join(root_, inside_of(kind, family, measurement));
  // Links that stay inside are followed (a renamed family, say); the resolved path is what is used from here on.
  const std::string real = absolute_path(wanted, "", limits_);
  const auto allowed = check_allowed(wanted, limits_);
  const bool outside = !allowed && allowed.error().code == ErrorCode::path_not_allowed;
  if (!allowed && !outside) return fail(allowed.error());
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
  auto line = SignedLine::enter(**posix, index_);
  if (!line) return fail(line.error());
  for (auto time = line->not_before(now);; time += std::chrono::microseconds(1)) {
    const std::string slug = slug_of(time);
    if (auto done = line->sign(slug); !done) return fail(done.error());
    const int error = (*posix)->rename_to(slug);
    if (error == 0) return finished(**posix, *line, index_, slug, *bundle);
    if (error != EEXIST) return fail(io::write_error(slug, (*posix)->parent(), error));
  }
}

core::Expected<Published> PosixStore::publish_as(std::unique_ptr<Staging> staging, std::string_view slug) {
  const auto posix = ours(staging);
  if (!posix) return fail(posix.error());
  if (auto good = check_segment("slug", slug); !good) return fail(good.error());
  const auto bundle = (*posix)->seal();
  if (!bundle) return fail(bundle.error());
  const std::string name(slug);
  auto line = SignedLine::enter(**posix, index_);
  if (!line) return fail(line.error());
  if (auto done = line->sign(name); !done) return fail(done.error());
  const int error = (*posix)->rename_to(name);
  if (error == 0) return finished(**posix, *line, index_, name, *bundle);
  const std::string path = io::join((*posix)->parent(), name);
  if (error == EEXIST) return fail(ErrorCode::already_exists, "registry entry already exists: " + path, {}, path);
  return fail(io::write_error(name, (*posix)->parent(), error));
}

core::Expected<std::vector<Published>> PosixStore::publish_all(std::vector<std::unique_ptr<Staging>> stagings,
                                                               std::chrono::system_clock::time_point now) {
  std::vector<Published> published;
  std::vector<std::string> bundles;
  for (const auto& staging : stagings) {
    const auto posix = ours(staging);
    if (!posix) return fail(posix.error());
    if (!(*posix)->is_in_batch() || (*posix)->signing() != nullptr)
      return fail(ErrorCode::internal, "what is published together is unsigned and was staged for it");
    auto bundle = (*posix)->seal();
    if (!bundle) return fail(bundle.error());
    bundles.push_back(std::move(*bundle));
  }
  if (stagings.empty()) return published;
  auto& last = static_cast<PosixStaging&>(*stagings.back());
  if (::syncfs(last.parent_fd()) != 0 && errno != ENOSYS) return fail(io::write_error("the staged files", last.parent(), errno));
  auto time = now;
  for (std::size_t i = 0; i < stagings.size(); ++i) {
    auto& staging = static_cast<PosixStaging&>(*stagings[i]);
    for (;; time += std::chrono::microseconds(1)) {
      const std::string slug = slug_of(time);
      const int error = staging.rename_to(slug);
      if (error == EEXIST) continue;
      if (error != 0) return fail(io::write_error(slug, staging.parent(), error));
      published.push_back(visible(staging, slug, bundles[i]));
      break;
    }
  }
  last.confirm(published.back().warnings);
  settle_all(last, index_, published);
  return published;
}

core::Expected<Entry> PosixStore::open(const std::string& directory, const PathLimits& limits) const {
  return open_entry(directory, limits);
}

core::Expected<std::vector<std::string>> slugs_in(int folder, const std::string& path) {
  const auto listing = cache::list_line(folder, path);
  if (!listing) return fail(listing.error());
  return listing->slugs.texts();  // sorted by bytes is sorted by time
}

core::Expected<std::vector<std::string>> PosixStore::newest_slugs(Kind kind, std::string_view family,
                                                                  std::string_view measurement, std::size_t at_most) const {
  const auto inside = checked_inside(kind, family, measurement);
  if (!inside) return fail(inside.error());
  const auto folder = open_inside(*inside);
  if (!folder) return fail(folder.error());
  if (!folder->valid()) return std::vector<std::string>{};
  const auto known = index_.look(folder->get(), *inside, io::join(root_, *inside), at_most);
  if (!known) return fail(known.error());
  auto slugs = known->newest.last(at_most).texts();
  std::reverse(slugs.begin(), slugs.end());
  return slugs;
}

core::Expected<std::vector<std::string>> PosixStore::slugs(Kind kind, std::string_view family,
                                                           std::string_view measurement) const {
  auto slugs = newest_slugs(kind, family, measurement, SIZE_MAX);
  if (slugs) std::reverse(slugs->begin(), slugs->end());
  return slugs;
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

std::string PosixStore::line_of(Kind kind, std::string_view family, std::string_view measurement) const {
  return checked_inside(kind, family, measurement).value_or(std::string());
}

std::string PosixStore::directory(Kind kind, std::string_view family, std::string_view measurement) const {
  return io::join(root_, inside_of(kind, family, measurement));
}

std::unique_ptr<Store> posix_store(const std::string& root, PathLimits limits, const std::string& cache_folder) {
  return std::make_unique<PosixStore>(root, std::move(limits), cache_folder);
}

core::Expected<std::vector<std::string>> Store::names(Kind kind, std::string_view family, std::string_view measurement,
                                                      std::string_view since) const {
  if (since.empty()) return slugs(kind, family, measurement);
  std::vector<std::string> out;
  NewestFirst listed(*this, kind, family, measurement);
  for (;;) {
    auto slug = listed.next();
    if (!slug) return fail(slug.error());
    if (!*slug || **slug < since) break;
    out.push_back(std::move(**slug));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

namespace {

// Of what is far away the first is all that most questions need; who goes on is brought more at a time. `at` comes from position
// to position: where one of these parts ends.
std::size_t end_of_part(std::size_t at, std::size_t count) {
  const std::size_t end = at == 0 ? 1 : at < 8 ? 8 : at < 32 ? 32 : at / 64 * 64 + 64;
  return std::min(end, count);
}

}  // namespace

core::Expected<std::optional<std::string>> NewestFirst::next() {
  static constexpr std::size_t kFew = 32;
  const auto* const far = dynamic_cast<const FarLines*>(&pgindex::store_of(store_));
  bool begins = at_ == 0 || at_ == end_of_part(at_ - 1, slugs_.size());
  if (at_ == slugs_.size()) {
    if (at_ < asked_) return std::optional<std::string>();  // there were no more
    const std::string last = slugs_.empty() ? std::string() : slugs_.back();
    const std::size_t first = far != nullptr ? 1 : kFew;
    asked_ = asked_ == 0 ? first : asked_ < kFew ? kFew : asked_ > kFew ? SIZE_MAX : kFew * kFew;
    auto slugs = far != nullptr ? far->newest_names(kind_, family_, measurement_, asked_)
                                : store_.newest_slugs(kind_, family_, measurement_, asked_);
    if (!slugs) return fail(slugs.error());
    slugs_ = std::move(*slugs);
    at_ = 0;
    // Others may have published meanwhile: what comes after the last one goes on from there.
    while (!last.empty() && at_ < slugs_.size() && slugs_[at_] >= last) ++at_;
    if (at_ == slugs_.size()) return std::optional<std::string>();
    begins = true;
  }
  if (far != nullptr && begins) {
    const auto part = std::span(slugs_).subspan(at_, end_of_part(at_, slugs_.size()) - at_);
    if (auto brought = far->bring_heads(kind_, family_, measurement_, part); !brought) return fail(brought.error());
  }
  return std::optional(slugs_[at_++]);
}

}  // namespace plumbline::registry
