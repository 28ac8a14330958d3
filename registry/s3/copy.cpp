// The copy on this machine. Files come into a folder of their own beside the tree and are renamed into it when they are whole
// and, where SHA256SUMS speaks of them, what it says: a reader never sees half of one, and several processes may bring the same.
#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/manifest/tree.hpp"
#include "registry/s3/store.hpp"

namespace plumbline::registry::s3 {

using core::ErrorCode;
using core::Expected;
using core::fail;

namespace {

constexpr std::string_view kManifest = "SHA256SUMS";
constexpr std::uint64_t kManifestAtMost = 64U << 20;

// "" where the crypto library keeps to what is approved.
std::string md5_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_md5(), nullptr) != 1) return {};
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out += kDigits[digest[i] >> 4];
    out += kDigits[digest[i] & 15];
  }
  return out;
}

bool is_there(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

// No file that is read without its digest is empty, but for what a power failure leaves of one.
bool has_bytes(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
}

bool holds(const std::string& path, const std::string& sha256, const PathLimits& limits) {
  if (!is_there(path)) return false;
  const auto file = io::open_file(path, limits);
  if (!file) return false;
  const auto digest = io::hash_file(*file, limits);
  return digest && *digest == sha256;
}

// The same of a file that SHA256SUMS lists in parts.
bool holds(const std::string& path, std::string_view name, const FileParts& parts, const PathLimits& limits) {
  if (!is_there(path)) return false;
  const auto file = io::open_file(path, limits);
  if (!file) return false;
  PartChecker checker(name, parts);
  const auto read = io::read_blocks(*file, limits, [&checker](std::string_view bytes) -> core::Status {
    checker.update(bytes);
    return {};
  });
  return read && checker.wrong().empty();
}

core::Status make_folders(const std::string& root, const std::string& path) {
  for (auto slash = path.find('/', root.size() + 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
      return fail(io::write_error(std::string(io::base_of(folder)), std::string(io::parent_of(folder)), errno));
  }
  return {};
}

// Names are relative to the folder. Whoever reads the rest meanwhile goes on reading.
void keep_only(int folder, const std::string& above, const std::set<std::string, std::less<>>& names) {
  const auto there = io::list_folder(folder, above, 1'000'000);
  if (!there) return;
  for (const io::Name& one : *there) {
    const std::string name = above + one.name, below = name + "/";
    if (names.contains(name)) continue;
    const auto first = names.lower_bound(below);
    if (!S_ISDIR(one.type) || first == names.end() || !first->starts_with(below)) {
      io::remove_tree(folder, one.name.c_str());
      continue;
    }
    const io::Descriptor inner(::openat(folder, one.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (inner.valid()) keep_only(inner.get(), below, names);
  }
}

void keep_only(const std::string& path, const std::set<std::string, std::less<>>& names) {
  const io::Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.valid()) keep_only(folder.get(), {}, names);
}

void remove_folder(const std::string& path) {
  const io::Descriptor parent(::open(std::string(io::parent_of(path)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.valid()) io::remove_tree(parent.get(), std::string(io::base_of(path)).c_str());
}

}  // namespace

const S3Store::Listed* S3Store::find(const std::vector<Listed>& listed, const std::string& slug) {
  const auto found = std::lower_bound(listed.begin(), listed.end(), slug,
                                      [](const Listed& one, const std::string& name) { return one.slug < name; });
  return found != listed.end() && found->slug == slug ? &*found : nullptr;
}

core::Expected<std::string> S3Store::bring_file(const std::string& key, const std::string& path,
                                                const std::string& sha256) const {
  const std::string coming = io::join(io::join(root(), ".coming"), io::hex_random(16));
  if (auto made = make_folders(root(), coming); !made) return fail(made.error());
  io::Descriptor fd(::open(coming.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
  if (!fd.valid()) return fail(io::write_error(std::string(io::base_of(path)), root(), errno));
  core::Status status;
  auto digest = client_.get_to(key, fd.get(), limits_.bytes);
  if (!digest) {
    status = fail(digest.error());
  } else if (!sha256.empty() && *digest != sha256) {
    status = fail(ErrorCode::provenance_mismatch,
                  "s3://" + address_.bucket + "/" + key + " is not what was recorded: its SHA-256 is not the one of SHA256SUMS",
                  "restore the object from a copy, or record the measurement again", key);
  } else if (::fdatasync(fd.get()) != 0 && errno != EINVAL && errno != ENOSYS) {  // or a power failure keeps the name alone
    status = fail(io::write_error(std::string(io::base_of(path)), root(), errno));
  } else if (const int error = fd.close_checked(); error != 0) {
    status = fail(io::write_error(std::string(io::base_of(path)), root(), error));
  } else if (auto made = make_folders(root(), path); !made) {
    status = made;
  } else if (::rename(coming.c_str(), path.c_str()) != 0) {
    status = fail(io::write_error(std::string(io::base_of(path)), std::string(io::parent_of(path)), errno));
  }
  if (status) return digest;
  ::unlink(coming.c_str());
  return fail(status.error());
}

// The documents that lists and choices read; those that are there stay, since nothing published changes.
core::Status S3Store::bring_heads(const Line& line, const std::vector<Listed>& listed) const {
  std::vector<std::pair<std::string, std::string>> wanted;  // slug, name
  for (const Listed& one : listed) {
    const std::string folder = io::join(line.path, one.slug);
    const auto want = [&](std::string_view name) {
      if (!has_bytes(io::join(folder, std::string(name)))) wanted.emplace_back(one.slug, name);
    };
    if (line.kind == Kind::entry) {
      want("baseline.json");
      continue;
    }
    want(kManifest);
    const auto is_here = [&](std::string_view name) { return has_bytes(io::join(folder, std::string(name))); };
    if (one.names.empty()) {  // not listed: which of the documents it has is tried
      if (std::none_of(kBundleDocuments.begin(), kBundleDocuments.end(), is_here)) wanted.emplace_back(one.slug, std::string());
      continue;
    }
    const auto document = std::find_if(kBundleDocuments.begin(), kBundleDocuments.end(), [&](std::string_view name) {
      return std::find(one.names.begin(), one.names.end(), name) != one.names.end();
    });
    want(document == kBundleDocuments.end() ? kBundleDocuments.front() : *document);
  }
  return in_parallel(wanted.size(), [&](std::size_t i) -> core::Status {
    const auto& [slug, wanted_name] = wanted[i];
    std::vector<std::string> names = {wanted_name};
    if (wanted_name.empty()) names.assign(kBundleDocuments.begin(), kBundleDocuments.end());
    for (const std::string& name : names) {
      const std::string below = slug + "/" + name;
      const auto brought = bring_file(line.key + below, io::join(line.path, below), {});
      if (brought) return {};
      if (brought.error().code != ErrorCode::not_found) return fail(brought.error());
    }
    // What has lost that document, or never had it: whoever reads its folder says so.
    return make_folders(root(), io::join(line.path, slug + "/" + names.front()));
  });
}

// What the next signer continues; the snapshot beside it may be gigabytes.
core::Status S3Store::bring_attestation(const Line& line, const Listed& listed) const {
  std::vector<std::string> wanted = {std::string(kManifest)};
  std::copy_if(listed.names.begin(), listed.names.end(), std::back_inserter(wanted),
               [](const std::string& name) { return name.starts_with("attest/") && check_relative_name(name).has_value(); });
  std::erase_if(wanted, [&](const std::string& name) { return has_bytes(io::join(io::join(line.path, listed.slug), name)); });
  return in_parallel(wanted.size(), [&](std::size_t i) -> core::Status {
    const std::string below = listed.slug + "/" + wanted[i];
    const auto brought = bring_file(line.key + below, io::join(line.path, below), {});
    if (!brought) return fail(brought.error());
    return {};
  });
}

// The same of one that was not listed with its files, and SHA256SUMS of an entry, too.
core::Status S3Store::bring_head(const Line& line, const std::string& slug) const {
  if (auto brought = bring_heads(line, {{slug, {}, {}}}); !brought) return brought;
  const std::string manifest = io::join(io::join(line.path, slug), std::string(kManifest));
  if (is_there(manifest)) return {};
  const auto brought = bring_file(line.key + slug + "/" + std::string(kManifest), manifest, {});
  if (!brought && brought.error().code != ErrorCode::not_found) return fail(brought.error());
  return {};
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

// File by file where a reader has made the folder already, for one that was removed would be gone under its hands.
bool S3Store::move_in(const std::string& from, const std::string& folder, const std::vector<core::FileRef>& files) const {
  std::set<std::string, std::less<>> names;
  for (const core::FileRef& file : files) {
    const std::string to = io::join(folder, file.name);
    if (!make_folders(root(), to) || ::rename(io::join(from, file.name).c_str(), to.c_str()) != 0) return false;
    names.insert(file.name);
  }
  keep_only(folder, names);
  return true;
}

void S3Store::forget(const Line& line, const std::string& slug) const { remove_folder(io::join(line.path, slug)); }

// Whether the listing of this look shows SHA256SUMS as it is in the copy, in which everything was checked against it. What the
// server calls it by is its MD5, where nothing was put in parts or encrypted with a key of the user's: anything else is no match,
// and asked for.
bool S3Store::is_as_listed(const Line& line, const std::string& slug) const {
  Seen* const before = seen(line);
  if (before == nullptr) return false;
  if (before->whole.contains(slug)) return true;
  const Listed* const found = find(before->known.publications, slug);
  if (found == nullptr || found->etag.empty()) return false;
  const auto here = read_file(io::join(io::join(line.path, slug), std::string(kManifest)), limits_);
  if (!here || md5_hex(here->view()) != found->etag) return false;
  if (!is_there(mark_of(line, slug, sha256_hex(here->view())))) return false;
  before->whole.insert(slug);
  return true;
}

// A small file of the copy, whole or not there.
core::Status S3Store::keep(const std::string& path, std::string_view bytes) const {
  const std::string coming = io::join(io::join(root(), ".coming"), io::hex_random(16));
  if (auto made = make_folders(root(), coming); !made) return made;
  io::Descriptor fd(::open(coming.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
  if (!fd.valid()) return fail(io::write_error(std::string(io::base_of(path)), root(), errno));
  int error = io::write_all(fd.get(), bytes);
  if (error == 0 && ::fdatasync(fd.get()) != 0 && errno != EINVAL && errno != ENOSYS) error = errno;
  if (const int closing = fd.close_checked(); error == 0) error = closing;
  core::Status status =
      error == 0 ? make_folders(root(), path) : fail(io::write_error(std::string(io::base_of(path)), root(), error));
  if (status && ::rename(coming.c_str(), path.c_str()) != 0)
    status = fail(io::write_error(std::string(io::base_of(path)), std::string(io::parent_of(path)), errno));
  if (!status) ::unlink(coming.c_str());
  return status;
}

// Of parts that are all here one file. Each goes when its bytes are in that file, so that no more than one part lies here twice.
core::Status S3Store::join_parts(const std::string& folder, const std::string& name, const FileParts& parts) const {
  const auto failed = [&](int error) { return fail(io::write_error(name, folder, error)); };
  const std::string coming = io::join(io::join(root(), ".coming"), io::hex_random(16));
  const auto part_path = [&](const FilePart& part) { return io::join(folder, part_name(name, part.offset)); };
  if (auto made = make_folders(root(), coming); !made) return made;
  if (::rename(part_path(parts.front()).c_str(), coming.c_str()) != 0) return failed(errno);
  int error = ::chmod(coming.c_str(), 0644) == 0 ? 0 : errno;
  io::Descriptor to(error == 0 ? ::open(coming.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) : -1);
  if (error == 0 && !to.valid()) error = errno;
  for (std::size_t i = 1; i < parts.size() && error == 0; ++i) {
    const auto part = io::open_file(part_path(parts[i]), limits_);
    if (!part) {
      ::unlink(coming.c_str());
      return fail(part.error());
    }
    auto copied = io::read_blocks(*part, limits_, [&](std::string_view bytes) -> core::Status {
      if (const int failure = io::write_all(to.get(), bytes); failure != 0) return failed(failure);
      return {};
    });
    if (!copied) {
      ::unlink(coming.c_str());
      return copied;
    }
    ::unlink(part->path.c_str());
  }
  if (error == 0 && ::fchmod(to.get(), 0444) != 0) error = errno;
  if (error == 0 && ::fdatasync(to.get()) != 0 && errno != EINVAL && errno != ENOSYS) error = errno;
  if (const int closing = to.close_checked(); error == 0) error = closing;
  if (error == 0 && ::rename(coming.c_str(), io::join(folder, name).c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(coming.c_str());
  return failed(error);
}

// As far as SHA256SUMS lists it, and its signature, whose names a listing of this look has told. Where there was none the folder
// is listed, and what somebody put beside it comes, too; `anew`: in any case, for verify is to see it.
core::Status S3Store::complete(const Line& line, const std::string& slug, bool anew) const {
  if (!anew && is_as_listed(line, slug)) return {};
  const std::string folder = io::join(line.path, slug), prefix = line.key + slug + "/";
  const std::string sums = io::join(folder, std::string(kManifest));
  const auto manifest = client_.get(prefix + std::string(kManifest), kManifestAtMost);
  if (!manifest && manifest.error().code == ErrorCode::not_found) {
    forget(line, slug);
    return fail(ErrorCode::not_found, "there is nothing published at " + address_of(folder),
                "an upload that never ended is not one; `plumbline history " + line.family + "/" + line.measurement +
                    "` lists what there is",
                address_of(folder));
  }
  if (!manifest) return fail(manifest.error());
  Seen* const before = seen(line);
  const std::string mark = mark_of(line, slug, sha256_hex(*manifest));
  if (!anew && is_there(mark) && is_there(sums)) {
    if (before != nullptr) before->whole.insert(slug);
    return {};
  }
  const auto lines = parse_manifest(*manifest, address_of(sums));
  if (!lines) return fail(lines.error());
  ::unlink(mark.c_str());
  std::map<std::string, std::string, std::less<>> names;  // and digests; "": SHA256SUMS does not list it
  for (const ManifestLine& one : *lines) names[one.name] = one.sha256;
  const Listed* const listed = before == nullptr || anew ? nullptr : find(before->known.publications, slug);
  if (listed != nullptr) {
    for (const std::string& name : listed->names) {
      if (check_relative_name(name)) names.try_emplace(name);
    }
  } else {
    // What SHA256SUMS names and the bucket has lost is for verification to say, not for us; so is what is wrong with what is
    // brought anew.
    const auto keys = keys_in(prefix);
    if (!keys) return fail(keys.error());
    std::map<std::string, std::string, std::less<>> there;
    for (const std::string& key : *keys) {
      const std::string name = key.substr(prefix.size());
      if (name == kManifest || !check_relative_name(name)) continue;
      const auto digest = names.find(name);
      there[name] = digest == names.end() ? std::string() : digest->second;
    }
    names = std::move(there);
  }
  const auto in_parts = files_in_parts(*lines);
  std::set<std::string, std::less<>> joined;  // parts that need not come: the file is here
  for (const auto& [name, parts] : in_parts) {
    if (anew || !holds(io::join(folder, name), name, parts, limits_)) continue;
    for (const FilePart& part : parts) joined.insert(part_name(name, part.offset));
  }
  std::vector<std::pair<std::string, std::string>> wanted;  // name and digest
  for (const auto& [name, sha256] : names) {
    if (joined.contains(name)) continue;
    if (anew || sha256.empty() || !holds(io::join(folder, name), sha256, limits_)) wanted.emplace_back(name, sha256);
  }
  std::mutex mutex;
  core::Status wrong;
  bool whole = true;
  auto brought = in_parallel(wanted.size(), [&](std::size_t i) -> core::Status {
    const auto& [name, sha256] = wanted[i];
    const auto one = bring_file(prefix + name, io::join(folder, name), anew ? std::string() : sha256);
    const bool lost = !one && one.error().code == ErrorCode::not_found;
    if (!one && !lost && one.error().code != ErrorCode::provenance_mismatch) return fail(one.error());
    const std::lock_guard lock(mutex);  // the others come all the same
    whole = whole && one && (sha256.empty() || *one == sha256);
    if (!one && !lost && wrong) wrong = fail(one.error());
    return {};
  });
  if (!brought) return brought;
  if (auto kept = keep(sums, *manifest); !kept) return kept;
  if (!wrong) return wrong;
  if (anew) {
    std::set<std::string, std::less<>> all = {std::string(kManifest)};
    for (const auto& [name, sha256] : names) all.insert(name);
    keep_only(folder, all);
  }
  if (!whole) return {};
  for (const auto& file : in_parts) {
    const bool all_here = std::all_of(file.second.begin(), file.second.end(), [&](const FilePart& part) {
      return is_there(io::join(folder, part_name(file.first, part.offset)));
    });
    if (!all_here) continue;  // joined already, or one is lost
    if (auto done = join_parts(folder, file.first, file.second); !done) return done;
  }
  if (before != nullptr) before->whole.insert(slug);
  return mark_whole(mark);
}

// Acceptances and everything else beside the publications, too; what the bucket does not have any more goes.
core::Status S3Store::bring_line(const Line& line, bool anew) const {
  auto listed = list_from(line, {}, SIZE_MAX);
  if (!listed) return fail(listed.error());
  std::set<std::string> slugs;
  for (const Listed& one : listed->publications) {
    slugs.insert(one.slug);
    auto whole = complete(line, one.slug, anew);
    // What is gone or not what it was is for the reader of the line to say, who needs the rest of it.
    const bool said =
        !whole && (whole.error().code == ErrorCode::not_found || whole.error().code == ErrorCode::provenance_mismatch);
    if (!whole && !said) return whole;
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
    std::set<std::string, std::less<>> names;
    for (const std::string& key : *keys) {
      const std::string name = key.substr(prefix.size());
      if (name.starts_with('.') || !check_relative_name(name)) continue;
      names.insert(name);
      if (!anew && has_bytes(io::join(path, name))) continue;
      if (auto brought = bring_file(key, io::join(path, name), {}); !brought) return fail(brought.error());
    }
    if (anew) keep_only(path, names);
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
      auto brought = part.slug.empty() ? bring_line(*line, part.anew)
                     : part.head       ? bring_head(*line, std::string(part.slug))
                                       : complete(*line, std::string(part.slug), part.anew);
      if (!brought) return brought;
    }
  }
  return {};
}

}  // namespace plumbline::registry::s3
