// What goes into the index. A record is one statement, which succeeds whole or not at all: only where it finds a measurement,
// context, series or month that the index does not know yet are these added first, and the statement is put again.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/privacy.hpp"
#include "core/text.hpp"
#include "registry/cache/record_text.hpp"
#include "registry/pgindex/lease.hpp"
#include "registry/pgindex/searched.hpp"

namespace plumbline::registry::pgindex {

using core::fail;

namespace {

constexpr const char* kNotNull = "23502";
constexpr const char* kNoPartition = "23514";
constexpr std::string_view kBetween = "\x1f";

// Dimensions are looked up by what names them; one that is not there yet makes a NULL, which no column takes
// (migrations/0006_add_entries.sql).
constexpr const char* kAddEntries = R"sql(
SELECT add_entries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
)sql";

// Asked before they are put: an insertion that finds its row there uses up a number of the sequence all the same.
constexpr const char* kAddMeasurements = R"sql(
INSERT INTO measurements(family, measurement)
SELECT g.family, g.measurement FROM unnest($1::text[], $2::text[]) AS g(family, measurement)
WHERE NOT EXISTS (SELECT FROM measurements m WHERE m.family = g.family AND m.measurement = g.measurement)
GROUP BY 1, 2 ORDER BY 1, 2 ON CONFLICT DO NOTHING
)sql";

constexpr const char* kAddContexts = R"sql(
INSERT INTO contexts(sha256, packed, context)
SELECT g.sha256, g.packed, g.context::jsonb FROM unnest($1::bytea[], $2::bytea[], $3::text[]) AS g(sha256, packed, context)
WHERE NOT EXISTS (SELECT FROM contexts c WHERE c.sha256 = g.sha256)
ORDER BY 1 ON CONFLICT DO NOTHING
)sql";

constexpr const char* kAddSeries = R"sql(
INSERT INTO series(measurement_id, sha256, key, unit, direction)
SELECT m.id, g.sha256, g.key, g.unit, g.direction
FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[])
  AS g(family, measurement, sha256, key, unit, direction)
JOIN measurements m ON m.family = g.family AND m.measurement = g.measurement
WHERE NOT EXISTS (SELECT FROM series s WHERE s.measurement_id = m.id AND s.sha256 = g.sha256)
ORDER BY 1, 2 ON CONFLICT DO NOTHING
)sql";

constexpr const char* kMakeMonths = "SELECT make_month(moment) FROM unnest($1::timestamptz[]) AS g(moment) ORDER BY moment";

constexpr const char* kAddBundles = R"sql(
INSERT INTO bundles(measurement_id, slug, at, bundle_sha256, kind, verdict, tier, label, baseline_slug, reasons, reason, words, keys)
SELECT m.id, g.slug, g.at, g.bundle_sha256, g.kind, g.verdict, g.tier, g.label, g.baseline_slug,
  string_to_array(g.reasons, E'\x1f'), g.reason, g.words, string_to_array(g.keys, E'\x1f')
FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
  $10::text[], $11::text[], $12::text[], $13::text[], $14::text[])
  AS g(family, measurement, slug, at, bundle_sha256, kind, verdict, tier, label, baseline_slug, reasons, reason, words, keys)
LEFT JOIN measurements m ON m.family = g.family AND m.measurement = g.measurement
ON CONFLICT (measurement_id, slug) DO NOTHING
)sql";

constexpr const char* kAddAcceptance = R"sql(
INSERT INTO acceptances(measurement_id, seq, slug, entry_sha256, reason, at, accepted_by)
SELECT m.id, $3::bigint, $4, $5, $6, $7::timestamptz, $8
FROM (SELECT 1) one LEFT JOIN measurements m ON m.family = $1 AND m.measurement = $2
ON CONFLICT DO NOTHING
)sql";

constexpr const char* kForgetEntries = R"sql(
WITH gone AS (
  DELETE FROM entries e USING measurements m
  WHERE m.family = $1 AND m.measurement = $2 AND e.measurement_id = m.id AND e.slug = ANY($3::text[])
  RETURNING e.id, e.at, e.measurement_id
)
DELETE FROM points p USING gone g, series s WHERE s.measurement_id = g.measurement_id AND p.series_id = s.id AND p.at = g.at
  AND p.entry_id = g.id
)sql";

constexpr const char* kForgetBundles = R"sql(
DELETE FROM bundles b USING measurements m
WHERE m.family = $1 AND m.measurement = $2 AND b.measurement_id = m.id AND b.slug = ANY($3::text[])
)sql";

constexpr const char* kNoMoment = "1970-01-01T00:00:00Z";

// "2026-11-20T15:03:59.123456Z" of a slug, which is a time; a folder may be called by one that there never was.
std::string moment_of(std::string_view slug) {
  if (!time_of_slug(slug) || slug.starts_with("0000")) return kNoMoment;
  const auto part = [&](std::size_t from, std::size_t size) { return std::string(slug.substr(from, size)); };
  return part(0, 4) + "-" + part(4, 2) + "-" + part(6, 2) + "T" + part(9, 2) + ":" + part(11, 2) + ":" + part(13, 2) + "." +
         part(15, 6) + "Z";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) {
    if (!out.empty() || &text != &texts.front()) out += kBetween;
    for (const char c : text) out += c == kBetween.front() ? '?' : c;
  }
  return out;
}

// The arrays that kAddEntries takes, in its order.
class EntryArrays {
 public:
  void add(const EntryRow& row) {
    const core::BaselineRecord& record = row.record;
    const std::string measured = measured_slug(record, row.slug);
    core::BaselineRecord kept = record;
    kept.context.clear();  // its context has a row of its own
    std::size_t i = 0;
    const auto text = [&](std::string_view value) { arrays_[i++].add(value); };
    for (const std::string* value : {&row.family, &row.measurement, &row.slug, &measured}) text(*value);
    text(moment_of(measured));
    text(row.entry_sha256);
    arrays_[i++].add_bytes(digest_bytes(pack_context(record.context)));
    text(core::to_string(record.tier));
    text(core::to_string(record.shape));
    text(record.format.name);
    if (record.value && std::isfinite(*record.value))
      arrays_[i++].add_number(*record.value);
    else
      arrays_[i++].add_null();
    text(record.unit.value_or(std::string()));
    text(core::without_secrets(record.label));
    text(core::without_secrets(record.notes));
    text(record.git_commit.value_or(std::string()));
    arrays_[i++].add_bytes(cache::pack(kept));
    const Searched searched = searched_of(record, row.family, row.measurement);
    text(searched.words);
    text(joined(searched.keys));
    arrays_[i++].add_number(static_cast<std::int64_t>(std::min<std::uint64_t>(row.points_left_out, INT32_MAX)));
    ++rows_;
    for (const Point& point : row.points) {
      arrays_[i].add_number(rows_);
      arrays_[i + 1].add_bytes(series_sha256(point.key, point.unit, point.direction));
      arrays_[i + 2].add_number(point.value);
      arrays_[i + 3].add_number(static_cast<std::int64_t>(std::min<std::uint64_t>(point.n, INT32_MAX)));
      if (point.sd && std::isfinite(*point.sd))
        arrays_[i + 4].add_number(*point.sd);
      else
        arrays_[i + 4].add_null();
    }
  }
  Parameters take() {
    Parameters out;
    for (Array& array : arrays_) out.emplace_back(array.take());
    return out;
  }

 private:
  std::array<Array, 24> arrays_;
  std::int64_t rows_ = 0;
};

template <class Rows>
Parameters names_of(const Rows& rows) {
  std::array<Array, 2> arrays;
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (const auto& row : rows) {
    if (!known.emplace(row.family, row.measurement).second) continue;
    arrays[0].add(row.family);
    arrays[1].add(row.measurement);
  }
  return {arrays[0].take(), arrays[1].take()};
}

Parameters contexts_of(std::span<const EntryRow> rows) {
  std::array<Array, 3> arrays;
  std::set<std::string> known;
  for (const EntryRow& row : rows) {
    const std::string packed = pack_context(row.record.context);
    if (!known.insert(packed).second) continue;
    arrays[0].add_bytes(digest_bytes(packed));
    arrays[1].add_bytes(packed);
    arrays[2].add(context_json(row.record.context));
  }
  return {arrays[0].take(), arrays[1].take(), arrays[2].take()};
}

Parameters series_of(std::span<const EntryRow> rows) {
  std::array<Array, 6> arrays;
  std::set<std::tuple<std::string, std::string, std::string>> known;
  for (const EntryRow& row : rows) {
    for (const Point& point : row.points) {
      const std::string sha256 = series_sha256(point.key, point.unit, point.direction);
      if (!known.emplace(row.family, row.measurement, sha256).second) continue;
      arrays[0].add(row.family);
      arrays[1].add(row.measurement);
      arrays[2].add_bytes(sha256);
      arrays[3].add(point.key);
      arrays[4].add(point.unit);
      arrays[5].add(point.direction);
    }
  }
  Parameters out;
  for (Array& array : arrays) out.emplace_back(array.take());
  return out;
}

Parameters months_of(std::span<const EntryRow> rows) {
  std::set<std::string> months;
  for (const EntryRow& row : rows) months.insert(moment_of(measured_slug(row.record, row.slug)).substr(0, 7) + "-01T00:00:00Z");
  Array array;
  for (const std::string& month : months) array.add(month);
  return {array.take()};
}

}  // namespace

core::Status Index::add_measurements(Connection& connection, const Parameters& names, const Stop& stop) {
  auto done = connection.run(kAddMeasurements, names, patience_, stop);
  return done ? core::Status() : fail(said(done.error()));
}

core::Status Index::add_names(Connection& connection, std::span<const EntryRow> rows, const Stop& stop) {
  if (auto ok = add_measurements(connection, names_of(rows), stop); !ok) return ok;
  for (const auto& [sql, parameters] : {std::pair(kAddContexts, contexts_of(rows)), std::pair(kAddSeries, series_of(rows)),
                                        std::pair(kMakeMonths, months_of(rows))}) {
    if (auto ok = connection.run(sql, parameters, patience_, stop); !ok) return fail(said(ok.error()));
  }
  return {};
}

core::Status Index::add(std::span<const EntryRow> rows, const Stop& stop) {
  if (rows.empty()) return {};
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  EntryArrays arrays;
  for (const EntryRow& row : rows) arrays.add(row);
  const Parameters parameters = arrays.take();
  for (bool first = true;; first = false) {
    auto done = leased->ask(kAddEntries, parameters);
    if (done) return {};
    const std::string& state = leased->connection().sql_state();
    if (!first || (state != kNotNull && state != kNoPartition)) return fail(done.error());
    if (auto ok = add_names(leased->connection(), rows, stop); !ok) return ok;
  }
}

core::Status Index::add(std::span<const BundleRow> rows, const Stop& stop) {
  if (rows.empty()) return {};
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  std::array<Array, 14> arrays;
  for (const BundleRow& row : rows) {
    const std::string at = moment_of(row.slug), reasons = joined(row.reasons), keys = joined(row.keys);
    const std::string label = core::without_secrets(row.label), reason = core::without_secrets(row.reason);
    const std::array<const std::string*, 14> texts = {&row.family, &row.measurement, &row.slug,  &at,    &row.bundle_sha256,
                                                      &row.kind,   &row.verdict,     &row.tier,  &label, &row.baseline_slug,
                                                      &reasons,    &reason,          &row.words, &keys};
    for (std::size_t i = 0; i < texts.size(); ++i) arrays[i].add(*texts[i]);
  }
  Parameters parameters;
  for (Array& array : arrays) parameters.emplace_back(array.take());
  for (bool first = true;; first = false) {
    auto done = leased->ask(kAddBundles, parameters);
    if (done) return {};
    if (!first || leased->connection().sql_state() != kNotNull) return fail(done.error());
    if (auto ok = add_measurements(leased->connection(), names_of(rows), stop); !ok) return ok;
  }
}

core::Status Index::add(const core::Acceptance& acceptance, const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  const auto accepted_at = parse_time(acceptance.accepted_at_utc);
  const Parameters parameters = {acceptance.family,
                                 acceptance.measurement,
                                 std::to_string(acceptance.seq),
                                 acceptance.slug,
                                 clean(acceptance.entry_sha256),
                                 clean(core::without_secrets(acceptance.reason)),
                                 accepted_at ? moment_of(slug_of(*accepted_at)) : kNoMoment,
                                 clean(acceptance.accepted_by)};
  for (bool first = true;; first = false) {
    auto done = leased->ask(kAddAcceptance, parameters);
    if (done) return {};
    if (!first || leased->connection().sql_state() != kNotNull) return fail(done.error());
    const std::array<core::Acceptance, 1> named = {acceptance};
    if (auto ok = add_measurements(leased->connection(), names_of(named), stop); !ok) return ok;
  }
}

core::Status Index::forget(Kind kind, std::string_view family, std::string_view measurement, std::span<const std::string> slugs,
                           const Stop& stop) {
  if (slugs.empty()) return {};
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  Array array;
  for (const std::string& slug : slugs) array.add(slug);
  auto done = leased->ask(kind == Kind::entry ? kForgetEntries : kForgetBundles,
                          {std::string(family), std::string(measurement), array.take()});
  return done ? core::Status() : fail(done.error());
}

}  // namespace plumbline::registry::pgindex
