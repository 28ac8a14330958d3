#include "verbs/resolving/red_streak.hpp"

#include <algorithm>

#include "core/rules/day.hpp"
#include "registry/bundle_heads.hpp"

namespace plumbline::verbs {
namespace {

std::string day_of(std::string_view slug) {
  return std::string(slug.substr(0, 4)) + "-" + std::string(slug.substr(4, 2)) + "-" + std::string(slug.substr(6, 2));
}

std::optional<core::Verdict> verdict_of(std::string_view text) {
  for (const core::Verdict verdict : {core::Verdict::green, core::Verdict::yellow, core::Verdict::red}) {
    if (text == core::to_string(verdict)) return verdict;
  }
  return std::nullopt;
}

void add(std::optional<core::RedStreak>& red, const registry::BundleHead& head) {
  if (!red) red.emplace().diffs = 0;
  red->first = head.slug;
  red->since = day_of(head.slug);
  ++red->diffs;
}

// What the bundle says of those before it.
void believe(core::RedStreak& red, const core::RedStreak& said) {
  red.diffs += said.diffs - 1;
  red.older = said.older;
  if (said.first.empty()) return;  // it was the first itself
  red.first = said.first;
  red.since = said.since;
}

}  // namespace

core::Expected<NewestDiffs> newest_diffs(const registry::Store& store, std::string_view family, std::string_view measurement,
                                         std::string_view today, const registry::PathLimits& limits) {
  NewestDiffs out;
  registry::NewestFirst slugs(store, registry::Kind::bundle, family, measurement);
  const std::string directory = store.directory(registry::Kind::bundle, family, measurement);
  for (std::size_t looked = 0; looked < kStreakAtMost; ++looked) {
    if (limits.stop && limits.stop()) return core::fail(core::ErrorCode::cancelled, "cancelled");
    const auto slug = slugs.next();
    if (!slug) {
      if (slug.error().code == core::ErrorCode::not_found) break;
      return core::fail(slug.error());
    }
    if (!*slug) break;
    const auto head = registry::bundle_head(directory + "/" + **slug, **slug, limits);
    const auto verdict = head ? verdict_of(head->verdict) : std::nullopt;
    if (!verdict) continue;  // what cannot be read says nothing
    if (!out.verdict) out.verdict = verdict;
    if (*verdict != core::Verdict::red) break;
    add(out.red, *head);
    if (head->red) {
      believe(*out.red, *head->red);
      break;
    }
    if (looked + 1 == kStreakAtMost) out.red->older = true;
  }
  if (out.red) out.red->days = std::max(0, core::days_between(out.red->since, today));
  return out;
}

}  // namespace plumbline::verbs
