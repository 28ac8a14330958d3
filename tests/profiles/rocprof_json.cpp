// rocprofv3's JSON, written by hand after its documented layout.
#include "profiles/readers/rocm/rocprof_json.hpp"

#include "tests/profiles/fixture.hpp"
#include "tests/profiles/trace_text.hpp"

namespace plumbline::profiles::test {
namespace {

const std::string kTables = R"x("metadata": {"pid": 4242, "environment": {"HOME": "/root", "TOKEN": "do-not-print-me-1234"}},
 "agents": [{"id": {"handle": 11}, "type": 1, "name": "EPYC"},
            {"id": {"handle": 12}, "type": 2, "name": "gfx942", "product_name": "AMD Instinct MI300X"},
            {"id": {"handle": 13}, "type": 2, "name": "gfx942", "product_name": "AMD Instinct MI300X"}],
 "strings": {"buffer_records": [{"kind": "NONE", "operations": []},
               {"kind": "HIP_RUNTIME_API", "operations": ["hipInit", "hipLaunchKernel"]},
               {"kind": "MEMORY_COPY", "operations": ["NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE"]},
               {"kind": "MARKER_CORE_API", "operations": ["roctxMarkA", "roctxRangePushA"]}],
             "marker_api": [{"key": 9, "value": "forward"}]},
 "kernel_symbols": [{"kernel_id": 0},
   {"kernel_id": 5, "kernel_name": "_Z3addPf.kd", "formatted_kernel_name": "add(float*)"},
   {"kernel_id": 6, "kernel_name": "mul.kd"}])x";
const std::string kRecords = R"x("buffer_records": {
 "kernel_dispatch": [
  {"size": 1, "kind": 4, "operation": 2, "thread_id": 77, "correlation_id": {"internal": 3, "external": 0},
   "start_timestamp": 1000, "end_timestamp": 1500,
   "dispatch_info": {"agent_id": {"handle": 12}, "queue_id": {"handle": 2}, "kernel_id": 5, "dispatch_id": 1,
                     "workgroup_size": {"x": 64, "y": 2, "z": 1}, "grid_size": {"x": 65, "y": 2, "z": 1}}},
  {"correlation_id": {"internal": 4}, "stream_id": {"handle": 8}, "start_timestamp": 2000, "end_timestamp": 2300,
   "dispatch_info": {"agent_id": {"handle": 13}, "queue_id": {"handle": 18446744073709551600}, "kernel_id": 6}},
  {"start_timestamp": 3000, "end_timestamp": 3100, "dispatch_info": {"agent_id": {"handle": 12}, "kernel_id": 99}},
  {"start_timestamp": 3000, "end_timestamp": 2100, "dispatch_info": {"agent_id": {"handle": 12}, "kernel_id": 5}}],
 "memory_copy": [{"kind": 2, "operation": 2, "correlation_id": {"internal": 5}, "start_timestamp": 100, "end_timestamp": 180,
                  "dst_agent_id": {"handle": 12}, "src_agent_id": {"handle": 11}, "bytes": 4096}],
 "hip_api": [{"kind": 1, "operation": 1, "thread_id": 77, "correlation_id": {"internal": 3}, "start_timestamp": 900,
              "end_timestamp": 950}],
 "marker_api": [{"kind": 3, "operation": 1, "thread_id": 77, "correlation_id": {"internal": 9}, "start_timestamp": 800,
                 "end_timestamp": 4000}],
 "hsa_api": [{"kind": 9}]})x";

Capture events_of(const std::string& text) {
  Capture capture;
  const ReadOptions options;
  RocprofReader reader(capture, options);
  const auto stream = [&] { return stream_json(*memory_bytes(text), reader, {}); };
  auto end = stream();
  if (end && reader.again()) end = stream();
  EXPECT_TRUE(end);
  EXPECT_FALSE(reader.again());
  const core::Status status = reader.finish(*end);
  EXPECT_TRUE(status) << status.error().message;
  return capture;
}

void expect_all(const Capture& capture) {
  ASSERT_EQ(capture.ops.size(), 4U);
  EXPECT_EQ(capture.names.text(capture.ops.name[0]), "add(float*)");
  EXPECT_EQ(capture.ops.times.start(0), 1000);
  EXPECT_EQ(capture.ops.times.length(0), 500);
  EXPECT_EQ(capture.ops.launch[0], 3U);
  EXPECT_EQ(capture.queues[capture.ops.queue[0]], (Queue{4242, 0, 0, 2})) << "GPUs are numbered in their order";
  EXPECT_EQ(capture.launch_shapes[capture.ops.detail[0]], (LaunchShape{{2, 1, 1}, {64, 2, 1}})) << "a grid counts work-items";
  EXPECT_EQ(capture.names.text(capture.ops.name[1]), "mul.kd");
  EXPECT_EQ(capture.queues[capture.ops.queue[1]], (Queue{4242, 1, 0, 8}));
  EXPECT_EQ(capture.ops.detail[1], kNone);
  EXPECT_EQ(capture.names.text(capture.ops.name[2]), "[id 99]");
  EXPECT_EQ(capture.names.text(capture.ops.name[3]), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(capture.copy_shapes[capture.ops.detail[3]].bytes, 4096U);
  EXPECT_EQ(capture.queues[capture.ops.queue[3]].device, 0);
  ASSERT_EQ(capture.calls.size(), 1U);
  EXPECT_EQ(capture.names.text(capture.calls.name[0]), "hipLaunchKernel");
  EXPECT_EQ(capture.threads[capture.calls.thread[0]], (Thread{4242, 77}));
  ASSERT_EQ(capture.ranges.size(), 1U);
  EXPECT_EQ(capture.names.text(capture.ranges.name[0]), "forward");
  EXPECT_EQ(capture.gpus.at(1).name, "AMD Instinct MI300X");
  EXPECT_EQ(capture.gpus.size(), 2U);
  EXPECT_EQ(capture.environment_rows, 2U);
  EXPECT_TRUE(warned(capture.warnings, "missing_names"));
  EXPECT_TRUE(warned(capture.warnings, "reversed_times"));
}

TEST(RocprofJson, RecordsBecomeColumns) {
  expect_all(events_of("{\"rocprofiler-sdk-tool\": [{" + kTables + ", " + kRecords + "}]}"));
  expect_all(events_of("{\"rocprofiler-sdk-tool\": {" + kTables + ", " + kRecords + "}}"));
}

TEST(RocprofJson, TablesMayStandBehindTheRecords) {
  expect_all(events_of("{\"rocprofiler-sdk-tool\": [{" + kRecords + ", " + kTables + "}]}"));
}

TEST(RocprofJson, ProcessesAreOneElementEach) {
  std::string second = kTables;
  second.replace(second.find("4242"), 4, "4243");
  const Capture capture =
      events_of("{\"rocprofiler-sdk-tool\": [{" + kTables + ", " + kRecords + "}, {" + kRecords + ", " + second + "}]}");
  ASSERT_EQ(capture.ops.size(), 8U);
  std::int64_t of_second = 0;
  for (std::size_t i = 0; i < capture.ops.size(); ++i) of_second += capture.queues[capture.ops.queue[i]].process == 4243;
  EXPECT_EQ(of_second, 4);
}

TEST(RocprofJson, IsReadByItsContent) {
  const Scratch scratch;
  const auto profile =
      read(scratch.write("results.json", "{\"rocprofiler-sdk-tool\": [{" + kTables + ", " + kRecords + "}]}"), {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.format, "rocprofv3-json");
  EXPECT_EQ(profile->info.kernel_ns, 900);
  EXPECT_EQ(profile->environment_rows, 2U);
  const auto empty = read(scratch.write("empty.json", "{\"rocprofiler-sdk-tool\": [{" + kTables + "}]}"), {});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message,
            "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds nothing that can be compared");
  EXPECT_EQ(
      empty.error().hint,
      "record with rocprofv3 --kernel-trace --memory-copy-trace --hip-trace --output-format json, and check that the program "
      "reaches the GPU");
}

TEST(RocprofJson, EveryPrefixIsReadOrRefused) {
  const std::string text = "{\"rocprofiler-sdk-tool\": [{" + kTables + ", " + kRecords + "}]}";
  std::uint64_t most = 0;
  for (std::size_t size = 30; size < text.size(); ++size) {
    const auto profile = read_trace(std::string_view(text).substr(0, size));
    if (!profile) {
      EXPECT_FALSE(profile.error().message.empty());
      continue;
    }
    EXPECT_GE(profile->info.kernels, most);
    EXPECT_TRUE(warned(profile->warnings, "capture_incomplete")) << size;
    most = profile->info.kernels;
  }
  EXPECT_EQ(most, 3U);
}

}  // namespace
}  // namespace plumbline::profiles::test
