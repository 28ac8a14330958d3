// The first page: every family, the newest first.
#include <algorithm>
#include <map>
#include <span>

#include "core/text.hpp"
#include "reports/text.hpp"
#include "server/site/pages/all.hpp"

namespace plumbline::server::site {
namespace {

using registry::Kind;

constexpr std::size_t kFamilies = 50;  // of a page
constexpr std::chrono::milliseconds kReadFor{60}, kReadAfterwards{5000};

constexpr std::string_view kSheet = R"html(<h1>Measurements</h1>
<div data-live id="list">
<p class="sub">{{counts}}{{^complete}} so far: the registry is still being read for the first time, this page follows{{/complete}}</p>
{{#has_problem}}<p class="bad" role="alert">{{problem}}</p>{{/has_problem}}
{{#none}}<section><p>Nothing is recorded yet.</p><p class="note"><code>plumbline record --family FAMILY --measurement MEASUREMENT --source FILE</code> records the first entry.</p></section>{{/none}}
{{#any}}<section><table class="cards">
<thead><tr><th scope="col">Family</th><th scope="col" class="num">Measurements</th><th scope="col" class="num">Entries</th><th scope="col" class="num">Diffs</th><th scope="col">Newest entry (UTC)</th><th scope="col">Newest verdict</th><th scope="col">Newest values</th></tr></thead>
<tbody>{{#families}}<tr><th scope="row" data-label="Family"><a href="{{link}}">{{family}}</a></th><td class="num" data-label="Measurements">{{measurements}}</td><td class="num" data-label="Entries">{{entries}}</td><td class="num" data-label="Diffs">{{diffs}}</td><td data-label="Newest entry (UTC)">{{#has_newest}}<a href="{{newest_link}}"><time>{{newest}}</time></a> <small>{{newest_name}}</small>{{/has_newest}}{{^has_newest}}–{{/has_newest}}</td><td data-label="Newest verdict">{{#has_verdict}}<a class="chip {{tone}}" href="{{diff_link}}">{{verdict}}</a> <small>{{tier}}</small>{{/has_verdict}}{{^has_verdict}}{{verdict_so_far}}{{/has_verdict}}</td><td data-label="Newest values">{{{spark}}}{{^has_spark}}{{spark_so_far}}{{/has_spark}}</td></tr>
{{/families}}</tbody></table></section>{{/any}}
<p class="pager">{{#has_newer}}<a href="{{newer}}" rel="prev">Newer</a> {{/has_newer}}{{#has_older}}<a href="{{older}}" rel="next">Older</a>{{/has_older}}</p>
</div>
)html";

struct Family {
  std::string_view name;
  std::uint64_t measurements = 0, entries = 0, diffs = 0;
  const Line* newest = nullptr;  // by entries
  const Line* judged = nullptr;  // by diffs
  [[nodiscard]] std::string_view moment() const {
    return std::max(newest != nullptr ? std::string_view(newest->newest_entry) : std::string_view(),
                    judged != nullptr ? std::string_view(judged->newest_diff) : std::string_view());
  }
};

std::vector<Family> families_of(const Summary& summary) {
  std::vector<Family> families;
  for (const Line& line : summary.lines) {
    if (families.empty() || families.back().name != line.family) families.push_back({line.family});
    Family& family = families.back();
    ++family.measurements;
    family.entries += line.entries;
    family.diffs += line.diffs;
    if (line.entries > 0 && (family.newest == nullptr || family.newest->newest_entry < line.newest_entry)) family.newest = &line;
    if (line.diffs > 0 && (family.judged == nullptr || family.judged->newest_diff < line.newest_diff)) family.judged = &line;
  }
  std::stable_sort(families.begin(), families.end(), [](const Family& a, const Family& b) { return a.moment() > b.moment(); });
  return families;
}

// False when there was no time for all of it.
bool set_newest(Data& row, const Family& family, const Visit& visit, const Budget& budget) {
  bool all = true;
  if (const Line* newest = family.newest) {
    row.set("newest", time_text(newest->newest_entry)).set("newest_name", newest->measurement, 40);
    row.set("newest_link", link("entries", {newest->family, newest->measurement, newest->newest_entry}));
    const auto values = visit.library.values(visit.store, *newest, budget);
    const auto facts =
        visit.library.facts(visit.store, {Kind::entry, newest->family, newest->measurement, newest->newest_entry}, budget);
    if (values && facts) row.part("spark", sparkline(*values, facts->unit));
    all = values && facts;
    row.set("spark_so_far", all ? "–" : "…");
  }
  if (const Line* judged = family.judged) {
    const auto head =
        visit.library.head(visit.store, {Kind::bundle, judged->family, judged->measurement, judged->newest_diff}, budget);
    if (head) {
      set_verdict(row, *head);
      row.set("diff_link", link("diffs", {judged->family, judged->measurement, judged->newest_diff}));
    }
    all = all && head;
  }
  row.set("verdict_so_far", family.judged == nullptr ? "–" : "…");
  return all;
}

// What the page had no time for, so that the next one has it.
void read_all(const Visit& visit, const std::vector<Family>& families) {
  const Budget budget(kReadAfterwards);
  for (const Family& family : families) {
    Data unused;
    if (visit.context.stop_asked()) return;
    set_newest(unused, family, visit, budget);
  }
}

}  // namespace

Answer families_page(const Visit& visit) {
  const Summary& summary = *visit.summary;
  const std::vector<Family> families = families_of(summary);
  const std::size_t page =
      static_cast<std::size_t>(std::clamp<std::int64_t>(core::parse_int(visit.query.get("page")).value_or(1), 1, 1'000'000));
  const std::size_t from = std::min(families.size(), (page - 1) * kFamilies), to = std::min(families.size(), from + kFamilies);
  std::uint64_t entries = 0, diffs = 0;
  for (const Family& family : families) {
    entries += family.entries;
    diffs += family.diffs;
  }
  Data data;
  data.set("counts", core::counted(entries, "entry", "entries") + " and " + core::counted(diffs, "diff") + " of " +
                         core::counted(summary.lines.size(), "measurement"));
  data.flag("complete", summary.complete).set("problem", summary.problem);
  data.flag("none", families.empty() && summary.complete && summary.problem.empty()).flag("any", from < to);
  data.set("newer", page > 1 && from > 0 ? "/?page=" + std::to_string(page - 1) : "");
  data.set("older", to < families.size() ? "/?page=" + std::to_string(page + 1) : "");
  const Budget budget(kReadFor);
  bool all = true;
  for (std::size_t i = from; i < to; ++i) {
    const Family& family = families[i];
    Data& row = data.item("families");
    row.set("family", family.name).set("link", link("families", {family.name}));
    row.set("measurements", reports::grouped(family.measurements)).set("entries", reports::grouped(family.entries));
    row.set("diffs", reports::grouped(family.diffs));
    all = set_newest(row, family, visit, budget) && all;
  }
  Frame frame;
  frame.title = "Measurements";
  frame.live = "";
  // What there was no time for is another state: the stream tells the page as soon as somebody looks again.
  frame.stamp = all ? summary.stamp("") : "partly";
  Answer answer = shown(frame, kSheet, data);
  if (!all) {
    const auto here = std::span(families).subspan(from, to - from);
    answer.afterwards = [&visit, shown = std::vector<Family>(here.begin(), here.end())] { read_all(visit, shown); };
  }
  return answer;
}

}  // namespace plumbline::server::site
