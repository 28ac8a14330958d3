// PyTorch's traces and their relatives: what each event becomes, and what real writers get wrong.
#include "profiles/readers/traces/kineto.hpp"

#include <algorithm>

#include "profiles/capture.hpp"
#include "tests/profiles/fixture.hpp"
#include "tests/profiles/packed.hpp"
#include "tests/profiles/trace_text.hpp"

namespace plumbline::profiles::test {
namespace {

// The events alone, before anything is made of them.
Capture events_of(const std::string& text, const ReadOptions& options = {}) {
  Capture capture;
  KinetoReader reader(capture, options);
  const auto source = memory_bytes(text);
  const auto end = stream_json(*source, reader, {});
  EXPECT_TRUE(end);
  const core::Status status = reader.finish(*end);
  EXPECT_TRUE(status) << status.error().message;
  return capture;
}
const std::string& name_of(const Capture& capture, std::uint32_t op) { return capture.names.text(capture.ops.name[op]); }

std::string message_of(const std::vector<core::Warning>& warnings, core::WarningCode code) {
  for (const core::Warning& warning : warnings) {
    if (warning.code == code) return warning.message;
  }
  return "(no " + std::string(code.text()) + ")";
}

TEST(Kineto, EventsBecomeColumns) {
  const Capture capture = events_of(trace({
      event("cpu_op", "aten::mm", "1712195495519680.000", "20.5", R"("External id": 5, "Input Dims": [[1, 2], [{"}": 1}]])"),
      event("cuda_runtime", "cudaLaunchKernel", "1712195495519682.001", "3.25", R"("cbid": 211, "correlation": 7)"),
      R"({"ph": "s", "id": 7, "pid": 100, "tid": 200, "ts": 1, "cat": "ac2g", "name": "ac2g"})",
      kernel_event("void gemm<float>(int)", "1712195495519689.123", "10.001"),
      event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", "1712195495519700", "2",
            R"("device": 0, "context": 1, "stream": 9, "correlation": 8, "bytes": 4096, "memory bandwidth": 2.0)"),
      event("gpu_memset", "Memset (Device)", "1712195495519703", "1.5", R"("device": 0, "context": 1, "stream": 7, "bytes": 16)"),
      event("user_annotation", "ProfilerStep#3", "1712195495519679", "100"),
      event("python_function", "model.py(3): forward", "1712195495519679", "100", "", "0", "0"),
      event("Trace", "PyTorch Profiler (0)", "1712195495519000", "9999999", R"("Op count": 0)", R"("Spans")",
            R"("PyTorch Profiler")"),
      R"({"name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g", "pid": "Traces", "tid": "Trace", "ts": 1})",
  }));
  ASSERT_EQ(capture.ops.size(), 3U);
  EXPECT_EQ(capture.ops.times.start(0), 1712195495519689123);
  EXPECT_EQ(capture.ops.times.length(0), 10001);
  EXPECT_EQ(name_of(capture, 0), "void gemm<float>(int)");
  EXPECT_EQ(capture.ops.kind[0], OpKind::kernel);
  EXPECT_EQ(capture.ops.launch[0], 7U);
  EXPECT_EQ(capture.queues[capture.ops.queue[0]], (Queue{0, 0, 1, 7}));
  EXPECT_EQ(capture.launch_shapes[capture.ops.detail[0]], (LaunchShape{{200, 2, 1}, {128, 1, 1}}));
  EXPECT_EQ(name_of(capture, 1), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(capture.ops.kind[1], OpKind::copy);
  EXPECT_EQ(capture.copy_shapes[capture.ops.detail[1]], (CopyShape{4096, MemoryKind::pageable, MemoryKind::device}));
  EXPECT_EQ(capture.queues[capture.ops.queue[1]], (Queue{0, 0, 1, 9}));
  EXPECT_EQ(name_of(capture, 2), "[CUDA memset]");
  EXPECT_EQ(capture.copy_shapes[capture.ops.detail[2]].bytes, 16U);
  EXPECT_EQ(capture.ops.launch[2], kNone);
  ASSERT_EQ(capture.calls.size(), 1U);
  EXPECT_EQ(capture.names.text(capture.calls.name[0]), "cudaLaunchKernel");
  EXPECT_EQ(capture.calls.correlation[0], 7U);
  EXPECT_EQ(capture.threads[capture.calls.thread[0]], (Thread{100, 200}));
  ASSERT_EQ(capture.ranges.size(), 3U);
  EXPECT_EQ(capture.ranges.kind[0], RangeKind::op);
  EXPECT_EQ(capture.ranges.kind[1], RangeKind::annotation);
  EXPECT_EQ(capture.names.text(capture.ranges.name[1]), "ProfilerStep#3");
  EXPECT_EQ(capture.ranges.kind[2], RangeKind::frame);
  EXPECT_TRUE(capture.warnings.empty());
}

TEST(Kineto, ContextComesFromWhatIsAllowed) {
  const auto profile = read_trace(trace({kernel_event("k", "1", "2")}, R"("schemaVersion": 1,
    "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132}, {"id": 1, "name": "other"}],
    "cuda_runtime_version": 12040, "cuda_driver_version": 12090, "displayTimeUnit": "ns",
    "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "nccl_version": "2.20.5"},
    "environment": {"WANDB_API_KEY": "do-not-print-me-1234"}, "metadata": {"secret": "do-not-print-me-1234"})"));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->info.format, "kineto");
  EXPECT_EQ(profile->info.version, "schema 1");
  EXPECT_EQ(profile->rank, 3);
  EXPECT_EQ(profile->info.kernel_ns, 2000) << "displayTimeUnit is how a viewer shows times, not how they are written";
  const core::Context expected = {{"environment.world_size", "8"}, {"hardware.gpu", "NVIDIA H100 80GB HBM3"},
                                  {"hardware.gpu_count", "1"},     {"stack.cuda", "12.4"},
                                  {"stack.cuda_driver", "12.9"},   {"stack.nccl", "2.20.5"}};
  EXPECT_EQ(profile->info.context, expected);
}

TEST(Kineto, OnAmdArgumentsAreFewer) {
  const Capture capture = events_of(trace(
      {
          event("kernel", "Cijk_Ailk_Bljk.kd", "10", "2",
                R"("device": 2, "stream": 0, "correlation": 48734, "kind": "Dispatch Kernel")", "2", "0"),
          event("gpu_memcpy", "CopyHostToDevice", "14", "2", R"("device": 2, "stream": 0, "bytes": 8)", "2", "0"),
          event("kernel", "bare", "20", "1", "", "2", "5"),
          event("cuda_runtime", "hipLaunchKernel", "1", "2", R"("cid": 48, "correlation": 48734)"),
      },
      R"("deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X"}], "hip_runtime_version": 60443483)"));
  ASSERT_EQ(capture.ops.size(), 3U);
  EXPECT_EQ(capture.ops.detail[0], kNone);
  EXPECT_EQ(name_of(capture, 1), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(capture.queues[capture.ops.queue[2]], (Queue{0, 2, 0, 5})) << "the device is the process, the stream the thread";
  EXPECT_EQ(capture.info.context.at("stack.hip"), "6.4.43483");
  EXPECT_EQ(capture.gpus.at(2).name, "AMD Instinct MI300X") << "properties count GPUs, kernels count agents; all are alike";
}

TEST(Kineto, CollectivesComeFromTheKernelOrFromItsOperator) {
  const std::string said =
      R"("Collective name": "_allgather_base", "In msg nelems": 1024, "Out msg nelems": 8192, "Group size": 8, )"
      R"("dtype": "BFloat16", "Process Group Name": "0", "Process Group Description": "default_pg", "Seq": 42, "External id": 3)";
  const Capture capture = events_of(trace({
      kernel_event("ncclDevKernel_AllGather_RING_LL(x)", "10", "5", said),
      kernel_event("ncclKernel_AllReduce_RING_LL_Sum_float(x)", "20", "5", R"("External id": 292)"),
      kernel_event("ncclKernel_AllReduce_RING_LL_Sum_float(x)", "30", "5", R"("External id": 293)"),
      event(
          "cpu_op", "record_param_comms", "5", "1",
          R"("External id": 292, "Collective name": "allreduce", "In msg nelems": 100, "Out msg nelems": 100, "Group size": 2, )"
          R"("dtype": "Float")"),
  }));
  ASSERT_EQ(capture.collectives.size(), 2U);
  const Collective& gather = capture.collectives[0];
  EXPECT_EQ(gather.op, 0U);
  EXPECT_EQ(gather.type, "all_gather");
  EXPECT_EQ(gather.dtype, "bfloat16");
  EXPECT_EQ(gather.bytes, 8192U * 2);
  EXPECT_EQ(gather.group, "0");
  EXPECT_EQ(gather.group_size, 8U);
  EXPECT_EQ(gather.sequence, 42);
  const Collective& reduce = capture.collectives[1];
  EXPECT_EQ(reduce.op, 1U);
  EXPECT_EQ(reduce.type, "all_reduce");
  EXPECT_EQ(reduce.bytes, 400U);
  EXPECT_EQ(reduce.group_size, 2U);
}

TEST(Kineto, TheGpuSideOfAnAnnotationIsNoSecondOne) {
  const std::string host = event("user_annotation", "ProfilerStep#1", "1", "9");
  const std::string mirror = event("gpu_user_annotation", "ProfilerStep#1", "2", "9", "", "0", "7");
  EXPECT_EQ(events_of(trace({host, mirror, kernel_event("k", "2", "1")})).ranges.size(), 1U);
  const Capture alone = events_of(trace({mirror, kernel_event("k", "2", "1")}));
  ASSERT_EQ(alone.ranges.size(), 1U);
  EXPECT_EQ(alone.ranges.kind[0], RangeKind::gpu);
  EXPECT_EQ(alone.threads[alone.ranges.thread[0]], (Thread{0, 7})) << "device and stream";
}

TEST(Kineto, StepsOnTheGpuNeedNoHost) {
  std::string events;
  for (int i = 0; i < 6; ++i) {
    const std::string at = std::to_string(1000 + 100 * i);
    events += event("gpu_user_annotation", "ProfilerStep#" + std::to_string(i), at, "90", "", "0", "7") + ",\n" +
              kernel_event("a", at, "50") + ",\n" + kernel_event("b", std::to_string(1060 + 100 * i), "20") + ",\n";
  }
  const auto profile = read_trace("[" + events + "]");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->steps.basis, "marker");
  ASSERT_EQ(profile->steps.steps.size(), 4U);
  EXPECT_EQ(profile->steps.steps[0].wall_ns, 100'000);
  EXPECT_EQ(profile->steps.steps[0].kernels, 2U);
}

TEST(Kineto, BeginAndEndAreEvents) {
  const auto phase = [](char letter, std::string_view category, std::string_view name, std::string_view ts,
                        std::string_view tid) {
    return std::string(R"({"ph": ")") + letter + R"(", "cat": ")" + std::string(category) + R"(", "name": ")" +
           std::string(name) + R"(", "pid": 1, "tid": )" + std::string(tid) + R"(, "ts": )" + std::string(ts) + "}";
  };
  const Capture capture = events_of(trace({
      phase('B', "user_annotation", "outer", "10", "1"),
      phase('B', "cpu_op", "inner", "11", "1"),
      phase('B', "kernel", "k", "12.5", R"("stream 7")"),
      phase('E', "cpu_op", "", "14", "1"),
      phase('E', "kernel", "", "20", R"("stream 7")"),
      phase('B', "cpu_op", "open", "21", "1"),
      phase('E', "cpu_op", "", "22", "99"),
      kernel_event("last", "30", "5"),
  }));
  ASSERT_EQ(capture.ops.size(), 2U);
  EXPECT_EQ(capture.ops.times.start(0), 12500);
  EXPECT_EQ(capture.ops.times.length(0), 7500);
  ASSERT_EQ(capture.ranges.size(), 3U);
  EXPECT_EQ(capture.ranges.times.length(0), 3000);
  EXPECT_EQ(message_of(capture.warnings, "open_ranges"), "2 ranges were still open; taken to end with the last event");
  EXPECT_EQ(message_of(capture.warnings, "unreadable_times"), "1 event ends what was not begun; not summed");
  EXPECT_EQ(capture.ranges.times.end(1), 35000);
}

TEST(Kineto, BrokenJsonIsReadAroundItsBreaks) {
  const std::string good = kernel_event("good", "1", "1");
  // pytorch issue 130622: raw control characters; and keys twice, numbers that are none, commas too many
  const Capture odd = events_of(trace({
      kernel_event("tab\there and \x01 line\nfeed", "1", "1"),
      R"({"ph": "X", "cat": "kernel", "name": "twice", "pid": 0, "tid": 7, "ts": 2, "dur": 1, "args": {"device": 4}, )"
      R"("args": {"stream": 5, "x": NaN}})",
      R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": NaN, "dur": 1, "args": {"w": -Infinity}})",
      R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 3, "dur": -1})",
      R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 3})",
      "{}",
      "null",
      good + ",",
  }));
  ASSERT_EQ(odd.ops.size(), 3U);
  EXPECT_EQ(name_of(odd, 0), "tab here and   line feed");
  EXPECT_EQ(odd.queues[odd.ops.queue[1]], (Queue{0, 4, 0, 5}));
  EXPECT_EQ(message_of(odd.warnings, "unreadable_times"), "2 events have no usable start or end; not summed");
  EXPECT_EQ(message_of(odd.warnings, "reversed_times"), "1 event ends before the start; not summed");

  const Capture quote = events_of(trace({good, kernel_event(R"(a "quoted" name)", "2", "1"), good, good}));
  EXPECT_EQ(quote.ops.size(), 3U);
  EXPECT_EQ(message_of(quote.warnings, "malformed_events"), "1 event is no JSON (a quote in a name, most often); left out");
}

TEST(Kineto, ArraysAreTracesTooAndNeedNoEnd) {
  const std::string one = kernel_event("k", "1", "1");
  for (const std::string& text : {"[" + one + "]", "[" + one + ",\n", "[\n" + one, " \n [" + one + ",]"}) {
    const auto profile = read_trace(text);
    ASSERT_TRUE(profile) << text;
    EXPECT_EQ(profile->info.kernels, 1U);
    EXPECT_TRUE(profile->warnings.empty()) << text;
  }
}

TEST(Kineto, EveryPrefixOfATraceGivesWhatIsWhole) {
  const std::string text =
      trace({kernel_event("first", "1", "1"), event("cpu_op", "op", "1", "1"), kernel_event("second", "3", "1")});
  const std::size_t first = text.find('}', text.find("first")) + 1;
  std::uint64_t most = 0;
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    const auto profile = read_trace(std::string_view(text).substr(0, size));
    ASSERT_EQ(profile.has_value(), size > first) << size;
    if (!profile) {
      EXPECT_FALSE(profile.error().message.empty());
      continue;
    }
    EXPECT_TRUE(warned(profile->warnings, "capture_incomplete")) << size;
    EXPECT_GE(profile->info.kernels, most);
    most = profile->info.kernels;
  }
  EXPECT_EQ(most, 2U);
  const auto cut = read_trace(text.substr(0, text.find("second")));
  EXPECT_EQ(message_of(cut->warnings, "capture_incomplete"),
            "the trace ends in the middle of something, behind 2 events: these were read, and what followed is not there");
}

TEST(Kineto, PackedTracesAreReadToTheirCheckSum) {
  const std::string text = trace({kernel_event("first", "1", "1"), kernel_event("second", "3", "1")});
  std::string gzip = packed(text.substr(0, 100)) + packed(text.substr(100));
  const auto whole = read_trace(gzip);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->info.kernels, 2U);
  EXPECT_TRUE(whole->warnings.empty());
  const auto cut = read_trace(std::string_view(gzip).substr(0, gzip.size() - 30));
  ASSERT_TRUE(cut);
  EXPECT_EQ(
      message_of(cut->warnings, "capture_incomplete"),
      "the compressed data end in the middle of something, behind 1 event: these were read, and what followed is not there");
  EXPECT_EQ(message_of(read_trace(gzip + "tail")->warnings, "trailing_bytes"),
            "bytes follow the end of the compressed data; they were left out");
  gzip[gzip.size() - 6] ^= 1;  // behind the text's last byte, and yet it is looked at
  const auto damaged = read_trace(gzip);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().message, "the gzip data are damaged: their check sum differs from what was inflated");
  EXPECT_EQ(damaged.error().where, "trace.json");
}

TEST(Kineto, LengthAndDepthAreNoMatter) {
  const std::string long_name(1'000'000, 'n');
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "[{\"a\":";
  for (int i = 0; i < 100'000; ++i) deep += i == 0 ? "1}]" : "}]";
  const auto profile = read_trace(trace({kernel_event(long_name, "1", "1"), kernel_event("k", "2", "1", "\"deep\": " + deep)}));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->info.kernels, 2U);
  EXPECT_TRUE(profile->warnings.empty());
}

TEST(Kineto, WithoutKernelsThereIsNothingToCompare) {
  const auto cpu_only = read_trace(trace({event("cpu_op", "aten::mm", "1", "2"), event("user_annotation", "step", "1", "3"),
                                          event("cuda_runtime", "cudaMalloc", "1", "2")}));
  ASSERT_FALSE(cpu_only);
  EXPECT_EQ(cpu_only.error().code, core::ErrorCode::invalid_input);
  EXPECT_EQ(
      cpu_only.error().message,
      "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds 1 CUDA or HIP API call and 2 ranges");
  EXPECT_EQ(
      cpu_only.error().hint,
      "record GPU activity too: torch.profiler with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], and check that "
      "the steps recorded reach the GPU");
  EXPECT_EQ(read_trace(trace({})).error().message,
            "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds nothing that can be compared");
}

TEST(Kineto, LaunchesWithoutGpuEventsSayWhatWasLost) {
  const std::string launch = event("cuda_runtime", "cudaLaunchKernel", "2", "1", R"("correlation": 7)");
  const std::string text = trace({event("cpu_op", "aten::mm", "1", "5"), launch, event("cuda_driver", "cuLaunchKernel", "4", "1"),
                                  event("cuda_runtime", "cudaMalloc", "9", "1")});
  const auto lost = read_trace(text);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, core::ErrorCode::invalid_input);
  EXPECT_EQ(lost.error().where, "trace.json");
  EXPECT_EQ(
      lost.error().message,
      "the trace holds 2 kernel launches and no GPU event: a capture bug until proven otherwise; what ran on the GPU was not "
      "recorded or never written");
  EXPECT_EQ(
      lost.error().hint,
      "stop the profiler behind a torch.cuda.synchronize(), for it writes GPU events when it stops, and look for its errors "
      "in the log: CUPTI (roctracer on AMD, PTI on Intel) may be missing, taken by another profiler or not permitted "
      "(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: set NVreg_RestrictProfilingToAdminUsers=0)");
  const auto cut = read_trace(text.substr(0, text.find("cuLaunchKernel")));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message,
            "the trace holds 1 kernel launch and no GPU event: it ends in the middle of something, behind 2 events, and GPU "
            "events are written behind those of the host");
  EXPECT_EQ(cut.error().hint,
            "copy the file again if it is whole elsewhere, or record it again and let the program live until the profiler has "
            "written it");
  const auto copied = read_trace(trace({launch, event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "5", "1", "", "0", "7")}));
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().message,
            "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds 1 CUDA or HIP API call and 1 copy")
      << "some of the GPU was recorded: only its kernels were not";
}

// As Kineto's plugin for Intel's PTI writes them.
TEST(Kineto, IntelGpusHaveQueuesCopiesAndCallsOfTheirOwn) {
  const std::string on_gpu =
      R"("context": "0x000055d08918fc78", "sycl queue": 64, "l0 queue": "0x000055d08b8fc138", "device": 0, )";
  const std::string text = trace(
      {
          event("cpu_op", "aten::mm", "10", "40", R"("External id": 5)"),
          event("xpu_runtime", "urUSMDeviceAlloc", "12", "3", R"("correlation": 4129)"),
          event("xpu_runtime", "urEnqueueKernelLaunch", "16", "6", R"("External id": 5, "correlation": 4131)"),
          event("xpu_driver", "zeCommandListAppendLaunchKernel", "17", "4", R"("correlation": 4130)"),
          event("kernel", "gemm_kernel", "30.5", "8.96", on_gpu + R"("External id": 5, "correlation": 4131)", "0", "64"),
          event("gpu_memcpy", "Memcpy M2D (MEMORY(Unknown) -> DEVICE)", "40", "2",
                on_gpu + R"("correlation": 4133, "bytes": 4096)", "0", "64"),
          event("gpu_memcpy", "Memcpy D2H (DEVICE -> HOST)", "43", "1", on_gpu + R"("correlation": 4134, "bytes": 8)", "0", "64"),
          event("gpu_memcpy", "Memcpy S2D (SHARED -> DEVICE)", "45", "1", on_gpu + R"("bytes": 8)", "0", "64"),
          event("gpu_memset", "Memset (0 -> DEVICE)", "47", "1", on_gpu + R"("bytes": 16)", "0", "64"),
          event("xpu_runtime", "urQueueFinish", "48", "20", R"("correlation": 4140)"),
      },
      R"("deviceProperties": [{"id": 0, "name": "Intel(R) Data Center GPU Max 1550"}])");
  const Capture capture = events_of(text);
  ASSERT_EQ(capture.ops.size(), 5U);
  EXPECT_EQ(capture.queues[capture.ops.queue[0]], (Queue{0, 0, 0, 64}));
  EXPECT_EQ(capture.ops.launch[0], 4131U);
  EXPECT_EQ(name_of(capture, 1), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(capture.copy_shapes[capture.ops.detail[1]], (CopyShape{4096, MemoryKind::pageable, MemoryKind::device}));
  EXPECT_EQ(name_of(capture, 2), "[CUDA memcpy Device-to-Host]");
  EXPECT_EQ(capture.copy_shapes[capture.ops.detail[2]], (CopyShape{8, MemoryKind::device, MemoryKind::pinned}));
  EXPECT_EQ(name_of(capture, 3), "[CUDA memcpy Unknown]") << "shared memory is on neither side";
  EXPECT_EQ(capture.copy_shapes[capture.ops.detail[3]].from, MemoryKind::managed);
  EXPECT_EQ(name_of(capture, 4), "[CUDA memset]");

  const auto profile = read_trace(text);
  ASSERT_TRUE(profile && profile->launches);
  EXPECT_EQ(profile->info.context.at("hardware.gpu"), "Intel(R) Data Center GPU Max 1550");
  EXPECT_EQ(profile->launches->launches, 1U) << "the driver's call is part of the runtime's";
  EXPECT_EQ(profile->launches->launch_api_ns, 6000);
  EXPECT_EQ(profile->launches->median_delay_ns, 8500);
  EXPECT_EQ(profile->launches->syncs, 1U);
  EXPECT_EQ(profile->launches->sync_ns, 20'000);
  EXPECT_EQ(profile->launches->allocations, 1U);
  ASSERT_EQ(profile->kernels.size(), 1U);
  ASSERT_EQ(profile->kernels[0].parents.size(), 1U);
  EXPECT_EQ(profile->kernels[0].parents[0].name, "aten::mm");
}

TEST(Kineto, OtherAcceleratorsFileTheirWorkUnderNamesOfTheirOwn) {
  const Capture capture = events_of(trace({
      event("mtia_runtime", "runtime_call", "1", "2", R"("correlation": 3)"),
      event("mtia_ccp_events", "fba_kernel", "5", "2", R"("correlation": 3)", "0", "4"),
      event("privateuse1_runtime", "launch", "8", "2", R"("correlation": 4)"),
      event("privateuse1_driver", "driver_launch", "8", "1"),
      event("kernel", "custom_kernel", "11", "2", R"("correlation": 4)", "0", "4"),
  }));
  ASSERT_EQ(capture.ops.size(), 2U);
  EXPECT_EQ(name_of(capture, 0), "fba_kernel");
  EXPECT_EQ(capture.ops.launch[0], 3U);
  EXPECT_EQ(capture.queues[capture.ops.queue[0]], (Queue{0, 0, 0, 4}));
  EXPECT_EQ(capture.calls.size(), 3U);
}

TEST(Kineto, DevicesMayBeChosen) {
  const std::string text = trace(
      {kernel_event("k", "1", "1"), event("cpu_op", "op", "1", "1"), event("kernel", "k", "1", "1", R"("device": 3)", "3", "7")});
  ReadOptions options;
  options.devices = {3};
  const auto profile = read_trace(text, options);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->info.kernels, 1U);
  EXPECT_EQ(message_of(profile->warnings, "device_filter"),
            "API calls and ranges belong to no device: they are those of the whole capture");
  options.devices = {5};
  const auto none = read_trace(text, options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "no GPU kernels on the devices asked for");
  EXPECT_EQ(none.error().hint, "the capture has device 0 and 3");
}

// XLA's profiler (JAX): no categories, but named processes and threads. Written after the layout that xprof documents.
TEST(XlaTrace, RowsAreToldByTheirNames) {
  const std::string text = R"x({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},
{"ph":"M","pid":1,"tid":13,"name":"thread_name","args":{"name":"Stream #13(Compute)"}},
{"ph":"M","pid":1,"tid":14,"name":"thread_name","args":{"name":"Stream #14(MemcpyH2D)"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"Steps"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"XLA Ops"}},
{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},
{"ph":"X","pid":701,"tid":9,"ts":1.5,"dur":2,"name":"cuLaunchKernel","args":{"correlation_id":"77"}},
{"ph":"X","pid":701,"tid":9,"ts":1,"dur":4,"name":"PjitFunction(step)"},
{"ph":"X","pid":701,"tid":9,"ts":1,"dur":4,"name":"$api.py:1 step"},
{"ph":"X","pid":1,"tid":13,"ts":5.25,"dur":3.125,"name":"loop_add_fusion","args":{"correlation_id":"77","hlo_op":"add.3",
 "kernel_details":"regs:16 static_shared:0 dynamic_shared:0 grid:4,2,1 block:256,1,1 occ_pct:100"}},
{"ph":"X","pid":1,"tid":14,"ts":4,"dur":1,"name":"MemcpyH2D","args":{
 "memcpy_details":"kind_src:pinned kind_dst:device size:4096 dest:0 async:1"}},
{"ph":"X","pid":1,"tid":2,"ts":5.25,"dur":3.125,"name":"add.3"},{"ph":"X","pid":1,"tid":1,"ts":4,"dur":5,"name":"12"}]})x";
  const Capture capture = events_of(text);
  ASSERT_EQ(capture.ops.size(), 2U);
  EXPECT_EQ(name_of(capture, 0), "loop_add_fusion");
  EXPECT_EQ(capture.ops.times.start(0), 5250);
  EXPECT_EQ(capture.ops.launch[0], 77U);
  EXPECT_EQ(capture.queues[capture.ops.queue[0]], (Queue{0, 0, 0, 13}));
  EXPECT_EQ(capture.launch_shapes[capture.ops.detail[0]], (LaunchShape{{4, 2, 1}, {256, 1, 1}}));
  EXPECT_EQ(name_of(capture, 1), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(capture.copy_shapes[capture.ops.detail[1]], (CopyShape{4096, MemoryKind::pinned, MemoryKind::device}));
  ASSERT_EQ(capture.calls.size(), 1U);
  ASSERT_EQ(capture.ranges.size(), 2U);
  EXPECT_EQ(capture.names.text(capture.ranges.name[0]), "PjitFunction(step)");
  EXPECT_EQ(capture.names.text(capture.ranges.name[1]), "step 12");
}

// The row is named by bare numbers; what the program calls a step has its number in an argument.
TEST(XlaTrace, StepsAreARowOfTheDeviceOrRangesOfTheHost) {
  const auto text = [](bool row, bool host) {
    std::string events = R"x({"traceEvents":[
{"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:GPU:1"}},
{"ph":"M","pid":3,"tid":13,"name":"thread_name","args":{"name":"Stream #13(Compute)"}},
{"ph":"M","pid":3,"tid":16,"name":"thread_name","args":{"name":"Steps"}},
{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}})x";
    for (int i = 0; i < 6; ++i) {
      const std::string n = std::to_string(i);
      const auto at = [i](int offset) { return std::to_string(1000 + 100 * i + offset); };
      events += R"(,{"ph":"X","pid":3,"tid":13,"ts":)" + at(20) + R"(,"dur":60,"name":"fusion","args":{"correlation_id":")" + n +
                R"("}},{"ph":"X","pid":701,"tid":9,"ts":)" + at(11) +
                R"(,"dur":2,"name":"cuLaunchKernel","args":{"correlation_id":")" + n + "\"}}";
      if (row) events += R"(,{"ph":"X","pid":3,"tid":16,"ts":)" + at(20) + R"(,"dur":70,"name":")" + n + "\"}";
      if (host)
        events +=
            R"(,{"ph":"X","pid":701,"tid":9,"ts":)" + at(10) + R"(,"dur":90,"name":"train","args":{"step_num":")" + n + "\"}}";
    }
    return events + "]}";
  };
  const auto row = read_trace(text(true, false)), host = read_trace(text(false, true));
  ASSERT_TRUE(row && host);
  EXPECT_EQ(row->steps.basis, "range");
  EXPECT_EQ(row->steps.name, "step");
  EXPECT_EQ(row->steps.steps.size(), 4U);
  EXPECT_EQ(host->steps.basis, "range");
  EXPECT_EQ(host->steps.name, "train step");
  EXPECT_EQ(host->steps.steps.size(), 4U);
  EXPECT_EQ(host->steps.steps[0].wall_ns, 100'000);
}

TEST(JsonTraceDetection, AsksWhatTheTopLevelSays) {
  const Scratch scratch;
  const auto kind = [&scratch](const std::string& text) {
    const OpenFile file(scratch.write("file.json", text), {});
    return json_trace(file);
  };
  const std::string one = kernel_event("k", "1", "1");
  EXPECT_EQ(kind(trace({one})), JsonTrace::trace_events);
  EXPECT_EQ(kind("\xEF\xBB\xBF" + trace({})), JsonTrace::trace_events);
  EXPECT_EQ(kind(R"({"metadata": {"a": [)" + std::string(500'000, ' ') + R"(]}, "traceEvents": [)"), JsonTrace::trace_events);
  EXPECT_EQ(kind("[" + one), JsonTrace::trace_events);
  EXPECT_EQ(kind(R"({"rocprofiler-sdk-tool": [{}]})"), JsonTrace::rocprof);
  // measurements
  EXPECT_EQ(kind(R"({"context": {}, "benchmarks": [{"name": "BM_x", "real_time": 1.0}]})"), JsonTrace::none);
  EXPECT_EQ(kind(R"({"request_throughput": 3.1, "note": "traceEvents"})"), JsonTrace::none);
  EXPECT_EQ(kind(R"({"inner": {"traceEvents": []}})"), JsonTrace::none);
  EXPECT_EQ(kind(R"({"traceEvents": 12})"), JsonTrace::none);
  EXPECT_EQ(kind(R"({"backend": "vllm", "output_throughput": 1000.0, "traceEvents": []})"), JsonTrace::none);
  EXPECT_EQ(kind(R"({"traceEvents": [{"a": 1}], "metadata": {}, "output_throughput": 1000.0})"), JsonTrace::none);
  EXPECT_EQ(kind(R"({"note": 1, "traceEvents": [{"a": 1}, )" + one + "]}"), JsonTrace::trace_events) << "an event is in it";
  EXPECT_EQ(kind(R"({"note": 1, "traceEvents": [], "displayTimeUnit": "ms"})"), JsonTrace::trace_events);
  EXPECT_EQ(kind(R"([{"ph": "7", "ts": 1, "pid": 2, "latency_ms": 3.5}])"), JsonTrace::none) << "acidity as a text";
  EXPECT_EQ(kind(R"([{"ph": 7.1, "ts": 1}, {"ph": "X", "ts": 1}])"), JsonTrace::none) << "acidity over time";
  EXPECT_EQ(kind(R"([{"name": "x", "value": 1}])"), JsonTrace::none);
  for (const char* other : {"", " ", "name,value\n", "[", "{", "[1, 2]", "{}", "\x1f\x8b\x08"})
    EXPECT_EQ(kind(other), JsonTrace::none);
  // A trace has a few members beside its events; a map of thousands of results is not looked through.
  const auto behind = [&](std::size_t members) {
    std::string text = "{";
    for (std::size_t i = 0; i < members; ++i) text += "\"k" + std::to_string(i) + "\": 1, ";
    return kind(text + "\"traceEvents\": [" + one + "]}");
  };
  EXPECT_EQ(behind(4095), JsonTrace::trace_events);
  EXPECT_EQ(behind(4096), JsonTrace::none);
  EXPECT_TRUE(is_capture(scratch.write("trace.json", trace({one}))));
  const auto read_by_form = read(scratch / "trace.json", {});
  ASSERT_TRUE(read_by_form);
  EXPECT_EQ(read_by_form->info.format, "kineto");
}

}  // namespace
}  // namespace plumbline::profiles::test
