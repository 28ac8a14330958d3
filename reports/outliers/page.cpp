// outliers.html: the page of a fleet. A heatmap of siblings by tests, then who is out and why.
#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/outliers/parts.hpp"
#include "reports/page/html.hpp"
#include "reports/page/sections.hpp"
#include "reports/page/shell.hpp"
#include "reports/reports.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using html::plain;

constexpr std::size_t kPageSiblings = 1000, kPageColumns = 40, kPageSources = 200;

// Of the tolerance: half of it, all of it, twice as much.
std::string shade(double change_pct, const core::SiblingColumn& column) {
  if (!std::isfinite(change_pct)) return "none";
  const double used = std::fabs(change_pct) / std::max(column.limit_pct, 0.01);
  if (used <= 0.5) return {};
  const std::string kind = column.higher == (change_pct < 0) ? "d-bad" : "d-good";
  return kind + (used <= 1 ? "1" : used <= 2 ? "2" : "3");
}

std::string_view tone(core::SiblingState state) {
  if (state == core::SiblingState::out || state == core::SiblingState::failed) return "bad";
  if (state == core::SiblingState::within) return "";
  return state == core::SiblingState::fast ? "good" : "doubt";
}

std::string heatmap(const core::OutliersResult& result) {
  const std::size_t columns = std::min(result.columns.size(), kPageColumns);
  const std::size_t siblings = std::min(result.siblings.size(), kPageSiblings);
  std::vector<html::Column> heads = {{result.sibling_kind}};
  for (std::size_t c = 0; c < columns; ++c) heads.push_back({result.columns[c].name, true});
  heads.push_back({"State"});
  html::Table table(heads, "fleet");
  for (std::size_t s = 0; s < siblings; ++s) {
    const core::Sibling& one = result.siblings[s];
    table.row().markup(plain(one.name, 60));
    for (std::size_t c = 0; c < columns; ++c) {
      const double change = result.columns[c].change_pct[s];
      const std::string text = std::isfinite(change) ? core::signed_number(std::round(change * 10) / 10, 4) : std::string("–");
      table.markup(text, shade(change, result.columns[c]));
    }
    table.markup(html::chip(to_string(one.state), tone(one.state)));
  }
  std::string out = "<h2>Change against the median of the others, percent</h2>\n" + table.text("Siblings by test");
  const std::size_t all = result.columns.size() + result.columns_omitted;
  if (all > columns || result.siblings.size() > siblings) {
    out += html::note(grouped(all - columns) + " further columns and " + grouped(result.siblings.size() - siblings) +
                      " further siblings are in outliers.json.");
  }
  return out + html::legend({{"d-bad1", "worse by half the tolerance"},
                             {"d-bad2", "by all of it"},
                             {"d-bad3", "by twice as much"},
                             {"d-good2", "better"}});
}

std::string reasons(const core::OutliersResult& result) {
  std::string items;
  for (const core::Reason& reason : result.reasons)
    items += "<li>" + plain(reason.message, 1200) + " " + html::chip(reason.code.text()) + "</li>\n";
  for (const core::SiblingGroup& group : result.groups) {
    items += "<li>those out are " + plain(group.predicate) + ": " + plain(core::cited_list(group.siblings, 20), 800) + "</li>\n";
  }
  for (const std::string& link : result.links) items += "<li>slow between " + plain(link) + " alone</li>\n";
  return items.empty() ? std::string()
                       : html::section("Why " + std::string(to_string(result.verdict)), "<ul>" + items + "</ul>\n");
}

// Set-ups that differ stand beside those that are slow: another driver may be all there is.
std::string differences(const core::OutliersResult& result) {
  html::Table table({{result.sibling_kind}, {"Key"}, {"Here"}, {"The others"}, {"Severity"}});
  for (const core::Sibling& one : result.siblings) {
    for (const core::ContextDifference& difference : one.differs) {
      table.row().markup(html::code(one.name, 80)).markup(html::code(difference.key, 80));
      table.cell(difference.current, 120).cell(difference.baseline, 120);
      table.cell(difference.declared ? "declared" : to_string(difference.severity));
    }
  }
  return table.empty() ? std::string() : html::section("Set-up that differs", table.text("Set-up that differs"));
}

std::string evidence(const core::OutliersResult& result) {
  html::Table table({{"File"}, {"Bytes", true}, {"SHA-256"}});
  const std::size_t shown = std::min(result.sources.size(), kPageSources);
  for (const core::FileRef& file : std::span(result.sources).first(shown))
    table.row().markup(html::code(file.name, 160)).markup(grouped(file.bytes)).markup("<code>" + markup(file.sha256) + "</code>");
  std::string body = html::folded(core::counted(shown, "file"), table.text("Files"));
  if (result.sources.size() > shown) body += html::note(grouped(result.sources.size() - shown) + " more in outliers.json.");
  return html::section("Evidence", body, {.wide = true});
}

std::string sentence_of(const core::OutliersResult& result) {
  return result.reasons.empty() ? outliers_summary(result) : result.reasons.front().message;
}

std::string name_of(const core::OutliersResult& result) {
  const std::string place = result.family.empty() ? std::string() : result.family + " / " + result.measurement + ": ";
  return place + core::counted(result.siblings.size(), result.sibling_kind) + " of " + result.format.name;
}

}  // namespace

std::string outliers_html(const core::OutliersResult& result) {
  Page page;
  page.verdict = result.verdict;
  page.tier = result.tier;
  page.name = name_of(result);
  page.sentence = sentence_of(result);
  page.under = "<p class=\"sides\">" + plain(outliers_summary(result)) + "</p>\n";
  page.under += next_line(result.recommendation);
  page.picture = heatmap(result);
  page.sections = reasons(result) +
                  stack(action_section(std::nullopt, result.promote) + differences(result) + warnings_section(result.warnings)) +
                  evidence(result);
  page.footer = result.tool.name + " " + result.tool.version;
  if (!result.compared_at_utc.empty()) page.footer += ", compared at " + result.compared_at_utc;
  return page_text(page);
}

}  // namespace plumbline::reports
