// XLA's profiler (JAX): streams become GPU work, threads of the host calls and ranges. Checked by hand; with real captures of
// MI300X, the sums over streams are those of an independent decoder.
#include <gtest/gtest.h>

#include "profiles/readers/host/host_profiles.hpp"
#include "tests/profiles/fixture.hpp"
#include "tests/profiles/protobuf_writer.hpp"

namespace plumbline::profiles::test {
namespace {

std::string metadata(std::uint32_t field, std::uint64_t id, std::string_view name) {
  return bytes(field, number(1, id) + bytes(2, number(1, id) + bytes(2, name)));
}
std::string event_metadata(std::uint64_t id, std::string_view name) { return metadata(4, id, name); }
std::string stat_metadata(std::uint64_t id, std::string_view name) { return metadata(5, id, name); }
std::string stat_number(std::uint64_t id, std::uint64_t value) { return bytes(4, number(1, id) + number(4, value)); }
std::string stat_text(std::uint64_t id, std::string_view value) { return bytes(4, number(1, id) + bytes(5, value)); }
std::string stat_reference(std::uint64_t id, std::uint64_t text) { return bytes(4, number(1, id) + number(7, text)); }
std::string event(std::uint64_t name, std::uint64_t offset_ps, std::uint64_t duration_ps, const std::string& stats = {}) {
  return bytes(4, number(1, name) + number(2, offset_ps) + number(3, duration_ps) + stats);
}
std::string line(std::uint64_t id, std::string_view name, std::uint64_t timestamp_ns, const std::string& events) {
  return bytes(3, number(1, id) + bytes(2, name) + number(3, timestamp_ns) + events);
}
std::string plane(std::string_view name, const std::string& rest) { return bytes(1, number(1, 1) + bytes(2, name) + rest); }

// Stats: 1 correlation_id, 2 kernel_details, 3 memcpy_details, 4 device_vendor, 5 step_num; 6 and 7 are texts.
std::string stats() {
  return stat_metadata(1, "correlation_id") + stat_metadata(2, "kernel_details") + stat_metadata(3, "memcpy_details") +
         stat_metadata(4, "device_vendor") + stat_metadata(5, "step_num") +
         stat_metadata(6, "regs:32 static_shared:0 dynamic_shared:0 grid:12,2,1 block:256,1,1 occ_pct:100") +
         stat_metadata(7, "kind_src:pinned kind_dst:device size:4096 dest:0 async:1") + stat_metadata(8, "core_count");
}
std::string gpu(std::string_view name = "/device:GPU:0") {
  const std::string compute =
      line(13, "Stream #13(Compute)", 1000,
           event(1, 2'500'999, 1'000'002, stat_number(1, 77) + stat_reference(2, 6)) +
               event(1, 3'501'001, 999, stat_number(1, 78)) + event(2, 9'000'000, 500'000, stat_number(1, 79)));
  const std::string copies =
      line(14, "Stream #14(MemcpyH2D)", 1000,
           event(3, 0, 2'000'000, stat_number(1, 76) + stat_text(3, "kind_src:pinned kind_dst:device size:4096 dest:0 async:1")) +
               event(4, 2'000'000, 1000));
  const std::string derived = line(100, "XLA Ops", 1000, event(1, 0, 50'000'000));
  const std::string vendor = bytes(6, number(1, 4) + bytes(5, "Nvidia")) + bytes(6, number(1, 8) + number(3, 132));
  return plane(name, compute + copies + derived + vendor + event_metadata(1, "gemm_fusion_dot") + event_metadata(3, "MemcpyH2D") +
                         event_metadata(4, "Memset") + stats());
}
std::string host() {
  const std::string main = line(7, "python3", 500,
                                event(1, 0, 9'000'000, stat_number(5, 12)) + event(2, 1'000'000, 100'000, stat_number(1, 77)) +
                                    event(3, 0, 100'000'000) + bytes(4, number(1, 2) + number(5, 3)));
  return plane("/host:CPU", main + event_metadata(1, "train") + event_metadata(2, "cuLaunchKernel") +
                                event_metadata(3, "$model.py:12 forward") + stats());
}

TEST(Xplane, StreamsBecomeGpuWorkAndThreadsCallsAndRanges) {
  auto capture = read_xplane_bytes(gpu() + host() + bytes(4, "node-1"), "x.xplane.pb", {});
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(capture->info.format, "xplane");
  const GpuOps& ops = capture->ops;
  ASSERT_EQ(ops.size(), 5U);
  // Picoseconds are cut to whole nanoseconds at both ends: 2500.999 to 3501.001 ns behind the line's 1000.
  EXPECT_EQ(ops.times.start(0), 3500);
  EXPECT_EQ(ops.times.length(0), 1001);
  EXPECT_EQ(ops.times.start(1), ops.times.end(0));
  EXPECT_EQ(ops.times.length(1), 1);
  EXPECT_EQ(capture->names.text(ops.name[0]), "gemm_fusion_dot");
  EXPECT_EQ(capture->names.text(ops.name[2]), "[id 2]");
  EXPECT_EQ(ops.launch[0], 77U);
  EXPECT_EQ(ops.launch[4], kNone);
  EXPECT_EQ(ops.kind[0], OpKind::kernel);
  const LaunchShape& shape = capture->launch_shapes[ops.detail[0]];
  EXPECT_EQ(shape, (LaunchShape{{12, 2, 1}, {256, 1, 1}}));
  EXPECT_EQ(ops.detail[1], kNone);
  EXPECT_EQ(capture->queues[ops.queue[0]], (Queue{0, 0, 0, 13}));
  EXPECT_EQ(ops.kind[3], OpKind::copy);
  EXPECT_EQ(capture->names.text(ops.name[3]), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(capture->copy_shapes[ops.detail[3]], (CopyShape{4096, MemoryKind::pinned, MemoryKind::device}));
  EXPECT_EQ(ops.kind[4], OpKind::set);
  EXPECT_EQ(capture->gpus.at(0).name, "Nvidia GPU (132 cores)");

  ASSERT_EQ(capture->calls.size(), 1U);
  EXPECT_EQ(capture->names.text(capture->calls.name[0]), "cuLaunchKernel");
  EXPECT_EQ(capture->calls.correlation[0], 77U);
  EXPECT_EQ(capture->threads[capture->calls.thread[0]], (Thread{0, 7}));
  ASSERT_EQ(capture->ranges.size(), 1U);
  EXPECT_EQ(capture->names.text(capture->ranges.name[0]), "train step 12");
  EXPECT_EQ(capture->ranges.times.start(0), 500);
}

TEST(Xplane, IsAnalysedAsOtherCapturesAre) {
  const Scratch scratch;
  const std::string path = scratch.write("t.xplane.pb", gpu() + host());
  ASSERT_TRUE(is_capture(path));
  const auto profile = read(path, {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.kernels, 3U);
  EXPECT_EQ(profile->info.kernel_ns, 1001 + 1 + 500);
  ASSERT_NE(find(profile->kernels, "gemm_fusion_dot"), nullptr);
  EXPECT_EQ(find(profile->kernels, "gemm_fusion_dot")->aggregate.count, 2U);
  EXPECT_TRUE(profile->frames.empty());
}

TEST(Xplane, WithoutGpuWorkItIsRefusedWithWhatItHolds) {
  const auto capture = read_xplane_bytes(host() + plane("/device:TPU:0", {}), "x", {});
  ASSERT_FALSE(capture);
  EXPECT_EQ(
      capture.error().message,
      "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds 1 API call and 1 host range, on the "
      "planes \"/host:CPU\" and \"/device:TPU:0\"");
  EXPECT_EQ(capture.error().hint,
            "trace while the GPU is at work: jax.profiler.trace around steps that are compiled already; of TPUs nothing is read");
  ReadOptions other;
  other.devices = {3};
  const auto none = read_xplane_bytes(gpu() + gpu("/device:GPU:1"), "x", other);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "no GPU kernels on the devices asked for");
  EXPECT_EQ(none.error().hint, "the capture has devices 0 and 1");
}

TEST(Xplane, TimesThatMakeNoSenseAreLeftOutAndCounted) {
  const std::string odd =
      line(13, "Stream #13", 1000, event(1, 1000, 1000) + event(1, ~std::uint64_t{0}, 5) + event(1, 5, ~std::uint64_t{0}));
  const auto capture = read_xplane_bytes(plane("/device:GPU:0", odd), "x", {});
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->ops.size(), 1U);
  ASSERT_EQ(capture->warnings.size(), 1U);
  EXPECT_EQ(capture->warnings[0].message, "2 events whose times make no sense left out");
}

TEST(Xplane, EveryBeginningIsReadOrRefused) {
  const std::string whole = gpu() + host();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto capture = read_xplane_bytes(std::string_view(whole).substr(0, length), "x", {});
    EXPECT_EQ(capture.has_value(), length == gpu().size()) << length;
    EXPECT_TRUE(capture || !capture.error().message.empty());
  }
}

TEST(Xplane, IsRecognisedByItsGrammar) {
  EXPECT_TRUE(is_xplane_bytes(gpu(), true));
  EXPECT_TRUE(is_xplane_bytes(std::string_view(gpu()).substr(0, 60), false));
  EXPECT_FALSE(is_pprof_bytes(gpu(), true));
  for (const std::string& other :
       {std::string(), std::string("\n\n\n"), plane("some text", {}), bytes(1, "/device:GPU:0"), bytes(2, gpu())})
    EXPECT_FALSE(is_xplane_bytes(other, true));
}

}  // namespace
}  // namespace plumbline::profiles::test
