// Any two entries of the registry held against each other, by the verb that a diff is made with; nothing is written. The page is
// the one that a diff leaves behind, in a frame like a bundle's.
#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/reports.hpp"
#include "server/mcp/uri.hpp"
#include "server/site/pages/all.hpp"
#include "verbs/diff/again.hpp"

namespace plumbline::server::site {
namespace {

using registry::Kind;

constexpr std::string_view kForm = R"html(<h1>Compare two entries</h1>
<section>{{#has_problem}}<p class="bad" role="alert">{{problem}}</p>{{/has_problem}}{{#has_hint}}<p class="note">{{hint}}</p>{{/has_hint}}
<form action="/compare" method="get">
<p><label for="baseline">Baseline, as family/measurement/slug</label><br><input id="baseline" name="baseline" value="{{baseline}}" size="60" required></p>
<p><label for="current">Current</label><br><input id="current" name="current" value="{{current}}" size="60" required></p>
<p><button>Compare</button></p>
</form>
<p class="note">A slug is also <code>newest</code> or <code>accepted</code>.</p></section>
)html";

constexpr std::string_view kSheet = R"html(<div class="head"><h1>{{title}}</h1></div>
<p class="sub"><a href="{{current_link}}">{{current}}</a> against the baseline <a href="{{baseline_link}}">{{baseline}}</a> · <a href="{{swapped}}">the other way round</a> · <a href="{{report}}">the report alone</a> · made for this page: it is kept nowhere</p>
<iframe class="report" src="{{report}}" title="The comparison" sandbox="allow-scripts"></iframe>
<p class="note">The same on the command line: <code>{{command}}</code></p>
)html";

struct Side {
  mcp::Place place;
  [[nodiscard]] std::string text() const { return place.family + "/" + place.measurement + "/" + place.slug; }
  [[nodiscard]] std::string reference() const { return place.family + "/" + place.measurement + "@" + place.slug; }
  [[nodiscard]] std::string link() const { return site::link("entries", {place.family, place.measurement, place.slug}); }
};

core::Expected<Side> side_of(const Visit& visit, const char* name) {
  const std::string text = visit.query.get(name);
  auto parts = core::split(text, '/');
  if (parts.size() == 2) parts.push_back(mcp::kNewest);
  if (parts.size() != 3) {
    return core::fail(core::ErrorCode::usage, std::string("The ") + name + " is " + core::cited(text) + ", which names no entry.",
                      "Write family/measurement/slug.");
  }
  mcp::ResourceUri uri;
  uri.kind = mcp::ResourceUri::Kind::entry;
  uri.family = parts[0];
  uri.measurement = parts[1];
  uri.slug = parts[2];
  auto place = mcp::find_place(visit.store, uri);
  if (!place) return core::fail(std::move(place.error()));
  return Side{std::move(*place)};
}

struct Sides {
  Side baseline, current;
  [[nodiscard]] std::string query() const {
    return "?baseline=" + encoded(baseline.text()) + "&current=" + encoded(current.text());
  }
  [[nodiscard]] std::string swapped() const {
    return "?baseline=" + encoded(current.text()) + "&current=" + encoded(baseline.text());
  }
};

core::Expected<Sides> sides_of(const Visit& visit) {
  auto baseline = side_of(visit, "baseline");
  if (!baseline) return core::fail(std::move(baseline.error()));
  auto current = side_of(visit, "current");
  if (!current) return core::fail(std::move(current.error()));
  return Sides{std::move(*baseline), std::move(*current)};
}

Answer form(const Visit& visit, const core::Error* error) {
  Data data;
  data.set("baseline", visit.query.get("baseline")).set("current", visit.query.get("current"));
  if (error != nullptr) data.set("problem", error->message).set("hint", error->hint);
  Frame frame;
  frame.title = "Compare two entries";
  frame.crumbs = {{"/", "Measurements"}, {"", "Compare"}};
  return shown(frame, kForm, data, error == nullptr ? 200 : error->code == core::ErrorCode::not_found ? 404 : 400);
}

// What of the entry is a measurement that can be read again.
core::Expected<std::vector<std::string>> sources_of(const registry::Entry& entry) {
  std::vector<std::string> sources;
  if (!entry.snapshot.empty()) {
    sources.push_back(entry.snapshot);
    sources.insert(sources.end(), entry.trial_snapshots.begin(), entry.trial_snapshots.end());
  } else {
    sources = entry.digests;
  }
  if (!sources.empty()) return sources;
  return core::fail(core::ErrorCode::not_found, "The current entry holds no copy of what was measured, only where it was.",
                    "The other way round it may be compared: a baseline needs its number alone.");
}

core::Expected<core::DiffResult> compare(const Visit& visit, const Sides& sides) {
  const auto& [family, measurement, slug] =
      std::tie(sides.current.place.family, sides.current.place.measurement, sides.current.place.slug);
  const auto folder = visit.store.place(Kind::entry, family, measurement, slug);
  if (!folder) return core::fail(folder.error());
  auto entry = visit.store.open(*folder, visit.limits);
  if (!entry) return core::fail(std::move(entry.error()));
  auto sources = sources_of(*entry);
  if (!sources) return core::fail(std::move(sources.error()));
  verbs::Arguments arguments;
  arguments.set("baseline", std::vector<std::string>{sides.baseline.reference()});
  arguments.set("current", std::move(*sources));
  arguments.set("no_bundle", true);
  if (entry->record.shape != core::Shape::profile && !entry->record.context.empty()) {
    std::vector<std::string> context;
    for (const auto& [key, value] : entry->record.context) context.push_back(key + "=" + value);
    arguments.set("context", std::move(context));
  }
  auto result = verbs::diff_again(arguments, visit.context);
  if (!result) return result;
  result->current.slug = slug;
  result->current.label = entry->record.label;
  result->current.entry_sha256 = entry->entry_sha256;
  result->compared_at_utc = registry::utc_text(std::chrono::system_clock::now());
  result->tool.version = verbs::version();
  result->command = visit.context.command;
  return result;
}

}  // namespace

Answer compare_page(const Visit& visit) {
  if (visit.query.get("baseline").empty() || visit.query.get("current").empty()) return form(visit, nullptr);
  const auto sides = sides_of(visit);
  if (!sides) return form(visit, &sides.error());
  Data data;
  const std::string current = sides->current.place.family + "/" + sides->current.place.measurement;
  const std::string title =
      current + " of " + time_text(sides->current.place.slug) + " against " + time_text(sides->baseline.place.slug);
  data.set("title", title).set("current", sides->current.text()).set("baseline", sides->baseline.text());
  data.set("current_link", sides->current.link()).set("baseline_link", sides->baseline.link());
  data.set("swapped", "/compare" + sides->swapped()).set("report", "/compare/report" + sides->query());
  data.set("command", "plumbline diff " + sides->baseline.reference() + " FILE --no-bundle");
  Frame frame;
  frame.title = title;
  frame.crumbs = {{"/", "Measurements"}, {"/compare", "Compare"}, {"", time_text(sides->current.place.slug)}};
  return shown(frame, kSheet, data);
}

Answer compare_report(const Visit& visit) {
  const auto framed = [](const core::Error& error) {
    Answer answer = problem(error);
    answer.policy = Answer::Policy::framed;
    return answer;
  };
  const auto sides = sides_of(visit);
  if (!sides) return framed(sides.error());
  Answer answer;
  answer.policy = Answer::Policy::report;
  const auto rules = visit.library.rules_stamp();
  const std::string key = sides->query() + " " + rules.value_or("");
  if (const auto known = rules ? visit.library.comparisons.find(key) : std::nullopt) {
    answer.body = **known;
    return answer;
  }
  const auto result = compare(visit, *sides);
  if (!result) return framed(result.error());
  answer.body = reports::diff_html(*result);
  if (rules) visit.library.comparisons.keep(key, std::make_shared<const std::string>(answer.body));
  return answer;
}

}  // namespace plumbline::server::site
