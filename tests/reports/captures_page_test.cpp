// The figures and the page of two captures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captures_fixture.hpp"
#include "core/text.hpp"
#include "reports/captures/parts.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CapturesPage, StaysSmallAndQuotesNames) {
  const std::string page = diff_html(fixture::worst_captures());
  EXPECT_LE(page.size(), 1500000U);
  EXPECT_THAT(page, Not(HasSubstr("<b>|")));
  EXPECT_TRUE(core::is_valid_utf8(page));
}

TEST(Icicle, GroupsWhatIsTooNarrowAndDrawsDeepTreesToABound) {
  core::ProfileDiff diff;
  EXPECT_EQ(icicle_section(diff), "") << "no ranges";
  std::string path;
  for (std::uint32_t depth = 0; depth < 40; ++depth) {
    path += (path.empty() ? "" : " / ") + std::string("level") + std::to_string(depth);
    diff.ranges.push_back({path, "level" + std::to_string(depth), depth, core::ProfileRangeSide{1, 1, 1, 1000000, 0},
                           core::ProfileRangeSide{1, 1, 1, 2000000, 0}, 1000000, 0});
  }
  for (int i = 0; i < 5000; ++i) {
    diff.ranges.push_back({"small" + std::to_string(i), "small" + std::to_string(i), 0, core::ProfileRangeSide{1, 1, 1, 100, 0},
                           std::nullopt, -100, 0});
  }
  const std::string section = icicle_section(diff);
  EXPECT_THAT(section, HasSubstr("<title>level0 / level1: 1 ms → 2 ms, +1 ms</title>"));
  EXPECT_THAT(section, HasSubstr("<title>5000 smaller ranges: 500 us → 0, -500 us</title>"));
  EXPECT_THAT(section, Not(HasSubstr("level20")));
  EXPECT_LE(section.size(), 10000U);
}

}  // namespace
}  // namespace plumbline::reports
