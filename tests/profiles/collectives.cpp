// Communication by type, size and group, and two sides of it.
#include "profiles/analysis/collectives.hpp"

#include "profiles/analysis/analyse.hpp"
#include "profiles/diff/collectives.hpp"
#include "profiles/names/collectives.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

TEST(CollectiveNames, TypesInEverySpelling) {
  const std::pair<const char*, const char*> cases[] = {
      // NCCL before and from 2.19, RCCL, NCCL's own calls
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "all_reduce"},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "send_recv"},
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_reduce"},
      {"ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", "reduce_scatter"},
      {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_gather"},
      {"ncclDevKernel_Broadcast_RING_LL(ncclDevComm*)", "broadcast"},
      {"ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevComm*)", "reduce"},
      {"ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", ""},
      {"ncclGroupEnd", ""},
      // torch.distributed
      {"allreduce", "all_reduce"},
      {"allreduce_coalesced", "all_reduce"},
      {"_allgather_base", "all_gather"},
      {"all_gather_into_tensor_coalesced", "all_gather"},
      {"_reduce_scatter_base", "reduce_scatter"},
      {"reduce_scatter_tensor_coalesced", "reduce_scatter"},
      {"all_to_allv", "all_to_all"},
      {"alltoall_base", "all_to_all"},
      {"broadcast", "broadcast"},
      {"send", "send_recv"},
      {"recv", "send_recv"},
      {"barrier", "barrier"},
      // others' kernels
      {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", "all_reduce"},
      {"void multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)", "all_reduce"},
      {"gemm", ""},
      {"", ""},
  };
  for (const auto& [name, type] : cases) EXPECT_EQ(collective_type(name), type) << name;
}

TEST(CollectiveNames, DataTypesAsNcclTestsPrintsThem) {
  const std::pair<const char*, const char*> spelt[] = {{"Float", "float"},
                                                       {"BFloat16", "bfloat16"},
                                                       {"c10::BFloat16", "bfloat16"},
                                                       {"Half", "half"},
                                                       {"Long", "int64"},
                                                       {"Byte", "uint8"},
                                                       {"Double", "double"},
                                                       {"Int", "int32"},
                                                       {"Float8_e4m3fn", "fp8_e4m3"},
                                                       {"ComplexFloat", "complexfloat"},
                                                       {" bf16 ", "bfloat16"}};
  for (const auto& [text, dtype] : spelt) EXPECT_EQ(collective_dtype(text), dtype);
  const std::pair<const char*, const char*> kernels[] = {
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "float"},
      {"ncclKernel_AllReduce_TREE_LL128_Sum___nv_bfloat16(ncclWorkElem)", "bfloat16"},
      {"ncclKernel_ReduceScatter_RING_SIMPLE_Sum_uint8_t(ncclWorkElem)", "uint8"},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", "float"},
      {"ncclDevKernel_AllReduce_Sum_f8e4m3_RING_LL(ncclDevComm*)", "fp8_e4m3"},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", ""},
      {"ncclDevKernel_AllGather_RING_LL(ncclDevComm*)", ""},
      {"void vllm::cross_device_reduce_1stage<float, 8>(float*)", ""},
  };
  for (const auto& [kernel, dtype] : kernels) EXPECT_EQ(kernel_dtype(kernel), dtype) << kernel;
}

TEST(CollectiveNames, BusBandwidthFactorsOfNcclTests) {
  EXPECT_DOUBLE_EQ(*busbw_factor("all_reduce", 8), 1.75);
  EXPECT_DOUBLE_EQ(*busbw_factor("all_gather", 8), 0.875);
  EXPECT_DOUBLE_EQ(*busbw_factor("reduce_scatter", 4), 0.75);
  EXPECT_DOUBLE_EQ(*busbw_factor("all_to_all", 2), 0.5);
  EXPECT_DOUBLE_EQ(*busbw_factor("broadcast", 0), 1);
  EXPECT_DOUBLE_EQ(*busbw_factor("send_recv", 8), 1);
  EXPECT_FALSE(busbw_factor("all_reduce", 0)) << "how many ranks is not known";
  EXPECT_FALSE(busbw_factor("all_reduce", 1)) << "nothing crosses a wire";
  EXPECT_FALSE(busbw_factor("barrier", 8));
  EXPECT_FALSE(busbw_factor("other", 8));
}

TEST(Collectives, SizesFallIntoPowersOfTwo) {
  EXPECT_EQ(size_bucket(0), "");
  EXPECT_EQ(size_bucket(1), "1 B");
  EXPECT_EQ(size_bucket(1023), "512 B");
  EXPECT_EQ(size_bucket(1024), "1 KiB");
  EXPECT_EQ(size_bucket((16U << 20U) - 1), "8 MiB");
  EXPECT_EQ(size_bucket(16U << 20U), "16 MiB");
  EXPECT_EQ(size_bucket(~std::uint64_t{0}), "8 EiB");
}

constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
constexpr std::uint64_t kMiB = 1U << 20U;

struct Maker {
  Capture capture;
  std::uint32_t kernel(const std::string& name, std::int64_t start, std::int64_t length) {
    capture.ops.times.add(start, length);
    capture.ops.name.push_back(capture.names.id(name));
    capture.ops.queue.push_back(static_cast<std::uint16_t>(capture.queues.id({1, 0, 1, 7})));
    capture.ops.kind.push_back(OpKind::kernel);
    capture.ops.detail.push_back(kNone);
    capture.ops.launch.push_back(kNone);
    return static_cast<std::uint32_t>(capture.ops.size() - 1);
  }
  void collective(const std::string& name, std::int64_t start, std::int64_t length, const Collective& what) {
    capture.collectives.push_back(what);
    capture.collectives.back().op = kernel(name, start, length);
  }
  Profile profile(bool instances = false) {
    ReadOptions options;
    options.collective_instances = instances;
    return *analyse(std::move(capture), options);
  }
};

TEST(Collectives, WhatTheCaptureSaysByTypeSizeAndGroup) {
  Maker made;
  const Collective large{kNone, "allreduce", "BFloat16", "tp", 16 * kMiB, 8, 4};
  made.collective(kAllReduce, 3000, 200'000, large);  // out of order: analyse() sorts
  made.collective(kAllReduce, 1000, 100'000, {kNone, "allreduce", "BFloat16", "tp", 20 * kMiB, 8, 3});
  made.collective("ncclDevKernel_AllGather_RING_LL(ncclDevComm*)", 2000, 50'000,
                  {kNone, "_allgather_base", "BFloat16", "dp", kMiB, 4, 9});
  made.kernel("ncclDevKernel_AllGather_RING_LL(ncclDevComm*)", 500'000, 7000);  // of which nothing is said
  made.kernel("gemm", 1, 1'000'000);
  const Profile profile = made.profile(true);
  ASSERT_EQ(profile.collectives.size(), 3U);
  const CollectiveGroup& reduce = profile.collectives[0];
  EXPECT_EQ(reduce.type, "all_reduce");
  EXPECT_EQ(reduce.dtype, "bfloat16");
  EXPECT_EQ(reduce.group, "tp");
  EXPECT_EQ(reduce.group_size, 8U);
  EXPECT_EQ(reduce.size_bucket, "16 MiB");
  EXPECT_EQ(reduce.side.count, 2U);
  EXPECT_EQ(reduce.side.total_ns, 300'000);
  EXPECT_EQ(reduce.side.min_ns, 100'000);
  EXPECT_EQ(reduce.side.max_ns, 200'000);
  EXPECT_EQ(reduce.side.bytes, 36 * kMiB);
  EXPECT_DOUBLE_EQ(*reduce.side.algbw, 36.0 * kMiB / 300'000);
  EXPECT_DOUBLE_EQ(*reduce.side.busbw, 36.0 * kMiB / 300'000 * 1.75);
  EXPECT_FALSE(reduce.side.transfer_ns) << "one rank does not tell waiting from transfer";
  EXPECT_EQ(profile.collectives[1].group, "dp");
  EXPECT_DOUBLE_EQ(*profile.collectives[1].side.busbw, 1.0 * kMiB / 50'000 * 0.75);
  EXPECT_EQ(profile.collectives[2].size_bucket, "");
  EXPECT_FALSE(profile.collectives[2].side.algbw);
  ASSERT_EQ(profile.collective_instances.size(), 4U);
  EXPECT_EQ(profile.collective_instances[0].sequence, 3);
  EXPECT_EQ(profile.collective_instances[1].kind, 1U);
  EXPECT_EQ(profile.collective_instances[2].duration, 200'000);
  EXPECT_EQ(profile.collective_instances[3].sequence, -1);
}

TEST(Collectives, ANumberThatNoDigestCanHoldIsNone) {
  Maker made;
  std::int64_t at = 0;
  for (const std::int64_t sequence : {std::int64_t{7}, std::int64_t{1} << 62U, INT64_MIN})
    made.collective(kAllReduce, at += 100, 50, {kNone, "allreduce", "BFloat16", "tp", kMiB, 8, sequence});
  const Profile profile = made.profile(true);
  ASSERT_EQ(profile.collective_instances.size(), 3U);
  EXPECT_EQ(profile.collective_instances[0].sequence, 7);
  EXPECT_EQ(profile.collective_instances[1].sequence, -1);
  EXPECT_EQ(profile.collective_instances[2].sequence, -1);
}

TEST(Collectives, FromKernelNamesWhereTheCaptureIsSilent) {
  Maker made;
  made.kernel("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", 0, 10);
  made.kernel("ncclDevKernel_AllReduce_Sum_f32_TREE_LL(ncclDevComm*)", 20, 20);  // another spelling of the same
  made.kernel("ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", 50, 5);
  made.kernel("gemm", 60, 100);
  const Profile profile = made.profile();
  ASSERT_EQ(profile.collectives.size(), 2U);
  EXPECT_EQ(profile.collectives[0].type, "all_reduce");
  EXPECT_EQ(profile.collectives[0].dtype, "float");
  EXPECT_EQ(profile.collectives[0].side.count, 2U);
  EXPECT_EQ(profile.collectives[0].side.total_ns, 30);
  EXPECT_EQ(profile.collectives[1].type, "other");
  EXPECT_TRUE(profile.collective_instances.empty()) << "not asked for";
}

TEST(Collectives, GroupsWithoutEndAreBounded) {
  Maker made;
  for (int i = 0; i < 6000; ++i) {
    made.collective(kAllReduce, i, 1, {kNone, "allreduce", "Float", "group " + std::to_string(i), 4, 2, i});
  }
  const Profile profile = made.profile();
  EXPECT_EQ(profile.collectives.size(), kMaxCollectiveGroups + 1);
  EXPECT_EQ(profile.collectives[0].group, "…");
  EXPECT_EQ(profile.collectives[0].side.count, 6000 - kMaxCollectiveGroups);
}

CollectiveGroup group(const std::string& type, const std::string& name, std::int64_t total, std::optional<double> busbw = {}) {
  CollectiveGroup result{type, "1 MiB", "float", name, 8, {}};
  result.side.count = 1;
  result.side.total_ns = total;
  result.side.busbw = busbw;
  return result;
}

TEST(DiffCollectives, ByKindAndGroupAndWhatIsLeftByKindAlone) {
  const std::vector<CollectiveGroup> before = {group("all_reduce", "tp", 100, 40.0), group("all_gather", "12", 50),
                                               group("broadcast", "a", 5), group("broadcast", "b", 6)};
  const std::vector<CollectiveGroup> after = {group("all_reduce", "tp", 160, 25.0), group("all_gather", "14", 40),
                                              group("broadcast", "c", 9)};
  const auto rows = compare_collectives(before, after);
  std::vector<std::string> texts;
  std::int64_t sum = 0;
  for (const core::ProfileCollective& row : rows) {
    texts.push_back(row.type + " " + row.group + " " + std::to_string(row.delta_ns));
    sum += row.delta_ns;
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"all_reduce tp 60", "all_gather 12 -> 14 -10", "broadcast c 9", "broadcast b -6",
                                             "broadcast a -5"}));
  EXPECT_DOUBLE_EQ(*rows[0].busbw_pct, -37.5);
  EXPECT_FALSE(rows[1].busbw_pct);
  EXPECT_FALSE(rows[2].baseline);
  EXPECT_EQ(sum, 209 - 161);
  const auto back = compare_collectives(after, before);
  ASSERT_EQ(back.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(back[i].delta_ns, -rows[i].delta_ns);
}

TEST(DiffCollectives, OtherRanksAreSaid) {
  core::ProfileSideInfo two;
  two.ranks = {0, 1};
  core::ProfileSideInfo four;
  four.ranks = {0, 1, 2, 3};
  EXPECT_FALSE(compare_ranks(two, two));
  const auto warning = compare_ranks(two, four);
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->code.text(), "ranks_differ");
  EXPECT_EQ(
      warning->message,
      "the baseline is 2 ranks (0 and 1), the candidate 4 ranks (0, 1, 2 and 3): sums over ranks differ by that alone; give "
      "both sides the same ranks, or one with --rank");
  EXPECT_EQ(compare_ranks({}, two)->message,
            "the baseline is a single capture, the candidate 2 ranks (0 and 1): sums over ranks differ by that alone; give both "
            "sides the same ranks, or one with --rank");
}

}  // namespace
}  // namespace plumbline::profiles::test
