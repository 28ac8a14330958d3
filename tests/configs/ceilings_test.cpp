// Ceilings: the values a published share rests on, the lookup, and the choice by board and metric.
#include <gtest/gtest.h>

#include <string>

#include "configs/configs.hpp"
#include "core/units.hpp"

namespace plumbline::configs {
namespace {

TEST(Ceilings, KeepTheKeysAndValuesOfTheOlderFile) {
  struct Case {
    const char* key;
    double value;
    const char* unit;
  };
  const Case cases[] = {
      {"b200_sm100.nvfp4_dense_pflops", 9.0, "PFLOPS"},
      {"b200_sm100.fp8_dense_pflops", 4.5, "PFLOPS"},
      {"b200_sm100.bf16_dense_pflops", 2.25, "PFLOPS"},
      {"b200_sm100.fp32_tc_tflops", 1125, "TFLOPS"},
      {"b200_sm100.hbm3e_tbps", 8.0, "TB/s"},
      {"b200_sm100.hbm3e_capacity_gb", 192, "GB"},
      {"b200_sm100.nvlink5_tbps", 1.8, "TB/s"},
      {"b200_sm100.pcie_gen5_x16_gbps", 128, "GB/s"},
      {"gb300_nvl72.nvfp4_dense_pflops", 15.0, "PFLOPS"},
      {"gb300_nvl72.fp8_dense_pflops", 5.0, "PFLOPS"},
      {"gb300_nvl72.bf16_dense_pflops", 2.5, "PFLOPS"},
      {"gb300_nvl72.hbm3e_tbps", 8.0, "TB/s"},
      {"gb300_nvl72.hbm3e_capacity_gb", 288, "GB"},
      {"gb300_nvl72.nvlink5_tbps", 1.8, "TB/s"},
      {"gb300_nvl72.roce_per_nic_gbps", 400, "Gb/s"},
      {"gb300_nvl72.roce_two_nic_gbs", 100, "GB/s"},
      {"h100_sxm.fp8_dense_pflops", 1.98, "PFLOPS"},
      {"h100_sxm.bf16_dense_pflops", 0.99, "PFLOPS"},
      {"h100_sxm.hbm3_tbps", 3.35, "TB/s"},
      {"h100_sxm.nvlink4_tbps", 0.9, "TB/s"},
  };
  for (const Case& c : cases) {
    const auto found = Ceilings::builtin()->find(c.key);
    ASSERT_TRUE(found) << c.key << ": " << found.error().message;
    EXPECT_DOUBLE_EQ(found->value, c.value) << c.key;
    EXPECT_EQ(found->unit, c.unit) << c.key;
  }
}

TEST(Ceilings, GiveOneDirectionBesideBoth) {
  const auto both = Ceilings::builtin()->find("b200_sm100.nvlink5_tbps");
  const auto one = Ceilings::builtin()->find("b200_sm100.nvlink5_uni");
  ASSERT_TRUE(both && one);
  EXPECT_EQ(both->duplex, "bi");
  EXPECT_EQ(one->duplex, "uni");
  EXPECT_DOUBLE_EQ(one->value, 0.9);
  EXPECT_DOUBLE_EQ(Ceilings::builtin()->find("b200_sm100.pcie_gen5_x16_uni")->value, 63.0);
}

TEST(Ceilings, EveryBuiltinEntrySaysWhereItComesFrom) {
  ASSERT_GT(Ceilings::builtin()->all().size(), 300U);
  for (const core::Ceiling& ceiling : Ceilings::builtin()->all()) {
    EXPECT_GT(ceiling.value, 0) << ceiling.key;
    EXPECT_FALSE(ceiling.source.empty()) << ceiling.key;
    EXPECT_NE(core::parse_unit(ceiling.unit).quantity, core::Quantity::unknown) << ceiling.key << " " << ceiling.unit;
    EXPECT_EQ(ceiling.key.rfind(ceiling.device + ".", 0), 0U) << ceiling.key;
  }
  for (const Ceilings::Trait& trait : Ceilings::builtin()->traits()) EXPECT_FALSE(trait.measures.empty());
}

// A file that took a sparse figure for a dense one is off by two here.
TEST(Ceilings, HopperAndBlackwellFp8IsTwiceBf16) {
  for (const char* device : {"b200_sm100", "h100_sxm", "gb300_nvl72"}) {
    const std::string name(device);
    const auto fp8 = Ceilings::builtin()->find(name + ".fp8_dense_pflops");
    const auto bf16 = Ceilings::builtin()->find(name + ".bf16_dense_pflops");
    ASSERT_TRUE(fp8 && bf16) << name;
    EXPECT_DOUBLE_EQ(fp8->value, 2 * bf16->value) << name;
  }
}

TEST(Ceilings, ABareNameIsTakenWhenAllDevicesAgree) {
  const auto found = Ceilings::builtin()->find("roce_per_nic_gbps");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "gb300_nvl72.roce_per_nic_gbps");
  const auto nvlink = Ceilings::builtin()->find("nvlink5_tbps");
  ASSERT_TRUE(nvlink);
  EXPECT_DOUBLE_EQ(nvlink->value, 1.8);
}

TEST(Ceilings, ABareNameThatDiffersListsTheDevices) {
  const auto file = Ceilings::parse(
      "devices: {a: {ceilings: {hbm: {value: 1, unit: TB/s}}}, b: {ceilings: {hbm: {value: 2, unit: TB/s}}}}", "c.yaml");
  ASSERT_TRUE(file);
  const auto found = (*file)->find("hbm");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, core::ErrorCode::usage);
  EXPECT_EQ(found.error().message, "ceiling 'hbm' differs between devices: a (1 TB/s) and b (2 TB/s)");
  EXPECT_EQ(found.error().hint, "name the device too, for instance a.hbm");
}

TEST(Ceilings, AMistypedKeyNamesTheNearest) {
  const auto found = Ceilings::builtin()->find("b200_sm100.nvlink5_tbp");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "no ceiling is called 'b200_sm100.nvlink5_tbp'");
  EXPECT_EQ(found.error().hint, "did you mean b200_sm100.nvlink5_tbps?");
}

TEST(Ceilings, ReadTheOlderFilesForm) {
  const auto file = Ceilings::parse(
      "b200_sm100:\n"
      "  hw_name: B200\n"
      "  nvlink5_tbps: {value: 1.8, units: TB/s, source: spec}\n"
      "  nvswitch_sharp: {value: true, source: spec}\n"
      "category_ceiling_map:\n"
      "  NCCL: {metric: nvlink5_tbps, bound: bandwidth}\n",
      "sol-ceilings.yaml");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ((*file)->all().size(), 1U);
  EXPECT_EQ((*file)->all()[0].key, "b200_sm100.nvlink5_tbps");
  EXPECT_EQ((*file)->all()[0].source, "spec");
  const auto chosen = (*file)->choose({{"hardware.gpu", "NVIDIA B200"}}, "busbw", "GB/s");
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(chosen->evidence,
            "hardware.gpu 'NVIDIA B200' is b200_sm100 (assumed: the name does not say the board); busbw is the rate of one "
            "direction of the "
            "link");
}

TEST(Ceilings, WhatIsWrongInAFileIsSaidWithItsPlace) {
  struct Case {
    const char* yaml;
    const char* message;
    const char* where;
  };
  const Case cases[] = {
      {"devices:\n  a:\n    ceilings:\n      hbm: {value: fast, unit: TB/s}\n",
       "ceiling a.hbm has no positive number as its value", "c.yaml:4:12"},
      {"devices:\n  a:\n    ceilings:\n      hbm: {value: 2}\n", "ceiling a.hbm has no unit", "c.yaml:4:12"},
      {"devices:\n  a:\n    ceilings:\n      hbm: {value: 2, unit: TB/s, duplex: both}\n", "ceiling a.hbm has duplex 'both'",
       "c.yaml:4:43"},
      {"devices:\n  a: {aliases: [x]}\n", "device a has no map of ceilings", "c.yaml:2:6"},
      {"devices: {a: {ceilings: {h: {value: 1, unit: B}, h: {value: 2, unit: B}}}}", "ceiling a.h stands twice", "c.yaml"},
      {"{}", "the ceilings file holds no ceilings", "c.yaml"},
      {"- 1", "the ceilings file is not a map", "c.yaml"},
  };
  for (const Case& c : cases) {
    const auto file = Ceilings::parse(c.yaml, "c.yaml");
    ASSERT_FALSE(file) << c.yaml;
    EXPECT_EQ(file.error().code, core::ErrorCode::invalid_input);
    EXPECT_EQ(file.error().message, c.message);
    EXPECT_EQ(file.error().where, c.where) << c.yaml;
  }
  EXPECT_FALSE(Ceilings::parse("a: [", "c.yaml"));
}

TEST(CeilingChoice, FollowsBoardAndMetric) {
  struct Case {
    const char* gpu;
    const char* metric;
    const char* unit;
    const char* key;
  };
  const Case cases[] = {
      {"NVIDIA H100 80GB HBM3", "all_reduce.busbw", "GB/s", "h100_sxm.nvlink4_uni"},
      {"NVIDIA H100 PCIe", "host_to_device", "GB/s", "h100_pcie.pcie_gen5_x16_uni"},
      {"NVIDIA H200", "busbw", "GB/s", "h200_sxm.nvlink4_uni"},
      {"NVIDIA B200", "busbw", "GB/s", "b200_sm100.nvlink5_uni"},
      {"NVIDIA GB200", "busbw", "GB/s", "gb200_nvl72.nvlink5_uni"},
      {"NVIDIA GB200", "h2d", "GB/s", "gb200_nvl72.nvlink_c2c_uni"},
      {"NVIDIA A100-SXM4-40GB", "hbm_bandwidth", "GB/s", "a100_sxm_40.hbm2"},
      {"NVIDIA A100-SXM4-80GB", "hbm_bandwidth", "GB/s", "a100_sxm_80.hbm2e"},
      {"NVIDIA A100 80GB PCIe", "hbm_bandwidth", "GB/s", "a100_pcie_80.hbm2e"},
      {"NVIDIA A10", "gemm.bf16", "TFLOPS", "a10.bf16_dense"},
      {"NVIDIA B200", "gemm.fp8.tflops", "TFLOPS", "b200_sm100.fp8_dense_pflops"},
      {"NVIDIA H100 80GB HBM3", "gemm.fp16", "TFLOPS", "h100_sxm.bf16_dense_pflops"},
      {"NVIDIA B200", "hbm", "TB/s", "b200_sm100.hbm3e_tbps"},
      {"AMD Instinct MI300X", "busbw", "GB/s", "mi300x.infinity_fabric_uni"},
      {"NVIDIA GeForce RTX 5090", "H2D", "GB/s", "rtx_5090.pcie_gen5_x16_uni"},
  };
  for (const Case& c : cases) {
    const auto chosen = Ceilings::builtin()->choose({{"hardware.gpu", c.gpu}}, c.metric, c.unit);
    ASSERT_TRUE(chosen) << c.gpu << " " << c.metric << ": " << chosen.error().message;
    EXPECT_EQ(chosen->ceiling.key, c.key) << c.gpu << " " << c.metric;
    EXPECT_FALSE(chosen->evidence.empty());
  }
}

TEST(CeilingChoice, TakesPrecisionFromTheContext) {
  const auto chosen =
      Ceilings::builtin()->choose({{"hardware.gpu", "NVIDIA B200"}, {"identity.dtype", "bfloat16"}}, "gemm", "TFLOPS");
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->ceiling.key, "b200_sm100.bf16_dense_pflops");
  EXPECT_EQ(chosen->evidence, "hardware.gpu 'NVIDIA B200' is b200_sm100; bf16 arithmetic (the context)");
}

TEST(CeilingChoice, SaysWhatIsMissing) {
  struct Case {
    core::Context context;
    const char* metric;
    const char* unit;
    const char* message;
  };
  const Case cases[] = {
      {{}, "busbw", "GB/s", "no ceiling can be chosen: the context does not say hardware.gpu"},
      {{{"hardware.gpu", "NVIDIA A10G"}},
       "busbw",
       "GB/s",
       "no ceiling can be chosen: no board is known for hardware.gpu 'NVIDIA A10G'"},
      {{{"hardware.gpu", "NVIDIA H100 80GB HBM3 MIG 1g.10gb"}},
       "busbw",
       "GB/s",
       "no ceiling can be chosen: 'NVIDIA H100 80GB HBM3 MIG 1g.10gb' is a slice of a GPU"},
      {{{"hardware.gpu", "NVIDIA B200"}}, "ttft_ms", "ms", "no ceiling can be chosen for metric 'ttft_ms'"},
      {{{"hardware.gpu", "NVIDIA B200"}},
       "gemm",
       "TFLOPS",
       "no ceiling can be chosen for metric 'gemm': its precision is not said"},
      {{{"hardware.gpu", "NVIDIA L4"}},
       "busbw",
       "GB/s",
       "no ceiling can be chosen: l4 has none for busbw is the rate of one direction of the link"},
      {{{"hardware.gpu", "NVIDIA B200"}},
       "busbw",
       "ms",
       "no ceiling can be chosen: the metric's unit 'ms' does not convert to TB/s of b200_sm100.nvlink5_uni"},
      {{{"hardware.gpu", "NVIDIA B200"}, {"parallelism.nodes", "4"}},
       "busbw",
       "GB/s",
       "no ceiling can be chosen: over 4 nodes the network is the limit, not the link inside a node"},
  };
  for (const Case& c : cases) {
    const auto chosen = Ceilings::builtin()->choose(c.context, c.metric, c.unit);
    ASSERT_FALSE(chosen) << c.message;
    EXPECT_EQ(chosen.error().message, c.message);
    EXPECT_FALSE(chosen.error().hint.empty());
  }
}

TEST(Embedded, FilesAreThereByName) {
  EXPECT_EQ(embedded("sol-ceilings.yaml").substr(0, 1), "#");
  EXPECT_TRUE(embedded("no-such-file.yaml").empty());
}

}  // namespace
}  // namespace plumbline::configs
