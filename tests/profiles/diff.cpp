// Two profiles -> rows, buckets, findings. Swapping the sides negates every difference.
#include "profiles/diff/diff.hpp"

#include <algorithm>
#include <random>

#include "profiles/diff/rows.hpp"
#include "tests/profiles/fixture.hpp"
#include "tests/profiles/hand_made.hpp"

namespace plumbline::profiles::test {
namespace {

TEST(Rows, SplitExactlyIntoCountAndDuration) {
  struct Case {
    std::int64_t t0;
    std::uint64_t n0;
    std::int64_t t1;
    std::uint64_t n1;
    std::int64_t count, duration;
  };
  for (const Case& each : {Case{272317378, 68, 240755667, 60, -32069047, 507336},  // flash_fwd of the sample pair
                           Case{25401752, 66, 33742101, 62, -1858205, 10198554},   // its NCCL SendRecv
                           Case{100, 10, 100, 10, 0, 0}, Case{100, 10, 150, 10, 0, 50}, Case{100, 10, 200, 20, 100, 0},
                           Case{1, 1, 4, 2, 1, 2},  // count part 1.5: the half goes to the duration
                           Case{4, 2, 1, 1, -1, -2}, Case{0, 0, 50, 5, 50, 0}, Case{50, 5, 0, 0, -50, 0}}) {
    const auto rows = compare_rows(std::vector{aggregate("k", each.n0, each.t0)}, std::vector{aggregate("k", each.n1, each.t1)});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].count_effect_ns, each.count) << each.t0;
    EXPECT_EQ(rows[0].duration_effect_ns, each.duration) << each.t0;
  }
}

TEST(Rows, NewAndVanishedAreAllCountAndHaveNoPercentOfNothing) {
  const auto rows = compare_rows(std::vector{aggregate("old", 2, 30)}, std::vector{aggregate("fresh", 4, 40)});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "fresh");
  EXPECT_EQ(rows[0].state, "new");
  EXPECT_EQ(rows[0].count_effect_ns, 40);
  EXPECT_FALSE(rows[0].pct.has_value());
  EXPECT_FALSE(rows[0].baseline_count.has_value());
  EXPECT_EQ(rows[1].state, "vanished");
  EXPECT_EQ(rows[1].count_effect_ns, -30);
  EXPECT_EQ(rows[1].pct, -100);
}

TEST(Rows, SwappingTheSidesNegatesEveryPart) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 3000; ++round) {
    const int size = static_cast<int>(random() % 60);
    const auto total = [&] { return static_cast<std::int64_t>(random() >> (3 + random() % 60)); };
    const auto count = [&] { return (random() >> (random() % 64)) + 1; };
    const std::vector a = {aggregate("k", count(), total()), aggregate("only_a", count(), size)};
    const std::vector b = {aggregate("k", count(), total()), aggregate("only_b", count(), size + 1)};
    const auto forth = compare_rows(a, b);
    const auto back = compare_rows(b, a);
    for (const core::ProfileRow& row : forth) {
      EXPECT_EQ(row.delta_ns, row.count_effect_ns + row.duration_effect_ns);
      for (const core::ProfileRow& other : back) {
        if (other.name != row.name) continue;
        EXPECT_EQ(row.delta_ns, -other.delta_ns);
        EXPECT_EQ(row.count_effect_ns, -other.count_effect_ns);
        EXPECT_EQ(row.duration_effect_ns, -other.duration_effect_ns);
      }
    }
  }
}

TEST(Diff, ContributorsAccumulateToEverything) {
  const core::ProfileDiff result = diff(totals({aggregate("a", 1, 100), aggregate("b", 1, 100), aggregate("c", 1, 5)}),
                                        totals({aggregate("a", 1, 160), aggregate("b", 1, 70), aggregate("c", 1, 15)}), {})
                                       .diff;
  ASSERT_EQ(result.contributors.size(), 3U);
  EXPECT_EQ(result.contributors[0].name, "a");
  EXPECT_DOUBLE_EQ(result.contributors[0].share_pct, 60);
  EXPECT_DOUBLE_EQ(result.contributors[1].cumulative_pct, 90);
  EXPECT_DOUBLE_EQ(result.contributors[2].cumulative_pct, 100);
}

TEST(Summary, OfACapture) {
  const Profile a = with_span(totals({aggregate("k", 10, 1000)}), 2000);
  const core::ProfileSummary result = summary(a);
  EXPECT_EQ(result.kernels, 10U);
  EXPECT_EQ(result.gpu_busy_ns, 2000);
  EXPECT_EQ(result.devices, 1U);
}

std::vector<std::string> found(const core::ProfileDiff& diff, std::string_view code) {
  std::vector<std::string> messages;
  for (const core::ProfileFinding& finding : diff.findings) {
    if (finding.code == code) messages.push_back(finding.message);
  }
  return messages;
}

TEST(Findings, ACallOfAnotherVendorsRuntimeIsTheSameCall) {
  const auto calling = [](std::vector<std::pair<std::string, std::uint64_t>> calls, std::uint64_t kernels = 100) {
    Profile side = with_span(totals({aggregate("k", kernels, static_cast<std::int64_t>(10 * kernels))}), 2000);
    side.launches.emplace();
    side.launches->sync_calls = std::move(calls);
    return side;
  };
  const Profile cuda = calling({{"cudaDeviceSynchronize", 20}, {"cuStreamSynchronize", 5}});
  EXPECT_TRUE(
      found(diff(cuda, calling({{"hipDeviceSynchronize", 20}, {"hipStreamSynchronize", 5}}), {}).diff, "new_synchronisation")
          .empty());
  EXPECT_EQ(found(diff(cuda, calling({{"hipDeviceSynchronize", 20}, {"hipCtxSynchronize", 20}}), {}).diff, "new_synchronisation"),
            std::vector<std::string>{"\"hipDeviceSynchronize\" and \"hipCtxSynchronize\" are called 40 times, 20 before"});
  EXPECT_EQ(found(diff(cuda, calling({{"hipEventSynchronize", 3}}), {}).diff, "new_synchronisation"),
            std::vector<std::string>{"\"hipEventSynchronize\" is called 3 times, never before"});
  // Half the work, as many calls: what is said is what was compared.
  EXPECT_EQ(found(diff(cuda, calling({{"cudaDeviceSynchronize", 20}}, 50), {}).diff, "new_synchronisation"),
            std::vector<std::string>{"\"cudaDeviceSynchronize\" is called 40 times for the baseline's work, 20 before"});
}

// The arithmetic is right, the work is not the same: another functor of one template, another type of collective.
TEST(Findings, WhatDoesSomethingElseStandsInThePlace) {
  const auto elementwise = [](const std::string& functor) {
    return "void at::native::vectorized_elementwise_kernel<4, at::native::" + functor +
           "<float>, at::detail::Array<char*, 3>>(int, at::native::" + functor + "<float>, at::detail::Array<char*, 3>)";
  };
  const auto running = [](const std::string& name, std::int64_t total) {
    return with_span(totals({aggregate("gemm", 10, 10'000), aggregate(name, 10, total)}), 20'000);
  };
  EXPECT_EQ(found(diff(running(elementwise("CUDAFunctor_add"), 1000), running(elementwise("BinaryMulFunctor"), 1100), {}).diff,
                  "algorithm_switched"),
            std::vector<std::string>{
                "\"at::native::vectorized_elementwise_kernel<4,BinaryMulFunctor<float>,Array<char*,3>>\" replaces "
                "\"at::native::vectorized_elementwise_kernel<4,CUDAFunctor_add<float>,Array<char*,3>>\", +10 % in kernel time"});
  EXPECT_EQ(
      found(diff(running("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn", 1000),
                 running("ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_32x5_tn", 1100), {})
                .diff,
            "algorithm_switched"),
      std::vector<std::string>{"\"ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn\": tile 128x128 -> 64x64, +10 % "
                               "for the same work"});
}

TEST(Findings, CallsThatMovedToAnotherTileHaveNotVanished) {
  const auto model = [](std::uint64_t large, std::uint64_t small) {
    std::vector<NamedAggregate> kernels = {aggregate("flash_kernel", 80, 12'000), aggregate("norm_kernel", 80, 12'000)};
    const std::pair<const char*, std::uint64_t> tiles[] = {{"volta_sgemm_128x128_nn", large}, {"volta_sgemm_64x64_nn", small}};
    for (const auto& [name, count] : tiles) {
      if (count > 0) kernels.push_back(aggregate(name, count, static_cast<std::int64_t>(100 * count)));
    }
    return with_span(totals(std::move(kernels)), 50'000);
  };
  const core::ProfileDiff moved = diff(model(80, 80), model(0, 160), {}).diff;
  EXPECT_EQ(
      found(moved, "algorithm_switched"),
      std::vector<std::string>{"the 80 calls of \"volta_sgemm_128x128_nn\" moved to \"volta_sgemm_64x64_nn\" (80 -> 160 calls): "
                               "their family is called as often as before"});
  const core::ProfileDiff gone = diff(model(80, 80), model(0, 80), {}).diff;
  EXPECT_TRUE(found(gone, "algorithm_switched").empty());
}

}  // namespace
}  // namespace plumbline::profiles::test
