// The newest bundles of the registry, or of one family or measurement, all of them or those with one verdict.
#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "reports/text.hpp"
#include "server/site/pages/all.hpp"

namespace plumbline::server::site {
namespace {

using mcp::Place;
using registry::Kind;

constexpr std::size_t kDiffs = 50;      // of a page
constexpr std::size_t kLookedAt = 200;  // names at a time, for a verdict
constexpr std::chrono::milliseconds kReadFor{150}, kFirstLook{1000};
constexpr std::array<std::string_view, 3> kVerdicts = {"RED", "YELLOW", "GREEN"};

constexpr std::string_view kSheet = R"html(<h1>Diffs</h1>
<div data-live id="list">
<p class="actions">{{#filters}}{{#is_on}}<b aria-current="true">{{text}}</b>{{/is_on}}{{^is_on}}<a href="{{link}}">{{text}}</a>{{/is_on}} {{/filters}}</p>
<p class="sub">{{scope}}{{^complete}}, as far as the registry has been read{{/complete}}</p>
{{#any}}<section><table class="cards"><thead><tr><th scope="col">Compared (UTC)</th><th scope="col">Verdict</th><th scope="col">Tier</th><th scope="col">Measurement</th><th scope="col">Baseline</th></tr></thead>
<tbody>{{#rows}}<tr><th scope="row" data-label="Compared (UTC)"><a href="{{link}}"><time>{{time}}</time></a></th><td data-label="Verdict"><span class="chip {{tone}}">{{verdict}}</span></td><td data-label="Tier">{{tier}}</td><td data-label="Measurement"><a href="{{measurement_link}}">{{measurement}}</a></td><td data-label="Baseline">{{#has_baseline}}<a href="{{baseline_link}}"><time>{{baseline}}</time></a>{{/has_baseline}}</td></tr>
{{/rows}}</tbody></table></section>{{/any}}
{{^any}}<section><p>None{{#looked_back}} back to {{looked_back}} UTC{{/looked_back}}.</p></section>{{/any}}
<p class="pager">{{#has_first}}<a href="{{first}}">Newest</a> {{/has_first}}{{#has_older}}<a href="{{older}}" rel="next">Older</a>{{/has_older}}</p>
</div>
)html";

std::string text_of(const Place& place) { return place.slug + "/" + place.family + "/" + place.measurement; }

std::optional<Place> place_in(const std::string& text) {
  const auto parts = core::split(text, '/');
  if (parts.size() != 3 || !registry::is_slug(parts[0])) return std::nullopt;
  return Place{Kind::bundle, std::string(parts[1]), std::string(parts[2]), std::string(parts[0])};
}

// The newest of many lines, a few of which need to be looked at: a line whose newest is older than what is found has none.
class Newest {
 public:
  Newest(const Visit& visit, std::vector<const Line*> lines) : visit_(visit), lines_(std::move(lines)) {
    std::sort(lines_.begin(), lines_.end(), [](const Line* a, const Line* b) { return a->newest_diff > b->newest_diff; });
  }

  // Those after `after`, newest first.
  [[nodiscard]] std::vector<Place> take(const std::optional<Place>& after, std::size_t at_most) const {
    std::vector<Place> found;
    std::string least;  // no older one is among the newest
    for (const Line* line : lines_) {
      if (line->newest_diff < least || visit_.context.stop_asked()) break;
      add(found, *line, after, at_most, least);
      if (found.size() < 2 * at_most) continue;
      cut(found, at_most);
      least = found.back().slug;
    }
    cut(found, at_most);
    return found;
  }

 private:
  static void cut(std::vector<Place>& found, std::size_t at_most) {
    std::sort(found.begin(), found.end());
    if (found.size() > at_most) found.resize(at_most);
  }

  void add(std::vector<Place>& found, const Line& line, const std::optional<Place>& after, std::size_t at_most,
           const std::string& least) const {
    auto slugs = line.recent_diffs;
    const bool enough = slugs->size() == line.diffs || (!after && slugs->size() >= at_most) || slugs->front() < least;
    if (!enough) {
      const auto listed = visit_.library.slugs(visit_.store, Kind::bundle, line.family, line.measurement);
      if (!listed) return;
      slugs = *listed;
    }
    auto end = after ? std::upper_bound(slugs->begin(), slugs->end(), after->slug) : slugs->end();
    for (std::size_t taken = 0; end != slugs->begin() && taken < at_most;) {
      Place place{Kind::bundle, line.family, line.measurement, *--end};
      if (place.slug < least) return;
      if (after && !(*after < place)) continue;
      found.push_back(std::move(place));
      ++taken;
    }
  }

  const Visit& visit_;
  std::vector<const Line*> lines_;
};

class DiffsPage {
 public:
  explicit DiffsPage(const Visit& visit)
      : visit_(visit),
        summary_(visit.summary->complete ? visit.summary : visit.library.overview().get(kFirstLook)),
        family_(visit.query.get("family")),
        measurement_(visit.query.get("measurement")) {
    const std::string asked = visit.query.get("verdict");
    if (std::find(kVerdicts.begin(), kVerdicts.end(), asked) != kVerdicts.end()) verdict_ = asked;
  }

  Answer answer() {
    const auto after = place_in(visit_.query.get("before"));
    set_filters();
    set_rows(after);
    data_.flag("complete", summary_->complete);
    data_.set("scope", family_.empty() ? std::string("of all measurements, newest first")
                                       : "of " + family_ + (measurement_.empty() ? "" : "/" + measurement_) + ", newest first");
    data_.set("first", after ? here(verdict_) : "");
    Frame frame;
    frame.title = (verdict_.empty() ? "Diffs" : verdict_ + " diffs") + (family_.empty() ? "" : " · " + family_);
    frame.crumbs = {{"/", "Measurements"}, {"", "Diffs"}};
    frame.live = family_ + (measurement_.empty() ? "" : "/" + measurement_);
    frame.stamp = summary_->stamp(*frame.live);
    return shown(frame, kSheet, data_);
  }

 private:
  [[nodiscard]] std::string here(std::string_view verdict, const std::string& before = {}) const {
    std::string out = "/diffs";
    char separator = '?';
    const auto add = [&](std::string_view name, std::string_view value) {
      if (value.empty()) return;
      out += separator;
      out.append(name).append("=").append(encoded(value));
      separator = '&';
    };
    add("verdict", verdict);
    add("family", family_);
    add("measurement", measurement_);
    add("before", before);
    return out;
  }

  void set_filters() {
    data_.item("filters").set("text", "All").set("link", here("")).flag("is_on", verdict_.empty());
    for (const std::string_view verdict : kVerdicts) {
      data_.item("filters").set("text", verdict).set("link", here(verdict)).flag("is_on", verdict_ == verdict);
    }
  }

  [[nodiscard]] std::vector<const Line*> lines() const {
    std::vector<const Line*> lines;
    for (const Line& line : family_.empty() ? std::span<const Line>(summary_->lines) : summary_->of(family_)) {
      if (line.diffs > 0 && (measurement_.empty() || line.measurement == measurement_)) lines.push_back(&line);
    }
    return lines;
  }

  void set_rows(std::optional<Place> after) {
    const Newest newest(visit_, lines());
    const Budget budget(kReadFor);
    std::size_t rows = 0;
    while (true) {
      const std::size_t wanted = verdict_.empty() ? kDiffs + 1 : kLookedAt;
      const std::vector<Place> places = newest.take(after, wanted);
      for (const Place& place : places) {
        if (rows == kDiffs) return set_older(*after);
        const auto head = visit_.library.head(visit_.store, place, rows == 0 && verdict_.empty() ? Budget(kReadFor) : budget);
        if (!head && !verdict_.empty()) return set_older(after.value_or(place));
        after = place;
        if (!verdict_.empty() && head->verdict != verdict_) continue;
        set_row(place, head);
        ++rows;
      }
      if (places.size() < wanted) return;  // that was all
    }
  }

  void set_older(const Place& last) {
    data_.set("older", here(verdict_, text_of(last))).set("looked_back", time_text(last.slug));
  }

  void set_row(const Place& place, const std::optional<registry::BundleHead>& head) {
    data_.flag("any", true);
    Data& row = data_.item("rows");
    row.set("time", time_text(place.slug)).set("link", link("diffs", {place.family, place.measurement, place.slug}));
    row.set("measurement", place.family + "/" + place.measurement);
    row.set("measurement_link", link("families", {place.family, place.measurement}));
    if (!head) return;
    set_verdict(row, *head);
    if (!registry::is_slug(head->baseline_slug)) return;
    row.set("baseline", time_text(head->baseline_slug));
    row.set("baseline_link", link("entries", {place.family, place.measurement, head->baseline_slug}));
  }

  const Visit& visit_;
  const std::shared_ptr<const Summary> summary_;
  const std::string family_, measurement_;
  std::string verdict_;
  Data data_;
};

}  // namespace

Answer diffs_page(const Visit& visit) { return DiffsPage(visit).answer(); }

}  // namespace plumbline::server::site
