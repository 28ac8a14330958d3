#include "core/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

namespace plumbline::core {
namespace {

TEST(NumberText, is_that_of_rfc_8785) {
  struct Case {
    std::uint64_t bits;
    const char* text;
  };
  // RFC 8785, appendix B.
  const Case cases[] = {{0x0000000000000000, "0"},
                        {0x8000000000000000, "0"},
                        {0x0000000000000001, "5e-324"},
                        {0x8000000000000001, "-5e-324"},
                        {0x7fefffffffffffff, "1.7976931348623157e+308"},
                        {0xffefffffffffffff, "-1.7976931348623157e+308"},
                        {0x4340000000000000, "9007199254740992"},
                        {0xc340000000000000, "-9007199254740992"},
                        {0x4430000000000000, "295147905179352830000"},
                        {0x44b52d02c7e14af5, "9.999999999999997e+22"},
                        {0x44b52d02c7e14af6, "1e+23"},
                        {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
                        {0x444b1ae4d6e2ef4e, "999999999999999700000"},
                        {0x444b1ae4d6e2ef4f, "999999999999999900000"},
                        {0x444b1ae4d6e2ef50, "1e+21"},
                        {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
                        {0x3eb0c6f7a0b5ed8d, "0.000001"},
                        {0x41b3de4355555553, "333333333.3333332"},
                        {0x41b3de4355555554, "333333333.33333325"},
                        {0x41b3de4355555555, "333333333.3333333"},
                        {0x41b3de4355555556, "333333333.3333334"},
                        {0x41b3de4355555557, "333333333.33333343"},
                        {0xbecbf647612f3696, "-0.0000033333333333333333"},
                        {0x43143ff3c1cb0959, "1424953923781206.2"}};
  for (const Case& c : cases) EXPECT_EQ(number_text(std::bit_cast<double>(c.bits)), c.text);
}

TEST(NumberText, has_no_text_for_what_is_not_finite) {
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "null");
}

TEST(NumberText, reads_back_as_the_same_double) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const auto back = parse_double(number_text(value));
    ASSERT_TRUE(back);
    ASSERT_EQ(*back, value) << number_text(value);
  }
}

TEST(NumberText, whole_numbers) {
  std::string out;
  append_number(out, std::numeric_limits<std::int64_t>::min());
  out += ' ';
  append_number(out, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(out, "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(number_text(310), "310");
  EXPECT_EQ(number_text(-1e15), "-1000000000000000");
  EXPECT_EQ(number_text(100), "100");
}

TEST(ShortNumber, is_for_people) {
  struct Case {
    double value;
    int digits;
    const char* text;
  };
  const Case cases[] = {{310, 6, "310"},
                        {17.2222, 3, "17.2"},
                        {0.0123, 6, "0.0123"},
                        {1234567.8, 6, "1234570"},
                        {99.9996, 5, "100"},
                        {0.0001, 6, "0.0001"},
                        {0.00001, 6, "1e-5"},
                        {1.5e15, 6, "1.5e+15"},
                        {9.5e14, 6, "950000000000000"},
                        {-2.50, 6, "-2.5"},
                        {0, 6, "0"},
                        {-0.0, 6, "0"},
                        {1.0 / 3, 6, "0.333333"},
                        {2.0 / 3, 1, "0.7"},
                        {12345, 0, "10000"}};
  for (const Case& c : cases) EXPECT_EQ(short_number(c.value, c.digits), c.text) << c.value;
  EXPECT_EQ(short_number(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(short_number(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(SignedNumber, has_a_plus_and_none_for_zero) {
  EXPECT_EQ(signed_number(4.84, 2), "+4.8");
  EXPECT_EQ(signed_number(-15), "-15");
  EXPECT_EQ(signed_number(0), "0");
  EXPECT_EQ(signed_number(-0.0), "0");
}

TEST(Quoted, escapes_only_what_json_asks_for) {
  EXPECT_EQ(quoted("plain µs 😀 /"), "\"plain µs 😀 /\"");
  EXPECT_EQ(quoted("\"\\\b\t\n\f\r"), R"("\"\\\b\t\n\f\r")");
  EXPECT_EQ(quoted(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\\u007f\"");
  EXPECT_EQ(quoted(""), "\"\"");
}

TEST(Quoted, replaces_each_bad_sequence_by_one_replacement_character) {
  constexpr const char* r = "\xEF\xBF\xBD";
  const std::pair<std::string_view, std::string> cases[] = {
      {"a\xFFz", std::string("\"a") + r + "z\""},
      {"\xC0\xAF", std::string("\"") + r + r + "\""},          // overlong: each byte is bad by itself
      {"\xED\xA0\x80", std::string("\"") + r + r + r + "\""},  // surrogate
      {"\xF0\x9F\x98", std::string("\"") + r + "\""},          // cut off: one bad beginning
      {"\xF0\x9F\x98z", std::string("\"") + r + "z\""},
      {"\xF4\x90\x80\x80", std::string("\"") + r + r + r + r + "\""},
      {"\xE2\x82", std::string("\"") + r + "\""},
      {"\x80", std::string("\"") + r + "\""},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(quoted(text), expected);
    EXPECT_FALSE(is_valid_utf8(text));
    EXPECT_TRUE(is_valid_utf8(quoted(text)));
  }
  EXPECT_TRUE(is_valid_utf8("ascii, µ, €, 😀"));
  EXPECT_TRUE(is_valid_utf8(""));
}

TEST(Quoted, any_bytes_become_valid_utf8) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 12, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    ASSERT_TRUE(is_valid_utf8(core::quoted(bytes)));
  }
}

TEST(ParseDouble, takes_the_whole_text) {
  EXPECT_EQ(parse_double(" 12.5\n"), 12.5);
  EXPECT_EQ(parse_double("+3"), 3);
  EXPECT_EQ(parse_double("-1e3"), -1000);
  EXPECT_EQ(parse_double(".5"), .5);
  EXPECT_EQ(parse_double("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_double("-Infinity"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*parse_double("NaN")));
  for (const char* bad : {"", " ", "+", "+-1", "++1", "1x", "0x10", "1,5", "1 2", "e5"}) EXPECT_FALSE(parse_double(bad)) << bad;
}

TEST(ParseDouble, beyond_its_range_is_infinite_or_zero) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(parse_double("1e999"), infinity);
  EXPECT_EQ(parse_double("-1e999"), -infinity);
  EXPECT_EQ(parse_double("1e-999"), 0);
  EXPECT_TRUE(std::signbit(*parse_double("-1e-999")));
  EXPECT_EQ(parse_double("1e99999999999999999999"), infinity);
  EXPECT_EQ(parse_double("1e-99999999999999999999"), 0);
  EXPECT_EQ(parse_double("1" + std::string(400, '0')), infinity);
  EXPECT_EQ(parse_double("0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(parse_double("0." + std::string(400, '0') + "1e401"), 1);
}

TEST(ParseInt, takes_the_whole_text) {
  EXPECT_EQ(parse_int(" -12 "), -12);
  EXPECT_EQ(parse_int("+7"), 7);
  EXPECT_EQ(parse_int("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* bad : {"", "1.0", "9223372036854775808", "+-1", "x"}) EXPECT_FALSE(parse_int(bad)) << bad;
}

TEST(Text, small_helpers) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("  "), "");
  EXPECT_EQ(to_lower("BusBW_Ä"), "busbw_Ä");
  EXPECT_TRUE(starts_with_no_case("NVLink5", "nvlink"));
  EXPECT_FALSE(starts_with_no_case("nv", "nvlink"));
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), std::vector<std::string_view>{""});
}

TEST(Glob, matches_literally_but_for_star_and_question_mark) {
  struct Case {
    const char *pattern, *text;
    bool matches;
  };
  const Case cases[] = {{"a.b", "a.b", true},
                        {"a.b", "axb", false},
                        {"*", "", true},
                        {"*", "any.thing", true},
                        {"*.p99", "ttft.p99", true},
                        {"*.p99", "ttft.p999", false},
                        {"a*b*c", "a__b__b_c", true},
                        {"a*b*c", "a__c", false},
                        {"?", "", false},
                        {"?s", "µs", true},
                        {"??s", "µs", false},
                        {"[a]", "a", false},
                        {"[a]", "[a]", true},
                        {"A*", "abc", false},
                        {"", "", true},
                        {"", "a", false},
                        {"**a", "ba", true},
                        {"*a*", "bbb", false}};
  for (const Case& c : cases) EXPECT_EQ(glob_match(c.pattern, c.text), c.matches) << c.pattern << " on " << c.text;
}

TEST(Glob, hostile_patterns_end_soon) {
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += "a*";
  EXPECT_FALSE(glob_match(pattern + "b", std::string(5000, 'a')));
}

TEST(Glob, an_exact_text_is_most_specific_then_more_letters) {
  EXPECT_GT(glob_specificity("a"), glob_specificity("long.path.*"));
  EXPECT_GT(glob_specificity("busbw.*"), glob_specificity("bus*"));
  EXPECT_EQ(glob_specificity("*"), 0);
}

TEST(Nearest, forgives_a_third_of_the_word) {
  const std::string_view verbs[] = {"record", "diff", "profile-diff", "accept", "history"};
  EXPECT_EQ(nearest("recrod", verbs), "record");
  EXPECT_EQ(nearest("DIFF", verbs), "diff");
  EXPECT_EQ(nearest("dif", verbs), "diff");
  EXPECT_EQ(nearest("histroy", verbs), "history");
  EXPECT_EQ(nearest("banana", verbs), "");
  EXPECT_EQ(nearest("", verbs), "");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(EditDistance, counts_a_swap_of_neighbours_once) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("ab", "ba"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("ca", "abc"), 3);  // optimal string alignment: no part is edited twice
}

TEST(Words, counted_and_listed) {
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(3, "entry", "entries"), "3 entries");
  const std::vector<std::string> items = {"a", "b", "c", "d", "e", "f", "g"};
  const std::span<const std::string> all(items);
  EXPECT_EQ(listed(all.first(0)), "");
  EXPECT_EQ(listed(all.first(1)), "a");
  EXPECT_EQ(listed(all.first(2)), "a and b");
  EXPECT_EQ(listed(all.first(3)), "a, b and c");
  EXPECT_EQ(listed(all.first(5)), "a, b, c, d and e");
  EXPECT_EQ(listed(all), "a, b, c, d, e and 2 more");
  EXPECT_EQ(listed(all, 1), "a and 6 more");
}

}  // namespace
}  // namespace plumbline::core
