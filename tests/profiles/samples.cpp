// The real pair (2 x H100) and its neighbours, against figures computed by other means: SQL over the same files and the
// totals their publishers give. Skipped where the samples are absent.
#include <algorithm>

#include "tests/profiles/fixture.hpp"
#include "tests/verdict/judged_captures.hpp"

namespace plumbline::profiles::test {
namespace {

const core::ProfileRow* row(const std::vector<core::ProfileRow>& rows, std::string_view part) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const auto& each) { return each.name.find(part) != std::string::npos; });
  return at == rows.end() ? nullptr : &*at;
}

void collect(const std::vector<core::ProfileRow>& rows, std::string& text) {
  for (const auto& each : rows) text += each.name + each.baseline_name + each.candidate_name;
}
std::string every_text(const core::ProfileDiff& diff) {
  std::string text;
  for (const auto* rows : {&diff.kernels, &diff.nvtx, &diff.cuda_api, &diff.nccl, &diff.memory}) collect(*rows, text);
  for (const auto* side : {&diff.baseline, &diff.candidate}) {
    text += side->path + side->label + side->format + side->version;
    for (const auto& [key, value] : side->context) text += key + value;
  }
  for (const auto& each : diff.warnings) text += std::string(each.code.text()) + each.message;
  for (const auto& each : diff.reasons) text += std::string(each.code.text()) + each.message;
  for (const auto& each : diff.environment_differences) text += each.key + each.baseline + each.current;
  for (const auto& each : diff.buckets) text += each.baseline_name + each.candidate_name;
  for (const auto& each : diff.comparability_notes) text += each;
  return text + diff.recommendation.message;
}

void expect_swapped(const std::vector<core::ProfileRow>& forth, const std::vector<core::ProfileRow>& back) {
  ASSERT_EQ(forth.size(), back.size());
  for (std::size_t i = 0; i < forth.size(); ++i) {
    EXPECT_EQ(forth[i].name, back[i].name);
    EXPECT_EQ(forth[i].delta_ns, -back[i].delta_ns);
    EXPECT_EQ(forth[i].count_effect_ns, -back[i].count_effect_ns);
    EXPECT_EQ(forth[i].duration_effect_ns, -back[i].duration_effect_ns);
    EXPECT_EQ(forth[i].delta_ns, forth[i].count_effect_ns + forth[i].duration_effect_ns);
  }
}

TEST(SamplePair, FromSqlite) {
  const std::string folder = samples("profiles/nsys");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const auto before = read(folder + "mfu_2gpu_before.sqlite", {});
  const auto after = read(folder + "mfu_2gpu_after.sqlite", {});
  ASSERT_TRUE(before && after);
  const core::ProfileDiff result = verdict::test::judged_diff(*before, *after);
  EXPECT_EQ(result.baseline.kernel_ns, 535200650);
  EXPECT_EQ(result.candidate.kernel_ns, 488835406);
  EXPECT_EQ(result.kernels.size(), 27U);
  const core::ProfileRow* flash = row(result.kernels, "flash_fwd_kernel");
  ASSERT_NE(flash, nullptr);
  EXPECT_EQ(flash->count_effect_ns, -32069047);
  EXPECT_EQ(flash->duration_effect_ns, 507336);
  ASSERT_EQ(result.nccl.size(), 1U);
  EXPECT_EQ(result.nccl[0].count_effect_ns, -1858205);
  EXPECT_EQ(result.nccl[0].duration_effect_ns, 10198554);
  ASSERT_EQ(result.buckets.size(), 2U);
  EXPECT_EQ(result.buckets[0].baseline->idle_ns / 1000, 26031);
  EXPECT_EQ(result.buckets[0].candidate->idle_ns / 1000, 59142);
  EXPECT_EQ((result.buckets[1].baseline->idle_ns + 500) / 1000, 31386);
  EXPECT_EQ((result.buckets[1].candidate->idle_ns + 500) / 1000, 45269);
  // Its sums fell by 8.7 %, yet the window holds less work and each unit of it takes longer.
  EXPECT_EQ(result.verdict, core::Verdict::red);
  ASSERT_EQ(result.reasons.size(), 2U);
  EXPECT_EQ(result.reasons[0].message, "wall time for the same work changed by +13.1 %, the gate is 5 %");
  EXPECT_EQ(result.reasons[1].message,
            "the candidate's window holds 11.6 % less work than the baseline's, by calls of the kernels both have");
  EXPECT_EQ(
      result.recommendation.message,
      "idle time grew by 40.84 ms on device 0 and by 19.8 ms on device 1; \"ncclDevKernel_SendRecv\" takes 544.2 us per call, "
      "384.9 us before (+41.4 %, 10.2 ms in all); capture the same steps on both sides to settle it");

  const core::ProfileDiff back = diff(*after, *before, {}).diff;
  expect_swapped(result.kernels, back.kernels);
  expect_swapped(result.nvtx, back.nvtx);
  expect_swapped(result.cuda_api, back.cuda_api);
  expect_swapped(result.memory, back.memory);
  for (std::size_t i = 0; i < result.buckets.size(); ++i) {
    EXPECT_EQ(result.buckets[i].baseline->idle_ns, back.buckets[i].candidate->idle_ns);
    EXPECT_EQ(result.buckets[i].candidate->compute_ns, back.buckets[i].baseline->compute_ns);
  }
  EXPECT_EQ(every_text(result).find("do-not-print-me"), std::string::npos);
  EXPECT_EQ(every_text(result).find("WANDB"), std::string::npos);
}

TEST(SamplePair, FromCsv) {
  const std::string folder = samples("profiles/nsys-stats-csv");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const auto before = read(folder + "before_cuda_gpu_kern_sum.csv", {});
  const auto after = read(folder + "after_cuda_gpu_kern_sum.csv", {});
  ASSERT_TRUE(before && after);
  const core::ProfileDiff result = verdict::test::judged_diff(*before, *after);
  EXPECT_EQ(result.baseline.kernel_ns, 535200650);
  EXPECT_EQ(result.wall_basis, "work_normalised_kernel_time");
  EXPECT_EQ(result.verdict, core::Verdict::yellow);
  expect_swapped(result.kernels, diff(*after, *before, {}).diff.kernels);

  // The statistics of the CSV were computed elsewhere: ours from the SQLite file must be the same to its last digit.
  const std::string databases = samples("profiles/nsys");
  if (databases.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const auto exact = read(databases + "mfu_2gpu_before.sqlite", {});
  ASSERT_TRUE(exact);
  for (const NamedAggregate& each : before->kernels) {
    const NamedAggregate* mine = find(exact->kernels, each.name);
    ASSERT_NE(mine, nullptr) << each.name;
    EXPECT_EQ(mine->aggregate.total, each.aggregate.total);
    EXPECT_EQ(mine->aggregate.min, each.aggregate.min);
    EXPECT_EQ(mine->aggregate.max, each.aggregate.max);
    EXPECT_NEAR(mine->aggregate.median, each.aggregate.median, 0.051);
    EXPECT_NEAR(mine->aggregate.stddev, each.aggregate.stddev, 0.051);
  }
}

TEST(Samples, SingleCaptures) {
  const std::string folder = samples("profiles/nsys");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const auto power = read(folder + "power_iteration__baseline.sqlite", {});
  ASSERT_TRUE(power);
  EXPECT_EQ(power->info.kernels, 3689U);
  EXPECT_EQ(power->info.kernel_ns, 1131742684);
  EXPECT_EQ(power->info.context.at("hardware.gpu"), "Tesla T4");
  EXPECT_EQ(find(power->nvtx, "CCCL:cub::DeviceReduce::Sum")->aggregate.count, 565U);
  for (const auto& [key, value] : power->info.context) EXPECT_EQ(value.find("do-not-print-me"), std::string::npos) << key;
  const auto none = read(folder + "lighttransport_no_kernels.sqlite", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds 3 CUDA API calls");
}

}  // namespace
}  // namespace plumbline::profiles::test
