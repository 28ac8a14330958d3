// Texts without a final line feed: a number that touches the end may be half of one.
#include <algorithm>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

std::string without_end(const std::string& text) { return text.substr(0, text.find_last_not_of('\n') + 1); }

// How each of these ends is what its tool or person writes; the last number is cut from "12345".
TEST(TruncatedTail, a_number_that_touches_the_end_is_not_believed) {
  EXPECT_EQ(listing_of("lib::group::encode short:10\n  Instructions:        1734|1700  (+2.00000%)\n  L1 Hits:             12"),
            "gungraun\nlib::group::encode short.Instructions = 1734 lower-is-better\n"
            "lib::group::encode short.L1 Hits = 12 context failed '12: the file ends inside or right behind this value'\n"
            "headline *.Instructions\n! truncated_tail\n");
  EXPECT_TRUE(has(listing_of("| case | latency (ms) |\n|---|---|\n| a | 123 |\n| b | 12"),
                  "[case=b].latency = 12 [ms] lower-is-better failed '12: the file ends inside or right behind this value'\n"));
  EXPECT_TRUE(has(listing_of("latency_ms: 10.5\nthroughput: 12"),
                  "throughput = 12 higher-is-better failed '12: the file ends inside or right behind this value'\n"));
  EXPECT_TRUE(has(listing_of("name,latency_ms,busbw\na,100,7\nc,110,8\nb,12", "t.csv"),
                  "[name=b].latency_ms = [ms] lower-is-better failed '12: the file ends inside or right behind this value'\n"));
  EXPECT_TRUE(has(listing_of("BenchmarkA-2 \t 100 \t 325 ns/op\nBenchmarkA-2 \t 100 \t 33", "go.txt"), "A-2.time = 325 [ns]"))
      << "a line without its unit is no result at all";
  const std::string wrk = without_end(fixture("wrk.txt"));
  EXPECT_TRUE(has(listing_of("cpu_to_gpu0_by_sm_under_numa0 2"), "! truncated_tail")) << "one line of a log";
  EXPECT_FALSE(has(listing_of(wrk), "truncated_tail")) << "a unit stands behind the last number";
  const std::string cut = wrk.substr(0, wrk.find("Requests/sec:") + 18);
  EXPECT_TRUE(has(listing_of(cut), "! truncated_tail")) << cut;
  EXPECT_TRUE(has(listing_of(cut), "requests_per_second = ")) << cut;
  EXPECT_TRUE(has(listing_of(cut), "failed '")) << cut;
}

TEST(TruncatedTail, the_warning_says_what_depends_on_it_and_what_to_do) {
  EXPECT_EQ(
      warning_of("latency_ms: 10.5\nthroughput: 12", "truncated_tail"),
      "the text ends without a line feed right behind \"12\", which may be cut off: 1 row that depends on it is invalid, the "
      "first is \"throughput\"; if the file is whole, end its last line with a line feed");
  EXPECT_EQ(
      warning_of("name,latency_ms\na,100\nb,12", "truncated_tail"),
      "the text ends without a line feed right behind \"12\", which may be cut off: the last line has as many fields as the "
      "header, so it is read as it is; if the file is whole, end its last line with a line feed");
  EXPECT_EQ(
      warning_of("name,latency_ms,busbw\na,100,7\nc,110,8\nb,12", "truncated_tail"),
      "the text ends without a line feed right behind \"12\", which may be cut off: what the last line says of it is invalid; "
      "if the file is whole, end its last line with a line feed");
}

TEST(TruncatedTail, a_line_that_is_whole_by_its_own_grammar_is_believed) {
  for (const std::string_view text : {
           "latency_ms: 10.5\nthroughput: 12\n",                           // ends as a line does
           "latency_ms: 10.5\nthroughput: 12\r\n",                         //
           "latency_ms: 10.5\nthroughput: 12 req/s",                       // a unit stands behind
           "latency_ms: 10.5\nload: 12%",                                  //
           "| case | latency (ms) |\n|---|---|\n| a | 123 |\n| b | 12 |",  // the table's bar
           "name,latency_ms\na,100\nb,\"12\"",                             // a closed quote
           "name,latency_ms\na,100.25\nb,99.75\nc,12.50",                  // as many decimals as all above
           "latency_ms: 12",                                               // one line is written at once
           "throughput: 12\nlatency_ms: 10.5\nnote: it was done at 12:30"  // no value
       }) {
    EXPECT_FALSE(has(listing_of(text), "truncated_tail")) << text;
  }
  // The lines above do not agree: nothing shows that this one is whole.
  EXPECT_TRUE(has(listing_of("name,latency_ms\na,100.25\nb,99.755\nc,12.50", "t.csv"), "! truncated_tail"));
}

TEST(TruncatedTail, half_a_unit_is_half_a_value) {
  // "4.75ms" cut to "4.75m" would be minutes.
  const std::string wrk = fixture("wrk.txt"), cut = wrk.substr(0, wrk.find("4.75ms") + 5);
  const std::string rows = listing_of(cut, "run.log", "wrk");
  EXPECT_TRUE(has(rows, "latency.p99 = 285000 [ms] lower-is-better failed '4.75m: the file ends")) << rows;
  EXPECT_TRUE(has_line(rows, "latency.p90 = 2.25 [ms] lower-is-better")) << rows;
  EXPECT_FALSE(has(listing_of(cut + "s", "run.log", "wrk"), "truncated_tail"));
}

TEST(TruncatedTail, a_setting_that_may_be_cut_describes_nothing) {
  const std::string text = "latency_ms: 10.5\nmodel: tiny-7";
  EXPECT_FALSE(has(listing_of(text), "context identity.model")) << listing_of(text);
  EXPECT_TRUE(has(warning_of(text, "truncated_tail"), "left out of the context: \"identity.model\""))
      << warning_of(text, "truncated_tail");
  EXPECT_TRUE(has_line(listing_of(text + "\n"), "context identity.model = tiny-7"));
}

// Written by hand or by printf, a whole table lacks the last line feed as well.
TEST(TruncatedTail, a_line_of_a_table_with_all_its_fields_is_believed_and_warned_of) {
  for (const char separator : {',', '\t', ';'}) {
    std::string text = "name,latency_ms,busbw\na,100,7\nb,12,8";
    std::replace(text.begin(), text.end(), ',', separator);
    EXPECT_EQ(listing_of(text, "t.csv"),
              "csv\n[name=a].latency_ms = 100 [ms] lower-is-better\n[name=a].busbw = 7 higher-is-better\n"
              "[name=b].latency_ms = 12 [ms] lower-is-better\n[name=b].busbw = 8 higher-is-better\n! truncated_tail\n");
    EXPECT_FALSE(has(listing_of(text + "\n", "t.csv"), "truncated_tail"));
    EXPECT_FALSE(has(listing_of(text + "\r\n", "t.csv"), "truncated_tail"));
  }
  EXPECT_TRUE(has_line(listing_of("latency_ms\n100\n12", "t.csv"), "latency_ms = 100 12 [ms] lower-is-better"));
  EXPECT_TRUE(
      has_line(listing_of("latency_ms,size\n1.5,1024\n2.5,20", "t.csv"), "[size=20].latency_ms = 2.5 [ms] lower-is-better"));
  // What no whole line ends in.
  EXPECT_TRUE(has(listing_of("name,latency_ms\na,100.5\nb,12.", "t.csv"), "failed '12.: the file ends inside"));
  for (const std::string_view half : {"m", "u", "n", "p", "k", "K", "M", "G", "T", "\xC2\xB5"}) {
    const std::string text = "12" + std::string(half), rows = listing_of("name,latency\na,1.5ms\nb," + text, "t.csv");
    EXPECT_TRUE(has(rows, "[name=b].latency = [ms] lower-is-better failed '" + text)) << rows;
  }
}

TEST(TruncatedTail, a_cut_name_makes_its_line_invalid) {
  const std::string rows = listing_of("latency_ms,size,busbw\n1.5,1024,7\n1.75,4096,8\n2.5,20", "t.csv");
  EXPECT_TRUE(has(rows, "[size=20].latency_ms = [ms] lower-is-better failed")) << rows;
  EXPECT_TRUE(has(rows, "[size=1024].latency_ms = 1.5 [ms] lower-is-better\n")) << rows;
}

// The same file, cut anywhere inside of its last number, never gives another number for that row than the whole file does.
TEST(TruncatedTail, no_cut_gives_a_smaller_number) {
  const std::string text = "elapsed: 10.25 s\nrequests_per_second: 98765.4321";
  for (std::size_t end = text.rfind(' ') + 2; end < text.size(); ++end) {
    const auto m = measured(std::string_view(text).substr(0, end), "run.log");
    ASSERT_TRUE(m) << end;
    for (const core::Row& row : m->rows()) {
      if (m->key(row) != "requests_per_second") continue;
      EXPECT_EQ(row.state, core::ValueState::failed) << text.substr(0, end);
    }
  }
}

}  // namespace
}  // namespace plumbline::formats
