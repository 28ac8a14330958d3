// One bundle: its own report in a frame that can do nothing, and around it what the report cannot say of itself.
#include "core/text.hpp"
#include "server/site/pages/all.hpp"
#include "server/site/pages/files.hpp"

namespace plumbline::server::site {
namespace {

using registry::Kind;

constexpr std::chrono::milliseconds kReadFor{1000};

constexpr std::string_view kSheet =
    R"html(<div class="head"><h1>{{name}}</h1> <span class="chip {{tone}}">{{verdict}}</span> <span>{{tier}}</span></div>
<p class="sub">compared <time>{{time}}</time> UTC{{#has_baseline}} with the entry of <a href="{{baseline_link}}"><time>{{baseline}}</time></a>{{/has_baseline}}{{#has_superseded}} · overturned by the VERDICT of <a href="{{superseded_link}}"><time>{{superseded_time}}</time></a>{{/has_superseded}}{{#has_report}} · <a href="{{report}}">the report alone</a>{{/has_report}} · <a href="#files">files and verification</a></p>
{{#has_report}}<iframe class="report" src="{{report}}" title="The report of this diff" sandbox="allow-scripts"></iframe>{{/has_report}}
{{^has_report}}<section><p>This bundle holds no page. Its other reports are among its files.</p></section>{{/has_report}}
<div id="files">{{{files}}}</div>
)html";

// By which later VERDICT, if that is found in the time that a page has for it.
void set_overturned(Data& data, const Visit& visit, const mcp::Place& place) {
  registry::PathLimits limits = visit.limits;
  const Budget budget(kReadFor);
  limits.stop = [stop = visit.limits.stop, &budget] { return stop() || !budget.left(); };
  const auto found = registry::bundle_heads(visit.store, place.family, place.measurement, place.slug, limits);
  if (!found || found->heads.empty() || found->heads.front().slug != place.slug) return;
  const std::string& by = found->heads.front().superseded_by;
  if (by.empty()) return;
  data.set("superseded", by).set("superseded_time", time_text(by));
  data.set("superseded_link", link("diffs", {place.family, place.measurement, by}));
}

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
  if (head && head->tier == "DRAFT") set_overturned(data, visit, *place);
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
