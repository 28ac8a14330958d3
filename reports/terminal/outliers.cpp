// Siblings on a terminal: which one is slow, by how much, and what to do with it.
#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/outliers/parts.hpp"
#include "reports/reports.hpp"
#include "reports/terminal/parts.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kSiblings = 10, kFewestSiblings = 5;
constexpr std::string_view kDetails = " in outliers.json";

Paint paint_of(core::SiblingState state) {
  switch (state) {
    case core::SiblingState::out:
    case core::SiblingState::failed:
      return Paint::red;
    case core::SiblingState::doubtful:
    case core::SiblingState::fast:
      return Paint::yellow;
    case core::SiblingState::within:
      return Paint::none;
  }
  return Paint::none;
}

std::string p_text(double p) { return p >= 1 ? "-" : p < 1e-6 ? "< 1e-6" : core::short_number(p, 2); }

void add_common(Screen& screen, const core::OutliersResult& result) {
  ScreenPart part{.weight = Weight::parts, .noun = "link", .where = kDetails};
  for (const core::SiblingGroup& group : result.groups) {
    const std::string text = "those out are " + core::cited(group.predicate) + ": " + core::cited_list(group.siblings, 8);
    part.items.push_back(sentence_lines("  - ", text, screen.sentence_width(), 2));
  }
  for (const std::string& link : result.links)
    part.items.push_back(sentence_lines("  - ", "slow between " + core::cited(link) + " alone", screen.sentence_width(), 2));
  screen.add(std::move(part));
}

void add_siblings(Screen& screen, const core::OutliersResult& result) {
  const bool with_sol = std::any_of(result.siblings.begin(), result.siblings.end(), [](const core::Sibling& one) {
    const core::SiblingDeviation* its = telling(one);
    return its != nullptr && its->sol_pct.has_value();
  });
  Table table({one_line(result.sibling_kind), "change", "in", "p", "worse rows", "%SoL", "state"},
              {true, false, true, false, false, false, true});
  for (const std::size_t column : {3U, 4U, 2U, 5U}) table.may_go(column);
  for (std::size_t i = 0; i < std::min(result.siblings.size(), kSiblings); ++i) {
    const core::Sibling& one = result.siblings[i];
    const core::SiblingDeviation* its = telling(one);
    const Paint paint = paint_of(one.state);
    table.add({{one_line(one.name)},
               {its != nullptr ? signed_percent(its->change_pct) : "-", paint},
               {its != nullptr ? one_line(its->what) : "-"},
               {its != nullptr ? p_text(its->p) : "-"},
               {std::to_string(one.rows_worse) + "/" + std::to_string(one.rows_compared)},
               {its != nullptr && its->sol_pct ? core::short_number(*its->sol_pct, 3) + "%" : "-"},
               {std::string(to_string(one.state)), paint}});
  }
  if (!with_sol) table.leave_out(5);
  ScreenPart part{.weight = Weight::table, .least = kFewestSiblings, .noun = "sibling", .where = kDetails, .apart = true};
  add_table(part, table, screen);
  part.all = result.siblings.size();
  screen.add(std::move(part));
}

}  // namespace

std::string outliers_table(const core::OutliersResult& result, bool colour, int width) {
  Screen screen(Terminal(colour), width);
  if (result.diff_dir.empty()) screen.nothing_is_kept();
  screen.headline(headline_of(result));
  if (!result.reasons.empty()) screen.add({.head = sentence_lines("  ", outliers_summary(result), screen.sentence_width(), 2)});
  add_reasons(screen, result.reasons, 1, kDetails);
  add_common(screen, result);
  add_siblings(screen, result);
  add_ending(screen,
             {result.warnings, result.promote, result.recommendation, nullptr, result.diff_dir, result.bundle_sha256, kDetails});
  if (!result.drain.empty()) screen.add({.head = screen.labelled("drain", core::cited_list(result.drain, 40), 3)});
  return screen.text();
}

}  // namespace plumbline::reports
