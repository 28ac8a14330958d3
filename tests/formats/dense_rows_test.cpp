// The quick ways of files in which nearly every value is a row give what the careful ways give: lines of plain cells, tables
// whose lines are points of their own, members of large objects, keys that are interned a handful at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "formats/tool_rows.hpp"
#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

// All there is to see of a measurement, dims included, or the error.
std::string seen(const core::Expected<core::Measurement>& m) {
  if (!m) return "error: " + m.error().message + " / " + m.error().hint + " / " + m.error().where;
  std::string out = listing_of(*m);
  for (const core::Row& row : m->rows()) {
    out += std::string(m->metric(row)) + ":";
    for (const auto& [name, value] : m->dims(row))
      out += " " + std::string(m->pool().view(name)) + "=" + std::string(m->pool().view(value));
    out += "\n";
  }
  for (const core::Warning& warning : m->warnings) out += std::string(warning.code.text()) + ": " + warning.message + "\n";
  return out;
}
core::Expected<core::Measurement> read_as(std::string_view text, const char* name,
                                          const std::shared_ptr<core::StringPool>& pool = nullptr) {
  Input input;
  input.name = name;
  input.bytes = text;
  ReadOptions options;
  options.pool = pool;
  options.format = std::string_view(name).ends_with(".csv") ? "csv" : "generic-json";
  return read(input, options);
}

// A blank before a line is read over, but such a line is not taken for a plain one.
std::string with_blanks(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && c != '\n' && c != '\r') out.push_back(' ');
    out.push_back(c);
    begins = c == '\n';
  }
  return out;
}

TEST(PlainLines, of_a_table_give_what_its_careful_reader_gives) {
  constexpr const char* kCells[] = {"1",
                                    "42",
                                    "0.5",
                                    "-3.25",
                                    "1234567.125",
                                    "0",
                                    "-0",
                                    "007",
                                    "1e5",
                                    "5.",
                                    ".5",
                                    "+5",
                                    "-",
                                    "",
                                    "nan",
                                    "inf",
                                    "half",
                                    "float",
                                    "12 ms",
                                    "0.02 s",
                                    "FAILED",
                                    "n/a",
                                    "\"a,b\"",
                                    "\"7\"",
                                    "a\"b",
                                    " 8",
                                    "8 ",
                                    "1'000",
                                    "#3",
                                    "1-2",
                                    "--1",
                                    "1.2.3",
                                    "0x10",
                                    "true",
                                    "ünïcode",
                                    "9007199254740993",
                                    "12345678901234567890",
                                    "0.1234567890123456789",
                                    "\"two \"\" quotes\"",
                                    "\t6",
                                    "1_000"};
  constexpr const char* kHeaders[] = {"size,latency (ms),throughput\n",
                                      "name,value\n",
                                      "dtype,size,time,note\n",
                                      "a,b,c,d,e\n",
                                      "x (s),y\n",
                                      "test,value,unit\n"};
  std::mt19937 random(11);
  std::size_t read_well = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string_view header = kHeaders[random() % std::size(kHeaders)];
    const auto columns = static_cast<std::size_t>(std::count(header.begin(), header.end(), ',')) + 1;
    std::string text(header);
    const std::size_t usual = random() % 3 == 0 ? std::size(kCells) : 5;  // often plain numbers only
    for (std::size_t lines = 1 + random() % 40; lines > 0; --lines) {
      if (random() % 40 == 0) text += random() % 2 == 0 ? "# a comment\n" : "\n";
      const std::size_t here = random() % 30 == 0 ? 1 + random() % 6 : columns;
      for (std::size_t c = 0; c < here; ++c) {
        text += c > 0 ? "," : "";
        text += random() % 20 == 0 ? kCells[random() % std::size(kCells)] : kCells[random() % usual];
        if (random() % 3 == 0 && !text.ends_with('"')) text += std::to_string(random() % 1000);
      }
      text += random() % 50 == 0 ? "\r\n" : "\n";
    }
    if (random() % 4 == 0) text.pop_back();
    const auto quick = read_as(text, "t.csv");
    ASSERT_EQ(seen(quick), seen(read_as(with_blanks(text), "t.csv"))) << text;
    read_well += quick.has_value() ? 1 : 0;
  }
  EXPECT_GT(read_well, 1500U);
}

TEST(PlainLines, end_where_a_line_is_longer_or_shorter_or_quoted_and_go_on_behind_it) {
  const std::string listing =
      listing_of("size,time (us)\n1,10\n2,20\n\"3\",30\n4,40,9\n5\n6,60\n# a remark\n\n7,70\r\n8,\"80\"\n9,90", "t.csv", "csv");
  std::string expected = "csv\n";
  for (const char* const size : {"1", "2", "3", "4", "5", "6", "7", "8", "9"}) {
    expected += std::string("[size=") + size + "].time = " + (*size == '5' ? "" : std::string(size) + "0 ") +
                "[us] lower-is-better" + (*size == '5' ? " null" : "") + "\n";
  }
  EXPECT_EQ(listing.substr(0, listing.find('!')), expected);
  EXPECT_NE(listing.find("! ragged_lines\n"), std::string::npos);
  EXPECT_NE(listing.find("! comment_lines\n"), std::string::npos);
}

// What shows that a point is repeated comes when rows were made already: they are made again, as if that had not been.
TEST(RepeatedPoints, are_found_wherever_the_second_stands) {
  for (const int lines : {1, 31, 32, 33, 64, 65, 1000}) {
    std::string once = "size,dtype,time (us),note\n", twice, expected = "csv\n";
    for (int i = 0; i < lines; ++i) {
      const std::string number = std::to_string(i);
      twice += number + ",half," + number + ".5," + (i % 10 == 3 ? "1e1" : "1") + "\n";
    }
    const auto m = read_as(once + twice + twice, "t.csv");
    ASSERT_TRUE(m);
    ASSERT_EQ(m->rows().size(), 2U * static_cast<std::size_t>(lines));
    for (const core::Row& row : m->rows()) {
      ASSERT_EQ(m->values(row).size(), 2U) << m->key(row);
      ASSERT_EQ(row.state, core::ValueState::number) << m->key(row);
    }
    EXPECT_EQ(m->key(m->rows().back()), "[size=" + std::to_string(lines - 1) + ",dtype=half].note");
    ASSERT_TRUE(std::none_of(m->warnings.begin(), m->warnings.end(),
                             [](const core::Warning& warning) { return warning.code == "duplicate_key"; }));
  }
}

TEST(RepeatedPoints, leave_no_warning_out_that_was_found_before_they_were) {
  const std::string listing = listing_of("name,value,unit\nlatency,5,ms\nother,1,s\nlatency,5000,us\n", "t.csv", "csv");
  EXPECT_NE(listing.find("! mixed_units\n"), std::string::npos) << listing;
  EXPECT_NE(listing.find("! unequal_repeats\n"), std::string::npos) << listing;
  EXPECT_NE(listing.find("latency = 5 [ms] lower-is-better duplicate\n"), std::string::npos) << listing;
}

// Points and metrics of other words may spell the same key: the first row is marked, and none is lost.
TEST(RepeatedPoints, keys_that_two_points_share_by_their_spelling_are_duplicates) {
  const auto m = read_as("name,time,b].time\na,1,2\na].b,3,4\nc,5,6\n", "t.csv");
  ASSERT_TRUE(m);
  std::string states;
  for (const core::Row& row : m->rows())
    states += std::string(m->key(row)) + " " + std::string(core::to_string(row.state)) + "\n";
  EXPECT_EQ(states,
            "[name=a].time number\n[name=a].b].time duplicate\n[name=a].b].b].time number\n[name=c].time number\n"
            "[name=c].b].time number\n");
  const std::string alike = listing_of("name,dtype,time (us)\na,\"b,dtype=c\",1\n\"a,dtype=b\",c,2\nd,e,3\n", "t.csv", "csv");
  EXPECT_EQ(alike,
            "csv\n[name=a,dtype=b,dtype=c].time = 1 [us] lower-is-better duplicate\n[name=d,dtype=e].time = 3 [us] "
            "lower-is-better\n! duplicate_key\n! unequal_repeats\n");
}

TEST(RepeatedPoints, long_labels_and_many_columns_are_spelled_whole) {
  const std::string name(3000, 'n');
  std::string text = "name", values;
  for (int c = 0; c < 50; ++c) text += ",metric" + std::to_string(c);
  for (int c = 0; c < 50; ++c) values += "," + std::to_string(c);
  text += "\n";
  for (int line = 0; line < 100; ++line) text += (line % 9 == 4 ? "" : name) + std::to_string(line) + "x" + values + "\n";
  const auto m = read_as(text, "t.csv");
  ASSERT_TRUE(m);
  ASSERT_EQ(m->rows().size(), 5000U);
  for (std::size_t i = 0; i < 5000; ++i) {
    const std::size_t line = i / 50;
    ASSERT_EQ(m->key(m->rows()[i]),
              "[name=" + (line % 9 == 4 ? "" : name) + std::to_string(line) + "x].metric" + std::to_string(i % 50));
    ASSERT_EQ(m->values(m->rows()[i]).front(), static_cast<double>(i % 50));
  }
}

// An object of many members is taken a handful at a time, one of few member by member.
TEST(ManyMembers, of_an_object_are_the_rows_that_one_member_at_a_time_gives) {
  constexpr const char* kValues[] = {"1",
                                     "-2.5e3",
                                     "12345678901234567890123",
                                     "9007199254740993",
                                     "null",
                                     "true",
                                     "\"12 ms\"",
                                     "\"text\"",
                                     "NaN",
                                     "[1, 2]",
                                     "{\"p50\": 1}",
                                     "{}",
                                     "1e400",
                                     "0.125"};
  std::mt19937 random(12);
  for (int round = 0; round < 400; ++round) {
    std::vector<std::string> names;
    for (std::size_t i = 16 + random() % 120; i > 0; --i) {
      const auto number = random() % (round % 2 == 0 ? 100'000 : 200);  // in every other round some stand twice
      constexpr const char* kBeginnings[] = {"latency_", "m", "node.pair", "environment.m"};
      names.push_back((random() % 30 == 0 ? "hardware.n" : kBeginnings[random() % 4]) + std::to_string(number));
    }
    std::string many = round % 3 == 0 ? "{" : "{\"outer.one\": {", few;
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string value = kValues[random() % 4 != 0 ? random() % 2 : random() % std::size(kValues)];
      many += (i > 0 ? ", \"" : "\"") + names[i] + "\": " + value;
    }
    many += round % 3 == 0 ? "}" : "}}";
    const auto whole = read_as(many, "m.json");
    ASSERT_TRUE(whole) << many;
    // The same rows, looked for one by one.
    std::string missing;
    for (const std::string& name : names) {
      const std::string key = (round % 3 == 0 ? "" : "outer.one.") + name;
      const auto is_it = [&](const core::Row& row) {
        const std::string_view at = whole->key(row);
        return at == key || at == key + ".p50";
      };
      const auto found = std::count_if(whole->rows().begin(), whole->rows().end(), is_it);
      const auto row = std::find_if(whole->rows().begin(), whole->rows().end(), is_it);
      const bool twice = std::count(names.begin(), names.end(), name) > 1;
      ASSERT_TRUE(twice ? found >= 1 : found == 1) << key << "\n" << many;
      if (twice) ASSERT_EQ(row->state, core::ValueState::duplicate) << key << "\n" << many;
      if (!twice) ASSERT_NE(row->state, core::ValueState::duplicate) << key << "\n" << many;
      if (whole->key(*row) == key) ASSERT_EQ(whole->metric(*row), name);
    }
  }
}

TEST(ManyMembers, in_a_pool_that_knows_them_in_any_order_keep_their_ids_and_their_duplicates) {
  std::vector<std::string> members;
  for (int i = 0; i < 500; ++i) members.push_back("\"metric_" + std::to_string(1000 + i) + "\": " + std::to_string(i) + ".5");
  const auto object = [](const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& one : all) text += (text.empty() ? "{" : ", ") + one;
    return text + "}";
  };
  const auto pool = std::make_shared<core::StringPool>();
  const auto first = read_as(object(members), "m.json", pool);
  ASSERT_TRUE(first);
  const std::size_t known = pool->size();
  std::mt19937 random(13);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> order = members;
    if (round == 1) std::reverse(order.begin(), order.end());
    if (round > 1) std::shuffle(order.begin(), order.end(), random);
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(random() % order.size()), members[7]);
    const auto again = read_as(object(order), "m.json", pool);
    ASSERT_TRUE(again);
    ASSERT_EQ(pool->size(), known);
    ASSERT_EQ(again->rows().size(), members.size());
    for (const core::Row& row : again->rows()) {
      const bool twice = again->key(row) == "metric_1007";
      ASSERT_EQ(row.state == core::ValueState::duplicate, twice) << again->key(row);
      ASSERT_EQ(row.metric, row.key);
      const auto same =
          std::find_if(first->rows().begin(), first->rows().end(), [&](const core::Row& one) { return one.key == row.key; });
      ASSERT_EQ(first->values(*same).front(), again->values(row).front());
    }
  }
}

// Tools' rows whose keys the pool knows in another order, and points of other words with the same keys far apart.
TEST(ToolRows, keys_known_in_another_order_and_shared_by_points_far_apart_are_settled) {
  constexpr ToolMetric kLong{"b.time", "us", core::Direction::lower}, kShort{"time", "us", core::Direction::lower};
  const auto pool = std::make_shared<core::StringPool>();
  for (int i = 99; i >= 0; --i) pool->intern("a" + std::to_string(i) + ".b.time");
  Input input;
  ReadOptions options;
  options.pool = pool;
  ToolRows rows(input, options, "tool");
  for (int i = 0; i < 100; ++i) {
    rows.point("a" + std::to_string(i));
    rows.add(kLong, i);
  }
  for (int i = 0; i < 100; i += 2) {
    rows.point("a" + std::to_string(i) + ".b");
    rows.add(kShort, i + 1000);
  }
  const auto m = rows.finish();
  ASSERT_TRUE(m);
  ASSERT_EQ(m->rows().size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    const core::Row& row = m->rows()[i];
    ASSERT_EQ(m->key(row), "a" + std::to_string(i) + ".b.time");
    ASSERT_EQ(m->values(row).size(), i % 2 == 0 ? 2U : 1U);
  }
}

}  // namespace
}  // namespace plumbline::formats
