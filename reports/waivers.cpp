#include "reports/waivers.hpp"

#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "reports/json_parts.hpp"
#include "reports/page/html.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using core::WaiverState;

std::string verb(std::uint64_t rows) { return rows == 1 ? " row is" : " rows are"; }

void write_terms(JsonWriter& json, const core::Waiver& waiver, std::size_t text_bytes) {
  json.field("source", core::source_of(waiver)).field("ceiling", core::tolerance_text(waiver.ceiling));
  json.field("until", waiver.until).field("reason", shorten_bytes(waiver.reason, text_bytes));
  if (!waiver.link.empty() && waiver.link.size() <= text_bytes) json.field("link", waiver.link);
}

}  // namespace

bool is_told(const core::WaiverUse& use) { return use.expired || use.waived > 0 || use.exceeded > 0; }

std::string waiver_sentence(const core::WaiverUse& use) {
  const core::Waiver& waiver = *use.waiver;
  const std::string from = " (" + core::source_of(waiver) + ")";
  if (use.expired) return "waiver ended on " + waiver.until + ": " + one_line(waiver.reason) + from;
  std::string out;
  if (use.waived > 0) {
    out = grouped(use.waived) + (use.waived == 1 ? " row" : " rows") + " waived until " + waiver.until + ", up to " +
          core::tolerance_text(waiver.ceiling) + " worse: " + one_line(waiver.reason) + from;
  }
  if (use.exceeded > 0) {
    out += (out.empty() ? "" : "; ") + grouped(use.exceeded) + verb(use.exceeded) + " beyond the ceiling of " +
           core::tolerance_text(waiver.ceiling);
    if (use.waived == 0) out += ", which holds until " + waiver.until + ": " + one_line(waiver.reason) + from;
  }
  return out;
}

std::string row_waiver_text(const core::RowWaiver& said) {
  const core::Waiver& waiver = *said.waiver;
  const std::string why = ": " + one_line(waiver.reason) + (waiver.link.empty() ? "" : " (" + waiver.link + ")");
  switch (said.state) {
    case WaiverState::holds:
      return "waived until " + waiver.until + why;
    case WaiverState::exceeded:
      return "beyond the ceiling of its waiver, " + core::tolerance_text(waiver.ceiling) + why;
    case WaiverState::expired:
      return "its waiver ended on " + waiver.until + why;
  }
  return {};
}

void append_row_waiver(std::string& out, const core::RowWaiver& said, std::size_t text_bytes) {
  JsonWriter json(out, -1);
  json.begin_object().field("state", core::to_string(said.state));
  write_terms(json, *said.waiver, text_bytes);
  json.end_object();
}

void write_waivers(JsonWriter& json, const std::vector<core::WaiverUse>& waivers, std::size_t count, std::size_t text_bytes) {
  if (waivers.empty()) return;
  json.key("waivers").begin_array();
  for (std::size_t i = 0; i < std::min(count, waivers.size()); ++i) {
    const core::WaiverUse& use = waivers[i];
    core::compact(json, [&](JsonWriter& out) {
      out.begin_object();
      write_terms(out, *use.waiver, text_bytes);
      out.field("expired", use.expired).field("waived", use.waived).field("exceeded", use.exceeded).end_object();
    });
  }
  json.end_array();
}

std::string waivers_markdown(const std::vector<core::WaiverUse>& waivers) {
  std::string out;
  for (const core::WaiverUse& use : waivers) {
    if (!is_told(use)) continue;
    out += "- " + markdown_text(waiver_sentence(use));
    if (!use.waiver->link.empty()) out += " <" + use.waiver->link + ">";
    out += '\n';
  }
  return out.empty() ? out : "\n**Waivers**\n\n" + out;
}

std::string waivers_section(const std::vector<core::WaiverUse>& waivers) {
  std::string items;
  for (const core::WaiverUse& use : waivers) {
    if (!is_told(use)) continue;
    items += "<li>" + html::plain(waiver_sentence(use), 1000);
    // As text: a page leads nowhere outside of itself.
    if (!use.waiver->link.empty()) items += " " + html::code(use.waiver->link, 600);
    items += "</li>\n";
  }
  return items.empty() ? items : html::section("Waivers", "<ul>" + items + "</ul>\n");
}

}  // namespace plumbline::reports
