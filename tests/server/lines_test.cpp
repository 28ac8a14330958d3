#include <gtest/gtest.h>

#include "server/transport/transport.hpp"

namespace plumbline::server::transport {
namespace {

// What the sink saw: lines as they are, "<over N>" for a skipped one.
std::vector<std::string> split(std::string_view bytes, std::size_t chunk, std::size_t bound = 100) {
  std::vector<std::string> seen;
  LineSplitter splitter(bound, {[&](std::string_view line) { seen.emplace_back(line); },
                                [&](std::size_t limit) { seen.push_back("<over " + std::to_string(limit) + ">"); }});
  for (std::size_t at = 0; at < bytes.size(); at += chunk) splitter.feed(bytes.substr(at, chunk));
  splitter.finish();
  return seen;
}

using Lines = std::vector<std::string>;

TEST(LineSplitter, GivesTheSameLinesWhateverTheChunks) {
  const std::string bytes =
      "one\ntwo\r\n\n \t\r\nthree \n" + std::string(100, 'x') + "\n" + std::string(101, 'y') + "\nfour\nfive";
  const Lines expected{"one", "two\r", "three ", std::string(100, 'x'), "<over 100>", "four", "five"};
  for (std::size_t chunk = 1; chunk <= bytes.size(); ++chunk) EXPECT_EQ(split(bytes, chunk), expected) << "chunks of " << chunk;
}

TEST(LineSplitter, ReportsALongLineOnceAndSkipsToItsEnd) {
  EXPECT_EQ(split(std::string(1000, 'x') + "\nafter\n", 7, 10), (Lines{"<over 10>", "after"}));
  EXPECT_EQ(split(std::string(1000, 'x'), 7, 10), (Lines{"<over 10>"}));
}

TEST(LineSplitter, KeepsBytesThatAreNoText) {
  const std::string line = std::string("a\0\xff", 3) + "b";
  EXPECT_EQ(split(line + "\n", 1), (Lines{line}));
}

}  // namespace
}  // namespace plumbline::server::transport
