// What operators need at least, worked out by hand, and how far from the hardware's limit their kernels were.
#include "profiles/diff/rooflines.hpp"

#include "configs/configs.hpp"
#include "configs/kernel_categories.hpp"
#include "profiles/analysis/op_work.hpp"
#include "profiles/analysis/operator_work.hpp"
#include "profiles/diff/diff.hpp"
#include "tests/profiles/fixture.hpp"
#include "tests/profiles/trace_text.hpp"

namespace plumbline::profiles::test {
namespace {

std::string lines(std::string_view dims, std::string_view types, std::string_view values = "[]") {
  return std::string(dims) + "\n" + std::string(types) + "\n" + std::string(values) + "\n";
}
constexpr std::string_view kTwo = R"(["c10::BFloat16", "c10::BFloat16"])";
constexpr std::string_view kThree = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";

struct Case {
  const char* op;
  std::string operands;
  const char* shape;
  const char* dtype;
  double flops, bytes;
};

TEST(OperatorWork, FollowsFromTheShapes) {
  for (const Case& each : {
           Case{"aten::mm", lines("[[8, 3], [3, 5]]", kTwo), "[8,3]x[3,5]", "bf16", 2. * 8 * 3 * 5, 2. * (24 + 15 + 40)},
           Case{"aten::addmm", lines("[[5], [8, 3], [3, 5], [], []]", R"(["float", "float", "float", "Scalar", "Scalar"])"),
                "[8,3]x[3,5]", "float", 240, 4. * (24 + 15 + 40 + 5)},
           Case{"aten::bmm", lines("[[2, 8, 3], [2, 3, 5]]", R"(["double", "double"])"), "[2,8,3]x[2,3,5]", "fp64", 480,
                8. * 2 * (24 + 15 + 40)},
           Case{"aten::baddbmm", lines("[[1, 1, 5], [2, 8, 3], [2, 3, 5]]", kThree), "[2,8,3]x[2,3,5]", "bf16", 480,
                2. * (2 * (24 + 15 + 40) + 5)},
           Case{"aten::_scaled_mm", lines("[[8, 3], [3, 5], [], []]", R"(["c10::Float8_e4m3fn", "c10::Float8_e5m2"])"),
                "[8,3]x[3,5]", "fp8", 240, 24 + 15 + 2. * 40},
           Case{"aten::linear", lines("[[2, 4, 3], [5, 3], [5]]", kThree), "[2,4,3]x[3,5]", "bf16", 240, 2. * (24 + 15 + 40 + 5)},
           Case{"aten::linear", lines("[[8, 3], [5, 3], []]", kTwo), "[8,3]x[3,5]", "bf16", 240, 2. * (24 + 15 + 40)},
           Case{"aten::mv", lines("[[8, 3], [3]]", kTwo), "[8,3]x[3]", "bf16", 48, 2. * (24 + 3 + 8)},
           // 1 image, 4 -> 6 channels in 2 groups, 8x8 by 3x3 with stride 2 and padding 1: 4x4 outputs
           Case{"aten::convolution",
                lines("[[1, 4, 8, 8], [6, 2, 3, 3], []]", kTwo,
                      R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "2"])"),
                "[1,4,8,8]*[6,2,3,3] stride [2, 2] padding [1, 1]", "bf16", 2. * 16 * 6 * 2 * 9, 2. * (256 + 108 + 96)},
           // 8x8 -> 16x16
           Case{"aten::convolution",
                lines("[[1, 4, 8, 8], [4, 6, 2, 2], []]", kTwo,
                      R"(["", "", "", "[2, 2]", "[0, 0]", "[1, 1]", "True", "[0, 0]", "1"])"),
                "[1,4,8,8]*[4,6,2,2] stride [2, 2] padding [0, 0] transposed", "bf16", 2. * 64 * 4 * 6 * 4,
                2. * (256 + 96 + 6 * 256)},
           Case{"aten::convolution_backward",
                lines("[[1, 6, 4, 4], [1, 4, 8, 8], [6, 2, 3, 3]]", kThree,
                      R"(["", "", "", "[6]", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "2", "[True, True, False]"])"),
                "[1,4,8,8]*[6,2,3,3] stride [2, 2] padding [1, 1]", "bf16", 2. * 2 * 16 * 6 * 2 * 9,
                2. * (96 + 2 * 256 + 2 * 108)},
           Case{"aten::_flash_attention_forward",
                lines("[[2, 16, 4, 8], [2, 16, 4, 8], [2, 16, 4, 8], [], []]", kThree,
                      R"(["", "", "", "", "", "16", "16", "0.", "False", "False"])"),
                "B2 H4 S16 D8", "bf16", 4. * 2 * 4 * 16 * 16 * 8, 2. * 4 * 1024},
           Case{"aten::_scaled_dot_product_flash_attention",
                lines("[[2, 4, 16, 8], [2, 2, 16, 8], [2, 2, 16, 8]]", kThree, R"(["", "", "", "0.", "True", "False"])"),
                "B2 H4/2 S16 D8 causal", "bf16", 2. * 2 * 4 * 16 * 16 * 8, 2. * (1024 + 2 * 512 + 1024)},
           // one new token: the mask hides nothing
           Case{"aten::_scaled_dot_product_efficient_attention",
                lines("[[2, 4, 1, 8], [2, 4, 16, 8], [2, 4, 16, 8]]", kThree, R"(["", "", "", "", "False", "0.", "True"])"),
                "B2 H4 S1/16 D8", "bf16", 4. * 2 * 4 * 16 * 8, 2. * (64 + 1024 + 1024 + 64)},
           Case{"aten::_flash_attention_backward",
                lines("[[2, 16, 4, 8], [2, 16, 4, 8], [2, 16, 4, 8], [2, 16, 4, 8], [2, 16, 4, 8], [2, 4, 16], [], []]",
                      R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half", "c10::Half", "float", "", ""])",
                      R"(["", "", "", "", "", "", "", "", "16", "16", "0.", "True"])"),
                "B2 H4 S16 D8 causal", "fp16", 2.5 * 2 * 2 * 4 * 16 * 16 * 8, 2. * 8 * 1024},
       }) {
    SCOPED_TRACE(each.op + std::string(" ") + each.operands);
    EXPECT_TRUE(has_known_work(each.op));
    const auto work = operator_work(each.op, each.operands);
    ASSERT_TRUE(work);
    EXPECT_EQ(work->shape, each.shape);
    EXPECT_EQ(work->dtype, each.dtype);
    EXPECT_EQ(work->flops, each.flops);
    EXPECT_EQ(work->bytes, each.bytes);
  }
}

TEST(OperatorWork, WhatTheArgumentsLeaveOpenHasNone) {
  std::string many;
  for (int i = 0; i < 30; ++i) many += "999999999999, ";
  for (const auto& [op, operands] : std::initializer_list<std::pair<const char*, std::string>>{
           {"aten::mm", lines("[[8, 3], [4, 5]]", kTwo)},
           {"aten::mm", lines("[[8, 3]]", kTwo)},
           {"aten::mm", lines("[[8, 3], [3, 5]]", R"(["c10::BFloat16", "float"])")},
           {"aten::mm", lines("[[8, 3], [3, 5]]", R"(["c10::complex<float>", "c10::complex<float>"])")},
           {"aten::mm", lines("[[8, -3], [-3, 5]]", kTwo)},
           {"aten::mm", lines("[[8, 0], [0, 5]]", kTwo)},
           {"aten::mm", lines(R"([[8, 99999999999999], [99999999999999, 5]])", kTwo)},
           {"aten::mm", lines(R"([[[8, 3]], [3, 5]])", kTwo)},
           {"aten::mm", lines("[[8, 3], [3, ", kTwo)},
           {"aten::mm", ""},
           // a stride that older traces do not have, sequences of various lengths, a mask over unequal lengths
           {"aten::convolution", lines("[[1, 4, 8, 8], [6, 2, 3, 3], []]", kTwo)},
           {"aten::_flash_attention_forward",
            lines("[[64, 4, 8], [64, 4, 8], [64, 4, 8], [3], [3]]", kThree, R"(["", "", "", "", "", "32", "32", "0.", "True"])")},
           {"aten::_scaled_dot_product_flash_attention",
            lines("[[2, 4, 8, 8], [2, 4, 16, 8], [2, 4, 16, 8]]", kThree, R"(["", "", "", "0.", "True"])")},
           // more than there can be
           {"aten::linear", lines("[[" + many + "3], [5, 3]]", kTwo)},
           {"aten::convolution", lines("[[1, 4, 8, 8], [6, 2, 3, 3], []]", kTwo,
                                       R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True", "[0, 0]", "9223372036854775807"])")},
           {"aten::convolution", lines("[[1, 4, 999999999999, 8], [6, 2, 3, 3], []]", kTwo,
                                       R"(["", "", "", "[999999999999, 2]", "[1, 1]", "[1, 1]", "True", "[0, 0]", "1"])")},
           {"aten::relu", lines("[[8, 3]]", kTwo)}}) {
    EXPECT_FALSE(operator_work(op, operands)) << op << " " << operands;
  }
  EXPECT_FALSE(has_known_work("aten::relu"));
  EXPECT_FALSE(has_known_work("mm"));
}

std::string mm(std::string_view start, std::string_view length, std::string_view dims, std::string_view type = "c10::BFloat16",
               std::string_view name = "aten::mm") {
  return event("cpu_op", name, start, length,
               R"("External id": 1, "Input Dims": )" + std::string(dims) + R"(, "Input type": [")" + std::string(type) +
                   R"(", ")" + std::string(type) + R"("], "Concrete Inputs": ["", ""])");
}
std::string launch(std::string_view start, int correlation) {
  return event("cuda_runtime", "cudaLaunchKernel", start, "1", R"("correlation": )" + std::to_string(correlation));
}
std::string run(std::string_view name, std::string_view start, std::string_view length, int correlation) {
  return kernel_event(name, start, length, R"("correlation": )" + std::to_string(correlation));
}

// Two calls of one GEMM (the second with a kernel for its split sums), one of another inside a linear, and a kernel outside.
std::string gemms(std::string_view gpu, std::string_view length) {
  return trace(
      {
          mm("100", "20", "[[4096, 4096], [4096, 4096]]"),
          launch("105", 1),
          mm("200", "20", "[[4096, 4096], [4096, 4096]]"),
          launch("205", 2),
          launch("210", 3),
          mm("300", "50", "[[1, 4096], [4096, 4096]]", "c10::BFloat16", "aten::linear"),
          mm("305", "20", "[[1, 4096], [4096, 4096]]"),
          launch("310", 4),
          launch("400", 5),
          run("nvjet_tst_128x256", "1000", length, 1),
          run("nvjet_tst_128x256", "2000", length, 2),
          run("splitKreduce_kernel", "2500", "10", 3),
          run("gemvx", "3000", "15", 4),
          run("add", "3100", "5", 5),
      },
      R"("deviceProperties": [{"id": 0, "name": ")" + std::string(gpu) + R"("}])");
}

TEST(Rooflines, KernelsBelongToTheInnermostOperatorOfKnownWork) {
  const auto profile = read_trace(gemms("NVIDIA H100 80GB HBM3", "200"));
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->op_work.size(), 2U);
  const OpWork& large = profile->op_work[0];
  EXPECT_EQ(large.op, "aten::mm");
  EXPECT_EQ(large.shape, "[4096,4096]x[4096,4096]");
  EXPECT_EQ(large.calls, 2U);
  EXPECT_EQ(large.total, 410'000);
  EXPECT_EQ(large.kernel, "nvjet_tst_128x256");
  EXPECT_EQ(profile->op_work[1].shape, "[1,4096]x[4096,4096]");
  EXPECT_EQ(profile->op_work[1].total, 15'000);
}

TEST(Rooflines, AreHeldAgainstTheBoundOfTheGpu) {
  const auto before = read_trace(gemms("NVIDIA H100 80GB HBM3", "200")),
             after = read_trace(gemms("NVIDIA H100 80GB HBM3", "400"));
  ASSERT_TRUE(before && after);
  const auto rows = diff(*before, *after, {}).diff.rooflines;
  ASSERT_EQ(rows.size(), 2U);
  const core::ProfileRoofline& large = rows[0];
  EXPECT_EQ(large.bound, "compute");
  EXPECT_EQ(large.unit, "TFLOPS");
  EXPECT_EQ(large.ceiling_key, "h100_sxm.bf16_dense_pflops");
  ASSERT_TRUE(large.baseline && large.candidate && large.baseline->sol_pct && large.candidate->sol_pct);
  const double flops = 2. * 4096 * 4096 * 4096;
  EXPECT_NEAR(*large.baseline->achieved, 2 * flops / 410e-6 / 1e12, 1e-9);
  EXPECT_NEAR(*large.baseline->sol_pct, 100 * 2 * flops / 410e-6 / 0.99e15, 1e-9);
  EXPECT_NEAR(*large.candidate->sol_pct, 100 * 2 * flops / 810e-6 / 0.99e15, 1e-9);
  EXPECT_EQ(large.delta_ns, 400'000);
  const core::ProfileRoofline& small = rows[1];
  EXPECT_EQ(small.bound, "bandwidth");
  EXPECT_EQ(small.unit, "GB/s");
  EXPECT_EQ(small.ceiling_key, "h100_sxm.hbm3_tbps");
  const double bytes = 2. * (4096. * 4096 + 2 * 4096);
  EXPECT_NEAR(*small.baseline->achieved, bytes / 15e-6 / 1e9, 1e-6);
  EXPECT_NEAR(*small.baseline->sol_pct, 100 * bytes / 15e-6 / 3.35e12, 1e-9);
  EXPECT_EQ(small.delta_ns, 0);
  for (const core::ProfileRoofline& row : diff(*after, *before, {}).diff.rooflines)
    EXPECT_EQ(row.delta_ns, row.bound == "compute" ? -400'000 : 0);
}

TEST(Rooflines, WithoutACeilingThereIsNoPercentage) {
  const auto unknown = read_trace(gemms("Some GPU", "200")), known = read_trace(gemms("NVIDIA H100 80GB HBM3", "200"));
  ASSERT_TRUE(unknown && known);
  for (const core::ProfileRoofline& row : diff(*unknown, *unknown, {}).diff.rooflines) {
    EXPECT_EQ(row.ceiling_key, "");
    EXPECT_EQ(row.bound, "");
    EXPECT_EQ(row.unit, "TFLOPS");
    EXPECT_TRUE(row.baseline->achieved && !row.baseline->sol_pct && !row.candidate->sol_pct);
  }
  const auto mixed = diff(*unknown, *known, {}).diff.rooflines;
  EXPECT_TRUE(mixed[0].candidate->sol_pct);
  EXPECT_FALSE(mixed[0].baseline->sol_pct) << "the ceiling is the other side's";
}

TEST(Rooflines, OnlyTheKernelTellsFp32FromTf32) {
  const auto of = [](std::string_view kernel) {
    const auto profile =
        read_trace(trace({mm("1", "20", "[[4096, 4096], [4096, 4096]]", "float"), launch("5", 1), run(kernel, "30", "900", 1)},
                         R"("deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}])"));
    EXPECT_TRUE(profile);
    return diff(*profile, *profile, {}).diff.rooflines.at(0);
  };
  EXPECT_EQ(of("sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n").ceiling_key, "h100_sxm.tf32_dense");
  EXPECT_NE(of("ampere_sgemm_128x64_nn").ceiling_key, "h100_sxm.tf32_dense");
  EXPECT_EQ(of("some_kernel").ceiling_key, "");
}

TEST(Rooflines, AreBoundedAndCounted) {
  Profile profile;
  for (int i = 0; i < 70; ++i) {
    OpWork work;
    work.op = "aten::mm";
    work.shape = std::to_string(i);
    work.dtype = "bf16";
    work.flops = work.bytes = 1;
    work.calls = 1;
    work.total = 1000 + i;
    profile.op_work.push_back(work);
  }
  const Rooflines rows =
      compare_rooflines(profile, profile, *configs::KernelCategories::builtin(), *configs::Ceilings::builtin());
  EXPECT_EQ(rows.rows.size(), 64U);
  EXPECT_EQ(rows.left_out, 6U);
  EXPECT_EQ(rows.rows.front().shape, "69");
  for (const core::ProfileRoofline& row : rows.rows) EXPECT_EQ(row.delta_ns, 0);
}

// Figures of rooflines_golden.py beside this file: every kernel through its launch, every operator tried.
TEST(RooflineSamples, SayWhatPythonSays) {
  const std::string folder = samples("profiles");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  struct Golden {
    const char* op;
    const char* shape;
    std::uint64_t calls;
    std::int64_t h100, mi300;
    double flops;
  };
  constexpr Golden kGoldens[] = {
      {"aten::mm", "[8944,1024]x[1024,2816]", 48, 4015501, 5308273, 51581550592},
      {"aten::_flash_attention_forward", "B16 H16 S559 D64 causal", 24, 2722705, 4016343, 10239377408},
      {"aten::addmm", "[8944,1024]x[1024,1024]", 72, 2266292, 2954763, 18756927488},
      {"aten::mm", "[8944,2816]x[2816,1024]", 24, 1814774, 2374795, 51581550592},
      {"aten::mm", "[8944,1024]x[1024,1024]", 24, 758140, 980549, 18756927488},
      {"aten::bmm", "[1,32,1]x[1,1,559]", 1, 3520, 27342, 35776},
  };
  const auto h100 = read(folder + "tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", {}),
             mi300 = read(folder + "tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", {});
  ASSERT_TRUE(h100 && mi300);
  const auto rows = diff(*h100, *mi300, {}).diff.rooflines;
  ASSERT_EQ(rows.size(), std::size(kGoldens));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const core::ProfileRoofline& row = rows[i];
    SCOPED_TRACE(row.op + " " + row.shape);
    EXPECT_EQ(row.op, kGoldens[i].op);
    EXPECT_EQ(row.shape, kGoldens[i].shape);
    EXPECT_EQ(row.flops, kGoldens[i].flops);
    ASSERT_TRUE(row.baseline && row.candidate);
    EXPECT_EQ(row.baseline->calls, kGoldens[i].calls);
    EXPECT_EQ(row.candidate->calls, kGoldens[i].calls);
    EXPECT_EQ(row.baseline->total_ns, kGoldens[i].h100);
    EXPECT_EQ(row.candidate->total_ns, kGoldens[i].mi300);
  }
  EXPECT_EQ(rows[0].bound, "compute");
  EXPECT_NEAR(*diff(*h100, *h100, {}).diff.rooflines[0].baseline->achieved, 616.589, 0.001);
}

TEST(Rooflines, RanksAddUp) {
  std::vector<OpWork> sum;
  OpWork one{"aten::mm", "[1,2]x[2,3]", "bf16", 12, 22, 2, 100, "k"}, other = one;
  other.shape = "[4,2]x[2,3]";
  other.total = 500;
  add_op_work(sum, {one, other});
  add_op_work(sum, {one});
  ASSERT_EQ(sum.size(), 2U);
  EXPECT_EQ(sum[0].total, 500);
  EXPECT_EQ(sum[1].calls, 4U);
  EXPECT_EQ(sum[1].total, 200);
}

}  // namespace
}  // namespace plumbline::profiles::test
