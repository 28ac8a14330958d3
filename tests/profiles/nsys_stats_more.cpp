// Reports of `nsys stats` beyond plain sums: launch shapes, ranges on the GPU, launches, sizes, traces with timestamps, and JSON.
#include <functional>

#include "profiles/diff/diff.hpp"
#include "profiles/readers/readers.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

const std::string kSum = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n";
const std::string kShaped =
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),GridXYZ,BlockXYZ,Name\n"
    "60,600,1,600,600,600,600,0,   2    1    1,  32    1    1,k\n40,300,1,300,300,300,300,0,   1    1    1,  32    1    1,k\n";
const std::string kGpuTrace =
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput "
    "(MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n"
    "1000,100,11,2,1,1,128,1,1,32,0.000,0.000,,,,,NVIDIA H100 (1),1,7,\"gemm<1, 2>(int)\"\n"
    "1200,50,12,,,,,,,,,,8.389,16000.0,Pageable,Device,NVIDIA H100 (1),1,7,[CUDA memcpy HtoD]\n"
    "1250,20,13,,,,,,,,,,0.001,50.0,Device,,NVIDIA H100 (1),1,7,[CUDA memset]\n"
    "1300,200,14,1,1,1,32,1,1,32,0.000,0.000,,,,,NVIDIA H100 (1),1,13,ncclDevKernel_AllReduce\n";
const std::string kApiTrace =
    "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n"
    "900,40,cudaLaunchKernel_v7000,0,11,4242,4243,20,python\n1150,10,cudaMemcpyAsync_v3020,0,12,4242,4243,20,python\n"
    "1260,10,cudaLaunchKernel_v7000,0,14,4242,4243,20,python\n";
const std::string kRangeTrace =
    "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,RangeStack,"
    "NameTree\n"
    "800,1600,800,0,800,:step,4242,4243,0,0,1,,:1,:step\n";

TEST(NsysStats, LaunchShapesComeWithTheKernels) {
  const auto shaped = read_nsys_stats_text(kShaped, "x_cuda_gpu_kern_gb_sum.csv");
  ASSERT_TRUE(shaped) << shaped.error().message;
  ASSERT_EQ(shaped->kernels.size(), 1U);
  EXPECT_EQ(shaped->info.kernel_ns, 900);
  ASSERT_EQ(shaped->kernels[0].shapes.size(), 2U);
  EXPECT_EQ(shaped->kernels[0].shapes[0].name, "(2,1,1)x(32,1,1)");
  EXPECT_EQ(shaped->kernels[0].shapes[0].total, 600);

  // Both reports in one output are the same kernels once.
  const auto both = read_nsys_stats_text(kSum + "100,900,2,450,450,300,600,212.1,k\n\n" + kShaped, "stats.csv");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->info.kernel_ns, 900);
  EXPECT_EQ(both->kernels.at(0).aggregate.median, 450);
  EXPECT_EQ(both->kernels.at(0).shapes.size(), 2U);
}

TEST(NsysStats, TitlesTellReportsOfOneHeaderApart) {
  const auto profile = read_nsys_stats_text(
      " ** OpenMP Summary (openmp_sum):\n\nTime (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
      "(ns),Name\n100,77,1,77,77,77,77,0,Barrier\n\n"
      "Processing [x.sqlite] with [/opt/nsys/reports/opengl_khr_range_sum.py]... \n"
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Range\n100,5,1,5,5,5,5,0,draw\n\n"
      " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum:base):\n\n" +
          kSum + "100,900,2,450,450,300,600,212.1,k\n",
      "all.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->kernels.size(), 1U);
  EXPECT_EQ(profile->kernels[0].name, "k");
  EXPECT_TRUE(profile->nvtx.empty());
}

TEST(NsysStats, RangesOnTheGpu) {
  Scratch scratch;
  scratch.write("x_cuda_gpu_kern_sum.csv", kSum + "100,900,2,450,450,300,600,212.1,k\n");
  scratch.write("x_nvtx_gpu_proj_sum.csv",
                "Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns),Proj Med (ns),Proj Min "
                "(ns),Proj Max (ns),Proj StdDev (ns),Total GPU Ops,Avg GPU Ops,Avg Range Lvl,Avg Num Child\n"
                ":forward,PushPop,700,300,2,350,350,350,350,0,3,1.5,0,0\n");
  const auto projected = read(scratch.path(), {});
  ASSERT_TRUE(projected) << projected.error().message;
  ASSERT_EQ(projected->ranges.size(), 1U);
  EXPECT_EQ(projected->ranges[0].name, ":forward");
  EXPECT_EQ(projected->ranges[0].gpu_ns, 700);
  EXPECT_EQ(projected->ranges[0].host_ns, 300);
  EXPECT_EQ(projected->ranges[0].count, 2U);
  EXPECT_EQ(projected->ranges[0].kernels, 3U);

  // Kernel time inside is the better figure: two kernels in one range, of which each row repeats the count; two threads.
  scratch.write("x_nvtx_kern_sum.csv",
                "NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
                "(ns),Kernel Name\n"
                ":forward,PushPop,1,2,2,2,400,200,200,200,200,0,k\n:forward,PushPop,1,2,2,1,100,100,100,100,100,0,q\n"
                ":forward,PushPop,1,3,5,1,50,50,50,50,50,0,k\n");
  const auto exact = read(scratch.path(), {});
  ASSERT_TRUE(exact) << exact.error().message;
  ASSERT_EQ(exact->ranges.size(), 1U);
  EXPECT_EQ(exact->ranges[0].gpu_ns, 550);
  EXPECT_EQ(exact->ranges[0].kernels, 4U);
  EXPECT_EQ(exact->ranges[0].count, 7U);
  EXPECT_EQ(exact->ranges[0].host_ns, 300);
  EXPECT_EQ(exact->info.kernel_ns, 900);
}

TEST(NsysStats, LaunchesAndSizes) {
  const std::string executions =
      "PID,TID,DevId,Count,QCount,TAvg (ns),TMed (ns),TMin (ns),TMax (ns),TStdDev (ns),AAvg (ns),AMed (ns),AMin (ns),AMax "
      "(ns),AStdDev (ns),QAvg (ns),QMed (ns),QMin (ns),QMax (ns),QStdDev (ns),KAvg (ns),KMed (ns),KMin (ns),KMax (ns),KStdDev "
      "(ns),API Name,Kernel Name\n"
      "1,2,0,4,3,9,9,9,9,0,2.5,2,2,4,0,1,1,1,1,0,100.3,100,100,101,0,cudaLaunchKernel,k\n"
      "1,2,0,1,1,9,9,9,9,0,7,7,7,7,0,1,1,1,1,0,50,50,50,50,0,cudaGraphLaunch_v10000,q\n";
  const auto alone = read_nsys_stats_text(executions, "x_cuda_kern_exec_sum.csv");
  ASSERT_TRUE(alone) << alone.error().message;
  ASSERT_TRUE(alone->launches);
  EXPECT_EQ(alone->launches->launches, 5U);
  EXPECT_EQ(alone->launches->graph_launches, 1U);
  EXPECT_EQ(alone->launches->launch_api_ns, 17);
  EXPECT_EQ(find(alone->kernels, "k")->aggregate.total, 401);
  EXPECT_FALSE(find(alone->kernels, "k")->aggregate.has_spread);

  const auto beside = read_nsys_stats_text(executions + "\n" + kSum + "100,402,4,100.5,100,100,101,0,k\n\n" +
                                               "Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation\n"
                                               "\"1,048.577\",2,524.288,524.288,0.001,1048.576,0,[CUDA memcpy HtoD]\n",
                                           "all.csv");
  ASSERT_TRUE(beside) << beside.error().message;
  EXPECT_EQ(beside->info.kernel_ns, 402);
  ASSERT_EQ(beside->metrics.size(), 1U);
  EXPECT_EQ(beside->metrics[0].kernel, "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(beside->metrics[0].unit, "byte");
  EXPECT_EQ(beside->metrics[0].values, std::vector<double>{1048577000});
}

TEST(NsysTraces, GiveTheTimeline) {
  const auto profile = read_nsys_stats_text(kGpuTrace, "x_cuda_gpu_trace.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.format, "nsys-stats-csv");
  EXPECT_EQ(profile->info.kernels, 2U);
  EXPECT_EQ(profile->info.span_ns, 500);
  ASSERT_EQ(profile->devices.size(), 1U);
  EXPECT_EQ(profile->devices[0].device, 1);
  EXPECT_EQ(profile->devices[0].name, "NVIDIA H100");
  const core::ProfileBuckets& wall = profile->devices[0].buckets;
  EXPECT_EQ(wall.compute_ns, 100);
  EXPECT_EQ(wall.exposed_comm_ns, 200);
  EXPECT_EQ(wall.exposed_copy_ns, 70);
  EXPECT_EQ(wall.idle_ns, 130);
  EXPECT_NE(find(profile->memory, "[CUDA memcpy Host-to-Device]"), nullptr);
  EXPECT_EQ(profile->streams, 2U);
}

TEST(NsysTraces, OfCallsAndRangesComplementIt) {
  Scratch scratch;
  scratch.write("x_cuda_gpu_trace.csv", kGpuTrace);
  scratch.write("x_cuda_api_trace.csv", kApiTrace);
  scratch.write("x_nvtx_pushpop_trace.csv", kRangeTrace);
  scratch.write("x_cuda_gpu_kern_sum.csv", kSum + "100,300,2,150,150,100,200,70.7,other name\n");
  const auto profile = read(scratch.path(), {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(find(profile->api, "cudaLaunchKernel")->aggregate.total, 50);
  EXPECT_EQ(find(profile->nvtx, ":step")->aggregate.total, 800);
  EXPECT_EQ(profile->info.kernel_ns, 300);
  EXPECT_EQ(find(profile->kernels, "other name"), nullptr) << "the trace says more of the same kernels";
}

TEST(NsysTraces, InMicrosecondsAndWithDecimalCommas) {
  const std::string head = "Start (us),Duration (us),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Device,Ctx,Strm,Name\n";
  const auto points =
      read_nsys_stats_text(head + "1.5,0.25,1,1,1,1,32,1,1,H (0),1,7,k\n3,0.5,2,1,1,1,32,1,1,H (0),1,7,k\n", "t.csv");
  ASSERT_TRUE(points) << points.error().message;
  EXPECT_EQ(points->info.kernel_ns, 750);
  EXPECT_EQ(points->info.span_ns, 2000);
  const auto commas = read_nsys_stats_text(head + "\"1234567,5\",\"482,333\",1,1,1,1,32,1,1,H (0),1,7,k\n", "t.csv");
  ASSERT_TRUE(commas) << commas.error().message;
  EXPECT_EQ(commas->info.kernel_ns, 482333);
  const auto open = read_nsys_stats_text(head + "1,\"482,333\",1,1,1,1,32,1,1,H (0),1,7,k\n", "t.csv");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().message, "column \"Duration (us)\": a comma may be a decimal point or a thousands separator");
  EXPECT_EQ(open.error().where, "t.csv:2");
  EXPECT_EQ(open.error().hint, "export the report again with LC_ALL=C");
}

TEST(NsysTraces, OneDeviceOfSeveral) {
  Scratch scratch;
  const std::string path =
      scratch.write("x_cuda_gpu_trace.csv", kGpuTrace + "1,9,15,1,1,1,1,1,1,1,0,0,,,,,NVIDIA H100 (0),1,7,other\n");
  ReadOptions options;
  options.devices = {0};
  const auto profile = read(path, options);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.kernel_ns, 9);
  options.devices = {5};
  const auto none = read(path, options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "no GPU kernels on the devices asked for");
  EXPECT_EQ(none.error().hint, "the capture has device 0 and 1");
  const std::string sums = scratch.write("sums.csv", kSum + "100,900,2,450,450,300,600,212.1,k\n");
  const auto totals = read(sums, options);
  ASSERT_FALSE(totals);
  EXPECT_EQ(totals.error().message, "the tables hold totals over all devices: one device cannot be told from another");
}

TEST(NsysTraces, BadTimesAreCountedAndAWrongWidthIsAnError) {
  const auto profile = read_nsys_stats_text(
      kGpuTrace + "N/A,5,1,1,1,1,1,1,1,1,0,0,,,,,H (1),1,7,k\n9,-5,1,1,1,1,1,1,1,1,0,0,,,,,H (1),1,7,k\n", "t.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_TRUE(warned(profile->warnings, "unreadable_times"));
  ASSERT_TRUE(warned(profile->warnings, "reversed_times"));
  const auto cut = read_nsys_stats_text(kGpuTrace + "9,5,1\n", "t.csv");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message, "the row has 3 fields, the header 20");
  EXPECT_EQ(cut.error().where, "t.csv:6");
  const auto none =
      read_nsys_stats_text(kGpuTrace.substr(0, kGpuTrace.find('\n') + 1) + "9,-5,1,1,1,1,1,1,1,1,0,0,,,,,H (1),1,7,k\n", "t.csv");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "the kernel report has no rows: a capture bug until proven otherwise; it has 1 row whose times make no sense");
}

TEST(NsysTraces, SeveralCallingProcessesAreNotJoined) {
  const auto profile = read_nsys_stats_text(kGpuTrace + "\n" + kApiTrace + "1700,5,cudaFree,0,11,9,9,20,python\n", "all.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(warned(profile->warnings, "launches_not_joined"));
}

// The real pair, written as the trace that `nsys stats` would make of it, must give what the database gives.
TEST(NsysTraces, OfTheRealCaptureEqualItsDatabase) {
  const std::string folder = samples("profiles/nsys");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const std::string database = folder + "mfu_2gpu_before.sqlite";
  std::string csv = "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Bytes (B),Device,Ctx,Strm,Name\n";
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open_v2(("file:" + database + "?immutable=1").c_str(), &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr),
            SQLITE_OK);
  const auto rows = [&](const char* sql) {
    EXPECT_EQ(sqlite3_exec(
                  db, sql,
                  [](void* to, int count, char** values, char**) {
                    std::string& text = *static_cast<std::string*>(to);
                    for (int i = 0; i < count; ++i) {
                      text += i > 0 ? ",\"" : "\"";
                      for (const char* c = values[i] != nullptr ? values[i] : ""; *c != '\0'; ++c)
                        text += *c == '"' ? "\"\"" : std::string(1, *c);
                      text += '"';
                    }
                    text += '\n';
                    return 0;
                  },
                  &csv, nullptr),
              SQLITE_OK);
  };
  rows(
      "SELECT start, end-start, correlationId, gridX, gridY, gridZ, blockX, blockY, blockZ, '', 'H100 (' || deviceId || ')', "
      "contextId, streamId, value FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName");
  rows(
      "SELECT start, end-start, correlationId, '','','','','','', bytes, 'H100 (' || deviceId || ')', contextId, streamId, "
      "'[CUDA memcpy ' || label || ']' FROM CUPTI_ACTIVITY_KIND_MEMCPY JOIN ENUM_CUDA_MEMCPY_OPER ON id = copyKind");
  rows(
      "SELECT start, end-start, correlationId, '','','','','','', bytes, 'H100 (' || deviceId || ')', contextId, streamId, "
      "'[CUDA memset]' FROM CUPTI_ACTIVITY_KIND_MEMSET");
  sqlite3_close(db);
  const auto trace = read_nsys_stats_text(csv, "before_cuda_gpu_trace.csv");
  const auto exact = read(database, {});
  ASSERT_TRUE(trace) << trace.error().message << trace.error().where;
  ASSERT_TRUE(exact);
  EXPECT_EQ(trace->info.kernel_ns, 535200650);
  EXPECT_EQ(trace->info.span_ns, exact->info.span_ns);
  ASSERT_EQ(trace->devices.size(), exact->devices.size());
  for (std::size_t i = 0; i < exact->devices.size(); ++i) {
    EXPECT_EQ(trace->devices[i].buckets.idle_ns, exact->devices[i].buckets.idle_ns);
    EXPECT_EQ(trace->devices[i].buckets.exposed_comm_ns, exact->devices[i].buckets.exposed_comm_ns);
    EXPECT_EQ(trace->devices[i].buckets.exposed_copy_ns, exact->devices[i].buckets.exposed_copy_ns);
  }
  ASSERT_EQ(trace->kernels.size(), exact->kernels.size());
  for (const NamedAggregate& each : exact->kernels) {
    const NamedAggregate* mine = find(trace->kernels, each.name);
    ASSERT_NE(mine, nullptr) << each.name;
    EXPECT_EQ(mine->aggregate.total, each.aggregate.total);
    EXPECT_EQ(mine->aggregate.median, each.aggregate.median);
    EXPECT_EQ(mine->exclusive, each.exclusive);
  }
  for (const NamedAggregate& each : exact->memory) {
    const NamedAggregate* mine = find(trace->memory, each.name);
    ASSERT_NE(mine, nullptr) << each.name;
    EXPECT_EQ(mine->aggregate.total, each.aggregate.total);
  }
}

TEST(NsysJson, IsTheSameTables) {
  const std::string kernels =
      R"json([{"Time (%)":60.0,"Total Time (ns)":600,"Instances":2,"Avg (ns)":300.0,"Med (ns)":300.0,"Min (ns)":200,)json"
      R"json("Max (ns)":400,"StdDev (ns)":141.4,"Name":"gemm<1, \"q\">(int)"},)json"
      "\n"
      R"json({"Name":"k","Instances":1,"Time (%)":40.0,"Total Time (ns)":9007199254740993,"Avg (ns)":1.0,"Med (ns)":null,)json"
      R"json("Min (ns)":1,"Max (ns)":1,"StdDev (ns)":0.0}])json";
  const auto profile = read_nsys_stats_json_text(kernels, "x_cuda_gpu_kern_sum.json");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.format, "nsys-stats-json");
  EXPECT_EQ(find(profile->kernels, "gemm<1, \"q\">(int)")->aggregate.median, 300);
  EXPECT_EQ(find(profile->kernels, "k")->aggregate.total, 9007199254740993);
  EXPECT_FALSE(find(profile->kernels, "k")->aggregate.has_spread);

  // The output of several reports, with the lines that nsys prints between them.
  Scratch scratch;
  const std::string path =
      scratch.write("stats.json", "Processing [x.sqlite] with [/opt/nsys/reports/cuda_gpu_kern_sum.py]... \n" + kernels +
                                      "\nProcessing [x.sqlite] with [/opt/nsys/reports/openmp_sum.py]... \n"
                                      R"json([{"Total Time (ns)":5,"Count":1,"Name":"Barrier"}])json"
                                      "\nSKIPPED: x.sqlite does not contain OpenGL data.\n"
                                      "Processing [x.sqlite] with [/opt/nsys/reports/cuda_api_sum.py]... \n"
                                      R"json([{"Total Time (ns)":7,"Num Calls":1,"Name":"cudaFree"}])json"
                                      "\n");
  EXPECT_TRUE(is_capture(path));
  const auto several = read(path, {});
  ASSERT_TRUE(several) << several.error().message;
  EXPECT_EQ(several->kernels.size(), 2U);
  EXPECT_EQ(several->api.at(0).name, "cudaFree");
  EXPECT_TRUE(warned(several->warnings, "report_skipped"));
}

TEST(NsysJson, InAFolder) {
  Scratch scratch;
  scratch.write("x_cuda_gpu_kern_sum.json", R"json([{"Total Time (ns)":7,"Instances":1,"Name":"k"}])json");
  scratch.write("x_cuda_api_sum.csv", "Time (%),Total Time (ns),Num Calls,Name\n1,2,1,cudaFree\n");
  scratch.write("x_cuda_api_sum.json", R"json([{"Total Time (ns)":99,"Num Calls":1,"Name":"cudaFree"}])json");
  const auto profile = read(scratch.path(), {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.kernel_ns, 7);
  EXPECT_EQ(profile->api.at(0).aggregate.total, 2) << "exported both ways: the CSV is read";
}

TEST(NsysJson, DamageIsNamed) {
  const auto cut = read_nsys_stats_json_text("\n[{\"Total Time (ns)\":5,", "x.json");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message, "the JSON is not whole from here on: the file is cut short or damaged");
  EXPECT_EQ(cut.error().where, "x.json:2");
  const auto number = read_nsys_stats_json_text(R"json([{"Total Time (ns)":"lots","Instances":1,"Name":"k"}])json", "x.json");
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error().message, "column \"Total Time (ns)\": \"lots\" is not a number");
  const auto scalar = read_nsys_stats_json_text("[1,2]", "x.json");
  ASSERT_FALSE(scalar);
  EXPECT_EQ(scalar.error().message, "an element of the report is no object of columns");
  const auto none = read_nsys_stats_json_text("[]", "x.json");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "no kernel report found");
  EXPECT_FALSE(is_nsys_stats_json(R"json([{"name":"x","ph":"X","ts":1,"dur":2}])json")) << "a trace of Chrome's";
  EXPECT_FALSE(is_nsys_stats_json(R"json({"results": [{"Total Time (ns)": 1, "Instances": 2, "Name": 3}]})json"));
}

TEST(KernelSummaries, OfOtherTools) {
  const std::string folder = samples("profiles/tracelens/compare_test");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  // Sums of the column "Total Kernel Time (ms)" by Python's csv and fractions.
  const auto before = read(folder + "256thread_kernel_summary.csv", {});
  const auto after = read(folder + "512thread_kernel_summary.csv", {});
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->info.format, "kernel-summary-csv");
  EXPECT_EQ(before->info.kernel_ns, 31197578595000);
  EXPECT_EQ(after->info.kernel_ns, 15742272631000);
  EXPECT_EQ(before->info.kernels, 25457U);
  EXPECT_EQ(before->kernels.size(), 46U);
  const NamedAggregate* nccl = find(before->kernels, "ncclDevKernel_Generic_1");
  ASSERT_NE(nccl, nullptr);
  EXPECT_EQ(nccl->aggregate.total, 27018592547000);
  EXPECT_EQ(nccl->aggregate.count, 270U);
  EXPECT_EQ(nccl->aggregate.median, 1499326500);
  EXPECT_EQ(nccl->aggregate.min, 7600000);
  EXPECT_EQ(nccl->aggregate.max, 16836430099000);
  EXPECT_EQ(before->nccl.size(), 2U);  // and mscclKernel_Sum_float_LL_false
  const core::ProfileDiff result = diff(*before, *after, {}).diff;
  ASSERT_EQ(result.kernels.size(), 46U);
  EXPECT_EQ(result.kernels[0].delta_ns, 11347820855000 - 27018592547000);
}

}  // namespace
}  // namespace plumbline::profiles::test
