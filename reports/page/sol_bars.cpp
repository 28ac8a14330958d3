#include "reports/page/sol_bars.hpp"

#include <algorithm>
#include <vector>

#include "core/results/sol_words.hpp"
#include "core/text.hpp"
#include "reports/page/html.hpp"
#include "reports/page/svg.hpp"
#include "reports/short_keys.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kInSight = 8, kAtMost = 60;
constexpr double kNothing = 0.1;  // percentage points either way that are neither better nor worse

std::string_view tone(const core::SolLine& line) {
  return line.delta_pp < -kNothing ? "bad" : line.delta_pp > kNothing ? "good" : "flat";
}

std::string bar(const core::SolLine& line) {
  const double full = std::max({100.0, line.baseline_pct, line.current_pct});
  const auto x = [full](double pct) { return 100 * std::clamp(pct / full, 0.0, 1.0); };
  return "<svg class=\"sol\" width=\"100%\" height=\"20\" aria-hidden=\"true\">" + svg::rect(0, 4, x(100), 12, "track") +
         svg::rect(0, 4, x(line.current_pct), 12, tone(line)) +
         svg::line(x(line.baseline_pct), 0, x(line.baseline_pct), 20, "was") + "</svg>";
}

std::string ceiling_of(const core::SolLine& line) {
  return html::plain(line.ceiling_key + ", " + figure(line.ceiling_value, line.ceiling_unit), 120);
}

// `one`: the ceiling of all of them, which is said before.
std::string table(std::span<const core::SolLine* const> lines, const ShortKeys& brief, const std::string& one) {
  std::string out =
      "<table class=\"drawn\">\n<thead><tr><th scope=col>Row<th scope=col class=draw><span class=said>Share of the "
      "ceiling</span><th scope=col class=num>Baseline<th scope=col class=num>Current<th scope=col "
      "class=num>Points</thead>\n<tbody>";
  for (const core::SolLine* line : lines) {
    out += "\n<tr><th scope=row>" + html::code(brief.of(line->row_key), 90) +
           (one.empty() ? " <small>of " + ceiling_of(*line) + "</small>" : std::string()) + "<td class=draw>" + bar(*line) +
           "<td class=\"num from\">" + core::short_number(line->baseline_pct, 3) + "%<td class=\"num to\">" +
           core::short_number(line->current_pct, 3) + "%<td class=\"num change " + std::string(tone(*line)) + "\">" +
           core::signed_number(line->delta_pp, 2) + " pp";
  }
  return out + "</tbody></table>\n";
}

std::string notes(std::span<const core::SolLine* const> lines, const ShortKeys& brief) {
  html::Table table({{"Row"}, {"What its share means"}});
  for (const core::SolLine* line : lines) {
    if (const std::string note = core::sol_note(*line); !note.empty())
      table.row().markup(html::code(brief.of(line->row_key), 90)).cell(note, 400);
  }
  return table.empty() ? std::string() : html::folded("What these shares mean", table.text("What these shares mean"));
}

}  // namespace

std::string sol_bars(std::span<const core::SolLine> lines) {
  if (lines.empty()) return {};
  std::vector<const core::SolLine*> worst_first;
  std::vector<std::string_view> keys;
  for (const core::SolLine& line : lines) worst_first.push_back(&line);
  std::ranges::stable_sort(worst_first, {}, [](const core::SolLine* line) { return line->delta_pp; });
  if (worst_first.size() > kAtMost) worst_first.resize(kAtMost);
  keys.reserve(worst_first.size());
  for (const core::SolLine* line : worst_first) keys.push_back(line->row_key);
  const ShortKeys brief(keys);
  const std::span<const core::SolLine* const> all(worst_first);
  const std::size_t in_sight = std::min(kInSight, all.size());
  const bool same =
      std::ranges::all_of(all, [&](const core::SolLine* line) { return line->ceiling_key == all.front()->ceiling_key; });
  const std::string one = same ? ceiling_of(*all.front()) : std::string();
  std::string out = (same ? html::note("Of " + one) : std::string()) + table(all.first(in_sight), brief, one);
  out += html::legend({{"bad", "lost"}, {"good", "gained"}, {"flat", "within 0.1 points"}, {"was", "baseline"}});
  if (const std::string shared = brief.shared(); !shared.empty()) out += html::note("All rows: " + html::code(shared, 200));
  if (all.size() > in_sight)
    out += html::folded(grouped(all.size() - in_sight) + " more", table(all.subspan(in_sight), brief, one));
  out += notes(all, brief);
  if (lines.size() > all.size()) out += html::note(grouped(lines.size() - all.size()) + " further rows are in diff.json.");
  return out;
}

}  // namespace plumbline::reports
