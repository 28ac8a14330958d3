#include <gtest/gtest.h>

#include "core/text.hpp"
#include "profiles/names/ranges.hpp"

namespace plumbline::profiles::test {
namespace {

TEST(RangeNames, LoseTheirRunningNumbers) {
  const std::pair<const char*, const char*> cases[] = {
      {"ProfilerStep#1009", "ProfilerStep#"},
      {"train_step_15", "train_step_#"},
      {"iteration 3", "iteration #"},
      {"iter15", "iter#"},
      {"layers.7.self_attn", "layers.#.self_attn"},
      {"transformer/h.11/mlp", "transformer/h.#/mlp"},
      {"Layer12 forward", "Layer# forward"},
      {"microbatch[3]", "microbatch[#]"},
      {"## forward ##", "## forward ##"},
      {"buffer 0x7f12ab00", "buffer #"},
      // names in which the number means something
      {"conv2d", "conv2d"},
      {"fp8_gemm", "fp8_gemm"},
      {"all_reduce_1stage", "all_reduce_1stage"},
      {"nn.Module: Conv2d_0", "nn.Module: Conv2d_#"},
      {"aten::mm", "aten::mm"},
      // torch.autograd.profiler.emit_nvtx
      {"aten::addmm, op_id = 999599, seq = 12, sizes = [[4, 4], [4]]", "aten::addmm"},
      {"AddmmBackward0, seq = 12", "AddmmBackward0"},
      {"aten::view, sizes = [[16, 559]], input_op_ids = [(12,0)]", "aten::view"},
      {"", ""},
      {"7", "#"},
  };
  for (const auto& [name, expected] : cases) {
    EXPECT_EQ(range_name(name), expected);
    EXPECT_EQ(range_name(expected), expected) << "a second time changes nothing";
  }
}

TEST(RangeNames, AreBoundedAndStayText) {
  std::string wide;
  while (wide.size() < 1'000'000) wide += "ü";
  for (const std::string& name :
       {wide, std::string(1'000'000, '7'), std::string(1'000'000, 'x'), "x" + std::string(1'000'000, '7')}) {
    const std::string result = range_name(name);
    EXPECT_LE(result.size(), kRangeNameBytes);
    EXPECT_TRUE(core::is_valid_utf8(result));
  }
  EXPECT_TRUE(range_name(wide).ends_with("…"));
}

}  // namespace
}  // namespace plumbline::profiles::test
