#include "registry/s3/store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/cache/place.hpp"
#include "registry/s3/open.hpp"
#include "registry/verification.hpp"

namespace plumbline::registry::s3 {

using core::ErrorCode;
using core::Expected;
using core::fail;

namespace {

// A folder of the user's own, with those above it.
core::Status make_private(const std::string& path) {
  for (auto slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
      return fail(io::write_error(std::string(io::base_of(folder)), std::string(io::parent_of(folder)), errno));
    if (slash == std::string::npos) break;
  }
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
  return fail(ErrorCode::environment, "the folder of the cache cannot be made: " + path,
              "PLUMBLINE_CACHE_DIR names one on a local disk", path);
}

std::vector<std::string> slugs_of(const auto& listed) {
  std::vector<std::string> out;
  out.reserve(listed.size());
  for (const auto& one : listed) out.push_back(one.slug);
  return out;
}

PathLimits within(PathLimits limits, const std::string& folder) {
  if (!limits.allowed_roots.empty()) limits.allowed_roots = {folder};
  return limits;
}

}  // namespace

Expected<std::string> copy_folder(const std::string& address, const Environment& environment) {
  const auto settings = settings_of(address, environment);
  if (!settings) return fail(settings.error());
  const std::string caches = cache::folder(environment);
  if (caches.empty()) {
    return fail(ErrorCode::environment,
                "a store such as " + settings->address.text() +
                    " is read through a copy on this machine, "
                    "and there is no folder for it",
                "PLUMBLINE_CACHE_DIR names one on a local disk");
  }
  // Two servers may have buckets of one name.
  const std::string name = settings->endpoint.authority + "/" + settings->address.text();
  return io::join(io::join(caches, "stores"), sha256_hex(name).substr(0, 32));
}

Expected<std::unique_ptr<Store>> open(const StoreWish& wish) {
  auto settings = settings_of(wish.address, wish.environment);
  if (!settings) return fail(settings.error());
  const auto folder = copy_folder(wish.address, wish.environment);
  if (!folder) return fail(folder.error());
  if (auto made = make_private(*folder); !made) return fail(made.error());
  const std::string real = absolute_path(*folder, "");
  return std::unique_ptr<Store>(std::make_unique<S3Store>(std::move(*settings), wish.environment, real, wish.limits));
}

S3Store::S3Store(Settings settings, const Environment& environment, const std::string& copy, PathLimits limits)
    : address_(settings.address),
      limits_(within(std::move(limits), copy)),
      local_(copy, limits_, {}),
      client_(std::move(settings), environment, limits_.stop) {}

std::string S3Store::address_of(const std::string& path) const {
  if (!path_within(path, root())) return path;
  return address_.text() + path.substr(root().size());
}

Expected<std::string> S3Store::path_of(const std::string& address) const {
  const std::string ours = address_.text();
  std::string below = address.substr(0, ours.size()) == ours ? address.substr(ours.size()) : std::string(1, '?');
  while (below.ends_with('/')) below.pop_back();
  if (!below.empty() && below.front() != '/') {
    return fail(ErrorCode::not_found, core::cited(without_user(address)) + " is not in the store that is in use, " + ours,
                "`--store s3://BUCKET/PREFIX` names the one that it is in", without_user(address));
  }
  if (!below.empty() && !check_relative_name(below.substr(1)))
    return fail(ErrorCode::usage, core::cited(address) + " is no address in " + ours, {}, address);
  return root() + below;
}

std::string S3Store::key_of(const std::string& path) const {
  const std::string below = path.substr(root().size() + 1);
  return address_.prefix.empty() ? below : address_.prefix + "/" + below;
}

// Of the same line in the same bucket of the same server.
S3Store::Seen* S3Store::seen(const Line& line) const {
  Look* const look = Look::current();
  if (look == nullptr) return nullptr;
  auto& kept = look->seen(line.path);
  if (!kept) kept = std::make_unique<Seen>();
  return static_cast<Seen*>(kept.get());
}

void S3Store::forget_seen(const Line& line) const {
  if (Look* const look = Look::current()) look->seen(line.path).reset();
}

core::Status S3Store::removes() const {
  return fail(ErrorCode::usage, "gc takes nothing away from " + address_.text() + ": what is in a bucket was written once",
              "a lifecycle rule of the bucket lets what is old expire, see docs/stores.md", address_.text());
}

Expected<S3Store::Line> S3Store::line_of(Kind kind, std::string_view family, std::string_view measurement) const {
  auto place = local_.place(kind, family, measurement, "any");
  if (!place) return fail(place.error());
  Line line{kind, std::string(family), std::string(measurement), std::string(io::parent_of(*place)), {}};
  line.key = key_of(line.path) + "/";
  return line;
}

Expected<std::string> S3Store::place(Kind kind, std::string_view family, std::string_view measurement,
                                     std::string_view slug) const {
  return local_.place(kind, family, measurement, slug);
}

std::string S3Store::directory(Kind kind, std::string_view family, std::string_view measurement) const {
  return local_.directory(kind, family, measurement);
}

Expected<Entry> S3Store::open(const std::string& directory, const PathLimits& limits) const {
  const std::string path = path_within(directory, root()) ? directory : absolute_path(directory, "", limits);
  const Lying lying = lying_at(path);
  const bool here = path_within(path, root()) && lying.kind == Kind::entry;
  if (!here) return open_entry(directory, limits);  // a copy on this machine
  const auto line = line_of(Kind::entry, lying.family, lying.measurement);
  if (!line) return fail(line.error());
  if (auto whole = complete(*line, lying.slug, false); !whole) return fail(whole.error());
  auto entry = open_entry(path, within(limits, root()));
  if (!entry && entry.error().code == ErrorCode::provenance_mismatch) {
    // The copy was damaged on this machine, or it is so in the bucket: once more from there.
    if (auto whole = complete(*line, lying.slug, true); !whole) return fail(whole.error());
    entry = open_entry(path, within(limits, root()));
  }
  if (entry) entry->address = address_of(entry->path);
  return entry;
}

Expected<std::vector<std::string>> S3Store::newest_slugs(Kind kind, std::string_view family, std::string_view measurement,
                                                         std::size_t at_most) const {
  const auto line = line_of(kind, family, measurement);
  if (!line) return fail(line.error());
  const auto listed = newest(*line, at_most);
  if (!listed) return fail(listed.error());
  if (auto brought = bring_heads(*line, *listed); !brought) return fail(brought.error());
  return slugs_of(*listed);
}

Expected<std::vector<std::string>> S3Store::newest_names(Kind kind, std::string_view family, std::string_view measurement,
                                                         std::size_t at_most) const {
  const auto line = line_of(kind, family, measurement);
  if (!line) return fail(line.error());
  auto listed = newest(*line, at_most);
  if (!listed) return fail(listed.error());
  return slugs_of(*listed);
}

core::Status S3Store::bring_heads(Kind kind, std::string_view family, std::string_view measurement,
                                  std::span<const std::string> slugs) const {
  const auto line = line_of(kind, family, measurement);
  if (!line) return fail(line.error());
  const Seen* const before = seen(*line);
  std::vector<Listed> wanted;
  for (const std::string& slug : slugs) {
    const Listed* known = before == nullptr ? nullptr : find(before->known.publications, slug);
    wanted.push_back(known == nullptr ? Listed{slug, {}, {}} : *known);
  }
  return bring_heads(*line, wanted);
}

Expected<std::vector<std::string>> S3Store::slugs(Kind kind, std::string_view family, std::string_view measurement) const {
  auto slugs = newest_slugs(kind, family, measurement, SIZE_MAX);
  if (slugs) std::reverse(slugs->begin(), slugs->end());
  return slugs;
}

Expected<std::vector<std::string>> S3Store::names(Kind kind, std::string_view family, std::string_view measurement,
                                                  std::string_view since) const {
  const auto line = line_of(kind, family, measurement);
  if (!line) return fail(line.error());
  Known unshared;
  Seen* const before = seen(*line);
  Known& known = before == nullptr ? unshared : before->known;
  if (auto listed = extend(*line, known, std::string(since), SIZE_MAX); !listed) return fail(listed.error());
  std::vector<std::string> out;
  for (const Listed& one : known.publications) {
    if (one.slug >= since) out.push_back(one.slug);
  }
  return out;
}

Expected<std::vector<std::pair<std::string, std::string>>> S3Store::measurements(Kind kind) const {
  std::vector<std::pair<std::string, std::string>> out;
  const std::string top = std::string(io::parent_of(io::parent_of(local_.directory(kind, "f", "m"))));
  const std::string prefix = key_of(top) + "/";
  const auto families = folders_in(prefix);
  if (!families) return fail(families.error());
  std::vector<std::vector<std::string>> inner(families->size());
  auto listed = in_parallel(families->size(), [&](std::size_t i) -> core::Status {
    if (!check_segment("family", (*families)[i])) return {};
    auto names = folders_in(prefix + (*families)[i] + "/");
    if (!names) return fail(names.error());
    inner[i] = std::move(*names);
    return {};
  });
  if (!listed) return fail(listed.error());
  for (std::size_t i = 0; i < families->size(); ++i) {
    for (const std::string& name : inner[i]) {
      if (check_segment("measurement", name)) out.emplace_back((*families)[i], name);
    }
  }
  return out;
}

}  // namespace plumbline::registry::s3
