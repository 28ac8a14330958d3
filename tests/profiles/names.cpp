// Names inside captures: categories, ranges worth showing first, the spellings of copies and API calls.
#include "profiles/names/names.hpp"

#include <gtest/gtest.h>

#include "configs/configs.hpp"

namespace plumbline::profiles::test {
namespace {

TEST(Names, KernelCategories) {
  const std::pair<const char*, const char*> cases[] = {
      {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)", "NCCL"},
      {"void flashinfer::trtllm_allreduce_fusion::AllReduceKernel<>", "NCCL"},
      {"multimem_all_gather_kernel", "NCCL"},
      {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 4>", "NCCL"},
      {"bmm_E2m1_E2m1E2m1_Fp32_t128x8x512", "BMM-NVFP4"},
      {"bmm_Bfloat16_E2m1E2m1_Fp32", "BMM-NVFP4"},
      {"bmm_Bfloat16_Bfloat16", "MoE"},
      {"x_bmm_Bfloat16_Bfloat16", "Other"},
      {"void moe::dev::routing::routingIndicesKernel", "MoE"},
      {"fmhaSm100fKernel_QkvE4m3", "FMHA"},
      {"void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<cutlass::bfloat16_t>>", "FMHA"},
      {"triton_poi_fused_add_0", "Triton-fused"},
      {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN", "cuBLAS"},
      {"void cublasLt::splitKreduce_kernel<32, 16>", "cuBLAS"},
      {"void at::native::vectorized_elementwise_kernel<(int)8>", "Elementwise"},
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<>>", "CUTLASS"},
      {"ampere_bf16_s16816gemm_bf16_128x64", "GEMM"},
      {"Cijk_Ailk_Bljk_HHS_BH_MT128x128x32", "GEMM"},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>", "Norm"},
      {"my_own_kernel", "Other"},
      {"", "Other"},
  };
  for (const auto& [name, category] : cases) EXPECT_EQ(configs::kernel_category(name), category) << name;
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
