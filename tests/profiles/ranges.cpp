// Kernels and the ranges that launched them, beside a plain way of finding the innermost range for each launch by looking at all.
#include "profiles/analysis/ranges.hpp"

#include <map>
#include <random>

#include "profiles/analysis/order.hpp"
#include "tests/profiles/capture_maker.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

struct Launcher {
  Capture capture;
  std::uint32_t calls = 0;

  void range(const std::string& name, std::int64_t start, std::int64_t end, int thread = 0, RangeKind kind = RangeKind::nvtx) {
    capture.ranges.times.add(start, end - start);
    capture.ranges.name.push_back(capture.names.id(name));
    capture.ranges.thread.push_back(static_cast<std::uint16_t>(capture.threads.id({1, thread})));
    capture.ranges.kind.push_back(kind);
  }
  // A kernel of `length` launched at `at` on a thread; its own time does not matter here.
  void kernel(const std::string& name, std::int64_t at, std::int64_t length, int thread = 0, OpKind kind = OpKind::kernel) {
    capture.calls.times.add(at, 1);
    capture.calls.name.push_back(capture.names.id("cudaLaunchKernel"));
    capture.calls.thread.push_back(static_cast<std::uint16_t>(capture.threads.id({1, thread})));
    capture.calls.correlation.push_back(++calls);
    lone_kernel(name, at, length, calls, kind);
  }
  void lone_kernel(const std::string& name, std::int64_t at, std::int64_t length, std::uint32_t launch = kNone,
                   OpKind kind = OpKind::kernel) {
    capture.ops.times.add(at + 1000, length);
    capture.ops.name.push_back(capture.names.id(name));
    capture.ops.queue.push_back(static_cast<std::uint16_t>(capture.queues.id({1, 0, 1, 7})));
    capture.ops.kind.push_back(kind);
    capture.ops.detail.push_back(kNone);
    capture.ops.launch.push_back(launch);
  }
  RangeAttribution attribute() {
    sort_by_start(capture);
    join_launches(capture);
    return RangeTree(capture).take();
  }
};

// "name count kernels host gpu self", indented by depth.
std::vector<std::string> lines(const std::vector<RangeNode>& nodes) {
  std::vector<std::string> result;
  std::vector<std::size_t> depth;
  for (const RangeNode& node : nodes) {
    depth.push_back(node.parent == kNone ? 0 : depth[node.parent] + 1);
    result.push_back(std::string(2 * depth.back(), ' ') + node.name + " " + std::to_string(node.count) + " " +
                     std::to_string(node.kernels) + " " + std::to_string(node.host_ns) + " " + std::to_string(node.gpu_ns) + " " +
                     std::to_string(node.self_gpu_ns));
  }
  return result;
}

TEST(Ranges, KernelsBelongToTheInnermostRangeAroundTheirLaunch) {
  Launcher made;
  for (const std::int64_t at : {0, 1000}) {
    made.range("step " + std::to_string(at / 1000), at, at + 900);
    made.range("forward", at, at + 400);  // begins with its step
    made.range("backward", at + 400, at + 800);
    made.kernel("gemm", at + 399, 10);
    made.kernel("gemm", at + 400, 20);  // backward has begun, forward has ended
    made.kernel("adam", at + 850, 5);
    made.kernel("copy", at + 10, 99, 0, OpKind::copy);  // no kernel
  }
  made.kernel("warm", 950, 7);
  made.lone_kernel("lost", 0, 3);
  const RangeAttribution found = made.attribute();
  EXPECT_EQ(lines(found.nodes), (std::vector<std::string>{
                                    "step # 2 2 1800 70 10",
                                    "  backward 2 2 800 40 40",
                                    "  forward 2 2 800 20 20",
                                    "(outside any range) 0 2 0 10 10",
                                }));
  EXPECT_EQ(found.nodes[1].kind, "nvtx");
  const std::vector<Share>& parents = found.parents[made.capture.names.id("gemm")];
  ASSERT_EQ(parents.size(), 2U);
  EXPECT_EQ(parents[0].name, "backward");
  EXPECT_EQ(parents[0].total, 40);
  EXPECT_EQ(parents[1].name, "forward");
  EXPECT_EQ(parents[1].count, 2U);
}

TEST(Ranges, ThreadsDoNotMixAndAreMerged) {
  Launcher made;
  made.range("forward", 0, 100, 1);
  made.range("forward", 50, 150, 2);
  made.kernel("a", 60, 1, 1);
  made.kernel("a", 120, 2, 1);  // thread 1 has left, thread 2 does not count
  made.kernel("a", 120, 4, 2);
  EXPECT_EQ(lines(made.attribute().nodes), (std::vector<std::string>{"forward 2 2 200 5 5", "(outside any range) 0 1 0 2 2"}));
}

TEST(Ranges, NothingWithoutRanges) {
  Launcher made;
  made.kernel("a", 1, 1);
  const RangeAttribution found = made.attribute();
  EXPECT_TRUE(found.nodes.empty());
  EXPECT_TRUE(found.parents.empty());
}

struct Path {
  std::uint64_t count = 0, kernels = 0;
  std::int64_t host = 0, gpu = 0, self = 0;
  bool operator==(const Path&) const = default;
};

TEST(Ranges, AgreeWithLookingAtAllRangesHoweverTheyOverlap) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 400; ++round) {
    struct Span {
      std::string name;
      std::int64_t start, end;
      int thread;
    };
    std::vector<Span> spans;
    Launcher made;
    const auto draw = [&random](std::int64_t below) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
    };
    for (int i = 0; i < 25; ++i) {
      const std::int64_t start = draw(60);
      spans.push_back({std::string(1, static_cast<char>('a' + draw(4))), start, start + draw(30), static_cast<int>(draw(2))});
    }
    // The outer of two that begin together is the longer one; of equals, the first.
    std::stable_sort(spans.begin(), spans.end(),
                     [](const Span& a, const Span& b) { return a.start != b.start ? a.start < b.start : a.end > b.end; });
    std::vector<Span> shuffled = spans;
    if (round % 2 == 0) {
      std::stable_sort(shuffled.begin(), shuffled.end(), [](const Span& a, const Span& b) { return a.thread < b.thread; });
    }
    for (const Span& span : shuffled) made.range(span.name, span.start, span.end, span.thread);

    const auto innermost = [&spans](std::size_t before, std::int64_t at, int thread) {
      std::size_t found = spans.size();
      for (std::size_t i = 0; i < before; ++i) {
        if (spans[i].thread == thread && spans[i].start <= at && at < spans[i].end) found = i;
      }
      return found;
    };
    std::map<std::string, Path> expected;
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const std::size_t above = innermost(i, spans[i].start, spans[i].thread);
      paths.push_back((above == spans.size() ? std::string() : paths[above]) + "/" + spans[i].name);
      ++expected[paths.back()].count;
      expected[paths.back()].host += spans[i].end - spans[i].start;
    }
    for (int i = 0; i < 20; ++i) {
      const std::int64_t at = draw(95);
      const int thread = static_cast<int>(draw(2));
      const std::int64_t length = 1 + draw(9);
      made.kernel("k" + std::to_string(i % 3), at, length, thread);
      const std::size_t found = innermost(spans.size(), at, thread);
      std::string path = found == spans.size() ? std::string("/") + std::string(kNoRange) : paths[found];
      ++expected[path].kernels;
      expected[path].self += length;
      for (; !path.empty(); path.resize(path.rfind('/'))) expected[path].gpu += length;
    }
    std::map<std::string, Path> found;
    std::vector<std::string> at;
    for (const RangeNode& node : made.attribute().nodes) {
      at.push_back((node.parent == kNone ? std::string() : at[node.parent]) + "/" + node.name);
      found[at.back()] = {node.count, node.kernels, node.host_ns, node.gpu_ns, node.self_gpu_ns};
    }
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

TEST(Ranges, ATreeBeyondTheBoundKeepsWhatTakesMostAndLosesNothing) {
  Launcher made;
  std::int64_t total = 0;
  std::int64_t now = 0;
  const auto letters = [](int i) {  // names without running numbers
    std::string name = "r";
    for (; i > 0; i /= 26) name += static_cast<char>('a' + i % 26);
    return name;
  };
  for (int i = 0; i < 15000; ++i, now += 100) {
    made.range(letters(i), now, now + 90);
    made.range("inner", now + 10, now + 20);
    made.kernel("k", now + 15, i + 1);
    total += i + 1;
  }
  const RangeAttribution found = made.attribute();
  EXPECT_LE(found.nodes.size(), kMaxRangeNodes);
  EXPECT_EQ(found.folded_paths, 30000 - (kMaxRangeNodes / 2 - 1));
  std::int64_t roots = 0;
  std::int64_t selves = 0;
  std::uint64_t counts = 0;
  for (const RangeNode& node : found.nodes) {
    if (node.parent == kNone) roots += node.gpu_ns;
    selves += node.self_gpu_ns;
    counts += node.count;
  }
  EXPECT_EQ(roots, total);
  EXPECT_EQ(selves, total);
  EXPECT_EQ(counts, 30000U);
  EXPECT_EQ(found.nodes[0].gpu_ns, 15000);
  EXPECT_EQ(found.nodes.back().name, kFoldedRange);
  Profile profile;
  add_ranges(made.capture, RangeTree(made.capture).take(), profile);
  ASSERT_EQ(profile.warnings.size(), 1U);
  EXPECT_EQ(profile.warnings[0].code.text(), "ranges_folded");
  EXPECT_EQ(profile.warnings[0].message,
            "20001 paths of ranges with the least kernel time were put together under \"…\": a tree has at most 20000 nodes");
}

TEST(Ranges, NestedBeyondTheBoundCountsWithTheRangeAround) {
  Launcher made;
  for (int i = 0; i < 100; ++i) made.range("a", i, 1000 - i);
  made.kernel("k", 500, 8);
  Profile profile;
  const RangeAttribution found = made.attribute();
  ASSERT_EQ(found.nodes.size(), kMaxRangeDepth);
  EXPECT_EQ(found.nodes.front().gpu_ns, 8);
  EXPECT_EQ(found.nodes.back().self_gpu_ns, 8);
  add_ranges(made.capture, RangeTree(made.capture).take(), profile);
  ASSERT_EQ(profile.warnings.size(), 1U);
  EXPECT_EQ(profile.warnings[0].message,
            "36 ranges are nested deeper than 64 or of a path beyond the first 1048576, and counted with the range around");
}

// "name wall self idle selfidle", indented by depth.
std::vector<std::string> walls(const std::vector<RangeNode>& nodes) {
  std::vector<std::string> result;
  std::vector<std::size_t> depth;
  for (const RangeNode& node : nodes) {
    depth.push_back(node.parent == kNone ? 0 : depth[node.parent] + 1);
    result.push_back(std::string(2 * depth.back(), ' ') + node.name + " " + std::to_string(node.wall_ns) + " " +
                     std::to_string(node.self_wall_ns) + " " + std::to_string(node.idle_ns) + " " +
                     std::to_string(node.self_idle_ns));
  }
  return result;
}

TEST(Ranges, HaveTheExclusiveTimeOfWhatTheyLaunchedAndTheGapsBeforeIt) {
  Maker maker;
  maker.range("step 1", 0, 1000);
  maker.range("forward", 10, 400);
  maker.range("backward", 400, 900);
  maker.launched("gemm", 20, 100, 200);
  maker.launched("gemm", 30, 250, 300);             // 50 idle before it
  maker.launched("beside", 410, 280, 350, {0, 9});  // begins under the other: 50 are its own
  maker.launched("adam", 950, 1000, 1100);          // 650 idle, in step itself
  maker.launched("late", 2000, 2100, 2200);         // 1000 idle, outside any range
  const Swept result = swept(maker);
  const std::vector<RangeNode> nodes = RangeTree(maker.capture).take(result.timeline.nodes).nodes;
  EXPECT_EQ(walls(nodes), (std::vector<std::string>{
                              "step # 1000 750 700 650",
                              "  forward 200 200 50 50",
                              "  backward 50 50 0 0",
                              "(outside any range) 1100 1100 1000 1000",
                          }));
}

TEST(Ranges, OfALongGapHaveWhatTheirThreadWasInBeforeTheLaunch) {
  constexpr std::int64_t kMs = 1'000'000;
  Maker maker;
  maker.range("step", 0, 10 * kMs);
  maker.range("load", kMs, 4 * kMs);
  maker.range("decode", 2 * kMs, 3 * kMs);
  maker.range("forward", 5 * kMs, 6 * kMs);
  maker.range("beside", 0, 9 * kMs, 2);  // another thread's
  maker.launched("a", 0, 10, kMs / 2);
  maker.launched("b", 5'500'000, 6 * kMs, 7 * kMs);
  Swept result = swept(maker);
  RangeTree tree(maker.capture);
  tree.place_gaps(result.timeline.gaps, result.timeline.nodes);
  EXPECT_EQ(walls(tree.take(result.timeline.nodes).nodes), (std::vector<std::string>{
                                                               "step 6999990 1999990 5500000 1500000",
                                                               "  forward 2000000 2000000 1000000 1000000",
                                                               "  load 3000000 2000000 3000000 2000000",
                                                               "    decode 1000000 1000000 1000000 1000000",
                                                               "beside 0 0 0 0",
                                                           }))
      << "step: .5 to 1 and 4 to 5; forward: 5 to 5.5, and .5 from the launch on";
}

TEST(Ranges, WallsSumToTheSpansHoweverTheyOverlap) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto upto = [&random](std::int64_t most) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    Maker maker;
    const char* const kernels[] = {"gemm", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "norm"};
    for (int i = 0; i < 50; ++i) {
      const std::int64_t called = upto(2'000'000);  // many of the gaps are long ones
      maker.launched(kernels[random() % 3], called, called + upto(30'000), called + 30'000 + upto(30'000), {upto(2), 7 + upto(3)},
                     1 + upto(2));
      if (random() % 2 == 0) {
        const std::int64_t at = upto(2'000'000);
        maker.range(std::string(1, static_cast<char>('a' + upto(4))), at, at + upto(400'000), 1 + upto(2));
      }
      if (random() % 5 == 0) maker.op("[CUDA memcpy Host-to-Device]", called, called + upto(40'000), {upto(2), 9}, OpKind::copy);
    }
    Swept result = swept(maker);
    RangeTree tree(maker.capture);
    if (seed % 2 == 0) tree.place_gaps(result.timeline.gaps, result.timeline.nodes);
    std::int64_t spans = 0, idle = 0, roots = 0, selves = 0, gaps = 0;
    for (const DeviceWall& device : result.timeline.devices) {
      spans += device.buckets.span_ns;
      idle += device.buckets.idle_ns;
    }
    for (const RangeNode& node : tree.take(result.timeline.nodes).nodes) {
      if (node.parent == kNone) roots += node.wall_ns;
      selves += node.self_wall_ns;
      gaps += node.self_idle_ns;
      EXPECT_LE(node.self_wall_ns, node.wall_ns);
      EXPECT_LE(node.idle_ns, node.wall_ns);
    }
    EXPECT_EQ(roots, spans) << seed;
    EXPECT_EQ(selves, spans) << seed;
    EXPECT_EQ(gaps, idle) << seed;
  }
}

TEST(Ranges, ScopesOfACompilerAreLevelsOfTheTree) {
  Maker maker;
  const auto scoped = [&maker](const char* scope, std::int64_t start, std::int64_t length) {
    maker.op("fusion", start, start + length, {});
    maker.capture.ops.set_scope(maker.capture.names.id(scope));
  };
  maker.op("first", 0, 5, {});  // before any scope is known
  scoped("jit(step)/Dense_0/dot_general", 10, 20);
  scoped("jit(step)/Dense_1/dot_general", 30, 40);
  scoped("jit(step)/add", 70, 1);
  EXPECT_EQ(lines((maker.sort(), RangeTree(maker.capture).take().nodes)), (std::vector<std::string>{
                                                                              "jit(step) 0 0 0 61 0",
                                                                              "  Dense_# 0 0 0 60 0",
                                                                              "    dot_general 0 2 0 60 60",
                                                                              "  add 0 1 0 1 1",
                                                                              "(outside any range) 0 1 0 5 5",
                                                                          }));
}

TEST(Ranges, OnTheDevicesOwnTimelineHoldWhatNoRangeOfTheHostLaunched) {
  Maker maker;
  maker.range("step 1", 0, 100, 3, 0, RangeKind::gpu);  // thread 3 of "process" 0: stream 3 of device 0
  maker.range("step 2", 100, 200, 3, 0, RangeKind::gpu);
  maker.op("a", 10, 20, {});
  maker.op("b", 150, 190, {});
  maker.op("b", 250, 260, {});
  EXPECT_EQ(lines((maker.sort(), RangeTree(maker.capture).take().nodes)),
            (std::vector<std::string>{"step # 2 2 200 50 50", "(outside any range) 0 1 0 10 10"}));
}

TEST(Ranges, FunctionsOfPythonAreLevelsOnlyWhereNoModuleIs) {
  for (const bool modules : {false, true}) {
    Maker maker;
    maker.range("train.py(12): step", 0, 100, 1, 1, RangeKind::frame);
    if (modules) maker.range("nn.Module: Linear_3", 10, 90, 1, 1, RangeKind::module);
    maker.range("aten::mm", 20, 80, 1, 1, RangeKind::op);
    maker.launched("gemm", 30, 40, 50);
    maker.sort();
    const std::vector<RangeNode> nodes = RangeTree(maker.capture).take().nodes;
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].name, modules ? "nn.Module: Linear_#" : "train.py(#): step");
    EXPECT_EQ(nodes[0].kind, modules ? "module" : "frame");
    EXPECT_EQ(nodes[1].name, "aten::mm");
  }
}

TEST(Ranges, HostTimesOfADamagedCaptureStopAtTheirBound) {
  Launcher made;
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  made.range("a", 0, kHuge);
  made.range("a", 1, kHuge, 2);
  made.range("a", 2, kHuge, 3);
  EXPECT_EQ(made.attribute().nodes[0].host_ns, std::int64_t{1} << 61);
}

}  // namespace
}  // namespace plumbline::profiles::test
