// One spelling per kernel, and what a kernel does apart from how: names are those of real captures and of the libraries' own
// grammars.
#include <gtest/gtest.h>

#include "profiles/names/canonical.hpp"
#include "profiles/names/family.hpp"

namespace plumbline::profiles::test {
namespace {

TEST(CanonicalKernel, KeepsWhatTheFunctionIsAndDropsHowItIsSpelt) {
  const std::pair<const char*, const char*> cases[] = {
      {"void foo(float*, int)", "foo"},
      {"foo", "foo"},
      {" foo ", "foo"},
      {"", ""},
      {"unsigned long ns::foo<int, 4ul>(T1)", "ns::foo<int,4>"},
      {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float, false, 7, P<T<float const>, float> >(P<float>)",
       "internal::gemvx::kernel<int,float,0,7,P<T<float>,float>>"},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float, false>(int, float, float const*)",
       "at::native::vectorized_layer_norm_kernel<float,float,0>"},
      {"void at::native::<unnamed>::vectorized_layer_norm_kernel<float, float, (bool)0>(int, T2, const T1 *)",
       "at::native::vectorized_layer_norm_kernel<float,float,0>"},
      {"void (anonymous namespace)::elementwise_kernel_with_index<int>(int)", "elementwise_kernel_with_index<int>"},
      {"kernel<(cub::BlockLoadAlgorithm)3, (short)-1, (unsigned long)4096>(int)", "kernel<3,-1,4096>"},
      {"f<decltype(nullptr), plus<void>, unsigned int, true>()", "f<decltype(nullptr),plus<void>,unsigned int,1>"},
      {"void cub::CUB_200600_500_520_NS::DeviceReduceKernel<cuda::std::__4::plus<void>>(T2)",
       "cub::DeviceReduceKernel<cuda::std::plus<void>>"},
      {"attn_fwd.kd", "attn_fwd"},
      {"void ck::kernel_gemm<ck::f8_t, 2>(ck::Arg) [clone .kd]", "ck::kernel_gemm<ck::f8_t,2>"},
      {"fusion.12", "fusion"},
      {"kernel.isra.0", "kernel"},
      {"gemm_0.5", "gemm_0.5"},
      {"copy_blocked[v1,cw51cXTLSUwv1sDUaK](Array<long long, 1, C, mutable, aligned>, long long)", "copy_blocked"},
      {"_ZN2at6native12_GLOBAL__N_16kernelIfLi4EEEvPf", "at::native::kernel<IfLi4EEEvPf>"},
      {"_ZN99foo", "_ZN99foo"},
      {"_Z3foov", "foo"},
      {"void f<g(int)::{lambda(float)#1}::operator()(int) const::{lambda()#7}>()", "f<g::{lambda(float)}::{lambda()}>"},
      {"void f<g(int)::'lambda'(float), h::'lambda0'>()", "f<g::{lambda(float)},h::{lambda()}>"},
      {"f<(a>b)>(", "f<(a>b)>("},
      {">>>", ">>>"},
  };
  for (const auto& [name, canonical] : cases) EXPECT_EQ(canonical_kernel(name), canonical) << name;
}

// nsys' demangler and Kineto's write the same kernels so differently that no name is the same.
TEST(CanonicalKernel, IsOneForTheSpellingsOfTwoProfilers) {
  const std::pair<const char*, const char*> cases[] = {
      {"void at::native::elementwise_kernel<(int)128, (int)2, void "
       "at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, float, "
       "at::native::binary_internal::MulFunctor<float>>>(at::TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>(int, "
       "T3)",
       "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, "
       "float, "
       "at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&, at::native::BinaryFunctor<float, float, "
       "float, "
       "at::native::binary_internal::MulFunctor<float> > const&)::{lambda(int)#1}>(int, "
       "at::native::gpu_kernel_impl_nocast<float>(at::TensorIteratorBase&, float const&)::{lambda(int)#1})"},
      {"void at::native::vectorized_elementwise_kernel<(int)4, void at::native::<unnamed>::pow_tensor_scalar_kernel_impl<float, "
       "float>(at::TensorIteratorBase &, T2)::[lambda(float) (instance 1)], std::array<char *, (unsigned long)2>>(int, T2, T3)",
       "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
       "namespace)::pow_tensor_scalar_kernel_impl<float, "
       "float>(at::TensorIteratorBase&, float)::{lambda(float)#1}, std::array<char*, 2ul> >(int, float)"},
      {"void at::native::vectorized_elementwise_kernel<(int)4, at::native::rsqrt_kernel_cuda(at::TensorIteratorBase "
       "&)::[lambda() "
       "(instance 2)]::operator ()() const::[lambda() (instance 2)]::operator ()() const::[lambda(float) (instance 1)], "
       "std::array<char *, (unsigned long)2>>(int, T2, T3)",
       "void at::native::vectorized_elementwise_kernel<4, at::native::rsqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::"
       "operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int)"},
      {"void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, "
       "float>, unsigned int, float, (int)4, (int)4>>(T3)",
       "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, "
       "unsigned "
       "int, float, 4, 4> >(at::native::ReduceOp<float>)"},
  };
  for (const auto& [nsys, kineto] : cases) {
    EXPECT_EQ(canonical_kernel(nsys), canonical_kernel(kineto));
    EXPECT_EQ(canonical_kernel(canonical_kernel(nsys)), canonical_kernel(nsys));
  }
}

TEST(CanonicalKernel, TakesApart) {
  EXPECT_EQ(base_name("at::native::foo<bar<int>,2>"), "foo");
  EXPECT_EQ(base_name("foo"), "foo");
  EXPECT_EQ(template_arguments("a::foo<bar<int>,2>"), "bar<int>,2");
  EXPECT_EQ(template_arguments("foo"), "");
  EXPECT_EQ(template_arguments("foo<bar"), "bar");
  EXPECT_EQ(split_arguments("bar<int,2>,3,{lambda(int,bool)}"),
            (std::vector<std::string_view>{"bar<int,2>", "3", "{lambda(int,bool)}"}));
  EXPECT_TRUE(split_arguments("").empty());
}

// A megabyte of whatever breaks naive readers is read once.
TEST(CanonicalKernel, HostileNamesEnd) {
  for (const char* piece :
       {"<", "(", "{lambda(", "[", "a<", ">", "(int)", "void ", "a::", "'lambda'(", "operator()", "1u", "_Z9", ")}>"}) {
    std::string name;
    while (name.size() < (1U << 20U)) name += piece;
    EXPECT_FALSE(canonical_kernel(name).empty()) << piece;
    EXPECT_FALSE(kernel_family(name).keys.empty()) << piece;
  }
}

struct FamilyCase {
  const char* name;
  const char* operation;
  const char* key;  // the narrowest
  const char* library;
  const char* precision;
};

TEST(KernelFamily, OfTheLibrariesOwnNames) {
  const FamilyCase cases[] = {
      {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", "gemm", "gemm|bf16|tn", "cuBLAS", "bf16"},
      {"volta_sgemm_32x32_sliced1x4_nn", "gemm", "gemm|fp32|nn", "cuBLAS", "fp32"},
      {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN", "gemm", "gemm|bf16|tn", "cuBLAS nvjet", "bf16"},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
       "gemm", "gemm|bf16|tn", "cuBLAS XMMA", "bf16"},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align1>(Params)", "gemm", "gemm|tf32|nn", "CUTLASS",
       "tf32"},
      {"cutlass3x_sm100_simt_sgemm_f32_f32_f32_f32_f32_128x64x16_1x1x1_3_tnn_align1_bias_f32_relu", "gemm", "gemm|fp32|tn",
       "CUTLASS", "fp32"},
      {"Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT256x128x64_MI16x16x1", "gemm", "gemm|bf16|tn", "hipBLASLt", "bf16"},
      {"Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1.kd", "gemm", "gemm|fp16|nn", "Tensile", "fp16"},
      {"Cijk_Ailk_Bjlk_SB_MT64x64x8", "gemm", "gemm|fp32|nt", "Tensile", "fp32"},
      {"matmul_kernel_0d1d2d3de", "gemm", "matmul_kernel", "Triton", ""},
      {"triton_poi_fused_add_mul_12", "triton_poi_fused_add_mul", "triton_poi_fused_add_mul", "Triton", ""},
      {"triton_red_fused_add_3_9f8e7d6c", "triton_red_fused_add", "triton_red_fused_add", "Triton", ""},
      {"attn_fwd", "attention forward", "attention forward||attn_fwd", "Triton", ""},
      {"void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, false, cutlass::half_t>, true>(Params)",
       "attention forward", "attention forward|fp16|flash_fwd_splitkv_kernel", "FlashAttention", "fp16"},
      {"void flash::flash_bwd_dot_do_o_kernel<true, flash::Traits<cutlass::bfloat16_t>>(P)", "attention backward",
       "attention backward|bf16|flash_bwd_dot_do_o_kernel", "FlashAttention", "bf16"},
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "all_reduce", "all_reduce|sum|float", "NCCL", "float"},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_reduce", "all_reduce|sum|float", "NCCL",
       "float"},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "send_recv", "send_recv", "NCCL", ""},
      {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "send_recv", "send_recv", "NCCL", ""},
      {"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", "collective", "collective", "NCCL", ""},
      {"sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64__5x_cudnn", "convolution",
       "convolution|bf16", "cuDNN", "bf16"},
      {"igemm_wrw_gtcx3_nhwc_bf16_bx0_ex0_bt128x128x16", "convolution weight gradient", "convolution weight gradient|bf16",
       "MIOpen", "bf16"},
      {"void gemv2T_kernel_val<int, double, (int)128, cublasGemvParams<double>>(T13)", "gemv", "gemv|fp64|gemv2T_kernel_val",
       "cuBLAS", "fp64"},
      {"void my::kernel<float, 16>(float*)", "kernel", "my::kernel<float>", "", "fp32"},
      {"copy_blocked[v1,cw51c](Array<double>)", "copy_blocked", "copy_blocked", "", "fp64"},
      {"loop_add_fusion_12", "loop_add_fusion_12", "loop_add_fusion_12", "", ""},
  };
  for (const FamilyCase& c : cases) {
    const KernelFamily family = kernel_family(c.name);
    EXPECT_EQ(family.operation, c.operation) << c.name;
    EXPECT_EQ(family.keys.front(), c.key) << c.name;
    EXPECT_EQ(family.library, c.library) << c.name;
    EXPECT_EQ(family.precision, c.precision) << c.name;
  }
}

TEST(KernelFamily, TheSameOperationUnderAnotherTemplateIsOneFamily) {
  const std::pair<const char*, const char*> cases[] = {
      {"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> "
       ">(at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1}>(int)",
       "void at::native::elementwise_kernel_manual_unroll<128, 8, "
       "at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> >(at::TensorIteratorBase&, "
       "at::native::CUDAFunctor_add<float> const&)::{lambda(int, bool)#1}>(int)"},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float>, unsigned int, "
       "float, 4> >(x)",
       "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float, at::native::MeanOps<float, float>, unsigned int, "
       "float, 4, 4> >(x)"},
  };
  for (const auto& [a, b] : cases) EXPECT_EQ(kernel_family(a).keys.front(), kernel_family(b).keys.front());
}

TEST(KernelFamily, ChangesAreToldInAFewWords) {
  struct Case {
    const char* before;
    const char* after;
    const char* change;
  };
  const Case cases[] = {
      {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", "ampere_bf16_s16816gemm_bf16_256x64_ldg8_f2f_stages_64x4_tn",
       "tile 128x64 -> 256x64, stages 3 -> 4"},
      {"ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn", ""},
      {"ampere_sgemm_128x64_tn", "volta_sgemm_128x32_tn", "tile 128x64 -> 128x32, architecture ampere -> volta"},
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int>, "
       "Mainloop<cute::tuple<cute::C<(int)2>, cute::C<(int)1>, cute::C<(int)1>>>, cute::tuple<cute::C<(int)128>, "
       "cute::C<(int)256>, "
       "cute::C<(int)64>>, cutlass::bfloat16_t>>(T1::Params)",
       "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int>, "
       "Mainloop<cute::tuple<cute::C<(int)1>, cute::C<(int)1>, cute::C<(int)1>>>, cute::tuple<cute::C<(int)128>, "
       "cute::C<(int)128>, "
       "cute::C<(int)64>>, cutlass::bfloat16_t>>(T1::Params)",
       "tile 128x256x64 -> 128x128x64, cluster 2x1x1 -> 1x1x1"},
      {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN", "nvjet_qqtst_192x192_64x4_2x1_v_bz_coopB_bias_TNN",
       "precision bf16 -> fp8"},
      {"nvjet_tst_192x192_64x4_2x1_v_bz_TNN", "nvjet_tst_192x192_64x4_2x1_v_bz_splitK_TNN", "split-K no -> yes"},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
       "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_on_kernel__5x_cublas",
       "split-K no -> yes"},
      {"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, cutlass::half_t>>(P)",
       "void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, cutlass::half_t>>(P)",
       "algorithm one pass over KV -> split KV, tile 128x64 -> 64x128"},
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)", "ncclDevKernel_AllReduce_Sum_bf16_TREE_LL128(x)",
       "algorithm ring -> tree, protocol LL -> LL128"},
      {"void k<float, 16>(float*)", "void k<float, 32>(float*)", "template arguments 16 -> 32"},
      {"triton_poi_fused_add_0", "triton_poi_fused_add_3", ""},
      {"attn_fwd", "void flash::flash_fwd_kernel<x>(P)", "library Triton -> FlashAttention"},
  };
  for (const Case& c : cases) EXPECT_EQ(change_between(kernel_family(c.before), kernel_family(c.after)), c.change) << c.before;
}

}  // namespace
}  // namespace plumbline::profiles::test
