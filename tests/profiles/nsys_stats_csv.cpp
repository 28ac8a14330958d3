// What `nsys stats --format csv` writes, in every spelling since 2020.
#include "profiles/readers/bytes/csv_text.hpp"
#include "profiles/readers/readers.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

const std::string kHeader = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n";

struct GoodCase {
  const char* name;
  std::string text;
  std::int64_t total;
  std::uint64_t count;
  bool spread;
};
class KernelReports : public ::testing::TestWithParam<GoodCase> {};
TEST_P(KernelReports, AreRead) {
  const auto profile = read_nsys_stats_text(GetParam().text, "x_cuda_gpu_kern_sum.csv");
  ASSERT_TRUE(profile) << profile.error().message << " " << profile.error().where;
  const NamedAggregate* kernel = find(profile->kernels, "gemm<1, 2>(int)");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->aggregate.total, GetParam().total);
  EXPECT_EQ(kernel->aggregate.count, GetParam().count);
  EXPECT_EQ(kernel->aggregate.has_spread, GetParam().spread);
}
INSTANTIATE_TEST_SUITE_P(
    Variants, KernelReports,
    ::testing::Values(
        GoodCase{"current", kHeader + "100.0,900,2,450.0,450.0,400,500,70.7,\"gemm<1, 2>(int)\"\n", 900, 2, true},
        GoodCase{"quoted_bom_crlf",
                 "\xEF\xBB\xBF\"Time (%)\",\"Total Time (ns)\",\"Instances\",\"Avg (ns)\",\"Med (ns)\",\"Min (ns)\",\"Max "
                 "(ns)\",\"StdDev (ns)\",\"Name\"\r\n"
                 "\"100.0\",\"900\",\"2\",\"450.0\",\"450.0\",\"400\",\"500\",\"70.7\",\"gemm<1, 2>(int)\"\r\n",
                 900, 2, true},
        GoodCase{
            "year_2020",
            "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,Name\n100.0,900,2,450.0,400,500,\"gemm<1, 2>(int)\"\n",
            900, 2, false},
        GoodCase{"microseconds",
                 "Time (%),Total Time (us),Instances,Avg (us),Med (us),Min (us),Max (us),StdDev "
                 "(us),Name\n100,1.5,2,.75,.75,.5,1,.1,\"gemm<1, 2>(int)\"\n",
                 1500, 2, true},
        GoodCase{"usec", "Total Time (usec),Instances,Name\n0.001,1,\"gemm<1, 2>(int)\"\n", 1, 1, false},
        GoodCase{"milliseconds", "Total Time (msec),Instances,Name\n2.000001,1,\"gemm<1, 2>(int)\"\n", 2000001, 1, false},
        GoodCase{"seconds", "Total Time (s),Instances,Name\n1.5e-3,1,\"gemm<1, 2>(int)\"\n", 1500000, 1, false},
        GoodCase{"thousands",
                 kHeader + "100,\"1,920,000\",\"1,000\",\"1,920.0\",\"1,920.0\",\"1,900\",\"2,000\",1.0,\"gemm<1, 2>(int)\"\n",
                 1920000, 1000, true},
        GoodCase{"one_comma_in_ns", kHeader + "100,\"482,333\",2,1,1,1,1,1,\"gemm<1, 2>(int)\"\n", 482333, 2, true},
        GoodCase{"decimal_comma_ms", "Total Time (ms),Instances,Name\n\"482,333\",2,\"gemm<1, 2>(int)\"\n\"0,000\",1,other\n",
                 482333000, 2, false},
        GoodCase{"beyond_2_to_53", kHeader + "100,9007199254740993,1,1,1,1,1,0,\"gemm<1, 2>(int)\"\n", 9007199254740993, 1, true},
        GoodCase{"same_name_twice",
                 kHeader + "50,500,1,500,500,500,500,0,\"gemm<1, 2>(int)\"\n50,400,1,400,400,400,400,0,\"gemm<1, 2>(int)\"\n",
                 900, 2, false},
        GoodCase{"by_shape",
                 "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),GridXYZ,BlockXYZ,Name\n"
                 "50,500,1,500,500,500,500,0,1 1 1,32 1 1,\"gemm<1, 2>(int)\"\n50,400,1,400,400,400,400,0,2 1 1,32 1 1,\"gemm<1, "
                 "2>(int)\"\n",
                 900, 2, false},
        GoodCase{"preamble",
                 "Processing [x.sqlite] with [cuda_gpu_kern_sum.py]...\n\n ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n" +
                     kHeader + "100.0,900,2,450.0,450.0,400,500,70.7,\"gemm<1, 2>(int)\"\n\n",
                 900, 2, true},
        GoodCase{"na_median", kHeader + "100.0,900,2,450.0,N/A,400,500,70.7,\"gemm<1, 2>(int)\"\n", 900, 2, false}),
    [](const auto& each) { return each.param.name; });

struct BadCase {
  const char* name;
  std::string text;
  const char* message;
};
class RefusedReports : public ::testing::TestWithParam<BadCase> {};
TEST_P(RefusedReports, SayWhy) {
  const auto profile = read_nsys_stats_text(GetParam().text, "x_cuda_gpu_kern_sum.csv");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, GetParam().message);
  EXPECT_NE(profile.error().code, core::ErrorCode::internal);
}
INSTANTIATE_TEST_SUITE_P(
    Variants, RefusedReports,
    ::testing::Values(
        BadCase{"infinite", kHeader + "1,inf,2,1,1,1,1,1,a\n", "column \"Total Time (ns)\": \"inf\" is not a finite number"},
        BadCase{"text", kHeader + "1,lots,2,1,1,1,1,1,a\n", "column \"Total Time (ns)\": \"lots\" is not a number"},
        BadCase{"too_large", kHeader + "1,1e30,2,1,1,1,1,1,a\n",
                "column \"Total Time (ns)\": \"1e30\" is larger than 64 bits hold"},
        BadCase{"either_comma", "Total Time (ms),Instances,Name\n\"482,333\",2,a\n",
                "column \"Total Time (ms)\": a comma may be a decimal point or a thousands separator"},
        BadCase{"both_commas", "Total Time (ms),Instances,Name\n\"1,5\",2,a\n\"1,000,000\",2,b\n",
                "column \"Total Time (ms)\": commas mean decimals in one row and thousands in another"},
        BadCase{"unquoted_commas", kHeader + "1,1,920,000,2,1,1,1,1,1,a\n", "the row has 11 fields, the header 9"},
        BadCase{"twice", "Total Time (ns),Total Time (ns),Instances,Name\n1,2,1,a\n",
                "column \"Total Time (ns)\" is twice in the header"},
        BadCase{"header_only", kHeader, "the kernel report has no rows: a capture bug until proven otherwise"},
        BadCase{"empty", "", "no kernel report found"},
        BadCase{"negative", kHeader + "1,-5,2,1,1,1,1,1,a\n", "a time or a count is negative"},
        BadCase{"cut_short", kHeader + "1,5,2,1,1,1,1,1,\"a", "a quoted field is not closed: the file is cut short"},
        BadCase{"no_header", "1,2,3\n4,5,6\n", "no line of the file is the header of an nsys summary"},
        BadCase{"skipped", "SKIPPED: x.sqlite does not contain CUDA kernel data.\n",
                "nsys skipped the kernel report: the capture holds no GPU kernels, a capture bug until proven otherwise"}),
    [](const auto& each) { return each.param.name; });

TEST(NsysStatsCsv, SeveralReportsInOneOutput) {
  const std::string text =
      " ** CUDA API Summary (cuda_api_sum):\n\nTime (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
      "(ns),Name\n"
      "100,10,2,5,5,5,5,0,cudaLaunchKernel\n\n ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n" +
      kHeader +
      "100,900,2,450,450,400,500,70.7,ncclKernel_AllReduce\n\n ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):\n\n"
      "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation\n100,7,1,7,7,7,7,0,[CUDA memcpy "
      "HtoD]\n\n"
      " ** OS Runtime Summary (osrt_sum):\n\nTime (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
      "(ns),Name\n"
      "100,99,1,99,99,99,99,0,poll\n\nTime (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
      "(ns),Style,Range\n"
      "100,12,1,12,12,12,12,0,PushPop,:forward\n\nSKIPPED: x.sqlite does not contain OpenGL data.\n";
  Scratch scratch;
  scratch.write("stats.csv", text);
  const auto profile = read(scratch / "stats.csv", {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->kernels.size(), 1U);
  EXPECT_EQ(profile->nccl.size(), 1U);
  ASSERT_EQ(profile->api.size(), 1U);
  EXPECT_EQ(profile->api[0].name, "cudaLaunchKernel");
  EXPECT_EQ(profile->memory.at(0).name, "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(profile->nvtx.at(0).name, ":forward");
  EXPECT_TRUE(warned(profile->warnings, "report_skipped"));
}

TEST(NsysStatsCsv, OldAndNewReportNamesInAFolder) {
  for (const auto& [kernels, api, nvtx] : {std::tuple{"r_gpukernsum.csv", "r_cudaapisum.csv", "r_nvtxsum.csv"},
                                           {"r_cuda_gpu_kern_sum.csv", "r_cuda_api_sum.csv", "r_nvtx_pushpop_sum.csv"}}) {
    Scratch scratch;
    scratch.write(kernels, kHeader + "100,900,2,450,450,400,500,70.7,k\n");
    scratch.write(api, "Time(%),Total Time (ns),Num Calls,Average,Minimum,Maximum,Name\n100,10,2,5,5,5,cudaFree_v3020\n");
    scratch.write(nvtx, "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,Range\n100,10,2,5,5,5,step\n");
    scratch.write("r_nccltrace.csv", "Start (ns),Duration (ns),Function\n1,5,AllReduce\n9,6,AllReduce\n");
    EXPECT_TRUE(is_capture(scratch.path()));
    const auto profile = read(scratch.path(), {});
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->api.at(0).name, "cudaFree");
    EXPECT_EQ(profile->nvtx.at(0).name, "step");
    EXPECT_EQ(profile->nccl.at(0).aggregate.total, 11);
    EXPECT_EQ(profile->nccl.at(0).aggregate.count, 2U);
  }
}

TEST(NsysStatsCsv, TwoFilesForOneReportAreNamed) {
  Scratch scratch;
  for (const char* name : {"before_cuda_gpu_kern_sum.csv", "after_cuda_gpu_kern_sum.csv"})
    scratch.write(name, kHeader + "100,900,2,450,450,400,500,70.7,k\n");
  const auto profile = read(scratch.path(), {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message,
            "ambiguous CSV match for cuda_gpu_kern_sum: \"after_cuda_gpu_kern_sum.csv\" and \"before_cuda_gpu_kern_sum.csv\"");
  EXPECT_TRUE(read(scratch / "after_cuda_gpu_kern_sum.csv", {}));
}

TEST(NsysStatsCsv, AFileWithoutArgumentsComesFirst) {
  Scratch scratch;
  scratch.write("x_cuda_gpu_kern_sum.csv", kHeader + "100,900,2,450,450,400,500,70.7,k<1>\n");
  scratch.write("x_cuda_gpu_kern_sum_base.csv", kHeader + "100,900,2,450,450,400,500,70.7,k\n");
  const auto profile = read(scratch.path(), {});
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->kernels.at(0).name, "k<1>");
  ASSERT_EQ(profile->warnings.size(), 1U);
  EXPECT_EQ(profile->warnings[0].message,
            "x_cuda_gpu_kern_sum.csv is read; its variant with arguments is not: \"x_cuda_gpu_kern_sum_base.csv\"");
}

TEST(NsysStatsCsv, AFolderWithoutKernelReportNamesWhatIsAccepted) {
  Scratch scratch;
  scratch.write("x_cuda_api_sum.csv",
                "Time(%),Total Time (ns),Num Calls,Average,Minimum,Maximum,Name\n100,10,2,5,5,5,cudaFree\n");
  const auto profile = read(scratch.path(), {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "no kernel report found");
  EXPECT_TRUE(profile.error().hint.find("<prefix>_cuda_gpu_kern_sum.csv or <prefix>_gpukernsum.csv") != std::string::npos);
}

TEST(CsvText, ScalesExactly) {
  struct Case {
    const char* text;
    int power;
    bool decimal_comma;
    std::int64_t value;
    NumberFault fault;
  };
  for (const Case& each :
       {Case{"1.5", 0, false, 2, NumberFault::none}, Case{"1.4999", 0, false, 1, NumberFault::none},
        Case{"-2.5", 0, false, -3, NumberFault::none}, Case{"9223372036854775807", 0, false, INT64_MAX, NumberFault::none},
        Case{"9223372036854775808", 0, false, 0, NumberFault::too_large}, Case{"1.234,5", 3, true, 1234500, NumberFault::none},
        Case{"N/A", 0, false, 0, NumberFault::missing}, Case{"1e99999999", 0, false, 0, NumberFault::too_large},
        Case{"0e9999", 0, false, 0, NumberFault::none}, Case{"1x", 0, false, 0, NumberFault::not_a_number},
        Case{"0.00000000000000000000000000000000000000000001", 9, false, 0, NumberFault::none}}) {
    const ScaledNumber got = parse_scaled(each.text, each.power, each.decimal_comma);
    EXPECT_EQ(got.value, each.value) << each.text;
    EXPECT_EQ(got.fault, each.fault) << each.text;
  }
}

}  // namespace
}  // namespace plumbline::profiles::test
