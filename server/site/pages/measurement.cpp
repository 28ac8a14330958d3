// One measurement: its trend, and its entries newest first, two of which can be compared.
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/text.hpp"
#include "server/site/chart.hpp"
#include "server/site/pages/all.hpp"

namespace plumbline::server::site {
namespace {

using registry::Kind;

constexpr std::size_t kEntries = 200, kDiffs = 20;  // of a page
constexpr std::size_t kKeys = 30, kChanges = 20;
constexpr std::chrono::milliseconds kReadFor{2000};

constexpr std::string_view kSheet = R"html(<h1>{{name}}</h1>
<div data-live id="measurement">
<p class="sub">{{counts}}</p>
{{#has_problem}}<section><p class="bad">{{problem}}</p></section>{{/has_problem}}
{{#has_trend}}<section><h2>Trend{{#has_key}} of <code>{{key}}</code>{{/has_key}}</h2>
{{{trend}}}
<ul class="legend">{{#band}}<li>shaded: noise that is normal, around the level</li>{{/band}}{{#changes}}<li>dashed line: the level changed</li>{{/changes}}{{#accepted}}<li>diamond: the accepted entry</li>{{/accepted}}</ul>
</section>{{/has_trend}}
<div class="tiles">{{#tiles}}<div class="tile"><b>{{value}}</b><span>{{name}}</span></div>{{/tiles}}</div>
{{#has_remarks}}<section><h2>What stands out</h2><ul>{{#remarks}}<li>{{text}}</li>{{/remarks}}</ul></section>{{/has_remarks}}
{{#has_keys}}<section><h2>Keys</h2><div class="scroll" tabindex="0" role="region" aria-label="Keys"><table><thead><tr><th scope="col">Key</th><th scope="col" class="num">Entries</th><th scope="col" class="num">Newest</th><th scope="col" class="num">An entry</th><th scope="col" class="num">Noise</th><th scope="col">Newest values</th></tr></thead>
<tbody>{{#keys}}<tr><th scope="row"><code>{{key}}</code></th><td class="num">{{entries}}</td><td class="num">{{newest}}</td><td class="num">{{trend}}</td><td class="num">{{noise}}</td><td>{{{spark}}}</td></tr>
{{/keys}}</tbody></table></div>{{#has_more_keys}}<p class="note">{{more_keys}}</p>{{/has_more_keys}}</section>{{/has_keys}}
<section><h2>Entries</h2>
<form action="/compare" method="get">
<p class="actions"><button>Compare the two that are chosen</button> {{#has_newer}}<a href="{{newer}}">Newest entries</a>{{/has_newer}}</p>
<table class="cards pairs"><thead><tr><th scope="col">Baseline</th><th scope="col">Current</th><th scope="col">Registered (UTC)</th><th scope="col" class="num">Value</th><th scope="col">Tier</th><th scope="col">Label</th><th scope="col">Remark</th></tr></thead>
<tbody>{{#entries}}<tr><td data-label="Baseline"><input type="radio" name="baseline" value="{{reference}}" aria-label="{{slug}} as the baseline"{{#is_baseline}} checked{{/is_baseline}}></td><td data-label="Current"><input type="radio" name="current" value="{{reference}}" aria-label="{{slug}} as the current side"{{#is_current}} checked{{/is_current}}></td><th scope="row" data-label="Registered (UTC)"><a href="{{link}}"><time>{{time}}</time></a></th><td class="num" data-label="Value">{{value}}</td><td data-label="Tier">{{tier}}</td><td data-label="Label">{{label}}</td><td data-label="Remark">{{#accepted}}<span class="chip good">accepted</span> {{/accepted}}{{#changed}}<span class="chip doubt">level changed</span> {{/changed}}{{remark}}</td></tr>
{{/entries}}</tbody></table>
</form>
<p class="pager">{{#has_older}}<a href="{{older}}" rel="next">Older entries</a>{{/has_older}}</p>
</section>
{{#has_diffs}}<section><h2>Diffs</h2><table class="cards"><thead><tr><th scope="col">Compared (UTC)</th><th scope="col">Verdict</th><th scope="col">Tier</th><th scope="col">Baseline</th><th scope="col">Remark</th></tr></thead>
<tbody>{{#diffs}}<tr><th scope="row" data-label="Compared (UTC)"><a href="{{link}}"><time>{{time}}</time></a></th><td data-label="Verdict"><span class="chip {{tone}}">{{verdict}}</span></td><td data-label="Tier">{{tier}}</td><td data-label="Baseline">{{#has_baseline}}<a href="{{baseline_link}}"><time>{{baseline}}</time></a>{{/has_baseline}}</td><td data-label="Remark">{{#has_superseded}}overturned by a later VERDICT{{/has_superseded}}</td></tr>
{{/diffs}}</tbody></table>{{#has_more_diffs}}<p class="pager"><a href="{{more_diffs}}">All diffs of this measurement</a></p>{{/has_more_diffs}}</section>{{/has_diffs}}
</div>
)html";

class MeasurementPage {
 public:
  explicit MeasurementPage(const Visit& visit) : visit_(visit), family_(visit.parts[0]), measurement_(visit.parts[1]) {}

  Answer answer() {
    const auto listed = visit_.library.slugs(visit_.store, Kind::entry, family_, measurement_);
    if (!listed) return problem(listed.error());
    const std::vector<std::string>& slugs = **listed;
    const auto bundles = visit_.library.slugs(visit_.store, Kind::bundle, family_, measurement_);
    const std::size_t diffs = bundles ? (*bundles)->size() : 0;
    if (slugs.empty() && diffs == 0) return no_such_name(visit_);
    if (const auto history = visit_.library.history(visit_.store, family_, measurement_, visit_.context)) {
      history_ = *history;
      for (const core::HistoryEntry& entry : history_->entries) by_slug_.emplace(entry.slug, &entry);
      set_history();
    } else {
      data_.set("problem", history.error().message);
    }
    set_entries(slugs);
    data_.set("name", family_ + "/" + measurement_);
    data_.set("counts", core::counted(slugs.size(), "entry", "entries") + ", " + core::counted(diffs, "diff"));
    if (diffs > kDiffs) data_.set("more_diffs", "/diffs?family=" + encoded(family_) + "&measurement=" + encoded(measurement_));
    Frame frame;
    frame.title = measurement_ + " · " + family_;
    frame.crumbs = {{"/", "Measurements"}, {link("families", {family_}), family_}, {"", measurement_}};
    frame.live = family_ + "/" + measurement_;
    frame.stamp = visit_.summary->stamp(*frame.live);
    return shown(frame, kSheet, data_);
  }

 private:
  void tile(const std::string& name, const std::string& value) { data_.item("tiles").set("name", name).set("value", value); }
  void remark(const std::string& text) {
    data_.flag("has_remarks", true);
    data_.item("remarks").set("text", text);
  }

  void set_history() {
    const core::HistoryKey& whole = history_->whole;
    TrendFigure trend = trend_figure(*history_);
    data_.part("trend", std::move(trend.svg)).set("key", whole.key);
    data_.flag("band", trend.band).flag("changes", trend.changes).flag("accepted", trend.accepted);
    if (whole.newest) tile("newest", value_text(whole.newest, whole.unit));
    if (whole.trend_pct_per_entry) tile("trend, an entry", reports::signed_percent(*whole.trend_pct_per_entry));
    if (whole.noise_floor_pct) tile("noise that is normal", core::short_number(*whole.noise_floor_pct, 3) + "%");
    if (whole.drift) tile("newest against oldest", reports::signed_percent(whole.drift->pct));
    tile("tolerance", core::short_number(whole.tolerance_pct, 3) + "%");
    if (whole.drift && whole.drift->unseen) remark("Drift: " + whole.drift->text);
    for (std::size_t i = 0; i < std::min(whole.change_points.size(), kChanges); ++i) remark(change_text(whole.change_points[i]));
    for (const core::Warning& warning : history_->warnings) remark(warning.message);
    set_keys();
    set_diffs();
  }

  [[nodiscard]] std::string change_text(const core::HistoryChangePoint& change) const {
    return "The level changed from " + reports::figure(change.before) + " to " + value_text(change.after, history_->whole.unit) +
           (change.change_pct ? " (" + reports::signed_percent(*change.change_pct) + ")" : "") + " with the entry of " +
           time_text(change.slug) + " UTC.";
  }

  void set_keys() {
    if (history_->keys_total < 2) return;
    data_.flag("has_keys", true);
    const std::size_t some = std::min(history_->keys.size(), kKeys);
    for (std::size_t i = 0; i < some; ++i) {
      const core::HistoryKey& key = history_->keys[i];
      Data& row = data_.item("keys");
      row.set("key", key.key, 100).set("entries", reports::grouped(key.entries));
      row.set("newest", key.newest ? value_text(key.newest, key.unit) : "–");
      row.set("trend", key.trend_pct_per_entry ? reports::signed_percent(*key.trend_pct_per_entry) : "–");
      row.set("noise", key.noise_floor_pct ? core::short_number(*key.noise_floor_pct, 3) + "%" : "–");
      row.part("spark", sparkline(key.values, key.unit));
    }
    if (history_->keys_total > some) {
      data_.set("more_keys", "and " + core::counted(history_->keys_total - some, "more key") + ": `plumbline history " + family_ +
                                 "/" + measurement_ + " --key GLOB` shows any of them");
    }
  }

  void set_diffs() {
    const auto& diffs = history_->diffs;
    data_.flag("has_diffs", !diffs.empty());
    for (std::size_t i = 0; i < std::min(diffs.size(), kDiffs); ++i) {
      const core::HistoryDiff& diff = diffs[diffs.size() - 1 - i];
      registry::BundleHead head;
      head.verdict = diff.verdict;
      head.tier = diff.tier;
      head.superseded_by = diff.superseded_by;
      Data& row = data_.item("diffs");
      set_verdict(row, head);
      row.set("time", time_text(diff.slug)).set("link", link("diffs", {family_, measurement_, diff.slug}));
      if (registry::is_slug(diff.baseline_slug)) {
        row.set("baseline", time_text(diff.baseline_slug));
        row.set("baseline_link", link("entries", {family_, measurement_, diff.baseline_slug}));
      }
    }
  }

  // From the newest, or from before a slug.
  void set_entries(const std::vector<std::string>& slugs) {
    const std::string before = visit_.query.get("before");
    const auto end = before.empty() ? slugs.end() : std::lower_bound(slugs.begin(), slugs.end(), before);
    const auto count = std::min<std::ptrdiff_t>(end - slugs.begin(), kEntries);
    const auto begin = end - count;
    const Budget budget(kReadFor);
    for (auto slug = end; slug != begin;) {
      --slug;
      set_entry(data_.item("entries"), *slug, budget, end - slug);
    }
    const std::string here = link("families", {family_, measurement_});
    data_.set("newer", before.empty() ? "" : here);
    data_.set("older", begin == slugs.begin() ? "" : here + "?before=" + *begin);
  }

  void set_entry(Data& row, const std::string& slug, const Budget& budget, std::ptrdiff_t place) {
    row.set("slug", slug).set("time", time_text(slug)).set("link", link("entries", {family_, measurement_, slug}));
    row.set("reference", family_ + "/" + measurement_ + "/" + slug);
    row.flag("is_current", place == 1).flag("is_baseline", place == 2);
    const core::HistoryEntry* known = entry_of(slug);
    row.flag("accepted", known != nullptr && known->accepted).flag("changed", is_change(slug));
    if (known != nullptr && known->problem.empty()) {
      row.set("value", value_text(known->value, known->unit)).set("tier", core::to_string(known->tier));
      row.set("label", known->label, 80);
      if (!known->measured_at_utc.empty()) row.set("remark", "measured " + known->measured_at_utc);
      return;
    }
    const auto facts = visit_.library.facts(visit_.store, {Kind::entry, family_, measurement_, slug}, budget);
    if (!facts) return;
    row.set("value", facts->problem.empty() ? value_text(facts->value, facts->unit) : "–")
        .set("tier", core::to_string(facts->tier));
    row.set("label", facts->label, 80).set("remark", facts->problem.empty() ? "" : "unreadable: " + facts->problem);
  }

  [[nodiscard]] const core::HistoryEntry* entry_of(const std::string& slug) const {
    if (history_ == nullptr) return nullptr;
    const auto at = by_slug_.find(slug);
    return at == by_slug_.end() ? nullptr : at->second;
  }
  [[nodiscard]] bool is_change(const std::string& slug) const {
    return history_ != nullptr && std::any_of(history_->whole.change_points.begin(), history_->whole.change_points.end(),
                                              [&](const core::HistoryChangePoint& change) { return change.slug == slug; });
  }

  const Visit& visit_;
  const std::string& family_;
  const std::string& measurement_;
  Library::History history_;
  std::unordered_map<std::string_view, const core::HistoryEntry*> by_slug_;  // they are in the order in which they were measured
  Data data_;
};

}  // namespace

Answer measurement_page(const Visit& visit) { return MeasurementPage(visit).answer(); }

}  // namespace plumbline::server::site
