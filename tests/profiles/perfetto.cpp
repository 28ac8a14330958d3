// Perfetto's packets: names told once, clocks, tracks, slices, render stages; what is lost is said. The files of our own are
// written by perfetto_golden.py beside this file, which decodes them by other means, too: their figures come from there.
#include <gtest/gtest.h>

#include "profiles/readers/host/host_profiles.hpp"
#include "tests/profiles/fixture.hpp"
#include "tests/profiles/protobuf_writer.hpp"

namespace plumbline::profiles::test {
namespace {

// Field numbers as in the protos; the first words of each are what the packet says.
std::string packet(const std::string& fields, std::uint64_t sequence = 1) { return bytes(1, fields + number(10, sequence)); }
std::string at(std::uint64_t time) { return number(8, time); }
std::string cleared() { return number(13, 1); }
std::string interned(const std::string& entries) { return bytes(12, entries); }
std::string entry(std::uint32_t kind, std::uint64_t id, std::string_view text) {
  return bytes(kind, number(1, id) + bytes(2, text));
}
std::string thread_track(std::uint64_t uuid, std::uint64_t process, std::uint64_t thread, std::string_view name = "") {
  return packet(
      bytes(60, number(1, uuid) + bytes(4, number(1, process) + number(2, thread) + (name.empty() ? "" : bytes(5, name)))));
}
std::string argument(std::string_view key, std::uint64_t value) { return bytes(4, bytes(10, key) + number(4, value)); }
std::string begin(std::uint64_t track, std::string_view category, std::string_view name, const std::string& more = {}) {
  return bytes(11, number(9, 1) + number(11, track) + (category.empty() ? "" : bytes(22, category)) + bytes(23, name) + more);
}
std::string end(std::uint64_t track) { return bytes(11, number(9, 2) + number(11, track)); }
std::string slice(std::uint64_t from, std::uint64_t to, std::uint64_t track, std::string_view category, std::string_view name,
                  const std::string& more = {}) {
  return packet(at(from) + begin(track, category, name, more)) + packet(at(to) + end(track));
}
std::string kernel(std::uint64_t from, std::uint64_t to, std::string_view name = "gemm") {
  return slice(from, to, 90, "kernel", name);
}

core::Expected<Capture> read_packets(const std::string& trace) { return read_perfetto_bytes(trace, "x.pftrace", {}); }
Capture must_read(const std::string& trace) {
  auto capture = read_packets(trace);
  EXPECT_TRUE(capture) << (capture ? "" : capture.error().message);
  return capture ? std::move(*capture) : Capture{};
}
std::string name_of(const Capture& capture, std::size_t op) { return capture.names.text(capture.ops.name[op]); }
std::string warnings(const Capture& capture) {
  std::string all;
  for (const core::Warning& each : capture.warnings) all += std::string(each.code.text()) + ": " + each.message + "\n";
  return all;
}

TEST(Perfetto, SlicesOfKinetosCategoriesAreItsEvents) {
  const Capture capture =
      must_read(thread_track(5, 100, 200) + slice(900, 2000, 5, "user_annotation", "ProfilerStep#3") +
                slice(1000, 1500, 5, "cpu_op", "aten::mm") +
                slice(1100, 1200, 5, "cuda_runtime", "cudaLaunchKernel", argument("correlation", 7)) +
                slice(1300, 1900, 90, "kernel", "void gemm<float>(int)",
                      argument("device", 2) + argument("stream", 7) + argument("correlation", 7)) +
                slice(1900, 1950, 90, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)",
                      argument("device", 2) + argument("stream", 8) + argument("bytes", 4096)) +
                slice(1950, 1960, 90, "gpu_memset", "Memset (Device)") +
                slice(1300, 1960, 90, "gpu_user_annotation", "ProfilerStep#3") + slice(1, 2, 5, "python_function", "f"));
  ASSERT_EQ(capture.ops.size(), 3U);
  EXPECT_EQ(name_of(capture, 0), "void gemm<float>(int)");
  EXPECT_EQ(capture.ops.times.start(0), 1300);
  EXPECT_EQ(capture.ops.times.length(0), 600);
  EXPECT_EQ(capture.ops.launch[0], 7U);
  EXPECT_EQ(capture.queues[capture.ops.queue[0]], (Queue{0, 2, 0, 7}));
  EXPECT_EQ(name_of(capture, 1), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(capture.copy_shapes[capture.ops.detail[1]], (CopyShape{4096, MemoryKind::pageable, MemoryKind::device}));
  EXPECT_EQ(capture.ops.kind[2], OpKind::set);
  EXPECT_EQ(capture.queues[capture.ops.queue[2]], (Queue{0, 0, 0, 90})) << "without a stream a track is one";
  ASSERT_EQ(capture.calls.size(), 1U);
  EXPECT_EQ(capture.threads[capture.calls.thread[0]], (Thread{100, 200}));
  ASSERT_EQ(capture.ranges.size(), 3U);
  EXPECT_EQ(capture.ranges.kind[0], RangeKind::annotation);
  EXPECT_EQ(capture.ranges.kind[1], RangeKind::op);
  EXPECT_EQ(capture.ranges.kind[2], RangeKind::frame);
  EXPECT_EQ(warnings(capture), "");
}

TEST(Perfetto, RocprofsCategoriesAreKnownToo) {
  const Capture capture =
      must_read(thread_track(5, 100, 200) + slice(10, 20, 5, "hip_api", "hipLaunchKernel", argument("corr_id", 9)) +
                slice(11, 15, 5, "hsa_api", "hsa_signal_store_relaxed") + slice(5, 90, 5, "marker_api", "step") +
                slice(30, 50, 77, "kernel_dispatch", "gemm.kd",
                      bytes(4, bytes(10, "agent") + bytes(6, "GPU-4")) + argument("queue", 1) + argument("corr_id", 9)) +
                slice(60, 70, 78, "memory_copy", "MEMORY_COPY_HOST_TO_DEVICE", argument("copy_bytes", 64)));
  ASSERT_EQ(capture.ops.size(), 2U);
  EXPECT_EQ(capture.queues[capture.ops.queue[0]], (Queue{0, 4, 0, 1}));
  EXPECT_EQ(capture.ops.launch[0], 9U);
  EXPECT_EQ(name_of(capture, 1), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(capture.copy_shapes[capture.ops.detail[1]].bytes, 64U);
  EXPECT_EQ(capture.calls.size(), 1U) << "HSA's calls stand inside HIP's";
  ASSERT_EQ(capture.ranges.size(), 1U);
  EXPECT_EQ(capture.names.text(capture.ranges.name[0]), "step");
}

TEST(Perfetto, NamesAreToldOnceUntilTheStateIsCleared) {
  const auto by_id = [](std::uint64_t from, std::uint64_t to, std::uint64_t name, std::uint64_t sequence) {
    return packet(at(from) + number(13, 2) + bytes(11, number(9, 1) + number(11, 90) + number(3, 1) + number(10, name)),
                  sequence) +
           packet(at(to) + end(90), sequence);
  };
  const Capture capture =
      must_read(packet(cleared() + interned(entry(1, 1, "kernel") + entry(2, 5, "first")), 1) +
                packet(cleared() + interned(entry(1, 1, "kernel") + entry(2, 5, "other sequence")), 2) + by_id(10, 20, 5, 1) +
                by_id(30, 40, 5, 2) + packet(cleared() + interned(entry(1, 1, "kernel") + entry(2, 5, "second")), 1) +
                by_id(50, 60, 5, 1) + by_id(70, 80, 6, 1) + packet(number(42, 1) + at(81), 2) + by_id(90, 95, 5, 2));
  ASSERT_EQ(capture.ops.size(), 4U);
  EXPECT_EQ(name_of(capture, 0), "first");
  EXPECT_EQ(name_of(capture, 1), "other sequence");
  EXPECT_EQ(name_of(capture, 2), "second");
  EXPECT_EQ(name_of(capture, 3), "[no name]");
  EXPECT_EQ(warnings(capture),
            "capture_incomplete: 1 packet refers to names of packets that were lost; left out\n"
            "missing_names: 1 name is used and in no packet before; shown as [no name]\n"
            "unreadable_times: 1 event ends what was not begun; not summed\n");
}

std::string reading(std::uint64_t clock, std::uint64_t stamp, const std::string& more = {}) {
  return bytes(1, number(1, clock) + number(2, stamp) + more);
}

TEST(Perfetto, ClocksBecomeOne) {
  // Clock 64 of the sequence counts microseconds from the last packet on, clock 3 is 1000 ns behind boot time.
  const std::string snapshot =
      packet(bytes(6, reading(6, 5'000'000) + reading(3, 4'999'000) + reading(64, 5000, number(3, 1) + number(4, 1000))) +
             cleared() + bytes(59, number(58, 64) + bytes(11, number(11, 90))));
  const auto event = [](std::uint64_t delta, const std::string& fields) { return packet(number(8, delta) + bytes(11, fields)); };
  const Capture capture = must_read(snapshot + event(10, number(9, 1) + bytes(22, "kernel") + bytes(23, "a")) +
                                    event(5, number(9, 2)) + packet(at(6'000'000) + number(58, 3) + begin(91, "kernel", "b"), 2) +
                                    packet(at(6'000'500) + number(58, 3) + end(91), 2) +
                                    event(7, number(9, 1) + bytes(22, "kernel") + bytes(23, "c")) + event(1, number(9, 2)) +
                                    packet(at(1) + number(58, 70) + begin(92, "kernel", "lost"), 3));
  ASSERT_EQ(capture.ops.size(), 3U);
  EXPECT_EQ(capture.ops.times.start(0), 5'010'000);
  EXPECT_EQ(capture.ops.times.length(0), 5000);
  EXPECT_EQ(capture.ops.times.start(1), 6'001'000);
  EXPECT_EQ(capture.ops.times.length(1), 500);
  EXPECT_EQ(capture.ops.times.start(2), 5'022'000);
  EXPECT_EQ(warnings(capture),
            "unreadable_times: 1 packet has the time of a clock that no snapshot relates to the others'; not summed\n");
}

TEST(Perfetto, RenderStagesAreGpuWork) {
  const std::string specification = packet(cleared() + interned(entry(24, 3, "Compute dispatch") + entry(24, 1, "queue 0")));
  const auto stage = [](std::uint64_t time, const std::string& fields) { return packet(at(time) + bytes(53, fields)); };
  const std::string dims = bytes(21, bytes(1, number(1, 12) + number(2, 2) + number(3, 1)) + bytes(2, number(1, 256)));
  const Capture capture =
      must_read(specification + stage(100, number(2, 40) + number(13, 1) + number(14, 3) + number(11, 1) + number(5, 9) + dims) +
                stage(200, number(2, 5) + number(13, 1) + bytes(17, "named")) + stage(300, number(13, 1) + bytes(17, "a point")));
  ASSERT_EQ(capture.ops.size(), 2U);
  EXPECT_EQ(name_of(capture, 0), "Compute dispatch");
  EXPECT_EQ(capture.ops.times.start(0), 100);
  EXPECT_EQ(capture.ops.times.length(0), 40);
  EXPECT_EQ(capture.queues[capture.ops.queue[0]], (Queue{0, 1, 9, 1}));
  EXPECT_EQ(capture.launch_shapes[capture.ops.detail[0]], (LaunchShape{{12, 2, 1}, {256, 0, 0}}));
  EXPECT_EQ(name_of(capture, 1), "named");
}

TEST(Perfetto, XlasStreamsAreToldByTheirNames) {
  const std::string process = packet(bytes(60, number(1, 1) + bytes(3, number(1, 9) + bytes(6, "/device:GPU:3"))));
  const std::string stream = packet(bytes(60, number(1, 2) + number(5, 1) + bytes(2, "Stream #13(Compute)")));
  const std::string host = packet(bytes(60, number(1, 4) + bytes(3, number(1, 701) + bytes(6, "/host:CPU"))));
  const Capture capture =
      must_read(process + stream + host + thread_track(5, 701, 9) + slice(10, 30, 2, "", "loop_fusion") +
                slice(40, 50, 2, "", "MemcpyH2D") + slice(5, 8, 5, "", "cuLaunchKernel", argument("correlation_id", 4)) +
                slice(1, 60, 5, "", "train", argument("step_num", 12)));
  ASSERT_EQ(capture.ops.size(), 2U);
  EXPECT_EQ(capture.queues[capture.ops.queue[0]], (Queue{0, 3, 0, 13}));
  EXPECT_EQ(capture.ops.kind[1], OpKind::copy);
  EXPECT_EQ(capture.calls.size(), 1U);
  ASSERT_EQ(capture.ranges.size(), 1U);
  EXPECT_EQ(capture.names.text(capture.ranges.name[0]), "train step 12");
}

TEST(Perfetto, EventsOfChromesJsonKeepTheirPhases) {
  const auto legacy = [](char phase, std::uint64_t length_us) {
    return bytes(6, number(2, static_cast<std::uint64_t>(phase)) + number(3, length_us));
  };
  const auto event = [](const std::string& more) {
    return bytes(11, number(11, 90) + bytes(22, "kernel") + bytes(23, "k") + more);
  };
  const Capture capture =
      must_read(packet(at(1000) + event(legacy('X', 2))) + packet(at(5000) + event(bytes(6, number(2, 'B')))) +
                packet(at(5600) + event(bytes(6, number(2, 'E')))) + packet(at(1) + event(legacy('i', 0))));
  ASSERT_EQ(capture.ops.size(), 2U);
  EXPECT_EQ(capture.ops.times.length(0), 2000);
  EXPECT_EQ(capture.ops.times.length(1), 600);
}

TEST(Perfetto, WhatIsMissingIsSaid) {
  const std::string host = thread_track(5, 1, 1) + slice(1, 9, 5, "cpu_op", "aten::mm");
  const auto cpu = read_packets(host);
  ASSERT_FALSE(cpu);
  EXPECT_EQ(cpu.error().message, "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds 1 range");
  EXPECT_EQ(
      cpu.error().hint,
      "record GPU activity too (torch.profiler with ProfilerActivity.CUDA, rocprofv3 --kernel-trace --output-format pftrace, a "
      "data source of GPU render stages), and check that the trace reaches the GPU work");
  const auto lost = read_packets(host + slice(2, 3, 5, "hip_api", "hipLaunchKernel"));
  ASSERT_FALSE(lost);
  EXPECT_TRUE(lost.error().message.starts_with("the trace holds 1 kernel launch and no GPU event")) << lost.error().message;
  const auto packed = read_packets(host + bytes(1, bytes(50, "deflated")));
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().message, "1 packet is compressed by the tracing service, and the others hold no GPU kernels");
  EXPECT_EQ(packed.error().hint, "unpack it: traceconv decompress_packets FILE OUT");

  const std::string open = packet(at(5) + begin(5, "user_annotation", "open"));
  const std::string trace = thread_track(5, 1, 1) + open + kernel(10, 20) + bytes(1, bytes(50, "deflated"));
  const Capture capture = must_read(trace + kernel(30, 40).substr(0, 10));
  EXPECT_EQ(capture.ops.size(), 1U);
  EXPECT_EQ(
      warnings(capture),
      "capture_incomplete: 1 packet is compressed by the tracing service and not read; unpack the trace: traceconv "
      "decompress_packets FILE OUT\n"
      "capture_incomplete: the trace ends in the middle of something, behind 5 events: these were read, and what followed is "
      "not there\n"
      "open_ranges: 1 range was still open; taken to end with the last event\n");
}

TEST(Perfetto, EveryPrefixIsReadOrRefused) {
  const std::string trace =
      thread_track(5, 1, 1) + packet(cleared() + interned(entry(2, 5, "n"))) + kernel(10, 20) + kernel(30, 40);
  for (std::size_t size = 0; size < trace.size(); ++size) {
    const auto capture = read_packets(trace.substr(0, size));
    EXPECT_TRUE(capture || !capture.error().message.empty());
  }
  EXPECT_EQ(must_read(trace).ops.size(), 2U);
}

TEST(Perfetto, IsToldFromOtherProtobufs) {
  const std::string trace = thread_track(5, 1, 1) + kernel(10, 20);
  EXPECT_TRUE(is_perfetto_bytes(trace, true));
  EXPECT_TRUE(is_perfetto_bytes(std::string_view(trace).substr(0, trace.size() - 3), false)) << "a head that ends in a packet";
  EXPECT_FALSE(is_perfetto_bytes("", true));
  EXPECT_FALSE(is_perfetto_bytes(bytes(1, number(1, 1) + bytes(2, "/device:GPU:0")), true)) << "XLA's";
  EXPECT_FALSE(is_perfetto_bytes(bytes(1, number(1, 1) + number(2, 2)) + bytes(2, number(1, 1)), true)) << "pprof";
  EXPECT_FALSE(is_perfetto_bytes("name,value\n1,2\n", true));
  EXPECT_FALSE(is_pprof_bytes(trace, true));
  EXPECT_FALSE(is_xplane_bytes(trace, true));
}

TEST(Perfetto, OwnFilesSayWhatTheOtherDecoderSays) {
  const auto profile = read(PLUMBLINE_TESTS "/fuzz/corpus/capture_readers/perfetto/kineto.pftrace", {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.format, "perfetto");
  EXPECT_EQ(profile->info.kernels, 40U);
  EXPECT_EQ(profile->info.kernel_ns, 2'199'000);
  EXPECT_EQ(find(profile->kernels, "gemm_kernel")->aggregate.total, 869'000);
  EXPECT_EQ(find(profile->kernels, "elementwise_add")->aggregate.total, 680'000);
  EXPECT_EQ(profile->nccl.at(0).aggregate.total, 650'000);
  ASSERT_TRUE(profile->launches);
  EXPECT_EQ(profile->launches->launches, 40U);
  EXPECT_TRUE(profile->launches->median_delay_ns);
  EXPECT_EQ(profile->kernels.at(0).parents.at(0).name, "aten::mm");
}

}  // namespace
}  // namespace plumbline::profiles::test
