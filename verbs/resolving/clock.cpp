#include "verbs/resolving/clock.hpp"

#include <algorithm>

#include "registry/records.hpp"
#include "verbs/environment.hpp"

namespace plumbline::verbs {
namespace {

using std::chrono::seconds;

// Clocks of two machines differ by that much, and calls that ran at the same time are registered in either order.
constexpr seconds kAlike{60};
// Entries before the chosen one that are looked at: those of the time since the clock went back come first.
constexpr int kLookedAt = 16;

// "3 d 4 h", "2 h 5 min", "90 s": two units, the greater first.
std::string span_text(seconds span) {
  struct Unit {
    std::int64_t seconds;
    const char* name;
  };
  constexpr Unit kUnits[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
  const std::int64_t count = span.count();
  for (std::size_t i = 0; i + 1 < std::size(kUnits); ++i) {
    const auto [whole, name] = kUnits[i];
    if (count < 2 * whole && !(i < 2 && count >= whole)) continue;
    const auto [part, part_name] = kUnits[i + 1];
    std::string text = std::to_string(count / whole) + " " + name;
    if (const std::int64_t rest = count % whole / part; rest > 0) text += " " + std::to_string(rest) + " " + part_name;
    return text;
  }
  return std::to_string(count) + " s";
}

// How far `later` is past `earlier`; nothing where that is within what clocks differ by, or where one is no slug.
std::optional<seconds> ahead(const std::string& later, Moment earlier) {
  const auto time = registry::time_of_slug(later);
  if (!time || *time - earlier <= kAlike) return std::nullopt;
  return std::chrono::duration_cast<seconds>(*time - earlier);
}
std::optional<seconds> ahead(const std::string& later, const std::string& earlier) {
  const auto time = registry::time_of_slug(earlier);
  return time ? ahead(later, *time) : std::nullopt;
}

struct Passed {
  std::string slug, after;  // registered after that one, with an earlier slug
  seconds by{0};
};

// The last entry that was registered after `chosen` and sorts before it.
std::optional<Passed> passed_over(const registry::Store& store, const std::string& family, const std::string& measurement,
                                  const std::string& chosen, const registry::PathLimits& limits,
                                  const std::function<bool(const core::BaselineRecord&)>& fits) {
  registry::Records records(store, family, measurement, limits);
  const auto first = records.read(chosen);
  if (!first || ahead(first->supersedes, chosen)) return std::nullopt;  // it was registered by the clock that went back
  registry::NewestFirst slugs(store, registry::Kind::entry, family, measurement);
  for (int looked = 0; looked < kLookedAt;) {
    const auto slug = slugs.next();
    if (!slug || !*slug) return std::nullopt;
    if (**slug >= chosen) continue;
    ++looked;
    const auto record = records.read(**slug);
    if (!record || record->supersedes < chosen) continue;
    const auto by = ahead(record->supersedes, **slug);
    if (by && (!fits || fits(*record))) return Passed{**slug, record->supersedes, *by};
  }
  return std::nullopt;
}

}  // namespace

std::optional<core::Warning> clock_against_newest(const registry::Store& store, const std::string& family,
                                                  const std::string& measurement, const std::string& chosen, Moment now,
                                                  const registry::PathLimits& limits,
                                                  const std::function<bool(const core::BaselineRecord&)>& fits) {
  const std::string name = family + "/" + measurement;
  if (const auto passed = passed_over(store, family, measurement, chosen, limits, fits)) {
    return core::Warning{"clock_set_back", passed->slug + " was registered after " + passed->after + ", and its time is " +
                                               span_text(passed->by) + " earlier: a clock was set back in between. " + chosen +
                                               " was taken for the newest; the one registered last is " + name + "@" +
                                               passed->slug};
  }
  if (const auto by = ahead(chosen, now)) {
    return core::Warning{"clock_set_back",
                         "the newest entry of " + name + ", " + chosen + ", lies " + span_text(*by) +
                             " in the future: this clock was set back, or the one that registered it was ahead. "
                             "Set the clock right; " +
                             name + "@SLUG chooses an entry whatever the clock says"};
  }
  return std::nullopt;
}

void add_clock_warning(Reference& reference, std::string_view text, const registry::Store& store, const core::Context* current,
                       std::span<const std::string> varying, const Context& context) {
  const auto name = parse_named_reference(text);
  if (!name || reference.kind != Reference::Kind::entry) return;
  const bool bare = name->selector.empty();
  if (name->selector != "newest" && !(bare && !reference.accepted)) return;
  const auto fits = [&](const core::BaselineRecord& record) {
    if (!bare || current == nullptr) return true;
    const auto differences = core::context_differences(record.context, *current, varying);
    return std::ranges::none_of(differences, [](const core::ContextDifference& each) {
      return !each.declared && each.severity == core::Severity::fatal && each.baseline_known && each.current_known;
    });
  };
  auto warning = clock_against_newest(store, name->family, name->measurement, reference.entry.slug, context.now(),
                                      path_limits(context), fits);
  if (warning) reference.warnings.push_back(std::move(*warning));
}

std::optional<core::Warning> clock_against_record(const std::string& family, const std::string& measurement,
                                                  const std::string& newest, Moment now) {
  const auto by = ahead(newest, now);
  if (!by) return std::nullopt;
  const std::string name = family + "/" + measurement;
  return core::Warning{"clock_set_back",
                       "the newest entry of " + name + ", " + newest + ", lies " + span_text(*by) +
                           " in the future: this clock was set back, or the one that registered it was ahead. " + name +
                           "@newest stays that one until then; accept this entry, or name it by its slug"};
}

}  // namespace plumbline::verbs
