// Bytes to rows. Each case is a text and the rows that come of it, one a line:
// key = values [unit] direction|role state, then the codes of the warnings.
#include <gtest/gtest.h>

#include <string>

#include "core/text.hpp"
#include "formats/format.hpp"

namespace plumbline::formats {
namespace {

Input input(std::string name, std::string_view bytes) {
  Input made;
  made.name = std::move(name);
  made.bytes = bytes;
  return made;
}

std::string listing(const core::Measurement& m) {
  std::string out;
  for (const core::Row& row : m.rows()) {
    out += std::string(m.key(row)) + " =";
    for (const double value : m.values(row)) out += " " + core::number_text(value);
    if (!m.unit(row).empty()) out += " [" + std::string(m.unit(row)) + "]";
    const core::MetricClass& c = m.metric_class(row);
    if (c.role != core::Role::judged) out += " " + std::string(core::to_string(c.role));
    if (c.role == core::Role::judged || c.role == core::Role::gate) out += " " + std::string(core::to_string(c.direction));
    if (row.state != core::ValueState::number) {
      const std::string_view states[] = {"number", "numeric_string", "boolean",   "big_integer", "null",
                                         "text",   "not_finite",     "duplicate", "failed"};
      out += " " + std::string(states[static_cast<std::size_t>(row.state)]);
    }
    if (row.text != 0) out += " '" + std::string(m.pool().view(row.text)) + "'";
    out += "\n";
  }
  for (const auto& [key, value] : m.context) out += "context " + key + " = " + value + "\n";
  for (const core::Warning& warning : m.warnings) out += "! " + std::string(warning.code.text()) + "\n";
  return out;
}

std::string rows(std::string_view text, std::string name = "r.json", std::string format = {}) {
  ReadOptions options;
  options.format = std::move(format);
  const auto m = read(input(std::move(name), text), options);
  if (!m) return "error: " + m.error().message + "\n";
  return listing(*m);
}

TEST(GenericJson, objects_flatten_and_arrays_of_numbers_are_trials) {
  EXPECT_EQ(rows(R"({"latency_ms": {"p50": 3, "p99": [5, 6.5]}, "throughput": 10, "note": "x", "a.b": 1})"),
            "latency_ms.p50 = 3 [ms] lower-is-better\n"
            "latency_ms.p99 = 5 6.5 [ms] lower-is-better\n"
            "throughput = 10 higher-is-better\n"
            "note = context text 'x'\n"
            "a.b = 1 unknown\n");
}

TEST(GenericJson, every_odd_value_has_a_state_and_a_warning) {
  EXPECT_EQ(
      rows(
          R"({"a_ms": "1.5", "b_ms": NaN, "c_ms": 1e999, "d_ms": null, "e": true, "valid": false, "big_ms": 9007199254740993, "o_ms": {}, "p_ms": []})"),
      "a_ms = 1.5 [ms] lower-is-better numeric_string\n"
      "b_ms = [ms] lower-is-better not_finite 'NaN'\n"
      "c_ms = [ms] lower-is-better not_finite '1e999'\n"
      "d_ms = [ms] lower-is-better null\n"
      "e = 1 context boolean\n"
      "valid = 0 gate higher-is-better boolean\n"
      "big_ms = 9007199254740992 [ms] lower-is-better big_integer '9007199254740993'\n"
      "o_ms = [ms] lower-is-better null '{}'\n"
      "p_ms = [ms] lower-is-better null '[]'\n"
      "! boolean_values\n! null_values\n! numeric_strings\n! big_integers\n! non_finite\n! empty_containers\n");
}

TEST(GenericJson, a_key_that_stands_twice_is_invalid_wherever_it_stands) {
  EXPECT_EQ(rows(R"({"a": 1, "a": 2, "b": 3})"), "a = 1 unknown duplicate\nb = 3 unknown\n! duplicate_key\n");
  EXPECT_EQ(rows(R"({"a": {"x": 1}, "a": {"y": 2}, "b": 3})"),
            "a.x = 1 unknown duplicate\na.y = 2 unknown duplicate\nb = 3 unknown\n! duplicate_key\n");
  EXPECT_EQ(rows(R"({"a": 1, "a": {"x": 2}, "b": 3})"),
            "a = 1 unknown duplicate\na.x = 2 unknown duplicate\nb = 3 unknown\n! duplicate_key\n");
  EXPECT_EQ(rows(R"({"a": {"x": 2}, "a": 1, "b": 3})"), "a.x = 2 unknown duplicate\nb = 3 unknown\n! duplicate_key\n");
  EXPECT_EQ(rows(R"({"a": [1], "a": [2]})"), "a = 1 unknown duplicate\n! duplicate_key\n");
}

TEST(GenericJson, records_are_keyed_by_what_tells_them_apart) {
  EXPECT_EQ(
      rows(R"({"results": [{"size": 1024, "op": "all_reduce", "busbw": 3}, {"size": 2048, "op": "all_reduce", "busbw": 4}]})"),
      "results[size=1024,op=all_reduce].busbw = 3 higher-is-better\n"
      "results[size=2048,op=all_reduce].busbw = 4 higher-is-better\n");
  EXPECT_EQ(rows(R"([{"latency": 3}, {"latency": 4}])"),
            "[0].latency = 3 lower-is-better\n[1].latency = 4 lower-is-better\n! index_keyed_records\n");
  EXPECT_EQ(rows(R"([{"op": "x", "latency": 3}, {"op": "x", "latency": 4}])"), "[op=x].latency = 3 4 lower-is-better\n");
  EXPECT_EQ(rows(R"([{"name": "step", "value": 3, "unit": "ms"}, {"name": "copy", "value": 4, "unit": "GB/s", "range": "± 5"}])",
                 "r.json", "generic-json"),
            "step = 3 [ms] lower-is-better\ncopy = 4 [GB/s] higher-is-better\ncopy.range = context text '± 5'\n");
}

TEST(GenericJson, dimensions_keep_each_points_own_shape) {
  const auto m = read(input("r.json", R"({"results": [{"size": 1024, "op": "ar", "busbw": 3}]})"), {});
  ASSERT_TRUE(m);
  const auto dims = m->dims(m->rows()[0]);
  ASSERT_EQ(dims.size(), 2U);
  EXPECT_EQ(m->pool().view(dims[0].first), "size");
  EXPECT_EQ(m->pool().view(dims[0].second), "1024");
  EXPECT_EQ(m->metric(m->rows()[0]), "busbw");
}

TEST(GenericJson, lines_and_leniencies_are_told) {
  EXPECT_EQ(rows("\xEF\xBB\xBF{\"op\": \"a\", \"ms\": 1,}\n{\"op\": \"b\", \"ms\": 2}\n"),
            "[op=a].ms = 1 [ms] lower-is-better\n[op=b].ms = 2 [ms] lower-is-better\n! byte_order_mark\n! trailing_comma\n! "
            "json_lines\n");
}

TEST(GenericJson, only_an_allow_list_leaves_an_environment) {
  const std::string text = rows(
      R"({"env": {"API_KEY": "sk-secret", "model": "llama"}, "config": {"batch": 8, "gpu": "H200", "path": "/home/x"}, "tps": 5})");
  EXPECT_EQ(text,
            "config.batch = 8 context\ntps = 5 higher-is-better\n"
            "context hardware.gpu = H200\ncontext identity.model = llama\n! environment_in_source\n");
  EXPECT_EQ(rows(R"({"run": {"env": ["TOKEN=abc"], "tps": 5}})").find("abc"), std::string::npos);
}

TEST(GenericJson, a_value_object_is_a_scalar) {
  const auto m = read(input("r.json", R"({"value": 5, "unit": "ms"})"), {});
  ASSERT_TRUE(m);
  EXPECT_EQ(m->shape, core::Shape::scalar);
  EXPECT_EQ(listing(*m), "value = 5 [ms] lower-is-better\n");
  EXPECT_EQ(rows(R"({"value": [1, 2], "unit": "x", "direction": "higher-is-better"})"), "value = 1 2 [x] higher-is-better\n");
  EXPECT_EQ(rows(R"({"value": 5, "latency": 7})"), "value = 5 unknown\nlatency = 7 context\n! extra_members\n");
  EXPECT_EQ(rows("[310, 311]"), "value = 310 311 unknown\n");
}

TEST(GenericJson, bounds_and_emptiness_are_errors) {
  EXPECT_EQ(rows("{\"a\": \"x\", \"b\": null}"), "error: no number in it: only 1 text and 1 null\n");
  ReadOptions options;
  options.max_rows = 2;
  const auto many = read(input("r.json", R"({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5})"), options);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().message, "more than 2 rows");
  EXPECT_EQ(many.error().code, core::ErrorCode::limit_exceeded);
}

TEST(InferencePerfbench, points_are_keyed_by_concurrency_and_errors_are_gates) {
  const std::string text = R"({"schema": "inference_perfbench_v1", "model": "kimi",
    "metrics": {"16": {"throughput_toks_per_s": 900, "ttft_p50_ms": 40, "errors": 0}},
    "server_metrics_delta": {"prefix_cache_hit_rate_post": 80, "gpu_cache_usage_perc_peak": 60},
    "kernel_class_gpu_pct": {"gemm": 50}, "cpu_spinpoll_pct": null})";
  EXPECT_EQ(rows(text),
            "model = context text 'kimi'\n"
            "metrics.16.throughput_toks_per_s = 900 [tok/s] higher-is-better\n"
            "metrics.16.ttft_p50_ms = 40 [ms] lower-is-better\n"
            "metrics.16.errors = 0 gate lower-is-better\n"
            "server_metrics_delta.prefix_cache_hit_rate_post = 80 higher-is-better\n"
            "server_metrics_delta.gpu_cache_usage_perc_peak = 60 lower-is-better\n"
            "kernel_class_gpu_pct.gemm = 50 [%] lower-is-better\n"
            "cpu_spinpoll_pct = [%] lower-is-better null\n"
            "context identity.model = kimi\n! null_values\n");
}

TEST(ScalarText, a_number_and_a_unit) {
  EXPECT_EQ(rows("310 GB/s\n", "r.txt"), "value = 310 [GB/s] higher-is-better\n");
  EXPECT_EQ(rows("17.2%", "r.txt"), "value = 17.2 [%] unknown\n");
  EXPECT_EQ(rows("  -1e3 ", "r.txt"), "value = -1000 unknown\n");
  EXPECT_EQ(rows("nan", "r.txt"), "value = unknown not_finite 'nan'\n! non_finite\n");
  EXPECT_EQ(rows("1_000", "r.txt"), "error: no format fits: the text starts with \"1_000\"\n");
}

TEST(Delimited, texts_and_sizes_are_dimensions_and_units_stand_in_the_header) {
  EXPECT_EQ(rows("# licence\r\nsize,op,latency (us),busbw [GB/s],when\r\n1024,ar,3.5,100,x\r\n2048,ar,4.5,N/A,y\r\n", "r.csv"),
            "[size=1024,op=ar,when=x].latency = 3.5 [us] lower-is-better\n"
            "[size=1024,op=ar,when=x].busbw = 100 [GB/s] higher-is-better\n"
            "[size=2048,op=ar,when=y].latency = 4.5 [us] lower-is-better\n"
            "[size=2048,op=ar,when=y].busbw = [GB/s] higher-is-better null\n"
            "! null_values\n! comment_lines\n");
}

TEST(Delimited, equal_repeats_are_trials_and_unequal_ones_duplicates) {
  EXPECT_EQ(rows("op\tms\na\t1\nb\t3\na\t2\nb\t4\n", "r.tsv"),
            "[op=a].ms = 1 2 [ms] lower-is-better\n[op=b].ms = 3 4 [ms] lower-is-better\n");
  EXPECT_EQ(
      rows("op\tms\na\t1\na\t2\nb\t3\n", "r.tsv"),
      "[op=a].ms = 1 [ms] lower-is-better duplicate\n[op=b].ms = 3 [ms] lower-is-better\n! duplicate_key\n! unequal_repeats\n");
}

TEST(Delimited, a_name_value_table_and_numbers_nobody_can_read) {
  EXPECT_EQ(rows("name;value;unit\nstep;3;ms\ncopy;1,5;GB/s\n", "r.csv"),
            "step = 3 [ms] lower-is-better\ncopy = [GB/s] higher-is-better failed '1,5'\n! grouped_digits\n");
  EXPECT_EQ(rows("a,b\n1,\"open\n", "r.csv", "csv"), "error: a quote opened in this line never closes\n");
  EXPECT_EQ(rows("1,2\n3,4\n", "r.csv"), "error: a table without a header: its first line holds no names\n");
}

TEST(Directory, files_prefix_their_rows_and_unread_ones_are_counted) {
  Input folder;
  folder.name = "runs";
  folder.is_directory = true;
  folder.files = {{"a.json", "{\"tps\": 1}"}, {"bad.json", "{"}, {"sub/b.txt", "5 ms"}};
  const auto m = read(folder, {});
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->shape, core::Shape::suite);
  EXPECT_EQ(listing(*m), "a.json:tps = 1 higher-is-better\nsub/b.txt:value = 5 [ms] lower-is-better\n! unread_file\n");
  EXPECT_EQ(
      m->warnings[0].message,
      "1 file of 3 could not be read: \"bad.json\" (the file ends here, in the middle of the object opened at line 1, column 1)");
  folder.files = {{"bad.json", "{"}};
  EXPECT_FALSE(read(folder, {}));
}

TEST(Detection, the_winner_says_why_and_names_the_runner_up) {
  const auto m = read(input("r.json", R"({"metrics": {"1": {"throughput_toks_per_s": 1}}, "cpu_spinpoll_pct": 1})"), {});
  ASSERT_TRUE(m);
  EXPECT_EQ(m->format.name, "inference_perfbench_v1");
  EXPECT_EQ(m->format.runner_up, "generic-json (0.70)");
  EXPECT_FALSE(m->format.evidence.empty());
}

TEST(Detection, what_cannot_be_read_is_named) {
  using namespace std::string_literals;
  const std::pair<std::string, const char*> cases[] = {
      {"", "the file is empty"},
      {" \n", "nothing but blanks"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer, not the file it points to"},
      {"\x1F\x8B\x08\x00"s, "the gzip data ends in the middle, at byte 4 (after 0 unpacked bytes)"},
      {"7z\xBC\xAF\x27\x1C\0\4"s, "a 7-Zip archive"},
      {"\x04\x22\x4D\x18"s, "lz4-compressed data"},
      {"\xFF\xFE\0\0{\0\0\0"s, "text in UTF-32"},
      {"\x7F\x45LF\0\0"s, "binary data (it starts with 7f 45 4c 46)"},
      {"SQLite format 3\0 and more"s, "an SQLite database that is no capture of Nsight Systems or ROCm"},
      {"hello world", "no format fits: the text starts with \"hello world\""},
  };
  for (const auto& [text, message] : cases) {
    const auto m = read(input("x", text), {});
    ASSERT_FALSE(m) << message;
    EXPECT_EQ(m.error().message, message);
  }
}

TEST(Detection, an_unknown_format_names_the_nearest) {
  ReadOptions options;
  options.format = "generic-jsn";
  const auto m = read(input("x", "{}"), options);
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().message, "unknown format \"generic-jsn\"");
  EXPECT_EQ(m.error().hint, "did you mean generic-json?");
}

TEST(Reading, a_second_file_shares_ids_with_the_first) {
  ReadOptions options;
  options.pool = std::make_shared<core::StringPool>();
  const auto a = read(input("a", R"({"x": 1, "y": {"z": 2}})"), options);
  const auto b = read(input("b", R"({"y": {"z": 3}, "x": 4})"), options);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->rows()[0].key, b->rows()[1].key);
  EXPECT_EQ(a->rows()[1].key, b->rows()[0].key);
}

}  // namespace
}  // namespace plumbline::formats
