// What a plain JSON file says of its set-up, in this program's own words: the descriptor's groups at the root.
#include <gtest/gtest.h>

#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

TEST(ContextGroups, stand_beside_the_numbers_dotted_or_nested) {
  const std::string dotted = listing_of(R"({"hardware.gpu": "H200", "latency_ms": 5})", "run.json");
  const std::string nested = listing_of(R"({"hardware": {"gpu": "H200"}, "latency_ms": 5})", "run.json");
  EXPECT_NE(dotted.find("context hardware.gpu = H200\n"), std::string::npos) << dotted;
  EXPECT_NE(nested.find("context hardware.gpu = H200\n"), std::string::npos) << nested;
}

TEST(ContextGroups, are_found_among_many_numbers_with_dots) {
  std::string text = "{";
  for (int i = 0; i < 40; ++i) {
    text += "\"node" + std::to_string(i) + ".pair.busbw\": 1.5, ";
    if (i == 20) text += "\"parallelism.tp\": 8, ";
  }
  const std::string listing = listing_of(text + "\"last.busbw\": 2}", "run.json");
  EXPECT_NE(listing.find("context parallelism.tp = 8\n"), std::string::npos) << listing;
}

TEST(ContextGroups, are_those_of_the_descriptor_and_only_at_the_root) {
  EXPECT_EQ(listing_of(R"({"metrics.gpu": "H200", "latency_ms": 5})", "run.json").find("context metrics"), std::string::npos);
  EXPECT_EQ(listing_of(R"({"case": {"hardware": {"gpu": "H200"}}, "latency_ms": 5})", "run.json").find("context hardware.gpu ="),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline::formats
