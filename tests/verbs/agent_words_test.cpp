// Errors as a caller of tools reads them: what was wrong, what is valid and the next call, in the words of the tools.
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "tests/verbs/registry_folder.hpp"
#include "verbs/calling/wording.hpp"

namespace plumbline::verbs {
namespace {

std::string hint(std::string_view text) { return in_agent_words({ErrorCode::usage, "", std::string(text), ""}).hint; }

TEST(AgentWords, ACommandBecomesTheCallOfItsTool) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"`plumbline accept nccl/busbw@SLUG --reason TEXT` accepts one",
       R"(`perf_baseline_accept {"baseline": "nccl/busbw@SLUG", "reason": "TEXT"}` accepts one)"},
      {"`plumbline diff FAMILY/MEASUREMENT a.json b.json`",
       R"(`perf_baseline_diff {"baseline": "FAMILY/MEASUREMENT", "current": ["a.json", "b.json"]}`)"},
      {"`plumbline record --family F --measurement M --source 'a b.json' --dry-run`",
       R"(`perf_baseline_record {"family": "F", "measurement": "M", "source": "a b.json", "dry_run": true}`)"},
      {"`plumbline profile-diff --limit 5 A B`", R"(`profile_diff {"limit": 5, "baseline": "A", "candidate": "B"}`)"},
      {"`plumbline verify` lists everything", "`bundle_verify` lists everything"},
      {"`plumbline serve --allow-root DIR`", "`plumbline serve --allow-root DIR`"},
      {"`plumbline verify A B`", "`plumbline verify A B`"},
  };
  for (const auto& [written, spoken] : cases) EXPECT_EQ(hint(written), spoken);
}

TEST(AgentWords, AFlagBecomesItsParameter) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"write `--gate 5%`", R"(write `gate: "5%"`)"},
      {"`--tolerance KEY=SPEC`, or `--tolerance-percent N` for all",
       R"(`tolerance: ["KEY=SPEC"]`, or `tolerance_percent: N` for all)"},
      {"`--dry-run` says what would be recorded", "`dry_run: true` says what would be recorded"},
      {"give the unit with --unit, or a ceiling", "give the unit with unit, or a ceiling"},
      {"exactly one of --baseline or --baseline-csv-dir is required", "exactly one of baseline or baseline_csv_dir is required"},
      {"pass --repo-root DIR, set PLUMBLINE_ROOT", "pass repo_root DIR, set PLUMBLINE_ROOT"},
      {"nsys profile --trace=cuda,nvtx", "nsys profile --trace=cuda,nvtx"},
      {"; --allow-root adds one", "; --allow-root adds one"},
      {R"(--direction "--unit" is not a direction)", R"(direction "--unit" is not a direction)"},
      {R"(quoted "a \" --unit" and --unit)", R"(quoted "a \" --unit" and unit)"},
      {"an open ` and an open \" --unit", "an open ` and an open \" --unit"},
      {"--", "--"},
      {"a--unit", "a--unit"},
  };
  for (const auto& [written, spoken] : cases) EXPECT_EQ(hint(written), spoken);
}

TEST(AgentWords, WithoutAHintTheNextStepFollowsFromTheCode) {
  for (const auto code : {ErrorCode::usage, ErrorCode::invalid_input, ErrorCode::not_found, ErrorCode::shape_mismatch,
                          ErrorCode::no_matching_baseline, ErrorCode::path_not_allowed, ErrorCode::provenance_mismatch,
                          ErrorCode::already_exists, ErrorCode::limit_exceeded, ErrorCode::cancelled, ErrorCode::not_confirmed,
                          ErrorCode::environment, ErrorCode::missing_helper}) {
    EXPECT_FALSE(in_agent_words({code, "m", "", ""}).hint.empty()) << core::to_string(code);
  }
  EXPECT_EQ(in_agent_words({ErrorCode::provenance_mismatch, "m", "", ""}).hint, "bundle_verify lists what does not match");
  EXPECT_EQ(in_agent_words({ErrorCode::internal, "m", "", ""}).hint, "") << "the server says whose fault it is";
}

TEST(AgentWords, AreBoundedWhateverTheyQuote) {
  for (const char c : {'x', '"', '\\', '\n', '\xff', '-', '`'}) {
    const std::string much(100'000, c);
    const Error error = in_agent_words({ErrorCode::usage, much, much, much});
    const std::size_t bytes =
        core::quoted(error.message).size() + core::quoted(error.hint).size() + core::quoted(error.where).size();
    EXPECT_LT(bytes, 8100U) << static_cast<int>(c);
  }
  EXPECT_EQ(one_line("a\nb\x1b[31m\x7f"), "a b\uFFFD[31m\uFFFD");
  EXPECT_EQ(one_line("äöüäöü", 7), "ä…ü") << "between code points";
}

class Agents : public RegistryFolder {
 protected:
  // "code: message / hint" of a typed call.
  std::string error(std::string_view tool, const nlohmann::json& arguments) const {
    const Verb& verb = *find(tool);
    const auto typed = parse_json_arguments(verb, arguments.dump());
    const auto outcome = typed ? verb.run(*typed, context()) : core::fail(typed.error());
    if (outcome) return "no error";
    const Error error = in_agent_words(outcome.error());
    return std::string(core::to_string(error.code)) + ": " + error.message + " / " + error.hint;
  }
};

TEST_F(Agents, AreToldWhatIsMissing) {
  EXPECT_EQ(
      error("perf_baseline_diff", {}),
      R"(usage: the following arguments are required: baseline, current / `perf_baseline_diff {"baseline": "FAMILY/MEASUREMENT", )"
      R"("current": ["PATH"]}`)");
  EXPECT_EQ(
      error("perf_baseline_record", {{"family", "f"}}),
      R"(usage: the following arguments are required: measurement, source / `perf_baseline_record {"family": "F", "measurement": )"
      R"("M", "source": "PATH"}`)");
  EXPECT_EQ(
      error("profile_diff", {{"baseline", "a"}}),
      R"(usage: exactly one of candidate or candidate_csv_dir is required / `profile_diff {"baseline": "BASELINE", "candidate": )"
      R"("CANDIDATE"}`)");
  EXPECT_EQ(error("perf_baseline_accept", {}),
            R"(usage: baseline is missing / `perf_baseline_accept {"baseline": "family/measurement@SLUG", "reason": "TEXT"}`)");
  EXPECT_EQ(error("perf_baseline_accept", {{"baseline", "nccl/busbw"}}),
            R"(usage: reason is missing / say why this entry becomes the reference: `reason: "TEXT"`)");
  EXPECT_EQ(error("measurement_inspect", {}), R"(usage: path is missing / `measurement_inspect {"path": "PATH"}`)");
  EXPECT_EQ(error("bundle_verify", {}), "not_found: nothing is published under " + root_ +
                                            " / `bundle_verify {\"path\": \"PATH\"}` verifies a copy anywhere");
  EXPECT_EQ(
      error("perf_baseline_history", {}),
      R"(usage: history needs a measurement / `perf_baseline_history {"name": "family/measurement"}`; the registry holds no )"
      R"(baseline yet: `perf_baseline_record {"family": "F", "measurement": "M", "source": "PATH"}` makes one)");
}

TEST_F(Agents, AreToldWhatAValueMayBe) {
  write("a.json", R"({"ttft_ms": 1})");
  const nlohmann::json diff = {{"baseline", "a.json"}, {"current", {"a.json"}}};
  const auto with = [&diff](const char* name, nlohmann::json value) {
    nlohmann::json call = diff;
    call[name] = std::move(value);
    return call;
  };
  EXPECT_EQ(error("perf_baseline_diff", with("tolerance_percent", "five")),
            R"(usage: tolerance_percent must be a number, not "five" / for instance "tolerance_percent": 5)");
  EXPECT_EQ(error("perf_baseline_diff", with("tolerance_percent", -1)),
            R"(usage: tolerance_percent must be a finite nonnegative number / `tolerance_percent: 5`)");
  EXPECT_EQ(error("perf_baseline_diff", with("tolerance", "5%")),
            R"(usage: tolerance "5%" names no key / write `tolerance: ["KEY=SPEC"]`, or `tolerance_percent: N` for all rows)");
  EXPECT_EQ(error("perf_baseline_diff", with("headline", "tft_ms")),
            R"(usage: headline: no key matches "tft_ms" / did you mean "ttft_ms"?)");
  EXPECT_EQ(error("perf_baseline_diff", with("headline", "nothing_like_it")),
            R"(usage: headline: no key matches "nothing_like_it" / `measurement_inspect {"path": "PATH"}` lists the keys; )"
            R"("*nothing_like_it" matches at the end of a path)");
  EXPECT_EQ(
      error("perf_baseline_diff", with("fail_on", "purple")),
      R"(usage: fail_on does not know "purple" / known are red, yellow, draft, never, row states like regressed or missing, )"
      "and the codes that stand in reasons");
  EXPECT_EQ(error("perf_baseline_diff", with("confirm", "maybe")),
            R"(usage: confirm must be one of ask or no, not "maybe" / for instance "confirm": "ask")");
  EXPECT_EQ(
      error("perf_baseline_diff", with("response_format", "verbose")),
      R"(usage: response_format must be one of concise or detailed, not "verbose" / for instance "response_format": "concise")");
  EXPECT_EQ(error("search_evidence", {{"limit", 0}}),
            "usage: limit must be from 1 to 1000, not 0 / narrow a large answer with family, measurement, verdict, key, since or "
            "until");
  EXPECT_EQ(error("profile_diff", {{"baseline", "a"}, {"candidate", "b"}, {"gate", "2abs"}}),
            R"(usage: gate is a percentage, not "2abs" / write `gate: "5%"`)");
}

TEST_F(Agents, AreToldWhatIsNear) {
  EXPECT_EQ(
      error("perf_baseline_accept", {{"baseline", "nccl/busbw"}, {"reason", "r"}}),
      R"(not_found: no baseline named "nccl/busbw" / the registry holds no baseline yet: `perf_baseline_record {"family": "F", )"
      R"("measurement": "M", "source": "PATH"}` makes one)");
  const std::string slug = "20261118T150359221206Z";
  entry("nccl", "busbw", slug, "310", R"(,"context": {"hardware.gpu": "H200"})");
  entry("nccl", "latency", slug, "310");
  entry("inference", "decode", slug, "310");
  write("results/before.json", "300\n");
  const auto diff = [this](std::string_view baseline) {
    return error("perf_baseline_diff", {{"baseline", baseline}, {"current", {"results/before.json"}}});
  };
  EXPECT_EQ(diff("nccl/buswb"), R"(not_found: no baseline named "nccl/buswb" / did you mean "nccl/busbw"?)");
  EXPECT_EQ(diff("ncl/throughput"),
            R"(not_found: no baseline named "ncl/throughput" / of nccl there is nccl/busbw and nccl/latency)");
  EXPECT_EQ(diff("collectives/busbw"), R"(not_found: no baseline named "collectives/busbw" / did you mean nccl/busbw?)");
  EXPECT_EQ(diff("results/befor.json"), "not_found: no baseline named \"results/befor.json\", and no such file / did you mean " +
                                            root_ +
                                            "/results/before.json? Else: the registry holds nccl/busbw, inference/decode and "
                                            "nccl/latency");
  EXPECT_EQ(diff("decode"),
            "not_found: " + root_ +
                "/decode does not exist / a baseline is family/measurement, an entry directory or a file; did you "
                "mean inference/decode?");
  EXPECT_EQ(diff("nccl/busbw@accepted"),
            R"(not_found: nccl/busbw has no accepted baseline / `perf_baseline_accept {"baseline": "nccl/busbw@SLUG", "reason": )"
            R"("TEXT"}` accepts one, or ask for nccl/busbw@newest)");
  EXPECT_EQ(error("perf_baseline_history", {{"name", "ncl/busbw"}}),
            R"(not_found: no baseline named "ncl/busbw" / did you mean "nccl/busbw"?)");
  EXPECT_EQ(error("bundle_verify", {{"path", "results/befor.json"}}),
            "not_found: no baseline named \"results/befor.json\", and no such file / did you mean " + root_ +
                "/results/before.json? Else: the registry holds nccl/busbw, inference/decode and nccl/latency");
  EXPECT_EQ(error("measurement_inspect", {{"path", "nccl/buswb"}}),
            "not_found: path does not exist: " + root_ + "/nccl/buswb / did you mean \"nccl/busbw\"?");
}

}  // namespace
}  // namespace plumbline::verbs
