// What tools without a reader of their own write, as the readers of any text take it: settings are no results, points in time are
// no times and tell nothing apart, and a text that is not understood is refused with what is true of it.
#include <gtest/gtest.h>

#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

TEST(Settings, stand_in_objects_and_sections_that_are_called_so) {
  EXPECT_EQ(listing_of(R"({"options": {"timeout": 20, "rate": {"limit_s": 3}}, "latency_ms": 5})", "run.json"),
            "generic-json\n"
            "options.timeout = 20 context\n"
            "options.rate.limit_s = 3 [s] context\n"
            "latency_ms = 5 [ms] lower-is-better\n");
  EXPECT_EQ(listing_of("system-info:\n  load-time: 3\nresults:\n  latency: 5 ms\n"),
            "key-value\n"
            "system-info.load-time = 3 context\n"
            "results.latency = 5 [ms] lower-is-better\n");
}

TEST(Moments, tell_no_points_apart) {
  EXPECT_EQ(listing_of("started,op,latency_ms\n2024-05-01 12:30:00,read,5\n2024-05-01 12:30:01,write,6\n", "t.csv"),
            "csv\n"
            "[op=read].started = context text '2024-05-01 12:30:00'\n"
            "[op=read].latency_ms = 5 [ms] lower-is-better\n"
            "[op=write].started = context text '2024-05-01 12:30:01'\n"
            "[op=write].latency_ms = 6 [ms] lower-is-better\n");
  EXPECT_EQ(listing_of(R"([{"from": "2024-05-01T12:30:00Z", "op": "read", "latency_ms": 5}])", "t.json"),
            "generic-json\n"
            "[op=read].from = context text '2024-05-01T12:30:00Z'\n"
            "[op=read].latency_ms = 5 [ms] lower-is-better\n");
  EXPECT_NE(listing_of("day,op,latency_ms\n2024-05-01,read,5\n2024-05-02,read,6\n", "t.csv").find("[day=2024-05-01,op=read]"),
            std::string::npos)
      << "a day may be what was asked for";
}

TEST(Moments, are_no_times_that_could_not_be_read) {
  EXPECT_EQ(listing_of(R"({"LaunchTime": "2024-05-01T12:30:00.000Z", "wall_time": "12:30:00", "latency_ms": 5})", "t.json"),
            "generic-json\n"
            "LaunchTime = context text '2024-05-01T12:30:00.000Z'\n"
            "wall_time = lower-is-better failed '12:30:00'\n"
            "latency_ms = 5 [ms] lower-is-better\n"
            "! unread_numbers\n")
      << "half a day may be how long it took";
}

TEST(Moments, are_no_names_of_results) {
  const std::string log = "2024-05-01 12:30:00 - step 1 total_ips : 6724.3\n2024-05-01 12:30:01 - step 2 total_ips : 6785.2\n";
  EXPECT_EQ(listing_of(log).substr(0, 23), "error: no format fits: ");
}

TEST(Stamps, are_times_of_half_a_century) {
  EXPECT_EQ(listing_of("time_s: 1656105409\nlatency: 5 ms\n"),
            "key-value\n"
            "time_s = 1656105409 [s] context\n"
            "latency = 5 [ms] lower-is-better\n");
  EXPECT_EQ(listing_of("init time: 1674130036.041868\ninit time: 1674130035.941824\nlatency: 5 ms\n"),
            "key-value\n"
            "init time = 1674130036.041868 1674130035.941824 context\n"
            "latency = 5 [ms] lower-is-better\n");
  EXPECT_EQ(listing_of("latency_ns: 1656105409\n"), "key-value\nlatency_ns = 1656105409 [ns] lower-is-better\n")
      << "one second and a half";
  EXPECT_EQ(listing_of("wait time: 1656105409.5\n"), "key-value\nwait time = 1656105409.5 lower-is-better\n")
      << "may be nanoseconds";
}

TEST(Drawn, statistics_are_context_beside_their_trials) {
  EXPECT_EQ(
      listing_of(R"({"case": {"times_ms": [5, 6, 10, 7], "mean_ms": 7, "median_ms": 6.5, "score_mean_s": 0.0065, "avg_ms": 8}})"),
      "generic-json\n"
      "case.times_ms = 5 6 10 7 [ms] lower-is-better\n"
      "case.mean_ms = 7 [ms] context\n"
      "case.median_ms = 6.5 [ms] context\n"
      "case.score_mean_s = 0.0065 [s] context\n"
      "case.avg_ms = 8 [ms] lower-is-better\n")
      << "the mean without the best and the worst too; what is no mean of them is judged";
  EXPECT_EQ(listing_of(R"({"a": {"times_ms": [5, 6, 7]}, "b": {"mean_ms": 6}})"),
            "generic-json\n"
            "a.times_ms = 5 6 7 [ms] lower-is-better\n"
            "b.mean_ms = 6 [ms] lower-is-better\n");
}

TEST(Csv, without_a_header_is_refused) {
  const std::string error = "error: a table without a header: its first line is one of values (t.csv)\n";
  EXPECT_EQ(listing_of("2024-05-01 12:30:00,OK,5,1.25\n2024-05-01 12:30:01,OK,6,2.5\n", "t.csv"), error);
  EXPECT_EQ(listing_of("login,OK,1425,200\nlogout,OK,2204,200\n", "t.csv"), error);
  EXPECT_EQ(listing_of("op,size,OK\nread,8,5.5\nwrite,8,6.5\n", "t.csv").substr(0, 4), "csv\n");
}

TEST(Csv, the_file_worked_on_tells_lines_apart_where_nothing_else_does) {
  EXPECT_EQ(listing_of("name,Compression speed,filename\nlz -1,500,a.txt\nlz -1,300,b.txt\n", "t.csv"),
            "csv\n"
            "[name=lz -1,filename=a.txt].Compression speed = 500 higher-is-better\n"
            "[name=lz -1,filename=b.txt].Compression speed = 300 higher-is-better\n");
}

TEST(Csv, of_names_may_have_columns_that_tell_lines_apart) {
  EXPECT_EQ(listing_of("Metric,Task,Value,Unit\nmerge time,,0.25,min\nlatency,index,5,ms\nlatency,search,7,ms\n", "t.csv"),
            "csv\n"
            "merge time = 0.25 [min] lower-is-better\n"
            "[Task=index].latency = 5 [ms] lower-is-better\n"
            "[Task=search].latency = 7 [ms] lower-is-better\n");
  EXPECT_EQ(listing_of("name,task,value,other_ms\na,index,5,1\nb,search,7,2\n", "t.csv").substr(0, 30),
            std::string("csv\n[name=a,task=index].value = 5 unknown").substr(0, 30))
      << "it measures more than one thing";
}

TEST(Csv, of_settings_is_no_table) {
  EXPECT_EQ(listing_of("rmem = 4096\t131072\t6291456\nwmem = 4096\t16384\t4194304\n").substr(0, 7), "error: ");
}

TEST(KeyValue, what_stands_further_in_behind_one_of_several_is_its_own) {
  EXPECT_EQ(
      listing_of(
          "GPU 0: H100 a\n  Link 0: 44.5 GB/s\n  Link 1: 45.5 GB/s\nGPU 1: H100 b\n  Link 0: 46.5 GB/s\n  Link 1: 47.5 GB/s\n"),
      "key-value\n"
      "GPU 0 = context text 'H100 a'\n"
      "GPU 0.Link 0 = 44.5 [GB/s] higher-is-better\n"
      "GPU 0.Link 1 = 45.5 [GB/s] higher-is-better\n"
      "GPU 1 = context text 'H100 b'\n"
      "GPU 1.Link 0 = 46.5 [GB/s] higher-is-better\n"
      "GPU 1.Link 1 = 47.5 [GB/s] higher-is-better\n");
}

TEST(KeyValue, a_result_that_was_not_understood_is_no_result_among_settings) {
  const std::string text = "Archives: 1\nFiles: 3\nGlobal Time = 0.125 = 106%\n";
  EXPECT_EQ(listing_of(text),
            "error: of 2 lines with numbers 2 are a name and a value, settings and counts, no result among them; not "
            "understood: line 3 \"Global Time = 0.125 = 106%\" (result)\n");
}

TEST(Json, is_not_what_begins_with_a_quote_or_a_date_in_brackets) {
  EXPECT_EQ(listing_of("\"stride=128\n0.0005 1.1\n0.0010 1.2\n"),
            "error: no format fits: the text starts with \"\\\"stride=128\" (result)\n");
  EXPECT_EQ(listing_of("[2024-05-01 12:30:00,460 host:246] started\n[2024-05-01 12:30:01,460 host:246] ended\n"),
            "error: no format fits: the text starts with \"[2024-05-01 12:30:00,460 host:246] started\" (result)\n");
}

TEST(KnownTools, that_say_what_a_machine_did) {
  EXPECT_EQ(listing_of(R"({"sysstat": {"hosts": [{"nodename": "n", "r/s": 5}]}})", "t.json").substr(0, 38),
            "error: this is what sysstat (sar, iost");
}

}  // namespace
}  // namespace plumbline::formats
