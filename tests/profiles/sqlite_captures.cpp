// Captures in SQLite give the same events over their pages and through SQLite, column by column.
#include "profiles/readers/sqlite/sqlite_captures.hpp"

#include "profiles/readers/nsys/nsys_reader.hpp"
#include "profiles/readers/rocm/rocpd.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

template <class Reader>
std::optional<Capture> captured(const std::string& path, RowSource source) {
  auto database = Database::open(path, {}, {});
  EXPECT_TRUE(database) << path;
  const ReadOptions options;
  auto capture = Reader(*database, options, source).read();
  EXPECT_TRUE(capture) << capture.error().message;
  return capture ? std::move(*capture) : std::nullopt;
}

std::string text(const Times& times, std::size_t i) {
  return std::to_string(times.start(i)) + "+" + std::to_string(times.length(i)) + " ";
}
std::string text(const Thread& thread) { return std::to_string(thread.process) + "/" + std::to_string(thread.thread); }

// Everything that a capture holds, a line per event, with what its numbers stand for.
std::vector<std::string> lines(const Capture& capture) {
  std::vector<std::string> out;
  const GpuOps& ops = capture.ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Queue& queue = capture.queues[ops.queue[i]];
    std::string line = text(ops.times, i) + capture.names.text(ops.name[i]);
    for (const std::int64_t part : {queue.process, queue.device, queue.context, queue.stream}) line += " " + std::to_string(part);
    line += " " + std::to_string(static_cast<int>(ops.kind[i])) + " " + std::to_string(ops.launch[i]);
    if (ops.detail[i] != kNone && ops.kind[i] == OpKind::kernel) {
      const LaunchShape& shape = capture.launch_shapes[ops.detail[i]];
      for (const auto* part : {shape.grid, shape.block}) {
        for (int axis = 0; axis < 3; ++axis) line += "," + std::to_string(part[axis]);
      }
    } else if (ops.detail[i] != kNone) {
      const CopyShape& shape = capture.copy_shapes[ops.detail[i]];
      line += " " + std::to_string(shape.bytes) + "," + std::to_string(static_cast<int>(shape.from)) + "," +
              std::to_string(static_cast<int>(shape.to));
    }
    out.push_back(std::move(line));
  }
  const Calls& calls = capture.calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    out.push_back(text(calls.times, i) + capture.names.text(calls.name[i]) + " " + text(capture.threads[calls.thread[i]]) + " " +
                  std::to_string(calls.correlation[i]));
  }
  const Ranges& ranges = capture.ranges;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    out.push_back(text(ranges.times, i) + capture.names.text(ranges.name[i]) + " " + text(capture.threads[ranges.thread[i]]));
  }
  for (const Collective& each : capture.collectives) {
    out.push_back(std::to_string(each.op) + " " + each.type + " " + each.dtype + " " + std::to_string(each.bytes) + " " +
                  std::to_string(each.group_size));
  }
  for (const core::Warning& each : capture.warnings) out.push_back(std::string(each.code.text()) + ": " + each.message);
  for (const auto& [key, value] : capture.info.context) out.push_back(key + "=" + value);
  for (const auto& [device, gpu] : capture.gpus) out.push_back(std::to_string(device) + " is " + gpu.name);
  return out;
}

template <class Reader>
std::vector<std::string> expect_both_ways(const std::string& path) {
  const auto pages = captured<Reader>(path, RowSource::pages_where_possible);
  const auto sqlite = captured<Reader>(path, RowSource::sqlite);
  if (!pages || !sqlite) {
    ADD_FAILURE() << path;
    return {};
  }
  const std::vector<std::string> mine = lines(*pages);
  const std::vector<std::string> theirs = lines(*sqlite);
  EXPECT_EQ(mine.size(), theirs.size());
  for (std::size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
    if (mine[i] != theirs[i]) {
      ADD_FAILURE() << path << " line " << i << "\n" << mine[i] << "\n" << theirs[i];
      break;
    }
  }
  return mine;
}

TEST(SqliteCaptures, RealExportsReadTheSameBothWays) {
  const std::string folder = samples("profiles/nsys");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  for (const char* name : {"mfu_2gpu_before.sqlite", "mfu_2gpu_after.sqlite", "power_iteration__baseline.sqlite"}) {
    const std::vector<std::string> all = expect_both_ways<NsysReader>(folder + name);
    EXPECT_GT(all.size(), 4000U) << name;
    for (const std::string& line : all) EXPECT_EQ(line.find("do-not-print-me"), std::string::npos);
  }
}

constexpr const char* kEveryTable =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER, gridX INTEGER, "
    "gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100,150,0,1,7,5,16777216,1,NULL,NULL,64,1,1,256,1,1),"
    "(160,165,1,1,13,5,33554432,2,1,NULL,64,2,1,128,1,1),(170,171,0,2,7,NULL,16777216,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL),"
    "(172,180,0,1,7,6,16777216,NULL,NULL,99,1,1,1,1,1,1),(181,190,0,1,7,7,16777216,NULL,NULL,NULL,-5,1,4294967300,1,1,1),"
    "(5,4,0,1,7,8,16777216,1,1,1,1,1,1,1,1,1),(NULL,4,0,1,7,8,16777216,1,1,1,1,1,1,1,1,1);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start,end,deviceId,graphId,graphExecId,streamId,correlationId);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (200,210,0,1,1,7,9);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY "
    "(start,end,deviceId,streamId,bytes,copyKind,srcKind,dstKind,correlationId,globalPid);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (300,305,0,7,4096,1,0,2,10,16777216),(306,307,0,7,-1,2,2,1,11,16777216);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start,end,deviceId,streamId,bytes,memKind);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (310,311,0,7,512,2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER,end INTEGER,eventClass INTEGER,globalTid INTEGER,correlationId "
    "INTEGER,nameId INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (90,95,0,16777217,5,3),(96,97,1,16777218,6,4),"
    "(98,99,0,33554433,5,77);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER,end INTEGER,eventType INTEGER,text TEXT,globalTid INTEGER,textId INTEGER,domainId "
    "INTEGER); INSERT INTO NVTX_EVENTS VALUES (0,NULL,75,NULL,16777217,6,1),(10,400,59,'step 1',16777217,NULL,0),"
    "(20,30,60,NULL,16777217,5,1),(40,NULL,59,'open',16777217,NULL,NULL);";

TEST(SqliteCaptures, EveryTableReadsTheSameBothWays) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + kEveryTable);
  EXPECT_EQ(expect_both_ways<NsysReader>(path),
            (std::vector<std::string>{
                "100+50 gemm_kernel 16777216 0 1 7 0 5,64,1,1,256,1,1",
                "160+5 ncclDevKernel_AllReduce_Sum_f32_RING_LL 33554432 1 1 13 0 5,64,2,1,128,1,1",
                "170+1 gemm_kernel 16777216 0 2 7 0 4294967295",
                "172+8 [id 99] 16777216 0 1 7 0 6,1,1,1,1,1,1",
                "181+9 [no name] 16777216 0 1 7 0 7,0,1,4294967295,1,1,1",
                "200+10 [CUDA graph replay] 0 0 0 7 3 9",
                "300+5 [CUDA memcpy Host-to-Device] 16777216 0 0 7 1 10 4096,1,3",
                "306+1 [CUDA memcpy Device-to-Host] 16777216 0 0 7 1 11 0,3,2",
                "310+1 [CUDA memset] 0 0 0 7 2 4294967295 512,3,3",
                "90+5 cudaLaunchKernel 16777216/16777217 5",
                "96+1 cudaEventRecordWithFlags_v11010 16777216/16777218 6",
                "98+1 [id 77] 33554432/33554433 5",
                "10+390 :step 1 16777216/16777217",
                "20+10 CCCL:forward 16777216/16777217",
                "40+360 :open 16777216/16777217",
                "reversed_times: 1 event ends before the start; not summed",
                "unreadable_times: 1 event has no usable start or end; not summed",
                "missing_names: 2 names are not in StringIds and shown as [id N]",
                "open_ranges: 1 NVTX range was still open; taken to end with the last NVTX event",
                "graph_replays: 1 CUDA graph replay is in the capture as a whole, without the kernels inside; capture with "
                "--cuda-graph-trace=node to see them",
            }));
}

TEST(SqliteCaptures, PagesThatTurnOutUnusualAreReadThroughSqlite) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  // The device came with a later ALTER TABLE: older records are short of it.
  run_sql(path, std::string(kStrings) +
                    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, demangledName INTEGER);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 10, 1),(20, 25, 2);"
                    "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN deviceId INTEGER DEFAULT 3;");
  auto database = Database::open(path, {}, {});
  ASSERT_TRUE(database);
  const ReadOptions options;
  const auto pages = NsysReader(*database, options, RowSource::pages_where_possible).read();
  ASSERT_TRUE(pages);
  EXPECT_FALSE(*pages);
  const auto profile = read(path, {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.kernels, 2U);
  ASSERT_EQ(profile->devices.size(), 1U);
  EXPECT_EQ(profile->devices[0].device, 3);
}

TEST(SqliteCaptures, ATableOfStringsWithoutAKeyIsReadOnce) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path,
          std::string(kStrings) + kEveryTable +
              "CREATE TABLE s AS SELECT id, value FROM StringIds; DROP TABLE StringIds; ALTER TABLE s RENAME TO StringIds;");
  EXPECT_EQ(expect_both_ways<NsysReader>(path)[0], "100+50 gemm_kernel 16777216 0 1 7 0 5,64,1,1,256,1,1");
}

TEST(SqliteCaptures, RangesWithMoreNamesThanCanBeComparedLoseTheirNumbers) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  const auto read_with = [&](const std::string& columns) {
    std::filesystem::remove(path);
    run_sql(path, std::string(kStrings) + kKernels + kernel(0, 10, 1) +
                      "CREATE TABLE NVTX_EVENTS (start INTEGER,end INTEGER,eventType INTEGER,text TEXT,textId INTEGER);"
                      "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i+1 FROM n WHERE i < 210099) " +
                      columns);
    const auto profile = read(path, {});
    EXPECT_TRUE(profile) << profile.error().message;
    return profile ? *profile : Profile{};
  };
  const std::string insert = "INSERT INTO NVTX_EVENTS SELECT i, i + 2, 59, ";
  const Profile written = read_with(insert + "'aten::mm, seq = ' || i, NULL FROM n;");
  ASSERT_EQ(written.nvtx.size(), 1U);
  EXPECT_EQ(written.nvtx[0].name, ":aten::mm");
  EXPECT_EQ(written.nvtx[0].aggregate.count, 210000U);
  EXPECT_TRUE(warned(written.warnings, "shortened_names"));
  const Profile registered =
      read_with(insert + "NULL, i FROM n; INSERT INTO StringIds SELECT textId, 'aten::mm, seq = ' || textId FROM NVTX_EVENTS;");
  ASSERT_EQ(registered.nvtx.size(), 1U);
  EXPECT_EQ(registered.nvtx[0].name, ":aten::mm");
  EXPECT_TRUE(warned(registered.warnings, "shortened_names"));
}

TEST(SqliteCaptures, TimesSinceTheEpochAreTimesLikeOthers) {  // nsys export --ts-normalize=true
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  const long epoch = 1'779'782'330'176'752'435;
  run_sql(path, std::string(kStrings) + kKernels + kernel(epoch, epoch + 10, 1) + kernel(epoch + 30, epoch + 50, 1));
  const auto profile = read(path, {});
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->info.kernel_ns, 30);
  EXPECT_EQ(profile->info.span_ns, 50);
}

TEST(SqliteCaptures, TheDevicesThatWorkedSayHowFastTheyAre) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + kKernels + kernel(0, 10, 1, 0) + kernel(20, 30, 1, 2) +
                    "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, totalMemory INTEGER, clockRate INTEGER, "
                    "smCount INTEGER, computeMajor INTEGER, computeMinor INTEGER);"
                    "INSERT INTO TARGET_INFO_GPU VALUES (1,0,'A',1000,1590000000,40,7,5),(1,1,'B',2000,1980000000,132,9,0),"
                    "(1,2,'A',1000,1600000000,40,7,5);"
                    "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT); INSERT INTO META_DATA_CAPTURE VALUES "
                    "('PROCESS_0:COLLECT_GPU_MEMORY_USAGE','true'),('COLLECT_UVM_CPU_PAGE_FAULTS','false'),"
                    "('LINUX_PERF_OPTIONS:COLLECT_CPU_CTXSW_TRACE','True');");
  const auto profile = read(path, {});
  ASSERT_TRUE(profile);
  const core::Context expected = {{"hardware.clock_max_mhz", "1590, 1600"},
                                  {"hardware.gpu", "A"},
                                  {"hardware.gpu_compute_capability", "7.5"},
                                  {"hardware.gpu_count", "2"},
                                  {"hardware.gpu_memory_bytes", "1000"},
                                  {"hardware.gpu_sms", "40"},
                                  {"regime.nsys_collects", "gpu memory usage, CPU context switches"}};
  EXPECT_EQ(profile->info.context, expected);
}

}  // namespace
}  // namespace plumbline::profiles::test
