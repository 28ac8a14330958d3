// Limits of control groups, of trees that are made here: the tightest level holds, in both versions.
#include "machine/cgroup.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace plumbline::machine {
namespace {

namespace fs = std::filesystem;

class Tree : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_); }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  [[nodiscard]] CgroupLimits limits(const std::string& membership) const { return cgroup_limits(membership, root_.string()); }

  fs::path root_ = fs::temp_directory_path() / ("plumbline-cgroup-" + std::to_string(::getpid()));
};

TEST_F(Tree, OfSlurmTheJobsLevelLimits) {
  write("system.slice/slurmstepd.scope/job_7/cpu.max", "400000 100000");
  write("system.slice/slurmstepd.scope/job_7/memory.max", "8589934592");
  write("system.slice/slurmstepd.scope/job_7/step_0/cpu.max", "max 100000");
  write("system.slice/slurmstepd.scope/job_7/step_0/memory.max", "max");
  write("cpu.max", "800000 100000");
  const CgroupLimits seen = limits("0::/system.slice/slurmstepd.scope/job_7/step_0\n");
  EXPECT_EQ(seen.cpus, 4);
  EXPECT_EQ(seen.memory_bytes, 8589934592);
}

TEST_F(Tree, TheFirstVersionHasATreeAController) {
  write("cpu,cpuacct/kubepods/pod1/cpu.cfs_quota_us", "150000");
  write("cpu,cpuacct/kubepods/pod1/cpu.cfs_period_us", "100000");
  write("cpu,cpuacct/kubepods/pod1/c/cpu.cfs_quota_us", "-1");
  write("memory/kubepods/pod1/memory.limit_in_bytes", "1073741824");
  write("memory/memory.limit_in_bytes", "9223372036854771712");
  const CgroupLimits seen = limits("5:memory:/kubepods/pod1/c\n3:cpu,cpuacct:/kubepods/pod1/c\n1:name=systemd:/x\n");
  EXPECT_EQ(seen.cpus, 1.5);
  EXPECT_EQ(seen.memory_bytes, 1073741824);
}

TEST_F(Tree, AQuotaStopsAtWhicheverLevelHasIt) {
  write("system.slice/job_7/cpu.stat", "usage_usec 5\nnr_throttled 3\nthrottled_usec 1500");
  write("system.slice/job_7/step_0/cpu.stat", "usage_usec 5\nthrottled_usec 0");
  write("cpu.stat", "usage_usec 9");
  EXPECT_EQ(cgroup_throttled_us("0::/system.slice/job_7/step_0\n", root_.string()), 1500U);
  EXPECT_EQ(cgroup_throttled_us("0::/\n", root_.string()), 0U);
  write("cpu,cpuacct/docker/c/cpu.stat", "nr_periods 10\nnr_throttled 2\nthrottled_time 2500000");
  EXPECT_EQ(cgroup_throttled_us("4:memory:/docker/c\n3:cpu,cpuacct:/docker/c\n", root_.string()), 2500U);
}

TEST_F(Tree, NoLimitIsNone) {
  write("cpu.max", "max 100000");
  write("memory.max", "max");
  for (const char* text : {"0::/\n", "0::/a/b\n", "", "nonsense\n", "0::/../../elsewhere\n"}) {
    EXPECT_FALSE(limits(text).cpus) << text;
    EXPECT_FALSE(limits(text).memory_bytes) << text;
  }
}

TEST_F(Tree, APathThatLeadsOutSaysWhatIsMountedHere) {
  write("memory.max", "1048576");
  EXPECT_EQ(limits("0::/../pod2\n").memory_bytes, 1048576);
}

}  // namespace
}  // namespace plumbline::machine
