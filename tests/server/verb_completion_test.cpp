// What is proposed for a variable of a template or an argument of a prompt.
#include "schemas/schemas.hpp"
#include "server/mcp/verbs/completion.hpp"
#include "tests/server/served_registry.hpp"

namespace plumbline::server::mcp {
namespace {

using Values = std::vector<std::string>;

class ServedCompletion : public ServedRegistry {
 protected:
  tl::expected<Completion, jsonrpc::RpcError> ask(bool prompt, std::string_view ref, const std::string& argument,
                                                  const std::string& value, const json& others = json::object()) {
    CompletionRequest request;
    request.prompt = prompt;
    request.ref = ref;
    request.argument = argument;
    request.value = value;
    request.others = &others;
    return catalogue_.complete()(request, call_);
  }
  Completion of(std::string_view ref, const std::string& argument, const std::string& value,
                const json& others = json::object()) {
    const auto completion = ask(ref.find("://") == std::string_view::npos, ref, argument, value, others);
    EXPECT_TRUE(completion) << completion.error().message;
    return completion.value_or(Completion{});
  }
};

TEST_F(ServedCompletion, ProposesFamiliesAndTheirMeasurements) {
  for (const char* family : {"nccl", "inference", "moe-nccl"}) entry(family, std::string(family) + ".bw");
  entry("nccl", "latency");
  red_bundle();
  EXPECT_EQ(of(kEntryTemplate, "family", "").values, (Values{"inference", "moe-nccl", "nccl"}));
  // Those that begin so come before those that hold it.
  EXPECT_EQ(of(kEntryTemplate, "family", "NC").values, (Values{"nccl", "inference", "moe-nccl"}));
  EXPECT_EQ(of(kEntryTemplate, "family", "zz").values, Values());
  EXPECT_EQ(of(kEntryTemplate, "measurement", "", {{"family", "nccl"}}).values, (Values{"latency", "nccl.bw"}));
  EXPECT_EQ(of(kEntryTemplate, "measurement", "lat").values, Values{"latency"});
  EXPECT_EQ(of(kBundleTemplate, "family", "").values, Values{"demo"});
  EXPECT_EQ(of("plumbline://diffs/{family}/{measurement}/{slug}/{file}", "family", "").values, Values{"demo"});
}

TEST_F(ServedCompletion, ProposesSlugsNewestFirst) {
  const auto first = entry("demo", "throughput", 0);
  const auto second = entry("demo", "throughput", 1);
  const json others = {{"family", "demo"}, {"measurement", "throughput"}};
  EXPECT_EQ(of(kEntryTemplate, "slug", "", others).values, (Values{"newest", "accepted", second.slug, first.slug}));
  EXPECT_EQ(of(kEntryTemplate, "slug", "2026", others).values, (Values{second.slug, first.slug}));
  EXPECT_EQ(of(kEntryTemplate, "slug", "").values, Values());
  EXPECT_EQ(of(kEntryTemplate, "slug", "", {{"family", "../.."}, {"measurement", "x"}}).values, Values());
}

TEST_F(ServedCompletion, ProposesTheFilesOfABundle) {
  red_bundle();
  json others = {{"family", "demo"}, {"measurement", "throughput"}, {"slug", "newest"}};
  EXPECT_EQ(of(kBundleTemplate, "slug", "new", others).values, Values{"newest"});
  EXPECT_EQ(of(kBundleTemplate, "file", "diff", others).values, (Values{"diff.json", "diff.md"}));
  EXPECT_EQ(of(kBundleTemplate, "file", "rank", others).values, Values{"current-snapshot/rank 0.json"});
  for (const char* slug : {"..", "accepted", "20200101T000000000000Z", ""}) {
    others["slug"] = slug;
    EXPECT_EQ(of(kBundleTemplate, "file", "", others).values, Values()) << slug;
  }
}

TEST_F(ServedCompletion, ProposesSchemasAndCeilings) {
  EXPECT_EQ(of(kSchemaTemplate, "name", "plumbline.d").values, (Values{"plumbline.delta.v1", "plumbline.diff.v1"}));
  EXPECT_EQ(of(kSchemaTemplate, "name", "").total, schemas::names().size());
  const Completion keys = of("perf-baseline-record", "ceiling", "h100_sxm.nvlink4_u");
  EXPECT_EQ(keys.values, Values{"h100_sxm.nvlink4_uni"});
  EXPECT_EQ(of("perf-baseline-record", "ceiling", "aut").values.at(0), "auto");
  scratch_.write("configs/sol-ceilings.yaml", "mine:\n  link: {value: 5, units: GB/s, source: ours}\n");
  EXPECT_EQ(of("perf-baseline-record", "ceiling", "").values, (Values{"auto", "mine.link"}));
}

TEST_F(ServedCompletion, ProposesReferencesForABaselineAndNothingForAPath) {
  entry("nccl", "all_reduce");
  scratch_.write("run1.json", "{}");
  EXPECT_EQ(of("perf-baseline-diff", "baseline", "all").values, Values{"nccl/all_reduce"});
  EXPECT_EQ(of("perf-baseline-diff", "measurement", "", {{"family", "nccl"}}).values, Values{"all_reduce"});
  EXPECT_EQ(of("perf-baseline-diff", "current", "run").values, Values());
  EXPECT_EQ(of("profile-diff", "baseline", "").values, Values());
  EXPECT_EQ(of("perf-baseline-record", "source", "/").values, Values());
  EXPECT_EQ(of(kEntryTemplate, "offset", "").values, Values());
}

TEST_F(ServedCompletion, GivesAHundredAndCountsAll) {
  for (int i = 0; i < 130; ++i)
    std::filesystem::create_directories(scratch_ / ("experiments/artifacts/perf-baselines/f/m" + std::to_string(i)));
  const Completion completion = of(kEntryTemplate, "measurement", "m");
  EXPECT_EQ(completion.values.size(), 100U);
  EXPECT_EQ(completion.total, 130U);
}

TEST_F(ServedCompletion, SaysWhatItDoesNotKnow) {
  const auto message = [](const tl::expected<Completion, jsonrpc::RpcError>& completion) {
    return completion ? std::string("no error") : std::to_string(completion.error().code) + " " + completion.error().message;
  };
  EXPECT_EQ(message(ask(false, kEntryTemplate, "famly", "")),
            "-32602 the template has no variable \"famly\": did you mean family?");
  EXPECT_EQ(message(ask(false, kEntryTemplate, "file", "")),
            "-32602 the template has no variable \"file\": there is family, measurement, slug, offset and length");
  EXPECT_EQ(message(ask(false, "plumbline://schema/{name}", "name", "")),
            "-32602 there is no resource template \"plumbline://schema/{name}\": did you mean plumbline://schemas/{name}?");
  EXPECT_EQ(message(ask(true, "perf-baseline-diff", "curent", "")),
            "-32602 the prompt perf-baseline-diff has no argument \"curent\": did you mean current?");
  EXPECT_EQ(message(ask(true, "nope", "x", "")), "-32602 there is no prompt \"nope\"");
}

TEST_F(ServedCompletion, HasOnlyCeilingsAndSchemasWithoutARoot) {
  options_.repo_root = scratch_ / "gone";
  serve();
  EXPECT_EQ(of(kEntryTemplate, "family", "").values, Values());
  EXPECT_EQ(of(kEntryTemplate, "family", "").total, 0U);
  EXPECT_GT(of("perf-baseline-record", "ceiling", "").total.value_or(0), 100U);
}

}  // namespace
}  // namespace plumbline::server::mcp
