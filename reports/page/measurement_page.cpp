// The page of measurements: of one against one, and of a suite. Its first picture is that of what regressed: the matrix of cases,
// the matrix of cells, the curve, or the rows themselves.
#include <algorithm>
#include <vector>

#include "core/results/red_words.hpp"
#include "reports/culprits.hpp"
#include "reports/page/case_matrix.hpp"
#include "reports/page/curves.hpp"
#include "reports/page/diff_page.hpp"
#include "reports/page/dots.hpp"
#include "reports/page/heatmap.hpp"
#include "reports/page/history_chart.hpp"
#include "reports/page/html.hpp"
#include "reports/page/rows_table.hpp"
#include "reports/page/sections.hpp"
#include "reports/page/sol_bars.hpp"
#include "reports/page/tone.hpp"
#include "reports/short_keys.hpp"
#include "reports/text.hpp"
#include "reports/waivers.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kDotsInHero = 8, kDots = 24, kCurves = 6, kCurvePoints = 600, kMatrices = 4, kCells = 5000, kFewRows = 2;

std::string file_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t cut = path.rfind('/');
  return std::string(cut == std::string_view::npos || cut + 1 == path.size() ? path : path.substr(cut + 1));
}

// Two files of one name are told apart by their folders.
std::pair<std::string, std::string> file_names(const std::string& before, const std::string& after) {
  std::pair<std::string, std::string> names{file_name(before), file_name(after)};
  if (names.first != names.second) return names;
  for (const auto& [name, path] : {std::pair(&names.first, &before), std::pair(&names.second, &after)}) {
    const std::size_t cut = path->rfind('/');
    if (cut != std::string::npos && cut > 0) *name = file_name(path->substr(0, cut)) + "/" + *name;
  }
  return names;
}

// Of entries the measurement's name; of files theirs, which the family "adhoc" does not say.
std::string name_of(const core::DiffResult& result) {
  std::string name = title_of(result);
  if (!result.baseline.slug.empty()) return name;
  const auto [before, after] = file_names(result.baseline.path, result.current.path);
  if (before.empty() || after.empty()) return name;
  return (name.empty() ? "" : name + ": ") + before + " → " + after;
}

// The answer: which part, else the first reason up to its caveat, else what was counted.
std::string sentence_of(const core::DiffResult& result) {
  if (!result.culprits.empty() && result.verdict != core::Verdict::green) {
    const core::Culprit& first = result.culprits.front();
    return first.predicate + ": " + coverage_text(first);
  }
  if (result.reasons.empty()) return summary_sentence(result);
  const std::string& message = result.reasons.front().message;
  return message.substr(0, message.find("; "));
}

std::string under(const core::DiffResult& result) {
  const std::string red = result.red ? core::red_text(*result.red) : std::string();
  return counts_line(result.counts) + (red.empty() ? red : html::note(html::plain(red))) + next_line(result.recommendation);
}

std::string curve_legend(bool ceiling) {
  std::vector<html::Mark> marks = {
      {"l-was", "baseline"}, {"l-now", "this run"}, {"dot bad", "regressed"}, {"dot doubt", "suspect or not decided"}};
  if (ceiling) marks.push_back({"l-ceiling", "ceiling"});
  return html::legend(marks);
}

// Pictures in the order in which they are looked at; the first one stands beside the answer.
struct Pictures {
  std::string first, sections;
};

void add_curves(Pictures& out, const core::DiffResult& result, const Rows& rows) {
  const std::vector<Curve> curves = curves_of(result);
  if (curves.empty()) return;
  const std::string legend = curve_legend(!result.sol.empty());
  std::size_t at = 0, points = curves.front().points.size();
  if (out.first.empty()) out.first = curve_chart(curves[at++], rows) + legend;
  std::string body;
  for (; at < std::min(curves.size(), kCurves); ++at) {
    points += curves[at].points.size();
    if (points > kCurvePoints) break;
    body += curve_chart(curves[at], rows);
  }
  if (body.empty()) return;
  body = "<div class=\"panels\">" + body + "</div>\n" + legend;
  if (curves.size() > at) body += html::note(grouped(curves.size() - at) + " further curves are in the rows below.");
  out.sections += html::section("Curves, worst first", body, {.wide = true});
}

void add_matrices(Pictures& out, const core::DiffResult& result, const Rows& rows) {
  const std::vector<Matrix> matrices = matrices_of(result);
  std::string body;
  std::size_t cells = 0, i = 0;
  for (; i < matrices.size(); ++i) {
    cells += matrices[i].rows.size() * matrices[i].cols.size();
    if (i > 0 && cells > kCells) break;
    const std::string drawn = heatmaps(matrices[i], rows);
    if (out.first.empty())
      out.first = drawn;
    else if (i < kMatrices)
      body += drawn;
    else
      body += html::folded(html::plain(matrices[i].title, 120), drawn);
  }
  if (i < matrices.size()) body += html::note(grouped(matrices.size() - i) + " further matrices are in the rows below.");
  out.sections += html::section("Matrices, worst first", body, {.wide = true});
}

void add_dots(Pictures& out, const Rows& rows) {
  const std::vector<std::uint32_t> shown = rows_to_draw(rows, kDots, kDotsInHero);
  const std::span<const std::uint32_t> all(shown);
  if (out.first.empty()) {
    out.first = dots_table(rows, all.first(std::min(all.size(), kDotsInHero)));
    if (all.size() <= kDotsInHero) return;
  }
  const bool more = rows.size() > all.size();
  out.sections +=
      html::section(more ? "Rows that changed most" : "Every row, worst first", dots_table(rows, all), {.wide = true});
}

std::string_view tone_of_key(const Rows& rows, std::string_view key) {
  for (const std::uint32_t index : rows.top(SIZE_MAX)) {
    if (const RowView row = rows.at(index); row.key == key) return tone_of(row);
  }
  return "flat";
}

// Of a few numbers their history belongs to the answer.
void add_history(Pictures& out, const core::DiffResult& result, const Rows& rows) {
  std::string body;
  std::vector<std::string_view> keys;
  for (const core::HistoryLine& line : result.history) keys.push_back(line.key);
  const ShortKeys brief(keys);
  for (const core::HistoryLine& line : result.history)
    body += history_chart(line, brief.of(line.key), tone_of_key(rows, line.key));
  if (body.empty()) return;
  const std::string shared = brief.shared();
  body = (shared.empty() ? std::string() : html::note("All of " + html::code(shared, 200))) + "<div class=\"panels\">" + body +
         "</div>\n" +
         html::legend(
             {{"this", "this run"}, {"ring", "the baseline"}, {"band", "noise around it"}, {"l-change", "the level changed"}});
  if (rows.size() <= kFewRows)
    out.first += "<h2>History</h2>\n" + body;
  else
    out.sections += html::section("History", body, {.wide = true});
}

Pictures pictures_of(const core::DiffResult& result, const Rows& rows) {
  Pictures out;
  if (result.cases() != nullptr) out.first = case_matrix(*result.cases(), result, rows);
  add_matrices(out, result, rows);
  if (result.cases() == nullptr) add_curves(out, result, rows);
  if (result.cases() != nullptr) out.sections += cases_section(*result.cases(), result, rows);
  add_dots(out, rows);
  add_history(out, result, rows);
  if (!result.sol.empty()) out.sections += html::section("Speed of light", sol_bars(result.sol), {.wide = true});
  return out;
}

}  // namespace

Page measurement_page(const core::DiffResult& result) {
  const Rows rows(result);
  Pictures pictures = pictures_of(result, rows);
  Page page;
  page.name = name_of(result);
  page.sentence = sentence_of(result);
  page.under = under(result);
  page.picture = std::move(pictures.first);
  page.sections =
      reasons_section("Why " + std::string(to_string(result.verdict)), result.reasons) +
      stack(parts_section(result) + waivers_section(result.waivers) + action_section(result.next_lever, result.promote)) +
      pictures.sections + rows_section(result, rows) + stack(warnings_section(result.warnings) + context_section(result)) +
      evidence_section(result);
  return page;
}

}  // namespace plumbline::reports
