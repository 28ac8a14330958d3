// The quick ways through large texts give what the careful ways give: the JSON tree with its structure looked up first, arrays
// that nobody needs, plain decimals read in one pass, and points of a log that are measured over and over.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "formats/decimal.hpp"
#include "formats/json/document.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

std::string said(const core::Error& error) { return error.where + ": " + error.message + " (" + error.hint + ")"; }

// Everything a tree holds, as text.
std::string spelled(const core::Expected<json::Document>& document) {
  if (!document) return said(document.error());
  std::string out;
  for (std::uint32_t i = 0; i < document->node_count(); ++i) {
    const json::Node& node = document->node(i);
    out += std::to_string(static_cast<int>(node.kind)) + " " + std::to_string(node.flags) + " " + std::to_string(node.next) +
           " " + std::to_string(node.length) + " " + std::to_string(node.offset) + " ";
    if (node.kind == json::Kind::string) {
      out.append(node.s, node.length);
    } else {
      out += std::to_string(node.u);
    }
    out += "\n";
  }
  const json::Notes& notes = document->notes();
  out += notes.byte_order_mark ? "mark " : "";
  out += notes.lines ? "lines " : "";
  for (const json::Note& note :
       {notes.trailing_commas, notes.non_finite_literals, notes.control_characters, notes.invalid_utf8, notes.lone_surrogates}) {
    out += std::to_string(note.count) + "@" + std::to_string(note.first) + " ";
  }
  return out + std::to_string(document->member_count());
}

core::Expected<json::Document> parsed(std::string_view text, bool quick, bool (*unneeded)(std::string_view) = nullptr,
                                      bool halves = false) {
  json::ParseOptions options;
  options.max_depth = 16;
  options.index_from = quick ? 0 : std::numeric_limits<std::size_t>::max();
  options.unneeded = unneeded;
  options.halves_from = halves ? 0 : std::numeric_limits<std::size_t>::max();
  return json::parse(text, "t.json", options);
}

void same_both_ways(std::string_view text) {
  const std::string careful = spelled(parsed(text, false));
  ASSERT_EQ(spelled(parsed(text, true)), careful) << text.substr(0, 400);
  ASSERT_EQ(spelled(parsed(text, true, nullptr, true)), careful) << "by two threads: " << text.substr(0, 400);
  if (auto flat = json::parse_flat(text)) {
    ASSERT_EQ(spelled(std::move(*flat)), careful) << "as a flat object: " << text.substr(0, 400);
  }
}

constexpr std::string_view kEverything =
    "{\"a\": [1, -2.5e-3, 0, -0, 18446744073709551615, 123456789012345678901, 0.010456789012345678, 1e400, 4.9e-324],\n"
    " \"b\\n\\u00e9\\ud83d\\ude00\": {\"\": \"\", \"long enough for several words of eight bytes\": true}, \"c\":[[],{} "
    ",null,false],"
    "\"d\" : \"quotes \\\" and \\\\ at the end \\\\\", \"itls\": [[0.5, 12345678.25, {\"k\\t\": [\"x\\u0041\", null]}], [], "
    "-1e5]}";

TEST(QuickJson, gives_the_careful_tree_of_every_fixture_and_every_find_of_the_fuzzers) {
  std::size_t files = 0;
  for (const char* folder : {"/formats/fixtures", "/fuzz/corpus/json_reader", "/fuzz/corpus/format_readers"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(PLUMBLINE_TESTS) + folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
      SCOPED_TRACE(entry.path().filename().string());
      same_both_ways(text);
      ++files;
    }
  }
  EXPECT_GT(files, 50U);
}

void same_wherever_it_is_cut(std::string_view text) {
  for (std::size_t length = 0; length <= text.size(); ++length) same_both_ways(text.substr(0, length));
}

void same_whatever_byte_is_wrong(std::string_view right) {
  for (const char wrong : {'"', '\\', ',', ':', ']', '}', '[', '{', '0', '-', '.', 'e', 'N', ' ', '\n', '\x01', '\x80'}) {
    for (std::size_t i = 0; i < right.size(); ++i) {
      std::string text(right);
      text[i] = wrong;
      same_both_ways(text);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(QuickJson, gives_the_careful_answer_wherever_a_text_is_cut) { same_wherever_it_is_cut(kEverything); }

TEST(QuickJson, gives_the_careful_answer_whatever_byte_is_wrong) { same_whatever_byte_is_wrong(kEverything); }

TEST(QuickJson, leaves_what_is_only_nearly_json_to_the_careful_reader) {
  for (const std::string_view text : {"[1,]",
                                      "{\"a\":1,}",
                                      "[NaN, Infinity, -inf]",
                                      "\xEF\xBB\xBF{\"a\":1}",
                                      "{\"a\":1}\n{\"a\":2}\n",
                                      "[\"\\ud800\"]",
                                      "[\"\x80\"]",
                                      "[\"a\tb\"]",
                                      "1 2",
                                      "[1 2]",
                                      "[1\"a\"]",
                                      "[\"a\"1]",
                                      "[\"a\"\"b\"]",
                                      "[tru]",
                                      "[truee]",
                                      "[nullnull]",
                                      "{\"a\" 1}",
                                      "{1:2}",
                                      "[01]",
                                      "[1.]",
                                      "[.5]",
                                      "[+1]",
                                      "[-]",
                                      "//",
                                      "",
                                      " ",
                                      "\"",
                                      "\"\"",
                                      "[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]",
                                      "]",
                                      "{\"a\":}",
                                      "[,]"}) {
    same_both_ways(text);
  }
}

// Flat objects are read by two threads, one half each.
constexpr std::string_view kFlat =
    "{\"node1.busbw\": 12.5, \"b\":-1e-3 ,\"c\" :0, \"a text in the middle\": \"k\", \"e\": true,\n\"f\":null, \"g\":17, "
    "\"h\":18}";

TEST(QuickJson, halves_of_a_flat_object_are_the_careful_tree_with_any_member_in_either) {
  same_both_ways(kFlat);
  for (const std::string_view member :
       {"\"x\": {\"y\": 1}", "\"x\": [1, 2]", "\"x\": {}", "\"x\": []", "\"x\": NaN", "\"x\": -Infinity", "\"q\\\"\": 1",
        "\"x\": \"\\ud800\"", "\"x\": 1,", "\"x\" 1", "x: 1", "\"x\": 01", "\"b\": 2", "\"x\": {\"y\": [{\"z\": 1}, 2]}"}) {
    for (std::size_t at = 1; at < kFlat.size(); ++at) {
      if (kFlat[at - 1] != ',' && kFlat[at - 1] != '{') continue;
      const std::string text = std::string(kFlat.substr(0, at)) + std::string(member) + ", " + std::string(kFlat.substr(at));
      same_both_ways(text);
      same_both_ways(text + text);
      same_both_ways("[" + text + "]");
      if (HasFatalFailure()) return;
    }
  }
}

TEST(QuickJson, only_a_flat_object_that_is_strictly_right_is_parsed_as_one) {
  EXPECT_TRUE(json::parse_flat(kFlat));
  EXPECT_TRUE(json::parse_flat(" " + std::string(kFlat) + "\n"));
  const std::string flat(kFlat);
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[1, 2]"), "\xEF\xBB\xBF" + flat, "[" + flat + "]", flat + flat, flat + ",",
        flat.substr(0, flat.size() - 1), std::string(kEverything)}) {
    EXPECT_FALSE(json::parse_flat(text)) << text;
  }
  EXPECT_FALSE(json::parse_flat(kFlat, {.stop = [] { return true; }})) << "who stops it gets nothing";
}

TEST(QuickJson, halves_of_a_flat_object_are_the_careful_answer_wherever_it_is_cut_or_wrong) {
  same_wherever_it_is_cut(kFlat);
  same_whatever_byte_is_wrong(kFlat);
}

TEST(QuickJson, a_large_flat_object_is_the_careful_tree_and_stops_when_it_is_told) {
  std::string text = "{";
  for (int i = 0; i < 600'000; ++i)
    text += (i > 0 ? ",\"key_" : "\"key_") + std::to_string(i) + "\":" + std::to_string(i) + ".25";
  text += "}";
  const auto whole = json::parse(text, "t.json");
  ASSERT_TRUE(whole);
  ASSERT_GT(text.size(), json::ParseOptions{}.halves_from);
  EXPECT_EQ(spelled(whole), spelled(parsed(text, false)));
  json::ParseOptions stopped;
  int asked = 0;
  stopped.stop = [&asked] { return ++asked > 2; };
  const auto none = json::parse(text, "t.json", stopped);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, core::ErrorCode::cancelled);
}

TEST(QuickJson, arrays_nobody_needs_keep_their_size_and_are_checked_all_the_same) {
  const auto unneeded = [](std::string_view key) { return key == "itls" || key == "c"; };
  const auto document = parsed(kEverything, true, unneeded);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().find("itls").size(), 3U);
  EXPECT_EQ(document->root().find("itls").elements().begin(), document->root().find("itls").elements().end());
  EXPECT_EQ(document->root().find("c").size(), 4U);
  EXPECT_EQ(document->root().find("d").string(), "quotes \" and \\ at the end \\");
  for (const char wrong : {'"', '\\', ',', ':', ']', '}', '[', '{', '0', '-', '.', 'e', 'N', ' ', '\n', '\x01', '\x80'}) {
    for (std::size_t i = 0; i < kEverything.size(); ++i) {
      std::string text(kEverything);
      text[i] = wrong;
      const auto quick = parsed(text, true, unneeded), careful = parsed(text, false);
      ASSERT_EQ(quick.has_value(), careful.has_value()) << text;
      if (!quick) {
        ASSERT_EQ(said(quick.error()), said(careful.error())) << text;
        continue;
      }
      ASSERT_EQ(quick->notes().trailing_commas.count, careful->notes().trailing_commas.count) << text;
      ASSERT_EQ(quick->notes().lone_surrogates.count, careful->notes().lone_surrogates.count) << text;
    }
  }
}

TEST(PlainDecimal, is_what_parse_double_reads_or_nothing) {
  for (const std::string_view text : {"0",
                                      "-0",
                                      "7",
                                      "-12",
                                      "0.5",
                                      "1234.5678",
                                      "00012",
                                      "999999999999999.9",
                                      "1e5",
                                      "1.",
                                      ".5",
                                      "",
                                      "-",
                                      "+1",
                                      "1.2.3",
                                      "12a",
                                      "0.1",
                                      "9007199254740991",
                                      "9007199254740993",
                                      "0.30000000000000004",
                                      "123456789012345678",
                                      "1234567890123456789",
                                      "nan",
                                      "inf",
                                      " 1",
                                      "1 ",
                                      "0x10",
                                      "1,5",
                                      "--1",
                                      "-.5",
                                      "0.000000000000000001"}) {
    double plain = 0;
    if (!plain_decimal(text, plain)) continue;
    const auto careful = core::parse_double(text);
    ASSERT_TRUE(careful) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(plain), std::bit_cast<std::uint64_t>(*careful)) << text;
  }
  double value = 0;
  EXPECT_TRUE(plain_decimal("1234.5678", value));
  EXPECT_EQ(value, 1234.5678);
  EXPECT_FALSE(plain_decimal("9007199254740993", value)) << "not a whole double";
  EXPECT_FALSE(plain_decimal("1.", value));
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    std::string text = std::to_string(state >> (11 + state % 40));
    if (state % 3 != 0 && text.size() > 1) text.insert(1 + state % (text.size() - 1), ".");
    if (!plain_decimal(text, value)) continue;
    ASSERT_EQ(value, core::parse_double(text)) << text;
  }
}

constexpr ToolMetric kTime{"time", "us", core::Direction::lower, core::Role::judged};
constexpr ToolMetric kSameTime{"time", "us", core::Direction::lower, core::Role::context};
constexpr ToolMetric kRate{"rate", "GB/s", core::Direction::higher, core::Role::judged};

struct Log {
  Input input;
  ReadOptions options;
  ToolRows rows{input, options, "tool"};
};

TEST(ToolRows, a_point_measured_again_in_its_section_is_another_trial_whoever_came_between) {
  Log log;
  constexpr int kPoints = 70'000;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kPoints; ++i) {
      log.rows.point("t", {{"size", std::to_string(i)}});
      log.rows.add(kTime, i + round * 0.5);
      ASSERT_FALSE(log.rows.halted());
    }
  }
  const auto m = log.rows.finish();
  ASSERT_TRUE(m);
  ASSERT_EQ(m->rows().size(), static_cast<std::size_t>(kPoints));
  for (int i = 0; i < kPoints; ++i) {
    const core::Row& row = m->rows()[static_cast<std::size_t>(i)];
    ASSERT_EQ(m->key(row), "t[size=" + std::to_string(i) + "].time");
    ASSERT_EQ(std::vector<double>(m->values(row).begin(), m->values(row).end()), (std::vector<double>{i + 0.0, i + 0.5}));
  }
}

TEST(ToolRows, a_later_section_has_rows_of_its_own_and_says_so_once_a_point) {
  Log log;
  for (int run = 0; run < 2; ++run) {
    log.rows.section();
    for (int round = 0; round < 3; ++round) {
      log.rows.point("t", {{"size", "8"}, {"root", ""}});
      log.rows.add(kTime, 1.0 + run);
      log.rows.add(kRate, std::string_view("12.5"));
    }
  }
  log.rows.point("t");
  log.rows.add(kRate, 2.0);
  const auto m = log.rows.finish();
  ASSERT_TRUE(m);
  std::string keys;
  for (const core::Row& row : m->rows()) keys += std::string(m->key(row)) + " x" + std::to_string(row.value_count) + "\n";
  EXPECT_EQ(keys, "t[size=8].time x3\nt[size=8].rate x3\nt[size=8,section=2].time x3\nt[size=8,section=2].rate x3\nt.rate x1\n");
  ASSERT_EQ(m->warnings.size(), 1U);
  EXPECT_EQ(m->warnings[0].message,
            "1 point was measured again in a later section of the file, which has rows of its own (section=2, …): \"t[size=8]\"");
}

TEST(ToolRows, two_declarations_of_one_name_at_one_point_are_one_row) {
  Log log;
  const std::uint32_t first = log.rows.point("t", {{"size", "8"}});
  log.rows.add(kTime, 1.0);
  log.rows.add(kSameTime, 2.0);
  log.rows.point("t", {{"size", "9"}});
  log.rows.add(kTime, 5.0);
  log.rows.at(first);
  log.rows.add(kTime, 3.0);
  EXPECT_EQ(log.rows.key("time"), "t[size=8].time");
  const auto m = log.rows.finish();
  ASSERT_TRUE(m);
  ASSERT_EQ(m->rows().size(), 2U);
  EXPECT_EQ(m->values(m->rows()[0]).size(), 3U);
  EXPECT_EQ(m->metric_class(m->rows()[0]).role, core::Role::judged);
  EXPECT_EQ(m->unit(m->rows()[0]), "us");
}

TEST(ToolRows, one_trial_without_a_number_spoils_the_row_before_and_after_it) {
  Log log;
  log.rows.point("t");
  log.rows.add(kTime, 1.0);
  log.rows.add(kTime, failed_value("7"));
  log.rows.add(kTime, 2.0);
  log.rows.add_trials(kTime, {3.0, 4.0});
  log.rows.add_trials(kRate, {});
  log.rows.add(kRate, 1.0);
  const auto m = log.rows.finish();
  ASSERT_TRUE(m);
  ASSERT_EQ(m->rows().size(), 2U);
  EXPECT_EQ(m->rows()[0].state, core::ValueState::failed);
  EXPECT_EQ(m->rows()[0].value_count, 0U);
  EXPECT_EQ(m->rows()[1].value_count, 1U);
}

TEST(ToolRows, the_bound_on_rows_holds_and_is_named) {
  Log log;
  log.options.max_rows = 100;
  int i = 0;
  for (; i < 1000 && !log.rows.halted(); ++i) {
    log.rows.point("t", {{"size", std::to_string(i)}});
    log.rows.add(kTime, 1.0);
  }
  EXPECT_EQ(i, 101);
  const auto m = log.rows.finish();
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().message, "more than 100 rows");
}

}  // namespace
}  // namespace plumbline::formats
