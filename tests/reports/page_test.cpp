// The pictures of a page, each of a few rows whose truth stands here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"
#include "reports/page/curves.hpp"
#include "reports/page/dots.hpp"
#include "reports/page/history_chart.hpp"
#include "reports/page/html.hpp"
#include "reports/page/sol_bars.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& text, std::string_view piece) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(piece, at)) != std::string::npos; at += piece.size()) ++count;
  return count;
}

// One metric over `x`, each with its trials.
core::Measurement sweep(const std::shared_ptr<core::StringPool>& pool,
                        const std::vector<std::pair<double, std::vector<double>>>& points,
                        core::Direction direction = core::Direction::lower) {
  core::Measurement made(pool);
  core::MetricClass klass;
  klass.unit = pool->intern("us");
  klass.direction = direction;
  for (const auto& [x, trials] : points) {
    const std::pair<core::Id, core::Id> dims[] = {{pool->intern("size"), pool->intern(core::number_text(x))},
                                                  {pool->intern("dtype"), pool->intern("float")}};
    core::Row row;
    row.key = pool->intern("copy[size=" + core::number_text(x) + ",dtype=float].time");
    row.metric = pool->intern("time");
    row.metric_class = made.intern_class(klass);
    row.dims = made.add_dims(dims);
    made.add_row(row, trials);
  }
  return made;
}

struct Compared {
  std::shared_ptr<core::StringPool> pool = std::make_shared<core::StringPool>();
  core::Measurement baseline, current;
  core::DiffResult result;
  Compared(const std::vector<std::pair<double, std::vector<double>>>& before,
           const std::vector<std::pair<double, std::vector<double>>>& after)
      : baseline(sweep(pool, before)), current(sweep(pool, after)) {
    auto& rows = std::get<core::RowsResult>(result.evidence);
    rows.comparison = std::make_shared<core::Comparison>(core::compare(baseline, current, {}));
    for (std::uint32_t i = 0; i < rows.comparison->deltas.size(); ++i) rows.order.push_back(i);
  }
};

TEST(Curves, are_drawn_along_the_dimension_that_is_a_number_with_what_regressed_marked) {
  const Compared c({{1024, {10}}, {65536, {12}}, {1048576, {40}}, {1073741824, {9000}}},
                   {{1024, {10}}, {65536, {12}}, {1048576, {40}}, {1073741824, {11000}}});
  const std::vector<Curve> curves = curves_of(c.result);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].title, "copy time, us") << "a dimension that is the same everywhere is not said";
  EXPECT_EQ(curves[0].points.back().words, "1 GiB");
  const Rows rows(c.result);
  const std::string drawn = curve_chart(curves[0], rows);
  EXPECT_THAT(drawn, HasSubstr("by size, logarithmic"));
  EXPECT_EQ(count_of(drawn, "<polyline"), 2U) << "both sides";
  EXPECT_THAT(drawn, HasSubstr("<title>1 GiB: 9000 us → 11000 us (+22.2%), regressed</title>"));
  EXPECT_EQ(count_of(drawn, "class=\"bad dot\""), 2U) << "of its value, and of its change";
  EXPECT_EQ(count_of(drawn, "<tr><th scope=row>"), 4U) << "a table of every point behind it";
}

TEST(Curves, need_four_points_of_which_one_is_judged) {
  EXPECT_EQ(curves_of(Compared({{1, {1}}, {2, {1}}, {3, {1}}}, {{1, {1}}, {2, {1}}, {3, {2}}}).result).size(), 0U);
  EXPECT_EQ(curves_of(core::DiffResult()).size(), 0U);
}

TEST(Dots, show_every_trial_of_both_sides_and_the_interval) {
  const Compared c({{1, {100, 101, 99, 100, 102}}}, {{1, {120, 121, 119, 120, 123}}});
  const Rows rows(c.result);
  const std::uint32_t shown[] = {0};
  const std::string table = dots_table(rows, shown);
  EXPECT_EQ(count_of(table, "class=\"trial\""), 6U) << "five trials of the baseline, and their mark in the legend";
  EXPECT_EQ(count_of(table, "class=\"bad trial-now\""), 5U);
  EXPECT_THAT(table, HasSubstr("class=\"band\""));
  EXPECT_THAT(table, HasSubstr("<th scope=col class=num>Interval"));
  EXPECT_THAT(table, HasSubstr("<td class=\"num change bad\">+20.0%"));
}

TEST(Dots, of_a_change_beyond_the_axis_stand_at_its_edge) {
  const Compared c({{1, {100}}, {2, {100}}}, {{1, {900}}, {2, {101}}});
  const Rows rows(c.result);
  const std::uint32_t shown[] = {0, 1};
  const std::string table = dots_table(rows, shown);
  EXPECT_THAT(table, HasSubstr("»"));
  EXPECT_THAT(table, HasSubstr("+800%"));
  EXPECT_EQ(dots_table(rows, {}), "") << "nothing to draw";
}

TEST(SolBars, put_what_lost_most_first_and_give_a_tenth_of_a_point_no_colour) {
  const std::vector<core::SolLine> lines = {{"a", "gpu.bw", 100, "GB/s", 50, 50.08, 0.08, ""},
                                            {"b", "gpu.bw", 100, "GB/s", 50, 40, -10, ""},
                                            {"c", "gpu.bw", 100, "GB/s", 50, 49.95, -0.05, ""},
                                            {"d", "gpu.bw", 100, "GB/s", 50, 55, 5, ""}};
  const std::string table = sol_bars(lines);
  EXPECT_LT(table.find("<code>b</code>"), table.find("<code>c</code>"));
  EXPECT_LT(table.find("<code>c</code>"), table.find("<code>a</code>"));
  EXPECT_LT(table.find("<code>a</code>"), table.find("<code>d</code>"));
  EXPECT_EQ(count_of(table, "change bad"), 1U);
  EXPECT_EQ(count_of(table, "change good"), 1U);
  EXPECT_EQ(count_of(table, "change flat"), 2U);
  EXPECT_EQ(count_of(table, "gpu.bw"), 1U) << "one ceiling is said once";
}

core::HistoryLine history() {
  core::HistoryLine line;
  line.key = "busbw";
  line.unit = "GB/s";
  line.values = {300, 301, 299, 330, 331};
  line.slugs = {"20260101T000000000000Z", "20260102T000000000000Z", "20260103T000000000000Z", "20260104T000000000000Z",
                "20260105T000000000000Z"};
  line.baseline = 4;
  line.current = 280;
  line.noise_floor_pct = 2;
  line.changes = {3};
  return line;
}

TEST(History, shows_the_noise_the_change_of_level_the_baseline_and_this_run) {
  const std::string drawn = history_chart(history(), "busbw", "bad");
  EXPECT_EQ(count_of(drawn, "class=\"change\""), 1U);
  EXPECT_EQ(count_of(drawn, "class=\"band\""), 1U);
  EXPECT_EQ(count_of(drawn, "class=\"now ring\""), 1U);
  EXPECT_THAT(drawn, HasSubstr("class=\"this bad\""));
  EXPECT_THAT(drawn, HasSubstr("5 entries, noise ±2%"));
  EXPECT_THAT(drawn, HasSubstr("<tr><th scope=row>20260104T000000000000Z<td class=num>330 GB/s<td>a new level"));
  EXPECT_THAT(drawn, HasSubstr("<tr><th scope=row>this run<td class=num>280 GB/s"));
  EXPECT_EQ(history_chart({}, "", "flat"), "") << "no entries, no line";
}

TEST(History, stands_beside_the_answer_of_a_few_numbers) {
  Compared c({{1, {331}}}, {{1, {280}}});
  c.result.history = {history()};
  const std::string page = diff_html(c.result);
  EXPECT_LT(page.find("<h2>History</h2>"), page.find("</header>"));
}

TEST(Html, escapes_what_comes_from_files_and_shortens_it) {
  html::Table table({{"<b>"}, {"n", true}});
  table.row("bad").cell("<script>").markup("1");
  EXPECT_THAT(table.text("\"name\""), HasSubstr("<th scope=col>&lt;b&gt;<th scope=col class=num>n"));
  EXPECT_THAT(table.text("\"name\""), HasSubstr("<tr class=\"bad\"><th scope=row>&lt;script&gt;<td class=num>1"));
  EXPECT_THAT(table.text("\"name\""), HasSubstr("aria-label=\"&quot;name&quot;\""));
  EXPECT_THAT(html::plain(std::string(500, 'x'), 20), Not(HasSubstr(std::string(21, 'x'))));
  EXPECT_EQ(html::section("Why", ""), "") << "no section without a word";
  EXPECT_EQ(html::chip("regressed", "bad"), "<span class=\"chip bad\">✕ regressed</span>");
}

TEST(Page, holds_a_thousand_rows_in_300_kilobytes_and_says_how_many_there_are) {
  std::vector<std::pair<double, std::vector<double>>> points;
  for (int i = 1; i <= 5000; ++i) points.push_back({static_cast<double>(i), {100.5 + i}});
  Compared c(points, points);
  std::get<core::RowsResult>(c.result.evidence).order.resize(1000);
  const std::string page = diff_html(c.result);
  EXPECT_LE(page.size(), 300'000U);
  EXPECT_THAT(page, HasSubstr("1,000 of 5,000 rows, worst first. Every row is in deltas.jsonl."));
}

}  // namespace
}  // namespace plumbline::reports
