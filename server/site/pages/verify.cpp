// A publication's bytes held against its digests and signatures, now.
#include "core/text.hpp"
#include "server/site/pages/all.hpp"
#include "server/site/pages/files.hpp"

namespace plumbline::server::site {
namespace {

using registry::Kind;

constexpr std::string_view kSheet = R"html(<h1>{{name}}</h1>
<p class="sub">{{kind}} of <time>{{time}}</time> UTC</p>
<section><h2>Verification</h2>
<p><span class="chip {{tone}}">{{state}}</span> {{explained}}</p>
<dl>{{#has_sha256}}<dt>SHA-256 of SHA256SUMS</dt><dd><code>{{sha256}}</code></dd>{{/has_sha256}}<dt>The same by hand</dt><dd><code>{{command}}</code></dd></dl>
</section>
{{#has_problems}}<section><h2>What is wrong</h2><ul>{{#problems}}<li>{{text}}</li>{{/problems}}</ul></section>{{/has_problems}}
{{#has_warnings}}<section><h2>What could not be checked</h2><ul>{{#warnings}}<li>{{text}}</li>{{/warnings}}</ul></section>{{/has_warnings}}
<p><a href="{{back}}">Back to the {{kind}}</a></p>
)html";

void add_all(Data& data, const std::string& list, const std::vector<std::string>& texts) {
  data.flag("has_" + list, !texts.empty());
  for (const std::string& text : texts) data.item(list).set("text", text);
}

Answer verify_page(const Visit& visit, Kind kind) {
  const auto place = place_of(visit, kind);
  if (!place) return place.error();
  const auto folder = visit.store.place(kind, place->family, place->measurement, place->slug);
  if (!folder) return problem(folder.error());
  const Verified verified = visit.library.verify(*folder, visit.context);
  Data data;
  set_verification(data, verified);
  const std::string name = place->family + "/" + place->measurement;
  const std::string back = link(page_of(kind), {place->family, place->measurement, place->slug});
  data.set("name", name).set("time", time_text(place->slug)).set("kind", kind == Kind::entry ? "entry" : "diff");
  data.set("sha256", verified.sha256).set("back", back);
  data.set("command", kind == Kind::entry ? "plumbline verify " + name + "@" + place->slug : "plumbline verify " + *folder, 2000);
  add_all(data, "problems", verified.problems);
  add_all(data, "warnings", verified.warnings);
  Frame frame;
  frame.title = "Verification · " + time_text(place->slug) + " · " + name;
  frame.crumbs = {{"/", "Measurements"},
                  {link("families", {place->family}), place->family},
                  {link("families", {place->family, place->measurement}), place->measurement},
                  {back, time_text(place->slug)},
                  {"", "Verification"}};
  return shown(frame, kSheet, data);
}

}  // namespace

Answer verify_entry_page(const Visit& visit) { return verify_page(visit, Kind::entry); }
Answer verify_diff_page(const Visit& visit) { return verify_page(visit, Kind::bundle); }

}  // namespace plumbline::server::site
