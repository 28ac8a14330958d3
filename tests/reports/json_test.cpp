// What the JSON documents promise: valid against their schemas, within their bounds, numbers that read back, nothing dropped.
#include <gtest/gtest.h>

#define VALIJSON_USE_EXCEPTIONS 1
#include <nlohmann/json.hpp>
#include <numeric>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "captures_fixture.hpp"
#include "fixture.hpp"
#include "records.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"

namespace plumbline::reports {
namespace {

using nlohmann::json;

json parse(const std::string& text) {
  json made = json::parse(text, nullptr, false);
  EXPECT_FALSE(made.is_discarded()) << "not JSON: " << text.substr(0, 400);
  return made;
}

// "" when valid; else the first complaint.
std::string complaint(const std::string& schema_name, const json& document) {
  const json schema_json = json::parse(schemas::text(schema_name));
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results)) return "";
  std::string all;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    for (const std::string& part : error.context) all += part;
    all += ": " + error.description + "\n";
  }
  return all;
}

std::vector<std::string> lines_of(const core::DiffResult& result) {
  std::string all;
  EXPECT_TRUE(write_deltas(result, [&all](std::string_view piece) {
    all += piece;
    return core::Status{};
  }));
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < all.size();) {
    const std::size_t end = all.find('\n', from);
    lines.push_back(all.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

core::DiffResult enormous() {
  core::DiffResult result = fixture::hostile();
  const std::string huge(100000, 'k');
  const std::string escapes(50000, '\x01');
  for (int i = 0; i < 300; ++i) {
    core::Reason reason{"few_regressed", huge, {}, 10000};
    for (int k = 0; k < 10000 / (i + 1); ++k) reason.keys.push_back("key_" + std::to_string(k) + escapes.substr(0, 50));
    result.reasons.push_back(std::move(reason));
    result.warnings.push_back({"ragged_lines", escapes});
    result.promote.push_back(huge);
    result.sol.push_back({escapes, huge, 1, "GB/s", 1, 1, 0, huge});
    result.files.push_back({huge, huge, 1, fixture::kDigestA});
  }
  result.recommendation = {"rerun", huge, std::vector<std::string>(1000, escapes)};
  result.next_lever = core::NextLever{huge, huge, escapes};
  result.baseline.format.evidence = std::vector<std::string>(100, escapes);
  return result;
}

struct Case {
  const char* schema;
  std::function<std::string()> render;
};

TEST(EveryDocument, IsValidAgainstItsSchema) {
  const std::vector<Case> cases = {
      {"plumbline.diff.v1", [] { return diff_json(fixture::serving()); }},
      {"plumbline.diff.v1", [] { return diff_json(fixture::scalar()); }},
      {"plumbline.diff.v1", [] { return diff_json(fixture::hostile()); }},
      {"plumbline.diff.v1", [] { return diff_json(fixture::capture()); }},
      {"plumbline.diff.v1", [] { return diff_json(core::DiffResult{}); }},
      {"plumbline.result.diff.v1", [] { return diff_result_json(fixture::serving()); }},
      {"plumbline.result.diff.v1", [] { return diff_result_json(fixture::hostile()); }},
      {"plumbline.result.diff.v1", [] { return diff_result_json(fixture::capture()); }},
      {"plumbline.result.diff.v1", [] { return diff_result_json(enormous()); }},
      {"plumbline.profile-diff.v1", [] { return profile_json(fixture::profile()); }},
      {"plumbline.profile-diff.v1", [] { return profile_json(core::ProfileDiff{}); }},
      {"plumbline.profile-diff.v1", [] { return profile_json(fixture::host_profile()); }},
      {"plumbline.profile-diff.v1", [] { return profile_json(fixture::stepping()); }},
      {"plumbline.result.profile-diff.v1", [] { return profile_result_json(fixture::profile()); }},
      {"plumbline.baseline.v1", [] { return baseline_json(fixture::scalar_record()); }},
      {"plumbline.baseline.v1", [] { return baseline_json(fixture::structured_record()); }},
      {"plumbline.acceptance.v1", [] { return acceptance_json(fixture::accepted().acceptance); }},
      {"plumbline.result.record.v1", [] { return record_result_json(fixture::recorded()); }},
      {"plumbline.result.accept.v1", [] { return accept_result_json(fixture::accepted()); }},
      {"plumbline.result.history.v1", [] { return history_json(fixture::history()); }},
      {"plumbline.result.inspect.v1", [] { return inspect_json(fixture::inspected()); }},
      {"plumbline.result.inspect.v1", [] { return inspect_json(fixture::inspected_capture()); }},
      {"plumbline.result.verify.v1", [] { return verify_json(fixture::verified()); }},
      {"plumbline.result.search.v1", [] { return search_json(fixture::found()); }},
  };
  for (const Case& one : cases) {
    const std::string text = one.render();
    EXPECT_EQ(complaint(one.schema, parse(text)), "") << one.schema << "\n" << text.substr(0, 2000);
    EXPECT_EQ(text.back(), '\n') << one.schema;
  }
}

TEST(EveryDocument, NamesItsSchema) {
  EXPECT_EQ(parse(diff_json(fixture::serving()))["schema"], "plumbline.diff.v1");
  EXPECT_EQ(parse(diff_result_json(fixture::serving()))["schema"], "plumbline.result.diff.v1");
  EXPECT_EQ(parse(baseline_json(fixture::scalar_record()))["schema"], "plumbline.baseline.v1");
  EXPECT_EQ(parse(verify_json(fixture::verified()))["schema"], "plumbline.result.verify.v1");
}

TEST(ResultSchemas, TakeTheReferenceToolsEnvelope) {
  const json envelope = {{"tool", "perf_baseline_diff"},
                         {"library", "perf_baseline"},
                         {"verb", "diff"},
                         {"safety", "writes_artifacts"},
                         {"ack_required", false},
                         {"ack_field", nullptr},
                         {"args", {"--json"}},
                         {"returncode", 2},
                         {"stdout", ""},
                         {"stderr", "x"},
                         {"json", nullptr}};
  for (const std::string_view name : schemas::names()) {
    if (name.starts_with("plumbline.result.")) {
      EXPECT_EQ(complaint(std::string(name), envelope), "") << name;
    }
  }
}

TEST(DiffRows, AreAllThereAndValid) {
  const std::vector<std::string> lines = lines_of(fixture::serving());
  ASSERT_EQ(lines.size(), 11U);
  for (const std::string& line : lines) EXPECT_EQ(complaint("plumbline.delta.v1", parse(line)), "") << line;
  for (const std::string& line : lines_of(fixture::hostile()))
    EXPECT_EQ(complaint("plumbline.delta.v1", parse(line)), "") << line;
  for (const std::string& line : lines_of(fixture::capture()))
    EXPECT_EQ(complaint("plumbline.delta.v1", parse(line)), "") << line;
}

TEST(DiffRows, SayWhatStoodInThePlaceOfANumber) {
  const json invalid = parse(lines_of(fixture::serving())[8]);
  EXPECT_EQ(invalid["state"], "invalid");
  EXPECT_TRUE(invalid["current"].is_null());
  EXPECT_TRUE(invalid["delta"].is_null());
  EXPECT_EQ(invalid["current_text"], "NaN");
  EXPECT_EQ(invalid["baseline"], 22);
}

TEST(DiffRows, GiveNoPercentOfZero) {
  const json gate = parse(lines_of(fixture::serving())[5]);
  EXPECT_EQ(gate["key"], "metrics.64.errors");
  EXPECT_EQ(gate["delta"], 3);
  EXPECT_TRUE(gate["delta_pct"].is_null());
}

TEST(DiffRows, CarryStatisticsWhereThereAreTrials) {
  const json row = parse(lines_of(fixture::serving())[0]);
  EXPECT_EQ(row["n_baseline"], 5);
  EXPECT_EQ(row["baseline_stats"]["median"], 9133);
  EXPECT_EQ(row["interval_pct"], json({-8.3, -7.2}));
  EXPECT_EQ(row["dims"]["concurrency"], "16");
  EXPECT_EQ(row["tolerance"], json({{"kind", "percent"}, {"value", 3}, {"source", "project"}, {"note", "plumbline.yaml:12"}}));
  EXPECT_EQ(row["sol"]["ceiling_key"], "b200_sm100.hbm3e_tbps");
  EXPECT_TRUE(parse(lines_of(fixture::serving())[4])["p"].is_null());
}

TEST(DiffRows, KeepIntegersBeyondDoublePrecisionDigitByDigit) {
  auto sides = std::make_shared<fixture::Sides>();
  sides->add({"bytes",
              "bytes",
              "B",
              core::Direction::lower,
              {1},
              {9007199254740993.0},
              core::State::regressed,
              0,
              false,
              false,
              false,
              {},
              core::ValueState::big_integer,
              "9007199254740993"});
  const std::vector<std::string> lines = lines_of(fixture::around(sides));
  EXPECT_NE(lines[0].find("\"current\":9007199254740993,"), std::string::npos) << lines[0];
}

TEST(DiffRows, NeverHoldNanOrInfinity) {
  auto sides = std::make_shared<fixture::Sides>();
  core::Delta& delta = sides->add({"x", "x", "", core::Direction::two_sided, {1}, {2}, core::State::regressed});
  delta.delta = std::numeric_limits<double>::infinity();
  delta.delta_pct = std::numeric_limits<double>::quiet_NaN();
  delta.used = std::numeric_limits<double>::infinity();
  const json row = parse(lines_of(fixture::around(sides))[0]);
  EXPECT_TRUE(row["delta"].is_null());
  EXPECT_TRUE(row["delta_pct"].is_null());
}

TEST(DiffRows, LeaveOutUnchangedRowsOfALargeDiffOnly) {
  EXPECT_EQ(lines_of(fixture::many_rows(20000)).size(), 20000U);
  EXPECT_EQ(lines_of(fixture::many_rows(20100)).size(), 201U);
  core::DiffResult all = fixture::many_rows(20100);
  all.all_rows = true;
  EXPECT_EQ(lines_of(all).size(), 20100U);
  EXPECT_EQ(parse(diff_json(fixture::many_rows(20100)))["rows_omitted"], 20100 - 201);
}

TEST(DiffRows, ComeInPiecesAndStopAtTheFirstFailure) {
  core::DiffResult result = fixture::many_rows(5000);
  std::size_t pieces = 0, largest = 0;
  ASSERT_TRUE(write_deltas(result, [&](std::string_view piece) {
    ++pieces;
    largest = std::max(largest, piece.size());
    EXPECT_EQ(piece.back(), '\n');
    return core::Status{};
  }));
  EXPECT_GT(pieces, 10U);
  EXPECT_LT(largest, 70000U);
  std::size_t calls = 0;
  const core::Status full = write_deltas(result, [&calls](std::string_view) -> core::Status {
    ++calls;
    return core::fail(core::ErrorCode::environment, "no space left on device");
  });
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().message, "no space left on device");
  EXPECT_EQ(calls, 1U);
}

TEST(DiffJson, KeepsTheReferenceToolsFields) {
  const json made = parse(diff_json(fixture::scalar()));
  for (const char* field :
       {"baseline_dir", "baseline_source_sha256", "current_source_sha256", "deltas_count", "deltas_top20", "direction", "family",
        "library", "measurement", "safety", "tolerance_absolute", "tolerance_percent", "tool", "verb", "verdict"}) {
    EXPECT_TRUE(made.contains(field)) << field;
  }
  EXPECT_EQ(made["tool"], "perf_baseline_diff");
  EXPECT_EQ(made["library"], "perf_baseline");
  EXPECT_EQ(made["verb"], "diff");
  EXPECT_EQ(made["safety"], "writes_artifacts");
  EXPECT_EQ(made["direction"], "higher-is-better");
  EXPECT_TRUE(made["tolerance_absolute"].is_null());
  const json& row = made["deltas_top20"][0];
  EXPECT_EQ(row["baseline"], 100);
  EXPECT_EQ(row["delta_pct"], 6);
  EXPECT_EQ(row["headline"], true);
}

TEST(DiffJson, SaysAutoWhereEachRowHasItsDirection) { EXPECT_EQ(parse(diff_json(fixture::serving()))["direction"], "auto"); }

TEST(DiffJson, LeavesSpeedOfLightOutWhereThereIsNone) {
  EXPECT_FALSE(parse(diff_json(fixture::scalar())).contains("sol"));
  EXPECT_TRUE(parse(diff_json(fixture::serving())).contains("sol"));
}

TEST(DiffResult, StaysUnderEightKibibytesWhateverComes) {
  for (const core::DiffResult& result :
       {fixture::serving(), fixture::hostile(), fixture::capture(), fixture::many_rows(1000), enormous()}) {
    const std::string text = diff_result_json(result);
    EXPECT_LT(text.size(), 8192U);
    const json made = parse(text);
    EXPECT_LE(made["top"].size(), 10U);
    EXPECT_EQ(made["verdict"], std::string(to_string(result.verdict)));
  }
}

TEST(DiffResult, ShowsMoreInDetailAndStaysUnderFortyKibibytes) {
  for (const core::DiffResult& result : {fixture::serving(), fixture::hostile(), fixture::many_rows(1000), enormous()}) {
    const std::string text = diff_result_json(result, ResponseFormat::detailed);
    EXPECT_LT(text.size(), 40'960U);
    EXPECT_EQ(complaint("plumbline.result.diff.v1", parse(text)), "");
    EXPECT_GE(parse(text)["top"].size(), parse(diff_result_json(result))["top"].size());
  }
  core::DiffResult many = fixture::many_rows(1000);
  auto& order = fixture::rows_of(many).order;
  order.resize(1000);
  std::iota(order.begin(), order.end(), 0U);
  const json shown = parse(diff_result_json(many, ResponseFormat::detailed));
  EXPECT_GT(shown["top"].size(), 10U);
  EXPECT_EQ(shown["top"].size() + shown["top_omitted"].get<std::size_t>(), 1000U);
}

TEST(RecordResult, KeepsTheFolderOfTheEntryHoweverDeep) {
  core::RecordResult result;
  result.baseline = fixture::structured_record();
  result.entry_dir = "/" + std::string(4000, 'd');
  for (int i = 0; i < 200; ++i)
    result.files.push_back({"f" + std::to_string(i), result.entry_dir + "/f", 1, std::string(64, '0')});
  const std::string text = record_result_json(result);
  EXPECT_LT(text.size(), 8192U);
  EXPECT_EQ(parse(text)["entry_dir"], result.entry_dir);
  EXPECT_EQ(parse(text)["files"].size() + parse(text)["files_omitted"].get<std::size_t>(), 200U);
}

TEST(DiffResult, CountsWhatItLeavesOut) {
  const json made = parse(diff_result_json(enormous()));
  EXPECT_EQ(made["reasons"].size() + made["reasons_omitted"].get<std::size_t>(), enormous().reasons.size());
  EXPECT_EQ(made["warnings"].back()["code"], "warnings_omitted");
  core::DiffResult twelve = fixture::scalar();
  twelve.diff_dir = "/bundle";
  for (int i = 0; i < 12; ++i) twelve.warnings.push_back({"ragged_lines", "warning"});
  const json small = parse(diff_result_json(twelve));
  EXPECT_EQ(small["warnings"].size(), 11U);
  EXPECT_EQ(small["warnings"].back()["message"], "2 more warnings in diff.json");
  twelve.diff_dir.clear();
  EXPECT_EQ(parse(diff_result_json(twelve))["warnings"].back()["message"], "2 more warnings") << "there is no file";
}

TEST(ProfileResult, StaysUnderEightKibibytesWhateverComes) {
  core::ProfileDiff diff = fixture::profile();
  for (int i = 0; i < 500; ++i) {
    diff.contributors.push_back({"kernel", std::string(5000, 'x'), 1, 1, 1});
    diff.reasons.push_back({"near_gate", std::string(5000, '"'), std::vector<std::string>(100, std::string(1000, '\n')), 100});
    diff.warnings.push_back({"ragged_lines", std::string(5000, '\\')});
  }
  const std::string text = profile_result_json(diff);
  EXPECT_LT(text.size(), 8192U);
  EXPECT_EQ(complaint("plumbline.result.profile-diff.v1", parse(text)), "");
}

TEST(ProfileJson, ListsAreWholeWhateverTheLimit) {
  core::ProfileDiff diff = fixture::profile();
  diff.limit = 1;
  const json made = parse(profile_json(diff));
  EXPECT_EQ(made["kernels"].size(), 3U);
  const json& row = made["kernels"][2];
  EXPECT_TRUE(row["pct"].is_null());
  EXPECT_TRUE(row["baseline_count"].is_null());
  EXPECT_TRUE(row["baseline"].is_null());
  EXPECT_EQ(row["candidate_count"], 1);
}

TEST(BaselineJson, KeepsTheReferenceToolsFieldsWithNullWhereAbsent) {
  const json made = parse(baseline_json(fixture::structured_record()));
  EXPECT_TRUE(made["value"].is_null());
  EXPECT_TRUE(made["unit"].is_null());
  EXPECT_EQ(made["registered_by"], json({{"operator_user", "ana"}}));
  EXPECT_EQ(made["workstation"]["hostname"], "host");
  const json scalar = parse(baseline_json(fixture::scalar_record()));
  EXPECT_EQ(scalar["value"], 100);
  EXPECT_TRUE(scalar["schema_path"].is_null());
  EXPECT_TRUE(scalar["profile_and_optimize_sha"].is_null());
}

TEST(BaselineJson, FreezesSpeedOfLightAtTheRootForScalarsAndPerRowElsewhere) {
  const json scalar = parse(baseline_json(fixture::scalar_record()));
  EXPECT_EQ(scalar["sol_pct"], 17.2);
  EXPECT_EQ(scalar["sol_ceiling_key"], "b200_sm100.nvlink5_tbps");
  EXPECT_EQ(scalar["sol_ceiling_unit"], "TB/s");
  const json structured = parse(baseline_json(fixture::structured_record()));
  EXPECT_FALSE(structured.contains("sol_pct"));
  EXPECT_EQ(structured["sol"][0]["key"], "metrics.16.throughput_toks_per_s");
  EXPECT_EQ(structured["sol"][0]["sol_rigor"], "L3");
}

TEST(BaselineJson, KeepsAnIntegerBeyondDoublePrecision) {
  core::BaselineRecord record = fixture::scalar_record();
  record.value = 9007199254740993.0;
  record.value_text = "9007199254740993";
  EXPECT_NE(baseline_json(record).find("\"value\": 9007199254740993,"), std::string::npos);
}

TEST(JsonWriter, WritesEmptyAndNestedValues) {
  std::string text;
  JsonWriter(text)
      .begin_object()
      .key("a")
      .begin_array()
      .end_array()
      .key("b")
      .begin_object()
      .end_object()
      .field("c", 1.5)
      .key("d")
      .null()
      .end_object();
  EXPECT_EQ(text, "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": 1.5,\n  \"d\": null\n}");
  text.clear();
  JsonWriter(text, -1).begin_array().value(1).value("x").value(true).value(std::nan("")).end_array();
  EXPECT_EQ(text, R"([1, "x", true, null])");
}

}  // namespace
}  // namespace plumbline::reports
