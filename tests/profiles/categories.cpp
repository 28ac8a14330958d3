// GPU time by what it is spent on: sums, the reference tool's buckets, ceilings, and how well the distance to them is known.
#include "profiles/diff/categories.hpp"

#include <algorithm>

#include "profiles/diff/diff.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

NamedAggregate timed(std::string name, std::uint64_t count, std::int64_t total, std::uint64_t bytes = 0) {
  NamedAggregate one{std::move(name), {count, total, 0, 0, 0, 0, false}};
  one.bytes = bytes;
  return one;
}

Profile on_h100(std::vector<NamedAggregate> kernels, std::vector<NamedAggregate> memory = {}) {
  Profile profile;
  profile.kernels = std::move(kernels);
  profile.memory = std::move(memory);
  profile.info.context = {{"hardware.gpu", "NVIDIA H100 80GB HBM3"}};
  return profile;
}

std::vector<core::ProfileCategory> compare(const Profile& a, const Profile& b) {
  return compare_categories(a, b, *configs::KernelCategories::builtin(), *configs::Ceilings::builtin());
}

const core::ProfileCategory& named(const std::vector<core::ProfileCategory>& list, std::string_view name) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.name == name; });
  EXPECT_NE(at, list.end()) << name;
  return at == list.end() ? list.front() : *at;
}

TEST(Categories, SumToTheKernelTimeAndFollowAKernelThatChangesItsPrecision) {
  const Profile a =
      on_h100({timed("nvjet_tst_192x192_64x4_2x1_v_bz_TNN", 10, 1000), timed("volta_sgemm_128x32_nn", 5, 100), timed("x", 1, 7)});
  const Profile b = on_h100(
      {timed("nvjet_qqtst_192x192_64x4_2x1_v_bz_TNN", 10, 600), timed("volta_sgemm_128x32_nn", 5, 130), timed("x", 1, 7)});
  const auto list = compare(a, b);
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0].name, "GEMM bf16");
  EXPECT_EQ(list[0].delta_ns, -1000);
  EXPECT_EQ(list[1].name, "GEMM fp8");
  EXPECT_EQ(list[1].delta_ns, 600);
  EXPECT_EQ(list[1].reference_name, "cuBLAS");
  EXPECT_EQ(list[1].ceiling_key, "h100_sxm.fp8_dense_pflops");
  EXPECT_EQ(list[1].bound, "compute");
  EXPECT_EQ(list[1].rigor, "L1");
  EXPECT_FALSE(list[1].candidate_sol_pct.has_value());
  EXPECT_EQ(named(list, "GEMM fp32").reference_name, "Other");
  EXPECT_EQ(named(list, "Other").ceiling_key, "");
  std::int64_t sums[2] = {0, 0};
  std::uint64_t counts[2] = {0, 0};
  for (const auto& each : list) {
    sums[0] += each.baseline_ns;
    sums[1] += each.candidate_ns;
    counts[0] += each.baseline_count;
    counts[1] += each.candidate_count;
  }
  EXPECT_EQ(sums[0], 1107);
  EXPECT_EQ(sums[1], 737);
  EXPECT_EQ(counts[0], 16U);
  EXPECT_EQ(counts[1], 16U);
}

TEST(Categories, AttentionIsHeldAgainstThePrecisionOfItsNamesOrNothing) {
  const Profile told = on_h100({timed("void flash::flash_fwd_kernel<T<cutlass::bfloat16_t>>(P)", 1, 10)});
  const Profile untold = on_h100({timed("attn_fwd", 1, 10)});
  EXPECT_EQ(compare(told, told)[0].ceiling_key, "h100_sxm.bf16_dense_pflops");
  EXPECT_EQ(compare(untold, untold)[0].ceiling_key, "");
  EXPECT_EQ(compare(untold, untold)[0].name, "Attention");
}

TEST(Categories, ABoardThatIsNotNamedHasNoCeiling) {
  Profile a = on_h100({timed("volta_sgemm_128x32_nn", 5, 100)});
  a.info.context.clear();
  const auto list = compare(a, a);
  EXPECT_EQ(list[0].ceiling_key, "");
  EXPECT_FALSE(list[0].ceiling_value.has_value());
}

// 1 GiB inside the device in 1 ms: read and written, 2147 GB/s of 3350.
TEST(Categories, CopiesOfKnownSizeAreMeasured) {
  const std::uint64_t gib = std::uint64_t{1} << 30;
  const Profile a = on_h100({}, {timed("[CUDA memcpy Device-to-Device]", 1, 1000000, gib),
                                 timed("[CUDA memcpy Unified Host-to-Device]", 1, 20000000, gib),
                                 timed("[CUDA memcpy Host-to-Device]", 1, 20000000, gib), timed("[CUDA memset]", 2, 500, 0)});
  const auto list = compare(a, a);
  const core::ProfileCategory& device = named(list, "Memcpy Device-to-Device");
  EXPECT_EQ(device.rigor, "L3");
  EXPECT_NEAR(device.candidate_sol_pct.value_or(0), 100 * 2 * 1073.741824 / 3350, 1e-9);
  EXPECT_EQ(device.candidate_sol_pct, device.baseline_sol_pct);
  const core::ProfileCategory& host = named(list, "Memcpy Host-to-Device");
  EXPECT_EQ(host.candidate_count, 2U);
  EXPECT_EQ(host.rigor, "L3");
  EXPECT_EQ(host.ceiling_key, "h100_sxm.pcie_gen5_x16_uni");
  EXPECT_EQ(named(list, "Memset").rigor, "L1");  // its size is not known
}

TEST(Categories, CommunicationIsMeasuredByItsBusBandwidthWhereMostOfItHasOne) {
  Profile a = on_h100({timed("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 4, 1000)});
  CollectiveGroup group;
  group.side.total_ns = 950;
  group.side.busbw = 225;
  a.collectives = {group};
  const core::ProfileCategory measured = compare(a, a).at(0);
  EXPECT_EQ(measured.name, "Communication");
  EXPECT_EQ(measured.reference_name, "NCCL");
  EXPECT_EQ(measured.rigor, "L3");
  EXPECT_EQ(measured.ceiling_key, "h100_sxm.nvlink4_uni");
  EXPECT_NEAR(measured.candidate_sol_pct.value_or(0), 50, 1e-9);
  a.collectives[0].side.total_ns = 800;
  EXPECT_EQ(compare(a, a).at(0).rigor, "L1");
}

// Two launches of 1 and 3 us at 80 % and 40 %: 50 % of the time-weighted peak.
TEST(Categories, AKernelProfilersPercentagesWeighByTime) {
  Profile a = on_h100({timed("volta_sgemm_128x32_nn", 2, 4000)});
  a.metrics = {{"volta_sgemm_128x32_nn", "s", "gpu__time_duration.sum", "ns", {1000, 3000}},
               {"volta_sgemm_128x32_nn", "s", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", {80, 40}},
               {"volta_sgemm_128x32_nn", "s", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%", {10, 10}}};
  const core::ProfileCategory gemm = compare(a, a).at(0);
  EXPECT_EQ(gemm.rigor, "L4");
  EXPECT_NEAR(gemm.candidate_sol_pct.value_or(0), 50, 1e-9);
}

TEST(Categories, AUsersTableIsUsedInTheDiff) {
  const auto table =
      configs::KernelCategories::parse("categories:\n  - {name: Mine}\nrules:\n  - {category: Mine, any: [\"x*\"]}\n", "c.yaml");
  ASSERT_TRUE(table);
  DiffOptions options;
  options.categories = *table;
  const Profile a = on_h100({timed("x1", 1, 10)});
  const core::ProfileDiff result = diff(a, a, options).diff;
  ASSERT_EQ(result.categories.size(), 1U);
  EXPECT_EQ(result.categories[0].name, "Mine");
  EXPECT_EQ(result.kernels.at(0).category, "Mine");
}

// A share of one GPU's peak beside a share of another's reads as a change that nobody measured.
TEST(Categories, APercentageStandsOnlyBesideItsOwnCeiling) {
  const std::string copies = "[CUDA memcpy Device-to-Device]";
  Profile a = on_h100({}, {timed(copies, 1, 1000, 1'000'000)});
  Profile b = a;
  b.info.context["hardware.gpu"] = "NVIDIA A100-SXM4-80GB";
  const core::ProfileCategory same = compare(a, a).at(0);
  ASSERT_TRUE(same.baseline_sol_pct && same.candidate_sol_pct);
  const core::ProfileCategory other = compare(a, b).at(0);
  EXPECT_NE(other.ceiling_key, same.ceiling_key);
  EXPECT_FALSE(other.baseline_sol_pct);
  EXPECT_TRUE(other.candidate_sol_pct);
  EXPECT_EQ(other.rigor, "L3");
}

}  // namespace
}  // namespace plumbline::profiles::test
