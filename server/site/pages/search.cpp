// Entries and bundles by words: names at once, and what documents say for as long as a page may take.
#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/text.hpp"
#include "server/site/pages/all.hpp"

namespace plumbline::server::site {
namespace {

constexpr std::size_t kNames = 50;
constexpr std::uint32_t kHits = 100;
constexpr std::chrono::milliseconds kReadFor{3000};

constexpr std::string_view kSheet = R"html(<h1>Search</h1>
<form class="actions" action="/search" method="get"><label>Words <input type="search" name="q" value="{{q}}"></label> <label>Family <input name="family" value="{{family}}" size="14"></label> <label>Verdict <select name="verdict">{{#verdicts}}<option{{#is_on}} selected{{/is_on}} value="{{value}}">{{text}}</option>{{/verdicts}}</select></label> <button>Search</button></form>
{{#has_problem}}<p class="bad" role="alert">{{problem}}</p>{{/has_problem}}
{{#has_names}}<section><h2>Measurements of that name</h2><ul>{{#names}}<li><a href="{{link}}">{{text}}</a> <small>{{entries}}</small></li>{{/names}}</ul>{{#has_more_names}}<p class="note">{{more_names}}</p>{{/has_more_names}}</section>{{/has_names}}
{{#asked}}<section><h2>Entries and diffs</h2>
<p class="note">{{found}}</p>
{{#has_hits}}<table class="cards"><thead><tr><th scope="col">Of (UTC)</th><th scope="col">What</th><th scope="col">Measurement</th><th scope="col">Verdict or value</th><th scope="col">Label or reason</th></tr></thead>
<tbody>{{#hits}}<tr><th scope="row" data-label="Of (UTC)"><a href="{{link}}"><time>{{time}}</time></a></th><td data-label="What">{{kind}}</td><td data-label="Measurement">{{name}}</td><td data-label="Verdict or value">{{#has_verdict}}<span class="chip {{tone}}">{{verdict}}</span>{{/has_verdict}}{{value}}</td><td data-label="Label or reason">{{text}}</td></tr>
{{/hits}}</tbody></table>{{/has_hits}}</section>{{/asked}}
)html";

class SearchPage {
 public:
  explicit SearchPage(const Visit& visit) : visit_(visit) {
    query_.text = visit.query.get("q");
    query_.family = visit.query.get("family");
    query_.verdict = visit.query.get("verdict");
    query_.limit = kHits;
  }

  Answer answer() {
    data_.set("q", query_.text).set("family", query_.family);
    for (const std::string_view verdict : {"", "RED", "YELLOW", "GREEN"}) {
      data_.item("verdicts")
          .set("value", verdict)
          .set("text", verdict.empty() ? "any" : verdict)
          .flag("is_on", query_.verdict == verdict);
    }
    const bool asked = !query_.text.empty() || !query_.family.empty() || !query_.verdict.empty();
    data_.flag("asked", asked);
    if (asked) {
      set_names();
      set_hits();
    }
    Frame frame;
    frame.title = query_.text.empty() ? "Search" : "Search for " + core::cited(query_.text, 60);
    frame.crumbs = {{"/", "Measurements"}, {"", "Search"}};
    frame.search = query_.text;
    return shown(frame, kSheet, data_);
  }

 private:
  void set_names() {
    const std::string wanted = core::to_lower(query_.text);
    if (wanted.empty()) return;
    std::size_t found = 0;
    for (const Line& line : visit_.summary->lines) {
      const std::string name = line.family + "/" + line.measurement;
      if (core::to_lower(name).find(wanted) == std::string::npos) continue;
      if (++found > kNames) continue;
      Data& row = data_.item("names");
      row.set("text", name).set("link", link("families", {line.family, line.measurement}));
      row.set("entries", core::counted(line.entries, "entry", "entries"));
    }
    data_.flag("has_names", found > 0);
    if (found > kNames) data_.set("more_names", "and " + reports::grouped(found - kNames) + " more");
  }

  void set_hits() {
    registry::PathLimits limits = visit_.limits;
    const Budget budget(kReadFor);
    limits.stop = [stop = visit_.limits.stop, &budget] { return stop() || !budget.left(); };
    const auto result = registry::search(visit_.store, query_, limits);
    if (!result && !budget.left()) {
      data_.set("found",
                "Reading what all of them say takes longer than the 3 s that a page has: name a family, or ask "
                "`plumbline search` on the command line.");
      return;
    }
    if (!result) {
      data_.set("problem", result.error().message);
      return;
    }
    data_.set("found",
              core::counted(result->total, "hit") +
                  (result->total > result->hits.size() ? ", the newest " + std::to_string(result->hits.size()) + " here" : ""));
    data_.flag("has_hits", !result->hits.empty());
    for (const core::SearchHit& hit : result->hits) set_hit(hit);
  }

  void set_hit(const core::SearchHit& hit) {
    Data& row = data_.item("hits");
    const bool bundle = hit.kind == "bundle";
    row.set("time", time_text(hit.slug)).set("kind", bundle ? "diff" : "entry").set("name", hit.family + "/" + hit.measurement);
    row.set("link", link(bundle ? "diffs" : "entries", {hit.family, hit.measurement, hit.slug}));
    row.set("text", hit.label.empty() ? hit.notes : hit.label, 120);
    if (!bundle) {
      row.set("value", value_text(hit.value, hit.unit));
      return;
    }
    registry::BundleHead head;
    head.verdict = hit.verdict;
    set_verdict(row, head);
  }

  const Visit& visit_;
  registry::SearchQuery query_;
  Data data_;
};

}  // namespace

Answer search_page(const Visit& visit) { return SearchPage(visit).answer(); }

}  // namespace plumbline::server::site
