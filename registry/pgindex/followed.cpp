// How far whoever follows the store has come, and which lines of its journal are news.
#include <array>

#include "registry/pgindex/lease.hpp"

namespace plumbline::registry::pgindex {

using core::fail;

namespace {

constexpr std::size_t kLinesAtOnce = 5000;

constexpr const char* kUnknown = R"sql(
SELECT g.no FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::bigint[])
  WITH ORDINALITY AS g(what, family, measurement, slug, seq, no)
LEFT JOIN measurements m ON m.family = g.family AND m.measurement = g.measurement
WHERE CASE g.what
  WHEN 0 THEN NOT EXISTS (SELECT FROM entries e WHERE e.measurement_id = m.id AND e.slug = g.slug)
  WHEN 1 THEN NOT EXISTS (SELECT FROM bundles b WHERE b.measurement_id = m.id AND b.slug = g.slug)
  ELSE NOT EXISTS (SELECT FROM acceptances a WHERE a.measurement_id = m.id AND a.seq >= g.seq)
END
ORDER BY g.no
)sql";

constexpr const char* kFollowed = "SELECT journal, compared FROM followed";

constexpr const char* kSetFollowed = R"sql(
INSERT INTO followed(journal, compared) VALUES ($1, $2)
ON CONFLICT (only_one) DO UPDATE SET journal = greatest(followed.journal, excluded.journal),
  compared = greatest(followed.compared, excluded.compared)
)sql";

}  // namespace

core::Expected<std::vector<std::size_t>> Index::unknown(std::span<const Noted> lines, const Stop& stop) {
  std::vector<std::size_t> out;
  if (lines.empty()) return out;
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  for (std::size_t from = 0; from < lines.size(); from += kLinesAtOnce) {
    std::array<Array, 5> arrays;
    for (const Noted& line : lines.subspan(from, std::min(kLinesAtOnce, lines.size() - from))) {
      arrays[0].add_number(static_cast<std::int64_t>(line.what));
      arrays[1].add(line.family);
      arrays[2].add(line.measurement);
      arrays[3].add(line.slug);
      arrays[4].add_number(static_cast<std::int64_t>(line.seq));
    }
    Parameters parameters;
    for (Array& array : arrays) parameters.emplace_back(array.take());
    const auto rows = leased->ask(kUnknown, parameters);
    if (!rows) return fail(rows.error());
    for (int i = 0; i < rows->size(); ++i) out.push_back(from + static_cast<std::size_t>(rows->integer(i, 0)) - 1);
  }
  return out;
}

core::Expected<Followed> Index::followed(const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  const auto rows = leased->ask(kFollowed, {});
  if (!rows) return fail(rows.error());
  if (rows->size() == 0) return Followed();
  return Followed{std::string(rows->text(0, 0)), std::string(rows->text(0, 1))};
}

core::Status Index::set_followed(const Followed& followed, const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  const auto done = leased->ask(kSetFollowed, {followed.journal, followed.compared});
  return done ? core::Status() : fail(done.error());
}

}  // namespace plumbline::registry::pgindex
