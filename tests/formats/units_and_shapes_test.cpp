// Numbers with units in texts, tables of unusual shape, contexts in this program's own shape, checks, and runs without a
// number. Each case is a text and the rows that come of it, one a line, then the context and the codes of the warnings.
#include <gtest/gtest.h>

#include <string>

#include "core/text.hpp"
#include "formats/format.hpp"
#include "formats/row_writer.hpp"

namespace plumbline::formats {
namespace {

std::string listing(std::string_view bytes, std::string name, const ReadOptions& options = {}) {
  Input input;
  input.name = std::move(name);
  input.bytes = bytes;
  const auto m = read(input, options);
  if (!m) return "error: " + m.error().message + "\n";
  std::string out;
  for (const core::Row& row : m->rows()) {
    out += std::string(m->key(row)) + " =";
    for (const double value : m->values(row)) out += " " + core::number_text(value);
    if (!m->unit(row).empty()) {
      out += " [" + std::string(m->unit(row)) + " by " + std::string(core::to_string(m->metric_class(row).unit_source)) + "]";
    }
    if (m->metric_class(row).role == core::Role::context) out += " context";
    if (m->metric_class(row).role == core::Role::gate) out += " gate";
    if (row.state != core::ValueState::number) out += " " + std::string(core::to_string(row.state));
    if (row.text != 0) out += " '" + std::string(m->pool().view(row.text)) + "'";
    out += "\n";
  }
  for (const auto& [key, value] : m->context) out += "context " + key + " = " + value + "\n";
  for (const core::Warning& warning : m->warnings) out += "! " + std::string(warning.code.text()) + "\n";
  return out;
}
std::string json(std::string_view text) { return listing(text, "r.json"); }
std::string csv(std::string_view text) { return listing(text, "r.csv"); }

TEST(NumberWithUnit, is_told_from_words_that_start_with_digits) {
  struct Case {
    const char* text;
    double value;
    const char* unit;
  };
  const Case numbers[] = {
      {"90%", 90, "%"},          {"10 ms", 10, "ms"}, {"10GiB", 10, "GiB"}, {"1.5e3us", 1500, "us"}, {"-2.5 GB/s", -2.5, "GB/s"},
      {" 7 tok/s ", 7, "tok/s"}, {"2x", 2, "x"},      {"512 B", 512, "B"},  {"1EB", 1, "EB"},        {".5 s", 0.5, "s"}};
  for (const Case& one : numbers) {
    const Leaf leaf = leaf_of_text(one.text);
    EXPECT_EQ(leaf.state, core::ValueState::numeric_string) << one.text;
    EXPECT_EQ(leaf.value, one.value) << one.text;
    EXPECT_EQ(leaf.unit, one.unit) << one.text;
  }
  for (const char* text : {"3 attempts", "v2",           "10.0.0.1", "2025-01-01", "2025-01-01T10:00:00Z",
                           "1e5abc",     "4x8",          "7B",       "2d",         "0x10",
                           "1h 30m",     "10 ms ± 2 ms", "10/s",     "1,5 ms",     "-",
                           "+",          "- ms",         "%",        "3e",         "10:30",
                           "1.2.3 s",    "5 /s"}) {
    EXPECT_EQ(leaf_of_text(text).state, core::ValueState::text) << text;
    EXPECT_TRUE(leaf_of_text(text).unit.empty()) << text;
  }
}

TEST(NumberWithUnit, in_json_is_a_number_with_an_explicit_unit) {
  EXPECT_EQ(
      json(R"({"hit_rate": "90%", "latency": "10 ms", "mem": {"peak": "10GiB"}, "note": "3 attempts", "addr": "10.0.0.1"})"),
      "hit_rate = 90 [% by file] numeric_string\n"
      "latency = 10 [ms by file] numeric_string\n"
      "mem.peak = 10 [GiB by file] numeric_string\n"
      "note = context text '3 attempts'\n"
      "addr = context text '10.0.0.1'\n"
      "! numeric_strings\n");
}

TEST(NumberWithUnit, beside_a_unit_of_the_file_is_converted_or_invalid) {
  EXPECT_EQ(json(R"([{"name": "a", "value": "2 s", "unit": "ms"}, {"name": "b", "value": "2 s", "unit": "GB/s"}])"),
            "a = 2000 [ms by file] numeric_string\n"
            "b = [GB/s by file] failed '2 s'\n"
            "! numeric_strings\n! mixed_units\n");
}

TEST(NumberWithUnit, trials_have_one_unit) {
  EXPECT_EQ(json(R"({"latency": ["10 ms", "0.02 s", 0]})"), "latency = 10 20 0 [ms by file] numeric_string\n! numeric_strings\n");
  EXPECT_EQ(json(R"({"x": ["10 ms", "5 GB"]})"),
            "x[0] = 10 [ms by file] numeric_string\nx[1] = 5 [GB by file] numeric_string\n"
            "! numeric_strings\n! mixed_units\n! mixed_array\n");
  EXPECT_EQ(json(R"({"x": [10, "20 ms"]})"),
            "x[0] = 10\nx[1] = 20 [ms by file] numeric_string\n! numeric_strings\n! mixed_array\n");
}

TEST(NumberWithUnit, in_records_is_measured_and_a_size_still_tells_them_apart) {
  EXPECT_EQ(json(R"([{"size": "1GiB", "latency": "10 ms"}, {"size": "2GiB", "latency": "20 ms"}])"),
            "[size=1GiB].latency = 10 [ms by file] numeric_string\n"
            "[size=2GiB].latency = 20 [ms by file] numeric_string\n! numeric_strings\n");
}

TEST(NumberWithUnit, in_a_column_gives_the_column_its_unit) {
  EXPECT_EQ(csv("op,latency,hits\na,10 ms,90%\nb,12 ms,\n"),
            "[op=a].latency = 10 [ms by file]\n[op=a].hits = 90 [% by file]\n"
            "[op=b].latency = 12 [ms by file]\n[op=b].hits = [% by file] null\n! null_values\n");
  EXPECT_EQ(csv("op,latency\na,10 ms\nb,0.02 s\nc,0\n"),
            "[op=a].latency = 10 [ms by file]\n[op=b].latency = 20 [ms by file]\n[op=c].latency = 0 [ms by file]\n");
  EXPECT_EQ(csv("op,latency (us)\na,10 ms\nb,5\n"), "[op=a].latency = 10000 [us by file]\n[op=b].latency = 5 [us by file]\n");
  EXPECT_EQ(csv("size,bw\n1KiB,10 GB/s\n2KiB,20 GB/s\n"),
            "[size=1KiB].bw = 10 [GB/s by file]\n[size=2KiB].bw = 20 [GB/s by file]\n");
}

TEST(NumberWithUnit, columns_of_mixed_units_stay_text_and_tell_no_rows_apart) {
  EXPECT_EQ(csv("op,thing,tps\na,10 ms,1\nb,5 GB,2\n"),
            "[op=a].thing = context text '10 ms'\n[op=a].tps = 1\n"
            "[op=b].thing = context text '5 GB'\n[op=b].tps = 2\n! mixed_units\n");
  EXPECT_EQ(csv("op,thing,ms\na,10,1\nb,5 GB,2\n"),
            "[op=a].thing = context text '10'\n[op=a].ms = 1 [ms by name]\n"
            "[op=b].thing = context text '5 GB'\n[op=b].ms = 2 [ms by name]\n! mixed_units\n");
  // Each name has its own unit.
  EXPECT_EQ(csv("name,value\nstep,3 ms\ncopy,5 GB/s\n"), "step = 3 [ms by file]\ncopy = 5 [GB/s by file]\n");
}

TEST(Tables, of_one_column_hold_trials) {
  EXPECT_EQ(csv("lat_ms\n10\n11\n12\n"), "lat_ms = 10 11 12 [ms by name]\n");
  EXPECT_EQ(listing("lat_ms\n10\n11\n12\n", "r.txt"), "lat_ms = 10 11 12 [ms by name]\n");
  EXPECT_EQ(csv("latency (us)\n10\n"), "latency = 10 [us by file]\n");
  EXPECT_EQ(listing("hello\nworld\n", "r.txt"), "error: no format fits: the text starts with \"hello\"\n");
  EXPECT_EQ(listing("hello\n10\nworld\n", "r.txt"), "error: no format fits: the text starts with \"hello\"\n");
}

TEST(Tables, with_a_header_alone_say_so) {
  EXPECT_EQ(csv("lat_ms\n"), "error: a table with a header but no rows\n");
  EXPECT_EQ(csv("op,lat_ms\n"), "error: a table with a header but no rows\n");
  ReadOptions forced;
  forced.format = "csv";
  EXPECT_EQ(listing("# made by x\nop,lat_ms", "r.txt", forced), "error: a table with a header but no rows\n");
}

TEST(Tables, with_some_ragged_lines_are_tables) {
  EXPECT_EQ(
      csv("op,ms\na,1\nb\nc,3,4\n"),
      "[op=a].ms = 1 [ms by name]\n[op=b].ms = [ms by name] null\n[op=c].ms = 3 [ms by name]\n! null_values\n! ragged_lines\n");
  EXPECT_EQ(listing("op,ms\na,1\nb\n", "r.txt"),
            "[op=a].ms = 1 [ms by name]\n[op=b].ms = [ms by name] null\n! null_values\n! ragged_lines\n");
  // Prose with a comma here and there is none.
  EXPECT_EQ(listing("Hello, world\nthis is text\nand, more\n", "r.txt"),
            "error: no format fits: the text starts with \"Hello, world\"\n");
}

TEST(Context, of_our_own_shape_is_taken_by_group) {
  EXPECT_EQ(json(R"({"context": {"hardware": {"gpu": "H100", "driver": "570", "fan": "x", "api_key": "s3"},
                     "identity": {"model": "x", "api_key": "s3"}, "parallelism": {"tp": 8},
                     "environment": {"hostname": "n1", "seed": 7, "HOME": "/home/me"}, "other": {"model": "y"}}, "tps": 5})"),
            "tps = 5\n"
            "context environment.hostname = n1\ncontext hardware.driver = 570\ncontext hardware.gpu = H100\n"
            "context identity.model = x\ncontext parallelism.tp = 8\n! environment_in_source\n");
}

TEST(Context, of_dotted_keys_is_the_same) {
  EXPECT_EQ(json(R"({"context": {"hardware.gpu": "H100", "identity.label": "mine", "environment.hostname": "n1",
                     "environment.TOKEN": "s3", "hardware.fan": "x", "hardware.gpu_name": "second"}, "tps": 5})"),
            "tps = 5\n"
            "context environment.hostname = n1\ncontext hardware.gpu = H100\ncontext identity.label = mine\n"
            "! environment_in_source\n");
}

TEST(Checks, are_whole_words) {
  for (const char* name :
       {"valid", "is_valid", "valid_run", "validated", "validation", "validation_ok", "passed", "all_passed", "test-pass",
        "correct", "isCorrect", "correctness", "ok", "allOK", "check.success", "success_all", "Valid"}) {
    EXPECT_TRUE(is_check(name)) << name;
  }
  for (const char* name :
       {"validate_backend", "validate", "validator", "valid8", "invalid", "passthrough", "pass_through", "password", "correction",
        "skip_validation", "enableValidation", "not_ok", "token", "successor", "", "_", "compass"}) {
    EXPECT_FALSE(is_check(name)) << name;
  }
  EXPECT_EQ(json(R"({"validate_backend": true, "valid": false, "tps": 5})"),
            "validate_backend = 1 context boolean\nvalid = 0 gate boolean\ntps = 5\n! boolean_values\n");
}

TEST(NoNumbers, are_an_error_unless_allowed) {
  EXPECT_EQ(json(R"({"lat_ms": []})"), "error: no number in it: only 1 empty object or array\n");
  EXPECT_EQ(json(R"({"a": "x", "b": null, "c": [], "d": {}})"),
            "error: no number in it: only 1 text, 1 null and 2 empty objects or arrays\n");
  EXPECT_EQ(json("[]"), "error: no number in it: only 1 empty object or array\n");
  ReadOptions options;
  options.allow_no_numbers = true;
  EXPECT_EQ(listing(R"({"lat_ms": []})", "r.json", options), "lat_ms = [ms by name] null '[]'\n! empty_containers\n");
  EXPECT_EQ(listing(R"({"lat_ms": null, "note": "x"})", "r.json", options),
            "lat_ms = [ms by name] null\nnote = context text 'x'\n! null_values\n");
  EXPECT_EQ(listing("op,ms\na,\nb,-\n", "r.csv", options),
            "[op=a].ms = [ms by name] null\n[op=b].ms = [ms by name] null\n! null_values\n");
  EXPECT_EQ(listing("{}", "r.json", options), "error: no number in it\n");
}

}  // namespace
}  // namespace plumbline::formats
