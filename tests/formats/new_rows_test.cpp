// Files in which nearly every value is a row of its own are read a handful of rows at a time: what they give does not depend on
// where a handful ends, and a key that comes again far away is still found.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "formats/tool_rows.hpp"
#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

std::string table(int lines) {
  std::string text = "size,dtype,latency (ms),throughput\n";
  for (int i = 0; i < lines; ++i) {
    const std::string number = std::to_string(i);
    text += number + (i % 2 == 0 ? ",float," : ",half,") + number + ".5," + (i == 20 ? "FAILED" : number) + "\n";
  }
  return text;
}

TEST(ManyPoints, of_a_table_are_rows_in_its_order_wherever_a_handful_ends) {
  for (const int lines : {1, 2, 15, 16, 17, 40, 2100}) {
    SCOPED_TRACE(lines);
    std::string expected = "csv\n";
    for (int i = 0; i < lines; ++i) {
      const std::string number = std::to_string(i);
      const std::string point = "[size=" + number + ",dtype=" + (i % 2 == 0 ? "float" : "half") + "].";
      expected += point + "latency = " + number + ".5 [ms] lower-is-better\n";
      expected += point + (i == 20 ? "throughput = higher-is-better failed 'FAILED'\n"
                                   : "throughput = " + number + " higher-is-better\n");
    }
    EXPECT_EQ(listing_of(table(lines), "t.csv"), expected);
  }
  EXPECT_EQ(dims_of(table(40), "[size=31,dtype=half].throughput"), "size=31 dtype=half");
}

TEST(ManyPoints, a_line_that_repeats_one_far_above_makes_both_invalid) {
  const std::string listing = listing_of(table(100) + "3,half,9.5,9\n", "t.csv");
  EXPECT_NE(listing.find("\n[size=3,dtype=half].latency = 3.5 [ms] lower-is-better duplicate\n"), std::string::npos);
  EXPECT_NE(listing.find("\n[size=4,dtype=float].latency = 4.5 [ms] lower-is-better\n"), std::string::npos);
  EXPECT_NE(listing.find("! unequal_repeats\n"), std::string::npos);
}

TEST(ManyPoints, a_second_file_in_the_same_pool_finds_the_first_ones_keys) {
  ReadOptions options;
  options.pool = std::make_shared<core::StringPool>();
  const std::string text = table(100);
  Input input;
  input.name = "t.csv";
  input.bytes = text;
  const auto first = read(input, options);
  const std::size_t known = options.pool->size();
  const auto second = read(input, options);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(options.pool->size(), known);
  ASSERT_EQ(first->rows().size(), second->rows().size());
  for (std::size_t i = 0; i < first->rows().size(); ++i) {
    ASSERT_EQ(first->rows()[i].key, second->rows()[i].key);
    ASSERT_EQ(first->rows()[i].metric, second->rows()[i].metric);
  }
}

TEST(ManyRecords, have_the_keys_that_few_have_and_a_repeated_one_is_found) {
  std::string text = "{\"results\": [", expected = "generic-json\n";
  for (int i = 0; i < 200; ++i) {
    const std::string number = std::to_string(i);
    text += std::string(i > 0 ? "," : "") + R"({"concurrency": )" + number + R"(, "latency_ms": [1, )" + number +
            R"(], "detail": {"p99": 7}})";
    expected += "results[concurrency=" + number + "].latency_ms = 1 " + number + " [ms] lower-is-better\n";
    expected += "results[concurrency=" + number + "].detail.p99 = 7 unknown\n";
  }
  const std::string listing = listing_of(text + "]}", "r.json");
  EXPECT_EQ(listing, expected);
  const std::string twice = listing_of(text + R"(,{"concurrency": 5, "latency_ms": 3}]})", "r.json");
  EXPECT_NE(twice.find("results[concurrency=5].latency_ms = 1 5 [ms] lower-is-better duplicate\n"), std::string::npos);
  EXPECT_NE(twice.find("! duplicate_key\n"), std::string::npos);
}

struct Log {
  Input input;
  ReadOptions options;
  ToolRows rows{input, options, "tool"};
};

TEST(ToolRows, a_point_of_many_metrics_knows_each_of_them_again) {
  Log log;
  std::deque<std::string> names;
  std::deque<ToolMetric> metrics;
  for (int i = 0; i < 100; ++i) {
    names.push_back("metric" + std::to_string(i));
    metrics.push_back({names.back(), "us", core::Direction::lower});
  }
  log.rows.point("t");
  for (const ToolMetric& metric : metrics) log.rows.add(metric, 1.0);
  for (auto metric = metrics.rbegin(); metric != metrics.rend(); ++metric) log.rows.add(*metric, 2.0);
  const auto m = log.rows.finish();
  ASSERT_TRUE(m);
  ASSERT_EQ(m->rows().size(), 100U);
  for (std::size_t i = 0; i < m->rows().size(); ++i) {
    ASSERT_EQ(m->key(m->rows()[i]), "t.metric" + std::to_string(i));
    ASSERT_EQ(m->values(m->rows()[i]).size(), 2U);
  }
}

TEST(ToolRows, points_of_other_words_with_the_same_key_share_its_trials) {
  constexpr ToolMetric kLong{"b.time", "us", core::Direction::lower}, kShort{"time", "us", core::Direction::lower};
  Log log;
  log.rows.point("a");
  log.rows.add(kLong, 1.0);
  log.rows.point("a.b");
  log.rows.add(kShort, 2.0);
  log.rows.add(kShort, 3.0);
  const auto m = log.rows.finish();
  ASSERT_TRUE(m);
  ASSERT_EQ(m->rows().size(), 1U);
  EXPECT_EQ(m->key(m->rows()[0]), "a.b.time");
  EXPECT_EQ(m->values(m->rows()[0]).size(), 3U);
}

}  // namespace
}  // namespace plumbline::formats
