// Suites: which result answers to which baseline, what a folder against a folder ends in, and how passing cases become the
// baselines of tomorrow.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/verbs/registry_folder.hpp"
#include "verbs/suite/pairing.hpp"

namespace plumbline::verbs {
namespace {

using Json = nlohmann::json;

SuiteItem file(std::string name, core::Context context = {}, std::vector<std::string> ids = {}) {
  SuiteItem item;
  item.name = std::move(name);
  item.context = std::move(context);
  item.ids = std::move(ids);
  item.kind = "generic-json";
  return item;
}

// "id: baselines <- results (by) [note|problem]", a line a pair.
std::string pairs_of(const std::vector<SuiteItem>& baselines, const std::vector<SuiteItem>& results) {
  const SuitePairs pairs = pair_suite(baselines, results);
  std::string out;
  for (const SuitePair& pair : pairs.pairs) {
    out += pair.id + ":";
    for (const std::size_t i : pair.baselines) out += " " + baselines[i].name;
    out += " <-";
    for (const std::size_t i : pair.results) out += " " + results[i].name;
    if (!pair.by.empty()) out += " (" + pair.by + ")";
    if (!pair.note.empty()) out += " [" + pair.note + "]";
    if (!pair.problem.empty()) out += " !" + pair.problem;
    out += "\n";
  }
  return out;
}

TEST(SuitePairing, the_same_path_comes_first_then_the_same_name) {
  EXPECT_EQ(pairs_of({file("a/x.json"), file("b/x.json")}, {file("b/x.json"), file("a/x.table.txt")}),
            "b/x: b/x.json <- b/x.json (path)\n"
            "a/x: a/x.json <- a/x.table.txt (path)\n");
  EXPECT_EQ(pairs_of({file("x.json"), file("y.json")}, {file("x.json"), file("new/y.table.txt")}),
            "x: x.json <- x.json (path)\n"
            "y: y.json <- new/y.table.txt (file name)\n");
  // The folder that all of one side is in says nothing.
  EXPECT_EQ(pairs_of({file("a/x.json"), file("b/x.json")}, {file("run7/a/x.json"), file("run7/b/x.json")}),
            "a/x: a/x.json <- run7/a/x.json (file name)\n"
            "b/x: b/x.json <- run7/b/x.json (file name)\n");
}

TEST(SuitePairing, one_name_in_different_folders_is_not_one_case) {
  EXPECT_EQ(pairs_of({file("llama/r.json")}, {file("mistral/r.json"), file("phi/r.json"), file("qwen/r.json")}),
            "mistral/r: <- mistral/r.json\n"
            "phi/r: <- phi/r.json\n"
            "qwen/r: <- qwen/r.json\n"
            "llama/r: llama/r.json <-\n");
  EXPECT_EQ(pairs_of({file("llama/m.json"), file("qwen/m.json")}, {file("qwen/m.json"), file("mistral/m.json")}),
            "qwen/m: qwen/m.json <- qwen/m.json (path)\n"
            "mistral/m: <- mistral/m.json\n"
            "llama/m: llama/m.json <-\n");
  EXPECT_EQ(pairs_of({file("m.json")}, {file("llama/m.json"), file("qwen/m.json")}),
            "llama/m: <- llama/m.json\n"
            "qwen/m: <- qwen/m.json\n"
            "m: m.json <-\n");
}

TEST(SuitePairing, what_follows_a_dot_may_be_the_case) {
  EXPECT_EQ(pairs_of({file("llama.prefill.json")}, {file("llama.decode.json")}),
            "llama.decode: <- llama.decode.json\n"
            "llama.prefill: llama.prefill.json <-\n");
  EXPECT_EQ(pairs_of({file("v1.alpha.json"), file("x-1.5.json")}, {file("v1.beta.json"), file("x-1-5.json")}),
            "v1.beta: <- v1.beta.json\n"
            "x-1-5: <- x-1-5.json\n"
            "v1.alpha: v1.alpha.json <-\n"
            "x-1.5: x-1.5.json <-\n");
}

TEST(SuitePairing, a_size_is_no_date) {
  for (const auto& [before, now] :
       std::initializer_list<std::pair<const char*, const char*>>{{"allreduce-1073741824", "allreduce-1610612736"},
                                                                  {"gemm-20001024", "gemm-20001025"},
                                                                  {"size-1000000000", "size-1500000000"}}) {
    EXPECT_EQ(pairs_of({file(std::string(before) + ".json")}, {file(std::string(now) + ".json")}),
              std::string(now) + ": <- " + now + ".json\n" + before + ": " + before + ".json <-\n");
  }
  // Seconds since 1970 are a date, and order no two runs.
  EXPECT_EQ(pairs_of({file("x-1767225601.json")}, {file("x-1767312001.json")}),
            "x-1767225601: x-1767225601.json <- x-1767312001.json (name without dates and hosts)\n");
  EXPECT_EQ(
      pairs_of({file("x.json")}, {file("x-1767225601.json"), file("x-1767312001.json")}),
      "x-1767225601: <- x-1767225601.json !2 results answer to \"x.json\" and nothing tells which: \"x-1767225601.json\" and \""
      "x-1767312001.json\"\n"
      "x-1767312001: <- x-1767312001.json !2 results answer to \"x.json\" and nothing tells which: \"x-1767225601.json\" and \""
      "x-1767312001.json\"\n"
      "x: x.json <- !2 results answer to \"x.json\" and nothing tells which: \"x-1767225601.json\" and \"x-1767312001.json\"\n");
}

TEST(SuitePairing, a_host_is_left_out_of_its_own_name_and_as_a_whole) {
  const auto on = [](const char* name, const char* key, const char* value) { return file(name, {{key, value}}); };
  EXPECT_EQ(
      pairs_of({on("decode-4.json", "environment.hostname", "node-4")}, {on("decode-8.json", "environment.hostname", "node-8")}),
      "decode-8: <- decode-8.json\n"
      "decode-4: decode-4.json <-\n");
  EXPECT_EQ(
      pairs_of({on("llama-8b.json", "environment.hostname", "llama-ci-1")}, {on("8b.json", "environment.hostname", "ci-2")}),
      "8b: <- 8b.json\n"
      "llama-8b: llama-8b.json <-\n");
  EXPECT_EQ(pairs_of({on("gemm-4090.json", "hardware.gpu", "RTX 4090")}, {on("gemm-80.json", "hardware.gpu", "H100 80 GB")}),
            "gemm-80: <- gemm-80.json\n"
            "gemm-4090: gemm-4090.json <-\n");
  // Two boards left out of two names are two boards.
  EXPECT_EQ(pairs_of({on("x-h100.json", "hardware.gpu", "NVIDIA H100")}, {on("x-l4.json", "hardware.gpu", "NVIDIA L4")}),
            "x-l4: <- x-l4.json !none of 1 baseline fits this context: hardware.gpu is \"NVIDIA H100\" in x-h100.json, \"NVIDIA "
            "L4\" here\n");
  EXPECT_EQ(pairs_of({file("load-current.json")}, {file("load-baseline.json")}),
            "load-baseline: <- load-baseline.json\n"
            "load-current: load-current.json <-\n");
}

TEST(SuitePairing, endings_are_dropped_but_not_versions) {
  EXPECT_EQ(without_ending("a/GLM-4.7-decode.table.txt"), "a/GLM-4.7-decode");
  EXPECT_EQ(without_ending("qwen.v2.json"), "qwen.v2");
  EXPECT_EQ(without_ending("dir.d/.hidden"), "dir.d/.hidden");
  EXPECT_EQ(case_segment("model__cuda__KV=q8_0 (2)"), "model__cuda__KV-q8_0-2");
  EXPECT_EQ(case_segment("a/b"), "a-b");
  EXPECT_EQ(case_segment("///"), "");
}

TEST(SuitePairing, a_case_id_inside_the_file_pairs_what_names_do_not) {
  EXPECT_EQ(pairs_of({file("decode.json"), file("7.json", {}, {"prefill"})},
                     {file("out-1.json", {}, {"decode"}), file("prefill.json")}),
            "decode: decode.json <- out-1.json (case id)\n"
            "prefill: 7.json <- prefill.json (case id)\n");
  // An id that two results carry names neither.
  EXPECT_EQ(pairs_of({file("decode.json")}, {file("1.json", {}, {"decode"}), file("2.json", {}, {"decode"})}),
            "1: <- 1.json\n"
            "2: <- 2.json\n"
            "decode: decode.json <-\n");
}

TEST(SuitePairing, dates_hosts_and_the_names_of_the_sides_tell_no_cases_apart) {
  EXPECT_EQ(pairs_of({file("decode-baseline.json")}, {file("decode-20260722-060114.json")}),
            "decode-baseline: decode-baseline.json <- decode-20260722-060114.json (name without dates and hosts)\n");
  EXPECT_EQ(pairs_of({file("decode_2025-01-02.json")}, {file("decode_2026-07-22T06-01-14.json")}),
            "decode_2025-01-02: decode_2025-01-02.json <- decode_2026-07-22T06-01-14.json (name without dates and hosts)\n");
  EXPECT_EQ(pairs_of({file("decode.json")}, {file("decode-node7.json", {{"environment.hostname", "node7"}})}),
            "decode: decode.json <- decode-node7.json (name without dates and hosts)\n");
  // A size is no date, and a word that no context names is no host.
  EXPECT_EQ(pairs_of({file("decode-4096.json")}, {file("decode-8192.json")}),
            "decode-8192: <- decode-8192.json\n"
            "decode-4096: decode-4096.json <-\n");
}

TEST(SuitePairing, repeated_runs_are_trials_of_their_case_and_runs_of_other_days_are_not) {
  EXPECT_EQ(
      pairs_of({file("decode.json")}, {file("decode-1.json"), file("decode-2.json"), file("decode-3.json")}),
      "decode: decode.json <- decode-1.json decode-2.json decode-3.json (name without dates and hosts) [3 files as trials]\n");
  EXPECT_EQ(pairs_of({file("decode.json")}, {file("decode-run=0.json"), file("decode-run=1.json")}),
            "decode: decode.json <- decode-run=0.json decode-run=1.json (name without dates and hosts) [2 files as trials]\n");
  // Sizes are no row of runs.
  EXPECT_EQ(pairs_of({file("decode.json")}, {file("decode-1.json"), file("decode-4.json")}),
            "decode-1: <- decode-1.json\n"
            "decode-4: <- decode-4.json\n"
            "decode: decode.json <-\n");
  EXPECT_EQ(pairs_of({file("x.json")}, {file("x-20260103.json"), file("x-20260101.json"), file("x-20260102.json")}),
            "x: x.json <- x-20260103.json (name without dates and hosts) [of 3 results x-20260103.json was taken, the newest by "
            "its date; not \"x-20260101.json\" and \"x-20260102.json\"]\n");
}

TEST(SuitePairing, of_several_baselines_the_one_whose_context_fits) {
  const std::vector<SuiteItem> baselines = {file("a100/x.json", {{"hardware.gpu", "A100"}}),
                                            file("h100/x.json", {{"hardware.gpu", "H100"}})};
  EXPECT_EQ(pairs_of(baselines, {file("x.json", {{"hardware.gpu", "H100"}})}),
            "h100/x: h100/x.json <- x.json (name without dates and hosts) [of 2 baselines h100/x.json was taken, whose "
            "hardware.gpu is H100; not \""
            "a100/x.json\"]\n");
  EXPECT_EQ(pairs_of(baselines, {file("x.json", {{"hardware.gpu", "B200"}})}),
            "x: <- x.json !none of 2 baselines fits this context: hardware.gpu is \"H100\" in h100/x.json, \"B200\" "
            "here\n");
  // Nothing in the result says which: neither is taken.
  EXPECT_EQ(
      pairs_of(baselines, {file("x.json")}),
      "x: <- x.json !2 baselines would do (\"a100/x.json\" and \"h100/x.json\") and nothing in this context decides\n"
      "a100/x: a100/x.json <- !2 baselines would do (\"a100/x.json\" and \"h100/x.json\") and nothing in this context decides\n"
      "h100/x: h100/x.json <- !2 baselines would do (\"a100/x.json\" and \"h100/x.json\") and nothing in this context decides\n");
}

TEST(SuitePairing, a_shared_model_or_a_shared_title_is_no_identity) {
  EXPECT_EQ(pairs_of({file("sharegpt.json", {{"identity.model", "m"}})}, {file("random-in8192.json", {{"identity.model", "m"}})}),
            "random-in8192: <- random-in8192.json\n"
            "sharegpt: sharegpt.json <-\n");
  SuiteItem before = file("llama.json"), now = file("qwen.json");
  before.names = now.names = {"latency test"};
  EXPECT_EQ(pairs_of({before}, {now}), "qwen: <- qwen.json\nllama: llama.json <-\n");
  now.names = {"llama"};
  EXPECT_EQ(pairs_of({before}, {now}), "llama: llama.json <- qwen.json (case id)\n");
}

TEST(SuitePairing, entries_of_a_family_are_called_after_their_cases) {
  SuiteItem entry;
  entry.name = "prefill-llama";
  entry.entry = true;
  EXPECT_EQ(pairs_of({entry}, {file("prefill/llama.json")}), "prefill-llama: prefill-llama <- prefill/llama.json (name)\n");
  entry.name = "x-1";
  EXPECT_EQ(pairs_of({entry}, {file("x=1.json"), file("x@1.json")}),
            "x=1: <- x=1.json !2 results answer to \"x-1\" and nothing tells which: \"x=1.json\" and \"x@1.json\"\n"
            "x@1: <- x@1.json !2 results answer to \"x-1\" and nothing tells which: \"x=1.json\" and \"x@1.json\"\n"
            "x-1: x-1 <- !2 results answer to \"x-1\" and nothing tells which: \"x=1.json\" and \"x@1.json\"\n");
  const std::string stem(128, 'a');
  EXPECT_NE(case_segment(stem + "-isl128"), case_segment(stem + "-isl256"));
  EXPECT_EQ(case_segment(stem + "-isl128").size(), 128U);
}

class Suites : public RegistryFolder {
 protected:
  // Three latencies that move together: three regressed rows make a case RED.
  static std::string run_json(double ttft) {
    return R"({"metrics": {"ttft_ms": )" + std::to_string(ttft) + R"(, "tpot_ms": )" + std::to_string(ttft / 10) +
           R"(, "e2e_latency_ms": )" + std::to_string(ttft * 8) + "}}\n";
  }

  Expected<Outcome> call(const char* verb, std::initializer_list<std::pair<const char*, Value>> values) const {
    Arguments arguments;
    for (const auto& [name, value] : values) arguments.set(name, value);
    return find(verb)->run(arguments, context());
  }
  Json diff(const std::string& baseline, const std::string& current) const {
    auto outcome =
        call("diff", {{"baseline", std::vector<std::string>{baseline}}, {"current", std::vector<std::string>{current}}});
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
    if (!outcome) return {};
    text_ = outcome->text;
    return Json::parse(outcome->json);
  }
  Json diff_json(const Json& result) const {
    std::ifstream in(result["diff_dir"].get<std::string>() + "/diff.json");
    return Json::parse(in);
  }
  static std::string states(const Json& document) {
    std::string out;
    for (const Json& one : document["suite"]["cases"])
      out += one["case"].get<std::string>() + " " + one["state"].get<std::string>() + "\n";
    return out;
  }

  mutable std::string text_;
};

TEST_F(Suites, a_row_a_case_one_verdict_and_totals) {
  write("base/good.json", run_json(100));
  write("base/bad.json", run_json(100));
  write("base/gone.json", run_json(100));
  write("base/empty.json", R"({"metrics": {"ttft_ms": null, "note": "to be measured"}})");
  write("base/README.md", "# Baselines\n\nOne file a case.\n");
  write("new/good.json", run_json(101));
  write("new/bad.json", run_json(150));
  write("new/fresh.json", run_json(70));
  write("new/empty.json", run_json(70));
  const Json result = diff("base", "new");
  EXPECT_EQ(result["verdict"], "RED");
  EXPECT_EQ(result["shape"], "suite");
  EXPECT_EQ(result["family"], "adhoc");
  EXPECT_EQ(result["measurement"], "suite");
  EXPECT_EQ(states(result), "bad failed\ngone stale\nempty no_baseline\nfresh untracked\ngood passed\n");
  EXPECT_EQ(
      result["suite"]["totals"],
      Json::parse(
          R"({"cases": 5, "passed": 1, "failed": 1, "error": 0, "stale": 1, "no_baseline": 1, "untracked": 1, "skipped": 0})"));
  std::vector<std::string> codes;
  for (const Json& reason : result["reasons"]) codes.push_back(reason["code"]);
  EXPECT_EQ(codes.front(), "case_failed");
  for (const char* code : {"case_stale", "case_no_baseline", "case_untracked"})
    EXPECT_NE(std::find(codes.begin(), codes.end(), code), codes.end()) << code;
  EXPECT_NE(text_.find("1 of 5 cases passed, 1 failed, 1 stale, 1 without a baseline value, 1 untracked"), std::string::npos)
      << text_;

  const Json whole = diff_json(result);
  const Json& bad = whole["suite"]["cases"][0];
  EXPECT_EQ(bad["headline"]["key"], "metrics.ttft_ms");
  EXPECT_EQ(bad["headline"]["baseline"], 100);
  EXPECT_EQ(bad["headline"]["current"], 150);
  EXPECT_EQ(bad["headline"]["delta_pct"], 50);
  EXPECT_EQ(bad["regressed"], 3);
  std::ifstream rows(result["diff_dir"].get<std::string>() + "/deltas.jsonl");
  std::string line;
  std::map<std::string, std::string> seen;
  while (std::getline(rows, line)) {
    const Json row = Json::parse(line);
    seen[row["key"]] = row["state"];
  }
  EXPECT_EQ(seen["bad:metrics.ttft_ms"], "regressed");
  EXPECT_EQ(seen["gone:metrics.ttft_ms"], "missing");
  EXPECT_EQ(seen["fresh:metrics.ttft_ms"], "added");
}

TEST_F(Suites, a_case_that_cannot_be_compared_is_an_error_of_the_case) {
  write("base/a.json", run_json(100));
  write("base/b.json", run_json(100));
  write("new/a.json", "{\"metrics\": {\"ttft_ms\": ");
  write("new/b.json", run_json(100));
  const Json result = diff("base", "new");
  EXPECT_EQ(result["verdict"], "RED");
  EXPECT_EQ(states(result), "a error\nb passed\n");
  EXPECT_EQ(result["reasons"][0]["code"], "case_error");
}

TEST_F(Suites, what_is_no_measurement_on_either_side_is_no_case) {
  for (const char* side : {"base", "new"}) {
    write(std::string(side) + "/a.json", run_json(100));
    write(std::string(side) + "/README.md", std::string("# hello from ") + side + "\n");
  }
  Json result = diff("base", "new");
  EXPECT_EQ(result["verdict"], "GREEN");
  EXPECT_EQ(states(result), "a passed\n");
  EXPECT_EQ(result["warnings"][0]["code"], "unread_file");
  // What broke beside a file of another case is not covered by it.
  for (const char* side : {"base", "new"}) write(std::string(side) + "/a.prefill.json", run_json(100));
  write("base/a.decode.json", run_json(100));
  write("new/a.decode.json", "{\"metrics\": {\"ttft_ms\": ");
  result = diff("base", "new");
  EXPECT_EQ(result["verdict"], "RED");
  EXPECT_EQ(states(result), "a.decode error\na passed\na.prefill passed\n");
}

TEST_F(Suites, nothing_compared_is_not_green) {
  write("base/x-h100.json", R"({"gpu": "H100", "latency_ms": 10})");
  write("base/x-a100.json", R"({"gpu": "A100", "latency_ms": 10})");
  write("new/x.json", R"({"gpu": "L4", "latency_ms": 10})");
  const Json result = diff("base", "new");
  EXPECT_EQ(result["verdict"], "YELLOW");
  EXPECT_EQ(states(result), "x untracked\n");
  EXPECT_EQ(result["reasons"][0]["code"], "case_unmatched");
  EXPECT_EQ(result["reasons"][1]["code"], "nothing_compared");
}

TEST_F(Suites, keys_may_name_the_case_and_must_name_something) {
  write("base/a.json", run_json(100));
  write("base/b.json", run_json(100));
  write("new/a.json", run_json(120));
  write("new/b.json", run_json(120));
  const auto verdict_of = [&](const std::string& tolerance) {
    auto outcome = call("diff", {{"baseline", std::vector<std::string>{"base"}},
                                 {"current", std::vector<std::string>{"new"}},
                                 {"tolerance", std::vector<std::string>{tolerance}},
                                 {"no_bundle", true}});
    return outcome ? states(Json::parse(outcome->json)) : outcome.error().message;
  };
  EXPECT_EQ(verdict_of("*_ms=30%"), "a passed\nb passed\n");
  EXPECT_EQ(verdict_of("a:*_ms=30%"), "b failed\na passed\n");
  EXPECT_EQ(verdict_of("c:*_ms=30%"), "--tolerance: no key matches \"c:*_ms\"");
}

TEST_F(Suites, three_doubtful_cases_are_no_chance) {
  for (const char* name : {"a", "b", "c"}) {
    write(std::string("base/") + name + ".json", R"({"ttft_ms": 100, "tpot_ms": 10})");
    write(std::string("new/") + name + ".json", R"({"ttft_ms": 120, "tpot_ms": 10})");
  }
  Json result = diff("base", "new");
  EXPECT_EQ(result["verdict"], "RED");
  EXPECT_EQ(states(result), "a failed\nb failed\nc failed\n");  // totals beside a RED say so, too
  EXPECT_EQ(result["suite"]["totals"]["passed"], 0);
  EXPECT_EQ(result["reasons"][0]["code"], "many_regressed");
  EXPECT_EQ(result["reasons"][0]["message"], "3 rows of 3 cases regressed beyond tolerance, first \"a:ttft_ms\"");
  write("new/c.json", R"({"ttft_ms": 100, "tpot_ms": 10})");
  result = diff("base", "new");
  EXPECT_EQ(result["verdict"], "YELLOW");
  EXPECT_EQ(result["reasons"][0]["code"], "case_doubtful");
}

TEST_F(Suites, a_folder_of_baselines_answers_one_measurement_with_the_file_that_fits) {
  write("base/a100.json", R"({"context": {"hardware": {"gpu": "A100"}}, "ttft_ms": 200})");
  write("base/h100.json", R"({"context": {"hardware": {"gpu": "H100"}}, "ttft_ms": 100})");
  write("now.json", R"({"context": {"hardware": {"gpu": "H100"}}, "ttft_ms": 101})");
  const Json result = diff("base", "now.json");
  EXPECT_EQ(result["verdict"], "GREEN");
  EXPECT_EQ(diff_json(result)["baseline"]["path"], root_ + "/base/h100.json");
  write("other.json", R"({"ttft_ms": 101})");
  const auto undecided =
      call("diff", {{"baseline", std::vector<std::string>{"base"}}, {"current", std::vector<std::string>{"other.json"}}});
  ASSERT_FALSE(undecided);
  EXPECT_EQ(undecided.error().message,
            "2 baselines in " + root_ + "/base would do for other.json and nothing in their contexts decides");
}

TEST_F(Suites, passing_cases_become_entries_and_a_red_one_does_not) {
  write("day1/a.json", run_json(100));
  write("day1/b.json", run_json(100));
  const auto record = [&](const std::string& source, bool allow_regressed = false) {
    Arguments arguments;
    arguments.set("as", std::string("suite"));
    arguments.set("family", std::string("nightly"));
    arguments.set("source", source);
    arguments.set("reason", std::string("new driver, reviewed"));
    if (allow_regressed) arguments.set("allow_regressed", true);
    return find("record")->run(arguments, context());
  };
  auto first = record("day1");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(Json::parse(first->json)["entries_count"], 2);
  EXPECT_EQ(store_->slugs(registry::Kind::entry, "nightly", "a")->size(), 1U);

  write("day2/a.json", run_json(95));
  write("day2/b.json", run_json(150));
  const Json compared = diff("nightly", "day2");
  EXPECT_EQ(compared["family"], "nightly");
  EXPECT_EQ(states(compared), "b failed\na passed\n");

  auto second = record("day2");
  ASSERT_TRUE(second) << second.error().message;
  const Json refreshed = Json::parse(second->json);
  EXPECT_EQ(refreshed["entries"][0]["case"], "a");
  EXPECT_EQ(refreshed["left_out"][0]["case"], "b");
  EXPECT_EQ(refreshed["left_out"][0]["state"], "failed");
  EXPECT_EQ(store_->slugs(registry::Kind::entry, "nightly", "a")->size(), 2U);
  EXPECT_EQ(store_->slugs(registry::Kind::entry, "nightly", "b")->size(), 1U);
  EXPECT_EQ(refreshed["warnings"].back()["code"], "regressed_not_recorded");

  write("day3/b.json", run_json(150));
  const auto refused = record("day3");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("no case can become a baseline: worse than what it would replace: b ("))
      << refused.error().message;
  EXPECT_EQ(refused.error().hint, "fix what regressed; `--allow-regressed` records it all the same, with the reason beside it");
  auto forced = record("day3", true);
  ASSERT_TRUE(forced) << forced.error().message;
  EXPECT_EQ(store_->slugs(registry::Kind::entry, "nightly", "b")->size(), 2U);
}

TEST_F(Suites, a_refresh_needs_a_reason_and_takes_no_broken_run) {
  write("day/a.json", run_json(100));
  auto without = call("record", {{"as", std::string("suite")}, {"family", std::string("f")}, {"source", std::string("day")}});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().message, "--as suite needs --reason");
  without = call("record", {{"as", std::string("suite")},
                            {"family", std::string("f")},
                            {"source", std::string("day")},
                            {"measurement", std::string("m")},
                            {"reason", std::string("r")}});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().message, "--measurement does not go with --as suite");
  without = call("record", {{"family", std::string("f")},
                            {"measurement", std::string("m")},
                            {"source", std::string("day")},
                            {"allow_regressed", true}});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().message, "--allow-regressed goes with --as suite");

  write("broken/s.json",
        R"({"backend": "vllm", "model_id": "m", "num_prompts": 8, "request_rate": "inf", "completed": 5, "failed": 3,
 "request_throughput": 1, "output_throughput": 10, "total_token_throughput": 20, "median_ttft_ms": 4})");
  const auto broken = call("record", {{"as", std::string("suite")},
                                      {"family", std::string("f")},
                                      {"source", std::string("broken")},
                                      {"reason", std::string("r")}});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().message, "no case can become a baseline: s (its run failed: failed is 3)");
  EXPECT_FALSE(std::filesystem::exists(root_ + "/experiments"));

  // So is a run that counts no error and says of itself that it did not pass.
  write("unpassed/s.json", R"({"hw": "h200", "conc": 4, "tput_per_gpu": 1.5, "output_tput_per_gpu": 1.5, "mean_ttft": 0.5,
 "benchmark_outcome": {"status": "failed", "failed": 0, "completed": 5, "requested": 5}})");
  const auto unpassed = call("record", {{"as", std::string("suite")},
                                        {"family", std::string("f")},
                                        {"source", std::string("unpassed")},
                                        {"reason", std::string("r")}});
  ASSERT_FALSE(unpassed);
  EXPECT_EQ(unpassed.error().message, "no case can become a baseline: s (its run failed: passed is 0)");

  // A YELLOW case with a regressed row has not passed either.
  write("base/y.json", R"({"ttft_ms": 100, "tpot_ms": 10})");
  write("yellow/y.json", R"({"ttft_ms": 150, "tpot_ms": 10})");
  const auto yellow = call("record", {{"as", std::string("suite")},
                                      {"family", std::string("f")},
                                      {"source", std::string("yellow")},
                                      {"against", std::string("base")},
                                      {"reason", std::string("r")}});
  ASSERT_FALSE(yellow);
  EXPECT_TRUE(yellow.error().message.starts_with("no case can become a baseline: worse than what it would replace: y ("))
      << yellow.error().message;
}

TEST_F(Suites, an_interrupted_record_is_taken_up_where_it_ended) {
  write("day/a.json", run_json(100));
  write("day/b.json", run_json(100));
  const auto record = [&] {
    auto outcome = call("record", {{"as", std::string("suite")},
                                   {"family", std::string("f")},
                                   {"source", std::string("day")},
                                   {"reason", std::string("first night")}});
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
    return outcome ? Json::parse(outcome->json) : Json();
  };
  // What a killed process leaves: a folder of the measurement, and nothing published in it.
  std::filesystem::create_directories(root_ + "/experiments/artifacts/perf-baselines/f/b/.tmp-1");
  EXPECT_EQ(record()["entries_count"], 2);
  EXPECT_EQ(diff("f", "day")["verdict"], "GREEN");
  const Json again = record();
  EXPECT_EQ(again["entries_count"], 0);
  EXPECT_EQ(again["left_out"][0]["reason"], "already recorded as " + store_->slugs(registry::Kind::entry, "f", "a")->back());
  EXPECT_EQ(store_->slugs(registry::Kind::entry, "f", "b")->size(), 1U);
}

TEST_F(Suites, a_row_of_unknown_direction_that_moved_is_not_recorded) {
  write("base/a.json", R"({"foo": 10, "ttft_ms": 10})");
  write("new/a.json", R"({"foo": 100, "ttft_ms": 10})");
  const auto refused = call("record", {{"as", std::string("suite")},
                                       {"family", std::string("f")},
                                       {"source", std::string("new")},
                                       {"against", std::string("base")},
                                       {"reason", std::string("r")}});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("no case can become a baseline: worse than what it would replace: a ("))
      << refused.error().message;
}

TEST_F(Suites, a_file_that_is_not_of_the_policys_system_is_an_error_of_its_case) {
  write("base/ours.json",
        R"({"variant": "eagle3", "model": "m", "baselines": {"acceptance_rate": {"expected": 0.7, "tolerance_pct": 10}}})");
  write("new/ours.json", R"({"acceptance_rate": 0.7})");
  write("base/alien.json", run_json(100));
  write("new/alien.json", run_json(100));
  auto outcome = call("diff", {{"baseline", std::vector<std::string>{"base"}},
                               {"current", std::vector<std::string>{"new"}},
                               {"policy", std::string("spec_decode")}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(states(Json::parse(outcome->json)), "alien error\nours passed\n");
}

}  // namespace
}  // namespace plumbline::verbs
