// Formats that are stated (formats/stated): the parts of a statement by small ones, and every fixture of fixtures/stated: read as
// the format that its name begins with, as its listing beside it says, and cut anywhere without harm. To add a format: its file,
// a line in formats/list.inc, a fixture; PLUMBLINE_UPDATE_GOLDENS=1 writes the listing, to be read before it is committed.
#include "formats/stated/stated.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "formats/stated/pattern.hpp"
#include "tests/formats/reading.hpp"

namespace plumbline::formats::stated {
namespace {

// ---- lines ------------------------------------------------------------------------------------------------------------------

std::string matched(std::string_view pattern, std::string_view line) {
  const auto made = Pattern::parse(pattern);
  if (!made) return made.error().message + " | " + made.error().hint;
  std::vector<std::string_view> values;
  if (!made->match(line, values)) return "no";
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += (i > 0 ? "; " : "") + made->holes()[i] + "=" + std::string(values[i]);
  }
  return out.empty() ? "yes" : out;
}

TEST(Pattern, a_hole_reaches_to_the_first_place_where_the_text_behind_it_fits) {
  EXPECT_EQ(matched("Requests per second: {rps} [#/sec]", "Requests per second:    5.25 [#/sec]"), "rps=5.25");
  EXPECT_EQ(matched("{op} took {time} ms", "read of x took 3 took 4 ms"), "op=read of x; time=3 took 4");
  EXPECT_EQ(matched("{a} {b}", "one two three"), "a=one; b=two three");
  EXPECT_EQ(matched("{a}%{b}", "\t50%   12 "), "a=50; b=12");
}
TEST(Pattern, one_blank_is_any_blanks_and_the_line_is_taken_to_its_end) {
  EXPECT_EQ(matched("a b", "  a \t b  "), "yes");
  EXPECT_EQ(matched("a b", "ab"), "no");
  EXPECT_EQ(matched("a b", "a b c"), "no");
  EXPECT_EQ(matched("a {x} b", "a 1 b b"), "x=1 b");
  EXPECT_EQ(matched("a {}", "a"), "=");
  EXPECT_EQ(matched("a: {}", "a: anything at all"), "=anything at all");
}
TEST(Pattern, what_cannot_be_read_is_said) {
  EXPECT_EQ(matched("a {x", ""), "a hole has no end in the line \"a {x\" | write {name}");
  EXPECT_EQ(matched("a {x}{y}", ""),
            "two holes side by side in the line \"a {x}{y}\" | put the text that is between them, a blank at least");
}
TEST(Pattern, holes_are_filled_into_names) {
  const auto value = [](std::string_view name) {
    return std::string_view(name == "p" ? "99.9" : name == "of" ? "Time Spent" : "");
  };
  EXPECT_EQ(filled("p{p}", value), "p99.9");
  EXPECT_EQ(filled("{of:lower}_p{p}{none}", value), "time_spent_p99.9");
  EXPECT_EQ(filled("plain{", value), "plain{");
  const auto long_one = [](std::string_view name) { return std::string_view(name == "p" ? "99.90" : "50.00"); };
  EXPECT_EQ(filled("p{p:short} p{q:short} p{p}", long_one), "p99.9 p50 p99.90");
}

// ---- statements -------------------------------------------------------------------------------------------------------------

std::string read_as_stated(const Statement& statement, std::string_view text) {
  static Statement current;
  current = statement;
  static const Format format = {.name = "toy", .title = "toy", .replication = core::Replication::run, .statement = &current};
  static const Format* const only[] = {&format};
  Input input;
  input.name = "toy.txt";
  input.bytes = text;
  ReadOptions options;
  options.formats = only;
  const auto m = formats::read(input, options);
  return m ? listing_of(*m) : m.error().message + " | " + m.error().hint + " | " + m.error().where;
}

constexpr Field kFields[] = {dimension("op"),
                             dimension("size"),
                             context("version", "stack.toy"),
                             headline(load(higher("rate", "MB/s"))),
                             lower("time", "ms", "p{p}"),
                             gate("errors"),
                             gate("ok", {}, core::Direction::higher),
                             shown("count"),
                             times(1000, with_prefixes(Prefixes::binary, higher("bytes", "B/s")))};
constexpr Line kLines[] = {
    {.text = "toy {version}", .turn = Turn::begins},
    {.text = "size = {size}"},
    {.text = "{op}: {rate} MB/s, {count} done", .point = "{op}"},
    {.text = "p{p} {time}", .point = "latency"},
    {.text = "moved {bytes}"},
    {.text = "errors: {errors}"},
    {.text = "check {ok}"},
    {.text = "target {}", .turn = Turn::paces},
    {.text = "ABORTED {}", .turn = Turn::fails},
    {.text = "done", .turn = Turn::ends},
};
constexpr Spoiled kSpoiled[] = {{"errors", "count", "nothing worked"}};
constexpr std::string_view kOurs[] = {"toy {}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kLog = {.tool = "toy",
                            .subject = "toy",
                            .recognised = kRecognised,
                            .fields = kFields,
                            .lines = kLines,
                            .spoiled = kSpoiled,
                            .nothing = "no line of toy",
                            .hint = "toy prints one"};

TEST(Statement, dimensions_on_a_line_of_their_own_hold_until_they_are_said_again) {
  EXPECT_EQ(read_as_stated(kLog,
                           "toy 1.2\nsize = 8\nread: 5.5 MB/s, 10 done\nsize = 16\nread: 6.5 MB/s, 20 done\n"
                           "read: 6.25 MB/s, 20 done\nerrors: 2\ndone\n"),
            "toy\n"
            "read[size=8].rate = 5.5 [MB/s] higher-is-better\n"
            "read[size=8].count = 10 context\n"
            "read[size=16].rate = 6.5 6.25 [MB/s] higher-is-better\n"
            "read[size=16].count = 20 20 context\n"
            "toy[size=16].errors = 2 gate lower-is-better\n"
            "context stack.toy = 1.2\n"
            "headline read[size=8].rate\n"
            "headline read[size=16].rate\n");
}
TEST(Statement, values_have_units_grouped_digits_prefixes_and_words_for_what_is_missing) {
  EXPECT_EQ(read_as_stated(kLog, "toy 1\np50 635us\np90 1,234.5\np99 -\np99.9 nan\nmoved 1.5KB/s\ncheck PASS\ndone\n"),
            "toy\n"
            "latency.p50 = 0.635 [ms] lower-is-better\n"
            "latency.p90 = 1234.5 [ms] lower-is-better\n"
            "latency.p99 = [ms] lower-is-better null '-'\n"
            "latency.p99.9 = [ms] lower-is-better not_finite 'nan'\n"
            "bytes = 1536000 [B/s] higher-is-better\n"
            "ok = 1 gate higher-is-better\n"
            "context stack.toy = 1\n"
            "! non_finite\n");
}
TEST(Statement, a_run_that_failed_or_did_nothing_has_no_judged_numbers) {
  EXPECT_EQ(read_as_stated(kLog, "toy 1\nread: 5 MB/s, 3 done\nABORTED by user\ndone\n"),
            "toy\n"
            "read.rate = [MB/s] higher-is-better failed 'ABORTED by user'\n"
            "read.count = 3 context\n"
            "context stack.toy = 1\n"
            "headline read.rate\n");
  EXPECT_EQ(read_as_stated(kLog, "toy 1\nread: 5 MB/s, 3 done\nerrors: 3\ndone\n"),
            "toy\n"
            "read.rate = [MB/s] higher-is-better failed 'nothing worked'\n"
            "read.count = 3 context\n"
            "errors = 3 gate lower-is-better\n"
            "context stack.toy = 1\n"
            "headline read.rate\n");
}
TEST(Statement, a_fixed_load_makes_its_rates_context) {
  EXPECT_EQ(read_as_stated(kLog, "toy 1\nread: 5 MB/s, 3 done\ntarget 5 MB/s\ndone\n"),
            "toy\n"
            "read.rate = 5 [MB/s] context\n"
            "read.count = 3 context\n"
            "context stack.toy = 1\n"
            "! offered_load\n");
}
TEST(Statement, a_later_run_has_rows_of_its_own_and_one_without_an_end_is_told) {
  EXPECT_EQ(read_as_stated(kLog, "toy 1\nread: 5 MB/s, 3 done\ndone\ntoy 1\nread: 6 MB/s, 3 done\n"),
            "toy\n"
            "read.rate = 5 [MB/s] higher-is-better\n"
            "read.count = 3 context\n"
            "read[section=2].rate = 6 [MB/s] higher-is-better\n"
            "read[section=2].count = 3 context\n"
            "context stack.toy = 1\n"
            "headline read.rate\n"
            "headline read[section=2].rate\n"
            "! repeated_sections\n"
            "! run_incomplete\n");
}
TEST(Statement, a_text_without_a_row_is_refused_in_the_words_of_the_statement) {
  EXPECT_EQ(read_as_stated(kLog, "toy 1\nnothing else\n"), "no line of toy | toy prints one | toy.txt:1");
}

constexpr Column kColumns[] = {{"Name", "op"}, {"Avg. Rate", "rate"}, {"p99", "time"}};
constexpr Field kTableFields[] = {dimension("op"), higher("rate", "MB/s"), lower("time", "ms", "p99")};
constexpr Table kBlanks[] = {{.columns = kColumns, .point = "{op}"}};
constexpr Table kBars[] = {{.columns = kColumns, .point = "{op}", .separator = '|'}};
constexpr std::string_view kHeading[] = {"{}Name{}"};
constexpr Recognised kByHeading[] = {{kHeading}};

constexpr std::string_view kHeadOfGpus[] = {"gpu,power,{}"};
constexpr Recognised kByHeadOfGpus[] = {{kHeadOfGpus}};

TEST(Statement, a_table_of_blanks_ends_where_a_line_does_not_fit) {
  const Statement statement = {.tool = "toy", .recognised = kByHeading, .fields = kTableFields, .tables = kBlanks};
  EXPECT_EQ(read_as_stated(
                statement,
                "Name   Avg. Rate  other  p99\n-----------\nread all  5.5 MB/s  x  3\nwrite  6 y 4us\nthe end of it\nz 1 2 3\n"),
            "toy\n"
            "read all.rate = 5.5 [MB/s] higher-is-better\n"
            "read all.p99 = 3 [ms] lower-is-better\n"
            "write.rate = 6 [MB/s] higher-is-better\n"
            "write.p99 = 0.004 [ms] lower-is-better\n");
}
TEST(Statement, a_table_of_bars_has_empty_cells) {
  const Statement statement = {.tool = "toy", .recognised = kByHeading, .fields = kTableFields, .tables = kBars};
  EXPECT_EQ(read_as_stated(statement, "| Name | Avg. Rate | p99 |\n|---|---|---|\n| a b | 5 | |\n| c | 6 MB/s | 2 |\n"),
            "toy\n"
            "a b.rate = 5 [MB/s] higher-is-better\n"
            "c.rate = 6 [MB/s] higher-is-better\n"
            "c.p99 = 2 [ms] lower-is-better\n");
}

constexpr Field kPartFields[] = {dimension("op"), headline(higher("rate", "op/s")), headline(percentile("time", "ms", "p{p}")),
                                 shown("most", "ms")};
constexpr Column kPartColumns[] = {{"Op", "op"}, {"Ops/sec", "rate"}, {"p100 ms", "most"}, {"p{p} ms", "time"}};

TEST(Statement, a_table_has_headings_with_numbers_rows_of_nothing_and_a_row_of_all_together) {
  static constexpr Table tables[] = {{.columns = kPartColumns, .point = "{op}", .busy = "rate"}};
  static constexpr std::string_view ours[] = {"Op {}"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {
      .tool = "toy", .together = "Totals", .recognised = recognised, .fields = kPartFields, .tables = tables};
  EXPECT_EQ(read_as_stated(statement,
                           "Op  Ops/sec  p99 ms  p99.9 ms  p100 ms\n----\nget  5  1.5  2.5  9\nwait  0.00  ---  ---  ---\n"
                           "Totals  6  1.25  2  9\n"),
            "toy\n"
            "get.rate = 5 [op/s] higher-is-better\n"
            "get.p99 = 1.5 [ms] lower-is-better\n"
            "get.p99.9 = 2.5 [ms] context\n"
            "get.most = 9 [ms] context\n"
            "rate = 6 [op/s] higher-is-better\n"
            "p99 = 1.25 [ms] lower-is-better\n"
            "p99.9 = 2 [ms] context\n"
            "most = 9 [ms] context\n"
            "headline rate\n"
            "headline p99\n");
}
TEST(Statement, a_table_of_commas_has_blank_lines_between_its_rows) {
  static constexpr Table tables[] = {{.columns = kPartColumns, .point = "{op}", .separator = ','}};
  static constexpr std::string_view ours[] = {"Op,{}"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .recognised = recognised, .fields = kPartFields, .tables = tables};
  EXPECT_EQ(read_as_stated(statement, "Op,Ops/sec,p90 ms\n\nget,5,N/A\n\nput,7,3\n"),
            "toy\n"
            "get.rate = 5 [op/s] higher-is-better\n"
            "get.p90 = [ms] lower-is-better null 'N/A'\n"
            "put.rate = 7 [op/s] higher-is-better\n"
            "put.p90 = 3 [ms] lower-is-better\n"
            "headline get.rate\n"
            "headline put.rate\n");
}
TEST(Statement, a_table_belongs_to_the_line_before_it) {
  static constexpr Column times[] = {{"Op", "op"}, {"Ops/sec", "most"}};
  static constexpr Table tables[] = {{.columns = kPartColumns, .point = "{op}", .within = "rates:"},
                                     {.columns = times, .point = "{op}", .within = "times:"}};
  static constexpr std::string_view ours[] = {"Op {}"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .recognised = recognised, .fields = kPartFields, .tables = tables};
  EXPECT_EQ(
      read_as_stated(statement, "Op Ops/sec\nx 1\n\ntimes:\nOp Ops/sec\nread all : 4\n\nrates:\nOp Ops/sec\nread all : 5\n"),
      "toy\n"
      "read all.most = 4 [ms] context\n"
      "read all.rate = 5 [op/s] higher-is-better\n"
      "headline read all.rate\n");
}
TEST(Statement, counts_are_added_up_and_are_0_where_nothing_was_counted) {
  static constexpr Field fields[] = {lower("time", "s"), counted(gate("errors"), "time"), dimension("op")};
  static constexpr Line lines[] = {{.text = "{op} took {time}", .point = "{op}"},
                                   {.text = "{op} failed {errors} times with {}", .point = "{op}"}};
  static constexpr std::string_view ours[] = {"{} took {}"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement log = {.tool = "toy", .recognised = recognised, .fields = fields, .lines = lines};
  EXPECT_EQ(
      read_as_stated(log, "read took 1m30.5s\nwrite took 500ms\nread failed 2 times with 404\nread failed 3 times with 500\n"),
      "toy\n"
      "read.time = 90.5 [s] lower-is-better\n"
      "write.time = 0.5 [s] lower-is-better\n"
      "read.errors = 5 gate lower-is-better\n"
      "write.errors = 0 gate lower-is-better\n");
  static constexpr Column time[] = {{"time", "time"}}, errors[] = {{"", "errors"}};
  static constexpr Records records[] = {{.columns = time}, {.at = "codes/4{code}", .columns = errors}};
  static constexpr std::string_view paths[] = {"codes/4{code}"};
  static constexpr Recognised recognised_json[] = {{paths}};
  const Statement json = {.tool = "toy", .recognised = recognised_json, .fields = fields, .records = records};
  EXPECT_EQ(read_as_stated(json, R"({"time": 2, "codes": {"200": 7, "404": 3, "429": 4}})"),
            "toy\n"
            "time = 2 [s] lower-is-better\n"
            "errors = 7 gate lower-is-better\n");
}

TEST(Statement, a_matrix_is_a_number_for_each_row_and_column) {
  static constexpr Field fields[] = {dimension("way"), dimension("from"), dimension("to"), higher("rate", "GB/s")};
  static constexpr Matrix matrices[] = {
      {.heading = "{way} copy (GB/s)", .row = "from", .column = "to", .field = "rate", .point = "copy"}};
  static constexpr std::string_view ours[] = {"{} copy (GB/s)"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .recognised = recognised, .fields = fields, .matrices = matrices};
  EXPECT_EQ(read_as_stated(statement, "one-way copy (GB/s)\n\n  D/D   0   1\n\n   0  N/A  9.5\n   1  9.25 -\nend\n"),
            "toy\n"
            "copy[way=one-way,from=0,to=0].rate = [GB/s] higher-is-better null 'N/A'\n"
            "copy[way=one-way,from=0,to=1].rate = 9.5 [GB/s] higher-is-better\n"
            "copy[way=one-way,from=1,to=0].rate = 9.25 [GB/s] higher-is-better\n"
            "copy[way=one-way,from=1,to=1].rate = [GB/s] higher-is-better null '-'\n");
}

TEST(Statement, records_are_read_by_paths_with_what_is_around_them) {
  static constexpr Field fields[] = {dimension("op"),     dimension("threads"),   context("model", "identity.model"),
                                     lower("time", "ms"), higher("rate", "op/s"), gate("ok", {}, core::Direction::higher)};
  static constexpr Column columns[] = {
      {"threads", "threads"}, {"runs/ms", "time"}, {"rates", "rate"}, {"../../model", "model"}, {"ok", "ok"}};
  static constexpr Records records[] = {{.at = "ops/{op}", .columns = columns, .point = "{op}"}};
  static constexpr std::string_view ours[] = {"model", "ops/{op}/threads"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .recognised = recognised, .fields = fields, .records = records, .nothing = "no op"};
  EXPECT_EQ(read_as_stated(statement,
                           R"({"model": "m1", "ops": {"read": [{"threads": 1, "runs": [{"ms": 3}, {"ms": "2.5"}], "ok": true},)"
                           R"( {"threads": 2, "rates": [7, 8], "ok": false}]}})"),
            "toy\n"
            "read[threads=1].time = 3 2.5 [ms] lower-is-better\n"
            "read[threads=1].ok = 1 gate higher-is-better\n"
            "read[threads=2].rate = 7 8 [op/s] higher-is-better\n"
            "read[threads=2].ok = 0 gate higher-is-better\n"
            "context identity.model = m1\n");
}

TEST(Statement, readings_become_one_value_as_their_field_says) {
  static constexpr Field fields[] = {dimension("gpu"), taken_as(Several::mean, shown("power", "W")),
                                     taken_as(Several::last, lower("loss", {})), taken_as(Several::most, gate("errors")),
                                     shown("each", "W")};
  static constexpr Column columns[] = {
      {"gpu", "gpu"}, {"power", "power"}, {"loss", "loss"}, {"errors", "errors"}, {"each", "each"}};
  static constexpr Table tables[] = {{.columns = columns, .separator = ','}};
  const Statement statement = {.tool = "toy", .subject = "gpu", .recognised = kByHeadOfGpus, .fields = fields, .tables = tables};
  EXPECT_EQ(
      read_as_stated(statement, "gpu,power,loss,errors,each\n0,100 W,9.5,0,1\n1,50 W,8,0,1\n0,[N/A],7,3,2\n0,103 W,6.5,2,3\n"),
      "toy\n"
      "gpu[gpu=0].power = 101.5 [W] context\n"
      "gpu[gpu=0].loss = 6.5 lower-is-better\n"
      "gpu[gpu=0].errors = 3 gate lower-is-better\n"
      "gpu[gpu=0].each = 1 2 3 [W] context\n"
      "gpu[gpu=1].power = 50 [W] context\n"
      "gpu[gpu=1].loss = 8 lower-is-better\n"
      "gpu[gpu=1].errors = 0 gate lower-is-better\n"
      "gpu[gpu=1].each = 1 [W] context\n");
}
TEST(Statement, a_column_may_fill_down_and_its_second_of_one_heading_is_left) {
  static constexpr Field fields[] = {dimension("step"), dimension("batch"), lower("time", "us")};
  static constexpr Column columns[] = {{"Step", "step"}, {"Batch", "batch"}, {"us", "time"}};
  static constexpr Table tables[] = {{.columns = columns, .point = "{step}", .separator = '|', .fills_down = "Step"}};
  static constexpr std::string_view ours[] = {"| Step | Batch {}"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .recognised = recognised, .fields = fields, .tables = tables};
  EXPECT_EQ(read_as_stated(statement,
                           "| Step | Batch | us | us |\n|---|---|---|---|\n| a | 1 | 5 | 99 |\n|   | 2 | 6 | 99 |\n"
                           "| (said) |  |  |  |\n| b | 1 | 7 | 99 |\n"),
            "toy\n"
            "a[batch=1].time = 5 [us] lower-is-better\n"
            "a[batch=2].time = 6 [us] lower-is-better\n"
            "b[batch=1].time = 7 [us] lower-is-better\n");
}
TEST(Statement, the_names_of_a_matrix_may_be_of_several_words) {
  static constexpr Field fields[] = {dimension("cipher"), dimension("size"),
                                     with_prefixes(Prefixes::decimal, higher("speed", "kB/s"))};
  static constexpr Matrix matrices[] = {
      {.heading = "in 1000s", .row = "cipher", .column = "size", .field = "speed", .point = "{cipher}"}};
  static constexpr std::string_view ours[] = {"in 1000s"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .recognised = recognised, .fields = fields, .matrices = matrices};
  EXPECT_EQ(
      read_as_stated(statement, "in 1000s\ntype  16 bytes  64 bytes\naes-128 cbc  10.25k  1.5M\nmd5  20k  -30\nx 1 2 3\n"),
      "toy\n"
      "aes-128 cbc[size=16 bytes].speed = 10.25 [kB/s] higher-is-better\n"
      "aes-128 cbc[size=64 bytes].speed = 1500 [kB/s] higher-is-better\n"
      "md5[size=16 bytes].speed = 20 [kB/s] higher-is-better\n"
      "md5[size=64 bytes].speed = [kB/s] higher-is-better failed 'less than 0: a count overflowed, or a clock went back'\n");
}
TEST(Statement, a_line_may_hold_metrics_of_several_things_and_begin_like_the_label_of_a_launcher) {
  static constexpr Field fields[] = {dimension("dict"), of("packing", higher("speed", "KiB/s")),
                                     of("unpacking", higher("other", "KiB/s", "speed"))};
  static constexpr Line lines[] = {{.text = "{dict}: {speed} | {other}"}};
  static constexpr std::string_view ours[] = {"Dict Speed"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .recognised = recognised, .fields = fields, .lines = lines};
  EXPECT_EQ(read_as_stated(statement, "Dict Speed\n22: 50 | 60\n"),
            "toy\n"
            "packing[dict=22].speed = 50 [KiB/s] higher-is-better\n"
            "unpacking[dict=22].speed = 60 [KiB/s] higher-is-better\n");
}
TEST(Statement, the_names_of_a_matrix_may_be_the_heading_or_some_lines_behind_it) {
  static constexpr Field fields[] = {dimension("from"), dimension("to"), lower("time", "ns")};
  static constexpr Matrix matrices[] = {
      {.heading = "first {}", .row = "from", .column = "to", .field = "time", .names_at = 0},
      {.heading = "idle", .row = "from", .column = "to", .field = "time", .point = "idle", .names_at = 2}};
  static constexpr std::string_view ours[] = {"idle"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .subject = "toy", .recognised = recognised, .fields = fields, .matrices = matrices};
  EXPECT_EQ(read_as_stated(statement, "first a b\nx 1 2\nidle\n Reader Node\nWriter Numa Node 0 1\n 0 5 6\n"),
            "toy\n"
            "toy[from=x,to=a].time = 1 [ns] lower-is-better\n"
            "toy[from=x,to=b].time = 2 [ns] lower-is-better\n"
            "idle[from=0,to=0].time = 5 [ns] lower-is-better\n"
            "idle[from=0,to=1].time = 6 [ns] lower-is-better\n");
  EXPECT_EQ(read_as_stated(statement, "idle\n Reader\nNuma node 0\n 0 5\n"),
            "toy\nidle[from=0,to=0].time = 5 [ns] lower-is-better\n");
}
TEST(Statement, a_name_before_a_number_may_be_of_several_words_and_a_unit_is_one_word_of_the_line) {
  static constexpr Field fields[] = {named("test"), dimension("copies"), higher("rate", "{unit}")};
  static constexpr Line lines[] = {{.text = "{copies} copies"}, {.text = "{test} {rate} {unit} ({} samples)", .point = "{test}"}};
  static constexpr std::string_view ours[] = {"{} copies"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .recognised = recognised, .fields = fields, .lines = lines};
  const std::string_view text =
      "4 copies\nDhry 2 of C 12.5 lps (7 samples)\nPipe 3 MWIPS (2 samples)\nPipe 3 of them (2 samples)\n";
  EXPECT_EQ(read_as_stated(statement, text),
            "toy\n"
            "Dhry 2 of C[copies=4].rate = 12.5 [lps] higher-is-better\n"
            "Pipe[copies=4].rate = 3 [MWIPS] higher-is-better\n");
}
TEST(Statement, a_margin_behind_a_value_is_no_part_of_it_nor_are_the_quotes_of_a_console) {
  static constexpr Table tables[] = {{.columns = kColumns, .point = "{op}", .separator = '|'}};
  const Statement statement = {.tool = "toy", .recognised = kByHeading, .fields = kTableFields, .tables = tables};
  EXPECT_EQ(read_as_stated(statement, "│ Name │ Avg. Rate │ p99 │\n│ 'a b' │ '5.5 ± 1.61%' │ -nanus │\n│ c │ 6 │ 0.5m │\n"),
            "toy\n"
            "a b.rate = 5.5 [MB/s] higher-is-better\n"
            "a b.p99 = [ms] lower-is-better not_finite '-nanus'\n"
            "c.rate = 6 [MB/s] higher-is-better\n"
            "c.p99 = 30000 [ms] lower-is-better\n"
            "! non_finite\n");
}

constexpr Field kRunFields[] = {
    noted("parallelism.threads", dimension("threads")),
    dimension("size"),
    dimension("kernel"),
    headline_of("Triad", higher("rate", "MB/s")),
    of("toy", gate("valid", {}, core::Direction::higher)),
};
constexpr Line kRunLines[] = {{.text = "toy", .turn = Turn::begins},
                              {.text = "size {size}"},
                              {.text = "{threads} threads"},
                              {.text = "valid", .turn = Turn::ends, .says = "valid", .value = "1"},
                              {.text = "wrong: {}", .turn = Turn::fails, .says = "valid", .value = "0"}};
constexpr Column kRunColumns[] = {{"Function", "kernel"}, {"Rate", "rate"}};
constexpr Table kRunTables[] = {{.columns = kRunColumns, .point = "{kernel}", .turn = Turn::begins, .rows_only = true}};
constexpr std::string_view kRunOurs[] = {"Function Rate"}, kRunDims[] = {"threads", "size"};
constexpr Recognised kRunRecognised[] = {{kRunOurs}};
constexpr Statement kRuns = {.tool = "toy",
                             .recognised = kRunRecognised,
                             .fields = kRunFields,
                             .lines = kRunLines,
                             .tables = kRunTables,
                             .dims = kRunDims,
                             .no_rows = "has no table",
                             .no_end = "does not say whether it is valid"};

TEST(Statement, a_line_may_say_a_field_without_a_hole_and_dimensions_have_an_order_of_their_own) {
  EXPECT_EQ(read_as_stated(kRuns, "toy\nsize 8\n2 threads\nFunction Rate\nCopy: 5.5\nTriad: 6.5\nvalid\n"),
            "toy\n"
            "Copy[threads=2,size=8].rate = 5.5 [MB/s] higher-is-better\n"
            "Triad[threads=2,size=8].rate = 6.5 [MB/s] higher-is-better\n"
            "toy[threads=2,size=8].valid = 1 gate higher-is-better\n"
            "context parallelism.threads = 2\n"
            "headline Triad[threads=2,size=8].rate\n");
  EXPECT_EQ(read_as_stated(kRuns, "Function Rate\nTriad: 6.5\nwrong: a[3]\n"),
            "toy\n"
            "Triad.rate = [MB/s] higher-is-better failed '6.5'\n"
            "toy.valid = 0 gate higher-is-better\n"
            "headline Triad.rate\n");
}
TEST(Statement, each_run_without_a_table_or_an_end_is_told_and_a_heading_may_begin_one) {
  const auto incomplete = [](std::string_view text) {
    static const Format format = {.name = "toy", .title = "toy", .replication = core::Replication::run, .statement = &kRuns};
    static const Format* const only[] = {&format};
    Input input;
    input.bytes = text;
    ReadOptions options;
    options.formats = only;
    const auto m = formats::read(input, options);
    std::string out;
    for (const core::Warning& warning : m->warnings) out += std::string(warning.code.text()) + ": " + warning.message + "\n";
    return out;
  };
  EXPECT_EQ(incomplete("toy\ntoy\nFunction Rate\nTriad 6.5\nvalid\n"),
            "run_incomplete: 1 run has no end: the run at line 1 has no table\n");
  EXPECT_EQ(incomplete("Function Rate\nTriad 6.5\nFunction Rate\nAdd 6.5\nvalid\n"),
            "run_incomplete: 1 run has no end: the run at line 1 does not say whether it is valid\n");
}
TEST(Statement, a_row_keeps_its_numbers_where_another_is_none) {
  static constexpr Field fields[] = {higher("rate", "MB/s"), lower("time", "ms")};
  static constexpr Line lines[] = {{.text = "write {rate} {time} {#}", .point = "write", .row = true}};
  static constexpr std::string_view ours[] = {"write {}"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .recognised = recognised, .fields = fields, .lines = lines, .nothing = "no row"};
  EXPECT_EQ(read_as_stated(statement, "write 5 x 1\nwrite 6 - 2\nwrite 7 8 y\nwrite 1 2 3 4\n"),
            "toy\n"
            "write.rate = 5 6 [MB/s] higher-is-better\n"
            "write.time = [ms] lower-is-better failed 'x'\n");
  EXPECT_EQ(read_as_stated(statement, "write x y 1\n"), "no row |  | toy.txt");
  const Statement table = {.tool = "toy", .recognised = kByHeading, .fields = kTableFields, .tables = kBars};
  EXPECT_EQ(read_as_stated(table, "| Name | Avg. Rate | p99 |\n|---|---|---|\n| a | x | 2 |\n"),
            "toy\na.rate = [MB/s] higher-is-better failed 'x'\na.p99 = 2 [ms] lower-is-better\n");
}
TEST(Statement, a_check_of_nothing_is_no_result) {
  constexpr Statement statement = [] {
    Statement made = kRuns;
    made.nothing = "no table";
    return made;
  }();
  EXPECT_EQ(read_as_stated(statement, "toy\nFunction Rate\nvalid\n"), "no table |  | toy.txt:1");
}
TEST(Statement, a_row_that_lost_cells_is_told_and_a_file_that_ends_inside_one_is_refused) {
  EXPECT_EQ(read_as_stated(kRuns, "Function Rate\nCopy 5.5 3\nTriad 6.5\nvalid\n"),
            "toy\n"
            "Triad.rate = 6.5 [MB/s] higher-is-better\n"
            "toy.valid = 1 gate higher-is-better\n"
            "headline Triad.rate\n"
            "! ragged_lines\n");
  EXPECT_EQ(read_as_stated(kRuns, "Function Rate\nCopy 5.5\nTriad 6."),
            "the file ends inside a row of results | the copy is incomplete or the run was stopped; copy it again or run it "
            "again | toy.txt:3");
}
TEST(Statement, what_a_point_has_already_may_be_another_runs_and_names_need_not_be_said_twice) {
  static constexpr Field fields[] = {named("name"), higher("rate", "op/s"), taken_as(Several::first, shown("once")),
                                     dimension("copies")};
  static constexpr Line lines[] = {
      {.text = "{name} x {rate} op/s", .point = "{name}"}, {.text = "once {once}"}, {.text = "on {copies}"}};
  static constexpr std::string_view ours[] = {"{} x {} op/s"}, headlines[] = {"*.rate"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy",
                               .recognised = recognised,
                               .fields = fields,
                               .lines = lines,
                               .headlines = headlines,
                               .again_is_another_run = true};
  EXPECT_EQ(read_as_stated(statement, "on 2\na x 5 op/s\nonce 1\nonce 2\nb x 6 op/s\na x 7 op/s\nc x 8 op/s\n"),
            "toy\n"
            "a[copies=2].rate = 5 [op/s] higher-is-better\n"
            "[copies=2].once = 1 context\n"
            "b[copies=2].rate = 6 [op/s] higher-is-better\n"
            "a[copies=2,section=2].rate = 7 [op/s] higher-is-better\n"
            "c[copies=2].rate = 8 [op/s] higher-is-better\n"
            "headline *.rate\n"
            "! repeated_sections\n");
}
TEST(Statement, a_check_that_is_only_printed_when_it_fails_holds_otherwise) {
  static constexpr Field held = [] {
    Field field = of("toy", counted(gate("valid", {}, core::Direction::higher), "rate"));
    field.otherwise = 1;
    field.several = Several::first;
    return field;
  }();
  static constexpr Field fields[] = {dimension("name"), higher("rate", "op/s"), held};
  static constexpr Line lines[] = {{.text = "{name}: {rate}", .point = "{name}"},
                                   {.text = "wrong", .says = "valid", .value = "0"}};
  static constexpr std::string_view ours[] = {"a: {}"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .recognised = recognised, .fields = fields, .lines = lines};
  EXPECT_EQ(read_as_stated(statement, "a: 5\nb: 6\n"),
            "toy\na.rate = 5 [op/s] higher-is-better\nb.rate = 6 [op/s] higher-is-better\ntoy.valid = 1 gate higher-is-better\n");
  EXPECT_EQ(read_as_stated(statement, "a: 5\nwrong\n"),
            "toy\na.rate = 5 [op/s] higher-is-better\ntoy.valid = 0 gate higher-is-better\n");
}
TEST(Statement, a_tool_may_be_recognised_by_what_it_prints_at_its_end) {
  std::string text;
  while (text.size() < 100'000) text += "progress\n";
  EXPECT_EQ(read_as_stated(kLog, text + "toy 1\nread: 5 MB/s, 3 done\ndone\n"),
            "toy\n"
            "read.rate = 5 [MB/s] higher-is-better\n"
            "read.count = 3 context\n"
            "context stack.toy = 1\n"
            "headline read.rate\n");
}
TEST(Statement, a_member_of_json_may_fix_the_load) {
  static constexpr Field fields[] = {load(higher("rate", "req/s"))};
  static constexpr Column columns[] = {{"rate", "rate"}};
  static constexpr Records records[] = {{.columns = columns}, {.at = "asked/rate", .turn = Turn::paces}};
  static constexpr std::string_view ours[] = {"asked", "rate"};
  static constexpr Recognised recognised[] = {{ours}};
  const Statement statement = {.tool = "toy", .recognised = recognised, .fields = fields, .records = records};
  EXPECT_EQ(read_as_stated(statement, R"({"asked": {"rate": 5}, "rate": 4.5})"),
            "toy\nrate = 4.5 [req/s] context\n! offered_load\n");
  EXPECT_EQ(read_as_stated(statement, R"({"asked": {"rate": null}, "rate": 4.5})"), "toy\nrate = 4.5 [req/s] higher-is-better\n");
}

// ---- every stated format ------------------------------------------------------------------------------------------------------

TEST(StatedFormats, no_statement_has_a_fault) {
  for (const Format* format : table()) {
    if (format->statement == nullptr) continue;
    EXPECT_EQ(fault_of(*format->statement), "") << format->name;
  }
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(StatedFormats, every_fixture_is_read_as_its_listing_says) {
  const std::filesystem::path folder = PLUMBLINE_TESTS "/formats/fixtures/stated";
  std::size_t checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".listing") continue;
    const std::string name = entry.path().filename().string();
    const std::string listing = listing_of(content(entry.path()), name);
    const std::string format = name.substr(0, name.find('.'));
    EXPECT_TRUE(listing.starts_with(format + "\n")) << name << "\n" << listing;
    const std::filesystem::path golden = folder / (name + ".listing");
    if (std::getenv("PLUMBLINE_UPDATE_GOLDENS") != nullptr) std::ofstream(golden, std::ios::binary) << listing;
    EXPECT_EQ(listing, content(golden)) << name;
    cut_anywhere("stated/" + name, format);
    ++checked;
  }
  EXPECT_GT(checked, 0U);
}

TEST(StatedFormats, each_has_a_fixture) {
  std::string names;
  for (const auto& entry : std::filesystem::directory_iterator(PLUMBLINE_TESTS "/formats/fixtures/stated")) {
    names += "\n" + entry.path().filename().string();
  }
  for (const Format* format : table()) {
    if (format->statement == nullptr) continue;
    EXPECT_NE(names.find("\n" + std::string(format->name) + "."), std::string::npos) << format->name;
  }
}

}  // namespace
}  // namespace plumbline::formats::stated
