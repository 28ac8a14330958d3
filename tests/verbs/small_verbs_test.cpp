// accept, history, verify, search and inspect over a registry in a temporary folder; and what verbs ask of the machine.
#include <nlohmann/json.hpp>

#include "tests/verbs/registry_folder.hpp"
#include "verbs/environment.hpp"

namespace plumbline::verbs {
namespace {

using Json = nlohmann::json;

std::string slug(int day) { return "202611" + std::to_string(10 + day) + "T150359221206Z"; }

class SmallVerbs : public RegistryFolder {
 protected:
  CommandOutcome run(std::string_view verb, const std::vector<std::string>& argv) const {
    return run_command(*find(verb), argv, context());
  }
  Json json(std::string_view verb, std::vector<std::string> argv) const {
    argv.emplace_back("--json");
    const auto outcome = run(verb, argv);
    EXPECT_EQ(outcome.err.find("error"), std::string::npos) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(SmallVerbs, AcceptNeedsAReasonAndAnEntry) {
  EXPECT_EQ(run("accept", {}).err,
            "plumbline: error: --baseline is missing\nhint: `plumbline accept family/measurement@SLUG --reason TEXT`\n");
  EXPECT_EQ(run("accept", {"nccl/busbw"}).err,
            "plumbline: error: --reason is missing\nhint: say why this entry becomes the reference: `--reason TEXT`\n");
  EXPECT_EQ(run("accept", {"nccl/busbw", "--reason", "x"}).exit_status, 2);
  write("a.json", "{}");
  EXPECT_EQ(run("accept", {"./a.json", "--reason", "x"}).err,
            "plumbline: error: \"./a.json\" is a file, not a registry entry\n"
            "hint: record it first: `plumbline record --family F --measurement M --source ./a.json`\n");
}

TEST_F(SmallVerbs, AcceptTakesTheNewestOfABareNameAndKeepsTheOlderAcceptances) {
  entry("nccl", "busbw", slug(1), "310");
  const auto first = json("accept", {"nccl/busbw", "--reason", "first"});
  EXPECT_EQ(store_->accepted("nccl", "busbw")->value().slug, slug(1));
  entry("nccl", "busbw", slug(2), "320");
  json("accept", {"nccl/busbw", "--reason", "faster"});
  const auto holds = store_->accepted("nccl", "busbw")->value();
  EXPECT_EQ(holds.slug, slug(2));
  EXPECT_EQ(holds.previous, slug(1));
  EXPECT_EQ(holds.reason, "faster");
  EXPECT_EQ(holds.accepted_by, "tester");
  EXPECT_EQ(holds.seq, 2U);
  EXPECT_TRUE(first.is_object());
}

TEST_F(SmallVerbs, AcceptingAgainForTheSameReasonWritesNothing) {
  entry("nccl", "busbw", slug(1), "310");
  json("accept", {"nccl/busbw", "--reason", "first"});
  const auto again = run("accept", {"nccl/busbw", "--reason", "first"});
  EXPECT_EQ(again.exit_status, 0);
  EXPECT_NE(again.err.find("already_accepted"), std::string::npos) << again.err;
  EXPECT_EQ(store_->accepted("nccl", "busbw")->value().seq, 1U);
}

TEST_F(SmallVerbs, AcceptancesWithoutARecordAreSaid) {
  entry("nccl", "busbw", slug(1), "310");
  const std::string folder = "experiments/artifacts/perf-baselines/nccl/busbw/accepted/";
  for (const char* claim : {".seq-000003", ".seq-000001"}) write(folder + claim, "");
  const std::string said =
      "acceptances 1 and 3 of nccl/busbw have no record: they are being made, or whoever made them was stopped";
  const auto accepted = json("accept", {"nccl/busbw", "--reason", "first"});
  EXPECT_EQ(accepted["seq"], 4) << accepted;
  EXPECT_EQ(accepted["warnings"][0]["code"], "acceptance_unfinished") << accepted;
  EXPECT_EQ(accepted["warnings"][0]["message"], said);
  EXPECT_EQ(json("history", {"nccl/busbw"})["warnings"][0]["message"], said);
}

TEST_F(SmallVerbs, AcceptRefusesAChangedEntryAndAReadOnlyServer) {
  entry("nccl", "busbw", slug(1), "310");
  auto read_only = context();
  read_only.read_only = true;
  const std::vector<std::string> argv = {"nccl/busbw", "--reason", "x"};
  EXPECT_EQ(run_command(*find("accept"), argv, read_only).exit_status, 2);
  write("experiments/artifacts/perf-baselines/nccl/busbw/" + slug(1) + "/source-snapshot.txt", "999");
  EXPECT_EQ(run("accept", argv).exit_status, 2);
  EXPECT_EQ(*store_->accepted("nccl", "busbw"), std::nullopt);
}

TEST_F(SmallVerbs, HistoryListsEntriesOldestFirst) {
  for (int day = 1; day <= 6; ++day) entry("nccl", "busbw", slug(day), std::to_string(100 + day));
  accept("nccl", "busbw", slug(3));
  const auto history = json("history", {"nccl/busbw"});
  ASSERT_EQ(history["entries"].size(), 6U);
  EXPECT_EQ(history["entries"][0]["value"], 101);
  EXPECT_EQ(history["entries"][2]["accepted"], true);
  EXPECT_EQ(history["entries"][5]["accepted"], false);
  EXPECT_EQ(run("history", {"--family", "nccl", "--measurement", "busbw"}).exit_status, 0);
}

TEST_F(SmallVerbs, HistorySaysWhatItLeavesOut) {
  entry("nccl", "busbw", slug(1), "100", R"(,"context": {"hardware.gpu": "H200"})");
  entry("nccl", "busbw", slug(2), "900", R"(,"context": {"hardware.gpu": "B200"})");
  write("experiments/artifacts/perf-baselines/nccl/busbw/" + slug(3) + "/baseline.json", "{");
  const auto outcome = run("history", {"nccl/busbw", "--context", "hardware.gpu=H200"});
  EXPECT_EQ(outcome.err, "") << "the table says it";
  EXPECT_NE(outcome.out.find("1 entry of another context left out"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 entry cannot be read"), std::string::npos) << outcome.out;
  const auto as_json = run("history", {"nccl/busbw", "--context", "hardware.gpu=H200", "--json"});
  EXPECT_NE(as_json.err.find("entries_left_out: 1 entry of another context left out"), std::string::npos) << as_json.err;
  EXPECT_NE(as_json.err.find("entry_unreadable: 1 entry cannot be read"), std::string::npos) << as_json.err;
  EXPECT_EQ(run("history", {"nccl/busbw", "--context", "gpu=H200"}).err,
            "plumbline: error: --context must be GROUP.KEY=VALUE, not \"gpu=H200\"\nhint: for instance hardware.gpu=H200\n");
}

TEST_F(SmallVerbs, HistoryNamesWhatThereIs) {
  entry("nccl", "busbw", slug(1), "100");
  EXPECT_EQ(run("history", {}).err,
            "plumbline: error: history needs a measurement\nhint: `plumbline history family/measurement`; the registry holds "
            "nccl/busbw\n");
  EXPECT_EQ(run("history", {"nccl/buswb"}).err,
            "plumbline: error: no baseline named \"nccl/buswb\"\nhint: did you mean \"nccl/busbw\"?\n");
  const auto unsafe = run("history", {"--family", "../x", "--measurement", "m"});
  EXPECT_EQ(unsafe.exit_status, 2);
  EXPECT_NE(unsafe.err.find("safe path segment"), std::string::npos) << unsafe.err;
}

TEST_F(SmallVerbs, VerifyTripsOnAMismatch) {
  const std::string directory = entry("nccl", "busbw", slug(1), "310");
  EXPECT_EQ(json("verify", {directory}).value("kind", ""), "entry");
  write("experiments/artifacts/perf-baselines/nccl/busbw/" + slug(1) + "/source-snapshot.txt", "999");
  const auto outcome = run("verify", {"nccl/busbw", "--json"});
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_TRUE(outcome.err.find("plumbline: gate: verify: ") != std::string::npos) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["ok"], false);
  const auto all = run("verify", {"--json"});  // of the root: the same mismatch
  EXPECT_EQ(all.exit_status, 1);
  EXPECT_EQ(Json::parse(all.out)["kind"], "registry");
  EXPECT_EQ(run("verify", {"/nonexistent"}).exit_status, 2);
}

TEST_F(SmallVerbs, SearchFindsByText) {
  entry("nccl", "busbw", slug(1), "310");
  entry("inference", "decode", slug(2), "42");
  const auto found = json("search", {"busbw"});
  EXPECT_EQ(found.dump().find("decode"), std::string::npos);
  EXPECT_NE(found.dump().find(slug(1)), std::string::npos);
  EXPECT_EQ(run("search", {"x", "--limit", "0"}).err,
            "plumbline: error: --limit must be from 1 to 1000, not 0\n"
            "hint: narrow a large answer with --family, --measurement, --verdict, --key, --since or --until\n");
}

TEST_F(SmallVerbs, InspectWorksWithoutARegistry) {
  write("r.json", R"({"throughput_toks_per_s": 100, "latency_ms": 5})");
  auto nowhere = context();
  nowhere.repo_root = std::nullopt;
  const std::vector<std::string> argv = {"r.json", "--json"};
  const auto outcome = run_command(*find("inspect"), argv, nowhere);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto found = Json::parse(outcome.out);
  EXPECT_EQ(found["row_count"], 2);
  EXPECT_EQ(found["shape"], "structured");
  EXPECT_EQ(run("inspect", {"absent.json"}).exit_status, 2);
}

TEST_F(SmallVerbs, WarningsThatTheTextSaysAreNotRepeated) {
  write("r.json", R"({"latency_ms": 5, "other_ms": null})");
  const auto text = run("inspect", {"r.json"});
  EXPECT_NE(text.out.find("1 value is null"), std::string::npos) << text.out;
  EXPECT_EQ(text.err, "");
  EXPECT_NE(run("inspect", {"r.json", "--json"}).err.find("null_values: 1 value is null"), std::string::npos);
}

TEST_F(SmallVerbs, InspectOfAnEntryLooksAtItsSnapshot) {
  entry("nccl", "busbw", slug(1), "310", R"(,"context": {"hardware.gpu": "H200"})");
  const auto found = json("inspect", {"nccl/busbw"});
  EXPECT_EQ(found["shape"], "scalar");
  EXPECT_EQ(found["context"].dump(), R"({"hardware":{"gpu":"H200"}})");
}

TEST_F(SmallVerbs, PathsOutsideTheAllowedRootsAreRefused) {
  write("inside/r.json", "5");
  auto confined = context();
  confined.allowed_roots = {root_ + "/inside"};
  confined.repo_root = root_ + "/inside";
  for (const auto& [verb, path] :
       std::vector<std::pair<std::string, std::string>>{{"inspect", "/etc/hostname"}, {"verify", "/etc"}}) {
    const std::vector<std::string> argv = {path};
    EXPECT_EQ(run_command(*find(verb), argv, confined).exit_status, 2) << verb;
  }
  const std::vector<std::string> inside = {"inside/r.json"};
  EXPECT_EQ(run_command(*find("inspect"), inside, confined).exit_status, 0);
  const std::vector<std::string> elsewhere = {"x", "--repo-root", "/"};
  EXPECT_NE(run_command(*find("search"), elsewhere, confined).exit_status, 0);
}

TEST(Environment, KnowsTheUserOrSaysSo) {
  Context context;
  EXPECT_EQ(user_name(context), "(unknown)");
  context.environment = [](std::string_view name) -> std::optional<std::string> {
    if (name == "USERNAME") return "windows-person";
    return std::nullopt;
  };
  EXPECT_EQ(user_name(context), "windows-person");
  EXPECT_FALSE(host_name().empty());
  EXPECT_NE(uname_text().find("Linux"), std::string::npos);
}

TEST(Environment, RunsProgramsWithoutAShellAndWithinBounds) {
  EXPECT_EQ(program_output({"/bin/echo", "$HOME; x"}, 100, 10000), "$HOME; x\n");
  EXPECT_EQ(program_output({"/bin/false"}, 100, 10000), std::nullopt);
  EXPECT_EQ(program_output({"/nonexistent"}, 100, 10000), std::nullopt);
  EXPECT_EQ(program_output({"/bin/sleep", "1000"}, 100, 20), std::nullopt);
  const auto endless = program_output({"/bin/cat", "/dev/zero"}, 10, 10000);
  ASSERT_TRUE(endless);
  EXPECT_GE(endless->size(), 10U);
}

TEST(Environment, FindsProgramsOnAbsolutePathsOnly) {
  Context context;
  EXPECT_EQ(find_program("sh", context), std::nullopt);
  context.environment = [](std::string_view) { return std::optional<std::string>("bin::/nonexistent:/bin"); };
  EXPECT_EQ(find_program("sh", context), "/bin/sh");
  EXPECT_EQ(find_program("no-such-program", context), std::nullopt);
}

TEST_F(SmallVerbs, GitIsAbsentOutsideAWorkTree) {
  auto here = context();
  EXPECT_FALSE(git_state(root_, here)) << "no PATH, no git";
}

TEST(Environment, ScratchFoldersGoAway) {
  std::string path;
  {
    auto scratch = ScratchFolder::make(Context());
    ASSERT_TRUE(scratch);
    path = scratch->path();
    EXPECT_TRUE(std::filesystem::is_directory(path));
    std::ofstream(path + "/file") << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace plumbline::verbs
