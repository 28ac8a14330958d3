// Real traces against figures from kineto_golden.py beside this file (Python's json and integers): a pair of HTA's (A100, V100)
// and one of TraceLens' (H100, MI300X). Skipped where the samples are absent.
#include <numeric>

#include "profiles/diff/diff.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

struct Golden {
  const char* path;
  std::uint64_t kernels;
  std::int64_t kernel_ns;
  std::size_t names;
  std::uint64_t copies, sets, calls;
  std::int64_t span_ns;
  const char* gpu;
};

constexpr Golden kGoldens[] = {
    {"kineto/control.json.gz", 8568, 446813000, 170, 228, 654, 24692, 1661203463063919000 - 1661203462599325000,
     "NVIDIA A100-PG509-200"},
    {"kineto/test.json.gz", 9876, 801858000, 131, 4856, 900, 21167, 1661938467010364000 - 1661938466265125000,
     "Tesla V100-SXM2-16GB"},
    {"tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1465, 45432698, 26, 1, 241, 1922,
     1428625781275082 - 1428625731622250, "NVIDIA H100 80GB HBM3"},
    {"tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1516, 43062042, 28, 1, 0, 1707,
     2241346174262183 - 2241346127176383, "AMD Instinct MI300X VF"},
};

std::uint64_t count_of(const std::vector<NamedAggregate>& rows, std::string_view part) {
  std::uint64_t count = 0;
  for (const NamedAggregate& each : rows) count += each.name.find(part) != std::string::npos ? each.aggregate.count : 0;
  return count;
}

TEST(KinetoSamples, SayWhatPythonSays) {
  const std::string folder = samples("profiles");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  for (const Golden& golden : kGoldens) {
    SCOPED_TRACE(golden.path);
    const auto profile = read(folder + golden.path, {});
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->info.kernels, golden.kernels);
    EXPECT_EQ(profile->info.kernel_ns, golden.kernel_ns);
    EXPECT_EQ(profile->kernels.size(), golden.names);
    EXPECT_EQ(count_of(profile->memory, "[CUDA memcpy"), golden.copies);
    EXPECT_EQ(count_of(profile->memory, "[CUDA memset]"), golden.sets);
    EXPECT_EQ(count_of(profile->api, ""), golden.calls);
    EXPECT_EQ(profile->info.span_ns, golden.span_ns);
    EXPECT_EQ(profile->info.context.at("hardware.gpu"), golden.gpu);
    EXPECT_FALSE(warned(profile->warnings, "capture_incomplete") || warned(profile->warnings, "malformed_events"));
    for (const auto& [key, value] : profile->info.context) EXPECT_EQ(value.find("do-not-print-me"), std::string::npos) << key;
  }
}

TEST(KinetoSamples, PairsCompare) {
  const std::string folder = samples("profiles");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  for (const auto& [one, other] : {std::pair(0, 1), std::pair(2, 3)}) {
    const auto before = read(folder + kGoldens[one].path, {}), after = read(folder + kGoldens[other].path, {});
    ASSERT_TRUE(before && after);
    const core::ProfileDiff result = diff(*before, *after, {}).diff;
    std::int64_t sum = 0;
    for (const core::ProfileRow& row : result.kernels) sum += row.delta_ns;
    EXPECT_EQ(sum, kGoldens[other].kernel_ns - kGoldens[one].kernel_ns);
  }
}

}  // namespace
}  // namespace plumbline::profiles::test
