// What an agent's context pays: results stay within their bounds whatever was measured, recorded or asked, and are valid all the
// same; what was left out is counted and can be had.
#include <nlohmann/json.hpp>

#include "schemas/schemas.hpp"
#include "tests/verbs/registry_folder.hpp"
#include "verbs/record/schema_check.hpp"

namespace plumbline::verbs {
namespace {

using Json = nlohmann::json;

std::string slug(int n) { return "20261118T" + std::to_string(100'000 + n) + "221206Z"; }

class Bounds : public RegistryFolder {
 protected:
  // A call's result, after both formats were held against their bounds and the published schema.
  Json result(std::string_view tool, Json arguments, bool detailed = false) const {
    const Verb& verb = *find(tool);
    if (detailed) arguments["response_format"] = "detailed";
    const auto typed = parse_json_arguments(verb, arguments.dump());
    EXPECT_TRUE(typed) << typed.error().message;
    const auto outcome = verb.run(*typed, context());
    EXPECT_TRUE(outcome) << outcome.error().message;
    if (!outcome) return {};
    const auto valid = validate_json(outcome->json, verb.output_schema, std::string(tool));
    EXPECT_TRUE(valid) << tool << ": " << valid.error().message;
    const Json document = Json::parse(outcome->json);
    EXPECT_LE(document.dump().size(), detailed ? 40'960U : 8'192U) << tool;
    EXPECT_LE(outcome->json.size(), detailed ? 40'960U : 8'192U) << tool;
    return document;
  }
  std::pair<Json, Json> both(std::string_view tool, const Json& arguments) const {
    return {result(tool, arguments), result(tool, arguments, true)};
  }
};

// Rows with long keys, quotes and control characters among them, every third one slower.
std::string wide(int rows, std::size_t key_bytes, bool slower) {
  Json document;
  const std::string_view pieces[] = {"x", "\"", "\n", "é", "\x01"};
  for (int i = 0; i < rows; ++i) {
    std::string key = "latency_ms_" + std::to_string(i);
    while (key.size() < key_bytes) key += pieces[static_cast<std::size_t>(i) % std::size(pieces)];
    document[key] = 10.0 + (slower && i % 3 == 0 ? 5 : 0);
  }
  return document.dump();
}

TEST_F(Bounds, DiffOfTenThousandRowsAndOfLongKeys) {
  for (const auto& [rows, bytes] : std::vector<std::pair<int, std::size_t>>{{10'000, 20}, {200, 5'000}}) {
    write("a.json", wide(rows, bytes, false));
    write("b.json", wide(rows, bytes, true));
    const auto [concise, detailed] = both("perf_baseline_diff", {{"baseline", "a.json"}, {"current", {"b.json"}}});
    EXPECT_EQ(concise["verdict"], "RED");
    EXPECT_EQ(concise["counts"]["compared"], rows);
    EXPECT_EQ(concise["top"].size() + concise["top_omitted"].get<std::size_t>(), static_cast<std::size_t>(rows));
    EXPECT_TRUE(std::filesystem::is_directory(concise["diff_dir"].get<std::string>()));
    const std::string name = std::filesystem::path(concise["diff_dir"].get<std::string>()).filename();
    EXPECT_EQ(concise["hint"],
              "everything is in diff_dir; every row: plumbline://diffs/adhoc/generic-json/" + name + "/deltas.jsonl");
    EXPECT_GT(detailed["top"].size(), concise["top"].size());
  }
}

TEST_F(Bounds, InspectShowsSomeRowsAndAnyByKey) {
  write("a.json", wide(10'000, 300, false));
  const auto [concise, detailed] = both("measurement_inspect", {{"path", "a.json"}});
  EXPECT_EQ(concise["row_count"], 10'000);
  EXPECT_EQ(concise["rows"].size() + concise["rows_omitted"].get<std::size_t>(), 10'000U);
  EXPECT_GT(concise["rows"].size(), 3U);
  EXPECT_GT(detailed["rows"].size(), concise["rows"].size());
  EXPECT_TRUE(concise.contains("hint"));
  const Json eleven = result("measurement_inspect", {{"path", "a.json"}, {"key", "latency_ms_500*"}});
  EXPECT_EQ(eleven["row_count"], 11);
  EXPECT_EQ(eleven["warnings"].back()["message"], "11 of 10000 rows match --key \"latency_ms_500*\"");
  write("long.json", wide(100, 20'000, false));
  both("measurement_inspect", {{"path", "long.json"}});
}

TEST_F(Bounds, HistoryKeepsTheNewestAndTheAcceptedAndTurnsBack) {
  const std::string much =
      R"(,"context": {"hardware.gpu": ")" + std::string(300, 'H') + R"("}, "label": ")" + std::string(3000, 'l') + "\"";
  for (int n = 0; n < 300; ++n) entry("nccl", "busbw", slug(n), std::to_string(100 + n % 7), much);
  accept("nccl", "busbw", slug(3));
  const auto [concise, detailed] = both("perf_baseline_history", {{"name", "nccl/busbw"}});
  EXPECT_EQ(concise["entries"].size() + concise["entries_omitted"].get<std::size_t>(), 300U);
  EXPECT_GT(detailed["entries"].size(), concise["entries"].size());
  EXPECT_EQ(concise["entries"].front()["slug"], slug(3)) << "the accepted one stays";
  EXPECT_EQ(concise["entries"].back()["slug"], slug(299));
  const std::string oldest = concise["entries"][1]["slug"];
  EXPECT_EQ(concise["hint"], "older entries: before \"" + oldest + "\"");
  const Json older = result("perf_baseline_history", {{"name", "nccl/busbw"}, {"before", oldest}});
  EXPECT_LT(older["entries"].back()["slug"].get<std::string>(), oldest);
  EXPECT_EQ(older["trend"], concise["trend"]) << "of the whole history";
  // Page by page every entry is seen once.
  std::size_t seen = 0;
  for (std::string before = "3"; !before.empty();) {
    const Json page = result("perf_baseline_history", {{"name", "nccl/busbw"}, {"before", before}});
    std::string next;
    for (const Json& entry : page["entries"]) {
      const bool ahead = page.contains("hint") && entry["accepted"] == true && entry == page["entries"].front();
      if (ahead) continue;
      ++seen;
      if (next.empty()) next = entry["slug"];
    }
    before = page.contains("hint") ? next : "";
  }
  EXPECT_EQ(seen, 300U);
}

TEST_F(Bounds, SearchAndVerifyCountWhatTheyLeaveOut) {
  for (int n = 0; n < 120; ++n) entry("nccl", "busbw", slug(n), "310", R"(,"label": ")" + std::string(2000, 'x') + "\"");
  const auto [concise, detailed] = both("search_evidence", {{"query", "busbw"}, {"limit", 1000}});
  EXPECT_EQ(concise["total"], 120);
  EXPECT_EQ(concise["hits"].size() + concise["hits_omitted"].get<std::size_t>(), 120U);
  EXPECT_GT(detailed["hits"].size(), concise["hits"].size());
  both("search_evidence", {{"query", std::string(100'000, '\x01')}});

  write("bundle/diff.json", "{}");
  std::string manifest;
  for (int n = 0; n < 300; ++n)
    manifest += std::string(64, '0') + "  missing-" + std::to_string(1000 + n) + std::string(100, 'm') + "\n";
  write("bundle/SHA256SUMS", manifest);
  const auto [few, more] = both("bundle_verify", {{"path", "bundle"}});
  EXPECT_EQ(few["ok"], false);
  EXPECT_GT(few["problems_omitted"], 0);
  EXPECT_GT(more["problems"].size(), few["problems"].size());
}

TEST_F(Bounds, RecordAndAcceptOfMuchText) {
  write("a.json", wide(2'000, 200, false));
  Json call = {{"family", "f"}, {"measurement", "m"}, {"source", "a.json"}, {"reason", std::string(100'000, '"')}};
  for (int n = 0; n < 300; ++n) call["headline"].push_back("latency_ms_" + std::to_string(n) + "*");
  const Json recorded = result("perf_baseline_record", call);
  EXPECT_EQ(recorded["rows"], 2'000);
  EXPECT_EQ(recorded["headline"].size() + recorded["headline_omitted"].get<std::size_t>(), 300U);
  EXPECT_TRUE(std::filesystem::exists(recorded["baseline_json"].get<std::string>()));
  const Json accepted = result("perf_baseline_accept", {{"baseline", "f/m"}, {"reason", std::string(4'000, '"')}});
  EXPECT_TRUE(std::filesystem::exists(accepted["path"].get<std::string>()));
}

}  // namespace
}  // namespace plumbline::verbs
