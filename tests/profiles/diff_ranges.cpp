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
