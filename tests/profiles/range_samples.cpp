// Ranges of the real traces, against ranges_golden.py (Python's json, bisection in place of the sweep).
#include <algorithm>

#include "profiles/analysis/ranges.hpp"
#include "profiles/diff/collectives.hpp"
#include "profiles/diff/ranges.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

struct Path {
  std::string path;
  std::uint64_t count = 0, kernels = 0;
  std::int64_t gpu_ns = 0;
};

// With the kernels of the children, as the golden script counts; most kernel time first, then by path.
std::vector<Path> paths(const Profile& profile) {
  std::vector<Path> result;
  for (const RangeNode& node : profile.ranges) {
    const bool root = node.parent == 0xFFFFFFFF;
    result.push_back(
        {(root ? std::string() : result[node.parent].path + " / ") + node.name, node.count, node.kernels, node.gpu_ns});
  }
  for (std::size_t i = profile.ranges.size(); i-- > 0;) {
    if (profile.ranges[i].parent != 0xFFFFFFFF) result[profile.ranges[i].parent].kernels += result[i].kernels;
  }
  std::erase_if(result, [](const Path& each) { return each.path == kNoRange; });
  std::sort(result.begin(), result.end(),
            [](const Path& a, const Path& b) { return a.gpu_ns != b.gpu_ns ? a.gpu_ns > b.gpu_ns : a.path < b.path; });
  return result;
}

struct Golden {
  const char* file;
  std::size_t paths;
  std::int64_t sum;
  std::vector<Path> top;
};

const std::string kLayer = "ProfilerStep# / Qwen2Model_# / Qwen2DecoderLayer_#";
const std::vector<Golden> kGolden = {
    {"tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     128,
     198638276,
     {{"ProfilerStep#", 1, 1029, 31760058},
      {"ProfilerStep# / Qwen2Model_#", 1, 1029, 31760058},
      {kLayer, 24, 1008, 31531131},
      {kLayer + " / Qwen2Attention_#", 24, 456, 15465886},
      {kLayer + " / Qwen2MLP_#", 24, 120, 7982521},
      {kLayer + " / Qwen2RMSNorm_#", 48, 384, 7228105}}},
    {"tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     138,
     195277571,
     {{"ProfilerStep#", 1, 1053, 29743178},
      {"ProfilerStep# / Qwen2Model_#", 1, 1053, 29743178},
      {kLayer, 24, 1032, 29539088},
      {kLayer + " / Qwen2Attention_#", 24, 480, 13922360},
      {kLayer + " / Qwen2MLP_#", 24, 120, 9369811},
      {kLayer + " / Qwen2MLP_# / Linear_#", 72, 72, 7683068}}},
    {"kineto/control.json.gz",
     777,
     1869803000,
     {{"ProfilerStep#", 6, 3018, 202245000}, {"ProfilerStep# / ## forward ##", 6, 2532, 147356000}}},
    {"kineto/test.json.gz",
     556,
     2758221000,
     {{"ProfilerStep#", 6, 3558, 283360000}, {"ProfilerStep# / ## forward ##", 6, 3072, 220274000}}},
};

TEST(RangeSamples, AgreeWithTheGoldenScript) {
  const std::string folder = samples("profiles");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  for (const Golden& golden : kGolden) {
    const auto profile = read(folder + golden.file, {});
    ASSERT_TRUE(profile) << golden.file;
    const std::vector<Path> found = paths(*profile);
    EXPECT_EQ(found.size(), golden.paths) << golden.file;
    std::int64_t sum = 0;
    for (const Path& each : found) sum += each.gpu_ns;
    EXPECT_EQ(sum, golden.sum) << golden.file;
    for (std::size_t i = 0; i < golden.top.size(); ++i) {
      EXPECT_EQ(found[i].path, golden.top[i].path);
      EXPECT_EQ(found[i].count, golden.top[i].count);
      EXPECT_EQ(found[i].kernels, golden.top[i].kernels);
      EXPECT_EQ(found[i].gpu_ns, golden.top[i].gpu_ns);
    }
    std::int64_t roots = 0;
    for (const RangeNode& node : profile->ranges) roots += node.parent == 0xFFFFFFFF ? node.gpu_ns : 0;
    EXPECT_EQ(roots, profile->info.kernel_ns) << "nothing is lost outside the ranges";
  }
}

// The NCCL kernels lie under the range of the call; only count and time are known of them.
TEST(RangeSamples, ThePairOnTwoGpus) {
  const std::string folder = samples("profiles/nsys");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const auto before = read(folder + "mfu_2gpu_before.sqlite", {});
  const auto after = read(folder + "mfu_2gpu_after.sqlite", {});
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->ranges[0].name, "FlashAttnFunc") << "of 18,656 ranges with names of their own";
  EXPECT_EQ(before->ranges[0].count, 67U);
  EXPECT_LT(before->ranges.size(), 200U);
  const auto rows = compare_range_trees(before->ranges, after->ranges);
  const auto calls = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.name == "nccl:all_to_all"; });
  ASSERT_NE(calls, rows.end());
  EXPECT_EQ(calls->path, "AllToAll4D / c10d::alltoall_base_ / record_param_comms / nccl:all_to_all");
  std::int64_t roots = 0;
  for (const auto& row : rows) roots += row.depth == 0 ? row.delta_gpu_ns : 0;
  EXPECT_EQ(roots, 488835406 - 535200650);
  const auto collectives = compare_collectives(before->collectives, after->collectives);
  ASSERT_EQ(collectives.size(), 1U);
  EXPECT_EQ(collectives[0].type, "send_recv");
  EXPECT_EQ(collectives[0].delta_ns, 8340349);
}

}  // namespace
}  // namespace plumbline::profiles::test
