// The copy on this machine. Files come into a folder of their own beside the tree and are renamed into it when they are whole
// and, where SHA256SUMS speaks of them, what it says: a reader never sees half of one, and several processes may bring the same.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/s3/store.hpp"
#include "registry/tree.hpp"

namespace plumbline::registry::s3 {

using core::ErrorCode;
using core::Expected;
using core::fail;

namespace {

constexpr std::string_view kManifest = "SHA256SUMS";
constexpr std::uint64_t kManifestAtMost = 64U << 20;

bool is_there(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

core::Status make_folders(const std::string& root, const std::string& path) {
  for (auto slash = path.find('/', root.size() + 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
      return fail(io::write_error(std::string(io::base_of(folder)), std::string(io::parent_of(folder)), errno));
  }
  return {};
}

void remove_folder(const std::string& path) {
  const io::Descriptor parent(::open(std::string(io::parent_of(path)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.valid()) io::remove_tree(parent.get(), std::string(io::base_of(path)).c_str());
}

}  // namespace

core::Status S3Store::bring_file(const std::string& key, const std::string& path, const std::string& sha256) const {
  const std::string coming = io::join(io::join(root(), ".coming"), io::hex_random(16));
  if (auto made = make_folders(root(), coming); !made) return made;
  io::Descriptor fd(::open(coming.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
  if (!fd.valid()) return fail(io::write_error(std::string(io::base_of(path)), root(), errno));
  core::Status status;
  const auto digest = client_.get_to(key, fd.get(), limits_.bytes);
  if (!digest) {
    status = fail(digest.error());
  } else if (!sha256.empty() && *digest != sha256) {
    status = fail(ErrorCode::provenance_mismatch,
                  "s3://" + address_.bucket + "/" + key + " is not what was recorded: its SHA-256 is not the one of SHA256SUMS",
                  "restore the object from a copy, or record the measurement again", key);
  } else if (const int error = fd.close_checked(); error != 0) {
    status = fail(io::write_error(std::string(io::base_of(path)), root(), error));
  } else if (auto made = make_folders(root(), path); !made) {
    status = made;
  } else if (::rename(coming.c_str(), path.c_str()) != 0) {
    status = fail(io::write_error(std::string(io::base_of(path)), std::string(io::parent_of(path)), errno));
  }
  if (!status) ::unlink(coming.c_str());
  return status;
}

// The documents that lists and choices read; those that are there stay, since nothing published changes.
core::Status S3Store::bring_heads(const Line& line, const std::vector<Listed>& listed) const {
  std::vector<std::pair<std::string, std::string>> wanted;  // slug, name
  for (const Listed& one : listed) {
    const std::string folder = io::join(line.path, one.slug);
    const auto want = [&](std::string_view name) {
      if (!is_there(io::join(folder, std::string(name)))) wanted.emplace_back(one.slug, name);
    };
    if (line.kind == Kind::entry) {
      want("baseline.json");
      continue;
    }
    want(kManifest);
    const auto document = std::find_if(kBundleDocuments.begin(), kBundleDocuments.end(), [&](std::string_view name) {
      return std::find(one.names.begin(), one.names.end(), name) != one.names.end();
    });
    want(document == kBundleDocuments.end() ? kBundleDocuments.front() : *document);
  }
  return in_parallel(wanted.size(), [&](std::size_t i) -> core::Status {
    const auto& [slug, name] = wanted[i];
    const std::string below = slug + "/" + name;
    auto brought = bring_file(line.key + below, io::join(line.path, below), {});
    // What expired since it was listed, or never had that document: whoever reads it says so.
    if (!brought && brought.error().code == ErrorCode::not_found) return {};
    return brought;
  });
}

std::string S3Store::mark_of(const Line& line, const std::string& slug, const std::string& sha256) const {
  return io::join(io::join(root(), ".whole"), sha256 + "-" + sha256_hex(line.key + slug).substr(0, 16));
}

core::Status S3Store::mark_whole(const std::string& mark) const {
  if (auto made = make_folders(root(), mark); !made) return made;
  const io::Descriptor fd(::open(mark.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0444));
  if (!fd.valid()) return fail(io::write_error(std::string(io::base_of(mark)), root(), errno));
  return {};
}

void S3Store::forget(const Line& line, const std::string& slug) const { remove_folder(io::join(line.path, slug)); }

core::Status S3Store::complete(const Line& line, const std::string& slug, bool anew) const {
  const std::string folder = io::join(line.path, slug), prefix = line.key + slug + "/";
  const auto manifest = client_.get(prefix + std::string(kManifest), kManifestAtMost);
  if (!manifest && manifest.error().code == ErrorCode::not_found) {
    forget(line, slug);
    return fail(ErrorCode::not_found, "there is nothing published at " + address_of(folder),
                "an upload that never ended is not one; `plumbline history " + line.family + "/" + line.measurement +
                    "` lists what there is",
                address_of(folder));
  }
  if (!manifest) return fail(manifest.error());
  const std::string mark = mark_of(line, slug, sha256_hex(*manifest));
  if (!anew && is_there(mark) && is_there(io::join(folder, std::string(kManifest)))) return {};
  const auto lines = parse_manifest(*manifest, address_of(io::join(folder, std::string(kManifest))));
  if (!lines) return fail(lines.error());
  ::unlink(mark.c_str());
  const auto keys = keys_in(prefix);
  if (!keys) return fail(keys.error());
  std::set<std::string, std::less<>> names;  // what is there, listed in SHA256SUMS or not: verify is to see it
  for (const std::string& key : *keys) {
    if (check_relative_name(std::string_view(key).substr(prefix.size()))) names.insert(key.substr(prefix.size()));
  }
  if (anew) forget(line, slug);
  // What SHA256SUMS names and the bucket has lost is for verification to say, not for us.
  std::vector<std::string> wanted;
  for (const std::string& name : names) {
    const bool listed = std::any_of(lines->begin(), lines->end(), [&](const ManifestLine& one) { return one.name == name; });
    if (!(listed && is_there(io::join(folder, name)))) wanted.push_back(name);
  }
  auto brought =
      in_parallel(wanted.size(), [&](std::size_t i) { return bring_file(prefix + wanted[i], io::join(folder, wanted[i]), {}); });
  if (!brought) return brought;
  return mark_whole(mark);
}

// Acceptances and everything else beside the publications, too; what the bucket does not have any more goes.
core::Status S3Store::bring_line(const Line& line, bool anew) const {
  auto listed = list_from(line, {}, SIZE_MAX);
  if (!listed) return fail(listed.error());
  std::set<std::string> slugs;
  for (const Listed& one : listed->publications) {
    slugs.insert(one.slug);
    if (auto whole = complete(line, one.slug, anew); !whole && whole.error().code != ErrorCode::not_found) return whole;
  }
  const io::Descriptor folder(::open(line.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.valid()) {
    const auto there = slugs_in(folder.get(), line.path);
    if (!there) return fail(there.error());
    for (const std::string& slug : *there) {
      if (!slugs.contains(slug)) forget(line, slug);
    }
  }
  if (line.kind == Kind::entry) {
    const std::string prefix = line.key + "accepted/", path = io::join(line.path, "accepted");
    const auto keys = keys_in(prefix);
    if (!keys) return fail(keys.error());
    if (anew) remove_folder(path);
    for (const std::string& key : *keys) {
      const std::string name = key.substr(prefix.size());
      if (name.starts_with('.') || !check_relative_name(name) || is_there(io::join(path, name))) continue;
      if (auto brought = bring_file(key, io::join(path, name), {}); !brought) return brought;
    }
  }
  return {};
}

core::Status S3Store::bring(const StorePart& part) const {
  for (const Kind kind : {Kind::entry, Kind::bundle}) {
    if (part.kind && *part.kind != kind) continue;
    std::vector<std::pair<std::string, std::string>> names = {{std::string(part.family), std::string(part.measurement)}};
    if (part.measurement.empty()) {
      auto all = measurements(kind);
      if (!all) return fail(all.error());
      names = std::move(*all);
    }
    for (const auto& [family, measurement] : names) {
      if (!part.family.empty() && part.family != family) continue;
      if (limits_.stop && limits_.stop()) return fail(ErrorCode::cancelled, "stopped");
      const auto line = line_of(kind, family, measurement);
      if (!line) return fail(line.error());
      auto brought = part.slug.empty() ? bring_line(*line, part.anew) : complete(*line, std::string(part.slug), part.anew);
      if (!brought) return brought;
    }
  }
  return {};
}

}  // namespace plumbline::registry::s3
