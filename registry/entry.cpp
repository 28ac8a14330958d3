#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "registry/manifest/tree.hpp"
#include "registry/posix/store.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

namespace {

// Entries of captures from before there were digests hold none.
void find_digests(Entry& entry, int folder) {
  entry.digests.clear();
  for (std::size_t i = 1;; ++i) {
    const std::string name = i == 1 ? "profile-digest.json.gz" : "profile-digest." + std::to_string(i) + ".json.gz";
    struct stat info {};
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
    entry.digests.push_back(io::join(entry.path, name));
  }
}

core::Status check_ours(Entry& entry, int folder, const TreeCheck& tree) {
  if (!tree.has_manifest) {
    return fail(ErrorCode::provenance_mismatch, entry.path + " has no SHA256SUMS: nothing shows that it is what was recorded",
                "restore the entry from a copy, or record the measurement again", entry.path);
  }
  if (!tree.problems.empty()) {
    const auto more = tree.problems.size() - 1 + tree.problems_omitted;
    return fail(ErrorCode::provenance_mismatch,
                entry.path + " is not what was recorded: " + tree.problems.front().message +
                    (more == 0 ? std::string() : " (and " + std::to_string(more) + " more)"),
                "`plumbline verify` lists everything; restore the entry from a copy, or record the measurement again",
                entry.path);
  }
  if (!tree.unjoined.empty()) {
    const std::string& name = tree.unjoined.front();
    const std::string base(io::base_of(name));
    return fail(ErrorCode::invalid_input, io::join(entry.path, name) + " lies there in its parts",
                "in that folder, `cat " + base + ".part-* > " + base + " && rm " + base + ".part-*` joins them",
                io::join(entry.path, name));
  }
  entry.entry_sha256 = tree.sha256;
  const auto locate = [&](const std::string& name) -> core::Expected<std::string> {
    const std::string path = io::join(entry.path, name);
    struct stat info {};
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) return path;
    return fail(ErrorCode::provenance_mismatch, entry.path + " names the snapshot " + name + " and does not hold it", {},
                entry.path);
  };
  if (!entry.record.snapshot_path.empty()) {
    auto path = locate(entry.record.snapshot_path);
    if (!path) return fail(path.error());
    entry.snapshot = std::move(*path);
  }
  for (const auto& name : entry.record.trial_snapshots) {
    auto path = locate(name);
    if (!path) return fail(path.error());
    entry.trial_snapshots.push_back(std::move(*path));
  }
  find_digests(entry, folder);
  return {};
}

core::Status check_reference(Entry& entry, int folder, const TreeCheck& tree, const PathLimits& limits) {
  const auto check = check_snapshot(folder, entry.path, tree.names, "source-snapshot", entry.record.source_sha256, limits);
  if (!check) return fail(check.error());
  if (!check->mismatch.empty()) {
    return fail(ErrorCode::provenance_mismatch, check->mismatch, "restore the entry from a copy, or record the measurement again",
                entry.path);
  }
  if (!check->name.empty()) entry.snapshot = io::join(entry.path, check->name);
  if (!check->verified) {
    entry.warnings.push_back(
        {"provenance_unverified", "nothing shows that " + entry.path + " is what was recorded: " + check->unverified});
  }
  return {};
}

}  // namespace

core::Expected<std::string> verified_file(const std::string& directory, const std::string& name, const PathLimits& limits) {
  const std::string where = io::join(directory, name);
  const auto manifest = read_file(io::join(directory, "SHA256SUMS"), limits);
  if (!manifest) return fail(manifest.error());
  const auto lines = parse_manifest(manifest->view(), io::join(directory, "SHA256SUMS"));
  if (!lines) return fail(lines.error());
  const auto line = std::find_if(lines->begin(), lines->end(), [&name](const ManifestLine& each) { return each.name == name; });
  if (line == lines->end()) return fail(ErrorCode::not_found, "SHA256SUMS does not list " + name, {}, where);
  const auto bytes = read_file(where, limits);
  if (!bytes) return fail(bytes.error());
  if (sha256_hex(bytes->view()) != line->sha256) {
    return fail(ErrorCode::provenance_mismatch, where + " is not what was recorded: its SHA-256 is not the one of SHA256SUMS",
                "`plumbline verify` lists everything; restore the entry from a copy", where);
  }
  return std::string(bytes->view());
}

core::Expected<Entry> open_entry(const std::string& directory, const PathLimits& limits) {
  const auto there = io::look_at(directory, limits);
  if (!there) return fail(there.error());
  Entry entry;
  entry.path = entry.address = absolute_path(directory, "", limits);
  entry.slug = std::string(io::base_of(entry.path));
  const auto no_entry = [&] {
    return fail(ErrorCode::not_found, "not a baseline directory (no baseline.json): " + entry.path,
                "an entry is <root>/experiments/artifacts/perf-baselines/<family>/<measurement>/<slug>", entry.path);
  };
  if (!S_ISDIR(there->st_mode)) return no_entry();
  const auto folder = io::open_folder(entry.path, limits);
  if (!folder) return fail(folder.error());
  struct stat info {};
  if (::fstatat(folder->get(), "baseline.json", &info, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) return no_entry();
  const std::string where = io::join(entry.path, "baseline.json");
  const auto text = io::read_text_at(folder->get(), "baseline.json", where, kDocumentAtMost);
  if (!text) return fail(text.error());
  // Digests first where there are any: what was changed is said to be changed, not to be malformed.
  const auto tree = check_tree(folder->get(), entry.path, limits);
  if (!tree) return fail(tree.error());
  if (tree->has_manifest) {
    if (auto good = check_ours(entry, folder->get(), *tree); !good) return fail(good.error());
  }
  auto record = parse_baseline(*text, where);
  if (!record) return fail(record.error());
  entry.record = std::move(*record);
  entry.family = entry.record.family;
  entry.measurement = entry.record.measurement;
  const bool is_ours = tree->has_manifest || !entry.record.schema.empty();
  const auto checked = is_ours ? check_ours(entry, folder->get(), *tree) : check_reference(entry, folder->get(), *tree, limits);
  if (!checked) return fail(checked.error());
  return entry;
}

}  // namespace plumbline::registry
