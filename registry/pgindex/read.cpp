// What the index is asked. A context's newest entry is looked up in the order of an index, one step for each context: asked for
// all contexts at once (`= ANY`), the server would sort every entry that any of them has.
#include <algorithm>

#include "core/text.hpp"
#include "registry/cache/record_text.hpp"
#include "registry/pgindex/lease.hpp"

namespace plumbline::registry::pgindex {

using core::fail;

namespace {

constexpr const char* kMeasurement = "SELECT id FROM measurements WHERE family = $1 AND measurement = $2";

// The contexts that entries of one measurement have, by jumps through the index from one to the next. The measurement is looked
// up once and not joined: in a join the server would sort all its entries at each jump.
constexpr const char* kContexts = R"sql(
WITH RECURSIVE m AS MATERIALIZED (SELECT id FROM measurements WHERE family = $1 AND measurement = $2),
jump AS (
  (SELECT e.context_id FROM entries e WHERE e.measurement_id = (SELECT id FROM m) ORDER BY e.context_id LIMIT 1)
  UNION ALL
  SELECT (SELECT e.context_id FROM entries e WHERE e.measurement_id = (SELECT id FROM m) AND e.context_id > jump.context_id
          ORDER BY e.context_id LIMIT 1)
  FROM jump WHERE jump.context_id IS NOT NULL
)
SELECT c.id, c.packed, c.sha256 FROM jump JOIN contexts c ON c.id = jump.context_id
)sql";

constexpr const char* kNewest = R"sql(
SELECT e.slug, e.measured, e.context_id
FROM unnest($2::int[]) c(id)
CROSS JOIN LATERAL (SELECT slug, measured, context_id FROM entries WHERE measurement_id = $1::int AND context_id = c.id
                    ORDER BY measured DESC, slug DESC LIMIT 1) e
ORDER BY e.measured DESC, e.slug DESC
)sql";

constexpr const char* kOlder = R"sql(
SELECT slug, measured, context_id FROM entries
WHERE measurement_id = $1::int AND context_id = $2::int AND (measured, slug) < ($3, $4)
ORDER BY measured DESC, slug DESC LIMIT $5::int
)sql";

constexpr const char* kEntrySlugs =
    "SELECT slug, entry_sha256 FROM entries WHERE measurement_id = $1::int AND slug >= $2 ORDER BY slug";
constexpr const char* kBundleSlugs =
    "SELECT slug, bundle_sha256 FROM bundles WHERE measurement_id = $1::int AND slug >= $2 ORDER BY slug";

// The newest; what is older is read from the store.
constexpr const char* kRecords =
    "SELECT slug, context_id, record FROM entries WHERE measurement_id = $1::int ORDER BY slug DESC LIMIT 1000000";

constexpr const char* kCounts = R"sql(
SELECT (SELECT count(*) FROM measurements), (SELECT count(*) FROM contexts), (SELECT count(*) FROM series),
  (SELECT count(*) FROM entries), (SELECT count(*) FROM points), (SELECT count(*) FROM bundles), (SELECT count(*) FROM acceptances),
  (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE n.nspname = 'plumbline' AND c.relkind = 'r')
)sql";

constexpr const char* kAbout = R"sql(
WITH t AS MATERIALIZED (
  SELECT CASE WHEN c.relname LIKE 'points%' THEN 'points' ELSE c.relname END AS name, greatest(c.reltuples, 0) AS size,
    pg_total_relation_size(c.oid) AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'plumbline' AND c.relkind = 'r'
), rows AS (SELECT name, sum(size)::bigint AS size FROM t GROUP BY name)
SELECT (SELECT size FROM rows WHERE name = 'measurements'), (SELECT size FROM rows WHERE name = 'contexts'),
  (SELECT size FROM rows WHERE name = 'series'), (SELECT size FROM rows WHERE name = 'entries'),
  (SELECT size FROM rows WHERE name = 'points'), (SELECT size FROM rows WHERE name = 'bundles'),
  (SELECT size FROM rows WHERE name = 'acceptances'), (SELECT sum(bytes)::bigint FROM t)
)sql";

// One word by itself, which an index of trigrams can look up, and the others of what that gives. What is found is kept before it
// is put in order: else the server walks back in time and looks at every row on the way.
constexpr const char* kSearch = R"sql(
WITH hits AS MATERIALIZED (
  SELECT 0 AS kind, measurement_id, slug FROM entries
  WHERE words LIKE $8 AND words LIKE ALL ($1::text[]) AND $4 = '' AND ($5 = '' OR EXISTS (SELECT FROM unnest(keys) k WHERE k LIKE $5))
    AND slug COLLATE "C" >= $6 AND ($7 = '' OR slug COLLATE "C" <= $7)
  UNION ALL
  SELECT 1, measurement_id, slug FROM bundles
  WHERE words LIKE $8 AND words LIKE ALL ($1::text[]) AND ($4 = '' OR lower(verdict) = $4)
    AND ($5 = '' OR EXISTS (SELECT FROM unnest(keys) k WHERE k LIKE $5))
    AND slug COLLATE "C" >= $6 AND ($7 = '' OR slug COLLATE "C" <= $7)
)
SELECT h.kind, m.family, m.measurement, h.slug FROM hits h JOIN measurements m ON m.id = h.measurement_id
WHERE ($2 = '' OR m.family = $2) AND ($3 = '' OR m.measurement = $3)
ORDER BY h.slug DESC, h.kind, m.family, m.measurement LIMIT $9::bigint
)sql";

constexpr const char* kPlaces = R"sql(
WITH m AS MATERIALIZED (SELECT id, family, measurement FROM measurements
                        WHERE ($1 = '' OR family = $1) AND ($2 = '' OR measurement = $2))
SELECT 0, m.family, m.measurement, e.slug FROM entries e JOIN m ON m.id = e.measurement_id
WHERE e.slug >= $3 AND ($4 = '' OR e.slug <= $4)
UNION ALL
SELECT 1, m.family, m.measurement, b.slug FROM bundles b JOIN m ON m.id = b.measurement_id
WHERE b.slug >= $3 AND ($4 = '' OR b.slug <= $4)
)sql";

std::string text_of(const Rows& rows, int row, int column) { return std::string(rows.text(row, column)); }

KnownEntry known_entry(const Rows& rows, int row) { return {text_of(rows, row, 0), text_of(rows, row, 1), rows.integer(row, 2)}; }

std::vector<KnownEntry> known_entries(const Rows& rows) {
  std::vector<KnownEntry> out;
  out.reserve(static_cast<std::size_t>(rows.size()));
  for (int i = 0; i < rows.size(); ++i) out.push_back(known_entry(rows, i));
  return out;
}

// As a pattern of LIKE that is true of all texts that the glob is true of. A `?` stands for one byte there and for one character
// here.
std::string like_of_glob(std::string_view glob) {
  std::string out;
  for (const char c : glob) out += c == '*' || c == '?' ? "%" : like_literal(std::string_view(&c, 1));
  return out;
}

// Of a word that the columns hold as it is; nullopt for one that they cannot hold.
std::optional<std::string> like_of_word(const std::string& word) {
  if (!is_clean(word) || word.find('\x1f') != std::string::npos) return std::nullopt;
  return "%" + like_literal(word) + "%";
}

// The end of a range names a beginning: all slugs that begin so are in it.
std::string until_of(const Wanted& wanted) { return wanted.until.empty() ? "" : wanted.until + "~"; }

std::vector<FoundPlace> found_places(const Rows& rows) {
  std::vector<FoundPlace> out;
  out.reserve(static_cast<std::size_t>(rows.size()));
  for (int i = 0; i < rows.size(); ++i) {
    out.push_back(
        {rows.integer(i, 0) == 0 ? Kind::entry : Kind::bundle, text_of(rows, i, 1), text_of(rows, i, 2), text_of(rows, i, 3)});
  }
  return out;
}

}  // namespace

bool is_exact(const Wanted& wanted) {
  const auto has_like = [](const std::string& word) { return like_of_word(word).has_value(); };
  const std::string& glob = wanted.key_glob;
  return std::ranges::all_of(wanted.words, has_like) && is_clean(glob) && glob.find_first_of("?\x1f") == std::string::npos &&
         (glob.empty() || glob.find_first_not_of('*') != std::string::npos);
}

core::Expected<std::vector<KnownContext>> Index::contexts(std::string_view family, std::string_view measurement,
                                                          const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  const auto rows = leased->ask(kContexts, {std::string(family), std::string(measurement)});
  if (!rows) return fail(rows.error());
  std::vector<KnownContext> out;
  for (int i = 0; i < rows->size(); ++i) {
    const std::string packed = rows->bytes(i, 1);
    auto context = unpack_context(packed);
    if (!context || digest_bytes(packed) != rows->bytes(i, 2))
      return fail(
          said({core::ErrorCode::environment, "a context in it is damaged", "`plumbline index rebuild` makes it anew", ""}));
    out.push_back({rows->integer(i, 0), std::move(*context)});
  }
  return out;
}

core::Expected<std::optional<std::string>> Index::measurement_id(Lease& lease, std::string_view family,
                                                                 std::string_view measurement) {
  const auto rows = lease.ask(kMeasurement, {std::string(family), std::string(measurement)});
  if (!rows) return fail(rows.error());
  if (rows->size() == 0) return std::optional<std::string>();
  return std::optional(text_of(*rows, 0, 0));
}

core::Expected<std::vector<KnownEntry>> Index::newest_of(std::string_view family, std::string_view measurement,
                                                         std::span<const std::int64_t> contexts, const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  const auto id = measurement_id(*leased, family, measurement);
  if (!id) return fail(id.error());
  if (!*id) return std::vector<KnownEntry>();
  Array ids;
  for (const std::int64_t context : contexts) ids.add_number(context);
  const auto rows = leased->ask(kNewest, {**id, ids.take()});
  if (!rows) return fail(rows.error());
  return known_entries(*rows);
}

core::Expected<std::vector<KnownEntry>> Index::older_than(std::string_view family, std::string_view measurement,
                                                          const KnownEntry& below, std::size_t at_most, const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  const auto id = measurement_id(*leased, family, measurement);
  if (!id) return fail(id.error());
  if (!*id) return std::vector<KnownEntry>();
  const auto rows =
      leased->ask(kOlder, {**id, std::to_string(below.context_id), below.measured, below.slug, std::to_string(at_most)});
  if (!rows) return fail(rows.error());
  return known_entries(*rows);
}

core::Expected<std::vector<std::pair<std::string, std::string>>> Index::digests(Kind kind, std::string_view family,
                                                                                std::string_view measurement,
                                                                                std::string_view since, const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  std::vector<std::pair<std::string, std::string>> out;
  const auto id = measurement_id(*leased, family, measurement);
  if (!id) return fail(id.error());
  if (!*id) return out;
  const auto rows = leased->ask(kind == Kind::entry ? kEntrySlugs : kBundleSlugs, {**id, std::string(since)});
  if (!rows) return fail(rows.error());
  out.reserve(static_cast<std::size_t>(rows->size()));
  for (int i = 0; i < rows->size(); ++i) out.emplace_back(rows->text(i, 0), rows->text(i, 1));
  return out;
}

core::Expected<std::vector<std::string>> Index::slugs(Kind kind, std::string_view family, std::string_view measurement,
                                                      std::string_view since, const Stop& stop) {
  auto found = digests(kind, family, measurement, since, stop);
  if (!found) return fail(found.error());
  std::vector<std::string> out;
  out.reserve(found->size());
  for (auto& [slug, digest] : *found) out.push_back(std::move(slug));
  return out;
}

core::Expected<std::vector<std::pair<std::string, std::string>>> Index::measurements(const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  const auto rows = leased->ask("SELECT family, measurement FROM measurements ORDER BY 1, 2", {});
  if (!rows) return fail(rows.error());
  std::vector<std::pair<std::string, std::string>> out;
  out.reserve(static_cast<std::size_t>(rows->size()));
  for (int i = 0; i < rows->size(); ++i) out.emplace_back(rows->text(i, 0), rows->text(i, 1));
  return out;
}

core::Expected<std::vector<KnownRecord>> Index::records(std::string_view family, std::string_view measurement, const Stop& stop) {
  const auto known = contexts(family, measurement, stop);
  if (!known) return fail(known.error());
  std::unordered_map<std::int64_t, const core::Context*> by_id;
  for (const KnownContext& one : *known) by_id[one.id] = &one.context;
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  const auto id = measurement_id(*leased, family, measurement);
  if (!id) return fail(id.error());
  std::vector<KnownRecord> out;
  if (!*id) return out;
  const auto rows = leased->ask(kRecords, {**id});
  if (!rows) return fail(rows.error());
  out.reserve(static_cast<std::size_t>(rows->size()));
  for (int i = 0; i < rows->size(); ++i) {
    const auto context = by_id.find(rows->integer(i, 1));
    auto record = cache::unpack(rows->bytes(i, 2));
    if (context == by_id.end() || !record) continue;  // added meanwhile, or not ours: read from the store then
    record->context = *context->second;
    out.push_back({text_of(*rows, i, 0), std::move(*record)});
  }
  return out;
}

core::Expected<std::vector<FoundPlace>> Index::search(const Wanted& wanted, std::size_t at_most, const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  Array words;
  std::string longest = "%";
  for (const std::string& word : wanted.words) {
    const auto like = like_of_word(word);
    if (!like) continue;
    words.add(*like);
    if (like->size() > longest.size()) longest = *like;
  }
  // A key may be empty, and an array has no place for that.
  const bool all_keys = wanted.key_glob.find_first_not_of('*') == std::string::npos;
  const bool glob = !all_keys && is_clean(wanted.key_glob) && wanted.key_glob.find('\x1f') == std::string::npos;
  const auto rows = leased->ask(kSearch, {words.take(), wanted.family, wanted.measurement, core::to_lower(wanted.verdict),
                                          glob ? like_of_glob(wanted.key_glob) : std::string(), wanted.since, until_of(wanted),
                                          longest, std::to_string(at_most)});
  if (!rows) return fail(rows.error());
  return found_places(*rows);
}

core::Expected<std::vector<FoundPlace>> Index::places(const Wanted& wanted, const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  const auto rows = leased->ask(kPlaces, {wanted.family, wanted.measurement, wanted.since, until_of(wanted)});
  if (!rows) return fail(rows.error());
  return found_places(*rows);
}

core::Expected<std::string> Index::accepted(std::string_view family, std::string_view measurement, const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  const auto rows = leased->ask(
      "SELECT a.slug FROM acceptances a JOIN measurements m ON m.id = a.measurement_id WHERE m.family = $1 AND m.measurement = "
      "$2 "
      "ORDER BY a.seq DESC LIMIT 1",
      {std::string(family), std::string(measurement)});
  if (!rows) return fail(rows.error());
  return rows->size() == 0 ? std::string() : text_of(*rows, 0, 0);
}

core::Expected<Counts> Index::counts(bool about, const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  const auto rows = leased->ask(about ? kAbout : kCounts, {});
  if (!rows) return fail(rows.error());
  const auto at = [&](int column) { return static_cast<std::uint64_t>(rows->integer(0, column)); };
  return Counts{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
}

}  // namespace plumbline::registry::pgindex
