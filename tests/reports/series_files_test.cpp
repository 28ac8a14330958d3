// Values over time as other tools take them: what OpenMetrics demands of one metric.
#include "reports/series_files.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plumbline::reports {
namespace {

using std::chrono::microseconds;

std::chrono::system_clock::time_point at(microseconds since) {
  return std::chrono::system_clock::from_time_t(1795100639) + since;
}

SeriesPoint point(std::string slug, microseconds since, double value, std::string unit = "ms") {
  return {"f", "m", "k", std::move(slug), at(since), std::move(unit), core::Direction::lower, value, false};
}

// The samples of a family without what stands the same in each.
std::vector<std::string> samples(const std::string& text, const std::string& family) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (text.compare(begin, family.size() + 1, family + "{") == 0) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

TEST(OpenMetricsOf, AUnitThatAlternatesIsTwoMetricsAndEachStandsTogether) {
  const auto made =
      series_openmetrics({point("1", microseconds(0), 1, "ms"), point("2", microseconds(1'000'000), 2, "us"),
                          point("3", microseconds(2'000'000), 3, "ms"), point("4", microseconds(3'000'000), 4, "us")},
                         {});
  const std::string head = R"(plumbline_value{family="f",measurement="m",key="k",unit=")";
  const std::string tail = R"(",direction="lower-is-better"} )";
  EXPECT_EQ(samples(made.text, "plumbline_value"),
            (std::vector<std::string>{head + "ms" + tail + "1 1795100639.000", head + "ms" + tail + "3 1795100641.000",
                                      head + "us" + tail + "2 1795100640.000", head + "us" + tail + "4 1795100642.000"}));
  EXPECT_EQ(made.values, 4U);
  EXPECT_EQ(made.values_left_out, 0U);
}

TEST(OpenMetricsOf, OfOneMetricInOneMillisecondTheLastIsWrittenAndTheOthersAreCounted) {
  const auto made = series_openmetrics({point("3", microseconds(1000), 30), point("1", microseconds(1000), 10),
                                        point("2", microseconds(1000), 20), point("4", microseconds(2000), 40)},
                                       {{"f", "m", "a", at(microseconds(5100)), "RED", "DRAFT"},
                                        {"f", "m", "b", at(microseconds(5900)), "GREEN", "DRAFT"},
                                        {"f", "n", "c", at(microseconds(5100)), "YELLOW", "DRAFT"}});
  const auto values = samples(made.text, "plumbline_value");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_TRUE(values[0].ends_with("} 30 1795100639.001")) << values[0];
  EXPECT_TRUE(values[1].ends_with("} 40 1795100639.002")) << values[1];
  EXPECT_EQ(made.values, 2U);
  EXPECT_EQ(made.values_left_out, 2U);
  EXPECT_EQ(samples(made.text, "plumbline_verdict"),
            (std::vector<std::string>{R"(plumbline_verdict{family="f",measurement="m"} 0 1795100639.005)",
                                      R"(plumbline_verdict{family="f",measurement="n"} 1 1795100639.005)"}));
  EXPECT_EQ(made.verdicts_left_out, 1U);
}

TEST(Csv, KeepsEveryValueInTheOrderOfTime) {
  EXPECT_EQ(series_csv({point("2", microseconds(1000), 20, "us"), point("1", microseconds(1000), 10)}),
            "family,measurement,key,time,entry,value,unit,direction,accepted\n"
            "f,m,k,2026-11-19T15:03:59.001Z,1,10,ms,lower-is-better,false\n"
            "f,m,k,2026-11-19T15:03:59.001Z,2,20,us,lower-is-better,false\n");
}

}  // namespace
}  // namespace plumbline::reports
