// The load that was offered: times under half of it are no faster ones, and a comparison has to say so.
#include <gtest/gtest.h>

#include <string>

#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

std::string snapshot(int requests, double seconds, const std::string& stamp) {
  const std::string count = std::to_string(requests);
  return "# TYPE wait_seconds histogram\nwait_seconds_bucket{le=\"1\"} " + count + " " + stamp +
         "\nwait_seconds_bucket{le=\"+Inf\"} " + count + " " + stamp + "\nwait_seconds_sum " +
         std::to_string(requests * seconds) + " " + stamp + "\nwait_seconds_count " + count + " " + stamp +
         "\n# TYPE batch_tokens histogram\nbatch_tokens_bucket{le=\"+Inf\"} " + count + " " + stamp + "\nbatch_tokens_count " +
         count + " " + stamp + "\nbatch_tokens_sum " + count + " " + stamp + "\n";
}

TEST(OfferedLoad, of_what_is_timed_is_seen_and_called_neither_better_nor_worse) {
  const std::string listing =
      listing_of(snapshot(100, 0.5, "1700000000000") + snapshot(1100, 0.5, "1700000010000"), "metrics.txt");
  EXPECT_NE(listing.find("wait_seconds.per_second = 100 [1/s] unknown\n"), std::string::npos) << listing;
  EXPECT_NE(listing.find("batch_tokens.per_second = 100 [1/s] context\n"), std::string::npos) << listing;
}

TEST(OfferedLoad, of_k6_is_how_many_users_asked_at_most) {
  const std::string run =
      R"json({"metrics": {"http_req_duration": {"avg": 100.5, "p(95)": 250.5}, "http_reqs": {"count": 1000, "rate": 100.5},
          "iterations": {"count": 1000, "rate": 100.5}, "iteration_duration": {"avg": 100.5, "p(95)": 120.5},
          "vus": {"value": 1, "min": 1, "max": 50}, "vus_max": {"value": 50, "min": 50, "max": 50}}, "root_group": {"name": ""}})json";
  const std::string listing = listing_of(run, "summary.json");
  EXPECT_NE(listing.find("context workload.vus = 50\n"), std::string::npos) << listing;
}

}  // namespace
}  // namespace plumbline::formats
