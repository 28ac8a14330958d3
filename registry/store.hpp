// What is kept, and how it gets there. A publication (an entry or a bundle) is staged under a dot-name beside its final
// name, every file fsynced, SHA256SUMS written last, and becomes visible by one rename that never replaces: it is
// complete or absent. Bundle id = sha256 of SHA256SUMS. Readers verify before they believe.
// POSIX is the embedded implementation, S3 (registry/s3/) the one for many machines. Both run the same behaviour suite
// (tests/registry/store_suite_test.cpp). What is far away is read through a verified copy on this machine: paths are those of the
// copy, addresses ("s3://bucket/prefix/…") are what results and documents call it by.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/results/baseline.hpp"
#include "core/results/common.hpp"
#include "core/results/small.hpp"
#include "registry/files.hpp"

namespace plumbline::registry {

namespace attest {
struct Signing;
}

// One path segment: [A-Za-z0-9][A-Za-z0-9._-]*, at most 128. The error says "safe path segment" (CONTRACT section 3).
[[nodiscard]] core::Status check_segment(std::string_view what, std::string_view text);

// UTC %Y%m%dT%H%M%S%fZ, 22 characters; and "2026-11-20T15:03:59Z".
[[nodiscard]] std::string slug_of(std::chrono::system_clock::time_point time);
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);
[[nodiscard]] bool is_slug(std::string_view text);
// The inverse of slug_of; nullopt for what is no slug or no date.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> time_of_slug(std::string_view slug);
// RFC 3339: "2026-11-20T15:03:59Z", with a fraction or an offset; "2026-11-20" is its first moment in UTC.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_time(std::string_view text);
// Where an entry stands among those of its measurement: its slug, or what would be the slug of the time it was measured at, if
// that is older.
[[nodiscard]] std::string measured_slug(const core::BaselineRecord& record, std::string_view slug);

// --repo-root, else PLUMBLINE_ROOT, else PROFILE_AND_OPTIMIZE_REPO_ROOT, else the enclosing git work tree of cwd, else an
// error (usage) that says these. The result is absolute; it must exist, be a directory and lie in the allowed roots.
[[nodiscard]] core::Expected<std::string> resolve_root(
    const std::optional<std::string>& repo_root, const std::string& cwd,
    const std::function<std::optional<std::string>(std::string_view)>& environment, const PathLimits& limits = {});

// The same, for whoever can do without one: nullopt where nothing names a root. One that is named and cannot be used is an error.
[[nodiscard]] core::Expected<std::optional<std::string>> find_root(
    const std::optional<std::string>& repo_root, const std::string& cwd,
    const std::function<std::optional<std::string>(std::string_view)>& environment, const PathLimits& limits = {});
// What resolve_root says then.
[[nodiscard]] core::Error no_root(const std::string& cwd);

// --allow-root as it was given -> PathLimits::allowed_roots: real paths of folders that exist. Asked once, when a server
// starts: a root that becomes a link later allows nothing.
[[nodiscard]] core::Expected<std::vector<std::string>> resolve_allowed_roots(const std::vector<std::string>& given,
                                                                             const std::string& cwd);

enum class Kind : std::uint8_t { entry, bundle };

// Files on their way into a publication. Names are relative with '/', without "..", line breaks or backslashes (SHA256SUMS
// could not list them). Nothing exists on disk before the first add. Several threads may add files and ask for digests at
// once; all else is one thread's, when they are done. Add files, then publish once; destroyed unpublished, everything staged is
// removed.
class Staging {
 public:
  virtual ~Staging() = default;
  virtual core::Status add(std::string_view relative, std::string_view bytes) = 0;
  // Copies a file, hashing in the same pass; errors when its size or time changed since `file` was taken. The FileRef's
  // path is empty: it is known when published (Published::files).
  virtual core::Expected<core::FileRef> add_copy(std::string_view relative, const SourceFile& file, const PathLimits& limits) = 0;
  // A growing file written by a callback in pieces (deltas.jsonl): hashed as it goes.
  virtual core::Status add_stream(
      std::string_view relative,
      const std::function<core::Status(const std::function<core::Status(std::string_view)>&)>& write) = 0;
  // Digest of a staged file by its relative name: add() hashes as it writes, so callers need not hash the bytes again.
  [[nodiscard]] virtual std::optional<std::string> digest_of(std::string_view relative) const = 0;
  // SHA256SUMS as it will be with what is staged now; attest/ is never listed.
  [[nodiscard]] virtual std::string manifest() const = 0;
  // To be signed when it is published: the store alone knows its place, and the publication before it in its line.
  virtual void attest(attest::Signing signing) = 0;
  // One of many that publish_all() will make visible: said before the first add, nothing is synced by itself.
  virtual void in_batch() {}
};

struct Published {
  std::string path;     // absolute
  std::string address;  // what others find it by; on a file system its path
  std::string slug;
  std::string sha256;  // bundle id
  std::vector<core::FileRef> files;
  std::vector<core::Warning> warnings;  // durability_not_confirmed, …
};

// An opened and verified entry.
struct Entry {
  std::string path, slug, family, measurement;
  std::string address;  // what others find it by; on a file system its path
  core::BaselineRecord record;
  std::string entry_sha256;                  // "" for the reference tool's entries
  std::string snapshot;                      // absolute path of the snapshot (file or folder), "" when it is only referenced
  std::vector<std::string> trial_snapshots;  // absolute, further trials
  std::vector<std::string> digests;          // absolute, of captures: profile-digest.json.gz and its trials'
  std::vector<core::Warning> warnings;       // provenance_unverified, …
};

// A part of what a store holds; empty names mean all of them.
struct StorePart {
  std::optional<Kind> kind;
  std::string_view family, measurement, slug;
  bool anew = false;  // fetched again, where a verified copy is here already
  // Of one publication what lists and choices ask for and SHA256SUMS, no more; the names of kind and slug are needed then.
  bool head = false;
};

class Store {
 public:
  virtual ~Store() = default;

  // The folder that all paths of this store lie under.
  [[nodiscard]] virtual std::string root() const = 0;
  // What others find a path of this store by; a path that lies elsewhere stays what it is.
  [[nodiscard]] virtual std::string address_of(const std::string& path) const { return path; }
  // The inverse. not_found for an address that is not this store's.
  [[nodiscard]] virtual core::Expected<std::string> path_of(const std::string& address) const;
  // Puts everything of a part under root(): for those who read the folders of publications themselves.
  // open() needs no such call, slugs() and newest_slugs() bring what lists and choices ask for (baseline.json, heads of bundles).
  [[nodiscard]] virtual core::Status bring(const StorePart&) const { return {}; }
  // Whether gc can take anything away: the reason, where it cannot.
  [[nodiscard]] virtual core::Status removes() const { return {}; }

  // Creates nothing. Checks both segments, and that the place does not escape the registry through a link
  // ("escapes its registry root"). Gives where a publication of that slug will be.
  [[nodiscard]] virtual core::Expected<std::string> place(Kind kind, std::string_view family, std::string_view measurement,
                                                          std::string_view slug) const = 0;
  // For bundles under adhoc/<format>: family "adhoc", measurement the format.
  virtual core::Expected<std::unique_ptr<Staging>> stage(Kind kind, std::string_view family, std::string_view measurement) = 0;
  // Slug from `now`; when taken, the next free microsecond; a signed one comes after all that are in its line. For entries
  // INDEX.md is derived again afterwards.
  virtual core::Expected<Published> publish(std::unique_ptr<Staging> staging, std::chrono::system_clock::time_point now) = 0;
  // The slug that publish will try first is needed inside baseline.json: reserve it. Publishing with a reserved slug that
  // has been taken meanwhile fails with already_exists ("registry entry already exists: PATH").
  virtual core::Expected<Published> publish_as(std::unique_ptr<Staging> staging, std::string_view slug) = 0;
  // Many unsigned ones of one measurement, all said to be in_batch(): on their disk by one sync of the file system, then visible
  // one after the other, in this order. After an error those before it are published.
  virtual core::Expected<std::vector<Published>> publish_all(std::vector<std::unique_ptr<Staging>> stagings,
                                                             std::chrono::system_clock::time_point now) = 0;

  // Reads baseline.json and checks SHA256SUMS (ours) or source_sha256 against the snapshot (the reference tool's):
  // mismatch -> provenance_mismatch. "invalid baseline metadata" for a family or measurement that is no safe segment.
  [[nodiscard]] virtual core::Expected<Entry> open(const std::string& directory, const PathLimits& limits) const = 0;
  // Slugs, oldest first; dot-names are staging and not listed.
  [[nodiscard]] virtual core::Expected<std::vector<std::string>> slugs(Kind kind, std::string_view family,
                                                                       std::string_view measurement) const = 0;
  // Those from `since` on, oldest first, and nothing but their names: whoever reads one brings it first.
  [[nodiscard]] virtual core::Expected<std::vector<std::string>> names(Kind kind, std::string_view family,
                                                                       std::string_view measurement,
                                                                       std::string_view since) const;
  // The newest of them, newest first. Costs the same whatever their number, once an index knows them (registry/cache/).
  [[nodiscard]] virtual core::Expected<std::vector<std::string>> newest_slugs(Kind kind, std::string_view family,
                                                                              std::string_view measurement,
                                                                              std::size_t at_most) const = 0;
  [[nodiscard]] virtual core::Expected<std::vector<std::pair<std::string, std::string>>> measurements(Kind kind) const = 0;
  [[nodiscard]] virtual std::string directory(Kind kind, std::string_view family, std::string_view measurement) const = 0;

  // Acceptances are immutable files accepted/<seq>-<slug>.json (seq six digits); the highest valid seq holds.
  [[nodiscard]] virtual core::Expected<std::optional<core::Acceptance>> accepted(std::string_view family,
                                                                                 std::string_view measurement) const = 0;
  // Numbers that were claimed for an acceptance whose record is not there: it is being made, or its writer was stopped.
  [[nodiscard]] virtual core::Expected<std::vector<std::uint64_t>> open_claims(std::string_view family,
                                                                               std::string_view measurement) const = 0;
  // Writes the next seq without replacing (retried when another writer took it). `text` gets the final seq.
  // With `signing` the record is signed before it holds, see registry/attest/acceptance.hpp.
  virtual core::Expected<std::string> accept(core::Acceptance acceptance,
                                             const std::function<std::string(const core::Acceptance&)>& text,
                                             const attest::Signing* signing = nullptr) = 0;
};

// The store keeps to the allowed roots of `limits`, also while it writes. `cache_folder` is where its index may be kept
// (registry/cache/place.hpp); "": nowhere.
[[nodiscard]] std::unique_ptr<Store> posix_store(const std::string& root, PathLimits limits = {},
                                                 const std::string& cache_folder = {});
// Slugs of a measurement from the newest on, read as far as they are asked for: most questions end at the first.
class NewestFirst {
 public:
  NewestFirst(const Store& store, Kind kind, std::string_view family, std::string_view measurement)
      : store_(store), kind_(kind), family_(family), measurement_(measurement) {}
  // nullopt after the oldest.
  [[nodiscard]] core::Expected<std::optional<std::string>> next();

 private:
  const Store& store_;
  Kind kind_;
  std::string family_, measurement_;
  std::vector<std::string> slugs_;
  std::size_t at_ = 0;
  std::size_t asked_ = 0;
};

// Where there is no root: a store that holds nothing and keeps nothing, and says `why` to who asks it for either. Entries are
// opened where they lie all the same.
[[nodiscard]] std::unique_ptr<Store> absent_store(core::Error why);

// One line of SHA256SUMS. The grammar is strict: 64 lower-case hex digits, two spaces, a relative name; sorted by bytes,
// each name once, a line break after every line; neither SHA256SUMS nor attest/ is listed.
struct ManifestLine {
  std::string sha256, name;
};
[[nodiscard]] core::Expected<std::vector<ManifestLine>> parse_manifest(std::string_view text, const std::string& where);
[[nodiscard]] std::string manifest_text(std::vector<ManifestLine> lines);
// Relative, '/' between parts, no "..", line break or backslash.
[[nodiscard]] core::Status check_relative_name(std::string_view name);

// Digests, extra files, links, manifest grammar of an entry or bundle anywhere; never throws on hostile trees.
// The kind is told from its content (baseline.json or diff.json).
[[nodiscard]] core::Expected<core::VerifyResult> verify(const std::string& directory, const PathLimits& limits);

// baseline.json text -> record. Lenient in reading: unknown fields are ignored, absent direction means two-sided.
// Errors start "invalid baseline metadata".
[[nodiscard]] core::Expected<core::BaselineRecord> parse_baseline(std::string_view text, const std::string& where);

// One file of a publication, checked against its SHA256SUMS without looking at the others, which may be gigabytes. not_found
// where it is not listed, provenance_mismatch where it is not what is listed.
[[nodiscard]] core::Expected<std::string> verified_file(const std::string& directory, const std::string& name,
                                                        const PathLimits& limits);

// The line-by-line table of one measurement's entries, derived from the entries themselves.
[[nodiscard]] std::string index_markdown(const std::vector<core::BaselineRecord>& records, const std::vector<std::string>& slugs);

// Entries and bundles by text, family, verdict, key, date. Reads diff.json heads; unreadable ones become warnings.
struct SearchQuery {
  std::string text, family, measurement, verdict, key, since, until;  // dates "2026-11-20" or slugs' prefix
  std::uint32_t limit = 20;
};
[[nodiscard]] core::Expected<core::SearchResult> search(const Store& store, const SearchQuery& query, const PathLimits& limits);

}  // namespace plumbline::registry
