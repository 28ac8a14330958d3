// What a folder is by where it lies in a registry: a publication's place, and the lines that a folder holds.
#include <algorithm>

#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/posix/store.hpp"
#include "registry/verification.hpp"

namespace plumbline::registry {

using core::fail;

namespace {

constexpr std::string_view kArtifacts = "experiments/artifacts";
constexpr std::string_view kEntries = "perf-baselines", kBundles = "perf-baseline-diffs";

std::string_view folder_of(Kind kind) { return kind == Kind::entry ? kEntries : kBundles; }

// What of a registry is meant; empty = all of it.
struct Part {
  std::string root;
  std::optional<Kind> kind;
  std::string family, measurement;
};

std::optional<Kind> kind_of(std::string_view name) {
  if (name == kEntries) return Kind::entry;
  if (name == kBundles) return Kind::bundle;
  return std::nullopt;
}

// The part that a folder is, by the names on its path.
std::optional<Part> part_at(const std::string& path, const PathLimits& limits) {
  const auto is_folder = [&](const std::string& folder) { return path_kind(folder, limits) == PathKind::folder; };
  if (is_folder(io::join(path, kArtifacts))) return Part{path, std::nullopt, {}, {}};
  std::string folder = path;
  std::vector<std::string> below;  // names under the folder that is looked at, innermost first
  for (int up = 0; up <= 3 && folder != "/"; ++up) {
    if (folder.ends_with("/" + std::string(kArtifacts))) {
      Part part{folder.substr(0, folder.size() - kArtifacts.size() - 1), std::nullopt, {}, {}};
      if (!below.empty()) part.kind = kind_of(below.back());
      if (!below.empty() && !part.kind) return std::nullopt;
      if (below.size() > 1) part.family = below[below.size() - 2];
      if (below.size() > 2) part.measurement = below[below.size() - 3];
      return part;
    }
    below.emplace_back(io::base_of(folder));
    folder = std::string(io::parent_of(folder));
  }
  return std::nullopt;
}

core::Status add_lines(std::vector<Line>& out, const Store& store, Kind kind, const Part& part) {
  auto names = store.measurements(kind);
  if (!names) return fail(names.error());
  std::sort(names->begin(), names->end());
  for (const auto& [family, measurement] : *names) {
    if ((!part.family.empty() && part.family != family) || (!part.measurement.empty() && part.measurement != measurement))
      continue;
    out.push_back({kind, family, measurement, store.directory(kind, family, measurement),
                   std::string(folder_of(kind)) + "/" + family + "/" + measurement});
  }
  return {};
}

core::Expected<Lines> lines_of_part(const Part& part, const std::string& path, const PathLimits& limits) {
  Lines out;
  out.path = path;
  out.registry = part.measurement.empty();
  const auto store = posix_store(part.root, limits);
  for (const Kind kind : {Kind::entry, Kind::bundle}) {
    if (part.kind && *part.kind != kind) continue;
    if (auto added = add_lines(out.lines, *store, kind, part); !added) return fail(added.error());
  }
  return out;
}

// A root may hold a diff.json of its own; a publication to which somebody added a registry is still a publication.
bool is_publication(const std::string& path, const PathLimits& limits) {
  const auto holds = [&](std::string_view name) { return path_kind(io::join(path, name), limits).has_value(); };
  const bool document = holds("baseline.json") || std::any_of(kBundleDocuments.begin(), kBundleDocuments.end(), holds);
  return document && (holds("SHA256SUMS") || !holds(kArtifacts));
}

// A copy of a measurement's folder somewhere else.
core::Expected<std::optional<Lines>> copied_line(const std::string& path, const PathLimits& limits) {
  const auto folder = io::open_folder(path, limits);
  if (!folder) return fail(folder.error());
  const auto slugs = slugs_in(folder->get(), path);
  if (!slugs) return fail(slugs.error());
  if (slugs->empty()) return std::optional<Lines>();
  const bool entries = path_kind(io::join(io::join(path, slugs->front()), "baseline.json"), limits) == PathKind::file;
  return std::optional(Lines{path, false, {{entries ? Kind::entry : Kind::bundle, {}, {}, path, {}}}});
}

}  // namespace

Lying lying_at(const std::string& path) {
  const auto parts = core::split(path, '/');
  Lying out;
  const std::size_t n = parts.size();
  if (n == 0) return out;
  const std::string_view kind = n >= 4 ? parts[n - 4] : std::string_view();
  if (const auto known = kind_of(kind)) {
    out.kind = known;
    out.family = parts[n - 3];
    out.measurement = parts[n - 2];
    out.slug = parts[n - 1];
  } else if (is_slug(parts[n - 1])) {
    out.slug = parts[n - 1];
  }
  return out;
}

core::Expected<std::optional<Lines>> lines_in(const std::string& folder, const PathLimits& limits) {
  const std::string path = absolute_path(folder, "", limits);
  if (path_kind(path, limits) != PathKind::folder) return std::optional<Lines>();
  if (is_publication(path, limits)) return std::optional<Lines>();
  if (const auto part = part_at(path, limits)) {
    auto lines = lines_of_part(*part, path, limits);
    if (!lines) return fail(lines.error());
    return std::optional(std::move(*lines));
  }
  return copied_line(path, limits);
}

core::Expected<Lines> lines_of(const std::string& root, std::string_view family, std::string_view measurement,
                               const PathLimits& limits) {
  auto out = lines_of_part({root, std::nullopt, std::string(family), std::string(measurement)}, root, limits);
  if (out && out->lines.size() == 1) out->path = out->lines.front().directory;
  return out;
}

}  // namespace plumbline::registry
