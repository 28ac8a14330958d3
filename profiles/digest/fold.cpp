// Bounding a digest: of the largest tables the rows with the least time become one row that says how many they are.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/text.hpp"
#include "profiles/analysis/ranges.hpp"
#include "profiles/analysis/tree.hpp"
#include "profiles/bounded.hpp"
#include "profiles/digest/digest.hpp"
#include "profiles/ranks/rows.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kFewest = 64;  // rows that a table keeps in any case
constexpr std::size_t kMostSteps = 10'000;
constexpr int kTries = 24;
constexpr std::uint32_t kMostLevel = 63;

std::string other_names(std::size_t count) { return "(other: " + core::counted(count, "name") + ")"; }

// Which rows stay: `keep` of them, those that `before` puts first.
template <class Row, class Before>
std::vector<bool> kept(const std::vector<Row>& rows, std::size_t keep, Before before) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return before(rows[a], rows[b]); });
  std::vector<bool> stays(rows.size(), true);
  for (std::size_t i = keep; i < order.size(); ++i) stays[order[i]] = false;
  return stays;
}

std::size_t fold_rows(std::vector<NamedAggregate>& rows, std::size_t keep) {
  if (rows.size() <= keep) return 0;
  const std::vector<bool> stays = kept(rows, keep - 1, [](const NamedAggregate& a, const NamedAggregate& b) {
    return std::tuple(-a.aggregate.total, std::string_view(a.name)) < std::tuple(-b.aggregate.total, std::string_view(b.name));
  });
  MergedRows others(Keep::all);
  std::vector<NamedAggregate> left;
  std::size_t folded = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (stays[i]) {
      left.push_back(std::move(rows[i]));
      continue;
    }
    std::vector<NamedAggregate> one;
    one.push_back(std::move(rows[i]));
    one.front().name = "(other)";
    one.front().shapes.clear();
    one.front().parents.clear();
    others.add(std::move(one));
    ++folded;
  }
  std::vector<NamedAggregate> sum;
  std::int64_t ignored = 0;
  if (others.finish(sum, ignored) && !sum.empty()) {  // the whole table's times were added up before
    sum.front().name = other_names(folded);
    left.push_back(std::move(sum.front()));
  }
  rows = std::move(left);
  return folded;
}

std::size_t fold_frames(std::vector<Frame>& frames, std::size_t keep) {
  if (frames.size() <= keep) return 0;
  const std::vector<bool> stays = kept(frames, keep - 1, [](const Frame& a, const Frame& b) {
    return std::tuple(-a.self, -a.total, std::string_view(a.name)) < std::tuple(-b.self, -b.total, std::string_view(b.name));
  });
  std::vector<Frame> left;
  Frame others;
  std::size_t folded = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (stays[i]) {
      left.push_back(std::move(frames[i]));
      continue;
    }
    others.self += frames[i].self;
    others.total = std::max(others.total, frames[i].total);
    ++folded;
  }
  others.name = other_names(folded);
  others.total = std::max(others.total, others.self);
  left.push_back(std::move(others));
  frames = std::move(left);
  return folded;
}

// Paths with the least kernel time, then the least time on the host, become the child kFoldedRange of what stays above them.
std::size_t fold_ranges(std::vector<RangeNode>& nodes, std::size_t keep) {
  if (nodes.size() <= keep) return 0;
  std::vector<bool> stays = kept(nodes, keep / 2, [&nodes](const RangeNode& a, const RangeNode& b) {
    const bool outside = a.name == kNoRange, other_outside = b.name == kNoRange;
    return std::tuple(!outside, -a.gpu_ns, -a.host_ns, &a - nodes.data()) <
           std::tuple(!other_outside, -b.gpu_ns, -b.host_ns, &b - nodes.data());
  });
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (stays[i] && nodes[i].parent != kNoParent) stays[nodes[i].parent] = true;
  }
  std::vector<RangeNode> left;
  std::vector<std::uint32_t> place(nodes.size(), kNoParent);  // of itself, or of what stays above it
  std::unordered_map<std::uint32_t, RangeNode> folded;        // by the place above
  std::size_t paths = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    RangeNode& node = nodes[i];
    const bool outermost = node.parent == kNoParent || stays[node.parent];
    const std::uint32_t above = node.parent == kNoParent ? kNoParent : place[node.parent];
    if (stays[i]) {
      place[i] = static_cast<std::uint32_t>(left.size());
      node.parent = above;
      left.push_back(std::move(node));
      continue;
    }
    place[i] = above;
    ++paths;
    RangeNode& to = folded[above];
    to.kind = to.name.empty() ? node.kind : std::min(to.kind, node.kind);
    to.name = kFoldedRange;
    to.parent = above;
    to.count += node.count;
    to.kernels += node.kernels;
    add_bounded(to.gpu_ns, node.self_gpu_ns);
    add_bounded(to.self_gpu_ns, node.self_gpu_ns);
    if (outermost) add_bounded(to.host_ns, node.host_ns);  // the others lie inside these
  }
  for (auto& [above, node] : folded) left.push_back(std::move(node));
  nodes = in_preorder(std::move(left));
  return paths;
}

// A capture may claim one number for all of them, and then none is thinned out at any level.
void bound_instances(Profile& profile) {
  std::vector<CollectiveInstance>& instances = profile.collective_instances;
  while (instances.size() > kMostInstances && profile.instances_level < kMostLevel) {
    ++profile.instances_level;
    std::erase_if(instances, [&profile](const auto& each) { return !is_kept(each, profile.instances_level); });
  }
  if (instances.size() <= kMostInstances) return;
  profile.warnings.push_back({"waiting_sampled", core::counted(instances.size(), "collective") +
                                                     " have one number: none is kept, and their waiting is not known"});
  instances.clear();
}

// How many rows each table of names keeps.
struct Bounds {
  std::vector<std::size_t> tables = std::vector<std::size_t>(7, SIZE_MAX);
};

std::vector<std::size_t> sizes_of(const Profile& profile) {
  return {profile.kernels.size(), profile.nvtx.size(),   profile.api.size(),   profile.nccl.size(),
          profile.memory.size(),  profile.ranges.size(), profile.frames.size()};
}

Digest bounded(Digest digest, const Bounds& bounds) {
  Profile& profile = digest.job.sum;
  std::size_t rows = 0;
  std::size_t table = 0;
  for (auto* each : {&profile.kernels, &profile.nvtx, &profile.api, &profile.nccl, &profile.memory})
    rows += fold_rows(*each, bounds.tables[table++]);
  const std::size_t paths = fold_ranges(profile.ranges, bounds.tables[table++]);
  rows += fold_frames(profile.frames, bounds.tables[table]);
  core::Warning warning{"digest_folded", "the digest holds " + core::counted(rows, "row") + " of tables and " +
                                             core::counted(paths, "path") +
                                             " of ranges, those with the least time, in rows (other: n names) and …"};
  if (digest.of_ranks()) {
    digest.job.said.push_back(
        {warning.code, std::move(warning.message), static_cast<std::int64_t>(digest.job.said.size()), digest.job.sum.info.ranks});
  } else {
    profile.warnings.push_back(std::move(warning));
  }
  return digest;
}

// The largest table loses a part of its rows; false where none is large.
bool narrow(const std::vector<std::size_t>& sizes, double part, Bounds& bounds) {
  std::size_t largest = 0;
  const auto rows = [&](std::size_t table) { return std::min(sizes[table], bounds.tables[table]); };
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (rows(i) > rows(largest)) largest = i;
  }
  if (rows(largest) <= kFewest) return false;
  bounds.tables[largest] = std::max(kFewest, static_cast<std::size_t>(static_cast<double>(rows(largest)) * part));
  return true;
}

// A digest as a file, and what a reader will count of it.
struct Written {
  std::string file;
  std::uint64_t text = 0;  // bytes
  DigestSize size;

  // 1: as much as a reader takes.
  [[nodiscard]] double times_too_large() const {
    const auto times = [](std::uint64_t is, std::uint64_t most) { return static_cast<double>(is) / static_cast<double>(most); };
    return std::max({times(size.rows, kMostOfDigest.rows), times(size.named, kMostOfDigest.named), times(text, kMostDigestText)});
  }
};

core::Error too_large(const Written& written) {
  const auto mebibytes = [](std::uint64_t bytes) { return std::to_string(bytes >> 20U); };
  std::string message = "the digest would have ";
  if (written.size.rows > kMostOfDigest.rows) {
    message += core::counted(written.size.rows, "row") + ", more than the " + std::to_string(kMostOfDigest.rows);
  } else if (written.size.named > kMostOfDigest.named) {
    message += mebibytes(written.size.named) + " MiB of names in its rows, more than the " + mebibytes(kMostOfDigest.named);
  } else {
    message += mebibytes(written.text) + " MiB of text, more than the " + mebibytes(kMostDigestText);
  }
  return {core::ErrorCode::limit_exceeded, message + " that are read", "digest or compare fewer ranks together", {}};
}

Written write(const Digest& digest) {
  Written out;
  const std::string text = digest_text(digest, out.size);
  out.text = text.size();
  out.file = packed(text);
  return out;
}

}  // namespace

core::Expected<std::string> digest_file(Digest digest) {
  const std::uint64_t bytes = digest.of_ranks() ? kMostJobBytes : kMostDigestBytes;
  return digest_file(std::move(digest), bytes);
}

core::Expected<std::string> digest_file(Digest digest, std::uint64_t bytes) {
  Profile& profile = digest.job.sum;
  if (!digest.of_ranks()) bound_instances(profile);
  if (profile.steps.steps.size() > kMostSteps) {
    profile.steps.left_out += profile.steps.steps.size() - kMostSteps;
    profile.steps.steps.resize(kMostSteps);
  }
  const std::vector<std::size_t> sizes = sizes_of(profile);
  Written written = write(digest);
  Bounds bounds;
  for (int i = 0; i < kTries && (written.file.size() > bytes || written.times_too_large() > 1); ++i) {
    const double times =
        std::max(static_cast<double>(written.file.size()) / static_cast<double>(bytes), written.times_too_large());
    if (!narrow(sizes, std::clamp(0.95 / times, 0.1, 0.9), bounds)) break;
    written = write(bounded(digest, bounds));
  }
  if (written.times_too_large() > 1) return core::fail(too_large(written));
  return std::move(written.file);
}

}  // namespace plumbline::profiles
