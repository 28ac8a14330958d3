// Kernels and the ranges that launched them, beside a plain way of finding the innermost range for each launch by looking at all.
#include "profiles/analysis/ranges.hpp"

#include <map>
#include <random>

#include "profiles/analysis/order.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

struct Maker {
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
    return attribute_ranges(capture);
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
  Maker made;
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
  Maker made;
  made.range("forward", 0, 100, 1);
  made.range("forward", 50, 150, 2);
  made.kernel("a", 60, 1, 1);
  made.kernel("a", 120, 2, 1);  // thread 1 has left, thread 2 does not count
  made.kernel("a", 120, 4, 2);
  EXPECT_EQ(lines(made.attribute().nodes), (std::vector<std::string>{"forward 2 2 200 5 5", "(outside any range) 0 1 0 2 2"}));
}

TEST(Ranges, NothingWithoutRanges) {
  Maker made;
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
    Maker made;
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
  Maker made;
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
  add_ranges(made.capture, profile);
  ASSERT_EQ(profile.warnings.size(), 1U);
  EXPECT_EQ(profile.warnings[0].code.text(), "ranges_folded");
  EXPECT_EQ(profile.warnings[0].message,
            "20001 paths of ranges with the least kernel time were put together under \"…\": a tree has at most 20000 nodes");
}

TEST(Ranges, NestedBeyondTheBoundCountsWithTheRangeAround) {
  Maker made;
  for (int i = 0; i < 100; ++i) made.range("a", i, 1000 - i);
  made.kernel("k", 500, 8);
  Profile profile;
  const RangeAttribution found = made.attribute();
  ASSERT_EQ(found.nodes.size(), kMaxRangeDepth);
  EXPECT_EQ(found.nodes.front().gpu_ns, 8);
  EXPECT_EQ(found.nodes.back().self_gpu_ns, 8);
  add_ranges(made.capture, profile);
  ASSERT_EQ(profile.warnings.size(), 1U);
  EXPECT_EQ(profile.warnings[0].message,
            "36 ranges are nested deeper than 64 or of a path beyond the first 1048576, and counted with the range around");
}

TEST(Ranges, HostTimesOfADamagedCaptureStopAtTheirBound) {
  Maker made;
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  made.range("a", 0, kHuge);
  made.range("a", 1, kHuge, 2);
  made.range("a", 2, kHuge, 3);
  EXPECT_EQ(made.attribute().nodes[0].host_ns, std::int64_t{1} << 61);
}

}  // namespace
}  // namespace plumbline::profiles::test
