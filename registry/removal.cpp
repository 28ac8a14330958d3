#include "registry/removal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "registry/json_text.hpp"
#include "registry/manifest/tree.hpp"
#include "registry/posix/settling.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

namespace {

constexpr const char* kFolder = "removed";
constexpr std::string_view kSchema = "plumbline.tombstone.v1";
constexpr std::uint64_t kTombstoneAtMost = 8U << 20;
constexpr std::string_view kGoing = ".gc-";

std::string text_of_tombstone(const Tombstone& tombstone) {
  std::string text;
  core::JsonWriter json(text);
  json.begin_object().field("schema", kSchema).field("kind", attest::to_string(tombstone.kind));
  json.place("family", tombstone.family).place("measurement", tombstone.measurement).place("slug", tombstone.slug);
  json.place_or_null("sha256", tombstone.sha256).field("bytes", tombstone.bytes);
  json.field("removed_at_utc", tombstone.removed_at_utc).field("removed_by", tombstone.removed_by).field("rule", tombstone.rule);
  json.place_or_null("envelope", tombstone.envelope).end_object();
  return text + "\n";
}

tl::unexpected<core::Error> forged(const std::string& where, const std::string& what) {
  return fail(ErrorCode::provenance_mismatch, where + " is no tombstone of gc: " + what, "restore the publication from a copy",
              where);
}

core::Expected<Tombstone> parse_tombstone(std::string_view text, const std::string& where, std::string_view slug) {
  const auto document = parse_json(text);
  if (!document || !document->is_object() || text_or_empty(*document, "schema") != kSchema)
    return forged(where, "its schema is not " + std::string(kSchema));
  Tombstone out;
  const std::string kind = text_or_empty(*document, "kind");
  if (kind != "entry" && kind != "bundle") return forged(where, "its kind is " + core::cited(kind));
  out.kind = kind == "entry" ? Kind::entry : Kind::bundle;
  out.family = text_or_empty(*document, "family");
  out.measurement = text_or_empty(*document, "measurement");
  out.slug = text_or_empty(*document, "slug");
  out.sha256 = text_or_empty(*document, "sha256");
  out.envelope = text_or_empty(*document, "envelope");
  out.bytes = count_of(*document, "bytes", 0);
  out.removed_at_utc = text_or_empty(*document, "removed_at_utc");
  out.removed_by = text_or_empty(*document, "removed_by");
  out.rule = text_or_empty(*document, "rule");
  if (out.slug != slug) return forged(where, "it is that of " + core::cited(out.slug));
  if (!out.sha256.empty() && !is_sha256_hex(out.sha256)) return forged(where, "sha256 is no digest");
  if (!parse_time(out.removed_at_utc)) return forged(where, "removed_at_utc is no time");
  const auto attestation = attestation_of(out);
  if (!attestation) return forged(where, attestation.error().message);
  if (!*attestation) return out;
  const attest::Statement& statement = (*attestation)->statement;
  const attest::Place place{out.kind, out.family, out.measurement, out.slug};
  if (!(statement.place == place)) return forged(where, "its envelope was signed for another publication");
  if (statement.subjects.empty() || statement.subjects.front().sha256 != out.sha256)
    return forged(where, "its envelope was signed for other files");
  return out;
}

core::Expected<io::Descriptor> removed_folder(int line, const std::string& path, bool make) {
  bool made = false;
  if (make && ::mkdirat(line, kFolder, 0755) == 0) made = true;
  io::Descriptor folder(::openat(line, kFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid() && errno == ENOENT && !make) return folder;
  if (!folder.valid()) return fail(make ? io::write_error(kFolder, path, errno) : io::read_error(io::join(path, kFolder), errno));
  bool confirmed = true;
  if (made) {
    if (const int error = io::sync(line, &confirmed); error != 0) return fail(io::write_error(kFolder, path, error));
  }
  return folder;
}

int write_tombstone(int folder, const std::string& name, std::string_view text) {
  const std::string temporary = ".tmp-" + io::hex_random(16);
  io::Descriptor fd(::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
  if (!fd.valid()) return errno;
  bool confirmed = true;
  int error = io::write_all(fd.get(), text);
  if (error == 0) error = io::sync(fd.get(), &confirmed);
  if (error == 0) error = fd.close_checked();
  if (error == 0) error = io::rename_no_replace(folder, temporary.c_str(), name.c_str());
  if (error != 0) ::unlinkat(folder, temporary.c_str(), 0);
  if (error == EEXIST) error = 0;  // of a gc that was killed, or is at work now
  return error == 0 ? io::sync(folder, &confirmed) : error;
}

bool is_folder_at(int folder, const std::string& name) {
  struct stat info {};
  return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

std::string removal_text(const Tombstone& tombstone) {
  return "removed by gc on " + tombstone.removed_at_utc.substr(0, 10) + " by " + core::cited(tombstone.rule);
}

core::Expected<std::optional<attest::Attestation>> attestation_of(const Tombstone& tombstone) {
  if (tombstone.envelope.empty()) return std::optional<attest::Attestation>();
  auto attestation = attest::parse_attestation(tombstone.envelope);
  if (!attestation) return fail(attestation.error());
  return std::optional(std::move(*attestation));
}

core::Expected<std::optional<Tombstone>> tombstone_of(const std::string& line, std::string_view slug, const PathLimits& limits) {
  const auto folder = io::open_folder(line, limits);
  if (!folder)
    return folder.error().code == ErrorCode::not_found ? core::Expected<std::optional<Tombstone>>(std::nullopt)
                                                       : fail(folder.error());
  const auto removed = removed_folder(folder->get(), line, false);
  if (!removed) return fail(removed.error());
  const std::string name = std::string(slug) + ".json";
  struct stat info {};
  if (!removed->valid() || ::fstatat(removed->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return std::optional<Tombstone>();
  const std::string where = io::join(io::join(line, kFolder), name);
  const auto text = io::read_text_at(removed->get(), name, where, kTombstoneAtMost);
  if (!text) return forged(where, text.error().message);
  auto tombstone = parse_tombstone(*text, where, slug);
  if (!tombstone) return fail(tombstone.error());
  return std::optional(std::move(*tombstone));
}

core::Expected<std::set<std::string>> removed_slugs(int line, const std::string& path) {
  std::set<std::string> out;
  const auto folder = removed_folder(line, path, false);
  if (!folder) return fail(folder.error());
  if (!folder->valid()) return out;
  const auto names = io::list_folder(folder->get(), io::join(path, kFolder), 1'000'000);
  if (!names) return fail(names.error());
  for (const io::Name& name : *names) {
    if (name.name.size() == 27 && name.name.ends_with(".json") && is_slug(std::string_view(name.name).substr(0, 22)))
      out.insert(name.name.substr(0, 22));
  }
  return out;
}

core::Expected<std::set<std::string>> never_removed(const std::string& line, const PathLimits& limits) {
  std::set<std::string> out;
  const auto folder = io::open_folder(line, limits);
  if (!folder) return fail(folder.error());
  const auto slugs = slugs_in(folder->get(), line);
  if (!slugs) return fail(slugs.error());
  for (auto slug = slugs->rbegin(); slug != slugs->rend(); ++slug) {
    const io::Descriptor publication(::openat(folder->get(), slug->c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!publication.valid()) continue;
    // One whose signature cannot be read may be the one that counts.
    const auto attestation = attest::read_attestation(publication.get(), io::join(line, *slug));
    if (attestation && !*attestation) continue;
    out.insert(*slug);
    break;
  }
  const io::Descriptor accepted(::openat(folder->get(), "accepted", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!accepted.valid()) return out;
  const auto names = io::list_folder(accepted.get(), io::join(line, "accepted"), 1'000'000);
  if (!names) return fail(names.error());
  for (const io::Name& name : *names) {  // "000003-20261120T150359221206Z.json"
    const auto dash = name.name.find('-');
    if (dash != std::string::npos && name.name.size() == dash + 28) out.insert(name.name.substr(dash + 1, 22));
  }
  return out;
}

core::Status remove_publication(const std::string& line, Tombstone tombstone, const PathLimits& limits) {
  const auto folder = io::open_folder(line, limits);
  if (!folder) return fail(folder.error());
  const std::string& slug = tombstone.slug;
  {
    const io::Descriptor publication(::openat(folder->get(), slug.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!publication.valid() && errno == ENOENT) return {};
    if (!publication.valid()) return fail(io::read_error(io::join(line, slug), errno));
    // As they are: what is damaged is told by verify, before and after.
    if (const auto manifest = io::read_text_at(publication.get(), "SHA256SUMS", io::join(line, slug), kDocumentAtMost))
      tombstone.sha256 = sha256_hex(*manifest);
    if (const auto envelope =
            io::read_text_at(publication.get(), "attest/statement.dsse.json", io::join(line, slug), attest::kEnvelopeAtMost))
      tombstone.envelope = *envelope;
  }
  const auto removed = removed_folder(folder->get(), line, true);
  if (!removed) return fail(removed.error());
  const std::string name = slug + ".json";
  if (const int error = write_tombstone(removed->get(), name, text_of_tombstone(tombstone)); error != 0)
    return fail(io::write_error(name, io::join(line, kFolder), error));
  const std::string going = std::string(kGoing) + slug + "-" + io::hex_random(8);
  const int error = io::rename_no_replace(folder->get(), slug.c_str(), going.c_str());
  if (error == ENOENT) return {};  // another gc took it
  if (error != 0) return fail(io::write_error(slug, line, error));
  bool confirmed = true;
  if (const int synced = io::sync(folder->get(), &confirmed); synced != 0) return fail(io::write_error(slug, line, synced));
  io::remove_tree(folder->get(), going.c_str());
  if (is_folder_at(folder->get(), going))
    return fail(ErrorCode::environment, "not all of " + io::join(line, slug) + " could be removed", "the next gc tries again",
                line);
  return {};
}

core::Status finish_removals(Kind kind, const std::string& line, const PathLimits& limits) {
  const auto folder = io::open_folder(line, limits);
  if (!folder) return fail(folder.error());
  auto listing = cache::list_line(folder->get(), line);
  if (!listing) return fail(listing.error());
  for (const std::string& name : listing->temporaries) {
    if (name.starts_with(kGoing)) io::remove_tree(folder->get(), name.c_str());
  }
  if (kind != Kind::entry) return {};
  cache::Watch watch;
  watch.begin(folder->get());
  listing = cache::list_line(folder->get(), line);
  if (!listing) return fail(listing.error());
  return derive_index(folder->get(), line, watch, *listing);
}

std::uint64_t bytes_of(const std::string& line, std::string_view slug, const PathLimits& limits) {
  const auto source = open_source(io::join(line, slug), limits);
  return source ? source->bytes : 0;
}

}  // namespace plumbline::registry
