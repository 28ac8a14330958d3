// outliers.html: the page of a fleet. A heatmap of siblings by tests, then who is out and why. One file, no script, readable on a
// telephone: the table scrolls sideways by itself, its first column stays.
#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/outliers/parts.hpp"
#include "reports/page_template.hpp"
#include "reports/reports.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kPageSiblings = 1000, kPageColumns = 40, kPageSources = 200;

constexpr const char* kHeatStyle = R"css(
.heat{border-collapse:separate;border-spacing:2px;width:auto}
.heat th{padding:2px 6px;border:0;font-size:12px;vertical-align:bottom}
.heat th.what{max-width:120px;white-space:normal;overflow-wrap:anywhere}
.heat th.who{position:sticky;left:0;background:var(--card);max-width:170px;overflow:hidden;text-overflow:ellipsis}
.heat td{padding:5px 8px;border:0;border-radius:4px;text-align:right;font-variant-numeric:tabular-nums;font-size:12.5px;white-space:nowrap}
.heat .h1{background:color-mix(in srgb,var(--bar-bad) 18%,transparent)}.heat .h2{background:color-mix(in srgb,var(--bar-bad) 42%,transparent)}
.heat .h3{background:color-mix(in srgb,var(--bar-bad) 75%,transparent)}.heat .g1{background:color-mix(in srgb,var(--bar-good) 18%,transparent)}
.heat .g2{background:color-mix(in srgb,var(--bar-good) 42%,transparent)}.heat .g3{background:color-mix(in srgb,var(--bar-good) 75%,transparent)}
.heat .none{color:var(--faint)}
)css";

std::string plain(std::string_view text, int width = 400) { return markup(shorten_middle(one_line(text), width)); }

// Of the tolerance: half of it, all of it, twice as much.
std::string_view shade(double change_pct, const core::SiblingColumn& column) {
  if (!std::isfinite(change_pct)) return "none";
  const double used = std::fabs(change_pct) / std::max(column.limit_pct, 0.01);
  const bool worse = column.higher == (change_pct < 0);
  if (used <= 0.5) return "";
  if (used <= 1) return worse ? "h1" : "g1";
  if (used <= 2) return worse ? "h2" : "g2";
  return worse ? "h3" : "g3";
}

std::string_view tone(core::SiblingState state) {
  if (state == core::SiblingState::out || state == core::SiblingState::failed) return "bad";
  return state == core::SiblingState::within ? "" : "doubt";
}

std::string heatmap(const core::OutliersResult& result) {
  const std::size_t columns = std::min(result.columns.size(), kPageColumns);
  const std::size_t siblings = std::min(result.siblings.size(), kPageSiblings);
  std::string out =
      "<section>\n<h2>Change against the median of the others, percent</h2>\n<div class=\"scroll\"><table "
      "class=\"heat\">\n<thead><tr><th class=\"who\">" +
      plain(result.sibling_kind, 40) + "</th>";
  for (std::size_t c = 0; c < columns; ++c) {
    out += "<th class=\"what\" title=\"" + plain(result.columns[c].name) + "\">" + plain(result.columns[c].name, 40) + "</th>";
  }
  out += "<th>state</th></tr></thead>\n<tbody>";
  for (std::size_t s = 0; s < siblings; ++s) {
    const core::Sibling& one = result.siblings[s];
    out += "<tr><th class=\"who\" title=\"" + plain(one.name) + "\">" + plain(one.name, 40) + "</th>";
    for (std::size_t c = 0; c < columns; ++c) {
      const double change = result.columns[c].change_pct[s];
      const std::string text = std::isfinite(change) ? core::signed_number(std::round(change * 10) / 10, 4) : std::string("–");
      out += "<td class=\"" + std::string(shade(change, result.columns[c])) + "\">" + text + "</td>";
    }
    out += "<td><span class=\"chip " + std::string(tone(one.state)) + "\">" + std::string(to_string(one.state)) +
           "</span></td></tr>\n";
  }
  out += "</tbody></table></div>\n";
  const std::size_t all = result.columns.size() + result.columns_omitted;
  if (all > columns || result.siblings.size() > siblings) {
    out += "<p class=\"note\">" + grouped(all - columns) + " further columns and " + grouped(result.siblings.size() - siblings) +
           " further siblings are in outliers.json.</p>\n";
  }
  out +=
      "<div class=\"legend\"><span><i style=\"background:var(--bar-bad)\"></i>worse by twice the tolerance or more</span>"
      "<span><i style=\"background:var(--bar-good)\"></i>better</span></div>\n</section>\n";
  return out;
}

std::string reasons(const core::OutliersResult& result) {
  if (result.reasons.empty() && result.groups.empty() && result.links.empty()) return {};
  std::string out = "<section>\n<h2>Why</h2>\n<ul>";
  for (const core::Reason& reason : result.reasons) {
    out += "<li>" + plain(reason.message, 1200) + " <span class=\"chip\">" + plain(reason.code.text()) + "</span></li>\n";
  }
  for (const core::SiblingGroup& group : result.groups) {
    out += "<li>those out are " + plain(group.predicate) + ": " + plain(core::cited_list(group.siblings, 20), 800) + "</li>\n";
  }
  for (const std::string& link : result.links) out += "<li>slow between " + plain(link) + " alone</li>\n";
  return out + "</ul>\n</section>\n";
}

std::string action(const core::OutliersResult& result) {
  std::string out = "<section class=\"act\">\n<h2>What to do</h2>\n<p>" + plain(result.recommendation.message, 1000) + "</p>\n";
  if (!result.promote.empty()) {
    out += "<p class=\"note\">What would make this a VERDICT:</p><ul class=\"note\">";
    for (const std::string& text : result.promote) out += "<li>" + plain(text, 600) + "</li>";
    out += "</ul>";
  }
  return out + "</section>\n";
}

// Set-ups that differ stand beside those that are slow: another driver may be all there is.
std::string differences(const core::OutliersResult& result) {
  std::string rows;
  for (const core::Sibling& one : result.siblings) {
    for (const core::ContextDifference& difference : one.differs) {
      rows += "<tr><td class=\"key\"><code>" + plain(one.name, 80) + "</code></td><td><code>" + plain(difference.key, 80) +
              "</code></td><td>" + plain(difference.current, 120) + "</td><td>" + plain(difference.baseline, 120) + "</td><td>" +
              std::string(difference.declared ? "declared" : to_string(difference.severity)) + "</td></tr>\n";
    }
  }
  if (rows.empty()) return {};
  return "<section>\n<h2>Set-up that differs</h2>\n<div class=\"scroll\"><table><thead><tr><th>" +
         plain(result.sibling_kind, 40) +
         "</th><th>Key</th><th>Here</th><th>The others</th><th>Severity</th></tr></thead>\n<tbody>" + rows +
         "</tbody></table></div>\n</section>\n";
}

std::string evidence(const core::OutliersResult& result) {
  std::string out;
  if (!result.warnings.empty()) {
    out += "<section>\n<h2>Warnings</h2>\n<ul>";
    for (const core::Warning& warning : result.warnings) {
      out += "<li>" + plain(warning.message, 1000) + " <span class=\"chip\">" + plain(warning.code.text()) + "</span></li>\n";
    }
    out += "</ul>\n</section>\n";
  }
  out +=
      "<section>\n<h2>Evidence</h2>\n<div class=\"scroll\"><table><thead><tr><th>File</th><th "
      "class=\"num\">Bytes</th><th>SHA-256</th></tr></thead>\n<tbody>";
  const std::size_t shown = std::min(result.sources.size(), kPageSources);
  for (std::size_t i = 0; i < shown; ++i) {
    const core::FileRef& file = result.sources[i];
    out += "<tr><td class=\"key\"><code>" + plain(file.name, 160) + "</code></td><td class=\"num\">" + grouped(file.bytes) +
           "</td><td><code>" + markup(file.sha256) + "</code></td></tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (result.sources.size() > shown)
    out += "<p class=\"note\">" + grouped(result.sources.size() - shown) + " more in outliers.json.</p>\n";
  return out + "</section>\n";
}

}  // namespace

std::string outliers_html(const core::OutliersResult& result) {
  const std::string verdict(to_string(result.verdict));
  const std::string title = "outliers / " + result.format.name;
  std::string footer = result.tool.name + " " + result.tool.version;
  if (!result.compared_at_utc.empty()) footer += ", compared at " + result.compared_at_utc;
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>" +
         verdict + " · " + plain(title) + "</title>\n<style>" + kPageStyle + kHeatStyle +
         "</style>\n</head>\n<body>\n<main>\n<header class=\"head\">\n<div class=\"badge " + verdict + "\">" + verdict +
         "</div>\n<div>\n<h1>" + plain(title) + "</h1>\n<p class=\"sub\"><span class=\"chip\">" +
         std::string(to_string(result.tier)) + "</span> " + plain(outliers_summary(result)) + "</p>\n</div>\n</header>\n" +
         reasons(result) + heatmap(result) + action(result) + differences(result) + evidence(result) + "<footer>" +
         plain(footer) + "</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace plumbline::reports
