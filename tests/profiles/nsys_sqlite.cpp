// Exports of every schema version are read by column name; what is damaged is refused or counted, never summed.
#include <cmath>

#include "profiles/readers/readers.hpp"
#include "profiles/readers/sqlite/sqlite_database.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

Profile must_read(const std::string& path, const ReadOptions& options = {}) {
  auto profile = read(path, options);
  EXPECT_TRUE(profile.has_value()) << (profile ? "" : profile.error().message);
  return profile ? *profile : Profile{};
}

TEST(NsysSqlite, StatisticsAreThoseOfNsysStats) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + kKernels + kernel(0, 2971823, 1) + kernel(10, 10 + 333015608, 1) +
                    kernel(5'000'000'000, 5'000'000'007, 2));
  const Profile profile = must_read(path);
  ASSERT_EQ(profile.kernels.size(), 2U);
  const Aggregate& gemm = find(profile.kernels, "gemm_kernel")->aggregate;
  EXPECT_EQ(gemm.count, 2U);
  EXPECT_EQ(gemm.total, 2971823 + 333015608);
  EXPECT_EQ(gemm.min, 2971823);
  EXPECT_EQ(gemm.max, 333015608);
  EXPECT_DOUBLE_EQ(gemm.median, (2971823 + 333015608) / 2.0);
  EXPECT_NEAR(gemm.stddev, 233376198.5, 0.1);  // sample (n - 1), as nsys prints it for these two
  const Aggregate& once = find(profile.kernels, "ncclDevKernel_AllReduce_Sum_f32_RING_LL")->aggregate;
  EXPECT_EQ(once.stddev, 0);
  EXPECT_EQ(once.median, 7);
  ASSERT_EQ(profile.nccl.size(), 1U);
  EXPECT_EQ(profile.info.span_ns, 5'000'000'007);
  EXPECT_EQ(profile.info.kernels, 3U);
}

TEST(NsysSqlite, AKernelLongerThanFourSecondsStaysExact) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + kKernels + kernel(0, 9'000'000'001, 1) + kernel(9'000'000'001, 9'000'000'002, 1) +
                    kernel(1, 4, 1));
  const Aggregate gemm = must_read(path).kernels.at(0).aggregate;
  EXPECT_EQ(gemm.total, 9'000'000'005);
  EXPECT_EQ(gemm.median, 3);
  EXPECT_EQ(gemm.max, 9'000'000'001);
}

struct SchemaCase {
  const char* name;
  const char* sql;
  const char* version;
};
class NsysSchemas : public ::testing::TestWithParam<SchemaCase> {};
TEST_P(NsysSchemas, AreReadAlike) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + GetParam().sql +
                    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,streamId,demangledName,globalPid) VALUES "
                    "(100,150,0,7,1,16777216);");
  const Profile profile = must_read(path);
  ASSERT_EQ(profile.kernels.size(), 1U);
  EXPECT_EQ(profile.kernels[0].name, "gemm_kernel");
  EXPECT_EQ(profile.kernels[0].aggregate.total, 50);
  EXPECT_EQ(profile.info.version, GetParam().version);
}
INSTANTIATE_TEST_SUITE_P(
    Versions, NsysSchemas,
    ::testing::Values(
        SchemaCase{"none",
                   "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,contextId,streamId,globalPid,demangledName);",
                   ""},
        SchemaCase{"old_metadata",
                   "CREATE TABLE EXPORT_META_DATA (name TEXT, value TEXT); INSERT INTO EXPORT_META_DATA VALUES "
                   "('EXPORT_PRODUCT_VERSION','2023.2.3'),"
                   "('EXPORT_SCHEMA_VERSION','3.1.7'); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL "
                   "(start,end,deviceId,contextId,streamId,globalPid,demangledName);",
                   "2023.2.3 (schema 3.1.7)"},
        SchemaCase{"green_contexts",
                   "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT); INSERT INTO META_DATA_EXPORT VALUES "
                   "('EXPORT_PRODUCT_VERSION','2025.3.1'),"
                   "('EXPORT_SCHEMA_VERSION','3.20.2'); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL "
                   "(start,end,deviceId,contextId,greenContextId,streamId,globalPid,"
                   "demangledName,shortName);",
                   "2025.3.1 (schema 3.20.2)"},
        SchemaCase{"other_order",
                   "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (demangledName,tensorSizeMinusOneElements "
                   "TEXT,globalPid,streamId,deviceId,end,start);",
                   ""}),
    [](const auto& each) { return each.param.name; });

// Exports of 2021 say nothing of themselves and name no kinds: no metadata, no ENUM_ tables, and of early 2021 another table of
// devices. The columns are those of the export scripts of that year.
TEST(NsysSqlite, ExportsOf2021AreReadWhole) {
  constexpr const char* kOps = "start,end,deviceId,contextId,streamId,correlationId,globalPid,";
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path,
          std::string(kStrings) + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (" + kOps +
              "demangledName,shortName,launchType,cacheConfig,registersPerThread,gridX,gridY,gridZ,blockX,blockY,blockZ,"
              "staticSharedMemory,dynamicSharedMemory,localMemoryPerThread,localMemoryTotal,gridId,sharedMemoryExecuted,"
              "graphNodeId,sharedMemoryLimitConfig);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000,1500,0,1,7,21,16777216,1,1,0,0,32,4,2,1,256,1,1,0,0,0,0,"
              "1,0,NULL,0),(1600,1900,0,1,7,22,16777216,1,1,0,0,32,4,2,1,256,1,1,0,0,0,0,2,0,NULL,0);"
              "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (" +
              kOps +
              "bytes,copyKind,deprecatedSrcId,srcKind,dstKind,srcDeviceId,srcContextId,dstDeviceId,dstContextId,graphNodeId);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (2000,2300,0,1,7,23,16777216,4096,2,0,2,0,NULL,NULL,NULL,NULL,"
              "NULL);"
              "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start,end,eventClass,globalTid,correlationId,nameId,returnValue,"
              "callchainId);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (900,950,0,16777217,21,3,0,NULL),(960,990,0,16777217,22,3,0,"
              "NULL);"
              "CREATE TABLE TARGET_INFO_CUDA_GPU (deviceId,name,numMultiprocessors,coreClockRate,globalMemorySize,"
              "computeCapabilityMajor,computeCapabilityMinor);"
              "INSERT INTO TARGET_INFO_CUDA_GPU VALUES (0,'Tesla V100-SXM2-16GB',80,1530000,16945512448,7,0);"
              "CREATE TABLE ANALYSIS_DETAILS (globalVid,duration,startTime,stopTime);");
  const Profile profile = must_read(path);
  EXPECT_EQ(profile.info.version, "");
  EXPECT_EQ(profile.info.kernel_ns, 800);
  ASSERT_TRUE(profile.launches);
  EXPECT_EQ(profile.launches->launches, 2U);
  EXPECT_EQ(profile.launches->median_delay_ns, (50 + 610) / 2.0);
  EXPECT_EQ(profile.launches->pageable_copies, 1U) << "kinds are numbers of the same meaning as later";
  EXPECT_EQ(profile.kernels.at(0).shapes.at(0).name, "(4,2,1)x(256,1,1)");
  EXPECT_EQ(find(profile.memory, "[CUDA memcpy Device-to-Host]")->bytes, 4096U);
  const core::Context expected = {{"hardware.gpu", "Tesla V100-SXM2-16GB"},
                                  {"hardware.gpu_compute_capability", "7.0"},
                                  {"hardware.gpu_count", "1"},
                                  {"hardware.gpu_memory_bytes", "16945512448"},
                                  {"hardware.gpu_sms", "80"}};
  EXPECT_EQ(profile.info.context, expected);
  EXPECT_TRUE(profile.warnings.empty());
}

TEST(NsysSqlite, CorrelationIdsOfTwoProcessesDoNotMix) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + kKernels + kernel(0, 10, 1, 0, 7, 42, 1L << 24) + kernel(0, 20, 1, 1, 7, 42, 2L << 24));
  const Profile profile = must_read(path);
  EXPECT_EQ(profile.kernels.at(0).aggregate.count, 2U);
  EXPECT_EQ(profile.kernels.at(0).aggregate.total, 30);
  EXPECT_EQ(profile.devices.size(), 2U);
  EXPECT_EQ(profile.streams, 2U);
}

TEST(NsysSqlite, AnIdWithoutStringIsShown) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + kKernels + kernel(0, 10, 123) + kernel(10, 20, -5));
  const Profile profile = must_read(path);
  EXPECT_NE(find(profile.kernels, "[id 123]"), nullptr);
  EXPECT_NE(find(profile.kernels, "[id -5]"), nullptr);
  EXPECT_TRUE(warned(profile.warnings, "missing_names"));
}

TEST(NsysSqlite, ImpossibleTimesAreCountedAndNotSummed) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + kKernels + kernel(0, 10, 1) + kernel(100, 50, 1) + kernel(100, 0, 1) +
                    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,demangledName) VALUES "
                    "('soon',5,0,1),(-9223372036854775807,9223372036854775807,0,1);");
  const Profile profile = must_read(path);
  EXPECT_EQ(profile.info.kernel_ns, 10);
  ASSERT_EQ(profile.warnings.size(), 2U);
  EXPECT_EQ(profile.warnings[0].message, "2 events end before the start; not summed");
  EXPECT_EQ(profile.warnings[1].message, "2 events have no usable start or end; not summed");
}

TEST(NsysSqlite, CopiesSetsCallsAndRangesGetNsysNames) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + kKernels + kernel(0, 10, 1) +
                    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start,end,deviceId,streamId,bytes,copyKind);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10,15,0,7,4,1),(15,17,0,7,4,8),(17,18,0,7,4,77);"
                    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start,end,deviceId,streamId,value,bytes);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (18,20,0,7,0,4);"
                    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start,end,globalTid,correlationId,nameId);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0,3,1,1,3),(3,4,1,2,4);"
                    "CREATE TABLE NVTX_EVENTS (start,end,eventType,text,globalTid,textId,domainId);"
                    "INSERT INTO NVTX_EVENTS VALUES "
                    "(0,NULL,75,'CCCL',16777216,NULL,1),(5,9,59,NULL,16777217,5,0),(5,9,59,'inline',16777217,NULL,1),"
                    "(2,NULL,60,NULL,16777217,5,0),(1,2,34,'mark',16777217,NULL,0),(5,6,59,NULL,33554433,5,1);");
  const Profile profile = must_read(path);
  EXPECT_EQ(find(profile.memory, "[CUDA memcpy Host-to-Device]")->aggregate.total, 5);
  EXPECT_EQ(find(profile.memory, "[CUDA memcpy Device-to-Device]")->aggregate.total, 2);
  EXPECT_NE(find(profile.memory, "[CUDA memcpy kind 77]"), nullptr);
  EXPECT_EQ(find(profile.memory, "[CUDA memset]")->aggregate.total, 2);
  EXPECT_NE(find(profile.api, "cudaLaunchKernel"), nullptr);
  EXPECT_NE(find(profile.api, "cudaEventRecordWithFlags_v11010"), nullptr);  // nsys strips only six characters
  EXPECT_EQ(find(profile.nvtx, ":forward")->aggregate.total, 4 + 7 + 1);     // the open one ends with the last event, at 9
  EXPECT_EQ(find(profile.nvtx, "CCCL:inline")->aggregate.count, 1U);
  EXPECT_TRUE(warned(profile.warnings, "open_ranges"));
  EXPECT_EQ(profile.info.span_ns, 20);
}

TEST(NsysSqlite, GraphReplaysCountAsGpuTime) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path,
          std::string(kStrings) +
              "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start,end,deviceId,graphId,graphExecId,streamId,correlationId);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (0,10,0,1,1,7,1),(20,30,0,1,1,7,2);"
              "CREATE TABLE META_DATA_CAPTURE (name,value); INSERT INTO META_DATA_CAPTURE VALUES "
              "('PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE','Graph');");
  const Profile profile = must_read(path);
  EXPECT_EQ(find(profile.kernels, "[CUDA graph replay]")->aggregate.total, 20);
  EXPECT_EQ(profile.graph_mode, "graph");
  EXPECT_TRUE(warned(profile.warnings, "graph_replays"));
}

TEST(NsysSqlite, NoKernelsIsRefusedAndSaysWhatIsThere) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(
      path,
      std::string(kStrings) + kKernels +
          "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start,end,nameId); INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0,1,3);");
  const auto profile = read(path, {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, core::ErrorCode::invalid_input);
  EXPECT_EQ(profile.error().message,
            "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds 1 CUDA API call");
}

TEST(NsysSqlite, OneDeviceOfSeveral) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + kKernels + kernel(0, 10, 1, 0) + kernel(0, 20, 1, 1));
  ReadOptions options;
  options.devices = {1};
  EXPECT_EQ(must_read(path, options).info.kernel_ns, 20);
  options.devices = {5};
  const auto none = read(path, options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "no GPU kernels on the devices asked for");
  EXPECT_EQ(none.error().hint, "the capture has device 0 and 1");
}

TEST(NsysSqlite, StopIsHeard) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(
      path,
      std::string(kStrings) + kKernels +
          "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < 50000) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
          "(start,end,deviceId,streamId,demangledName) SELECT i*10, i*10+5, 0, 7, 1 FROM n;");
  ReadOptions options;
  options.stop = [] { return true; };
  const auto profile = read(path, options);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, core::ErrorCode::cancelled);
}

TEST(NsysSqlite, ADamagedFileIsAnErrorWhereverItIsCut) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(
      path,
      std::string(kStrings) + kKernels +
          "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < 3000) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
          "(start,end,deviceId,streamId,demangledName) SELECT i*10, i*10+5, 0, 7, 1 FROM n;");
  const auto size = std::filesystem::file_size(path);
  for (const std::uintmax_t cut : {size - 1, size / 2, std::uintmax_t{5000}, std::uintmax_t{200}}) {
    std::filesystem::resize_file(path, cut);
    const auto profile = read(path, {});
    ASSERT_FALSE(profile) << cut;
    EXPECT_EQ(profile.error().code, core::ErrorCode::invalid_input) << cut;
    EXPECT_TRUE(is_capture(path)) << cut;
  }
}

TEST(NsysSqlite, NothingIsWrittenBesideTheFileAndOddPathsOpen) {
  Scratch scratch;
  const std::string path = scratch / "a b?c#d%41&mode=rwc.sqlite";
  run_sql(path, std::string("PRAGMA journal_mode=WAL;") + kStrings + kKernels + kernel(0, 10, 1));
  const auto before = std::filesystem::last_write_time(path);
  EXPECT_EQ(must_read(path).info.kernel_ns, 10);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
  EXPECT_EQ(std::filesystem::last_write_time(path), before);
}

TEST(NsysSqlite, AViewInATablesPlaceIsNotRun) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(
      path,
      std::string(kStrings) +
          "CREATE TABLE NVTX_EVENTS (start,end,eventType); CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS "
          "(SELECT 0 UNION ALL SELECT i+1 FROM n) SELECT i AS start, i AS \"end\", 0 AS deviceId, 1 AS demangledName FROM n;");
  const auto profile = read(path, {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message,
            "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds nothing that can be compared");
}

TEST(NsysSqlite, OnlyAllowedKeysLeaveTheEnvironmentTables) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + kKernels + kernel(0, 10, 1) +
                    "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid,devStateName,name,nameEnum,value);"
                    "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES "
                    "(1,'x','DeviceEnvironment',610,'WANDB_API_KEY=sesame'),(1,'x','NvDriverVersion',205,'580.95.05'),"
                    "(1,'x','Hostname',619,'sesame'),(1,'x','CudaDriverVersion',611,'12040'),(1,'x','OsDescription',605,'"
                    "two\nlines sesame');"
                    "CREATE TABLE META_DATA_CAPTURE (name,value); INSERT INTO META_DATA_CAPTURE VALUES "
                    "('PROCESS_0:ENVIRONMENT_VARIABLE','KEY=sesame'),"
                    "('PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE','sesame');"
                    "CREATE TABLE TARGET_INFO_GPU (id,name); INSERT INTO TARGET_INFO_GPU VALUES (0,'NVIDIA H100');");
  const core::Context expected = {
      {"hardware.driver", "580.95.05"}, {"hardware.gpu", "NVIDIA H100"}, {"hardware.gpu_count", "1"}, {"stack.cuda", "12.4"}};
  EXPECT_EQ(must_read(path).info.context, expected);
}

TEST(Captures, AreToldByContent) {
  Scratch scratch;
  const std::string pointer = scratch.write("x.sqlite", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n");
  EXPECT_TRUE(is_capture(pointer));
  EXPECT_EQ(read(pointer, {}).error().message, "the file is a Git LFS pointer, not the capture itself");
  const std::string json = scratch.write("x.json", "{\"a\": 1}");
  EXPECT_FALSE(is_capture(json));
  EXPECT_EQ(read(json, {}).error().message, "the file is not a capture that can be read");
  EXPECT_EQ(read(scratch.write("empty.sqlite", ""), {}).error().message,
            "the capture is empty: a capture bug until proven otherwise");
  EXPECT_EQ(read(scratch / "absent", {}).error().code, core::ErrorCode::not_found);
  const std::string other = scratch / "other.sqlite";
  run_sql(other, "CREATE TABLE t (a);");
  EXPECT_FALSE(is_capture(other));
  EXPECT_EQ(read(other, {}).error().message,
            "the SQLite database is not an export of Nsight Systems: it has no CUPTI_ACTIVITY_KIND_ table");
}

}  // namespace
}  // namespace plumbline::profiles::test
