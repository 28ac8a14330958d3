// Finding what was published.
#include <gtest/gtest.h>

#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {
namespace {

class Searching : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = posix_store(scratch_.path());
    publish_entry(*store_, "nccl", "all_reduce", day(0), R"(,"label":"Driver 550","headline":["busbw"])");
    publish_entry(*store_, "vllm", "throughput", day(1), R"(,"reason":"new kernel","tier":"VERDICT")");
    bundle("vllm", "throughput", day(2), "RED", "request.ttft_p99_ms");
    bundle("vllm", "throughput", day(3), "GREEN", "request.throughput");
    auto staging = store_->stage(Kind::bundle, "adhoc", "profile");
    EXPECT_TRUE((*staging)->add("profile-diff.json", R"({"verdict":"YELLOW","tier":"DRAFT","candidate":{"label":"after"},
      "contributors":[{"kind":"kernel","name":"flash_fwd_kernel"}]})"));
    EXPECT_TRUE(store_->publish(std::move(*staging), day(4)));
  }
  static std::chrono::system_clock::time_point day(int n) {
    return std::chrono::system_clock::from_time_t(1795187039 + n * 86400);
  }
  void bundle(const std::string& family, const std::string& measurement, std::chrono::system_clock::time_point time,
              const std::string& verdict, const std::string& key) {
    auto staging = store_->stage(Kind::bundle, family, measurement);
    EXPECT_TRUE((*staging)->add("diff.json", R"({"verdict":")" + verdict +
                                                 R"(","tier":"DRAFT","reasons":[{"code":"scalar_regressed","message":"it )" +
                                                 verdict + R"("}],"deltas_top20":[{"key":")" + key + R"("}]})"));
    EXPECT_TRUE(store_->publish(std::move(*staging), time));
  }
  std::vector<std::string> dates(const SearchQuery& query) const {
    const auto result = search(*store_, query, {});
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    std::vector<std::string> out;
    if (result) {
      for (const auto& hit : result->hits) out.push_back(hit.kind + " " + hit.date);
    }
    return out;
  }
  static SearchQuery query(const std::string& text) {
    SearchQuery q;
    q.text = text;
    return q;
  }
  Scratch scratch_;
  std::unique_ptr<Store> store_;
};

using Dates = std::vector<std::string>;

TEST_F(Searching, GivesEverythingNewestFirst) {
  EXPECT_EQ(dates({}),
            (Dates{"bundle 2026-11-24", "bundle 2026-11-23", "bundle 2026-11-22", "entry 2026-11-21", "entry 2026-11-20"}));
}

TEST_F(Searching, MatchesEveryWordInAnyField) {
  EXPECT_EQ(dates(query("driver")), Dates{"entry 2026-11-20"});
  EXPECT_EQ(dates(query("KERNEL new")), Dates{"entry 2026-11-21"});
  EXPECT_EQ(dates(query("vllm red")), Dates{"bundle 2026-11-22"});
  EXPECT_EQ(dates(query("flash")), Dates{"bundle 2026-11-24"});
  EXPECT_EQ(dates(query("after")), Dates{"bundle 2026-11-24"});
  EXPECT_EQ(dates(query("nothing like it")), Dates{});
  const auto result = search(*store_, query("ttft"), {});
  ASSERT_EQ(result->hits.size(), 1U);
  EXPECT_EQ(result->hits[0].matched, std::vector<std::string>{"key"});
  EXPECT_EQ(result->hits[0].notes, "it RED");
}

TEST_F(Searching, NarrowsByEachFilter) {
  SearchQuery q;
  q.family = "nccl";
  EXPECT_EQ(dates(q), Dates{"entry 2026-11-20"});
  q = {};
  q.verdict = "red";
  EXPECT_EQ(dates(q), Dates{"bundle 2026-11-22"});
  q = {};
  q.key = "request.*";
  EXPECT_EQ(dates(q), (Dates{"bundle 2026-11-23", "bundle 2026-11-22"}));
  q = {};
  q.since = "2026-11-21";
  q.until = "2026-11-22";
  EXPECT_EQ(dates(q), (Dates{"bundle 2026-11-22", "entry 2026-11-21"}));
  q = {};
  q.since = "2026-11-23T15:03:59Z";
  EXPECT_EQ(dates(q), (Dates{"bundle 2026-11-24", "bundle 2026-11-23"}));
}

TEST_F(Searching, CountsWhatTheLimitLeavesOut) {
  SearchQuery q;
  q.limit = 2;
  const auto result = search(*store_, q, {});
  EXPECT_EQ(result->hits.size(), 2U);
  EXPECT_EQ(result->total, 5U);
}

TEST_F(Searching, SaysWhatCannotBeRead) {
  const auto entry = publish_entry(*store_, "nccl", "all_reduce", day(9));
  scratch_.write(entry.path.substr(scratch_.path().size() + 1) + "/baseline.json", "{");
  const auto result = search(*store_, {}, {});
  EXPECT_EQ(result->total, 5U);
  ASSERT_EQ(result->warnings.size(), 1U);
  EXPECT_EQ(result->warnings[0].message, entry.path + "/baseline.json: invalid baseline metadata: not valid JSON at byte 2");
}

TEST_F(Searching, RefusesWhatIsNoDate) {
  SearchQuery q;
  q.since = "yesterday";
  EXPECT_EQ(search(*store_, q, {}).error().message, "since is no date: \"yesterday\"");
  PathLimits stopped;
  stopped.stop = [] { return true; };
  EXPECT_EQ(search(*store_, {}, stopped).error().code, core::ErrorCode::cancelled);
}

}  // namespace
}  // namespace plumbline::registry::test
