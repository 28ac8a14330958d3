// How the host fed the GPU.
#include "profiles/analysis/launches.hpp"

#include "tests/profiles/capture_maker.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

TEST(Calls, AreToldByTheirNames) {
  for (const auto& [name, kind] : std::initializer_list<std::pair<const char*, CallKind>>{
           {"cudaLaunchKernel", CallKind::launch},
           {"cudaLaunchKernel_v7000", CallKind::launch},
           {"cudaLaunchKernelExC", CallKind::launch},
           {"cuLaunchKernelEx", CallKind::launch},
           {"hipExtModuleLaunchKernel", CallKind::launch},
           {"cudaLaunchHostFunc", CallKind::other},
           {"cudaGraphLaunch_v10000", CallKind::graph_launch},
           {"hipGraphLaunch", CallKind::graph_launch},
           {"cudaStreamSynchronize_v3020_ptsz", CallKind::wait},
           {"cuCtxSynchronize", CallKind::wait},
           {"hipDeviceSynchronize", CallKind::wait},
           {"cudaStreamWaitEvent", CallKind::other},
           {"cudaMemcpy", CallKind::wait},
           {"cuMemcpyDtoH_v2", CallKind::wait},
           {"hipMemcpyWithStream", CallKind::wait},
           {"cudaMemcpyAsync_v3020", CallKind::other},
           {"cudaMemcpyPeerAsync", CallKind::other},
           {"cudaMalloc", CallKind::allocate},
           {"cudaMallocAsync", CallKind::allocate},
           {"cuMemAlloc_v2", CallKind::allocate},
           {"cuMemCreate", CallKind::allocate},
           {"hipHostMalloc", CallKind::allocate},
           {"cudaFree", CallKind::free},
           {"cuMemFree_v2", CallKind::free},
           {"cuMemGetInfo_v2", CallKind::other},
           {"hipExtLaunchKernel", CallKind::launch},
           {"urEnqueueKernelLaunch", CallKind::launch},
           {"urEnqueueKernelLaunchWithArgsExp", CallKind::launch},
           {"urEnqueueCooperativeKernelLaunchExp", CallKind::launch},
           {"piEnqueueKernelLaunch", CallKind::launch},
           {"zeCommandListAppendLaunchKernel", CallKind::launch},
           {"zeCommandListAppendLaunchCooperativeKernel", CallKind::launch},
           {"urCommandBufferAppendKernelLaunchExp", CallKind::other},
           {"urEnqueueCommandBufferExp", CallKind::graph_launch},
           {"urCommandBufferEnqueueExp", CallKind::graph_launch},
           {"urQueueFinish", CallKind::wait},
           {"piQueueFinish", CallKind::wait},
           {"urEventWait", CallKind::wait},
           {"piEventsWait", CallKind::wait},
           {"zeEventHostSynchronize", CallKind::wait},
           {"zeCommandQueueSynchronize", CallKind::wait},
           {"urEnqueueEventsWaitWithBarrier", CallKind::other},
           {"urEnqueueUSMMemcpy", CallKind::other},
           {"urUSMDeviceAlloc", CallKind::allocate},
           {"piextUSMSharedAlloc", CallKind::allocate},
           {"zeMemAllocDevice", CallKind::allocate},
           {"urUSMGetMemAllocInfo", CallKind::other},
           {"urUSMFree", CallKind::free},
           {"zeMemFree", CallKind::free},
           {"aten::mm", CallKind::other},
           {"", CallKind::other},
       }) {
    EXPECT_EQ(call_kind(name), kind) << name;
  }
  EXPECT_EQ(call_name("cudaStreamSynchronize_v3020_ptsz"), "cudaStreamSynchronize");
  EXPECT_EQ(call_name("cudaStreamGetCaptureInfo_v2_v11030"), "cudaStreamGetCaptureInfo");
}

TEST(Launches, AreCountedWithWhatTheyCost) {
  Maker maker;
  maker.call("cudaLaunchKernel_v7000", 0, 10, 1);
  maker.call("cuLaunchKernel", 2, 8);  // the driver's inside the runtime's: the same launch
  maker.call("cuLaunchKernel", 3, 9, kNone, 2);
  maker.call("cudaGraphLaunch", 20, 50, 2);
  maker.op("gemm", 15, 30, {}, OpKind::kernel, 1);         // 5 after its call
  maker.op("gemm", 45, 6000, {}, OpKind::kernel, 2);       // began before its call returned: 0
  maker.op("add", 9000, 9100, {}, OpKind::kernel, 2);      // of the same replay
  maker.op("add", 9200, 9200 + 5000, {}, OpKind::kernel);  // not tiny
  maker.sort();
  const auto launches = measure_launches(maker.capture, call_kinds(maker.capture));
  ASSERT_TRUE(launches);
  EXPECT_EQ(launches->launches, 2U);
  EXPECT_EQ(launches->graph_launches, 1U);
  EXPECT_EQ(launches->launch_api_ns, 10 + 6 + 30);
  EXPECT_EQ(launches->median_delay_ns, 2.5);
  EXPECT_EQ(launches->tiny_kernels, 2U);
}

TEST(Launches, NameWhatWaitsAndWhatAllocates) {
  Maker maker;
  maker.call("cudaStreamSynchronize_v3020", 0, 10);
  maker.call("cudaStreamSynchronize_v3020", 20, 30);
  maker.call("cuStreamSynchronize", 21, 29);  // inside
  maker.call("cudaDeviceSynchronize", 40, 100);
  maker.call("cudaMalloc", 110, 120);
  maker.call("cudaFree", 130, 135);
  maker.op("k", 0, 1, {});
  maker.op("copy", 0, 1, {}, OpKind::copy, kNone, maker.copy_shape(100, MemoryKind::pageable, MemoryKind::device));
  maker.op("copy", 0, 1, {}, OpKind::copy, kNone, maker.copy_shape(28, MemoryKind::device, MemoryKind::pageable));
  maker.op("copy", 0, 1, {}, OpKind::copy, kNone, maker.copy_shape(500, MemoryKind::pinned, MemoryKind::device));
  maker.sort();
  const auto launches = measure_launches(maker.capture, call_kinds(maker.capture));
  EXPECT_EQ(launches->syncs, 3U);
  EXPECT_EQ(launches->sync_ns, 80);
  using Named = std::vector<std::pair<std::string, std::uint64_t>>;
  EXPECT_EQ(launches->sync_calls, (Named{{"cudaStreamSynchronize", 2}, {"cudaDeviceSynchronize", 1}}));
  EXPECT_EQ(launches->allocation_calls, (Named{{"cudaFree", 1}, {"cudaMalloc", 1}}));
  EXPECT_EQ(launches->allocations, 1U);
  EXPECT_EQ(launches->frees, 1U);
  EXPECT_EQ(launches->allocation_ns, 15);
  EXPECT_EQ(launches->pageable_copies, 2U);
  EXPECT_EQ(launches->pageable_bytes, 128U);
  EXPECT_FALSE(launches->median_delay_ns) << "no operation's call is known";
}

TEST(Launches, AreUnknownWithoutCalls) {
  Maker maker;
  maker.op("k", 0, 1, {});
  maker.sort();
  EXPECT_FALSE(measure_launches(maker.capture, call_kinds(maker.capture)));
}

TEST(Launches, CostTheirMedianAndTheFirstOnesAreApart) {
  Maker maker;
  std::int64_t at = 0;
  for (int i = 0; i < 101; ++i) {
    const std::int64_t length = i == 0 ? 40'000'000 : i == 1 ? 119'999 : 5000 + i % 3 * 1000;
    maker.call("cudaLaunchKernel", at, at + length, static_cast<std::uint32_t>(i));
    at += length + 10;
  }
  maker.op("gemm", at, at + 10, {}, OpKind::kernel, 1);
  maker.sort();
  const auto launches = measure_launches(maker.capture, call_kinds(maker.capture));
  ASSERT_TRUE(launches);
  EXPECT_EQ(*launches->median_launch_ns, 6000);
  EXPECT_EQ(launches->one_off_launches, 1U) << "twenty times 6 us is 120 us";
  EXPECT_EQ(launches->one_off_ns, 40'000'000);
  EXPECT_FALSE(launches->steady_known);
}

TEST(Launches, MedianOfLongOnesIsExactToo) {
  Maker maker;
  std::int64_t at = 0;
  for (const std::int64_t length : {300'000, 100'000, 99'999, 500'000}) {
    maker.call("cudaLaunchKernel", at, at + length);
    at += length;
  }
  const auto launches = measure_launches(maker.capture, call_kinds(maker.capture));
  EXPECT_EQ(*launches->median_launch_ns, 200'000);
}

TEST(Launches, WhatIsCalledOutsideTheStepsIsSettingUp) {
  Maker maker;
  maker.call("cudaMalloc", 0, 10);
  maker.call("cudaMalloc", 20, 30);
  maker.call("cudaMalloc", 150, 160);
  maker.call("cudaDeviceSynchronize", 290, 299);
  maker.call("cudaFree", 300, 310);
  Steps steps;
  steps.steps = {{100, 100}, {200, 100}};
  const auto launches = measure_launches(maker.capture, call_kinds(maker.capture), steps);
  ASSERT_TRUE(launches && launches->steady_known);
  using Calls = std::vector<std::pair<std::string, std::uint64_t>>;
  EXPECT_EQ(launches->allocation_calls, (Calls{{"cudaMalloc", 3}, {"cudaFree", 1}}));
  EXPECT_EQ(launches->steady_allocation_calls, (Calls{{"cudaMalloc", 1}}));
  EXPECT_EQ(launches->steady_sync_calls, (Calls{{"cudaDeviceSynchronize", 1}}));
}

}  // namespace
}  // namespace plumbline::profiles::test
