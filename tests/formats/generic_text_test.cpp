// The readers of what nobody gave a format: Markdown tables, names and values, JSON between the lines of a log; and what is
// taken off a text before any reader sees it.
#include <gtest/gtest.h>

#include "formats/plain_text.hpp"
#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(MarkdownTable, text_columns_are_dimensions_and_number_columns_metrics) {
  const std::string text =
      "Results of tonight\n\n"
      "| Model | Batch | Latency (ms) | Throughput [tok/s] | Device |\n"
      "|:------|------:|-------------:|:------------------:|-------|\n"
      "| **llama** | 1 | 12.5 | 80 | ok |\n"
      "| `llama` | 8 | 20 | 400 ± 2.5 | ok |\n";
  EXPECT_EQ(listing_of(text),
            "markdown-table\n"
            "[Model=llama,Batch=1,Device=ok].Latency = 12.5 [ms] lower-is-better\n"
            "[Model=llama,Batch=1,Device=ok].Throughput = 80 [tok/s] higher-is-better\n"
            "[Model=llama,Batch=8,Device=ok].Latency = 20 [ms] lower-is-better\n"
            "[Model=llama,Batch=8,Device=ok].Throughput = 400 [tok/s] higher-is-better\n"
            "[Model=llama,Batch=8,Device=ok].Throughput.spread = 2.5 [tok/s] noise\n");
  EXPECT_EQ(dims_of(text, "[Model=llama,Batch=8,Device=ok].Latency"), "Model=llama Batch=8 Device=ok");
}

TEST(MarkdownTable, several_tables_are_told_apart_by_their_headings) {
  EXPECT_EQ(
      listing_of("# Copy\ntest | GB/s\n---|---\na | 1\n\n# Read\ntest | GB/s\n---|---\na | 2\n\ntest | GB/s\n---|---\na | 3\n"),
      "markdown-table\n"
      "[table=Copy,test=a].GB/s = 1 [GB/s] higher-is-better\n"
      "[table=Read,test=a].GB/s = 2 [GB/s] higher-is-better\n"
      "[table=Read 2,test=a].GB/s = 3 [GB/s] higher-is-better\n");
}

TEST(MarkdownTable, lines_that_repeat_a_point_are_trials_and_odd_cells_are_told) {
  EXPECT_EQ(listing_of("|op|latency|\n|-|-|\n|a|10 ms|\n|a|0.02 s|\n|b|5 ms|\n|b|6 ms|\n"),
            "markdown-table\n"
            "[op=a].latency = 10 20 [ms] lower-is-better\n"
            "[op=b].latency = 5 6 [ms] lower-is-better\n");
  EXPECT_EQ(listing_of("|op|latency (ms)|speedup|\n|-|-|-|\n|a|OOM|1.5x|\n|b|5|2x|\n|c|-|2.5x|\n|d|6|n/a|\n"),
            "markdown-table\n"
            "[op=a].latency = [ms] lower-is-better failed 'OOM'\n"
            "[op=a].speedup = 1.5 [x] higher-is-better\n"
            "[op=b].latency = 5 [ms] lower-is-better\n"
            "[op=b].speedup = 2 [x] higher-is-better\n"
            "[op=c].latency = [ms] lower-is-better null\n"
            "[op=c].speedup = 2.5 [x] higher-is-better\n"
            "[op=d].latency = 6 [ms] lower-is-better\n"
            "[op=d].speedup = higher-is-better null\n"
            "! null_values\n");
  EXPECT_EQ(listing_of("|op|what|\n|-|-|\n|a|b|\n").substr(0, 7), "error: ");
}

TEST(KeyValue, names_and_values_in_the_three_ways_of_writing_them) {
  EXPECT_EQ(listing_of("=== run ===\n"
                       "throughput: 310 GB/s\n"
                       "Mean latency (ms) = 12.5\n"
                       "p99 latency ........ 20 ms\n"
                       "requests: 45 requests\n"
                       "status: finished early\n"
                       "bandwidth: 300 ± 1.5 GB/s\n"),
            "key-value\n"
            "throughput = 310 [GB/s] higher-is-better\n"
            "Mean latency = 12.5 [ms] lower-is-better\n"
            "p99 latency = 20 [ms] lower-is-better\n"
            "requests = 45 [requests] context\n"
            "status = context text 'finished early'\n"
            "bandwidth = 300 [GB/s] higher-is-better\n"
            "bandwidth.spread = 1.5 [GB/s] noise\n");
}

TEST(KeyValue, what_stands_further_in_belongs_to_the_line_above_it) {
  EXPECT_EQ(
      listing_of("server:\n  latency: 5 ms\n  queue:\n    latency: 1 ms\nclient:\n  latency: 6 ms\nempty:\nbusbw: 7 GB/s\n"),
      "key-value\n"
      "server.latency = 5 [ms] lower-is-better\n"
      "server.queue.latency = 1 [ms] lower-is-better\n"
      "client.latency = 6 [ms] lower-is-better\n"
      "empty = unknown null\n"
      "busbw = 7 [GB/s] higher-is-better\n"
      "! null_values\n");
}

TEST(KeyValue, items_of_a_list_are_records_called_by_their_first_word) {
  const std::string both =
      "metrics[stressor=cpu].stressor = context text 'cpu'\n"
      "metrics[stressor=cpu].real-time = 2 lower-is-better\n"
      "metrics[stressor=vm].stressor = context text 'vm'\n"
      "metrics[stressor=vm].real-time = 3 lower-is-better\n"
      "threads = 4 context\n";
  EXPECT_EQ(listing_of("---\nmetrics:\n  - stressor: cpu\n    real-time: 2\n\n  - stressor: vm\n    real-time: 3\nthreads: 4\n"),
            "key-value\n" + both);
  EXPECT_EQ(listing_of("metrics:\n- stressor: cpu\n  real-time: 2\n- stressor: vm\n  real-time: 3\nthreads: 4\n"),
            "key-value\n" + both)
      << "dashes that stand no further in";
  EXPECT_EQ(listing_of("- latency: 5 ms\n- busbw: 7 GB/s\n- latency: 6 ms\n"),
            "key-value\nlatency = 5 6 [ms] lower-is-better\nbusbw = 7 [GB/s] higher-is-better\n")
      << "a number calls no record";
}

TEST(KeyValue, a_name_that_comes_again_is_a_trial_and_other_lines_are_counted) {
  EXPECT_EQ(listing_of("latency: 5 ms\nwarming up\nlatency: 0.006 s\nlatency: 7 ms\nAPI_TOKEN=abc\n"),
            "key-value\n"
            "latency = 5 6 7 [ms] lower-is-better\n"
            "! unread_lines\n"
            "! environment_in_source\n");
  EXPECT_EQ(listing_of("latency: 5 ms\nlatency: crashed\n"),
            "error: no valid result in it: \"latency\" is \"crashed\" (result)\n");
  EXPECT_EQ(listing_of("Dear all: it works.\nIt is fast.\nMuch faster than before.\nScore: 5\n").substr(0, 7), "error: ");
}

TEST(Csv, gpus_and_percentiles_are_rows_and_no_trials) {
  EXPECT_EQ(listing_of("index, name, power.draw [W]\n0, NVIDIA H100, 312.5 W\n1, NVIDIA H100, 305.5 W\n", "t.csv"),
            "csv\n"
            "[index=0,name=NVIDIA H100].power.draw = 312.5 [W] unknown\n"
            "[index=1,name=NVIDIA H100].power.draw = 305.5 [W] unknown\n");
  EXPECT_EQ(listing_of("Percentage served,Time in ms\n50,2.5\n99,9.1\n", "t.csv"),
            "csv\n"
            "[Percentage served=50].Time in ms = 2.5 [ms] lower-is-better\n"
            "[Percentage served=99].Time in ms = 9.1 [ms] lower-is-better\n");
  EXPECT_TRUE(has(listing_of("index,latency_ms\n0,2.5\n1,9.1\n", "t.csv"), "latency_ms = 2.5 9.1")) << "an index that counts";
}

TEST(Csv, columns_of_percents_beside_a_time_are_its_percentiles) {
  EXPECT_EQ(listing_of("Name,Average Response Time,50%,99.9%\n/a,10,9,30\n/b,20,19,40\n", "t.csv"),
            "csv\n"
            "[Name=/a].Average Response Time = 10 lower-is-better\n"
            "[Name=/a].50% = 9 lower-is-better\n"
            "[Name=/a].99.9% = 30 lower-is-better\n"
            "[Name=/b].Average Response Time = 20 lower-is-better\n"
            "[Name=/b].50% = 19 lower-is-better\n"
            "[Name=/b].99.9% = 40 lower-is-better\n");
  EXPECT_EQ(listing_of("Name,Requests/s,50%,99%\n/a,10,9,30\n/b,20,19,40\n", "t.csv").substr(0, 72),
            "csv\n[Name=/a].Requests/s = 10 [req/s] higher-is-better\n[Name=/a].50% = 9");
}

TEST(GenericText, any_reader_of_its_own_wins_over_them) {
  for (const std::string_view text : {"{\"latency: ms\": 5}", "size,latency\n1,2\n2,3\n"}) {
    Input input;
    input.name = "x";
    input.bytes = text;
    const auto found = detect(input);
    ASSERT_TRUE(found);
    EXPECT_NE(found->info.name, "key-value");
  }
}

TEST(EmbeddedJson, an_object_in_a_log_is_read_and_the_lines_around_it_are_counted) {
  EXPECT_EQ(listing_of("starting up\nwarming [3/3]\n{\n  \"latency_ms\": 5,\n  \"name\": \"a { b\"\n}\nbye\n"),
            "generic-json\n"
            "latency_ms = 5 [ms] lower-is-better\n"
            "name = context text 'a { b'\n"
            "! text_around_json\n");
  EXPECT_EQ(listing_of("INFO begin\n{\"op\": \"a\", \"ms\": 5}\nINFO next\n{\"op\": \"b\", \"ms\": 6}\n"),
            "generic-json\n"
            "[op=a].ms = 5 [ms] lower-is-better\n"
            "[op=b].ms = 6 [ms] lower-is-better\n"
            "! text_around_json\n! json_lines\n");
}

TEST(EmbeddedJson, its_places_are_those_of_the_file) {
  EXPECT_EQ(listing_of("begin\n\n{\n  \"a\": 1,\n  \"b\": x1\n}\nend\n"), "error: expected a value (result:5:8)\n");
  const auto found = embedded_json("x\n{\"a\": 1}\ny\n[{\"b\": 2}]\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, "\n{\"a\": 1}\n\n[{\"b\": 2}]");
  EXPECT_EQ(found->values, 2U);
  EXPECT_EQ(found->other_lines, 2U);
  EXPECT_FALSE(embedded_json("[0] GPU\n{ready}\n{\"open\": 1\n"));
}

std::string utf16(std::string_view ascii, bool little, bool mark) {
  std::string out = mark ? (little ? "\xFF\xFE" : "\xFE\xFF") : "";
  for (const char c : ascii) {
    if (!little) out.push_back('\0');
    out.push_back(c);
    if (little) out.push_back('\0');
  }
  return out;
}

TEST(PlainText, utf16_is_read_as_what_it_says) {
  for (const bool little : {true, false}) {
    for (const bool mark : {true, false}) {
      EXPECT_EQ(listing_of(utf16("{\"latency_ms\": 5}", little, mark)),
                "generic-json\nlatency_ms = 5 [ms] lower-is-better\n! utf16_text\n");
    }
  }
  using namespace std::string_literals;
  const auto plain = plain_text("\xFF\xFE\xB1\x00\x3D\xD8\x00\xDE\x00\xD8x"s);  // ±, a pair, half a pair, an odd byte
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->own, "\xC2\xB1\xF0\x9F\x98\x80\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(plain->warnings[0].message,
            "the text is UTF-16LE and was read as the same text in UTF-8; 2 units are no character and became U+FFFD");
}

TEST(PlainText, colours_and_launchers_are_taken_off_before_any_reader_looks) {
  const std::string json = "{\"op\": \"a\", \"ms\": 5}\n{\"op\": \"b\", \"ms\": 6}\n";
  const std::string rows = "generic-json\n[op=a].ms = 5 [ms] lower-is-better\n[op=b].ms = 6 [ms] lower-is-better\n! json_lines\n";
  EXPECT_EQ(listing_of(json), rows);
  EXPECT_EQ(listing_of("\x1B[32m{\"op\": \"a\", \"ms\": 5}\x1B[0m\n\x1B[1;31m{\"op\": \"b\", \"ms\": 6}\x1B[m\n"), rows);
  EXPECT_EQ(listing_of("[1,0]<stdout>:{\"op\": \"a\", \"ms\": 5}\n[1,1]<stdout>:{\"op\": \"b\", \"ms\": 6}\n"), rows);
  EXPECT_EQ(listing_of("0: {\"op\": \"a\", \"ms\": 5}\n1: {\"op\": \"b\", \"ms\": 6}\n"), rows);
  EXPECT_EQ(
      listing_of("2026-01-31T10:00:00.123456789Z {\"op\": \"a\", \"ms\": 5}\n2026-01-31T10:00:01.5Z {\"op\": \"b\", \"ms\": "
                 "6}\n"),
      rows);
  EXPECT_EQ(listing_of("0: latency: 5 ms\n0: busbw: 6 GB/s\n"),
            "key-value\nlatency = 5 [ms] lower-is-better\nbusbw = 6 [GB/s] higher-is-better\n");
  EXPECT_FALSE(plain_text("0: 12.5\n1: 13.5\n")) << "somebody's table, not two tasks of srun";
  for (const std::string_view end : {"", "\n", "\n\n"}) {
    EXPECT_TRUE(
        has_line(listing_of("0: BenchmarkX-8 100 12.3 ns/op" + std::string(end)), "X-8.time = 12.3 [ns] lower-is-better"));
  }
  for (const std::string_view text : {"0: 12.5", "0: 12.5 13.5", "0: x", "0: started", "12: 30"}) {
    EXPECT_FALSE(plain_text(text)) << text << " is no name with a number";
  }
}

}  // namespace
}  // namespace plumbline::formats
