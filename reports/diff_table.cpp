// What a person sees after `plumbline diff`: the verdict first, why, the worst rows, what to do, where the evidence is.
#include <algorithm>

#include "core/citing.hpp"
#include "core/results/sol_words.hpp"
#include "core/text.hpp"
#include "core/tolerance.hpp"
#include "reports/culprits.hpp"
#include "reports/native.hpp"
#include "reports/reports.hpp"
#include "reports/rows.hpp"
#include "reports/suite.hpp"
#include "reports/terminal.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kShown = 20;

Paint paint_of(const RowView& row) {
  switch (row.state) {
    case core::State::regressed:
      return row.suspect ? Paint::yellow : Paint::red;
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

std::string rows_table(const core::DiffResult& result, const Terminal& terminal, int width) {
  const Rows rows(result);
  // A narrow terminal does without what the bundle says anyway.
  const bool with_tolerance = width >= 84, with_baseline = width >= 66;
  std::vector<std::string> header = {"key"};
  if (with_baseline) header.emplace_back("baseline");
  header.insert(header.end(), {"current", "change"});
  if (with_tolerance) header.emplace_back("tolerance");
  header.emplace_back("state");
  std::vector<bool> left(header.size());
  left.front() = left.back() = true;
  Table table(std::move(header), std::move(left));
  std::size_t shown = 0;
  for (const std::uint32_t index : rows.top(kShown)) {
    const RowView row = rows.at(index);
    const Paint paint = paint_of(row);
    std::string name = one_line(row.key);
    if (row.headline && result.shape() != core::Shape::scalar) name = "* " + name;
    std::vector<Table::Cell> cells = {{std::move(name), Paint::none}};
    if (with_baseline) cells.push_back({baseline_cell(row), Paint::none});
    cells.push_back({current_cell(row), Paint::none});
    cells.push_back({change_cell(row), paint});
    if (with_tolerance) cells.push_back({row.tolerance != nullptr ? core::tolerance_text(*row.tolerance) : "-", Paint::dim});
    cells.push_back({state_text(row), paint});
    table.add(std::move(cells));
    ++shown;
  }
  if (table.empty()) return {};
  std::string out = "\n" + table.text(terminal, width);
  if (rows.size() > shown) out += "  " + terminal.paint(Paint::dim, "… and " + grouped(rows.size() - shown) + " more") + "\n";
  return out;
}

}  // namespace

std::string diff_table(const core::DiffResult& result, bool colour, int width) {
  const Terminal terminal(colour);
  width = std::max(width, 40);
  std::string out = terminal.verdict(result.verdict) + " " +
                    terminal.paint(Paint::dim, "(" + std::string(to_string(result.tier)) + ")") + "  " +
                    terminal.paint(Paint::bold, one_line(title_of(result))) + "\n" +
                    Terminal::wrap("  ", summary_sentence(result), width);
  for (const core::Reason& reason : result.reasons) out += Terminal::wrap("  - ", reason.message, width);
  for (const core::ContextDifference& difference : result.context_differences) {
    if (difference.declared || difference.severity == core::Severity::informative) continue;
    out += Terminal::wrap("  ≠ ",
                          difference.key + " (" + std::string(to_string(difference.severity)) +
                              "): " + (difference.baseline_known ? difference.baseline : "not known") + " -> " +
                              (difference.current_known ? difference.current : "not known"),
                          width);
  }
  out += result.cases() != nullptr ? suite_table(*result.cases(), terminal, width) : rows_table(result, terminal, width);
  for (const core::SolLine& line : result.sol) {
    out += "\n  " + terminal.paint(Paint::bold, "speed of light") + "  " + one_line(line.row_key) + "\n";
    for (const std::string_view text : core::split(line.text, '\n')) out += "    " + one_line(text) + "\n";
    if (const std::string note = core::sol_note(line); !note.empty()) out += Terminal::wrap("    ", note, width);
    if (&line - result.sol.data() == 2 && result.sol.size() > 3) {
      out += "    … and " + core::counted(result.sol.size() - 3, "more row") + " with a ceiling\n";
      break;
    }
  }
  out += "\n";
  const auto labelled = [&](std::string_view label, std::string_view text, Paint paint = Paint::bold) {
    std::string block = Terminal::wrap(pad_right(label, 12), text, width);
    block.replace(0, label.size(), terminal.paint(paint, label));
    out += block;
  };
  for (const core::Culprit& culprit : result.culprits) {
    const std::string rest = not_affected_text(culprit), other = runner_up_text(culprit);
    labelled("part", core::cited(culprit.predicate) + ": " + coverage_text(culprit) +
                         (rest.empty() ? "" : "; not affected: " + rest) + (other.empty() ? "" : "; next best: " + other));
  }
  if (!result.recommendation.message.empty()) labelled("next", result.recommendation.message);
  if (result.next_lever) {
    labelled("lever", result.next_lever->lever + " (expected: " + result.next_lever->expected_unlock +
                          "; gate: " + result.next_lever->gate + ")");
  }
  for (const std::string& text : result.promote) labelled("to VERDICT", text);
  if (result.native() != nullptr) labelled("theirs", native_line(*result.native()));
  std::size_t said = 0;
  for (const core::Warning& warning : result.warnings) {
    if (++said > 10) {
      labelled("warning", core::counted(result.warnings.size() - 10, "more warning") + " in diff.json", Paint::yellow);
      break;
    }
    labelled("warning", warning.message, Paint::yellow);
  }
  if (!result.diff_dir.empty()) out += pad_right("bundle", 12) + one_line(result.diff_dir) + "\n";
  return out;
}

}  // namespace plumbline::reports
