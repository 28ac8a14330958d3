#include "base/amounts.hpp"

#include <gtest/gtest.h>

namespace plumbline::base {
namespace {

TEST(Amounts, AreNumbersWithAUnit) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("100"), 100U);
  EXPECT_EQ(parse_bytes("64MiB"), 64U << 20);
  EXPECT_EQ(parse_bytes("1024TiB"), 1ULL << 50);
  EXPECT_EQ(parse_seconds("45s"), 45U);
  EXPECT_EQ(parse_seconds("1d"), 86400U);
  for (const char* text : {"", "MiB", "-1", "+1", "1.5GiB", "1 GiB", "5MB", "1gib", "1025TiB", "99999999999999999999", "1MiBx"})
    EXPECT_FALSE(parse_bytes(text)) << text;
  for (const char* text : {"", "1", "d", "1w", "-1s"}) EXPECT_FALSE(parse_seconds(text)) << text;
}

}  // namespace
}  // namespace plumbline::base
