#include "verbs/indexing/derive.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/statistics.hpp"
#include "core/text.hpp"
#include "registry/pgindex/searched.hpp"
#include "verbs/resolving/baseline_side.hpp"
#include "verbs/resolving/digest_rows.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {

using registry::Kind;
using registry::pgindex::EntryRow;
using registry::pgindex::Point;

namespace {

// Those whose values history looks at.
bool is_kept(const core::Measurement& measurement, const core::Row& row) {
  if (row.value_count == 0) return false;
  const core::Role role = measurement.metric_class(row).role;
  return role == core::Role::judged || role == core::Role::gate || measurement.shape == core::Shape::scalar;
}

Point kept_point(const core::Measurement& measurement, const core::Row& row) {
  const auto values = measurement.values(row);
  Point point;
  point.key = measurement.key(row);
  point.unit = measurement.unit(row);
  point.direction = core::to_string(measurement.metric_class(row).direction);
  point.value = core::median(values);
  point.n = values.size();
  if (values.size() >= 3) point.sd = core::sample_stddev(values);
  return point;
}

bool is_headline(const core::BaselineRecord& record, const Point& point) {
  return std::ranges::any_of(record.headline, [&](const std::string& glob) { return core::glob_match(glob, point.key); });
}

void put_points(const core::Measurement& measurement, EntryRow& row) {
  std::unordered_set<core::Id> known;
  for (const core::Row& each : measurement.rows()) {
    if (!is_kept(measurement, each) || !known.insert(each.key).second) continue;
    Point point = kept_point(measurement, each);
    if (std::isfinite(point.value)) row.points.push_back(std::move(point));
  }
  if (row.points.size() <= kPointsAtMost) return;
  row.points_left_out = row.points.size() - kPointsAtMost;
  std::stable_partition(row.points.begin(), row.points.end(), [&](const Point& point) { return is_headline(row.record, point); });
  row.points.resize(kPointsAtMost);
}

}  // namespace

Expected<Derivation> Derivation::make(const registry::Store& store, const std::string& root, const Context& context) {
  auto reading = reading_rules_for(root, context);
  if (!reading) return core::fail(reading.error());
  return Derivation(store, std::move(*reading), context);
}

Expected<EntryRow> Derivation::entry(const std::string& family, const std::string& measurement, const std::string& slug) const {
  const std::string path = store_->directory(Kind::entry, family, measurement) + "/" + slug;
  if (auto ok = store_->bring({Kind::entry, family, measurement, slug, false, true}); !ok) return core::fail(ok.error());
  auto record = read_record(path, path_limits(*context_));
  if (!record) return core::fail(record.error());
  EntryRow row{family, measurement, slug, {}, std::move(*record), {}, 0};
  const auto pool = std::make_shared<core::StringPool>();
  Context unnoted = *context_;
  unnoted.inputs = nullptr;  // no verdict rests on it
  const bool capture = row.record.shape == core::Shape::profile;
  if (capture) {
    if (auto ok = store_->bring({Kind::entry, family, measurement, slug, false}); !ok) return core::fail(ok.error());
  }
  const auto opened =
      capture ? open_digest(path, row.record, pool, unnoted) : open_baseline(path, *store_, nullptr, "", pool, reading_, unnoted);
  // What the machine could not do now it may do the next time: nothing is kept of it until then.
  if (!opened && (opened.error().code == ErrorCode::environment || opened.error().code == ErrorCode::cancelled))
    return core::fail(opened.error());
  if (opened && opened->measurement != nullptr) put_points(*opened->measurement, row);
  if (const auto sums = registry::read_file(path + "/SHA256SUMS", path_limits(*context_)))
    row.entry_sha256 = registry::sha256_hex(sums->view());
  return row;
}

Expected<registry::pgindex::BundleRow> Derivation::bundle(const std::string& family, const std::string& measurement,
                                                          const std::string& slug) const {
  const std::string path = store_->directory(Kind::bundle, family, measurement) + "/" + slug;
  if (auto ok = store_->bring({Kind::bundle, family, measurement, slug, false, true}); !ok) return core::fail(ok.error());
  return registry::pgindex::bundle_row(path, family, measurement, slug, path_limits(*context_));
}

}  // namespace plumbline::verbs
