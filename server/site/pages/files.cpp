#include "server/site/pages/files.hpp"

#include "core/text.hpp"
#include "reports/text.hpp"

namespace plumbline::server::site {
namespace {

constexpr std::size_t kFiles = 500;
constexpr std::uint64_t kVerifiedAtOnce = 16ULL << 20;  // bytes that are hashed in a moment

constexpr std::string_view kSheet = R"html(<section><h2>Files</h2>
<p><span class="chip {{tone}}">{{state}}</span> {{explained}} {{#has_verify}}<a href="{{verify}}">{{verify_text}}</a>{{/has_verify}}</p>
<table class="cards"><thead><tr><th scope="col">File</th><th scope="col" class="num">Size</th><th scope="col">SHA-256</th></tr></thead>
<tbody>{{#files}}<tr><th scope="row" data-label="File"><a href="{{link}}">{{name}}</a></th><td class="num" data-label="Size">{{size}}</td><td data-label="SHA-256"><code>{{sha256}}</code></td></tr>
{{/files}}</tbody></table>
{{#has_more}}<p class="note">{{more}}</p>{{/has_more}}
{{#warnings}}<p class="note">{{text}}</p>{{/warnings}}</section>
)html";

}  // namespace

std::string_view page_of(registry::Kind kind) { return kind == registry::Kind::entry ? "entries" : "diffs"; }

void set_verification(Data& data, const Verified& verified) {
  if (!verified.failure.empty()) {
    data.set("state", "not verified").set("tone", "doubt").set("explained", verified.failure);
    return;
  }
  if (!verified.ok) {
    data.set("state", "not what was published").set("tone", "bad");
    data.set("explained", verified.problems.empty() ? "" : verified.problems.front());
    return;
  }
  data.set("state", "verified").set("tone", "good");
  data.set("explained", core::counted(verified.files, "file") + (verified.files == 1 ? " is" : " are") + " what was published; " +
                            (verified.trusted     ? "signed by a trusted key."
                             : verified.is_signed ? "signed, by no key that is trusted here."
                                                  : "not signed."));
}

std::string files_section(const Visit& visit, const mcp::Place& place) {
  Data data;
  const auto contents = mcp::contents_of(visit.store, place, kFiles, visit.limits);
  if (!contents) {
    Verified unknown;
    unknown.failure = contents.error().message;
    set_verification(data, unknown);
    return render(kSheet, data);
  }
  const std::vector<std::string_view> address = {place.family, place.measurement, place.slug};
  std::uint64_t bytes = 0;
  for (const mcp::MemberName& file : contents->files) {
    bytes += file.bytes;
    Data& row = data.item("files");
    row.set("name", file.name, 120).set("size", reports::byte_count(file.bytes)).set("sha256", file.sha256);
    row.set("link", link(page_of(place.kind), address) + "/files" + link("", {file.name}).substr(1));
  }
  if (contents->count > contents->files.size()) {
    data.set("more", "and " + reports::grouped(contents->count - contents->files.size()) + " more files");
  }
  for (const core::Warning& warning : contents->warnings) data.item("warnings").set("text", warning.message);
  const std::string folder = visit.store.directory(place.kind, place.family, place.measurement) + "/" + place.slug;
  auto verified = visit.library.verified_before(folder);
  const bool at_once = contents->count <= contents->files.size() && bytes <= kVerifiedAtOnce;
  if (!verified && at_once) verified = visit.library.verify(folder, visit.context);
  if (verified) {
    set_verification(data, *verified);
    data.set("verify_text", "details");
  } else {
    data.set("state", "not verified yet").set("tone", "").set("verify_text", "Verify all files now");
    data.set("explained", reports::byte_count(bytes) + " are to be read for it.");
  }
  data.set("verify", link("verify", {page_of(place.kind), place.family, place.measurement, place.slug}));
  return render(kSheet, data);
}

}  // namespace plumbline::server::site
