// The one pause: after everything is computed, before anything is written; the same question each time.
#include <nlohmann/json.hpp>

#include "tests/verbs/registry_folder.hpp"

namespace plumbline::verbs {
namespace {

using Json = nlohmann::json;

const std::string kSlug = "20261118T150359221206Z";

class Confirm : public RegistryFolder {
 protected:
  struct Asked {
    Expected<Outcome> outcome;
    std::vector<std::string> questions;
  };

  // A typed call of a tool, answered with `consent`, at another second each time.
  Asked ask(std::string_view tool, const Json& arguments, Consent consent, bool read_only = false) const {
    std::vector<std::string> questions;
    Context here = context();
    here.read_only = read_only;
    here.now = [] {
      static std::int64_t second = 1763650999;
      return std::chrono::system_clock::time_point(std::chrono::seconds(++second));
    };
    here.confirm = [&](std::string_view question) {
      questions.emplace_back(question);
      return consent;
    };
    const Verb& verb = *find(tool);
    const auto typed = parse_json_arguments(verb, arguments.dump());
    EXPECT_TRUE(typed) << typed.error().message;
    auto outcome = verb.run(*typed, here);
    return {std::move(outcome), std::move(questions)};
  }

  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& item : std::filesystem::recursive_directory_iterator(root_)) count += item.is_regular_file() ? 1 : 0;
    return count;
  }

  // Nothing but a yes writes, and the question is the same whenever it is asked.
  std::string question(std::string_view tool, const Json& arguments) const {
    const std::size_t before = files();
    std::string text;
    for (const Consent consent : {Consent::no, Consent::pending, Consent::unasked, Consent::yes}) {
      const auto asked = ask(tool, arguments, consent);
      EXPECT_EQ(asked.questions.size(), 1U) << tool;
      if (asked.questions.size() != 1) return "";
      if (text.empty()) text = asked.questions.front();
      EXPECT_EQ(asked.questions.front(), text);
      if (consent == Consent::yes) {
        EXPECT_TRUE(asked.outcome) << asked.outcome.error().message;
        EXPECT_GT(files(), before) << tool;
      } else {
        EXPECT_EQ(asked.outcome.has_value() ? ErrorCode::internal : asked.outcome.error().code, ErrorCode::not_confirmed);
        EXPECT_EQ(files(), before) << tool;
      }
    }
    return text;
  }

  void expect_unasked(std::string_view tool, const Json& arguments, bool read_only = false) const {
    const std::size_t before = files();
    const auto asked = ask(tool, arguments, Consent::no, read_only);
    EXPECT_TRUE(asked.outcome) << asked.outcome.error().message;
    EXPECT_TRUE(asked.questions.empty()) << tool << ": " << asked.questions.front();
    EXPECT_EQ(files(), before) << tool;
  }
};

TEST_F(Confirm, DiffSaysWhatIsComparedHowAndWhere) {
  entry("nccl", "busbw", kSlug, "310");
  write("new.txt", "300\n");
  const Json call = {{"baseline", "nccl/busbw"}, {"current", {"new.txt"}}};
  const std::string sha = registry::sha256_hex("300\n").substr(0, 12);
  const std::string place = ", and write a bundle under " + root_ + "/experiments/artifacts/perf-baseline-diffs/nccl/busbw?";
  EXPECT_EQ(question("perf_baseline_diff", call), "Compare " + root_ + "/new.txt (sha256 " + sha +
                                                      ", 1 row, 1 headline) with nccl/busbw@" + kSlug +
                                                      " (not accepted) under a tolerance of 5% (default)" + place);
  accept("nccl", "busbw", kSlug);
  Json stricter = call;
  stricter["tolerance_percent"] = 2;
  EXPECT_EQ(question("perf_baseline_diff", stricter), "Compare " + root_ + "/new.txt (sha256 " + sha +
                                                          ", 1 row, 1 headline) with nccl/busbw@" + kSlug +
                                                          " (accepted) under a tolerance of 2% (flag)" + place);
}

TEST_F(Confirm, DiffOfFilesAndTrialsNamesThem) {
  write("a.json", R"({"ttft_ms": 1, "tokens_per_s": 5})");
  write("b1.json", R"({"ttft_ms": 1.1, "tokens_per_s": 5})");
  write("b2.json", R"({"ttft_ms": 1.2, "tokens_per_s": 5})");
  EXPECT_EQ(question("perf_baseline_diff", {{"baseline", "a.json"}, {"current", {"b1.json", "b2.json"}}}),
            "Compare " + root_ + "/b1.json (sha256 " +
                registry::sha256_hex(R"({"ttft_ms": 1.1, "tokens_per_s": 5})").substr(0, 12) +
                ", the first of 2 trials, 2 rows, 0 headlines) with " + root_ +
                "/a.json under a tolerance of 5% (default), and write a bundle under " + root_ +
                "/experiments/artifacts/perf-baseline-diffs/adhoc/generic-json?");
}

TEST_F(Confirm, RecordSaysWhatBecomesAnEntry) {
  write("v.txt", "310\n");
  const Json call = {{"family", "nccl"}, {"measurement", "busbw"}, {"source", "v.txt"},
                     {"unit", "GB/s"},   {"headline", "busbw"},    {"direction", "higher-is-better"}};
  EXPECT_EQ(question("perf_baseline_record", call),
            "Record nccl/busbw from " + root_ +
                "/v.txt (310 GB/s, scalar, 1 row, 1 trial, 4 bytes) as a new, immutable baseline entry, headline \"busbw\", the "
                "first of its measurement?");
  const std::string older = store_->slugs(registry::Kind::entry, "nccl", "busbw")->back();
  const auto again = ask("perf_baseline_record", call, Consent::no);
  ASSERT_EQ(again.questions.size(), 1U);
  EXPECT_TRUE(again.questions.front().ends_with(", headline \"busbw\", after " + older + "?")) << again.questions.front();
}

TEST_F(Confirm, AcceptSaysWhoIsReplacedAndWhy) {
  entry("nccl", "busbw", kSlug, "310");
  EXPECT_EQ(question("perf_baseline_accept", {{"baseline", "nccl/busbw"}, {"reason", "reviewed\nwith the fabric team"}}),
            "Make nccl/busbw@" + kSlug +
                " (310 GB/s, DRAFT) the accepted baseline, the first of its measurement, for this reason: \"reviewed\\nwith the "
                "fabric team\"?");
  const std::string newer = "20261119T150359221206Z";
  entry("nccl", "busbw", newer, "320");
  EXPECT_EQ(question("perf_baseline_accept", {{"baseline", "nccl/busbw"}, {"reason", "faster"}}),
            "Make nccl/busbw@" + newer + " (320 GB/s, DRAFT) the accepted baseline, replacing " + kSlug +
                ", for this reason: \"faster\"?");
  expect_unasked("perf_baseline_accept", {{"baseline", "nccl/busbw"}, {"reason", "faster"}});
}

TEST_F(Confirm, ProfileDiffNamesBothCaptures) {
  const std::string demo = std::string(PLUMBLINE_TESTS) + "/../scripts/demo-data/";
  const std::filesystem::path copied = std::filesystem::path(root_);
  std::filesystem::copy(demo + "profile-before", copied / "before", std::filesystem::copy_options::recursive);
  std::filesystem::copy(demo + "profile-after", copied / "after", std::filesystem::copy_options::recursive);
  const std::string text = question("profile_diff", {{"baseline", "before"}, {"candidate", "after"}, {"gate", "7%"}});
  EXPECT_TRUE(text.starts_with("Compare the capture " + root_ + "/after (")) << text;
  EXPECT_NE(text.find(") with " + root_ + "/before ("), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(") under a gate of 7%, and write a bundle under " + root_ +
                             "/experiments/artifacts/perf-baseline-diffs/adhoc/profile?"))
      << text;
  expect_unasked("profile_diff", {{"baseline", "before"}, {"candidate", "after"}}, true);
  const std::string recorded = question("perf_baseline_record", {{"family", "p"}, {"measurement", "m"}, {"source", "before"}});
  EXPECT_NE(recorded.find("/before (profile, "), std::string::npos) << recorded;
  const std::string compared = question("perf_baseline_diff", {{"baseline", "p/m"}, {"current", {"after"}}});
  EXPECT_NE(compared.find(" (not accepted) under a gate of 5%, and write a bundle under "), std::string::npos) << compared;
}

TEST_F(Confirm, WhatWritesNothingAsksNothing) {
  entry("nccl", "busbw", kSlug, "310");
  write("new.txt", "300\n");
  expect_unasked("perf_baseline_diff", {{"baseline", "nccl/busbw"}, {"current", {"new.txt"}}, {"no_bundle", true}});
  expect_unasked("perf_baseline_diff", {{"baseline", "nccl/busbw"}, {"current", {"new.txt"}}}, true);
  expect_unasked("perf_baseline_record", {{"family", "f"}, {"measurement", "m"}, {"source", "new.txt"}, {"dry_run", true}});
  for (const char* tool : {"perf_baseline_history", "search_evidence"})
    expect_unasked(tool, {{"family", "nccl"}, {"measurement", "busbw"}});
  for (const char* tool : {"measurement_inspect", "bundle_verify"}) expect_unasked(tool, {{"path", "nccl/busbw"}});
}

TEST(ConfirmParameter, BelongsToTheVerbsThatWriteAndIsNoFlag) {
  for (const Verb& verb : table()) {
    SCOPED_TRACE(verb.name);
    const bool writes = verb.safety == "writes_artifacts";
    const auto properties = Json::parse(input_schema(verb))["properties"];
    ASSERT_EQ(properties.contains("confirm"), writes);
    EXPECT_EQ(verb.asks, verb.name == "accept");
    const bool of_a_diff = verb.name == "run";  // its --confirm DIFF asks nobody
    EXPECT_EQ(help_text(verb).find("--confirm") != std::string::npos, of_a_diff);
    EXPECT_EQ(parse_command_line(verb, std::vector<std::string>{"--confirm", "no"}).has_value(), of_a_diff);
    EXPECT_EQ(properties.value("confirm", Json::object()).value("enum", Json()), writes ? Json({"ask", "no"}) : Json());
  }
}

}  // namespace
}  // namespace plumbline::verbs
