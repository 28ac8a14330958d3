// One screen whatever comes: at most 40 lines, none wider than the terminal but for paths, and what is left out is counted.
#include "reports/terminal/screen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "captures_fixture.hpp"
#include "fixture.hpp"
#include "reports/reports.hpp"
#include "reports/terminal/sparkline.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    out.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

// Everything that a diff can have to say, twelve times each.
core::DiffResult talkative() {
  core::DiffResult result = fixture::many_rows(50);
  auto& order = fixture::rows_of(result).order;
  order.clear();
  for (std::uint32_t i = 0; i < 50; ++i) order.push_back(i);
  const std::string words =
      "of \"a key that has a long name and blanks in it\" it is said at some length that it changed by much, ";
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    result.reasons.push_back({.code = "case_doubtful", .message = n + " " + words + words});
    result.warnings.push_back({"read_only", "warning " + n + " " + words});
    result.promote.push_back("step " + n + " " + words + words);
    result.context_differences.push_back(
        {.key = "stack.key" + n, .baseline = "before", .current = "after", .severity = core::Severity::weakening});
    result.sol.push_back({"row" + n, "c.key", 900, "GB/s", 50, 50.0 - i, -1.0 * i, "baseline: 1\ncurrent: 2\ndelta: 3"});
  }
  result.recommendation = {"bisect", words + words + words, {}};
  result.next_lever = core::NextLever{words, words, words};
  result.diff_dir = "/a/" + std::string(120, 'p') + "/bundle";
  result.bundle_sha256 = std::string(64, 'a');
  return result;
}

class Widths : public testing::TestWithParam<int> {};

TEST_P(Widths, FortyLinesAndNoneTooWide) {
  for (const core::DiffResult& result :
       {talkative(), fixture::serving(), fixture::scalar(), fixture::hostile(), fixture::capture(),
        fixture::capture(fixture::host_profile()), fixture::capture(fixture::stepping())}) {
    const std::vector<std::string> lines = lines_of(diff_table(result, false, GetParam()));
    EXPECT_LE(lines.size(), kScreenLines);
    for (const std::string& line : lines) {
      if (line.starts_with("bundle ")) continue;
      EXPECT_LE(display_width(line), columns_used(GetParam())) << line;
    }
    EXPECT_TRUE(lines.front().starts_with(std::string(to_string(result.verdict)) + " ("));
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, Widths, testing::Values(20, 40, 66, 80, 120, 200, 1000));

TEST(Screen, CountsWhatItLeavesOut) {
  const std::string text = diff_table(talkative(), false, 80);
  for (const char* said : {" more rows in deltas.jsonl", " warnings in diff.json", "more reasons in diff.json",
                           "more steps in diff.json", "… and 11 more rows with a ceiling in diff.json", "more differences"})
    EXPECT_THAT(text, HasSubstr(said));
  EXPECT_THAT(text, HasSubstr("/a/" + std::string(120, 'p') + "/bundle\n"));
  EXPECT_THAT(text, HasSubstr("of light    row11\n")) << "the row that lost most comes first";
}

TEST(Screen, NamesNoFileWhereNoBundleWasWritten) {
  core::DiffResult result = talkative();
  result.diff_dir.clear();
  const std::string text = diff_table(result, false, 80);
  for (const char* said : {" warnings in --report json\n", "more reasons in --report json\n",
                           "… and 11 more rows with a ceiling in --report json\n", " more rows\n"})
    EXPECT_THAT(text, HasSubstr(said));
  EXPECT_THAT(text, Not(HasSubstr("diff.json")));
}

TEST(Screen, SaysAWarningOnce) {
  core::DiffResult result = fixture::serving();
  result.warnings = {{"read_only", "twice"}, {"read_only", "twice"}};
  const std::string text = diff_table(result, false, 80);
  EXPECT_EQ(text.find("twice"), text.rfind("twice"));
}

TEST(Screen, DoesNotRepeatTheNextStep) {
  core::DiffResult result = fixture::serving();
  result.promote = {"measure five times", "name the GPU"};
  result.recommendation.message = "not proven yet (measure five times)";
  const std::string text = diff_table(result, false, 80);
  EXPECT_THAT(text, Not(HasSubstr("to VERDICT  measure five times")));
  EXPECT_THAT(text, HasSubstr("to VERDICT  name the GPU"));
}

TEST(SentenceLines, KeepPathsWholeAndCutOtherLongWords) {
  const std::string path = "/" + std::string(60, 'd');
  EXPECT_THAT(sentence_lines("- ", "see " + path + " now", 20), ElementsAre("- see", "  " + path, "  now"));
  EXPECT_THAT(sentence_lines("- ", "see \"" + std::string(60, 'd') + "\"", 12), ElementsAre("- see", "  \"dddd…ddd\""));
  EXPECT_THAT(sentence_lines("", "数据 数据 数据", 9), ElementsAre("数据 数据", "数据")) << "two columns a character";
  EXPECT_EQ(sentence_lines("", std::string(400, 'x') + " " + std::string(400, 'y'), 40, 1).size(), 1U);
}

TEST(Tables, GiveUpColumnsBeforeNames) {
  Table table({"name", "a", "b"});
  table.may_go(1);
  table.add({{"a_name_of_thirty_characters_aaa"}, {"123456789"}, {"5"}});
  EXPECT_THAT(table.text(Terminal(false), 60), HasSubstr("123456789  5\n"));
  EXPECT_EQ(table.text(Terminal(false), 40), "  name                             b\n  a_name_of_thirty_characters_aaa  5\n");
  EXPECT_EQ(table.text(Terminal(false), 20), "  name             b\n  a_name_…ers_aaa  5\n");
}

TEST(Sparkline, IsOneBlockAValue) {
  const std::vector<double> rising = {1, 2, 3, 4, 5, 6, 7, 8}, few = {1, 2}, level = {3, 3, 3};
  EXPECT_EQ(sparkline(rising), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline(few), "");
  EXPECT_EQ(sparkline(level), "▅▅▅");
  EXPECT_EQ(sparkline(rising, 4), "▁▃▆█") << "means of neighbours";
  EXPECT_EQ(two_sparklines(level, rising), "▃▃▃ ▁▂▃▄▅▆▇█");
  EXPECT_EQ(two_sparklines(few, few), "");
}

}  // namespace
}  // namespace plumbline::reports
