// What a person sees after `plumbline diff`, on one screen: the verdict and the sentence that matters, the worst rows, which part
// it is, how far from the limit, what to do, where the evidence is. Captures: terminal/captures.cpp.
#include <algorithm>

#include "core/citing.hpp"
#include "core/results/red_words.hpp"
#include "core/results/sol_words.hpp"
#include "core/text.hpp"
#include "core/tolerance.hpp"
#include "reports/culprits.hpp"
#include "reports/native.hpp"
#include "reports/reports.hpp"
#include "reports/rows.hpp"
#include "reports/short_keys.hpp"
#include "reports/suite.hpp"
#include "reports/terminal/parts.hpp"
#include "reports/terminal/screen.hpp"
#include "reports/terminal/sparkline.hpp"
#include "reports/text.hpp"
#include "reports/waivers.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kRows = 10, kSolLines = 3, kPartLines = 3, kFewestRows = 5;
constexpr std::string_view kDetails = " in diff.json";

Paint paint_of(const RowView& row) {
  switch (row.state) {
    case core::State::regressed:
      return row.suspect || row.waived() ? Paint::yellow : Paint::red;
    case core::State::missing:
    case core::State::invalid:
      return Paint::red;
    case core::State::inconclusive:
    case core::State::unclassified:
      return Paint::yellow;
    case core::State::improved:
      return Paint::green;
    default:
      return Paint::none;
  }
}

void add_facts(Screen& screen, const core::DiffResult& result) {
  std::string text = summary_sentence(result) + "; tolerance " + tolerance_word(result);
  if (result.policy != "plumbline") text += ", policy " + result.policy;
  if (!result.baseline.slug.empty()) text += ", baseline " + result.baseline.slug;
  if (!result.project_tier.empty()) text += ", tier " + result.project_tier;
  if (result.red) {
    if (const std::string red = core::red_text(*result.red); !red.empty()) text += "; " + red;
  }
  screen.add({.head = sentence_lines("  ", text, screen.sentence_width(), 3)});
}

// The trials of both sides on one scale, where there are enough to see something.
std::string trials_cell(const Rows& rows, std::uint32_t index) {
  const core::Comparison* all = rows.comparison();
  if (all == nullptr) return {};
  const core::Delta& delta = all->deltas[index];
  if (delta.baseline_row == core::kNoRow || delta.current_row == core::kNoRow) return {};
  return two_sparklines(all->baseline->values(all->baseline->rows()[delta.baseline_row]),
                        all->current->values(all->current->rows()[delta.current_row]));
}

void add_rows(Screen& screen, const core::DiffResult& result) {
  const Rows rows(result);
  const std::vector<std::uint32_t> top = rows.top(kRows);
  std::vector<std::string_view> keys;
  std::vector<std::string> trials;
  for (const std::uint32_t index : top) {
    keys.push_back(rows.at(index).key);
    trials.push_back(trials_cell(rows, index));
  }
  const bool with_trials = std::any_of(trials.begin(), trials.end(), [](const std::string& one) { return !one.empty(); });
  const ShortKeys names(keys);
  std::vector<std::string> header = {"key", "change", "baseline", "current", "tolerance", "state"};
  std::vector<bool> left = {true, false, false, false, false, true};
  if (with_trials) {
    header.emplace_back("trials");
    left.push_back(true);
  }
  Table table(std::move(header), std::move(left));
  // A narrow terminal does without what the bundle says anyway.
  if (with_trials) table.may_go(6);
  for (const std::size_t column : {4U, 2U, 3U}) table.may_go(column);
  for (std::size_t i = 0; i < top.size(); ++i) {
    const RowView row = rows.at(top[i]);
    const Paint paint = paint_of(row);
    std::string name = one_line(names.of(row.key));
    if (row.headline && result.shape() != core::Shape::scalar) name = "* " + name;
    std::vector<Table::Cell> cells = {{std::move(name)},
                                      {change_cell(row), paint},
                                      {short_cell(row.baseline, row.baseline_text, row)},
                                      {short_cell(row.current, row.current_text, row)},
                                      {row.tolerance != nullptr ? core::tolerance_text(*row.tolerance) : "-", Paint::dim},
                                      {state_text(row), paint}};
    if (with_trials) cells.push_back({trials[i], Paint::dim});
    table.add(std::move(cells));
  }
  if (table.empty()) return;
  ScreenPart part{.weight = Weight::table, .least = kFewestRows, .noun = "row", .apart = true};
  add_table(part, table, screen);
  part.all = rows.size();
  if (!result.diff_dir.empty()) part.where = " in deltas.jsonl";
  if (const std::string shared = names.shared(); !shared.empty())
    part.tail = sentence_lines("  ", "keys are of " + core::cited(shared), screen.sentence_width(), 2);
  screen.add(std::move(part));
}

void add_parts(Screen& screen, const core::DiffResult& result) {
  ScreenPart part{.weight = Weight::parts, .noun = "part", .where = kDetails, .apart = true};
  for (const core::Culprit& culprit : result.culprits) {
    const std::string rest = not_affected_text(culprit), other = runner_up_text(culprit);
    part.items.push_back(screen.labelled("part",
                                         core::cited(culprit.predicate) + ": " + coverage_text(culprit) +
                                             (rest.empty() ? "" : "; not affected: " + rest) +
                                             (other.empty() ? "" : "; next best: " + other),
                                         kPartLines));
  }
  screen.add(std::move(part));
}

void add_waivers(Screen& screen, const core::DiffResult& result) {
  ScreenPart part{.weight = Weight::parts, .noun = "waiver", .where = kDetails, .apart = true};
  for (const core::WaiverUse& use : result.waivers) {
    if (!is_told(use)) continue;
    const std::string& link = use.waiver->link;
    part.items.push_back(screen.labelled("waiver", waiver_sentence(use) + (link.empty() ? "" : ", " + link), kPartLines));
  }
  screen.add(std::move(part));
}

// Worst first: the first as it is quoted, the others in a line each.
void add_speed_of_light(Screen& screen, const core::DiffResult& result) {
  ScreenPart part{.weight = Weight::speed_of_light, .noun = "row", .where = " with a ceiling in diff.json", .apart = true};
  const std::vector<const core::SolLine*> lines = worst_first(result.sol);
  for (std::size_t i = 0; i < std::min(lines.size(), kSolLines); ++i) {
    const core::SolLine& line = *lines[i];
    std::vector<std::string> item;
    if (i == 0) {
      item = screen.labelled("of light", one_line(line.row_key), 1);
      for (const std::string_view text : core::split(line.text, '\n')) {
        for (std::string& each : sentence_lines("            ", text, screen.sentence_width())) item.push_back(std::move(each));
      }
      if (const std::string note = core::sol_note(line); !note.empty()) {
        for (std::string& each : sentence_lines("            ", note, screen.sentence_width(), 2))
          item.push_back(std::move(each));
      }
    } else {
      item = sentence_lines("            ",
                            core::cited(line.row_key) + ": " + core::short_number(line.baseline_pct, 3) + "% -> " +
                                core::short_number(line.current_pct, 3) + "% (" + core::signed_number(line.delta_pp, 2) + " pp)",
                            screen.sentence_width(), 2);
    }
    part.items.push_back(std::move(item));
  }
  part.all = lines.size();
  screen.add(std::move(part));
}

}  // namespace

std::string diff_table(const core::DiffResult& result, bool colour, int width) {
  Screen screen(Terminal(colour), width);
  if (result.diff_dir.empty()) screen.nothing_is_kept();
  screen.headline(headline_of(result));
  const bool captures = result.profile() != nullptr;
  const std::string_view details = captures ? " in profile-diff.md" : kDetails;
  if (captures) {
    add_captures(screen, result);
  } else {
    if (!result.reasons.empty()) add_facts(screen, result);
    add_reasons(screen, result.reasons, 1, details);
    add_context(screen, result.context_differences, details);
    if (result.cases() != nullptr) {
      add_cases(screen, *result.cases());
    } else {
      add_rows(screen, result);
    }
    add_waivers(screen, result);
    add_parts(screen, result);
    add_speed_of_light(screen, result);
  }
  if (result.native() != nullptr)
    screen.add({.head = screen.labelled("theirs", native_line(*result.native()), 3), .apart = true});
  add_ending(screen, {result.warnings, result.promote, result.recommendation, result.next_lever ? &*result.next_lever : nullptr,
                      result.diff_dir, result.bundle_sha256, details});
  return screen.text();
}

}  // namespace plumbline::reports
