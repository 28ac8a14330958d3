#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <nlohmann/json.hpp>

#include "registry/attest/check.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/json_text.hpp"
#include "registry/manifest/tree.hpp"
#include "registry/posix/store.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

namespace {

bool holds(const TreeCheck& tree, std::string_view name) {
  return std::binary_search(tree.names.begin(), tree.names.end(), name) ||
         std::any_of(tree.lines.begin(), tree.lines.end(), [&](const ManifestLine& line) { return line.name == name; });
}

// Without a manifest: the reference tool's publications carry one digest, that of the source.
core::Status check_bare(core::VerifyResult& result, int folder, const TreeCheck& tree, const PathLimits& limits) {
  const bool entry = result.kind == "entry";
  const std::string name = entry ? "baseline.json" : "diff.json";
  const auto text = io::read_text_at(folder, name, io::join(result.path, name), kDocumentAtMost);
  if (!text) {
    result.problems.push_back({"unreadable", name, text.error().message});
    return {};
  }
  const auto document = parse_json(*text);
  if (!document) {
    result.problems.push_back({"unreadable", name, name + " is not readable: " + document.error().message});
    return {};
  }
  if (!text_or_empty(*document, "schema").empty()) {
    result.problems.push_back(
        {"no_manifest", "SHA256SUMS", "there is no SHA256SUMS: nothing shows that this is what was published"});
    return {};
  }
  const auto recorded = text_or_empty(*document, entry ? "source_sha256" : "current_source_sha256");
  const auto snapshot =
      check_snapshot(folder, result.path, tree.names, entry ? "source-snapshot" : "current-snapshot", recorded, limits);
  if (!snapshot) {
    if (snapshot.error().code == ErrorCode::cancelled || snapshot.error().code == ErrorCode::limit_exceeded)
      return fail(snapshot.error());
    result.problems.push_back({"unreadable", ".", snapshot.error().message});
    return {};
  }
  if (!snapshot->mismatch.empty()) {
    result.problems.push_back({"digest_mismatch", snapshot->name, snapshot->mismatch});
  } else if (snapshot->verified) {
    result.warnings.push_back({"provenance_unverified", "there is no SHA256SUMS: only the snapshot's digest could be checked"});
  } else {
    result.warnings.push_back({"provenance_unverified", "there is no SHA256SUMS, and " + snapshot->unverified});
  }
  return {};
}

}  // namespace

core::Expected<core::VerifyResult> verify(const std::string& directory, const PathLimits& limits) {
  return verify(directory, Trust{}, limits);
}

core::Expected<core::VerifyResult> verify(const std::string& directory, const Trust& trust, const PathLimits& limits) {
  const auto there = io::look_at(directory, limits);
  if (!there) return fail(there.error());
  core::VerifyResult result;
  result.path = absolute_path(directory, "", limits);
  if (!S_ISDIR(there->st_mode)) {
    return fail(ErrorCode::invalid_input, result.path + " is not a folder", "give the folder of an entry or a bundle",
                result.path);
  }
  const auto folder = io::open_folder(result.path, limits);
  if (!folder) return fail(folder.error());
  auto tree = check_tree(folder->get(), result.path, limits);
  if (!tree) return fail(tree.error());
  const bool bundle =
      std::any_of(kBundleDocuments.begin(), kBundleDocuments.end(), [&](std::string_view name) { return holds(*tree, name); });
  result.kind = holds(*tree, "baseline.json") ? "entry" : bundle ? "bundle" : "";
  if (result.kind.empty()) {
    return fail(ErrorCode::not_found, "neither an entry nor a bundle (no baseline.json, no diff.json): " + result.path, {},
                result.path);
  }
  result.bundle_sha256 = tree->sha256;
  result.files = tree->files;
  result.problems = std::move(tree->problems);
  if (tree->problems_omitted != 0) {
    result.warnings.push_back({"problems_omitted", std::to_string(tree->problems_omitted) + " further problems are not listed"});
  }
  if (!tree->has_manifest) {
    if (auto checked = check_bare(result, folder->get(), *tree, limits); !checked) return fail(checked.error());
    result.files = tree->names.size();
  }
  attest::Verdict attested = attest::check_attestation(folder->get(), result.path, *tree, trust);
  result.is_signed = attested.is_signed;
  result.attested = std::move(attested.attested);
  std::move(attested.problems.begin(), attested.problems.end(), std::back_inserter(result.problems));
  std::move(attested.warnings.begin(), attested.warnings.end(), std::back_inserter(result.warnings));
  result.trusted = attested.trusted && result.problems.empty();
  result.ok = result.problems.empty();
  return result;
}

}  // namespace plumbline::registry
