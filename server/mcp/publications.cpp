#include "server/mcp/publications.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/manifest/parts.hpp"
#include "registry/open_store.hpp"
#include "verbs/environment.hpp"

namespace plumbline::server::mcp {

using core::ErrorCode;
using core::Expected;
using core::fail;
using registry::Kind;

namespace {

constexpr std::string_view kSums = "SHA256SUMS";
constexpr std::string_view kSignatures = "attest/";
constexpr std::uint64_t kSumsAtMost = 64ULL << 20;
constexpr std::uint64_t kHashedEachTime = 1U << 20;  // smaller files are not worth remembering
constexpr std::size_t kRemembered = 64;
constexpr std::size_t kCandidates = 20'000;  // names that a mistyped one is held against

std::string question(std::string_view near) { return "did you mean " + std::string(near) + "?"; }

// "did you mean x?", or the names there are.
std::string instead(std::string_view word, const std::set<std::string>& names, const std::string& none) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  if (const std::string_view near = core::nearest(word, candidates); !near.empty()) return question(near);
  if (names.empty()) return none;
  return "there is " + core::listed(std::vector<std::string>(names.begin(), names.end()));
}

std::string name_of(const ResourceUri& uri) { return uri.family + "/" + uri.measurement; }

Kind kind_of(const ResourceUri& uri) { return uri.kind == ResourceUri::Kind::entry ? Kind::entry : Kind::bundle; }

// Why there is nothing under a family and measurement.
core::Error nothing_in(const registry::Store& store, const ResourceUri& uri) {
  const bool entries = kind_of(uri) == Kind::entry;
  const auto all = store.measurements(kind_of(uri));
  if (!all) return all.error();
  std::set<std::string> families, measurements;
  for (const auto& [family, measurement] : *all) {
    families.insert(family);
    if (family == uri.family) measurements.insert(measurement);
  }
  if (measurements.empty()) {
    return {ErrorCode::not_found,
            std::string("there is no family ") + core::cited(uri.family) + (entries ? " of baselines" : " of diffs"),
            instead(uri.family, families, "nothing is there yet"),
            {}};
  }
  if (measurements.count(uri.measurement) == 0) {
    return {ErrorCode::not_found,
            "the family " + uri.family + " has no measurement " + core::cited(uri.measurement),
            instead(uri.measurement, measurements, {}),
            {}};
  }
  return {ErrorCode::not_found, name_of(uri) + (entries ? " has no entry yet" : " has no diff yet"), {}, {}};
}

// The slug of that moment or the one before it, else the first.
const std::string& nearest_in_time(const std::vector<std::string>& slugs, const std::string& slug) {
  const auto after = std::upper_bound(slugs.begin(), slugs.end(), slug);
  return after == slugs.begin() ? slugs.front() : *std::prev(after);
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000LL + time.tv_nsec; }

std::optional<KnownDigests::Identity> identity_of(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
  return KnownDigests::Identity{info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size), nanoseconds(info.st_mtim),
                                nanoseconds(info.st_ctim)};
}

// A change within the clock's last ticks could leave the same times behind.
bool is_settled(const KnownDigests::Identity& identity) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - identity.changed_ns > 2'000'000'000LL;
}

Expected<registry::Bytes> read_in(const std::string& folder, const std::string& name, const registry::PathLimits& limits) {
  const std::string path = folder + "/" + name;
  struct stat info {};
  const bool link = ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
  if (link || registry::absolute_path(path, "") != path) {
    return fail(ErrorCode::provenance_mismatch, path + " is reached through a symbolic link",
                "nothing that is published holds one; bundle_verify lists what is wrong", path);
  }
  return registry::read_file(path, limits);
}

// In pieces, so that who has asked may change his mind.
core::Status each_piece(std::string_view bytes, const registry::PathLimits& limits,
                        const std::function<void(std::string_view)>& take) {
  constexpr std::size_t kPiece = 16U << 20;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    if (limits.stop && limits.stop()) return fail(ErrorCode::cancelled, "stopped while checking digests");
    take(bytes.substr(at, kPiece));
  }
  return {};
}

Expected<std::string> digest_of(std::string_view bytes, const registry::PathLimits& limits) {
  registry::Sha256 sha;
  auto read = each_piece(bytes, limits, [&sha](std::string_view piece) { sha.update(piece); });
  if (!read) return fail(std::move(read.error()));
  return sha.hex();
}

// A file whose parts SHA256SUMS lists, in the order of its bytes.
core::Status check_parts(const std::string& path, const registry::FileParts& parts, std::string_view bytes,
                         const registry::PathLimits& limits) {
  registry::PartChecker checker(path, parts);
  if (auto read = each_piece(bytes, limits, [&checker](std::string_view piece) { checker.update(piece); }); !read) return read;
  const auto wrong = checker.wrong();
  if (wrong.empty()) return {};
  return fail(ErrorCode::provenance_mismatch,
              path + " is not what was published: " + wrong.front().first + " of SHA256SUMS has another sha256",
              "bundle_verify lists everything; restore it from a copy", path);
}

struct Sums {
  registry::Bytes bytes;
  std::vector<registry::ManifestLine> lines;
  std::map<std::string, registry::FileParts, std::less<>> in_parts;
  std::string sha256;
};
// SHA256SUMS of a publication; nothing where there is none.
Expected<std::optional<Sums>> read_sums(const std::string& folder, registry::PathLimits limits) {
  limits.bytes = kSumsAtMost;
  auto bytes = read_in(folder, std::string(kSums), limits);
  if (!bytes) {
    if (bytes.error().code == ErrorCode::not_found) return std::optional<Sums>();
    return fail(std::move(bytes.error()));
  }
  auto lines = registry::parse_manifest(bytes->view(), folder + "/" + std::string(kSums));
  if (!lines) return fail(std::move(lines.error()));
  std::string sha256 = registry::sha256_hex(bytes->view());
  auto in_parts = registry::files_in_parts(*lines);
  return Sums{std::move(*bytes), std::move(*lines), std::move(in_parts), std::move(sha256)};
}

core::Error no_such_file(const Sums& sums, const Place& place, const std::string& file) {
  ResourceUri uri = uri_of(place);
  std::vector<std::string_view> names = {kSums};
  for (const registry::ManifestLine& line : sums.lines) {
    if (line.name.size() > file.size() && line.name.compare(0, file.size(), file) == 0 && line.name[file.size()] == '/') {
      uri.file = line.name;
      return {ErrorCode::not_found, file + " is a folder", "one of its files is " + to_text(uri), {}};
    }
    if (names.size() < kCandidates) names.push_back(line.name);
  }
  const std::string_view near = core::nearest(file, names);
  uri.file = near.empty() ? kSums : near;
  return {ErrorCode::not_found,
          to_text(uri_of(place)) + " has no file " + core::cited(file),
          near.empty() ? to_text(uri) + " lists those there are" : question(to_text(uri)),
          {}};
}

// Every regular file below a folder, links not followed.
void add_files_below(const std::string& folder, const std::string& inside, std::size_t at_most, Contents& contents) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<MemberName> found;
  for (fs::recursive_directory_iterator at(folder + "/" + inside, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->symlink_status(ignored).type() != fs::file_type::regular) continue;
    if (++contents.count > 100'000) break;
    found.push_back({at->path().string().substr(folder.size() + 1), "", at->file_size(ignored)});
  }
  std::sort(found.begin(), found.end(), [](const MemberName& a, const MemberName& b) { return a.name < b.name; });
  for (MemberName& file : found) {
    if (contents.files.size() < at_most) contents.files.push_back(std::move(file));
  }
}

std::uint64_t size_of(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

core::Warning unchecked(std::string what) { return {"provenance_unverified", std::move(what)}; }

}  // namespace

namespace {

std::optional<std::string> variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string served_address(const ServeOptions& options, const std::string& root) {
  verbs::Context context;
  context.allowed_roots = options.allowed_roots;
  context.environment = variable;
  return verbs::store_address(root, context);
}

}  // namespace

Expected<std::unique_ptr<registry::SharedFiles>> served_files(const ServeOptions& options, const std::string& root,
                                                              std::function<bool()> stop) {
  const std::string address = served_address(options, root);
  if (!registry::is_shared_address(address)) return nullptr;
  return registry::shared_files(address, variable, std::move(stop));
}

std::unique_ptr<registry::Store> served_store(const ServeOptions& options, const std::string& root, std::function<bool()> stop) {
  registry::PathLimits limits = roots_of(options);
  limits.stop = std::move(stop);
  return registry::open_store({root, served_address(options, root), std::move(limits), {}, variable});
}

Expected<std::string> served_root(const ServeOptions& options) {
  std::string cwd = options.cwd;
  if (cwd.empty()) {
    std::error_code ignored;
    cwd = std::filesystem::current_path(ignored).string();
  }
  auto root = registry::resolve_root(options.repo_root, cwd, variable);
  if (!root) return root;
  if (auto allowed = registry::check_allowed(*root, roots_of(options)); !allowed) return fail(std::move(allowed.error()));
  return root;
}

std::string tick_of(const registry::Store& store, const std::string& folder) {
  constexpr std::chrono::seconds kTick{10};
  if (store.address_of(folder) == folder) return {};
  return " t" + std::to_string(std::chrono::steady_clock::now().time_since_epoch() / kTick);
}

registry::PathLimits roots_of(const ServeOptions& options) {
  registry::PathLimits limits;
  limits.allowed_roots = options.allowed_roots;
  return limits;
}

bool operator<(const Place& a, const Place& b) {
  if (a.slug != b.slug) return a.slug > b.slug;
  return std::tie(a.kind, a.family, a.measurement) < std::tie(b.kind, b.family, b.measurement);
}

Expected<std::vector<Place>> newest_first(const registry::Store& store, const std::optional<Place>& after, std::size_t at_most) {
  std::vector<Place> places;
  for (const Kind kind : {Kind::entry, Kind::bundle}) {
    const auto measurements = store.measurements(kind);
    if (!measurements) return fail(measurements.error());
    for (const auto& [family, measurement] : *measurements) {
      const auto slugs = store.slugs(kind, family, measurement);
      if (!slugs) continue;  // removed meanwhile, or a link that leads elsewhere
      // Of one measurement no more than a page can be on the page.
      auto end = slugs->end();
      if (after) end = std::upper_bound(slugs->begin(), slugs->end(), after->slug);
      for (std::size_t taken = 0; end != slugs->begin() && taken < at_most;) {
        Place place{kind, family, measurement, *--end};
        if (after && !(*after < place)) continue;
        places.push_back(std::move(place));
        ++taken;
      }
    }
  }
  const auto page = places.begin() + static_cast<std::ptrdiff_t>(std::min(at_most, places.size()));
  std::partial_sort(places.begin(), page, places.end());
  places.erase(page, places.end());
  return places;
}

Expected<Place> find_place(const registry::Store& store, const ResourceUri& uri) {
  Place place{kind_of(uri), uri.family, uri.measurement, uri.slug};
  if (uri.slug == kAccepted) {
    const auto accepted = store.accepted(uri.family, uri.measurement);
    if (!accepted) return fail(accepted.error());
    if (*accepted) {
      place.slug = (*accepted)->slug;
      return place;
    }
  } else if (uri.slug != kNewest) {
    const auto path = store.place(place.kind, place.family, place.measurement, place.slug);
    if (!path) return fail(path.error());
    if (is_folder(*path)) return place;
  }
  const auto slugs = store.slugs(place.kind, place.family, place.measurement);
  if (!slugs) return fail(slugs.error());
  if (slugs->empty()) return fail(nothing_in(store, uri));
  if (uri.slug == kNewest) {
    place.slug = slugs->back();
    return place;
  }
  if (uri.slug == kAccepted) {
    return fail(ErrorCode::not_found, name_of(uri) + " has no accepted entry", "the newest is " + slugs->back());
  }
  // Another machine's, of which nothing was here before its line was listed; or one that was published just now.
  if (std::binary_search(slugs->begin(), slugs->end(), uri.slug)) return place;
  const std::string& near = nearest_in_time(*slugs, uri.slug);
  return fail(ErrorCode::not_found, name_of(uri) + (place.kind == Kind::entry ? " has no entry " : " has no diff ") + uri.slug,
              (near == slugs->back() ? "the newest is " : "the nearest is ") + near);
}

ResourceUri uri_of(const Place& place) {
  ResourceUri uri;
  uri.kind = place.kind == Kind::entry ? ResourceUri::Kind::entry : ResourceUri::Kind::bundle;
  uri.family = place.family;
  uri.measurement = place.measurement;
  uri.slug = place.slug;
  return uri;
}

std::optional<std::string> KnownDigests::find(const Identity& identity) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(known_.begin(), known_.end(), [&](const auto& one) { return one.first == identity; });
  if (at == known_.end()) return std::nullopt;
  known_.splice(known_.begin(), known_, at);
  return at->second;
}

void KnownDigests::remember(const Identity& identity, std::string sha256) {
  const std::lock_guard lock(mutex_);
  known_.remove_if([&](const auto& one) { return one.first == identity; });
  known_.emplace_front(identity, std::move(sha256));
  if (known_.size() > kRemembered) known_.pop_back();
}

Expected<Member> read_member(const registry::Store& store, const Place& place, const std::string& file, KnownDigests& known,
                             registry::PathLimits limits, bool verify_bare) {
  const auto folder = store.place(place.kind, place.family, place.measurement, place.slug);
  if (!folder) return fail(folder.error());
  limits.allowed_roots = {*folder};
  Member member;
  auto sums = read_sums(*folder, limits);
  if (!sums) return fail(std::move(sums.error()));

  std::string expected;
  const registry::FileParts* parts = nullptr;
  if (*sums) {
    member.bundle_sha256 = (*sums)->sha256;
    if (file == kSums) {
      member.sha256 = member.bundle_sha256;
      member.bytes = std::move((*sums)->bytes);
      return member;
    }
    const std::vector<registry::ManifestLine>& lines = (*sums)->lines;
    const auto line =
        std::lower_bound(lines.begin(), lines.end(), file,
                         [](const registry::ManifestLine& one, const std::string& name) { return one.name < name; });
    if (line != lines.end() && line->name == file) {
      expected = line->sha256;
    } else if (const auto found = (*sums)->in_parts.find(file); found != (*sums)->in_parts.end()) {
      parts = &found->second;
    } else if (file.compare(0, kSignatures.size(), kSignatures) == 0) {
      member.warnings.push_back(unchecked("SHA256SUMS does not list signatures: bundle_verify checks them"));
    } else {
      struct stat info {};
      if (::lstat((*folder + "/" + file).c_str(), &info) != 0 || S_ISDIR(info.st_mode)) {
        return fail(no_such_file(**sums, place, file));
      }
      return fail(ErrorCode::provenance_mismatch, "extra file: " + file + " is not listed in SHA256SUMS",
                  "it is not part of what was published", *folder);
    }
  } else if (verify_bare) {
    auto verified = registry::verify(*folder, limits);
    if (!verified) return fail(std::move(verified.error()));
    if (!verified->ok) {
      return fail(ErrorCode::provenance_mismatch, *folder + " is not what was published: " + verified->problems.front().message,
                  "bundle_verify lists everything", *folder);
    }
    member.warnings = std::move(verified->warnings);
  } else {
    member.warnings.push_back(unchecked("there is no SHA256SUMS"));
  }

  const std::string path = *folder + "/" + file;
  const auto before = identity_of(path);
  auto bytes = read_in(*folder, file, limits);
  if (!bytes) return fail(std::move(bytes.error()));
  member.bytes = std::move(*bytes);
  if (parts != nullptr) {
    if (auto good = check_parts(path, *parts, member.bytes.view(), limits); !good) return fail(good.error());
    return member;
  }
  if (expected.empty()) return member;
  const bool worth = before && before->size > kHashedEachTime && identity_of(path) == before;
  if (worth && known.find(*before) == expected) {
    member.sha256 = std::move(expected);
    return member;
  }
  const auto digest = digest_of(member.bytes.view(), limits);
  if (!digest) return fail(digest.error());
  if (*digest != expected) {
    return fail(ErrorCode::provenance_mismatch,
                path + " is not what was published: it has the sha256 " + *digest + ", SHA256SUMS says " + expected,
                "bundle_verify lists everything; restore it from a copy", path);
  }
  if (worth && is_settled(*before)) known.remember(*before, *digest);
  member.sha256 = std::move(expected);
  return member;
}

Expected<Contents> contents_of(const registry::Store& store, const Place& place, std::size_t at_most,
                               registry::PathLimits limits) {
  const auto folder = store.place(place.kind, place.family, place.measurement, place.slug);
  if (!folder) return fail(folder.error());
  limits.allowed_roots = {*folder};
  const auto sums = read_sums(*folder, limits);
  if (!sums) return fail(sums.error());
  Contents contents;
  if (!*sums) {
    contents.warnings.push_back(unchecked("there is no SHA256SUMS: this is what lies in the folder"));
    add_files_below(*folder, "", at_most, contents);
    return contents;
  }
  contents.bundle_sha256 = (*sums)->sha256;
  contents.count = (*sums)->lines.size() + 1;
  // Of a file that lies here joined the first part stands for all.
  std::map<std::string, const std::string*, std::less<>> parts;
  for (const auto& [name, of] : (*sums)->in_parts) {
    for (const registry::FilePart& part : of) parts[registry::part_name(name, part.offset)] = part.offset == 0 ? &name : nullptr;
    contents.count -= of.size() - 1;
  }
  for (const registry::ManifestLine& line : (*sums)->lines) {
    if (contents.files.size() == at_most) break;
    const auto part = parts.find(line.name);
    if (part == parts.end()) {
      contents.files.push_back({line.name, line.sha256, size_of(*folder + "/" + line.name)});
    } else if (part->second != nullptr) {
      contents.files.push_back({*part->second, {}, size_of(*folder + "/" + *part->second)});
    }
  }
  contents.files.push_back({std::string(kSums), contents.bundle_sha256, (*sums)->bytes.view().size()});
  add_files_below(*folder, std::string(kSignatures), contents.files.size() + 20, contents);
  return contents;
}

}  // namespace plumbline::server::mcp
