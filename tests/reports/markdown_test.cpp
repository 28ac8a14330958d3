// diff.md beyond its goldens: short keys, and how long it may be.
#include <gtest/gtest.h>

#include "reports/reports.hpp"
#include "reports/short_keys.hpp"
#include "tests/reports/fixture.hpp"

namespace plumbline::reports {
namespace {

TEST(ShortKeys, LeaveOutWhatAllShareAndSayItOnce) {
  const std::vector<std::string_view> keys = {"nccl.all_reduce[dtype=bf16,size=1073741824].busbw",
                                              "nccl.all_reduce[dtype=bf16,size=65536].busbw",
                                              "nccl.all_gather[dtype=bf16,size=1000].latency"};
  const ShortKeys names(keys);
  EXPECT_EQ(names.shared(), "nccl, dtype=bf16");
  EXPECT_EQ(names.of(keys[0]), "all_reduce[size=1 GiB].busbw");
  EXPECT_EQ(names.of(keys[1]), "all_reduce[size=64 KiB].busbw");
  EXPECT_EQ(names.of(keys[2]), "all_gather[size=1000].latency");
}

TEST(ShortKeys, KeepTheMetricAndWhatIsNoDimension) {
  const ShortKeys paths({"all_reduce.64KiB.busbw", "all_reduce.1MiB.busbw"});
  EXPECT_EQ(paths.shared(), "all_reduce");
  EXPECT_EQ(paths.of("all_reduce.64KiB.busbw"), "64KiB.busbw");
  const ShortKeys metrics({"serving.ttft", "serving.itl"});
  EXPECT_EQ(metrics.of("serving.ttft"), "ttft");
  const ShortKeys odd({"a[0].x", "a[1].x", ""});
  EXPECT_EQ(odd.shared(), "");
  EXPECT_EQ(odd.of("a[0].x"), "a[0].x");
  const ShortKeys alone({"all_reduce[size=65536].busbw"});
  EXPECT_EQ(alone.of("all_reduce[size=65536].busbw"), "all_reduce[size=64 KiB].busbw");
  EXPECT_EQ(ShortKeys({"same.x", "same.x"}).of("same.x"), "x");
}

TEST(DiffMarkdown, IsNoLongerThanAskedAndLeavesNothingHalfFolded) {
  const core::DiffResult result = fixture::serving();
  const std::string whole = diff_markdown(result);
  for (std::size_t limit = 0; limit < whole.size() + 200; limit += 97) {
    const std::string text = diff_markdown(result, limit);
    const auto count = [&](std::string_view word) {
      std::size_t n = 0;
      for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
      return n;
    };
    EXPECT_EQ(count("<details>"), count("</details>")) << limit;
    if (limit >= 100) EXPECT_LE(text.size(), limit);
    EXPECT_EQ(text == whole, limit >= whole.size() + 60 || text.find("What did not fit") == std::string::npos) << limit;
    if (limit > 400) EXPECT_TRUE(text.starts_with("# RED (DRAFT) inference / kimi-perfbench-v1: a gate failed")) << limit;
  }
}

}  // namespace
}  // namespace plumbline::reports
