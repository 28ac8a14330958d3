// One family: its measurements, by name.
#include "core/text.hpp"
#include "reports/text.hpp"
#include "server/site/pages/all.hpp"

namespace plumbline::server::site {
namespace {

using registry::Kind;

constexpr std::size_t kMeasurements = 100;  // of a page
constexpr std::chrono::milliseconds kReadFor{100}, kFirstLook{5000};

constexpr std::string_view kSheet = R"html(<h1>{{family}}</h1>
<div data-live id="list">
<p class="sub">{{counts}}</p>
<section><table class="cards">
<thead><tr><th scope="col">Measurement</th><th scope="col" class="num">Entries</th><th scope="col" class="num">Diffs</th><th scope="col">Newest entry (UTC)</th><th scope="col" class="num">Newest value</th><th scope="col">Newest verdict</th><th scope="col">Newest values</th></tr></thead>
<tbody>{{#rows}}<tr><th scope="row" data-label="Measurement"><a href="{{link}}">{{measurement}}</a></th><td class="num" data-label="Entries">{{entries}}</td><td class="num" data-label="Diffs">{{diffs}}</td><td data-label="Newest entry (UTC)">{{#has_newest}}<a href="{{newest_link}}"><time>{{newest}}</time></a>{{/has_newest}}{{^has_newest}}–{{/has_newest}}</td><td class="num" data-label="Newest value">{{value}}</td><td data-label="Newest verdict">{{#has_verdict}}<a class="chip {{tone}}" href="{{diff_link}}">{{verdict}}</a> <small>{{tier}}</small>{{/has_verdict}}{{^has_verdict}}–{{/has_verdict}}</td><td data-label="Newest values">{{{spark}}}{{^has_spark}}–{{/has_spark}}</td></tr>
{{/rows}}</tbody></table></section>
<p class="pager">{{#has_first}}<a href="{{first}}">First</a> {{/has_first}}{{#has_next}}<a href="{{next}}" rel="next">Further measurements</a>{{/has_next}}</p>
</div>
)html";

void set_newest_entry(Data& row, const Line& line, const Visit& visit, const Budget& budget) {
  if (line.entries == 0) return;
  row.set("newest", time_text(line.newest_entry));
  row.set("newest_link", link("entries", {line.family, line.measurement, line.newest_entry}));
  const auto facts = visit.library.facts(visit.store, {Kind::entry, line.family, line.measurement, line.newest_entry}, budget);
  if (!facts) return;
  row.set("value", facts->problem.empty() ? value_text(facts->value, facts->unit) : "unreadable");
  if (const auto values = visit.library.values(visit.store, line, budget)) row.part("spark", sparkline(*values, facts->unit));
}

void set_newest_diff(Data& row, const Line& line, const Visit& visit, const Budget& budget) {
  if (line.diffs == 0) return;
  const auto head = visit.library.head(visit.store, {Kind::bundle, line.family, line.measurement, line.newest_diff}, budget);
  if (!head) return;
  set_verdict(row, *head);
  row.set("diff_link", link("diffs", {line.family, line.measurement, line.newest_diff}));
}

}  // namespace

Answer family_page(const Visit& visit) {
  const std::string& family = visit.parts[0];
  auto summary = visit.summary;
  if (!summary->complete && summary->of(family).empty()) summary = visit.library.overview().get(kFirstLook);
  const auto lines = summary->of(family);
  if (lines.empty()) return no_such_name(visit);
  const std::string after = visit.query.get("after");
  std::uint64_t entries = 0;
  Data data;
  std::size_t shown_rows = 0;
  const Budget budget(kReadFor);
  for (const Line& line : lines) {
    entries += line.entries;
    if (line.measurement <= after) continue;
    if (++shown_rows == kMeasurements + 1) {
      data.set("next", link("families", {family}) + "?after=" + encoded((&line - 1)->measurement));
    }
    if (shown_rows > kMeasurements) continue;
    Data& row = data.item("rows");
    row.set("measurement", line.measurement).set("link", link("families", {family, line.measurement}));
    row.set("entries", reports::grouped(line.entries)).set("diffs", reports::grouped(line.diffs));
    set_newest_entry(row, line, visit, budget);
    set_newest_diff(row, line, visit, budget);
  }
  data.set("family", family).set("first", after.empty() ? "" : link("families", {family}));
  data.set("counts", core::counted(lines.size(), "measurement") + ", " + core::counted(entries, "entry", "entries"));
  Frame frame;
  frame.title = family;
  frame.crumbs = {{"/", "Measurements"}, {"", family}};
  frame.live = family;
  frame.stamp = summary->stamp(family);
  return shown(frame, kSheet, data);
}

}  // namespace plumbline::server::site
