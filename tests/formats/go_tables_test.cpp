// Go: the tables of benchstat before 2023 and odd ones since, go test -json, and what tells results of one file apart. Numbers
// are our own; shapes are those that golang.org/x/perf prints.
#include <gtest/gtest.h>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

// What the text and the CSV say alike.
const std::string kOldTimes = R"(benchstat
Encode-8[file=old].time = 0.00000509 [s] lower-is-better
Encode-8[file=old].time.interval = 1 [%] noise
Encode-8[file=new].time = 0.00000225 [s] lower-is-better
Encode-8[file=new].time.interval = 86 [%] noise
Encode-8[file=new].time.vs_base = -55.8 [%] context
Encode-8[file=new].time.p = 0 context
Decode-8[file=old].time = 0.114 [s] lower-is-better
Decode-8[file=old].time.interval = 73 [%] noise
Decode-8[file=new].time = 0.121 [s] lower-is-better
Decode-8[file=new].time.interval = 72 [%] noise
Decode-8[file=new].time.p = 0.701 context
)";

TEST(Benchstat, tables_of_before_2023_have_the_keys_and_units_of_those_since) {
  EXPECT_EQ(rows("benchstat_old.txt"), kOldTimes + R"(geomean[file=old].time.geomean = 0.000761 [s] context
geomean[file=new].time.geomean = 0.000522 [s] context
geomean[file=new].time.geomean.vs_base = -31.41 [%] context
Encode-8[file=old].B/op = 1500000 [B] lower-is-better
Encode-8[file=old].B/op.interval = 0 [%] noise
Encode-8[file=new].B/op = 400 [B] lower-is-better
Encode-8[file=new].B/op.interval = 0 [%] noise
Encode-8[file=new].B/op.vs_base = -99.97 [%] context
Encode-8[file=new].B/op.p = 0 context
Decode-8[file=old].B/op = 0 [B] lower-is-better
Decode-8[file=new].B/op = 0 [B] lower-is-better
Encode-8[file=old].allocs/op = 290000 lower-is-better
Encode-8[file=old].allocs/op.interval = 0 [%] noise
Encode-8[file=new].allocs/op = 206000 lower-is-better
Encode-8[file=new].allocs/op.interval = 0 [%] noise
Encode-8[file=new].allocs/op.vs_base = -28.97 [%] context
Encode-8[file=new].allocs/op.p = 0 context
Encode-8[file=old].speed = 35100000 [B/s] higher-is-better
Encode-8[file=old].speed.interval = 1 [%] noise
Encode-8[file=new].speed = 1250000000 [B/s] higher-is-better
Encode-8[file=new].speed.interval = 3 [%] noise
Encode-8[file=new].speed.vs_base = 3461.25 [%] context
Encode-8[file=new].speed.p = 0 context
Encode-8[file=old].GC-sec/op = 5e-8 [s] lower-is-better
Encode-8[file=old].GC-sec/op.interval = 1 [%] noise
Encode-8[file=new].GC-sec/op = 6e-8 [s] lower-is-better
Encode-8[file=new].GC-sec/op.interval = 1 [%] noise
Encode-8[file=new].GC-sec/op.vs_base = 20 [%] context
Encode-8[file=new].GC-sec/op.p = 0.008 context
Encode-8[file=old].hits/op = 3 higher-is-better
Encode-8[file=old].hits/op.interval = 0 [%] noise
Encode-8[file=new].hits/op = 4 higher-is-better
Encode-8[file=new].hits/op.interval = 0 [%] noise
Encode-8[file=new].hits/op.vs_base = 33.33 [%] context
Encode-8[file=new].hits/op.p = 0.008 context
headline *.time
! unread_lines
)");
}

TEST(Benchstat, in_an_old_table_of_several_files_a_blank_cell_leaves_the_others_in_their_columns) {
  EXPECT_EQ(rows("benchstat_old_files.txt"), R"(benchstat
acme/codec.Encode-8[file=out/stdlib.txt].time = 1.99e-7 [s] lower-is-better
acme/codec.Encode-8[file=out/stdlib.txt].time.interval = 7 [%] noise
acme/codec.Encode-8[file=out/ours.txt].time = 7.7e-8 [s] lower-is-better
acme/codec.Encode-8[file=out/ours.txt].time.interval = 1 [%] noise
acme/codec.Encode-8[file=out/theirs.txt].time = 2.6e-8 [s] lower-is-better
acme/codec.Encode-8[file=out/theirs.txt].time.interval = 1 [%] noise
acme/codec.Verify-8[file=out/ours.txt].time = 0.000137 [s] lower-is-better
acme/codec.Verify-8[file=out/ours.txt].time.interval = 1 [%] noise
acme/codec.Verify-8[file=out/theirs.txt].time = 0.000077 [s] lower-is-better
acme/codec.Verify-8[file=out/theirs.txt].time.interval = 1 [%] noise
acme/key.Sign-8[file=out/stdlib.txt].time = 0.000109 [s] lower-is-better
acme/key.Sign-8[file=out/stdlib.txt].time.interval = 0 [%] noise
acme/key.Sign-8[file=out/theirs.txt].time = 0.000029 [s] lower-is-better
acme/key.Sign-8[file=out/theirs.txt].time.interval = 0 [%] noise
acme/codec.Encode-8[file=out/stdlib.txt].things = 63.7 unknown
acme/codec.Encode-8[file=out/stdlib.txt].things.interval = 0 [%] noise
acme/codec.Encode-8[file=out/ours.txt].things = 63.9 unknown
acme/codec.Encode-8[file=out/ours.txt].things.interval = 0 [%] noise
acme/codec.Encode-8[file=out/theirs.txt].things = 54 unknown
acme/codec.Encode-8[file=out/theirs.txt].things.interval = 0 [%] noise
headline *.time
)");
}

TEST(Benchstat, the_csv_of_before_2023_is_in_nanoseconds_and_megabytes) {
  EXPECT_EQ(rows("benchstat_old.csv"), kOldTimes + R"(Encode-8[file=old].speed = 35100000 [B/s] higher-is-better
Encode-8[file=old].speed.interval = 1 [%] noise
Encode-8[file=new].speed = 1250000000 [B/s] higher-is-better
Encode-8[file=new].speed.interval = 3 [%] noise
Encode-8[file=new].speed.vs_base = 3461.25 [%] context
Encode-8[file=new].speed.p = 0 context
headline *.time
)");
}

TEST(Benchstat, an_old_table_of_one_file_needs_its_ranges_to_be_told_from_any_other) {
  EXPECT_EQ(listing_of("name      time/op\nEncode-8  5.09\xC2\xB5s \xC2\xB1 1%\n"),
            "benchstat\n"
            "Encode-8.time = 0.00000509 [s] lower-is-better\n"
            "Encode-8.time.interval = 1 [%] noise\n"
            "headline *.time\n");
  EXPECT_EQ(listing_of("name      time/op\nEncode-8  5.09\n").find("benchstat"), std::string::npos);
}

TEST(Benchstat, warnings_of_the_csv_between_its_tables_are_no_settings) {
  EXPECT_EQ(listing_of("B3: need >= 6 samples for confidence interval at level 0.95\ngoos: linux\n"
                       ",a.txt,\n,sec/op,CI\n\"Encode/x=1,y=2\",1e-06,\xE2\x88\x9E\n"),
            "benchstat\n"
            "Encode/x=1,y=2.time = 0.000001 [s] lower-is-better\n"
            "context stack.goos = linux\n"
            "headline *.time\n");
}

TEST(Benchstat, rows_of_several_settings_have_blanks_and_columns_of_several_have_a_header_each) {
  EXPECT_EQ(listing_of("          \xE2\x94\x82             old.txt             \xE2\x94\x82\n"
                       "          \xE2\x94\x82      IEEE      \xE2\x94\x82   Koopman      \xE2\x94\x82\n"
                       "          \xE2\x94\x82     sec/op     \xE2\x94\x82    sec/op      \xE2\x94\x82\n"
                       "CRC32 15     44.50n \xC2\xB1 2%       35.50n \xC2\xB1 1%\n"
                       "CRC32 40     42.50n \xC2\xB1 3% \xC2\xB9\n"
                       "\xC2\xB9 all samples are equal\n"),
            "benchstat\n"
            "CRC32 15[file=old.txt IEEE].time = 4.45e-8 [s] lower-is-better\n"
            "CRC32 15[file=old.txt IEEE].time.interval = 2 [%] noise\n"
            "CRC32 15[file=old.txt Koopman].time = 3.55e-8 [s] lower-is-better\n"
            "CRC32 15[file=old.txt Koopman].time.interval = 1 [%] noise\n"
            "CRC32 40[file=old.txt IEEE].time = 4.25e-8 [s] lower-is-better\n"
            "CRC32 40[file=old.txt IEEE].time.interval = 3 [%] noise\n"
            "headline *.time\n");
}

TEST(GoBench, events_of_packages_that_ran_at_once_are_put_together_again) {
  EXPECT_EQ(rows("go_test.jsonl"), R"(go-bench
acme/codec.Encode-8.time = 325.5 [ns] lower-is-better
acme/codec.Encode-8.B/op = 16 [B] lower-is-better
acme/key.Sign-8.time = 4250 [ns] lower-is-better
failed_packages_or_tests = 1 gate lower-is-better
context stack.goos = linux
headline *.time
)");
}

TEST(GoBench, parts_that_a_setting_tells_apart_are_no_trials_of_each_other) {
  EXPECT_EQ(
      listing_of(
          "goos: linux\nnote: before\nBenchmarkA 1 100 ns/op\nBenchmarkA 1 110 ns/op\nnote: after\nBenchmarkA 1 90 ns/op\n"),
      "go-bench\n"
      "A[note=before].time = 100 110 [ns] lower-is-better\n"
      "A[note=after].time = 90 [ns] lower-is-better\n"
      "context stack.goos = linux\n"
      "headline *.time\n");
}

TEST(GoBench, a_unit_of_its_own_is_judged_by_its_name) {
  EXPECT_EQ(listing_of("BenchmarkA 1 100 ns/op 7 p99-ns 5 build-real-ns/op 3 evictions/op 2 widgets\n"),
            "go-bench\n"
            "A.time = 100 [ns] lower-is-better\n"
            "A.p99-ns = 7 [ns] lower-is-better\n"
            "A.build-real-ns/op = 5 [ns] lower-is-better\n"
            "A.evictions/op = 3 lower-is-better\n"
            "A.widgets = 2 unknown\n"
            "headline *.time\n");
}

TEST(GoBench, without_a_time_everything_is_a_headline) {
  EXPECT_EQ(listing_of("BenchmarkLink 1 100 text-bytes\n"),
            "go-bench\n"
            "Link.text-bytes = 100 [B] unknown\n"
            "headline *\n");
}

TEST(Benchstat, old_tables_cut_anywhere_are_an_error_or_rows) {
  cut_anywhere("benchstat_old.txt", "benchstat");
  cut_anywhere("benchstat_old_files.txt", "benchstat");
  cut_anywhere("benchstat_old.csv", "benchstat");
  cut_anywhere("go_test.jsonl", "go-bench");
}

}  // namespace
}  // namespace plumbline::formats
