// The baseline files and results of msmodeling and TensorSharp: both sides of each system under the same keys, what their own
// readers make of the same text, and what is wrong said with its place.
#include <gtest/gtest.h>

#include "core/native.hpp"
#include "systems/msmodeling/model.hpp"
#include "systems/tensorsharp/model.hpp"
#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

core::Expected<core::Measurement> read_text(std::string_view text) {
  Input input;
  input.name = "file";
  input.bytes = text;
  return read(input, testing::reading_all());
}
std::string error_of(std::string_view text, std::string format = {}) {
  Input input;
  input.name = "file";
  input.bytes = text;
  ReadOptions options = testing::reading_all();
  options.format = std::move(format);
  const auto m = read(input, options);
  return m ? "read" : m.error().where + ": " + m.error().message;
}
std::vector<std::string> codes(const core::Measurement& m) {
  std::vector<std::string> out;
  for (const core::Warning& warning : m.warnings) out.emplace_back(warning.code.text());
  return out;
}

// --- msmodeling

constexpr std::string_view kCase = R"({"type": "text", "name": "decode", "description": "d",
 "initial_time_s": 0.05, "baseline_time_s": 0.052, "baseline_tolerance": 0.3, "operator_top_n": 2,
 "user_input": {"device": "NPU-A", "model_id": "acme/Tiny-1B", "tp_size": 2, "dp_size": null, "secret_token": "do-not-take"},
 "operators": [{"name": "aten.mm.default", "total_time_s": 0.03, "num_calls": 8}]})";
constexpr std::string_view kTable =
    "---------------  --------------  ------------  ----------\n"
    "     Name        analytic total  analytic avg  # of Calls\n"
    "---------------  --------------  ------------  ----------\n"
    "aten.mm.default        25.000ms       3.125ms           8\n"
    "aten.add.Tensor         1.500us     500.000ns           3\n"
    "---------------  --------------  ------------  ----------\n"
    "Total time for analytic: 42.125ms\n";

const systems::msmodeling::File& msmodeling(const core::Expected<core::Measurement>& m) {
  static const systems::msmodeling::File kNone;
  return m && m->native ? *core::native_file<systems::msmodeling::File>(*m) : kNone;
}

TEST(MsmodelingCase, OneFieldOfItsOwnTellsACaseWhoseOtherFieldsHaveTheirDefaults) {
  const auto format_of = [](const std::string& fields) {
    const auto m = read_text("{\"name\": \"n\", \"description\": \"d\", " + fields + "}");
    return m ? m->format.name : m.error().message;
  };
  EXPECT_EQ(format_of(R"("baseline_time_s": 0.1, "type": "video", "device": "D")"), "msmodeling-case");
  EXPECT_EQ(format_of(R"("initial_time_s": 0.1, "user_input": {"device": "D"})"), "msmodeling-case");
  EXPECT_EQ(format_of(R"("operators": [], "user_input": {"device": "D"})"), "msmodeling-case");
  EXPECT_EQ(format_of(R"("baseline_tolerance": 0.3, "user_input": {"device": "D"})"), "msmodeling-case");
  // Words that any tool may use are not enough.
  EXPECT_EQ(format_of(R"("operators": 3, "latency_ms": 4)"), "generic-json");
  EXPECT_EQ(format_of(R"("user_input": {"device": "D"}, "latency_ms": 4)"), "generic-json");
}

TEST(MsmodelingCase, ItsRowsHaveTheKeysOfTheTable) {
  EXPECT_EQ(listing_of(kCase),
            "msmodeling-case\n"
            "total_time_s = 0.052 [s] lower-is-better\n"
            "initial_time_s = 0.05 [s] context\n"
            "aten.mm.default.total_time_s = 0.03 [s] lower-is-better\n"
            "aten.mm.default.num_calls = 8 two-sided\n"
            "context hardware.gpu = NPU-A\n"
            "context identity.model = acme/Tiny-1B\n"
            "context parallelism.tp = 2\n"
            "headline total_time_s\n");
  EXPECT_EQ(listing_of(kTable),
            "msmodeling-table\n"
            "total_time_s = 0.042125 [s] lower-is-better\n"
            "aten.mm.default.total_time_s = 0.025 [s] lower-is-better\n"
            "aten.mm.default.num_calls = 8 two-sided\n"
            "aten.mm.default.avg_time_s = 0.003125 [s] context\n"
            "aten.add.Tensor.total_time_s = 0.0000015 [s] lower-is-better\n"
            "aten.add.Tensor.num_calls = 3 two-sided\n"
            "aten.add.Tensor.avg_time_s = 5e-7 [s] context\n"
            "headline total_time_s\n");
}

TEST(MsmodelingCase, TolerancesAreTheCases) {
  const auto m = read_text(kCase);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->declared.tolerances, (std::vector<std::pair<std::string, std::string>>{
                                        {"total_time_s", "30%"}, {"*.total_time_s", "10%"}, {"*.num_calls", "0%"}}));
}

TEST(MsmodelingCase, KeysThatItDoesNotHaveAreWarnedOf) {
  const auto m = read_text(R"({"name": "n", "initial_time_s": 1, "baseline_time_s": 1, "baseline_tolerence": 0.5})");
  ASSERT_TRUE(m);
  EXPECT_EQ(codes(*m), std::vector<std::string>{"unknown_keys"});
  EXPECT_EQ(msmodeling(m).baseline->unknown_keys, std::vector<std::string>{"baseline_tolerence"});
}

TEST(MsmodelingCase, WithoutAnyTimeItIsStillACase) {
  const auto m = read_text(R"({"name": "n", "initial_time_s": 0, "baseline_time_s": 0})");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->rows().front().state, core::ValueState::null);
}

TEST(MsmodelingCase, WhatIsWrongHasItsPlace) {
  EXPECT_EQ(error_of("{\"name\": \"n\",\n \"initial_time_s\": \"fast\", \"baseline_time_s\": 1}"),
            "file:2:20: \"initial_time_s\" is not a finite number");
  EXPECT_EQ(error_of(R"({"initial_time_s": 1, "baseline_time_s": 1, "name": ""})"), "file:1:53: the case has no \"name\"");
  EXPECT_EQ(error_of(R"({"name": "n", "initial_time_s": 1, "baseline_time_s": 1, "operators": [{"name": "a"}]})"),
            "file:1:72: the operator \"a\" has no \"total_time_s\"");
  EXPECT_EQ(error_of(R"({"name": "n", "initial_time_s": 1, "baseline_time_s": 1, "operator_top_n": 2.5})"),
            "file:1:76: \"operator_top_n\" is not an integer");
}

TEST(MsmodelingTable, ItsOwnReaderTakesTheSecondAndTheFourthWord) {
  const auto m = read_text(kTable);
  const auto& run = msmodeling(m).run;
  ASSERT_TRUE(run && run->total_time_s);
  EXPECT_EQ(*run->total_time_s, 42.125 * 1e-3);
  ASSERT_EQ(run->operators.size(), 2U);
  EXPECT_EQ(run->operators[1].total_time_s, 1.5 * 1e-6);
  EXPECT_EQ(run->operators[1].num_calls, 3);
}

// Two rows of one operator with several shapes and bounds, between them an empty cell.
constexpr std::string_view kShapes =
    "-----  ----------------  ----------------  --------------  ------------  ----------\n"
    "Name   Bound (analytic)    Input Shapes    analytic total  analytic avg  # of Calls\n"
    "-----  ----------------  ----------------  --------------  ------------  ----------\n"
    "a.mm   memory            [[1, 2], [2, 3]]         2.000ms       1.000ms           2\n"
    "a.mm   compute_mma       [[8, 2], [2, 3]]         3.000ms       3.000ms           1\n"
    "a.sum                    [[1]]                    1.000ms       1.000ms           1\n"
    "-----  ----------------  ----------------  --------------  ------------  ----------\n"
    "Total time for analytic: 6.000ms\n";

TEST(MsmodelingTable, ShapesAndBoundsOfOneOperatorAddUpWhereItsOwnReaderSeesNothing) {
  const auto m = read_text(kShapes);
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(listing_of(*m),
            "msmodeling-table\n"
            "total_time_s = 0.006 [s] lower-is-better\n"
            "a.mm.total_time_s = 0.005 [s] lower-is-better\n"
            "a.mm.num_calls = 3 two-sided\n"
            "a.mm.avg_time_s = 0.0016666666666666668 [s] context\n"
            "a.sum.total_time_s = 0.001 [s] lower-is-better\n"
            "a.sum.num_calls = 1 two-sided\n"
            "a.sum.avg_time_s = 0.001 [s] context\n"
            "a.mm[shapes=[[1, 2], [2, 3]],bound=memory].total_time_s = 0.002 [s] context\n"
            "a.mm[shapes=[[1, 2], [2, 3]],bound=memory].num_calls = 2 context\n"
            "a.mm[shapes=[[8, 2], [2, 3]],bound=compute_mma].total_time_s = 0.003 [s] context\n"
            "a.mm[shapes=[[8, 2], [2, 3]],bound=compute_mma].num_calls = 1 context\n"
            "a.sum[shapes=[[1]]].total_time_s = 0.001 [s] context\n"
            "a.sum[shapes=[[1]]].num_calls = 1 context\n"
            "headline total_time_s\n");
  EXPECT_TRUE(msmodeling(m).run->operators.empty());
  EXPECT_EQ(msmodeling(m).run->rows_passed_over, 3U);
}

TEST(MsmodelingTable, ASecondPerformanceModelStopsItsOwnReader) {
  const auto m = read_text(
      "Name  analytic total  analytic avg  empirical total  empirical avg  # of Calls\n"
      "a.mm  2.000ms  1.000ms  4.000ms  2.000ms  2\n"
      "----\nTotal time for analytic: 2.000ms\nTotal time for empirical: 4.000ms\n");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(msmodeling(m).run->operators_error, "invalid literal for int() with base 10: '4.000ms'");
  EXPECT_NE(listing_of(*m).find("model[empirical].a.mm.total_time_s = 0.004 [s] lower-is-better\n"), std::string::npos)
      << listing_of(*m);
  EXPECT_NE(listing_of(*m).find("model[empirical].total_time_s = 0.004 [s] lower-is-better\n"), std::string::npos);
}

TEST(MsmodelingTable, WithoutATotalItIsIncomplete) {
  const auto m = read_text(kTable.substr(0, kTable.find("Total")));
  ASSERT_TRUE(m);
  EXPECT_EQ(codes(*m), std::vector<std::string>{"run_incomplete"});
  EXPECT_EQ(msmodeling(m).run->total_error, "Could not find 'Total time for analytic' in output");
}

TEST(MsmodelingTable, RowsThatAreNoRowsAreCounted) {
  const auto m = read_text(
      "Name  analytic total  analytic avg  # of Calls\na.mm  soon  1.000ms  2\nb.mm  1.000ms  1.000ms  1\n"
      "Total time for analytic: 1.2.3ms\n");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(codes(*m), (std::vector<std::string>{"run_incomplete", "ragged_lines"}));
  EXPECT_EQ(msmodeling(m).run->total_error, "could not convert string to float: '1.2.3'");
}

TEST(MsmodelingTable, NothingOfItIsAnError) {
  EXPECT_EQ(error_of("nothing here\n", "msmodeling-table"), "file: no operators and no total time of the simulator in this text");
}

// --- TensorSharp

const systems::tensorsharp::File& tensorsharp(const core::Expected<core::Measurement>& m) {
  static const systems::tensorsharp::File kNone;
  return m && m->native ? *core::native_file<systems::tensorsharp::File>(*m) : kNone;
}

TEST(TensorSharpBaseline, IsReadWithCommentsTrailingCommasAndAnyCase) {
  const auto m = read_text(
      "// of the new driver\n{\"Host_Label\": \"linux-cuda\", \"CAPTURED_AT\": \"2026-05-26T00:00:00.000Z\", \"commit\": "
      "\"abc1234\",\n"
      " \"entries\": [ /* one \"case\" */\n"
      "  {\"case_id\": \"m__cuda__tg128__baseline\", \"OK\": true, \"correctness_ok\": null, \"decode_tps\": 95.5,},\n ],}\n");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(listing_of(*m),
            "tensorsharp-baseline\n"
            "m__cuda__tg128__baseline.decode_tps = 95.5 [tok/s] higher-is-better\n"
            "m__cuda__tg128__baseline.prefill_tps = 0 [tok/s] higher-is-better\n"
            "m__cuda__tg128__baseline.ok = 1 gate higher-is-better\n"
            "m__cuda__tg128__baseline.model_load_ms = 0 [ms] context\n"
            "context environment.host_label = linux-cuda\n"
            "context identity.model = m\n"
            "context serving.backend = cuda\n"
            "context stack.commit = abc1234\n"
            "! trailing_comma\n");
  EXPECT_EQ(tensorsharp(m).baseline->captured_at, "2026-05-26T00:00:00+00:00");
  EXPECT_EQ(tensorsharp(m).baseline->unreadable, "");
}

TEST(TensorSharpBaseline, ACaseThatStandsTwiceIsAnErrorAsThere) {
  EXPECT_EQ(
      error_of("{\"host_label\": \"h\", \"captured_at\": \"2026-05-26\", \"entries\": [\n{\"case_id\": \"a\", \"ok\": true},\n"
               "{\"case_id\": \"b\", \"ok\": true},\n{\"case_id\": \"a\", \"ok\": true}]}"),
      "file:4:1: the case \"a\" appears twice: entries 1 and 3");
  EXPECT_EQ(error_of(R"({"host_label": "h", "captured_at": "2026-05-26", "entries": [{"ok": true}]})"),
            "file:1:62: entry 1 has no \"case_id\"");
  EXPECT_EQ(error_of(R"({"host_label": "h", "captured_at": "2026-05-26", "entries": 3})"), "file:1:61: \"entries\" is no array");
}

TEST(TensorSharpBaseline, WhatItsDeserialiserRefusesIsSaid) {
  const auto m = read_text(
      "{\"host_label\": \"h\", \"captured_at\": \"2026-05-26\", \"entries\": [\n"
      "{\"case_id\": \"a\", \"ok\": true, \"decode_tps\": \"95.5\"}]}");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(tensorsharp(m).baseline->unreadable, "entry 1: decode_tps is not a number (line 2)");
  EXPECT_EQ(tensorsharp(m).baseline->entries[0].decode_tps, 95.5) << "it says what it is all the same";
  EXPECT_EQ(codes(*m), std::vector<std::string>{"native_unreadable"});
}

struct Folder {
  std::vector<std::pair<std::string, std::string>> files;
  core::Expected<core::Measurement> read() const {
    Input input;
    input.name = "results";
    input.is_directory = true;
    for (const auto& [name, text] : files) input.files.push_back({name, text});
    return formats::read(input, testing::reading_all());
  }
};

const std::string kResult =
    R"({"case_id": "m__cuda__tg128__KV=q8", "model": "m", "backend": "cuda", "ok": true, "skipped": false, "decode_tps": 50,
 "prefill_tps": 0, "correctness_ok": true, "command": "run --token do-not-take", "input": {"env": {"API_KEY": "do-not-take"}}})";
const std::string kFailed =
    R"({"case_id": "m__cuda__text__baseline", "backend": "cuda", "ok": false, "skipped": false, "decode_tps": 0, "prefill_tps": 0,
 "error": "exit 124"})";
const std::string kSkipped =
    R"({"case_id": "m__cuda__image__baseline", "backend": "cuda", "ok": false, "skipped": true, "skip_reason": "no projector",
 "decode_tps": 0, "prefill_tps": 0})";

TEST(TensorSharpResults, AFolderIsOneMeasurementOfAllItsCells) {
  const auto m = Folder{{{"a.json", kResult}, {"b.json", kFailed}, {"c.json", kSkipped}}}.read();
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(listing_of(*m),
            "tensorsharp-results\n"
            "m__cuda__tg128__KV=q8.decode_tps = 50 [tok/s] higher-is-better\n"
            "m__cuda__tg128__KV=q8.prefill_tps = 0 [tok/s] higher-is-better\n"
            "m__cuda__tg128__KV=q8.ok = 1 gate higher-is-better\n"
            "m__cuda__tg128__KV=q8.correctness_ok = 1 gate higher-is-better\n"
            "m__cuda__tg128__KV=q8.model_load_ms = 0 [ms] context\n"
            "m__cuda__text__baseline.decode_tps = 0 [tok/s] higher-is-better failed 'exit 124'\n"
            "m__cuda__text__baseline.prefill_tps = 0 [tok/s] higher-is-better failed 'exit 124'\n"
            "m__cuda__text__baseline.ok = 0 gate higher-is-better\n"
            "m__cuda__text__baseline.model_load_ms = 0 [ms] context\n"
            "m__cuda__image__baseline.ok = gate higher-is-better null 'skipped: no projector'\n"
            "context environment.host_label = linux-cuda\n"
            "context identity.model = m\n"
            "context serving.backend = cuda\n");
  EXPECT_EQ(m->shape, core::Shape::structured);
  EXPECT_EQ(tensorsharp(m).cells.size(), 3U);
}

TEST(TensorSharpResults, WhatCannotBeReadIsPassedOverAndCounted) {
  const auto m = Folder{{{"a.json", kResult}, {"b.json", "{\"case_id\": "}, {"log.txt", "noise"}}}.read();
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(tensorsharp(m).unread_files, 1U);
  EXPECT_EQ(codes(*m), std::vector<std::string>{"unread_file"});
}

TEST(TensorSharpResults, TheHostIsToldByBackendAndCommand) {
  const auto host = [](std::string_view backend, std::string_view command) {
    const std::string text = R"({"case_id": "a", "ok": true, "skipped": false, "decode_tps": 1, "prefill_tps": 1, "backend": ")" +
                             std::string(backend) + R"(", "command": ")" + std::string(command) + "\"}";
    const auto m = read_text(text);
    const auto it = m ? m->context.find("environment.host_label") : core::Context::const_iterator();
    return m && it != m->context.end() ? it->second : std::string();
  };
  EXPECT_EQ(host("mlx", ""), "macos-mlx");
  EXPECT_EQ(host("cuda", "/home/u/run"), "linux-cuda");
  EXPECT_EQ(host("cuda", "C:\\\\ts\\\\run.exe"), "windows-cuda");
  EXPECT_EQ(host("cpu", "run"), "") << "nothing tells";
}

}  // namespace
}  // namespace plumbline::formats
