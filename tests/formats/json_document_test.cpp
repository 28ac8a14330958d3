// The lenient JSON reader: what it accepts and says of it, what it refuses and where.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "formats/json/document.hpp"

namespace plumbline::formats::json {
namespace {

Document parsed(std::string_view text) {
  auto document = parse(text, "results.json");
  EXPECT_TRUE(document) << (document ? "" : document.error().where + ": " + document.error().message);
  return std::move(*document);
}

TEST(JsonDocument, values_are_found_by_key_path_and_iteration) {
  const std::string text = R"({"a": {"b": [1, -2, 3.5], "s": "x\ny"}, "n": null, "t": true, "q": "12.5"})";
  const Document document = parsed(text);
  const Value root = document.root();
  EXPECT_EQ(root.size(), 4U);
  EXPECT_EQ(root.at_path("a.b").size(), 3U);
  double sum = 0;
  for (const Value element : root.find("a").find("b").elements()) sum += element.number();
  EXPECT_EQ(sum, 2.5);
  std::string keys;
  for (const Value::Member member : root.members()) keys += std::string(member.key) + " ";
  EXPECT_EQ(keys, "a n t q ");
  EXPECT_EQ(root.at_path("a.s").string(), "x\ny");
  EXPECT_TRUE(root.find("n").is_null());
  EXPECT_TRUE(root.find("t").boolean());
  EXPECT_EQ(root.find_number("q"), 12.5);
  EXPECT_FALSE(root.find("nothing"));
  EXPECT_FALSE(root.find("nothing").find("deeper"));
  EXPECT_EQ(root.find("a").find("b").place().column, 13U);
}

TEST(JsonDocument, numbers_keep_their_kind_and_their_text) {
  const std::string text =
      "[0, -0, 9223372036854775807, -9223372036854775808, 18446744073709551615, 18446744073709551616, 1e999, -1e999, 1e-999, "
      "0.1, 123456789012345678901234567890e-10, 5e-324, 1.7976931348623157e308, 9007199254740993]";
  const Document document = parsed(text);
  std::vector<Value> values;
  for (const Value value : document.root().elements()) values.push_back(value);
  EXPECT_EQ(values[0].kind(), Kind::integer);
  EXPECT_TRUE(std::signbit(values[1].number()));
  EXPECT_EQ(values[2].node().i, INT64_MAX);
  EXPECT_EQ(values[3].node().i, INT64_MIN);
  EXPECT_EQ(values[4].node().u, UINT64_MAX);
  EXPECT_EQ(values[5].node().flags, kBeyondInteger);
  EXPECT_EQ(values[5].text(), "18446744073709551616");
  EXPECT_EQ(values[6].node().flags, kNotFinite);
  EXPECT_EQ(values[7].number(), -INFINITY);
  EXPECT_EQ(values[8].number(), 0);
  EXPECT_EQ(values[9].number(), 0.1);
  EXPECT_EQ(values[10].number(), 123456789012345678901234567890e-10);
  EXPECT_EQ(values[11].number(), 5e-324);
  EXPECT_EQ(values[12].number(), 1.7976931348623157e308);
  EXPECT_EQ(values[13].node().i, 9007199254740993);
}

TEST(JsonDocument, each_leniency_is_noted) {
  const std::string text =
      "\xEF\xBB\xBF{\"a\": NaN, \"b\": [Infinity, -Infinity, nan, -inf,],\n\"c\": \"tab\there\", \"d\": \"\xFF\", \"e\": "
      "\"\\ud800x\",}";
  const Document document = parsed(text);
  const Notes& notes = document.notes();
  EXPECT_TRUE(notes.byte_order_mark);
  EXPECT_EQ(notes.non_finite_literals.count, 5U);
  EXPECT_EQ(notes.trailing_commas.count, 2U);
  EXPECT_EQ(notes.control_characters.count, 1U);
  EXPECT_EQ(notes.invalid_utf8.count, 1U);
  EXPECT_EQ(notes.lone_surrogates.count, 1U);
  EXPECT_FALSE(notes.lines);
  EXPECT_EQ(place_of(text, notes.control_characters.first).line, 2U);
  EXPECT_EQ(document.root().find_string("e"), "\xED\xA0\x80x");
}

TEST(JsonDocument, several_objects_are_lines) {
  const Document document = parsed("{\"a\":1}\n\n{\"a\":2}\n[3]\n");
  EXPECT_TRUE(document.notes().lines);
  EXPECT_EQ(document.root().size(), 3U);
}

TEST(JsonDocument, escapes_are_decoded) {
  const std::string text = R"(["\"\\\/\b\f\n\r\t", "\u00e9\u20ac\ud83d\ude00", "before \u0041 after", ""])";
  const Document document = parsed(text);
  std::vector<std::string> texts;
  for (const Value value : document.root().elements()) texts.emplace_back(value.string());
  EXPECT_EQ(texts, (std::vector<std::string>{"\"\\/\b\f\n\r\t", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "before A after", ""}));
}

TEST(JsonDocument, errors_name_the_place_and_what_would_be_right) {
  struct Case {
    const char* text;
    const char* where;
    const char* message;
    const char* hint;
  };
  const char* const kTruncated = "the file is truncated: its writer stopped before the end, or the copy is incomplete";
  const Case cases[] = {
      {"", "results.json", "the file is empty", ""},
      {"{\n\"a\": 1,\n\"b\": 2 \"c\": 3}", "results.json:3:8", "expected ',' or '}' after a value",
       "a comma is missing before it"},
      {"[1 2]", "results.json:1:4", "expected ',' or ']' after a value", "a comma is missing before it"},
      {"{\"a\" 1}", "results.json:1:6", "expected ':' after a key", "a key and its value have a colon between them"},
      {"{a: 1}", "results.json:1:2", "expected a key in double quotes", "JSON strings and keys need double quotes"},
      {"{'a': 1}", "results.json:1:2", "expected a key in double quotes", "JSON strings and keys need double quotes"},
      {"// c\n{}", "results.json:1:1", "expected a value", "JSON has no comments: remove it"},
      {"[True]", "results.json:1:2", "expected a value", "JSON writes true and false in lower case"},
      {"[None]", "results.json:1:2", "expected a value", "JSON writes null for nothing (this is Python's None)"},
      {"[+1]", "results.json:1:2", "expected a value", "JSON numbers have no leading '+'"},
      {"[.5]", "results.json:1:2", "expected a value", "JSON numbers have a digit before the point"},
      {"[1.]", "results.json:1:4", "expected a digit after the decimal point",
       "a number that is not finished: write all of its digits"},
      {"[1e]", "results.json:1:4", "expected a digit in the exponent", "a number that is not finished: write all of its digits"},
      {"[007]", "results.json:1:2", "a number with a leading zero", "write it without the zero, or in quotes if it is a name"},
      {"[-]", "results.json:1:3", "expected a digit", "a number that is not finished: write all of its digits"},
      {"[,]", "results.json:1:2", "expected a value", "a value is missing before it"},
      {"[1,,2]", "results.json:1:4", "expected a value", "a value is missing before it"},
      {"{\"a\": [1, 2}", "results.json:1:12", "expected ',' or ']' after a value",
       "this bracket closes what another one opened: one is missing or too many"},
      {"{\"a\": 1, \"b\": [2, 3", "results.json:1:20",
       "the file ends here, in the middle of the array opened at line 1, column 15", kTruncated},
      {"{\"a\": \"open", "results.json:1:7", "the file ends inside a string", kTruncated},
      {"{\"a\\\": 1}", "results.json:1:2", "the file ends inside a string", kTruncated},
      {"[\"\\x\"]", "results.json:1:3", "an unknown escape in a string",
       "JSON knows \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX"},
      {"[\"\\u12g4\"]", "results.json:1:3", "\\u needs four hexadecimal digits", ""},
      {"{} x", "results.json:1:4", "text after the end of the JSON value",
       "one file holds one value, or one object a line (JSON lines)"},
      {"1 2", "results.json:1:3", "text after the end of the JSON value",
       "one file holds one value, or one object a line (JSON lines)"},
  };
  for (const Case& one : cases) {
    const auto document = parse(one.text, "results.json");
    ASSERT_FALSE(document) << one.text;
    EXPECT_EQ(document.error().where, one.where) << one.text;
    EXPECT_EQ(document.error().message, one.message) << one.text;
    EXPECT_EQ(document.error().hint, one.hint) << one.text;
    EXPECT_EQ(document.error().code, core::ErrorCode::invalid_input);
  }
}

TEST(JsonDocument, depth_is_bounded_by_the_option_and_not_by_the_stack) {
  const std::string deep(200'000, '[');
  const auto document = parse(deep, "deep.json");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, core::ErrorCode::limit_exceeded);
  EXPECT_EQ(document.error().message, "nested deeper than 512 levels");
  ParseOptions options;
  options.max_depth = 200'000;
  EXPECT_TRUE(parse(deep + std::string(200'000, ']'), "deep.json", options));
}

// Of small texts by the careful parser, of large ones by the index: as many levels as the bound says, and no more.
TEST(JsonDocument, the_bound_of_depth_is_the_last_level_that_is_read) {
  ParseOptions options;
  options.max_depth = 10;
  for (const std::size_t filler : {std::size_t{0}, std::size_t{100'000}}) {
    const auto nested = [&](std::size_t levels) {
      return std::string(levels, '[') + "1" + std::string(filler, ' ') + std::string(levels, ']');
    };
    EXPECT_TRUE(parse(nested(10), "a.json", options)) << filler;
    const auto deeper = parse(nested(11), "a.json", options);
    ASSERT_FALSE(deeper) << filler;
    EXPECT_EQ(deeper.error().message, "nested deeper than 10 levels");
    EXPECT_EQ(deeper.error().code, core::ErrorCode::limit_exceeded);
  }
}

TEST(JsonDocument, the_caller_can_stop_it) {
  std::string text = "[";
  for (int i = 0; i < 600'000; ++i) text += "1,2,";
  ParseOptions options;
  int asked = 0;
  options.stop = [&] { return ++asked == 2; };
  const auto document = parse(text + "3]", "long.json", options);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, core::ErrorCode::cancelled);
}

}  // namespace
}  // namespace plumbline::formats::json
