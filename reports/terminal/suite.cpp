// The cases of a suite on a terminal, the worst first, and what is to be said of them.
#include "reports/suite.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/terminal/parts.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kCases = 10, kFewestCases = 5, kRemarks = 5;

Paint paint_of(const core::SuiteCase& one) {
  const std::string_view tone = case_tone(one);
  return tone == "bad" ? Paint::red : tone == "doubt" ? Paint::yellow : tone == "good" ? Paint::green : Paint::dim;
}

std::string value_cell(const std::optional<double>& value, const core::CaseHeadline& headline) {
  return value ? short_figure(*value, headline.unit) : std::string("-");
}

void add_remarks(Screen& screen, const core::SuiteReport& suite) {
  ScreenPart part{.weight = Weight::remarks, .noun = "remark", .where = " in diff.json", .apart = true};
  for (const core::SuiteCase& one : suite.cases) {
    const std::string remark = case_remark(one);
    if (remark.empty()) continue;
    ++part.all;
    if (part.items.size() < kRemarks)
      part.items.push_back(sentence_lines("  ", core::cited_path(one.id) + ": " + remark, screen.sentence_width(), 2));
  }
  screen.add(std::move(part));
}

}  // namespace

void add_table(ScreenPart& part, const Table& table, const Screen& screen) {
  std::vector<std::vector<std::string>> lines = table.lines(screen.terminal(), screen.width());
  part.head.insert(part.head.end(), lines.front().begin(), lines.front().end());
  part.items.assign(std::make_move_iterator(lines.begin() + 1), std::make_move_iterator(lines.end()));
}

void add_cases(Screen& screen, const core::SuiteReport& suite) {
  Table table({"case", "change", "headline", "baseline", "current", "state"}, {true, false, true, false, false, true});
  for (const std::size_t column : {3U, 4U, 2U}) table.may_go(column);
  for (const core::SuiteCase& one : std::span(suite.cases).first(std::min(suite.cases.size(), kCases))) {
    const Paint paint = paint_of(one);
    const auto& headline = one.headline;
    table.add({{one_line(one.id)},
               {headline ? case_change_text(*headline) : "-", paint},
               {headline ? one_line(headline->key) : "-"},
               {headline ? value_cell(headline->baseline, *headline) : "-"},
               {headline ? value_cell(headline->current, *headline) : "-"},
               {case_state_text(one), paint}});
  }
  ScreenPart part{.weight = Weight::table, .least = kFewestCases, .noun = "case", .where = " in diff.json", .apart = true};
  add_table(part, table, screen);
  part.all = suite.cases.size();
  part.tail = sentence_lines("total  ", core::totals_text(suite), screen.sentence_width());
  part.tail.front().replace(0, 5, screen.terminal().paint(Paint::bold, "total"));
  screen.add(std::move(part));
  add_remarks(screen, suite);
}

}  // namespace plumbline::reports
