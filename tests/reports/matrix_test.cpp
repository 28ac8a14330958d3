// Rows whose shape says row and col are drawn as the matrix that the tool printed.
#include <gtest/gtest.h>

#include "reports/page/heatmap.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {
namespace {

// A square of bandwidths between devices; the current side is `slow` with device 1.
core::Measurement square(const std::shared_ptr<core::StringPool>& pool, std::size_t devices, double slow,
                         const std::string& test = "read_ce") {
  core::Measurement made(pool);
  core::MetricClass klass;
  klass.unit = pool->intern("GB/s");
  klass.direction = core::Direction::higher;
  for (std::size_t y = 0; y < devices; ++y) {
    for (std::size_t x = 0; x < devices; ++x) {
      if (x == y) continue;
      const std::pair<core::Id, core::Id> dims[] = {{pool->intern("row"), pool->intern(std::to_string(y))},
                                                    {pool->intern("col"), pool->intern(std::to_string(x))}};
      core::Row row;
      row.key = pool->intern(test + "[row=" + std::to_string(y) + ",col=" + std::to_string(x) + "].bandwidth");
      row.metric = pool->intern("bandwidth");
      row.metric_class = made.intern_class(klass);
      row.dims = made.add_dims(dims);
      const double value = x == 1 || y == 1 ? 400 * slow : 400;
      made.add_row(row, {&value, 1});
    }
  }
  return made;
}

struct Compared {
  std::shared_ptr<core::StringPool> pool = std::make_shared<core::StringPool>();
  core::Measurement baseline, current;
  core::DiffResult result;
  Compared(std::size_t devices, double slow) : baseline(square(pool, devices, 1)), current(square(pool, devices, slow)) {
    std::get<core::RowsResult>(result.evidence).comparison =
        std::make_shared<core::Comparison>(core::compare(baseline, current, {}));
  }
};

TEST(Matrices, cells_stand_where_the_tool_printed_them) {
  const Compared c(3, 0.5);
  const auto found = matrices_of(c.result);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].title, "read_ce bandwidth, GB/s");
  EXPECT_EQ(found[0].rows, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(found[0].cols, (std::vector<std::string>{"1", "2", "0"}));
  EXPECT_EQ(found[0].deltas[0][0], 0);
  EXPECT_EQ(found[0].deltas[0][2], -1) << "a device with itself is not measured";
}

TEST(Matrices, a_cell_shows_its_state_its_change_and_in_words_what_it_was) {
  const Compared c(3, 0.5);
  const Rows rows(c.result);
  const std::string drawn = heatmaps(matrices_of(c.result).at(0), rows);
  EXPECT_NE(drawn.find("<title>read_ce[row=0,col=1].bandwidth: 400 GB/s -&gt; 200 GB/s, regressed</title>"), std::string::npos)
      << drawn;
  EXPECT_NE(drawn.find("class=\"d-bad3\""), std::string::npos) << "beyond three times its tolerance it is dark";
  EXPECT_NE(drawn.find(">-50</text>"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("class=\"same\""), std::string::npos) << "within its tolerance it is neither";
  EXPECT_NE(drawn.find(">400</text>"), std::string::npos) << "what the baseline was is drawn too";
  EXPECT_NE(drawn.find(">200</text>"), std::string::npos) << "and what it is now";
  EXPECT_NE(drawn.find("<th scope=row>0<td>1<td class=num>400 GB/s<td class=num>200 GB/s"), std::string::npos)
      << "and there is a table behind it";
  EXPECT_NE(diff_html(c.result).find("Change, percent"), std::string::npos);
}

TEST(Matrices, a_single_cell_is_no_matrix_and_a_wall_of_them_is_not_drawn) {
  EXPECT_EQ(matrices_of(Compared(65, 0.5).result).size(), 0U);
  EXPECT_EQ(matrices_of(Compared(64, 0.5).result).size(), 1U);
  EXPECT_EQ(matrices_of(core::DiffResult()).size(), 0U);
  EXPECT_LE(diff_html(Compared(64, 0.5).result).size(), 700'000U) << "of the largest its change alone is drawn";
}

}  // namespace
}  // namespace plumbline::reports
