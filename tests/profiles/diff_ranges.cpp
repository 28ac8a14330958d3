// Two trees of ranges laid over each other: every path once, differences exact, and the subtree that did it.
#include <random>

#include "profiles/diff/ranges.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

RangeNode node(const std::string& name, std::uint32_t parent, std::int64_t gpu, std::int64_t self, std::int64_t host = 0) {
  return {name, parent, "nvtx", 1, 1, host, gpu, self};
}

const std::vector<RangeNode> kBefore = {node("step #", 0xFFFFFFFF, 100, 0, 500),
                                        node("forward", 0, 40, 10),
                                        node("attention", 1, 20, 20),
                                        node("mlp", 1, 10, 10),
                                        node("backward", 0, 60, 60),
                                        node("eval", 0xFFFFFFFF, 5, 5)};
const std::vector<RangeNode> kAfter = {node("step #", 0xFFFFFFFF, 112, 0, 480),
                                       node("forward", 0, 51, 11),
                                       node("attention", 1, 31, 31),
                                       node("mlp", 1, 9, 9),
                                       node("backward", 0, 61, 61),
                                       node("save", 0xFFFFFFFF, 4, 4)};

TEST(DiffRanges, EveryPathOfEitherSide) {
  const auto rows = compare_range_trees(kBefore, kAfter);
  std::vector<std::string> texts;
  for (const core::ProfileRange& row : rows) {
    texts.push_back(row.path + " " + std::to_string(row.depth) + " " + (row.baseline ? "b" : "-") + (row.candidate ? "c" : "-") +
                    " " + std::to_string(row.delta_gpu_ns) + " " + std::to_string(row.delta_host_ns));
  }
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "step # 0 bc 12 -20",
                       "step # / forward 1 bc 11 0",
                       "step # / forward / attention 2 bc 11 0",
                       "step # / forward / mlp 2 bc -1 0",
                       "step # / backward 1 bc 1 0",
                       "eval 0 b- -5 0",
                       "save 0 -c 4 0",
                   }));
  EXPECT_EQ(rows[2].name, "attention");
  EXPECT_EQ(rows[2].candidate->self_gpu_ns, 31);
}

TEST(DiffRanges, TheSmallestSubtreeThatHoldsFourFifths) {
  // Growth: 12 in the step, 4 in save; eval's 5 less went the other way.
  const auto grown = most_changed_subtree(compare_range_trees(kBefore, kAfter));
  EXPECT_FALSE(grown) << "no root holds 80 % of 16";
  std::vector<RangeNode> before = kBefore;
  std::vector<RangeNode> after = kAfter;
  before.pop_back();
  after.pop_back();
  const auto found = most_changed_subtree(compare_range_trees(before, after));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "step # / forward / attention");
  EXPECT_EQ(found->delta_gpu_ns, 11);
  EXPECT_EQ(found->total_delta_gpu_ns, 12);
  EXPECT_DOUBLE_EQ(found->share_pct, 100.0 * 11 / 12);
  const auto back = most_changed_subtree(compare_range_trees(after, before));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->path, found->path);
  EXPECT_EQ(back->delta_gpu_ns, -11);
  EXPECT_EQ(back->share_pct, found->share_pct);
  EXPECT_FALSE(most_changed_subtree(compare_range_trees(before, before)));
  EXPECT_FALSE(most_changed_subtree({}));
}

TEST(DiffRanges, WhereSiblingsCancelOutTheirParentIsTheAnswer) {
  const std::vector<RangeNode> before = {node("step #", 0xFFFFFFFF, 100, 0), node("mul", 0, 30, 30), node("linear", 0, 40, 40),
                                         node("copy", 0, 30, 30)};
  const std::vector<RangeNode> after = {node("step #", 0xFFFFFFFF, 78, 0), node("mul", 0, 9, 9), node("linear", 0, 59, 59),
                                        node("copy", 0, 10, 10)};
  const auto found = most_changed_subtree(compare_range_trees(before, after));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "step #") << "mul's -21 of -22 is half of what fell";
  EXPECT_EQ(found->share_pct, 100);
}

TEST(DiffRanges, WhatARangeLaunchesItselfIsNoChilds) {
  const std::vector<RangeNode> before = {node("step #", 0xFFFFFFFF, 100, 50), node("mul", 0, 50, 50)};
  const std::vector<RangeNode> after = {node("step #", 0xFFFFFFFF, 120, 60), node("mul", 0, 60, 60)};
  const auto found = most_changed_subtree(compare_range_trees(before, after));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "step #");
}

TEST(DiffRanges, SwappingTheSidesNegatesAndKeepsTheOrder) {
  std::mt19937_64 random(5);
  const auto draw = [&random] {
    std::vector<RangeNode> tree;
    for (std::uint32_t i = 0; i < 40; ++i) {
      const std::uint32_t parent = i == 0 || random() % 5 == 0 ? 0xFFFFFFFF : static_cast<std::uint32_t>(random() % i);
      const auto time = static_cast<std::int64_t>(random() % 1000);
      tree.push_back(node(std::string(1, static_cast<char>('a' + random() % 6)), parent, time, time, time % 7));
    }
    return tree;
  };
  for (int round = 0; round < 100; ++round) {
    const auto a = draw();
    const auto b = draw();
    const auto forth = compare_range_trees(a, b);
    const auto back = compare_range_trees(b, a);
    ASSERT_EQ(forth.size(), back.size());
    std::int64_t self = 0;
    for (std::size_t i = 0; i < forth.size(); ++i) {
      EXPECT_EQ(forth[i].path, back[i].path);
      EXPECT_EQ(forth[i].delta_gpu_ns, -back[i].delta_gpu_ns);
      EXPECT_EQ(forth[i].delta_host_ns, -back[i].delta_host_ns);
      self +=
          (forth[i].candidate ? forth[i].candidate->self_gpu_ns : 0) - (forth[i].baseline ? forth[i].baseline->self_gpu_ns : 0);
    }
    for (const RangeNode& each : a) self += each.self_gpu_ns;
    for (const RangeNode& each : b) self -= each.self_gpu_ns;
    EXPECT_EQ(self, 0);
  }
}

// A node by its own part of the wall; children's come on top.
struct Walls {
  std::vector<RangeNode> nodes;
  Walls& add(const std::string& name, std::uint32_t parent, std::int64_t self, std::int64_t idle = 0) {
    nodes.push_back({name, parent, "nvtx", 1, 1, 0, self, self, 0, self, 0, idle});
    for (std::uint32_t at = static_cast<std::uint32_t>(nodes.size() - 1);; at = nodes[at].parent) {
      nodes[at].wall_ns += self;
      nodes[at].idle_ns += idle;
      if (nodes[at].parent == 0xFFFFFFFF) return *this;
    }
  }
};
constexpr std::uint32_t kTop = 0xFFFFFFFF;

std::vector<std::string> explaining(const std::vector<RangeNode>& before, const std::vector<RangeNode>& after, double scale = 1) {
  auto rows = compare_range_trees(before, after, scale);
  explain_wall(rows, scale);
  std::vector<std::string> paths;
  for (const core::ProfileRange& row : rows) {
    if (row.explains) paths.push_back(row.path + " " + std::to_string(row.delta_wall_ns));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(ExplainWall, NamesTheSmallestRangeThatHoldsTheChange) {
  const auto model = [](std::int64_t attention, std::int64_t mlp, std::int64_t load) {
    return Walls()
        .add("step #", kTop, 10)
        .add("load", 0, load)
        .add("forward", 0, 5)
        .add("attention", 2, attention)
        .add("mlp", 2, mlp)
        .add("backward", 0, 200)
        .nodes;
  };
  const auto before = model(100, 100, 50);
  EXPECT_EQ(explaining(before, model(130, 101, 50)), std::vector<std::string>{"step # / forward / attention 30"});
  EXPECT_EQ(explaining(before, model(130, 100, 80)),
            (std::vector<std::string>{"step # / forward / attention 30", "step # / load 30"}));
  EXPECT_EQ(explaining(before, model(130, 130, 50)), std::vector<std::string>{"step # / forward 60"})
      << "both of its children grew: they are most of it, and naming them says no more";
  EXPECT_EQ(explaining(before, model(70, 100, 50)), std::vector<std::string>{"step # / forward / attention -30"});
  EXPECT_TRUE(explaining(before, before).empty());
  EXPECT_TRUE(explaining({}, {}).empty());
  EXPECT_EQ(explaining(before, Walls().add("other", kTop, 1000).nodes), std::vector<std::string>{"other 1000"});
}

TEST(ExplainWall, IsForTheSameWork) {
  const auto step = [](std::int64_t forward, std::int64_t backward) {
    return Walls().add("step #", kTop, 0).add("forward", 0, forward).add("backward", 0, backward).nodes;
  };
  EXPECT_TRUE(explaining(step(100, 200), step(200, 400), 2).empty()) << "twice the steps";
  EXPECT_EQ(explaining(step(100, 200), step(200, 500), 2), std::vector<std::string>{"step # / backward 50"});
}

TEST(ExplainWall, SharesAreOfAllThatMoved) {
  auto rows = compare_range_trees(Walls().add("a", kTop, 100).add("b", kTop, 100).nodes,
                                  Walls().add("a", kTop, 130).add("b", kTop, 90).nodes);
  explain_wall(rows);
  EXPECT_DOUBLE_EQ(*rows[0].share_pct, 75);
  EXPECT_DOUBLE_EQ(*rows[1].share_pct, -25);
  EXPECT_TRUE(rows[0].explains);
  EXPECT_FALSE(rows[1].explains);
}

TEST(ExplainWall, HoldsNineTenthsAndNoneLiesInsideAnotherWhateverMoves) {
  std::mt19937_64 random(17);
  const auto draw = [&random] {
    Walls tree;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const std::uint32_t parent = i == 0 || random() % 9 == 0 ? kTop : static_cast<std::uint32_t>(random() % i);
      const auto self = static_cast<std::int64_t>(random() % 3 == 0 ? random() % 100'000 : random() % 100);
      tree.add(std::string(1, static_cast<char>('a' + random() % 20)), parent, self);
    }
    return tree.nodes;
  };
  int marked = 0;
  for (int round = 0; round < 300; ++round) {
    const auto a = draw();
    const auto b = draw();
    auto forth = compare_range_trees(a, b);
    auto back = compare_range_trees(b, a);
    explain_wall(forth);
    explain_wall(back);
    std::int64_t net = 0, whole = 0, held = 0, moved = 0;
    for (const core::ProfileRange& row : forth) net += row.depth == 0 ? row.delta_wall_ns : 0;
    std::uint32_t inside = 0xFFFFFFFF;  // depth of the marked range that the row lies under
    std::size_t count = 0;
    for (std::size_t i = 0; i < forth.size(); ++i) {
      const core::ProfileRange& row = forth[i];
      const std::int64_t self =
          (row.candidate ? row.candidate->self_wall_ns : 0) - (row.baseline ? row.baseline->self_wall_ns : 0);
      if (row.depth <= inside) inside = 0xFFFFFFFF;
      EXPECT_FALSE(row.explains && inside != 0xFFFFFFFF) << row.path;
      if (row.explains) inside = row.depth;
      const std::int64_t along = (self < 0) == (net < 0) ? std::abs(self) : 0;
      whole += along;
      held += inside != 0xFFFFFFFF ? along : 0;
      moved += std::abs(self);
      count += row.explains ? 1 : 0;
      EXPECT_EQ(row.explains, back[i].explains) << row.path;
      if (row.share_pct) EXPECT_LE(std::abs(*row.share_pct), 100 + 1e-9);
    }
    EXPECT_LE(count, kMostExplaining);
    if (count == 0) continue;
    ++marked;
    EXPECT_GE(static_cast<double>(held), kExplainedShare * static_cast<double>(whole) * (1 - 1e-12));
  }
  EXPECT_GT(marked, 250);
}

TEST(DiffRanges, StacksThatOneProfilerWroteAreNoLevels) {
  std::vector<RangeNode> stacks = {node("serve.py(#): main", kTop, 100, 4), node("step #", 0, 96, 1),
                                   node("nn.Module: Layer_#", 1, 95, 5), node("aten::mm", 2, 90, 90)};
  stacks[0].kind = "frame";
  stacks[2].kind = "module";
  const std::vector<RangeNode> plain = {node("step #", kTop, 90, 0), node("aten::mm", 0, 90, 90)};
  const auto rows = compare_range_trees(plain, stacks);
  std::vector<std::string> texts;
  for (const core::ProfileRange& row : rows)
    texts.push_back(row.path + " " + std::to_string(row.delta_gpu_ns) + " " + std::to_string(row.candidate->self_gpu_ns));
  EXPECT_EQ(texts, (std::vector<std::string>{"step # 6 6", "step # / aten::mm 0 90", "(outside any range) 4 4"}));
  EXPECT_EQ(compare_range_trees(stacks, stacks).size(), 4U) << "both sides have them";
}

TEST(DiffRanges, PathsAreBoundedInText) {
  std::vector<RangeNode> tree;
  for (std::uint32_t i = 0; i < 64; ++i)
    tree.push_back(node(std::string(150, static_cast<char>('a' + i % 26)), i == 0 ? 0xFFFFFFFF : i - 1, 1, 0));
  const auto rows = compare_range_trees(tree, {});
  ASSERT_EQ(rows.size(), 64U);
  for (const core::ProfileRange& row : rows) EXPECT_LE(row.path.size(), 1200U);
  EXPECT_TRUE(rows[63].path.ends_with(" / … / " + tree[63].name)) << rows[63].path;
  EXPECT_EQ(rows[63].depth, 63U);
}

}  // namespace
}  // namespace plumbline::profiles::test
