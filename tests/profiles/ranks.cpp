// Profiles of ranks merged into one: what is exact, and who waits for whom.
#include <algorithm>
#include <cmath>

#include "profiles/analysis/analyse.hpp"
#include "profiles/diff/collectives.hpp"
#include "profiles/diff/diff.hpp"
#include "profiles/ranks/merge.hpp"
#include "profiles/ranks/rows.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)";
constexpr std::uint64_t kMiB = 1U << 20U;

struct Maker {
  Capture capture;
  std::int64_t now = 0;
  std::int64_t device = 0;

  std::uint32_t kernel(const std::string& name, std::int64_t length) {
    capture.ops.times.add(now, length);
    now += length;
    capture.ops.name.push_back(capture.names.id(name));
    capture.ops.queue.push_back(static_cast<std::uint16_t>(capture.queues.id({1, device, 1, 7})));
    capture.ops.kind.push_back(OpKind::kernel);
    capture.ops.detail.push_back(kNone);
    capture.ops.launch.push_back(kNone);
    return static_cast<std::uint32_t>(capture.ops.size() - 1);
  }
  void collective(std::int64_t length, std::int64_t sequence, std::uint64_t bytes = kMiB, const std::string& group = "dp",
                  const std::string& type = "allreduce") {
    capture.collectives.push_back({kNone, type, "Float", group, bytes, 3, sequence});
    capture.collectives.back().op = kernel(kAllReduce, length);
  }
  Profile profile() {
    ReadOptions options;
    options.collective_instances = true;
    return *analyse(std::move(capture), options);
  }
};

// Rank 1 computes 40 longer each time: the others wait for it in the collective, which itself takes 20.
Profile straggler_rank(int rank, int straggler = 1) {
  Maker made;
  for (int i = 0; i < 5; ++i) {
    made.kernel("gemm", rank == straggler ? 140 : 100);
    made.collective(rank == straggler ? 20 : 60 + rank, i);
  }
  made.capture.info.context["hardware.driver"] = "555";
  made.capture.info.context["environment.host"] = "node" + std::to_string(rank);
  made.capture.gpus[0].name = "H100";
  return made.profile();
}

// More shapes than are looked through one by one.
TEST(Ranks, ShapesOfAKernelAddUpHoweverManyThereAre) {
  const auto rank = [](int first) {
    NamedAggregate row;
    row.name = "gemm";
    row.aggregate.count = 1;
    for (int i = first; i < first + 1500; ++i) row.shapes.push_back({"<<<" + std::to_string(i) + ",1>>>", 1, i});
    return std::vector<NamedAggregate>{row};
  };
  MergedRows rows(Keep::all);
  rows.add(rank(0));
  rows.add(rank(800));
  std::vector<NamedAggregate> merged;
  std::int64_t total = 0;
  ASSERT_TRUE(rows.finish(merged, total));
  ASSERT_EQ(merged.size(), 1U);
  ASSERT_EQ(merged[0].shapes.size(), 2300U);
  std::int64_t sum = 0;
  for (const Share& each : merged[0].shapes) {
    const int i = std::stoi(each.name.substr(3));
    const bool both = i >= 800 && i < 1500;
    EXPECT_EQ(each.count, both ? 2U : 1U) << each.name;
    EXPECT_EQ(each.total, both ? 2 * i : i) << each.name;
    sum += each.total;
  }
  EXPECT_EQ(sum, 1500 * 1499 / 2 + 1500 * 800 + 1500 * 1499 / 2);
}

TEST(Ranks, TheOthersWaitForTheStraggler) {
  RankMerge merge;
  for (const int rank : {0, 1, 2}) merge.add(straggler_rank(rank), rank);
  const auto merged = merge.finish("folder");
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->collectives.size(), 1U);
  const core::ProfileCollectiveSide& side = merged->collectives[0].side;
  EXPECT_EQ(side.count, 15U);
  EXPECT_EQ(side.total_ns, 5 * (60 + 20 + 62));
  EXPECT_EQ(side.min_ns, 20);
  EXPECT_EQ(side.max_ns, 62);
  EXPECT_EQ(side.transfer_ns, 5 * 3 * 20);
  EXPECT_EQ(side.wait_ns, 5 * (40 + 42));
  EXPECT_EQ(side.slowest_rank, 1);
  EXPECT_EQ(side.bytes, 15 * kMiB);
  EXPECT_DOUBLE_EQ(*side.busbw, 15.0 * kMiB / (5 * 142) * (2.0 * 2 / 3));

  EXPECT_EQ(merged->info.ranks, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(merged->info.path, "folder");
  EXPECT_EQ(merged->info.kernels, 30U);
  EXPECT_EQ(merged->info.kernel_ns, 5 * (160 + 160 + 162));
  EXPECT_EQ(merged->info.span_ns, 5 * 162);
  ASSERT_EQ(merged->devices.size(), 3U);
  EXPECT_EQ(merged->devices[1].device, 1);
  EXPECT_EQ(merged->devices[1].name, "rank 1, device 0: H100");
  EXPECT_EQ(merged->devices[1].buckets.exposed_comm_ns, 100);
  EXPECT_EQ(merged->info.context.at("hardware.gpu"), "H100");
  EXPECT_EQ(merged->info.context.at("hardware.gpu_count"), "3");
  EXPECT_EQ(merged->info.context.at("hardware.driver"), "555");
  EXPECT_FALSE(merged->info.context.contains("environment.host"));
  ASSERT_TRUE(warned(merged->warnings, "ranks_disagree"));
  EXPECT_EQ(merged->warnings.back().message, "the ranks do not say the same of environment.host: left out of the context");
  EXPECT_FALSE(warned(merged->warnings, "collectives_by_order"));
}

TEST(Ranks, TheOrderInWhichTheyAreReadDoesNotMatter) {
  const auto merged = [](std::vector<int> order) {
    RankMerge merge;
    for (const int rank : order) merge.add(straggler_rank(rank, 2), rank);
    return *merge.finish("f");
  };
  const Profile a = merged({0, 1, 2});
  const Profile b = merged({2, 0, 1});
  EXPECT_EQ(b.info.ranks, a.info.ranks);
  EXPECT_EQ(b.collectives[0].side.wait_ns, a.collectives[0].side.wait_ns);
  EXPECT_EQ(b.collectives[0].side.slowest_rank, 2);
  EXPECT_EQ(b.devices[0].name, a.devices[0].name);
  for (const NamedAggregate& kernel : a.kernels) {
    const NamedAggregate* other = find(b.kernels, kernel.name);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(other->aggregate.total, kernel.aggregate.total);
    EXPECT_DOUBLE_EQ(other->aggregate.median, kernel.aggregate.median);
    EXPECT_NEAR(other->aggregate.stddev, kernel.aggregate.stddev, 1e-9);
  }
}

TEST(Ranks, MatchedByGroupAndSequenceThoughTheWindowsAreNotTheSame) {
  RankMerge merge;
  for (const int rank : {0, 1}) {
    Maker made;
    // Rank 0 saw 3..7, rank 1 saw 5..9; both also take part in a group of their own with the same numbers.
    for (int i = 0; i < 5; ++i) {
      const int sequence = (rank == 0 ? 3 : 5) + i;
      made.collective(rank == 0 ? 50 : 30, sequence);
      made.collective(1000 + rank, sequence, kMiB, "own " + std::to_string(rank));
    }
    merge.add(made.profile(), rank);
  }
  const Profile merged = *merge.finish("f");
  const auto of_group = [&merged](const std::string& name) -> const core::ProfileCollectiveSide& {
    return std::find_if(merged.collectives.begin(), merged.collectives.end(),
                        [&](const auto& each) { return each.group == name; })
        ->side;
  };
  EXPECT_EQ(of_group("dp").transfer_ns, 3 * 2 * 30) << "5, 6 and 7 were seen on both";
  EXPECT_EQ(of_group("dp").wait_ns, 3 * 20);
  EXPECT_EQ(of_group("dp").slowest_rank, 1);
  EXPECT_FALSE(of_group("own 0").transfer_ns);
}

TEST(Ranks, UnlikeAmountsAreStillOneCollective) {
  RankMerge merge;
  for (const int rank : {0, 1}) {
    Maker made;
    made.collective(rank == 0 ? 10 : 25, 1, rank == 0 ? kMiB : 4 * kMiB, "ep", "all_to_all");
    merge.add(made.profile(), rank);
  }
  const Profile merged = *merge.finish("f");
  ASSERT_EQ(merged.collectives.size(), 2U);
  EXPECT_EQ(merged.collectives[0].size_bucket, "4 MiB");
  EXPECT_EQ(merged.collectives[0].side.transfer_ns, 10);
  EXPECT_EQ(merged.collectives[0].side.wait_ns, 15);
  EXPECT_EQ(merged.collectives[1].side.transfer_ns, 10);
  EXPECT_EQ(merged.collectives[1].side.wait_ns, 0);
}

TEST(Ranks, WithoutNumbersByOrderWhenEveryRankSawAsMany) {
  const auto merged = [](int second, const std::string& kernel = kAllReduce) {
    RankMerge merge;
    for (const int rank : {0, 1}) {
      Maker made;
      for (int i = 0; i < (rank == 0 ? 3 : second); ++i) made.kernel(kernel, rank == i % 2 ? 10 : 30);
      merge.add(made.profile(), rank);
    }
    return *merge.finish("f");
  };
  const Profile even = merged(3);
  EXPECT_EQ(even.collectives[0].side.transfer_ns, 60);
  EXPECT_EQ(even.collectives[0].side.wait_ns, 60);
  EXPECT_EQ(even.collectives[0].side.slowest_rank, 0) << "twice of three times";
  EXPECT_TRUE(warned(even.warnings, "collectives_by_order"));
  const Profile uneven = merged(4);
  EXPECT_FALSE(uneven.collectives[0].side.transfer_ns);
  EXPECT_FALSE(warned(uneven.warnings, "collectives_by_order"));
  EXPECT_FALSE(merged(3, "ncclDevKernel_SendRecv(ncclDevComm*)").collectives[0].side.transfer_ns);
}

TEST(Ranks, EquallyOftenLastNamesNobody) {
  RankMerge merge;
  for (const int rank : {0, 1}) {
    Maker made;
    for (int i = 0; i < 4; ++i) made.collective(i % 2 == rank ? 10 : 20, i);
    made.collective(15, 4);  // a tie
    merge.add(made.profile(), rank);
  }
  const Profile merged = *merge.finish("f");
  EXPECT_EQ(merged.collectives[0].side.wait_ns, 40);
  EXPECT_FALSE(merged.collectives[0].side.slowest_rank);
}

TEST(Ranks, SpreadIsThatOfAllEventsTogether) {
  std::vector<double> all;
  RankMerge merge;
  for (const int rank : {0, 1, 2}) {
    Maker made;
    for (int i = 0; i < 4 + rank; ++i) {
      const std::int64_t length = 100 + 37 * rank + (i * i * 13) % 71;
      made.kernel("gemm", length);
      all.push_back(static_cast<double>(length));
    }
    merge.add(made.profile(), rank);
  }
  double mean = 0;
  for (const double value : all) mean += value / static_cast<double>(all.size());
  double squares = 0;
  for (const double value : all) squares += (value - mean) * (value - mean);
  const Profile merged = *merge.finish("f");
  const Aggregate& gemm = find(merged.kernels, "gemm")->aggregate;
  EXPECT_EQ(gemm.count, 15U);
  EXPECT_EQ(gemm.min, 100);
  EXPECT_EQ(gemm.max, static_cast<std::int64_t>(*std::max_element(all.begin(), all.end())));
  EXPECT_NEAR(gemm.stddev, std::sqrt(squares / 14), 1e-9);
  EXPECT_TRUE(warned(merged.warnings, "merged_medians"));
}

TEST(Ranks, WeightedMedian) {
  EXPECT_EQ(weighted_median({}), 0);
  EXPECT_EQ(weighted_median({{5, 1}}), 5);
  EXPECT_EQ(weighted_median({{1, 1}, {9, 1}}), 5);
  EXPECT_EQ(weighted_median({{9, 1}, {1, 3}}), 1);
  EXPECT_EQ(weighted_median({{1, 2}, {5, 0}, {9, 2}}), 5);
  EXPECT_EQ(weighted_median({{1, 1}, {2, 1}, {3, 1}}), 2);
}

TEST(Ranks, AStepIsThatOfTheRankThatTookLongestForIt) {
  const auto merged = [](std::vector<std::vector<std::int64_t>> walls) {
    RankMerge merge;
    for (std::size_t rank = 0; rank < walls.size(); ++rank) {
      Profile profile = straggler_rank(static_cast<int>(rank));
      profile.steps = {};
      profile.steps.basis = "marker";
      for (const std::int64_t wall : walls[rank]) {
        Step step;
        step.wall_ns = wall;
        step.kernels = rank;
        profile.steps.steps.push_back(step);
      }
      merge.add(std::move(profile), static_cast<std::int64_t>(rank));
    }
    return *merge.finish("f");
  };
  const auto walls = [](const Profile& profile) {
    std::vector<std::int64_t> result;
    for (const Step& step : profile.steps.steps) result.push_back(step.wall_ns);
    return result;
  };
  const Profile same = merged({{10, 20, 30}, {11, 19, 31}});
  EXPECT_EQ(walls(same), (std::vector<std::int64_t>{11, 20, 31}));
  EXPECT_EQ(same.steps.steps[1].kernels, 0U);
  EXPECT_FALSE(warned(same.warnings, "steps_not_matched"));
  const Profile other = merged({{10, 20, 30}, {50, 60}, {1, 2, 3}});
  EXPECT_EQ(walls(other), (std::vector<std::int64_t>{50, 60}));
  EXPECT_TRUE(warned(other.warnings, "steps_not_matched"));
}

TEST(Ranks, SeveralDevicesOfARankStayApart) {
  RankMerge merge;
  for (const int rank : {0, 1}) {
    Maker made;
    for (const int device : {0, 1}) {
      made.device = device;
      made.kernel("gemm", 10 + device);
    }
    merge.add(made.profile(), rank);
  }
  const Profile merged = *merge.finish("f");
  std::vector<std::int64_t> devices;
  for (const DeviceWall& device : merged.devices) devices.push_back(device.device);
  EXPECT_EQ(devices, (std::vector<std::int64_t>{0, 1, 1000, 1001}));
  EXPECT_EQ(merged.devices[3].name, "rank 1, device 1");
}

TEST(Ranks, RangesAddUpByPath) {
  MergedRanges ranges;
  const std::vector<RangeNode> one = {{"step #", kNone, "nvtx", 3, 3, 100, 60, 10}, {"forward", 0, "nvtx", 3, 2, 50, 50, 50}};
  const std::vector<RangeNode> two = {{"init", kNone, "nvtx", 1, 0, 7, 0, 0},
                                      {"step #", kNone, "nvtx", 2, 4, 90, 80, 0},
                                      {"backward", 1, "nvtx", 2, 4, 40, 80, 80}};
  ranges.add(one);
  ranges.add(two);
  const auto nodes = ranges.finish();
  std::vector<std::string> texts;
  for (const RangeNode& node : nodes) {
    texts.push_back(node.name + " " + std::to_string(static_cast<std::int32_t>(node.parent)) + " " + std::to_string(node.count) +
                    " " + std::to_string(node.kernels) + " " + std::to_string(node.host_ns) + " " + std::to_string(node.gpu_ns) +
                    " " + std::to_string(node.self_gpu_ns));
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"step # -1 5 7 190 140 10", "backward 0 2 4 40 80 80", "forward 0 3 2 50 50 50",
                                             "init -1 1 0 7 0 0"}));
}

TEST(Ranks, RangesBeyondTheBoundAreFoldedAndStillSum) {
  MergedRanges ranges;
  std::int64_t total = 0;
  for (int rank = 0; rank < 3; ++rank) {
    std::vector<RangeNode> tree;
    for (std::uint32_t i = 0; i < 9000; ++i) {
      const std::string name = std::to_string(rank) + "." + std::to_string(i);
      const auto root = static_cast<std::uint32_t>(tree.size());
      tree.push_back({name, kNone, "op", 1, 1, 5, 3, 1});
      tree.push_back({"inner", root, "op", 1, 1, 5, 2, 2});
      total += 3;
    }
    ranges.add(tree);
  }
  const auto nodes = ranges.finish();
  EXPECT_LE(nodes.size(), 20000U);
  std::int64_t roots = 0;
  std::int64_t selves = 0;
  for (const RangeNode& node : nodes) {
    if (node.parent == kNone) roots += node.gpu_ns;
    selves += node.self_gpu_ns;
  }
  EXPECT_EQ(roots, total);
  EXPECT_EQ(selves, total);
  EXPECT_EQ(nodes.back().name, "…");
}

TEST(Ranks, SwappingTheSidesNegates) {
  const auto side = [](int straggler) {
    RankMerge merge;
    for (const int rank : {0, 1, 2}) merge.add(straggler_rank(rank, straggler), rank);
    return *merge.finish("f");
  };
  const Profile a = side(1);
  const Profile b = side(2);
  const auto forth = diff(a, b, {}).diff;
  const auto back = diff(b, a, {}).diff;
  ASSERT_EQ(forth.kernels.size(), back.kernels.size());
  for (std::size_t i = 0; i < forth.kernels.size(); ++i) {
    EXPECT_EQ(forth.kernels[i].delta_ns, -back.kernels[i].delta_ns);
    EXPECT_EQ(forth.kernels[i].count_effect_ns, -back.kernels[i].count_effect_ns);
  }
  const auto rows = compare_collectives(a.collectives, b.collectives);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].baseline->slowest_rank, 1);
  EXPECT_EQ(rows[0].candidate->slowest_rank, 2);
  EXPECT_EQ(rows[0].delta_ns, -compare_collectives(b.collectives, a.collectives)[0].delta_ns);
}

TEST(Ranks, ImplausibleTimesAreRefusedTogetherToo) {
  RankMerge merge;
  for (const int rank : {0, 1, 2}) {
    Maker made;
    made.kernel("gemm", (std::int64_t{1} << 60) + (std::int64_t{1} << 59));
    merge.add(made.profile(), rank);
  }
  const auto merged = merge.finish("f");
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().message, "the times of the ranks add up to more than 73 years: at least one capture is damaged");
}

}  // namespace
}  // namespace plumbline::profiles::test
