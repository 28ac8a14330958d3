// Gatling's statistics and what it prints at the end. The fixtures are our own, in the shape of the real thing.
#include <gtest/gtest.h>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(Gatling, every_request_is_a_point_and_failures_are_of_its_requests) {
  EXPECT_EQ(rows("gatling_stats.json"),
            "gatling\n"
            "requests = 1200 context\n"
            "failed = 12 gate lower-is-better\n"
            "response_time.min = 4 [ms] context\n"
            "response_time.max = 1500 [ms] context\n"
            "response_time.mean = 118 [ms] lower-is-better\n"
            "response_time.stddev = 55 [ms] noise\n"
            "response_time.percentile1 = 99 [ms] lower-is-better\n"
            "response_time.percentile2 = 149 [ms] lower-is-better\n"
            "response_time.percentile3 = 290 [ms] lower-is-better\n"
            "response_time.percentile4 = 750 [ms] lower-is-better\n"
            "requests_per_second = 19.8 [req/s] higher-is-better\n"
            "responses[t < 800 ms] = 1180 context\n"
            "responses[800 ms <= t < 1200 ms] = 6 context\n"
            "responses[t >= 1200 ms] = 2 context\n"
            "shop.requests = 600 context\n"
            "shop.failed = 0 gate lower-is-better\n"
            "shop.response_time.mean = 200 [ms] lower-is-better\n"
            "shop.response_time.percentile3 = 310 [ms] lower-is-better\n"
            "shop.requests_per_second = 10 [req/s] higher-is-better\n"
            "shop / buy.requests = 12 context\n"
            "shop / buy.failed = 12 gate lower-is-better\n"
            "shop / buy.response_time.mean = [ms] lower-is-better failed 'every request failed'\n"
            "shop / buy.response_time.percentile3 = [ms] lower-is-better failed 'every request failed'\n"
            "shop / buy.requests_per_second = [req/s] higher-is-better failed 'every request failed'\n"
            "headline response_time.percentile3\n"
            "headline requests_per_second\n");
}

TEST(Gatling, the_statistics_of_all_requests_alone_have_the_same_keys) {
  EXPECT_EQ(listing_of(R"({"name": "All Requests", "numberOfRequests": {"total": 100, "ok": 99, "ko": 1},
 "meanResponseTime": {"total": 20, "ok": 19, "ko": 100}, "percentiles4": {"total": 50, "ok": 45, "ko": 100},
 "meanNumberOfRequestsPerSecond": {"total": 10, "ok": 9.9, "ko": 0.1}})"),

            "gatling\n"
            "requests = 100 context\n"
            "failed = 1 gate lower-is-better\n"
            "response_time.mean = 19 [ms] lower-is-better\n"
            "response_time.percentile4 = 45 [ms] lower-is-better\n"
            "requests_per_second = 9.9 [req/s] higher-is-better\n"
            "headline response_time.percentile3\n"
            "headline requests_per_second\n");
}

TEST(Gatling, requests_and_groups_are_dimensions) {
  EXPECT_EQ(dims_of(fixture("gatling_stats.json"), "shop.requests"), "group=shop");
  EXPECT_EQ(dims_of(fixture("gatling_stats.json"), "shop / buy.requests"), "request=shop / buy");
}

TEST(Gatling, the_printed_summary_in_both_its_layouts) {
  EXPECT_EQ(rows("gatling.txt"),
            "gatling-text\n"
            "requests = 1200 context\n"
            "failed = 12 gate lower-is-better\n"
            "response_time.min = 4 [ms] context\n"
            "response_time.max = 1500 [ms] context\n"
            "response_time.mean = 118 [ms] lower-is-better\n"
            "response_time.stddev = 55 [ms] noise\n"
            "response_time.p50 = 99 [ms] lower-is-better\n"
            "response_time.p95 = 290 [ms] lower-is-better\n"
            "response_time.p99 = 750 [ms] lower-is-better\n"
            "requests_per_second = 19.8 [req/s] higher-is-better\n"
            "headline response_time.p95\n"
            "headline requests_per_second\n");
  EXPECT_EQ(rows("gatling_columns.txt"),
            "gatling-text\n"
            "requests = 1200 context\n"
            "failed = 0 gate lower-is-better\n"
            "response_time.min = 14 [ms] context\n"
            "response_time.max = 2520 [ms] context\n"
            "response_time.mean = 65 [ms] lower-is-better\n"
            "response_time.stddev = 48 [ms] noise\n"
            "response_time.p95 = 158 [ms] lower-is-better\n"
            "requests_per_second = 20.5 [req/s] higher-is-better\n"
            "headline response_time.p95\n"
            "headline requests_per_second\n");
}

TEST(Gatling, tests_in_one_log_are_sections) {
  EXPECT_EQ(listing_of(first_lines(fixture("gatling_columns.txt"), 5) + first_lines(fixture("gatling_columns.txt"), 5)),
            "gatling-text\n"
            "requests = 1200 context\n"
            "failed = 0 gate lower-is-better\n"
            "response_time.min = 14 [ms] context\n"
            "response_time.max = 2520 [ms] context\n"
            "response_time.mean = 65 [ms] lower-is-better\n"
            "[section=2].requests = 1200 context\n"
            "[section=2].failed = 0 gate lower-is-better\n"
            "[section=2].response_time.min = 14 [ms] context\n"
            "[section=2].response_time.max = 2520 [ms] context\n"
            "[section=2].response_time.mean = 65 [ms] lower-is-better\n"
            "headline response_time.p95\n"
            "headline requests_per_second\n"
            "headline [section=2].response_time.p95\n"
            "headline [section=2].requests_per_second\n"
            "! repeated_sections\n");
}

TEST(Gatling, times_of_a_test_without_a_success_are_failed) {
  EXPECT_EQ(listing_of("---- Global Information ---\n> request count      3 (OK=0      KO=3     )\n"
                       "> mean response time      5 (OK=0      KO=5     )\n"),

            "gatling-text\n"
            "requests = 3 context\n"
            "failed = 3 gate lower-is-better\n"
            "response_time.mean = [ms] lower-is-better failed 'every request failed'\n"
            "headline response_time.p95\n"
            "headline requests_per_second\n");
}

TEST(Gatling, is_read_cut_anywhere) {
  cut_anywhere("gatling_stats.json", "gatling");
  cut_anywhere("gatling.txt", "gatling-text");
}

}  // namespace
}  // namespace plumbline::formats
