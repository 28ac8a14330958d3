// The ladder from the same name to a likely counterpart: what is matched by which rule, and that nothing is lost or doubled.
#include "profiles/diff/matching.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>

#include "profiles/diff/assignment.hpp"
#include "profiles/diff/diff.hpp"
#include "profiles/diff/rows.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

NamedAggregate kernel(std::string name, std::uint64_t count, std::int64_t total, std::vector<Share> parents = {}) {
  NamedAggregate one{std::move(name), {count, total, 0, 0, 0, 0, false}};
  one.parents = std::move(parents);
  return one;
}

std::vector<core::ProfileRow> match(const std::vector<NamedAggregate>& a, const std::vector<NamedAggregate>& b) {
  return match_kernels(a, b, *configs::KernelCategories::builtin());
}

const core::ProfileRow& only(const std::vector<core::ProfileRow>& rows) {
  EXPECT_EQ(rows.size(), 1U);
  return rows.front();
}

TEST(Matching, TheSameNameIsTheSameKernel) {
  const core::ProfileRow row =
      only(match({kernel("volta_sgemm_128x32_nn", 10, 100)}, {kernel("volta_sgemm_128x32_nn", 12, 180)}));
  EXPECT_EQ(row.state, "matched");
  EXPECT_EQ(row.match_rule, "exact");
  EXPECT_EQ(row.match_confidence, 1);
  EXPECT_EQ(row.category, "GEMM fp32");
  EXPECT_EQ(row.change, "");
}

TEST(Matching, AnotherSpellingIsTheSameKernel) {
  const core::ProfileRow row = only(match({kernel("void a::<unnamed>::f<(int)4, (bool)0>(T1 *)", 10, 100)},
                                          {kernel("void a::(anonymous namespace)::f<4, false>(float*)", 10, 100)}));
  EXPECT_EQ(row.state, "matched");
  EXPECT_EQ(row.match_rule, "canonical");
  EXPECT_EQ(row.match_confidence, 0.98);
  EXPECT_EQ(row.baseline_name, "void a::<unnamed>::f<(int)4, (bool)0>(T1 *)");
  EXPECT_EQ(row.candidate_name, "void a::(anonymous namespace)::f<4, false>(float*)");
}

TEST(Matching, AnotherTileIsASwitchAndSaysWhich) {
  const core::ProfileRow row = only(match({kernel("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", 10, 1000)},
                                          {kernel("ampere_bf16_s16816gemm_bf16_256x64_ldg8_f2f_stages_64x3_tn", 10, 700)}));
  EXPECT_EQ(row.state, "switched");
  EXPECT_EQ(row.match_rule, "family");
  EXPECT_EQ(row.match_confidence, 0.9);
  EXPECT_EQ(row.change, "tile 128x64 -> 256x64");
  EXPECT_EQ(row.name, "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn");
  EXPECT_EQ(row.delta_ns, -300);
  EXPECT_EQ(row.duration_effect_ns, -300);
}

TEST(Matching, ARenumberedTritonKernelIsNoSwitch) {
  const core::ProfileRow row =
      only(match({kernel("triton_poi_fused_add_mul_0", 10, 100)}, {kernel("triton_poi_fused_add_mul_4", 10, 100)}));
  EXPECT_EQ(row.state, "matched");
  EXPECT_EQ(row.match_rule, "family");
}

TEST(Matching, ThreeTilesReplacedByTwoAreOneRow) {
  const std::vector before = {kernel("volta_sgemm_128x64_nn", 30, 300), kernel("volta_sgemm_32x128_nn", 30, 200),
                              kernel("volta_sgemm_64x64_nn", 40, 100)};
  const std::vector after = {kernel("volta_sgemm_128x32_nn", 50, 400), kernel("volta_sgemm_128x128_nn", 50, 350)};
  const core::ProfileRow row = only(match(before, after));
  EXPECT_EQ(row.state, "switched");
  EXPECT_EQ(row.name, "volta_sgemm_128x64_nn + 2 more");
  EXPECT_EQ(row.baseline_name, "volta_sgemm_128x64_nn + volta_sgemm_32x128_nn + volta_sgemm_64x64_nn");
  EXPECT_EQ(row.candidate_name, "volta_sgemm_128x32_nn + volta_sgemm_128x128_nn");
  EXPECT_EQ(row.baseline_ns, 600);
  EXPECT_EQ(row.candidate_ns, 750);
  EXPECT_EQ(row.baseline_count, 100U);
  EXPECT_EQ(row.change, "tile 128x64, 32x128, 64x64 -> 128x32, 128x128, 3 kernels -> 2");
}

TEST(Matching, InsideAFamilyCountsTellWhoIsWhose) {
  const auto rows = match({kernel("volta_sgemm_128x64_nn", 100, 9000), kernel("volta_sgemm_32x128_nn", 7, 100)},
                          {kernel("volta_sgemm_128x32_nn", 7, 150), kernel("volta_sgemm_128x128_nn", 100, 8000)});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].change, "tile 128x64 -> 128x128");
  EXPECT_EQ(rows[1].change, "tile 32x128 -> 128x32");
}

// A window with half the steps calls everything half as often: what stayed says so, and the switch is still a switch.
TEST(Matching, CountsAreComparedForTheSameWork) {
  const auto rows = match({kernel("same", 100, 10000), kernel("volta_sgemm_128x64_nn", 30, 300)},
                          {kernel("same", 20, 2000), kernel("volta_sgemm_128x32_nn", 6, 50)});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].state, "switched");
  EXPECT_EQ(rows[1].match_confidence, 0.9);
}

TEST(Matching, TheOperatorThatLaunchesTellsWhatReplacedWhat) {
  const auto rows =
      match({kernel("old_fast_path", 10, 500, {{"my::op", 10, 500}}), kernel("something", 10, 100, {{"other::op", 10, 100}})},
            {kernel("brand_new_thing", 10, 400, {{"my::op", 10, 400}})});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].match_rule, "parent");
  EXPECT_EQ(rows[0].match_confidence, 0.65);
  EXPECT_EQ(rows[0].change, "kernel old_fast_path -> brand_new_thing");
  EXPECT_EQ(rows[1].state, "vanished");
}

TEST(Matching, WordsAlikeAreALikelyPairAndSaidToBeNoMore) {
  const auto rows = match({kernel("void mine::fused_rope_cache_write<float>(float*)", 10, 500), kernel("zebra", 10, 300)},
                          {kernel("void mine::v2::rope_cache_write_fused<float>(float*)", 10, 450), kernel("unicorn", 10, 310)});
  ASSERT_EQ(rows.size(), 3U);
  const auto fuzzy = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.match_rule == "fuzzy"; });
  ASSERT_NE(fuzzy, rows.end());
  EXPECT_EQ(fuzzy->state, "switched");
  EXPECT_LE(fuzzy->match_confidence, 0.6);
  EXPECT_GE(fuzzy->match_confidence, 0.3);
}

TEST(Matching, OldAndNewNcclNamesAreOneCollective) {
  const auto rows = match({kernel("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", 10, 500)},
                          {kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 10, 450)});
  EXPECT_EQ(only(rows).state, "matched");
  EXPECT_EQ(only(rows).match_rule, "family");
}

TEST(Matching, NothingAlikeStaysNewAndVanished) {
  const auto rows = match({kernel("alpha", 10, 500)}, {kernel("volta_sgemm_128x32_nn", 10, 450)});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].state, "vanished");
  EXPECT_EQ(rows[1].state, "new");
  EXPECT_FALSE(matched_share(std::vector<core::ProfileRow>{}).has_value());
  EXPECT_EQ(matched_share(rows), 0);
}

TEST(Matching, NamesThatStandTwiceInATableAreAddedUp) {
  const core::ProfileRow row = only(match({kernel("k", 1, 10), kernel("k", 2, 30)}, {kernel("k", 1, 10), kernel("k", 1, 15)}));
  EXPECT_EQ(row.baseline_ns, 40);
  EXPECT_EQ(row.baseline_count, 3U);
  EXPECT_EQ(row.candidate_ns, 25);
}

// "gemm" is its own name, its family and its family's widest key.
TEST(Matching, AKernelWhoseNameIsItsFamilyCountsOnce) {
  const core::ProfileRow row = only(match({kernel("gemm", 1, 10)}, {kernel("gemm_2", 1, 15)}));
  EXPECT_EQ(row.baseline_ns, 10);
  EXPECT_EQ(row.candidate_ns, 15);
}

// Random tables of names of every family: times sum to the totals on both sides, and swapping the sides swaps every row.
TEST(Matching, LosesNothingAndIsTheSameFromBothSides) {
  std::mt19937_64 random(11);
  const std::array<const char*, 12> forms = {"volta_sgemm_%_nn",
                                             "ampere_sgemm_%_tn",
                                             "Cijk_Alik_Bljk_SB_MT%x8",
                                             "triton_poi_fused_add_%",
                                             "void k<float, %>(int)",
                                             "void (anonymous namespace)::k<%, (int)3>()",
                                             "mine_%_rope",
                                             "flash_fwd_kernel_%",
                                             "ncclDevKernel_AllReduce_Sum_f32_%",
                                             "ncclKernel_AllReduce_%_Sum_float",
                                             "attn_fwd_%",
                                             "w%"};
  for (int round = 0; round < 300; ++round) {
    std::vector<NamedAggregate> sides[2];
    std::int64_t totals[2] = {0, 0};
    for (const int side : {0, 1}) {
      for (std::size_t i = random() % 30; i > 0; --i) {
        std::string name = forms[random() % forms.size()];
        const std::size_t at = name.find('%');
        if (at != std::string::npos)
          name.replace(at, 1, std::to_string(32 << random() % 3) + (name.find("gemm") != std::string::npos ? "x64" : ""));
        sides[side].push_back(kernel(name, random() % 5 + 1, static_cast<std::int64_t>(random() % 100000)));
        if (random() % 2 == 0) sides[side].back().parents = {{"op" + std::to_string(random() % 3), 1, 1}};
        totals[side] += sides[side].back().aggregate.total;
      }
    }
    const auto forth = match(sides[0], sides[1]);
    const auto back = match(sides[1], sides[0]);
    ASSERT_EQ(forth.size(), back.size());
    std::int64_t sums[2] = {0, 0};
    for (const core::ProfileRow& row : forth) {
      sums[0] += row.baseline_ns;
      sums[1] += row.candidate_ns;
      EXPECT_EQ(row.delta_ns, row.count_effect_ns + row.duration_effect_ns);
      EXPECT_GT(row.match_confidence, 0);
      EXPECT_FALSE(row.category.empty());
      const auto same = std::find_if(back.begin(), back.end(), [&](const auto& other) {
        return other.baseline_name == row.candidate_name && other.candidate_name == row.baseline_name;
      });
      ASSERT_NE(same, back.end()) << row.baseline_name << " | " << row.candidate_name;
      EXPECT_EQ(same->delta_ns, -row.delta_ns);
      EXPECT_EQ(same->count_effect_ns, -row.count_effect_ns);
      EXPECT_EQ(same->match_rule, row.match_rule);
    }
    EXPECT_EQ(sums[0], totals[0]);
    EXPECT_EQ(sums[1], totals[1]);
  }
}

// Against every permutation there is.
TEST(Assignment, IsWorthAsMuchAsTheBestOfAll) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 500; ++round) {
    const std::size_t rows = random() % 6 + 1;
    const std::size_t columns = random() % 6 + 1;
    std::vector<std::int64_t> worth(rows * columns);
    for (auto& each : worth) each = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 1000);
    const auto columns_of = best_assignment(worth, rows, columns);
    ASSERT_EQ(columns_of.size(), rows);
    std::int64_t got = 0;
    std::vector<bool> used(columns, false);
    for (std::size_t i = 0; i < rows; ++i) {
      if (columns_of[i] == kNobody) continue;
      EXPECT_FALSE(used[columns_of[i]]);
      used[columns_of[i]] = true;
      got += worth[i * columns + columns_of[i]];
    }
    std::vector<std::size_t> order(std::max(rows, columns));
    std::iota(order.begin(), order.end(), 0U);
    std::int64_t best = 0;
    do {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        if (order[i] < columns) sum += worth[i * columns + order[i]];
      }
      best = std::max(best, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(got, best);
  }
  EXPECT_TRUE(best_assignment({}, 0, 3).empty());
  EXPECT_EQ(best_assignment({}, 2, 0), (std::vector<std::size_t>{kNobody, kNobody}));
}

// Two vendors run one model: the totals are those that the pair's publisher gives (45.43 and 43.06 ms).
TEST(SamplePairs, H100AgainstMi300) {
  const std::string folder = samples("profiles/tracelens");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const auto h100 = read(folder + "h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", {});
  const auto mi300 = read(folder + "mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", {});
  ASSERT_TRUE(h100 && mi300);
  const core::ProfileDiff result = diff(*h100, *mi300, {}).diff;
  ASSERT_TRUE(result.matched_pct.has_value());
  std::printf("H100 and MI300: %.2f %% of the kernel time matched\n", *result.matched_pct);
  EXPECT_GE(*result.matched_pct, 99.5);
  EXPECT_EQ(std::llround(static_cast<double>(result.baseline.kernel_ns) / 1e4), 4543);
  EXPECT_EQ(std::llround(static_cast<double>(result.candidate.kernel_ns) / 1e4), 4306);
  const auto gemm =
      std::find_if(result.kernels.begin(), result.kernels.end(), [](const auto& row) { return row.category == "GEMM bf16"; });
  ASSERT_NE(gemm, result.kernels.end());
  EXPECT_EQ(gemm->state, "switched");
  EXPECT_EQ(gemm->baseline_count, 241U);
  EXPECT_EQ(gemm->candidate_count, 242U);
  EXPECT_EQ(gemm->change,
            "library cuBLAS XMMA -> hipBLASLt, tile 128x128x64 -> 256x128x64, 128x224x64, architecture sm90 -> "
            "gfx942, 1 kernel -> 2");
  for (const auto& row : result.kernels) {
    if (row.baseline_name.find("flash_fwd_kernel") == std::string::npos) continue;
    EXPECT_EQ(row.candidate_name, "attn_fwd");
  }
}

// The counts of matrix products by layout are those of the model, whatever library computes them on either board.
TEST(SamplePairs, A100AgainstV100) {
  const std::string folder = samples("profiles/kineto");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const auto a100 = read(folder + "control.json.gz", {});
  const auto v100 = read(folder + "test.json.gz", {});
  ASSERT_TRUE(a100 && v100);
  const core::ProfileDiff result = diff(*a100, *v100, {}).diff;
  ASSERT_TRUE(result.matched_pct.has_value());
  std::printf("A100 and V100: %.2f %% of the kernel time matched\n", *result.matched_pct);
  EXPECT_GE(*result.matched_pct, 99.5);
  std::int64_t sums[2] = {0, 0};
  for (const auto& row : result.kernels) {
    sums[0] += row.baseline_ns;
    sums[1] += row.candidate_ns;
  }
  EXPECT_EQ(sums[0], 446813000);  // json.load over the same files
  EXPECT_EQ(sums[1], 801858000);
}

// Every NVTX range of the pair has a name of its own ("aten::to, seq = 12, op_id = 34"): 17,000 rows would say nothing.
TEST(SamplePairs, UniqueRangeNamesAreOneRowAKind) {
  const std::string folder = samples("profiles/nsys");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const auto before = read(folder + "mfu_2gpu_before.sqlite", {});
  const auto after = read(folder + "mfu_2gpu_after.sqlite", {});
  ASSERT_TRUE(before && after);
  const core::ProfileDiff result = diff(*before, *after, {}).diff;
  EXPECT_LT(result.nvtx.size(), 100U);
  std::int64_t sums[2] = {0, 0};
  std::int64_t totals[2] = {0, 0};
  for (const auto& row : result.nvtx) {
    sums[0] += row.baseline_ns;
    sums[1] += row.candidate_ns;
    EXPECT_NE(row.state, "new") << row.name;
  }
  for (const auto& each : before->nvtx) totals[0] += each.aggregate.total;
  for (const auto& each : after->nvtx) totals[1] += each.aggregate.total;
  EXPECT_EQ(sums[0], totals[0]);
  EXPECT_EQ(sums[1], totals[1]);
}

}  // namespace
}  // namespace plumbline::profiles::test
