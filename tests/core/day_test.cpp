#include "core/rules/day.hpp"

#include <gtest/gtest.h>

namespace plumbline::core {
namespace {

std::string hint_of(std::string_view text) {
  const auto day = parse_day("until", text);
  return day ? "right" : day.error().hint;
}

TEST(Day, IsRightAsIsoWritesIt) {
  for (const char* text : {"2026-12-31", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"}) {
    const auto day = parse_day("until", text);
    ASSERT_TRUE(day) << text;
    EXPECT_EQ(*day, text);
  }
}

TEST(Day, HasANearestRightForm) {
  EXPECT_EQ(hint_of("2026-1-2"), "write 2026-01-02");
  EXPECT_EQ(hint_of("2026/01/02"), "write 2026-01-02");
  EXPECT_EQ(hint_of("2026.01.02"), "write 2026-01-02");
  EXPECT_EQ(hint_of("20260102"), "write 2026-01-02");
  EXPECT_EQ(hint_of("2.1.2026"), "write 2026-01-02");
  EXPECT_EQ(hint_of("2026-01-02T00:00:00Z"), "write 2026-01-02");
  EXPECT_EQ(hint_of("2026-01-02 12:00"), "write 2026-01-02");
  EXPECT_EQ(hint_of("2025-02-29"), "February 2025 ends on 2025-02-28");
  EXPECT_EQ(hint_of("1900-02-29"), "February 1900 ends on 1900-02-28");
  EXPECT_EQ(hint_of("2026-04-31"), "April 2026 ends on 2026-04-30");
}

TEST(Day, IsNotGuessedWhereTwoAreMeant) {
  constexpr std::string_view kAny = "write year, month and day, for instance 2026-12-31";
  for (const char* text : {"", "soon", "1/2/2026", "01-02-2026", "2026-13-01", "2026-00-10", "2026-01-00", "26-01-02", "2026-01",
                           "2026-01-02-03", "-2026-01-02", "2026--1-02", "2026-01-0x", "99999999999-01-01", "2026-01-02-"}) {
    EXPECT_EQ(hint_of(text), kAny) << text;
  }
  EXPECT_EQ(parse_day("until", "soon").error().message, "until \"soon\" is no day of the calendar");
}

TEST(Day, Between) {
  EXPECT_EQ(days_between("2026-11-17", "2026-11-23"), 6);
  EXPECT_EQ(days_between("2024-02-28", "2024-03-01"), 2);
  EXPECT_EQ(days_between("2026-01-01", "2025-12-31"), -1);
}

}  // namespace
}  // namespace plumbline::core
