// One entry: what was recorded, where it came from, its files, and whether it still is what was published.
#include <algorithm>

#include "core/text.hpp"
#include "reports/text.hpp"
#include "server/mcp/uri.hpp"
#include "server/site/pages/all.hpp"
#include "server/site/pages/files.hpp"

namespace plumbline::server::site {
namespace {

using registry::Kind;

constexpr std::string_view kSheet =
    R"html(<div class="head"><h1>{{name}}</h1> {{#accepted}}<span class="chip good">accepted</span>{{/accepted}}</div>
<p class="sub">recorded <time>{{time}}</time> UTC · {{tier}}{{#has_label}} · {{label}}{{/has_label}}</p>
<div class="tiles">{{#tiles}}<div class="tile"><b>{{value}}</b><span>{{name}}</span></div>{{/tiles}}</div>
<section><h2>Compare</h2>
<form class="actions" action="/compare" method="get"><input type="hidden" name="current" value="{{reference}}"><label>This entry against <select name="baseline">{{#others}}<option value="{{reference}}">{{time}}{{#has_remark}} ({{remark}}){{/has_remark}}</option>{{/others}}</select></label> <button>Compare</button></form>
<p class="note">Any other: <a href="/compare?current={{encoded}}">name it</a>.</p></section>
<section><h2>What was recorded</h2><dl>{{#facts}}<dt>{{name}}</dt><dd>{{value}}</dd>{{/facts}}</dl></section>
{{#has_context}}<section><h2>Context</h2><dl>{{#context}}<dt>{{name}}</dt><dd>{{value}}</dd>{{/context}}</dl></section>{{/has_context}}
{{#has_sol}}<section><h2>Speed of light</h2><table class="cards"><thead><tr><th scope="col">Row</th><th scope="col" class="num">Share</th><th scope="col">Ceiling</th><th scope="col">Rigor</th></tr></thead><tbody>{{#sol}}<tr><th scope="row" data-label="Row"><code>{{row}}</code></th><td class="num" data-label="Share">{{share}}</td><td data-label="Ceiling">{{ceiling}}</td><td data-label="Rigor">{{rigor}}</td></tr>
{{/sol}}</tbody></table></section>{{/has_sol}}
{{{files}}}
)html";

constexpr std::size_t kOthers = 50, kSol = 100;

class EntryPage {
 public:
  EntryPage(const Visit& visit, mcp::Place place) : visit_(visit), place_(std::move(place)) {}

  Answer answer() {
    auto member = mcp::read_member(visit_.store, place_, "baseline.json", visit_.library.digests(), visit_.limits, false);
    if (!member) return problem(member.error());
    auto record = registry::parse_baseline(member->bytes.view(), place_.slug);
    if (!record) return problem(record.error());
    record_ = std::move(*record);
    const std::string reference = place_.family + "/" + place_.measurement + "/" + place_.slug;
    const auto accepted = visit_.store.accepted(place_.family, place_.measurement);
    if (accepted && *accepted) accepted_ = (*accepted)->slug;
    data_.set("name", place_.family + "/" + place_.measurement).set("time", time_text(place_.slug));
    data_.set("tier", core::to_string(record_.tier)).set("label", record_.label, 200).flag("accepted", accepted_ == place_.slug);
    data_.set("reference", reference).set("encoded", encoded(reference));
    set_tiles();
    set_others();
    set_facts();
    for (const auto& [key, value] : record_.context) add("context", key, value);
    data_.flag("has_context", !record_.context.empty());
    set_sol();
    data_.part("files", files_section(visit_, place_));
    Frame frame;
    frame.title = time_text(place_.slug) + " · " + place_.measurement + " · " + place_.family;
    frame.crumbs = {{"/", "Measurements"},
                    {link("families", {place_.family}), place_.family},
                    {link("families", {place_.family, place_.measurement}), place_.measurement},
                    {"", time_text(place_.slug)}};
    return shown(frame, kSheet, data_);
  }

 private:
  void add(const std::string& list, const std::string& name, std::string_view value) {
    if (!value.empty()) data_.item(list).set("name", name).set("value", value, 400);
  }

  void set_tiles() {
    if (record_.value) add("tiles", "value", value_text(record_.value, record_.unit.value_or("")));
    if (!record_.value) add("tiles", "rows", reports::grouped(record_.rows));
    add("tiles", "trials", std::to_string(record_.trials));
    if (record_.scalar_sol)
      add("tiles", "of " + record_.scalar_sol->ceiling_key, core::short_number(record_.scalar_sol->pct, 3) + "%");
    add("tiles", "format", record_.format.name);
  }

  // The accepted one first, then the newest.
  void set_others() {
    const auto listed = visit_.library.slugs(visit_.store, Kind::entry, place_.family, place_.measurement);
    if (!listed) return;
    const std::vector<std::string>& slugs = **listed;
    const auto add_other = [&](const std::string& slug, const char* remark) {
      data_.item("others")
          .set("reference", place_.family + "/" + place_.measurement + "/" + slug)
          .set("time", time_text(slug))
          .set("remark", remark);
    };
    if (!accepted_.empty() && accepted_ != place_.slug) add_other(accepted_, "accepted");
    const auto before = std::lower_bound(slugs.begin(), slugs.end(), place_.slug);
    if (before != slugs.begin()) add_other(*(before - 1), "the one before");
    std::size_t shown_others = 0;
    for (auto slug = slugs.rbegin(); slug != slugs.rend() && shown_others < kOthers; ++slug) {
      if (*slug == place_.slug) continue;
      add_other(*slug, "");
      ++shown_others;
    }
  }

  void set_facts() {
    add("facts", "Direction", record_.direction);
    add("facts", "Source", record_.source_path);
    add("facts", "SHA-256 of the source", record_.source_sha256);
    add("facts", "Registered (UTC)", record_.registered_at_utc);
    add("facts", "Registered by", record_.operator_user);
    add("facts", "Machine", record_.hostname);
    add("facts", "System", record_.uname);
    if (record_.git_commit)
      add("facts", "Commit", *record_.git_commit + (record_.git_dirty.value_or(false) ? " (with changes)" : ""));
    add("facts", "Reason", record_.reason);
    add("facts", "Notes", record_.notes);
    add("facts", "Command", record_.command);
    add("facts", "Headline", core::listed(record_.headline, 20));
    for (const auto& [glob, text] : record_.directions) add("facts", "Direction of " + glob, text);
    for (const auto& [glob, text] : record_.tolerances) add("facts", "Tolerance of " + glob, text);
    add("facts", "Made with", record_.tool.name + " " + record_.tool.version);
  }

  void add_sol(const core::FrozenSol& sol) {
    Data& row = data_.item("sol");
    row.set("row", sol.row_key, 100).set("share", core::short_number(sol.pct, 3) + "%");
    row.set("ceiling", sol.ceiling_key + ": " + reports::figure(sol.ceiling_value, sol.ceiling_unit)).set("rigor", sol.rigor);
  }
  void set_sol() {
    if (record_.scalar_sol) add_sol(*record_.scalar_sol);
    for (std::size_t i = 0; i < std::min(record_.sol.size(), kSol); ++i) add_sol(record_.sol[i]);
    data_.flag("has_sol", record_.scalar_sol || !record_.sol.empty());
  }

  const Visit& visit_;
  const mcp::Place place_;
  core::BaselineRecord record_;
  std::string accepted_;
  Data data_;
};

}  // namespace

Answer entry_page(const Visit& visit) {
  auto place = place_of(visit, Kind::entry);
  if (!place) return std::move(place.error());
  if (place->slug != visit.parts[2]) return redirect(link("entries", {place->family, place->measurement, place->slug}));
  return EntryPage(visit, std::move(*place)).answer();
}

}  // namespace plumbline::server::site
