// The page of two captures: the answer and the waterfall of one step, the timeline, the tree, then reasons, and tables last.
#include <algorithm>

#include "core/text.hpp"
#include "reports/captures/parts.hpp"
#include "reports/captures/ranks.hpp"
#include "reports/page/diff_page.hpp"
#include "reports/page/html.hpp"
#include "reports/page/rows_table.hpp"
#include "reports/page/sections.hpp"
#include "reports/page/style.hpp"
#include "reports/page/wall_bars.hpp"
#include "reports/profile_tables.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using html::plain;

constexpr std::size_t kFallParts = 8, kShortTable = 4, kTableRows = 50, kFindings = 20;

std::string sides_line(const core::DiffResult& result, const Answer& answer) {
  const core::ProfileDiff& profile = *result.profile();
  const auto [baseline, candidate] = side_names(profile);
  const auto gpus = std::ranges::find_if(profile.environment_differences, [](const core::ContextDifference& each) {
    return each.key == "hardware.gpu" && each.baseline_known && each.current_known;
  });
  const bool known = gpus != profile.environment_differences.end();
  const auto side = [known](const std::string& name, std::string_view gpu) {
    return "<b>" + plain(name, 80) + "</b>" + (known ? " (" + plain(gpu, 60) + ")" : std::string());
  };
  std::string out = "<p class=\"sides\">" + side(baseline, known ? std::string_view(gpus->baseline) : std::string_view()) +
                    " → " + side(candidate, known ? std::string_view(gpus->current) : std::string_view());
  if (!answer.interval.empty()) out += " · " + plain(answer.interval);
  return out + "</p>\n";
}

std::string under(const core::DiffResult& result, const Answer& answer) {
  std::string out = sides_line(result, answer) + counts_line(result.counts);
  if (!answer.why.empty())
    out += "<p class=\"next\"><b>Why " + std::string(to_string(result.verdict)) + ":</b> " + html::sentence(answer.why, 300) +
           "</p>\n";
  if (!answer.next.empty()) out += next_line({.action = result.recommendation.action, .message = answer.next, .suspects = {}});
  return out;
}

std::string fall_picture(const core::ProfileDiff& profile) {
  const auto moved = fall_of(profile, kFallParts);
  if (!moved || moved->parts.empty()) return {};
  html::Table table({{"Part"}, {"Time", true}});
  table.row().cell("baseline, " + moved->of).cell(time_text(moved->baseline_ns));
  for (const FallPart& part : moved->parts) table.row().cell(part_label(part)).cell(signed_time_text(part.delta_ns));
  table.row().cell("candidate, " + moved->of).cell(time_text(moved->candidate_ns));
  return "<h2>What moved it: " + plain(moved->of) + "</h2>\n" + fall_chart(*moved) +
         html::folded("Numbers of this picture", table.text("What moved it"));
}

std::string findings_section(const core::ProfileDiff& profile) {
  if (profile.findings.empty()) return {};
  std::string items;
  const std::size_t shown = std::min(profile.findings.size(), kFindings);
  for (const core::ProfileFinding& finding : std::span(profile.findings).first(shown))
    items += "<li>" + plain(finding.message, 1000) + " " + html::chip(finding.code) + "</li>\n";
  std::string body = "<ul>" + items + "</ul>\n";
  if (profile.findings.size() > shown)
    body += html::note(grouped(profile.findings.size() - shown) + " more are in profile-diff.json.");
  return html::section("What else was found", body);
}

std::string tables(const core::ProfileDiff& profile) {
  std::string out;
  for (const PlainTable& plain_table : profile_tables(profile, kTableRows)) {
    std::vector<html::Column> columns;
    for (const std::string& name : plain_table.header) columns.push_back({name.empty() ? "what" : name, !columns.empty()});
    html::Table table(columns);
    for (const std::vector<std::string>& texts : plain_table.rows) {
      table.row();
      for (const std::string& text : texts) table.cell(text, 300);
    }
    std::string body = plain_table.lead.empty() ? std::string() : "<p>" + plain(plain_table.lead, 600) + "</p>\n";
    body += table.text(plain_table.title);
    if (plain_table.rows.size() > kShortTable) body = html::folded(core::counted(plain_table.rows.size(), "row"), body);
    out += html::section(plain(plain_table.title), body, {.wide = true});
  }
  return out;
}

}  // namespace

Page captures_page(const core::DiffResult& result) {
  const core::ProfileDiff& profile = *result.profile();
  const Answer answer = answer_of(profile);
  const auto [baseline, candidate] = side_names(profile);
  const Rows rows(result);
  Page page;
  page.style = kCaptureStyle;
  const std::string title = title_of(result);
  page.name = (title.empty() ? "" : title + ": ") + shorten_middle(one_line(baseline), 80) + " → " +
              shorten_middle(one_line(candidate), 80);
  page.sentence = answer.headline;
  page.under = under(result, answer);
  page.picture = fall_picture(profile);
  page.sections = timeline_section(profile) + icicle_section(profile) + ranks_section(profile) +
                  reasons_section("Why " + std::string(to_string(result.verdict)), result.reasons) +
                  stack(findings_section(profile) + action_section(result.next_lever, result.promote));
  if (!profile.buckets.empty())
    page.sections += html::section("Where the wall time of the captures went", wall_bars(profile.buckets), {.wide = true});
  page.sections += tables(profile) + rows_section(result, rows) +
                   stack(warnings_section(result.warnings) + context_section(result)) + evidence_section(result);
  return page;
}

}  // namespace plumbline::reports
