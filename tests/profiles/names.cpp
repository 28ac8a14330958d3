// Names inside captures: communication, ranges worth showing first, the spellings of copies and API calls.
#include "profiles/names/names.hpp"

#include <gtest/gtest.h>

namespace plumbline::profiles::test {
namespace {

TEST(Names, CommunicationWhateverLibraryDoesIt) {
  for (const char* name :
       {"ncclDevKernel_Generic", "mscclKernel_Sum_float_LL_false", "void vllm::cross_device_reduce_1stage<float, 4>"})
    EXPECT_TRUE(is_collective(name)) << name;
  for (const char* name : {"reduce_kernel", "gather", "volta_sgemm_128x32_nn", ""}) EXPECT_FALSE(is_collective(name)) << name;
}

TEST(Names, InterestingRanges) {
  for (const char* name : {":Forward", "step/backward", "NCCL:all_reduce", "moe_layer", "self_attention", "mxfp8 gemm"})
    EXPECT_TRUE(interesting_range(name)) << name;
  for (const char* name : {":aten::empty", "data loading", ""}) EXPECT_FALSE(interesting_range(name)) << name;
}

TEST(Names, ApiSuffixesByNsysRule) {
  EXPECT_EQ(api_name("cudaMemcpyAsync_v3020"), "cudaMemcpyAsync");
  EXPECT_EQ(api_name("cudaStreamGetCaptureInfo_v2_v11030"), "cudaStreamGetCaptureInfo_v2_v11030");
  EXPECT_EQ(api_name("cuLaunchKernelEx"), "cuLaunchKernelEx");
  EXPECT_EQ(api_name("_v3020"), "_v3020");
}

TEST(Names, CopiesHaveOneSpelling) {
  EXPECT_EQ(copy_label(10), "[CUDA memcpy Peer-to-Peer]");
  EXPECT_EQ(copy_label(-1), "[CUDA memcpy kind -1]");
  EXPECT_EQ(canonical_operation("[CUDA memcpy HtoD]"), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(canonical_operation("[CUDA memcpy Unified DtoH]"), "[CUDA memcpy Unified Device-to-Host]");
  EXPECT_EQ(canonical_operation("[CUDA memcpy Device-to-Device]"), "[CUDA memcpy Device-to-Device]");
  EXPECT_EQ(canonical_operation("[CUDA memset]"), "[CUDA memset]");
  EXPECT_EQ(canonical_operation("something else"), "something else");
}

}  // namespace
}  // namespace plumbline::profiles::test
