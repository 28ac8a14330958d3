// rocpd databases of our own making: tables and columns as rocprofv3's schema 3 has them, as far as they are read.
#include "profiles/readers/rocm/rocpd.hpp"

#include "profiles/redact.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

// The tables of one process. `set` is what stands behind their names.
std::string tables(const std::string& set, const std::string& prefix = "rocpd_") {
  const auto table = [&](const std::string& name, const std::string& columns) {
    return "CREATE TABLE \"" + prefix + name + set +
           "\" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT DEFAULT 'g' NOT NULL, " + columns + ");";
  };
  return "CREATE TABLE \"" + prefix + "metadata" + set +
         "\" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, tag TEXT NOT NULL, value TEXT NOT NULL);" +
         table("string", "string TEXT NOT NULL UNIQUE") +
         table("info_node", "hostname TEXT, release TEXT, machine_id TEXT NOT NULL UNIQUE") +
         table("info_process",
               "nid INTEGER, pid INTEGER NOT NULL, command TEXT, environment JSONB DEFAULT '{}' NOT NULL, extdata JSONB") +
         table("info_thread", "pid INTEGER, tid INTEGER NOT NULL") +
         table("info_agent", "type TEXT, type_index INTEGER, name TEXT, product_name TEXT, model_name TEXT") +
         table("info_kernel_symbol", "kernel_name TEXT, display_name TEXT") +
         table("event",
               "category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER, call_stack JSONB, "
               "extdata JSONB DEFAULT '{}' NOT NULL") +
         table("region",
               "nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, \"end\" BIGINT, name_id INTEGER, event_id INTEGER") +
         table(
             "kernel_dispatch",
             "nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, "
             "stream_id INTEGER, start BIGINT, \"end\" BIGINT, workgroup_size_x INTEGER, workgroup_size_y INTEGER, "
             "workgroup_size_z "
             "INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, region_name_id INTEGER, event_id INTEGER") +
         table("memory_copy",
               "nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, \"end\" BIGINT, name_id INTEGER, dst_agent_id INTEGER, "
               "src_agent_id "
               "INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER");
}

std::string rows(const std::string& set, const std::string& prefix = "rocpd_") {
  const auto into = [&](const std::string& name, const std::string& columns, const std::string& values) {
    return "INSERT INTO \"" + prefix + name + set + "\" (" + columns + ") VALUES " + values + ";";
  };
  return into("metadata", "tag, value", "('schema_version','3')") +
         into("string", "id, string",
              "(1,'HIP_RUNTIME_API_EXT'),(2,'MARKER_CORE_RANGE_API'),(3,'HSA_CORE_API'),(4,'hipLaunchKernel'),(5,'hipMemcpyAsync'"
              "),"
              "(6,'roctxThreadRangeA'),(7,'hsa_queue_create'),(8,'MEMORY_COPY_HOST_TO_DEVICE'),(9,'KERNEL_DISPATCH')") +
         into("info_node", "hostname, release, machine_id", "('sesame','6.8.0-40','sesame')") +
         into("info_process", "id, pid, command, environment", "(1,4242,'sesame --token sesame','{\"TOKEN\":\"sesame\"}')") +
         into("info_thread", "id, pid, tid", "(1,1,4243)") +
         into("info_agent", "id, type, type_index, name, product_name",
              "(1,'CPU',0,'EPYC',''),(2,'GPU',0,'gfx942','AMD Instinct MI300X'),(3,'GPU',1,'gfx942','AMD Instinct MI300X')") +
         into("info_kernel_symbol", "id, kernel_name, display_name", "(11,'gemm.kd','gemm(float*)'),(12,'copy_kernel.kd',NULL)") +
         into("event", "id, category_id, stack_id, correlation_id, extdata",
              "(1,1,501,0,'{}'),(2,9,501,0,'{}'),(3,1,502,0,'{}'),(4,2,503,0,'{\"message\":\"forward "
              "\\\"1\\\"\"}'),(5,3,504,0,'{}'),"
              "(6,2,505,0,'{}')") +
         into("region", "pid, tid, start, \"end\", name_id, event_id",
              "(1,1,100,110,4,1),(1,1,120,130,5,3),(1,1,90,400,6,4),(1,1,101,102,7,5),(1,1,91,92,6,6),(1,1,140,141,4,NULL)") +
         into("kernel_dispatch",
              "pid, tid, agent_id, kernel_id, queue_id, stream_id, start, \"end\", workgroup_size_x, workgroup_size_y, "
              "workgroup_size_z, "
              "grid_size_x, grid_size_y, grid_size_z, region_name_id, event_id",
              // Without a thread, an event or a region's name: the views of rocpd have only the first of these.
              "(1,1,2,11,1,7,150,250,256,1,1,1000,2,1,4,2),(1,NULL,3,12,2,0,160,180,64,1,1,64,1,1,NULL,NULL),"
              "(1,1,2,99,1,7,260,270,64,1,1,64,1,1,NULL,2),(1,1,2,11,1,7,300,290,64,1,1,64,1,1,NULL,2)") +
         into("memory_copy", "pid, tid, start, \"end\", name_id, src_agent_id, dst_agent_id, size, stream_id, queue_id, event_id",
              "(1,1,131,139,8,1,3,4096,7,NULL,3)");
}

constexpr const char* kSet = "_0000a1b2_c3d4_7e5f_8a9b_0123456789ab";

TEST(Rocpd, KernelsCopiesCallsAndRangesAreRead) {
  Scratch scratch;
  const std::string path = scratch / "results.db";
  run_sql(path, tables(kSet) + rows(kSet));
  EXPECT_TRUE(is_capture(path));
  for (const RowSource source : {RowSource::pages_where_possible, RowSource::sqlite}) {
    auto database = Database::open(path, {}, {});
    ASSERT_TRUE(database);
    const ReadOptions options;
    RocpdReader reader(*database, options, source);
    const auto read = reader.read();
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_TRUE(*read);
    const Capture& capture = **read;
    EXPECT_EQ(capture.info.format, "rocpd");
    EXPECT_EQ(capture.info.version, "schema 3");
    EXPECT_EQ(capture.environment_rows, 1U);
    EXPECT_EQ(capture.info.context, (core::Context{{"environment.kernel", "6.8.0-40"}}));
    EXPECT_EQ(capture.gpus.at(1).name, "AMD Instinct MI300X");
    ASSERT_EQ(capture.ops.size(), 4U);
    EXPECT_EQ(capture.names.text(capture.ops.name[0]), "gemm(float*)");
    EXPECT_EQ(capture.names.text(capture.ops.name[1]), "copy_kernel.kd");
    EXPECT_EQ(capture.names.text(capture.ops.name[2]), "[id 99]");
    EXPECT_EQ(capture.names.text(capture.ops.name[3]), "[CUDA memcpy Host-to-Device]");
    EXPECT_EQ(capture.queues[capture.ops.queue[0]], (Queue{4242, 0, 1, 7}));
    EXPECT_EQ(capture.queues[capture.ops.queue[1]], (Queue{4242, 1, 2, 0}));
    EXPECT_EQ(capture.queues[capture.ops.queue[3]], (Queue{4242, 1, 0, 7}));
    EXPECT_EQ(capture.launch_shapes[capture.ops.detail[0]], (LaunchShape{{4, 2, 1}, {256, 1, 1}}));
    EXPECT_EQ(capture.copy_shapes[capture.ops.detail[3]], (CopyShape{4096, MemoryKind::unknown, MemoryKind::device}));
    EXPECT_EQ(capture.ops.launch[0], 501U);
    EXPECT_EQ(capture.ops.launch[1], kNone);
    EXPECT_EQ(capture.ops.launch[3], 502U);
    ASSERT_EQ(capture.calls.size(), 3U);
    EXPECT_EQ(capture.names.text(capture.calls.name[0]), "hipLaunchKernel");
    EXPECT_EQ(capture.calls.correlation[0], 501U);
    EXPECT_EQ(capture.threads[capture.calls.thread[0]], (Thread{4242, 4243}));
    EXPECT_EQ(capture.calls.correlation[2], kNone);
    ASSERT_EQ(capture.ranges.size(), 2U);
    EXPECT_EQ(capture.names.text(capture.ranges.name[0]), "forward \"1\"");
    EXPECT_EQ(capture.names.text(capture.ranges.name[1]), "roctxThreadRangeA");
    std::vector<std::string> warnings;
    for (const core::Warning& each : capture.warnings) warnings.push_back(std::string(each.code.text()) + ": " + each.message);
    EXPECT_EQ(warnings,
              (std::vector<std::string>{"missing_names: 1 record is of a name that no table has, and shown as [id N]",
                                        "regions_left_out: 1 call of HSA or of a decoder is inside those of HIP; left out",
                                        "reversed_times: 1 event ends before the start; not summed"}));
  }
  const auto profile = read(path, {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.kernel_ns, 100 + 20 + 10);
  EXPECT_EQ(profile->info.kernels, 3U);
  EXPECT_EQ(profile->devices.size(), 2U);
}

TEST(Rocpd, OlderTablesAndThoseWithoutARunsIdAreReadAlike) {
  for (const auto& [set, prefix] : {std::pair("", "rocpd_"), std::pair(kSet, "_rocpd_")}) {
    Scratch scratch;
    const std::string path = scratch / "results.db";
    run_sql(path, tables(set, prefix) + rows(set, prefix));
    const auto profile = read(path, {});
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->info.kernel_ns, 130);
  }
}

TEST(Rocpd, AMergedFileHoldsASetOfTablesPerProcess) {
  Scratch scratch;
  const std::string path = scratch / "results.db";
  const std::string other = "_0000ffff_0000_7000_8000_000000000002";
  run_sql(path, tables(kSet) + rows(kSet) + tables(other) + rows(other) + "UPDATE \"rocpd_info_process" + other +
                    "\" SET pid = 77; UPDATE \"rocpd_info_kernel_symbol" + other +
                    "\" SET display_name = 'norm()' WHERE id = 11; UPDATE \"rocpd_kernel_dispatch" + other +
                    "\" SET start = start + 1000, \"end\" = \"end\" + 1000;");
  const auto profile = read(path, {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.kernel_ns, 260);
  EXPECT_EQ(find(profile->kernels, "gemm(float*)")->aggregate.count, 1U);
  EXPECT_EQ(find(profile->kernels, "norm()")->aggregate.count, 1U);
  EXPECT_EQ(profile->environment_rows, 2U);
}

TEST(Rocpd, WithoutKernelsItIsRefused) {
  Scratch scratch;
  const std::string path = scratch / "results.db";
  run_sql(path, tables(kSet) + rows(kSet) + "DELETE FROM \"rocpd_kernel_dispatch" + kSet + "\";");
  const auto profile = read(path, {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(
      profile.error().message,
      "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds 3 CUDA or HIP API calls, 1 copy and 2 "
      "ranges");
}

TEST(Rocpd, RedactionTakesEnvironmentsCommandsAndHosts) {
  Scratch scratch;
  const std::string path = scratch / "results.db";
  run_sql(path, tables(kSet) + rows(kSet));
  const auto redacted = redacted_capture(path, {});
  ASSERT_TRUE(redacted) << redacted.error().message;
  EXPECT_EQ(redacted->bytes.find("sesame"), std::string::npos);
  const auto profile = read(scratch.write("redacted.db", redacted->bytes), {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.kernel_ns, 130);
  EXPECT_EQ(profile->environment_rows, 0U);
}

}  // namespace
}  // namespace plumbline::profiles::test
