#include "registry/bundle_heads.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/rules/day.hpp"
#include "registry/io.hpp"
#include "registry/json_text.hpp"

namespace plumbline::registry {
namespace {

using core::fail;
using nlohmann::json;

constexpr std::size_t kBundlesAtMost = 10'000;
constexpr std::uint64_t kHeadAtMost = 16ULL << 20;

void add_id(std::vector<std::string>& ids, std::string id) {
  if (!id.empty() && std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(std::move(id));
}

void add_ids(std::vector<std::string>& ids, const json& document, const char* side, const char* flat) {
  add_id(ids, text_or_empty(document, flat));
  const auto found = document.find(side);
  if (found == document.end() || !found->is_object()) return;
  for (const char* name : {"sha256", "entry_sha256"}) add_id(ids, text_or_empty(*found, name));
}

// Nothing where it is not what a diff writes.
std::optional<core::RedStreak> red_of(const json& document) {
  const auto found = document.find("red");
  if (found == document.end() || !found->is_object()) return std::nullopt;
  core::RedStreak out;
  out.since = text_or_empty(*found, "since");
  out.first = text_or_empty(*found, "first");
  const auto diffs = found->find("diffs");
  if (!core::parse_day("since", out.since) || diffs == found->end() || !diffs->is_number_unsigned()) return std::nullopt;
  out.diffs = diffs->get<std::uint64_t>();
  const auto older = found->find("older");
  out.older = older != found->end() && older->is_boolean() && older->get<bool>();
  if (out.diffs == 0 || (!out.first.empty() && !is_slug(out.first))) return std::nullopt;
  return out;
}

bool share_one(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& id) { return std::find(b.begin(), b.end(), id) != b.end(); });
}

}  // namespace

std::optional<BundleHead> bundle_head(const std::string& path, const std::string& slug, const PathLimits& limits) {
  const auto folder = io::open_folder(path, limits);
  if (!folder) return std::nullopt;
  core::Expected<std::string> text = fail(core::ErrorCode::not_found, "no document");
  for (const std::string_view name : kBundleDocuments) {
    if (!text) text = io::read_text_at(folder->get(), std::string(name), io::join(path, std::string(name)), kHeadAtMost);
  }
  if (!text) return std::nullopt;
  const auto document = parse_json(*text);
  if (!document || !document->is_object()) return std::nullopt;
  BundleHead head;
  head.slug = slug;
  head.path = path;
  head.verdict = text_or_empty(*document, "verdict");
  head.tier = text_or_empty(*document, "tier");
  add_ids(head.baseline_ids, *document, "baseline", "baseline_sha256");
  add_ids(head.current_ids, *document, "current", "current_sha256");
  add_ids(head.current_ids, *document, "candidate", "candidate_sha256");
  if (const auto baseline = document->find("baseline"); baseline != document->end() && baseline->is_object())
    head.baseline_slug = text_or_empty(*baseline, "slug");
  head.red = red_of(*document);
  // diff.json names the first file of the current side; the manifest has the digests of the further trials' copies.
  if (const auto sums = io::read_text_at(folder->get(), "SHA256SUMS", io::join(path, "SHA256SUMS"), kHeadAtMost)) {
    if (const auto lines = parse_manifest(*sums, path)) {
      for (const ManifestLine& line : *lines) {
        if (line.name.starts_with("current-snapshot")) add_id(head.current_ids, line.sha256);
      }
    }
  }
  return head;
}

core::Expected<BundleHeads> bundle_heads(const Store& store, std::string_view family, std::string_view measurement,
                                         std::string_view since, const PathLimits& limits) {
  BundleHeads out;
  auto slugs = store.slugs(Kind::bundle, family, measurement);
  if (!slugs) {
    if (slugs.error().code == core::ErrorCode::not_found) return out;
    return fail(slugs.error());
  }
  slugs->erase(slugs->begin(), std::lower_bound(slugs->begin(), slugs->end(), since));
  if (slugs->size() > kBundlesAtMost) {
    out.older = slugs->size() - kBundlesAtMost;
    slugs->erase(slugs->begin(), slugs->end() - kBundlesAtMost);
  }
  const std::string directory = store.directory(Kind::bundle, family, measurement);
  for (const std::string& slug : *slugs) {
    if (limits.stop && limits.stop()) return fail(core::ErrorCode::cancelled, "cancelled");
    if (auto head = bundle_head(io::join(directory, slug), slug, limits))
      out.heads.push_back(std::move(*head));
    else
      ++out.unreadable;
  }
  mark_superseded(out.heads);
  return out;
}

void mark_superseded(std::vector<BundleHead>& oldest_first) {
  // VERDICTs by each digest of their reference, so that a history of thousands is not compared with itself.
  std::unordered_map<std::string, std::vector<std::size_t>> verdicts;
  for (std::size_t i = oldest_first.size(); i-- > 0;) {
    BundleHead& head = oldest_first[i];
    if (head.tier == "VERDICT") {
      for (const std::string& id : head.baseline_ids) verdicts[id].push_back(i);
      continue;
    }
    if (head.tier != "DRAFT") continue;
    std::size_t newest = i;
    for (const std::string& id : head.baseline_ids) {
      const auto known = verdicts.find(id);
      if (known == verdicts.end()) continue;
      for (const std::size_t later : known->second) {  // newest first
        if (later <= newest || !share_one(head.current_ids, oldest_first[later].current_ids)) continue;
        newest = later;
        break;
      }
    }
    if (newest != i && oldest_first[newest].verdict != head.verdict) head.superseded_by = oldest_first[newest].slug;
  }
}

}  // namespace plumbline::registry
