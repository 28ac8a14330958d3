// One bundle: its own report in a frame that can do nothing, and around it what the report cannot say of itself.
#include "core/text.hpp"
#include "server/site/pages/all.hpp"
#include "server/site/pages/files.hpp"

namespace plumbline::server::site {
namespace {

using registry::Kind;

constexpr std::string_view kSheet =
    R"html(<div class="head"><h1>{{name}}</h1> <span class="chip {{tone}}">{{verdict}}</span> <span>{{tier}}</span></div>
<p class="sub">compared <time>{{time}}</time> UTC{{#has_baseline}} with the entry of <a href="{{baseline_link}}"><time>{{baseline}}</time></a>{{/has_baseline}}{{#has_superseded}} · overturned by the VERDICT of <a href="{{superseded_link}}"><time>{{superseded_time}}</time></a>{{/has_superseded}}{{#has_report}} · <a href="{{report}}">the report alone</a>{{/has_report}} · <a href="#files">files and verification</a></p>
{{#has_report}}<iframe class="report" src="{{report}}" title="The report of this diff" sandbox="allow-scripts"></iframe>{{/has_report}}
{{^has_report}}<section><p>This bundle holds no page. Its other reports are among its files.</p></section>{{/has_report}}
<div id="files">{{{files}}}</div>
)html";

std::string report_of(const Visit& visit, const mcp::Place& place) {
  const auto contents = mcp::contents_of(visit.store, place, 1000, visit.limits);
  if (!contents) return {};
  for (const mcp::MemberName& file : contents->files) {
    if (file.name != "diff.html" && file.name != "outliers.html") continue;
    return link("diffs", {place.family, place.measurement, place.slug}) + "/files/" + file.name;
  }
  return {};
}

}  // namespace

Answer diff_page(const Visit& visit) {
  const auto place = place_of(visit, Kind::bundle);
  if (!place) return place.error();
  if (place->slug != visit.parts[2]) return redirect(link("diffs", {place->family, place->measurement, place->slug}));
  Data data;
  const auto head = visit.library.head(visit.store, *place, Budget(std::chrono::seconds(5)));
  if (head) {
    set_verdict(data, *head);
    if (registry::is_slug(head->baseline_slug)) {
      data.set("baseline", time_text(head->baseline_slug));
      data.set("baseline_link", link("entries", {place->family, place->measurement, head->baseline_slug}));
    }
  }
  if (const auto history = visit.library.history(visit.store, place->family, place->measurement, visit.context)) {
    for (const core::HistoryDiff& diff : (*history)->diffs) {
      if (diff.slug != place->slug || diff.superseded_by.empty()) continue;
      data.set("superseded", diff.superseded_by).set("superseded_time", time_text(diff.superseded_by));
      data.set("superseded_link", link("diffs", {place->family, place->measurement, diff.superseded_by}));
    }
  }
  const std::string name = place->family + "/" + place->measurement;
  data.set("name", name).set("time", time_text(place->slug)).set("report", report_of(visit, *place));
  data.part("files", files_section(visit, *place));
  Frame frame;
  frame.title = (head && !head->verdict.empty() ? head->verdict + " · " : std::string()) + time_text(place->slug) + " · " + name;
  frame.crumbs = {{"/", "Measurements"},
                  {link("families", {place->family}), place->family},
                  {link("families", {place->family, place->measurement}), place->measurement},
                  {"/diffs", "Diffs"},
                  {"", time_text(place->slug)}};
  return shown(frame, kSheet, data);
}

}  // namespace plumbline::server::site
