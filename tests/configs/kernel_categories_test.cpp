// What a kernel's name is taken for: categories, precisions, the reference tool's buckets, and files of the user's own.
#include "configs/kernel_categories.hpp"

#include <gtest/gtest.h>

#include <map>

#include "configs/configs.hpp"

namespace plumbline::configs {
namespace {

TEST(NamePattern, StarsQuestionMarksAndDigits) {
  struct Case {
    const char* pattern;
    const char* name;
    bool matches;
  };
  const Case cases[] = {
      {"*gemm*", "ampere_sgemm_128x64_nn", true},
      {"*gemm*", "gemm", true},
      {"*gemm*", "gem", false},
      {"gemm", "gemm", true},
      {"gemm", "gemmk1", false},
      {"triton_*", "triton_poi", true},
      {"triton_*", "x_triton_poi", false},
      {"*_nn", "sgemm_nn", true},
      {"*_nn", "sgemm_nn_align1", false},
      {"*fmha*sm#*", "fmha_cutlassf_sm80", true},
      {"*fmha*sm#*", "fmha_smem_sm9", true},  // the first "sm" has no digit behind it, the second has
      {"*fmha*sm#*", "sm80_fmha", false},
      {"cijk_????_????_b_*", "cijk_alik_bljk_b_bs_bh", true},
      {"cijk_????_????_b_*", "cijk_alik_bljk_s_b_bias", false},
      {"a*a", "a", false},  // head and tail do not share a letter
      {"a*a", "aa", true},
      {"*", "", true},
      {"", "", true},
      {"", "x", false},
      {"*ab*ab*", "ab", false},
      {"*aab*", "aaab", true},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(NamePattern(c.pattern).matches(c.name), c.matches) << c.pattern << " and " << c.name;
    EXPECT_TRUE(!c.matches || NamePattern(c.pattern).possible(NameClues(c.name))) << c.pattern << " and " << c.name;
  }
  EXPECT_FALSE(NamePattern("*gemm*").possible(NameClues("elementwise")));
}

struct NameCase {
  const char* name;
  const char* category;
  const char* reference;  // by the regular expressions of the reference tool's importer, tried in Python
};

TEST(KernelCategories, OfNamesAsToolsWriteThem) {
  const NameCase cases[] = {
      {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)", "Communication", "NCCL"},
      {"void flashinfer::trtllm_allreduce_fusion::AllReduceKernel<>", "Communication", "NCCL"},
      {"multimem_all_gather_kernel", "Communication", "NCCL"},
      {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 4>", "Communication", "Other"},
      {"mscclKernel_Sum_float_LL_false", "Communication", "Other"},
      {"bmm_E2m1_E2m1E2m1_Fp32_t128x8x512", "GEMM fp4", "BMM-NVFP4"},
      {"bmm_Bfloat16_E2m1E2m1_Fp32", "GEMM fp4", "BMM-NVFP4"},
      {"bmm_Bfloat16_Bfloat16", "MoE GEMM", "MoE"},
      {"x_bmm_Bfloat16_Bfloat16", "Other", "Other"},
      {"fused_moe_kernel", "MoE GEMM", "Other"},
      {"void moe::dev::routing::routingIndicesKernel", "MoE routing", "MoE"},
      {"fmhaSm100fKernel_QkvE4m3", "Attention", "FMHA"},
      {"fmhaSm100fKernel_QkvBfloat16OBfloat16HQk576HV512PagedKvDenseP64StaticSwapsAbForGen", "Attention decode", "FMHA"},
      {"void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<cutlass::bfloat16_t>>", "Attention", "Other"},
      {"attn_fwd", "Attention", "Other"},
      {"bwd_kernel_fuse.kd", "Attention", "Other"},
      {"triton_poi_fused_add_0", "Triton fused", "Triton-fused"},
      {"void fbgemm_gpu::jagged_dense_elementwise_add", "Elementwise", "Elementwise"},
      {"void fbgemm_gpu::block_bucketize_sparse_features_kernel<int>", "Embedding and index", "Other"},
      {"void fbgemm_gpu::bf16i4_rowwise_gemm_kernel", "GEMM bf16", "Other"},
      {"triton_per_fused_add_native_layer_norm_3", "Triton fused", "Triton-fused"},
      {"triton_tem_fused_mm_7", "GEMM", "Triton-fused"},
      {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN", "GEMM bf16", "cuBLAS"},
      {"nvjet_hsh_192x192_64x4_2x1_v_bz_coopB_bias_TNN", "GEMM fp16", "cuBLAS"},
      {"nvjet_qqtst_128x256_128x6_2x1_2cta_v_bz_TNT", "GEMM fp8", "cuBLAS"},
      {"nvjet_ootst_128x256_128x6_2x1_2cta_h_bz_Avec16UE4M3_Bvec16UE4M3_TNT", "GEMM fp4", "cuBLAS"},
      {"void cublasLt::splitKreduce_kernel<32, 16>", "GEMM epilogue", "cuBLAS"},
      {"void gemv2T_kernel_val<int, int, double, double, double, double, (int)128>", "GEMV", "Other"},
      {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", "GEMM bf16", "Other"},
      {"volta_sgemm_128x32_nn", "GEMM fp32", "Other"},
      {"volta_fp16_s884gemm_fp16_256x128_ldg8_f2f_nn", "GEMM fp16", "Other"},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align1>(Params)", "GEMM tf32", "Other"},
      {"ampere_dgemm_128x64_tn", "GEMM fp64", "Other"},
      {"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128_warpgroupsize1x1x1__5x_cublas", "GEMM fp8", "cuBLAS"},
      {"sm80_xmma_gemm_i8i8_i8i32_f32_tn_n_tilesize128x128x64_stage3", "GEMM int8", "Other"},
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<>>", "GEMM", "Other"},
      {"Cijk_Ailk_Bljk_HHS_BH_MT128x128x32", "GEMM fp16", "Other"},
      {"Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT256x128x64", "GEMM bf16", "Other"},
      {"Cijk_Ailk_Bljk_S_B_Bias_HA_S_SAV_UserArgs_MT16x16x128", "GEMM fp32", "Other"},
      {"Cijk_SB_BiasS_HAS_ScaleAlphaVec_PostGSU16_VW4.kd", "GEMM epilogue", "Other"},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>", "Normalisation", "Other"},
      {"cuComputePartGradGammaBeta", "Normalisation", "Other"},
      {"void (anonymous namespace)::cunn_SoftMaxForward<8, float>", "Softmax and loss", "Other"},
      {"void at::native::vectorized_elementwise_kernel<(int)8>", "Elementwise", "Elementwise"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>>", "Fill", "Elementwise"},
      {"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda()>", "Copy", "Elementwise"},
      {"__amd_rocclr_copyBuffer.kd", "Copy", "Other"},
      {"__amd_rocclr_fillBufferAligned.kd", "Fill", "Other"},
      {"void at::native::distribution_elementwise_grid_stride_kernel<float, 4>", "Random", "Elementwise"},
      {"void split_embedding_codegen_forward_unweighted_kernel<float>(at::PhiloxCudaState)", "Embedding and index", "Other"},
      {"void vllm::rotary_embedding_kernel<c10::BFloat16, true>", "Elementwise", "Other"},
      {"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>>", "Optimizer", "Other"},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>", "Reduction", "Other"},
      {"void cub::DeviceRadixSortOnesweepKernel<>", "Sort and scan", "Other"},
      {"onesweep_iteration_kernel", "Sort and scan", "Other"},
      {"miopenSp3AsmConv_v21_1_2_gfx9_fp32_stride1.kd", "Convolution", "Other"},
      {"sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64__5x_cudnn", "Convolution", "Other"},
      {"void selective_scan_fwd_kernel<>", "SSM", "Other"},
      {"void vllm::dynamic_scaled_fp8_quant_kernel<>", "Quantisation", "Other"},
      {"input_reduce_fusion_2", "Reduction", "Other"},
      {"loop_add_fusion_12", "XLA fused", "Other"},
      {"my_own_kernel", "Other", "Other"},
      {"", "Other", "Other"},
  };
  const auto table = KernelCategories::builtin();
  for (const NameCase& c : cases) {
    EXPECT_EQ(table->of(c.name).name, c.category) << c.name;
    EXPECT_EQ(table->reference(c.name), c.reference) << c.name;
    EXPECT_EQ(kernel_category(c.name), c.category) << c.name;
  }
}

TEST(KernelCategories, TheEmbeddedFileIsReadAndEveryCategoryHasItsBucket) {
  const auto file = KernelCategories::parse(embedded("kernel-categories.yaml"), "kernel-categories.yaml");
  ASSERT_TRUE(file) << file.error().message;
  std::map<std::string, int> names;
  for (const KernelCategory& category : (*file)->all()) {
    ++names[category.name];
    EXPECT_TRUE(category.name.starts_with("Mem") || !category.reference.empty()) << category.name;
    EXPECT_EQ(category.bound.empty(), category.metric.empty()) << category.name;
    EXPECT_EQ(category.communication, category.name == "Communication");
  }
  for (const auto& [name, count] : names) EXPECT_EQ(count, 1) << name;
  EXPECT_EQ((*file)->find("GEMM fp8")->metric, "fp8 flops");
  EXPECT_EQ((*file)->find("Attention")->metric, "{precision} flops");
  EXPECT_EQ((*file)->find("nothing"), nullptr);
}

// Each ceiling that the table asks for is one that an H100 has, and links are counted in one direction.
TEST(KernelCategories, CeilingsAreFoundForABoard) {
  const auto table = KernelCategories::builtin();
  const core::Context context = {{"hardware.gpu", "NVIDIA H100 80GB HBM3"}};
  const std::pair<const char*, const char*> cases[] = {{"Communication", "h100_sxm.nvlink4_uni"},
                                                       {"Elementwise", "h100_sxm.hbm3_tbps"},
                                                       {"GEMM fp8", "h100_sxm.fp8_dense_pflops"},
                                                       {"GEMM fp16", "h100_sxm.bf16_dense_pflops"},
                                                       {"Memcpy Device-to-Device", "h100_sxm.hbm3_tbps"}};
  for (const auto& [name, key] : cases) {
    const KernelCategory* category = table->find(name);
    ASSERT_NE(category, nullptr) << name;
    const auto chosen = Ceilings::builtin()->choose(context, category->metric, category->unit);
    ASSERT_TRUE(chosen) << name << ": " << chosen.error().message;
    EXPECT_EQ(chosen->ceiling.key, key);
  }
}

TEST(KernelCategories, AFileOfTheUsersOwnIsReadByTheSameRules) {
  const auto file = KernelCategories::parse(
      "categories:\n"
      "  - {name: Mine, communication: true, split: precision, ceiling: {metric: \"{precision} flops\", unit: TFLOPS, bound: "
      "compute}}\n"
      "rules:\n  - {category: Mine, any: [\"MY_*\"]}\n"
      "precisions:\n  - {precision: int4, any: [\"*i4*\"]}\n",
      "c.yaml");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->of("my_kernel_i4").name, "Mine int4");
  EXPECT_EQ((*file)->of("my_kernel_i4").metric, "int4 flops");
  EXPECT_TRUE((*file)->of("my_kernel").communication);
  EXPECT_EQ((*file)->of("my_kernel").name, "Mine");
  EXPECT_EQ((*file)->of("your_kernel").name, "Other");
  EXPECT_EQ((*file)->reference("my_kernel"), "Other");
}

TEST(KernelCategories, WhatIsWrongInAFileIsSaidWithItsPlace) {
  struct Case {
    const char* yaml;
    const char* message;
    const char* where;
    const char* hint;
  };
  const Case cases[] = {
      {"- 1", "the kernel categories file is not a map", "c.yaml", "write categories: and rules:"},
      {"rules: []", "the kernel categories file has no list of categories", "c.yaml",
       "write {name: Attention, reference: FMHA} per entry"},
      {"categories: []", "the kernel categories file has no list of rules", "c.yaml",
       "write {category: Attention, any: [\"*fmha*\"]} per entry"},
      {"categories:\n  - 7\nrules: []", "an entry of categories is not a map", "c.yaml:2:5",
       "write {name: Attention, reference: FMHA} per entry"},
      {"categories:\n  - {reference: x}\nrules: []", "a category has no name", "c.yaml:2:5",
       "write {name: Attention, reference: FMHA, ceiling: {metric: memory bandwidth, unit: GB/s, bound: bandwidth}}"},
      {"categories:\n  - {name: A}\n  - {name: A}\nrules: []", "category A is declared twice", "c.yaml:3:5", ""},
      {"categories:\n  - {name: A, split: size}\nrules: []", "category A is split by \"size\"", "c.yaml:2:5",
       "a category can be split by precision only"},
      {"categories:\n  - {name: A, ceiling: {metric: x, unit: y, bound: z}}\nrules: []",
       "the ceiling of category A lacks metric, unit, or a bound (compute, bandwidth)", "c.yaml:2:24",
       "write {name: Attention, reference: FMHA, ceiling: {metric: memory bandwidth, unit: GB/s, bound: bandwidth}}"},
      {"categories:\n  - {name: GEMM}\nrules:\n  - {category: GEM, any: [x]}",
       "a rule names the category \"GEM\", which is not declared", "c.yaml:4:5", "did you mean \"GEMM\"?"},
      {"categories:\n  - {name: GEMM}\nrules:\n  - {category: GEMM}", "a rule has no list of patterns (any)", "c.yaml:4:5",
       "write any: [\"*gemm*\", …]; '*' is any run of characters, '?' any one, '#' one digit"},
      {"categories:\n  - {name: GEMM}\nrules:\n  - {category: GEMM, any: [\"\"]}",
       "a pattern is empty, no text, or longer than 1000 characters", "c.yaml:4:28",
       "write any: [\"*gemm*\", …]; '*' is any run of characters, '?' any one, '#' one digit"},
      {"categories: []\nrules: []\nreference:\n  - {any: [x]}", "an entry of reference has no bucket", "c.yaml:4:5", ""},
  };
  for (const Case& c : cases) {
    const auto file = KernelCategories::parse(c.yaml, "c.yaml");
    ASSERT_FALSE(file) << c.yaml;
    EXPECT_EQ(file.error().message, c.message);
    EXPECT_EQ(file.error().where, c.where) << c.message;
    EXPECT_EQ(file.error().hint, c.hint) << c.message;
  }
  const auto broken = KernelCategories::parse("rules: [", "c.yaml");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().message.starts_with("the kernel categories file is not valid YAML: ")) << broken.error().message;
}

}  // namespace
}  // namespace plumbline::configs
