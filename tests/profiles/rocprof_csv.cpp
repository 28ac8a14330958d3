// CSV of rocprofv3 (columns of ROCm 6 and 7, and of rocpd2csv) and of rocprof before it.
#include "profiles/readers/readers.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

const std::string kOldTrace =
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\","
    "\"Private_Segment_Size\",\"Group_Segment_Size\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_"
    "X\","
    "\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
    "\"KERNEL_DISPATCH\",1,139690710949888,15,\"transpose(float*, int)\",3,671599758568,671599825328,0,0,4,4,1,1024,1026,1\n"
    "\"KERNEL_DISPATCH\",1,139690710949888,16,\"Cijk_Ailk.kd\",5,671599900000,671599900100,0,0,64,1,1,100,1,1\n";
const std::string kNewTrace =
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_"
    "Id\","
    "\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_"
    "Count\","
    "\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
    "\"KERNEL_DISPATCH\",\"Agent 4\",1,2,77,1,15,\"gemm [clone .kd]\",9,1000,1500,0,0,8,0,16,256,1,1,512,1,1\n";

TEST(RocprofCsv, TracesOfEveryLayout) {
  Scratch scratch;
  const auto old = read(scratch.write("199_kernel_trace.csv", kOldTrace), {});
  ASSERT_TRUE(old) << old.error().message;
  EXPECT_EQ(old->info.format, "rocprof-csv");
  EXPECT_EQ(old->info.kernel_ns, 66860);
  EXPECT_EQ(old->info.span_ns, 141532);
  EXPECT_EQ(old->devices.at(0).device, 1);
  ASSERT_NE(find(old->kernels, "Cijk_Ailk.kd"), nullptr) << "names stay as they are";

  const auto current = read(scratch.write("x.csv", kNewTrace), {});
  ASSERT_TRUE(current) << current.error().message;
  EXPECT_EQ(current->devices.at(0).device, 4);
  EXPECT_EQ(find(current->kernels, "gemm [clone .kd]")->aggregate.total, 500);

  std::string guid = kNewTrace;
  for (std::size_t at = 0; (at = guid.find("\"Kind\"", at)) != std::string::npos; at += 14) guid.insert(at, "\"Guid\",");
  guid.insert(guid.find("\"KERNEL_DISPATCH\""), "\"0000-aa\",");
  const auto with_guid = read(scratch.write("y.csv", guid), {});
  ASSERT_TRUE(with_guid) << with_guid.error().message;
  EXPECT_EQ(with_guid->info.kernel_ns, 500);

  const auto before_v3 = read(
      scratch.write(
          "results.csv",
          "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"queue-index\",\"pid\",\"tid\",\"grd\",\"wgr\",\"lds\","
          "\"DispatchNs\",\"BeginNs\",\"EndNs\",\"CompleteNs\",\"DurationNs\"\n0,\"k.kd\",2,0,0,1,1,512,256,0,5,10,40,45,30\n"),
      {});
  ASSERT_TRUE(before_v3) << before_v3.error().message;
  EXPECT_EQ(before_v3->info.kernel_ns, 30);
  EXPECT_EQ(before_v3->devices.at(0).device, 2);
}

TEST(RocprofCsv, AFolderOfOneProcess) {
  Scratch scratch;
  scratch.write("199_kernel_trace.csv", kOldTrace);
  scratch.write("199_hip_api_trace.csv",
                "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
                "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",199,199,3,671599700000,671599700500\n");
  scratch.write("199_hsa_api_trace.csv",
                "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
                "\"HSA_CORE_API\",\"hsa_signal_wait\",199,199,4,1,2\n");
  scratch.write("199_marker_api_trace.csv",
                "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
                "\"MARKER_CORE_API\",\"a mark\",199,199,1,671599690000,671599690000\n"
                "\"MARKER_CORE_API\",\"step\",199,199,2,671599690000,671599710000\n");
  scratch.write(
      "199_memory_copy_trace.csv",
      "\"Kind\",\"Direction\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_"
      "Timestamp\"\n"
      "\"MEMORY_COPY\",\"HOST_TO_DEVICE\",0,1,0,671599600000,671599600040\n"
      "\"MEMORY_COPY\",\"MEMORY_COPY_DEVICE_TO_HOST\",1,0,0,671599950000,671599950001\n");
  scratch.write("199_kernel_stats.csv",
                "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\",\"StdDev\"\n"
                "\"Cijk_Ailk.kd\",1,100,100.0,1.0,100,100,0.0\n");
  scratch.write(
      "199_agent_info.csv",
      "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Name\",\"Product_Name\"\n0,0,\"CPU\",\"AMD EPYC\",\"AMD EPYC\"\n"
      "1,1,\"GPU\",\"gfx942\",\"AMD Instinct MI300X\"\n");
  EXPECT_TRUE(is_capture(scratch.path()));
  const auto profile = read(scratch.path(), {});
  ASSERT_TRUE(profile) << profile.error().message << profile.error().where;
  EXPECT_EQ(profile->info.format, "rocprof-csv");
  EXPECT_EQ(profile->info.kernels, 2U);
  ASSERT_EQ(profile->devices.size(), 1U);
  EXPECT_EQ(profile->devices[0].name, "AMD Instinct MI300X");
  EXPECT_EQ(find(profile->memory, "[CUDA memcpy Host-to-Device]")->aggregate.total, 40);
  EXPECT_EQ(find(profile->memory, "[CUDA memcpy Device-to-Host]")->aggregate.total, 1);
  EXPECT_EQ(find(profile->api, "hipLaunchKernel")->aggregate.total, 500);
  EXPECT_EQ(find(profile->api, "hsa_signal_wait"), nullptr);
  ASSERT_EQ(profile->nvtx.size(), 1U);
  EXPECT_EQ(profile->nvtx[0].name, "step");
}

TEST(RocprofCsv, SeveralProcessesAreToldApartByTheirFiles) {
  Scratch scratch;
  scratch.write("1_kernel_trace.csv", kNewTrace);
  scratch.write("2_kernel_trace.csv", kNewTrace);
  const auto profile = read(scratch.path(), {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.kernels, 2U);
  EXPECT_EQ(profile->info.kernel_ns, 1000);
  EXPECT_EQ(profile->devices.at(0).buckets.compute_ns, 500) << "at the same time on one device";
}

TEST(RocprofCsv, Statistics) {
  const std::string header =
      "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\",\"StdDev\"\n";
  Scratch scratch;
  scratch.write("7_kernel_stats.csv", header + "\"gemm.kd\",2,300,150.000000,9.9e+01,100,200,7.071068e+01\n");
  scratch.write("7_hip_stats.csv", header + "\"hipFree\",2,65271,32635.500000,2.3e-02,10900,54371,30738.638885\n");
  scratch.write("7_memory_copy_stats.csv", header + "\"MEMORY_COPY_HOST_TO_DEVICE\",1,40,40.0,100.0,40,40,0.0\n");
  scratch.write("7_domain_stats.csv", header + "\"HIP_API\",2,65271,32635.500000,2.3e-02,10900,54371,30738.638885\n");
  const auto profile = read(scratch.path(), {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.format, "rocprof-csv");
  ASSERT_EQ(profile->kernels.size(), 1U);
  EXPECT_EQ(profile->kernels[0].aggregate.total, 300);
  EXPECT_EQ(profile->kernels[0].aggregate.count, 2U);
  EXPECT_FALSE(profile->kernels[0].aggregate.has_spread) << "no median in the table";
  EXPECT_EQ(profile->api.at(0).name, "hipFree");
  EXPECT_EQ(profile->memory.at(0).name, "[CUDA memcpy Host-to-Device]");
  EXPECT_FALSE(warned(profile->warnings, "unit_assumed"));

  // rocprof before version 3, and a file of calls whose name says nothing.
  Scratch old;
  old.write("results.stats.csv", "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n\"k\",4,400,100,100.0\n");
  old.write("results.hip_stats.csv",
            "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n\"hipMalloc\",1,9,9,100.0\n");
  const auto v1 = read(old.path(), {});
  ASSERT_TRUE(v1) << v1.error().message;
  EXPECT_EQ(v1->info.kernel_ns, 400);
  EXPECT_EQ(v1->api.at(0).aggregate.total, 9);
  const auto calls = read(old.write("calls.csv", header + "\"hipFree\",1,5,5.0,1.0,5,5,0.0\n"), {});
  ASSERT_FALSE(calls);
  EXPECT_EQ(calls.error().message, "no kernel report found");
}

}  // namespace
}  // namespace plumbline::profiles::test
