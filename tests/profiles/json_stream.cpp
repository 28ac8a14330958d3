// The reading of JSON that may be gigabytes, cut anywhere, and not quite JSON.
#include "profiles/readers/bytes/json_stream.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "profiles/readers/bytes/json_values.hpp"

namespace plumbline::profiles::test {
namespace {

std::string padded(std::string text) { return text + std::string(JsonText::kPadding, '\0'); }

TEST(JsonText, MarksAreThoseOfPlainCode) {
  std::mt19937 random(7);
  constexpr std::string_view kAlphabet = "\"\\{}[]:, a\n\x80\xFF\x1B\x1A\x0C\xFB\xDD";
  using Way = JsonBlock (*)(const char*);
  std::vector<Way> ways = {&json_block};
  if (json_has_wide()) ways.push_back(&json_block_wide);
  for (int round = 0; round < 2000; ++round) {
    char bytes[64];
    for (char& c : bytes) c = kAlphabet[random() % kAlphabet.size()];
    const JsonBlock plain = json_block_portable(bytes);
    for (const Way way : ways) {
      const JsonBlock fast = way(bytes);
      ASSERT_EQ(fast.quotes, plain.quotes);
      ASSERT_EQ(fast.backslashes, plain.backslashes);
      ASSERT_EQ(fast.structure, plain.structure);
      ASSERT_EQ(fast.braces, plain.braces);
    }
  }
}

// Byte by byte, as the grammar says.
std::string marks_by_hand(std::string_view text, JsonState& state) {
  std::string marks;
  for (const char c : text) {
    const bool escaped = state.escaped;
    state.escaped = !escaped && c == '\\';
    bool mark = false;
    if (c == '"' && !escaped) {
      state.in_string = !state.in_string;
      mark = true;
    } else if (!state.in_string) {
      mark = std::string_view("{}[]:,").find(c) != std::string_view::npos;
    }
    marks += mark ? 'x' : '.';
  }
  return marks;
}

TEST(JsonText, StringsAndEscapesAreSeenAcrossBlocksAndPieces) {
  std::mt19937 random(11);
  constexpr std::string_view kAlphabet = "\"\\\\{}:, ab";
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (std::size_t i = random() % 300; i > 0; --i) text += kAlphabet[random() % kAlphabet.size()];
    const std::size_t cut = text.empty() ? 0 : random() % text.size();
    JsonState expected;
    const std::string by_hand = marks_by_hand(text, expected);
    JsonText json;
    JsonState state;
    std::string marks;
    for (const std::string& part : {text.substr(0, cut), text.substr(cut)}) {
      const std::string bytes = padded(part);
      json.mark({bytes.data(), part.size()}, state);
      for (std::size_t i = 0; i < part.size(); ++i) marks += json.marked(i) ? 'x' : '.';
      state = json.end_state();
    }
    ASSERT_EQ(marks, by_hand) << text << " cut at " << cut;
    ASSERT_EQ(state.in_string, expected.in_string) << text;
    ASSERT_EQ(state.escaped, expected.escaped) << text << " cut at " << cut;
  }
}

TEST(JsonText, MembersAreWalkedWithoutLookingInside) {
  const std::string text = R"( {"a" : 1.5 ,"b":"x\"}","c":{"d":[1,{"e":"}"}]}, "f":[[],{}],"g":null, "a":NaN,} )";
  const std::string bytes = padded(text);
  JsonText json;
  json.mark({bytes.data(), text.size()});
  std::string seen;
  std::size_t end = 0;
  EXPECT_EQ(json_members(
                json, 1,
                [&](std::string_view key, const JsonValue& value) {
                  seen += std::string(key) + "=" + std::string(value.text) + ";";
                  return true;
                },
                &end),
            JsonWalk::done);
  EXPECT_EQ(seen, R"(a=1.5;b=x\"};c={"d":[1,{"e":"}"}]};f=[[],{}];g=null;a=NaN;)");
  EXPECT_EQ(end, text.size() - 1);
}

TEST(JsonText, WhatIsNoObjectInsideIsSaidToBeNone) {
  const auto walk = [](const std::string& text) {
    const std::string bytes = padded(text);
    JsonText json;
    json.mark({bytes.data(), text.size()});
    return json_members(json, 0, [](std::string_view, const JsonValue&) { return true; });
  };
  EXPECT_EQ(walk(R"({})"), JsonWalk::done);
  EXPECT_EQ(walk(R"({"name": "a "b" c", "ts": 1})"), JsonWalk::malformed);
  EXPECT_EQ(walk(R"({"name" "x"})"), JsonWalk::malformed);
  EXPECT_EQ(walk(R"({1:2})"), JsonWalk::malformed);
  EXPECT_EQ(walk(R"({"a":])"), JsonWalk::malformed);
  for (const char* cut :
       {R"({)", R"({"a)", R"({"a")", R"({"a":)", R"({"a":1)", R"({"a":1,)", R"({"a":{})", R"({"a":[{)", R"({"a":")"})
    EXPECT_EQ(walk(cut), JsonWalk::cut) << cut;
}

// Collects what it is given: records of "records", and single values by their paths.
class Collector final : public JsonReader {
 public:
  Take take(std::span<const std::string> path, JsonKind kind) override {
    if (path.empty()) return kind == JsonKind::array ? Take{How::each, 1} : Take{How::enter, 0};
    if (path.back() == "records") return {How::each, 1};
    if (path.back() == "inner") return {How::enter, 0};
    if (path.back() == "kept" || path.size() > 1) return {How::whole, 2};
    return {};
  }
  Answer value(int tag, std::string_view key, const JsonText& text, const JsonValue& value) override {
    if (value.kind == JsonKind::object) {
      const JsonWalk walk = json_members(text, value.at, [](std::string_view, const JsonValue&) { return true; });
      if (walk != JsonWalk::done) return Answer::malformed;
    }
    seen += std::to_string(tag) + std::string(key) + "<" + std::string(value.text) + ">";
    return Answer::go_on;
  }
  std::string seen;
};

struct Streamed {
  std::string seen;
  core::Expected<JsonEnd> end;
};
Streamed stream(std::string_view text, std::size_t piece = SIZE_MAX, std::size_t window = 256, std::size_t value = 4096) {
  const auto source = memory_bytes(text, piece);
  Collector collector;
  JsonBounds bounds;
  bounds.window = window;
  bounds.value = value;
  auto end = stream_json(*source, collector, bounds);
  return {collector.seen, std::move(end)};
}

const std::string kText =
    "\xEF\xBB\xBF{\"skipped\": {\"deep\": [[{\"x\": \"]}\"}]]}, \"kept\": 12, \"records\": [{\"a\": \"1\\\\\"},\n {\"b\": "
    "[{\"c\":{}}]}, 7, \"s\" , {}],\"inner\":{\"kept\":\"v\",\"other\":[1,2]}, \"kept\": true }\n";
const std::string kSeen = "2kept<12>1<{\"a\": \"1\\\\\"}>1<{\"b\": [{\"c\":{}}]}>1<7>1<s>1<{}>2kept<v>2other<[1,2]>2kept<true>";

TEST(JsonStream, GivesWhatWasAskedForHoweverTheTextIsCut) {
  for (std::size_t piece = 1; piece < kText.size(); ++piece) {
    const Streamed streamed = stream(kText, piece);
    ASSERT_TRUE(streamed.end);
    ASSERT_EQ(streamed.seen, kSeen) << piece;
    EXPECT_FALSE(streamed.end->cut);
    EXPECT_EQ(streamed.end->malformed, 0U);
  }
  for (std::size_t window = 16; window < 300; ++window) {
    const Streamed streamed = stream(kText, SIZE_MAX, window);
    ASSERT_TRUE(streamed.end);
    ASSERT_EQ(streamed.seen, kSeen) << window;
  }
}

TEST(JsonStream, WhatWasWholeBeforeACutIsGiven) {
  std::size_t last = 0;
  for (std::size_t size = 5; size + 1 < kText.size(); ++size) {
    const Streamed streamed = stream(kText.substr(0, size), SIZE_MAX, 64);
    ASSERT_TRUE(streamed.end) << size;
    EXPECT_EQ(streamed.end->cut, size < kText.size() - 1) << size;
    EXPECT_GE(streamed.seen.size() + 8, last) << size;  // a number's last digits may be cut
    last = streamed.seen.size();
  }
}

TEST(JsonStream, AnArrayMayLackItsBracket) {
  const Streamed open = stream("[{\"a\":1},\n{\"b\":2},\n");
  ASSERT_TRUE(open.end);
  EXPECT_EQ(open.seen, "1<{\"a\":1}>1<{\"b\":2}>");
  EXPECT_TRUE(open.end->open_array);
  EXPECT_FALSE(open.end->cut);
  EXPECT_TRUE(stream("[{\"a\":1},\n{\"b\":").end->cut);
}

TEST(JsonStream, GoesOnBehindAStrayQuote) {
  const std::string good = R"({"name": "fine", "args": {"x": [{"y": 1}]}})";
  for (const std::string bad : {R"({"name": "a "b" c", "ts": 1})", R"({"name": "a" b", "ts": 1})", R"({"name": "a, "ts": 1})",
                                R"({"name": ]})", R"({"name"})"}) {
    std::string text = "[";
    for (int i = 0; i < 20; ++i) text += (i > 0 ? ",\n  " : "") + (i == 7 ? bad : good);
    for (const std::size_t window : {64, 100, 1000, 100000}) {
      const Streamed streamed = stream(text + "]", SIZE_MAX, window);
      ASSERT_TRUE(streamed.end) << streamed.end.error().message;
      std::size_t found = 0;
      for (std::size_t at = streamed.seen.find("fine"); at != std::string::npos; at = streamed.seen.find("fine", at + 1)) ++found;
      EXPECT_GE(found, 18U) << bad << " window " << window;
      EXPECT_GE(streamed.end->malformed, 1U) << bad << " window " << window;
    }
  }
}

TEST(JsonStream, AStrayQuoteOutsideElementsIsNoMatterEither) {
  for (const std::size_t window : {32, 100, 100000}) {
    const Streamed streamed =
        stream("{\"unit\": >ns\", \"kept\": 1, \"other\": \"a\"b, \"records\": [{\"a\": 1}], \"kept\": 2}", 7, window);
    ASSERT_TRUE(streamed.end);
    EXPECT_EQ(streamed.seen, "2kept<1>1<{\"a\": 1}>2kept<2>") << window;
  }
}

TEST(JsonStream, ValuesBeyondTheBoundArePassedOverAndCounted) {
  const std::string large = "{\"a\":\"" + std::string(10000, 'x') + "\"}";
  const Streamed streamed = stream("[{\"b\":1}," + large + ",{\"c\":2}]", 100, 64, 1024);
  ASSERT_TRUE(streamed.end);
  EXPECT_EQ(streamed.seen, "1<{\"b\":1}>1<{\"c\":2}>");
  EXPECT_EQ(streamed.end->oversized, 1U);
}

TEST(JsonStream, SaysWhatIsWrong) {
  const auto error = [](std::string_view text) { return stream(text).end.error().message; };
  EXPECT_EQ(error(""), "the text is empty");
  EXPECT_EQ(error("  \n "), "the text is empty");
  EXPECT_EQ(error("12"), "the text is neither a JSON object nor an array");
  std::string broken = "[";
  for (int i = 0; i < 10'002; ++i) broken += "{\"a\"},";
  EXPECT_EQ(error(broken), "the text is not JSON: 10001 elements of it make no sense");
  const auto source = memory_bytes(kText);
  Collector collector;
  JsonBounds bounds;
  bounds.stop = [] { return true; };
  EXPECT_EQ(stream_json(*source, collector, bounds).error().code, core::ErrorCode::cancelled);
}

TEST(JsonStream, NestingIsNoRecursion) {
  std::string deep = "{\"records\":[";
  for (int i = 0; i < 200'000; ++i) deep += "[{\"a\":";
  const Streamed streamed = stream(deep, SIZE_MAX, 1024, 1 << 20);
  ASSERT_TRUE(streamed.end);
  EXPECT_TRUE(streamed.end->cut);
}

TEST(JsonValues, TimesAreExactDecimals) {
  struct Case {
    const char* text;
    std::optional<std::int64_t> nanoseconds;
  };
  for (const Case& each : std::initializer_list<Case>{
           {"1712195495519689.123", 1712195495519689123},
           {"1712195495519689", 1712195495519689000},
           {"1712195495519689.0", 1712195495519689000},
           {"0.001", 1},
           {"0.0004", 0},
           {"0.0005", 1},
           {"2.6785", 2679},
           {"-3.5", -3500},
           {"1.712e15", 1712000000000000000},
           {"12E-3", 12},
           {"1e-99", 0},
           {"0e999999", 0},
           {"00012.5", 12500},
           {".5", 500},
           {"4000000000000000.0", 4000000000000000000},
           {"4000000000000000.001", std::nullopt},
           {"1e16", std::nullopt},
           {"99999999999999999999999", std::nullopt},
           {"NaN", std::nullopt},
           {"Infinity", std::nullopt},
           {"-", std::nullopt},
           {"", std::nullopt},
           {"1.2.3", std::nullopt},
           {"1e", std::nullopt},
           {"12us", std::nullopt},
       }) {
    EXPECT_EQ(scaled_decimal(each.text, 3), each.nanoseconds) << each.text;
  }
  EXPECT_EQ(scaled_decimal("1712195495.519689123", 9), 1712195495519689123);
  EXPECT_EQ(scaled_decimal("4000000000.000000001", 9), std::nullopt);
  EXPECT_EQ(scaled_decimal("99999999999", 9), std::nullopt);
  EXPECT_EQ(scaled_decimal("18446744073709551616", 0), std::nullopt);  // 2^64, of which nothing is left
  EXPECT_EQ(scaled_decimal("7.5", 0), 8);
}

// Eight digits at a time or one by one, whatever stands among them.
TEST(JsonValues, IntegersAreWholeNumbersOfAnyLength) {
  const auto integer = [](const std::string& text) { return json_integer({JsonKind::scalar, 0, text.size(), text}); };
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    const auto number = static_cast<std::int64_t>(random() >> (random() % 64));
    std::string text = std::to_string(number);
    EXPECT_EQ(integer(text), number) << text;
    EXPECT_EQ(scaled_decimal(text, 0),
              number > 4'000'000'000'000'000'000 || number < -4'000'000'000'000'000'000 ? std::nullopt : std::optional(number));
    text[random() % text.size()] = "./:e\xB0 "[random() % 6];
    EXPECT_EQ(integer(text), std::nullopt) << text;
  }
  EXPECT_EQ(integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(integer("000000000000000000000007"), 7);
  EXPECT_EQ(integer(""), std::nullopt);
}

TEST(JsonValues, NamesAreFitToPrint) {
  EXPECT_EQ(json_name(R"(a\"b\\c\/d)"), "a\"b\\c/d");
  EXPECT_EQ(json_name("tab\there"), "tab here");
  EXPECT_EQ(json_name(R"(line\nfeed\u0007)"), "line feed ");
  EXPECT_EQ(json_name(R"(\u00e9 \u20AC \ud83d\ude00)"), "é € 😀");
  EXPECT_EQ(json_name(R"(\ud83d alone \uZZZZ)"), "\xEF\xBF\xBD alone \\uZZZZ");
  EXPECT_EQ(json_name(R"(C:\Users\me)"), "C:\\Users\\me");
  EXPECT_EQ(json_name("bad \x8d byte, good é"), "bad \xEF\xBF\xBD byte, good é");
  EXPECT_EQ(json_name("ends with \\"), "ends with \\");
  EXPECT_EQ(json_name(std::string(1'000'000, 'x')).size(), kLongestName + 3);
}

}  // namespace
}  // namespace plumbline::profiles::test
