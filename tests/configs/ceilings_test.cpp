// Ceilings: the values a published share rests on, the lookup, and the choice by board and metric.
#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Ceilings, EveryBuiltinEntryIsComplete) {
  const auto one_of = [](const std::string& text, std::initializer_list<const char*> allowed) {
    return std::any_of(allowed.begin(), allowed.end(), [&](const char* a) { return text == a; });
  };
  const auto& all = Ceilings::builtin()->all();
  ASSERT_GT(all.size(), 400U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const core::Ceiling& ceiling = all[i];
    const Ceilings::Trait& trait = Ceilings::builtin()->traits()[i];
    EXPECT_GT(ceiling.value, 0) << ceiling.key;
    EXPECT_EQ(ceiling.key.rfind(ceiling.device + ".", 0), 0U) << ceiling.key;
    EXPECT_TRUE(one_of(ceiling.basis, {"published", "device_reported", "derived"})) << ceiling.key;
    EXPECT_TRUE(one_of(ceiling.confidence, {"vendor", "secondary", "uncertain"})) << ceiling.key;
    EXPECT_NE(ceiling.source.find("(read 2026-"), std::string::npos) << ceiling.key << ": " << ceiling.source;
    const core::Quantity quantity = core::parse_unit(ceiling.unit).quantity;
    if (trait.measures == "compute") {
      EXPECT_FALSE(trait.precision.empty()) << ceiling.key;
      EXPECT_EQ(ceiling.sparsity, "dense") << ceiling.key;
      EXPECT_EQ(quantity, trait.precision == "int8" ? core::Quantity::operations_per_second : core::Quantity::flops)
          << ceiling.key;
    } else if (trait.measures == "capacity") {
      EXPECT_EQ(quantity, core::Quantity::bytes) << ceiling.key;
    } else if (trait.measures == "memory") {
      EXPECT_EQ(quantity, core::Quantity::bytes_per_second) << ceiling.key;
    } else {
      EXPECT_TRUE(one_of(trait.measures, {"link", "link_peer", "link_pair", "pcie", "c2c", "nic", "nic_total"})) << ceiling.key;
      EXPECT_TRUE(one_of(ceiling.duplex, {"uni", "bi"})) << ceiling.key;
      EXPECT_EQ(quantity, core::Quantity::bytes_per_second) << ceiling.key;
    }
  }
}

// SKU and power stand in the file itself; every board says its SKU, and a power wherever one was printed.
TEST(Ceilings, EveryBuiltinBoardSaysItsSku) {
  const std::string file(embedded("sol-ceilings.yaml"));
  std::size_t boards = 0;
  for (std::size_t at = file.find("\n    title: "); at != std::string::npos; at = file.find("\n    title: ", at + 1)) {
    ++boards;
    const std::size_t end = file.find("\n    ceilings:", at);
    ASSERT_NE(end, std::string::npos);
    const std::string head = file.substr(at, end - at);
    EXPECT_NE(head.find("\n    sku: \""), std::string::npos) << head;
    EXPECT_NE(head.find("\n    source: \""), std::string::npos) << head;
    EXPECT_NE(head.find("\n    aliases: ["), std::string::npos) << head;
    EXPECT_EQ(head.find(" W\"") != std::string::npos && head.find("power_w:") == std::string::npos &&
                  head.find("module power") == std::string::npos,
              false)
        << head;
  }
  EXPECT_EQ(boards, 58U);
}

TEST(Ceilings, OneDirectionIsHalfOfBoth) {
  const auto& file = *Ceilings::builtin();
  std::size_t pairs = 0;
  for (const core::Ceiling& one : file.all()) {
    if (!one.key.ends_with("_uni")) continue;
    const auto both = file.find(one.key.substr(0, one.key.size() - 4) + "_bi");
    if (!both) continue;
    ++pairs;
    EXPECT_DOUBLE_EQ(both->value, 2 * one.value) << one.key;
    EXPECT_EQ(both->unit, one.unit) << one.key;
  }
  EXPECT_GT(pairs, 20U);
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
  EXPECT_EQ(found.error().message, "ceiling \"hbm\" differs between devices: a (1 TB/s) and b (2 TB/s)");
  EXPECT_EQ(found.error().hint, "name the device too, for instance a.hbm");
}

TEST(Ceilings, AMistypedKeyNamesTheNearest) {
  const auto found = Ceilings::builtin()->find("b200_sm100.nvlink5_tbp");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "no ceiling is called \"b200_sm100.nvlink5_tbp\"");
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
            "hardware.gpu \"NVIDIA B200\" is b200_sm100 (assumed: the name does not say the board); busbw is the rate of one "
            "direction of the "
            "link");
  EXPECT_EQ(chosen->ceiling.duplex, "");  // that form does not say it: the figure tells (core::duplex_warning)
}

// The whole shape of the older file: sections without ceilings, flags, units in bits and bytes beside each other.
TEST(Ceilings, ReadTheOlderFilesStructureAndKeyPaths) {
  const auto file = Ceilings::parse(
      "schema_version: 1\n"
      "b200_sm100:\n"
      "  hw_name: NVIDIA B200\n"
      "  nvfp4_dense_pflops: {value: 9.0, units: PFLOPS, source: brief, dcgm_metric: X}\n"
      "  hbm3e_tbps: {value: 8.0, units: TB/s, source: sheet}\n"
      "  hbm3e_capacity_gb: {value: 192, units: GB, source: sheet}\n"
      "  nvlink5_tbps: {value: 1.8, units: TB/s, source: spec, notes: both directions}\n"
      "  nvswitch_sharp: {value: true, units: bool, source: spec}\n"
      "  pcie_gen5_x16_gbps: {value: 128, units: GB/s, source: spec}\n"
      "gb300_nvl72:\n"
      "  roce_per_nic_gbps: {value: 400, units: Gb/s, source: arch}\n"
      "  roce_two_nic_gbs: {value: 100, units: GB/s, source: arch}\n"
      "category_ceiling_map:\n"
      "  NCCL: {metric: nvlink5_tbps, bound: bandwidth}\n"
      "dcgm_config:\n"
      "  default_labels: [gpu, device]\n"
      "  min_sweep_seconds: 60\n",
      "sol-ceilings.yaml");
  ASSERT_TRUE(file) << file.error().message;
  const auto& all = (*file)->all();
  ASSERT_EQ(all.size(), 7U);
  const char* const measures[] = {"compute", "memory", "capacity", "link", "pcie", "nic", "nic_total"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ((*file)->traits()[i].measures, measures[i]) << all[i].key;
    EXPECT_TRUE((*file)->find(all[i].key));
  }
  const auto h2d = (*file)->choose({{"hardware.gpu", "NVIDIA B200"}}, "h2d", "GB/s");
  ASSERT_TRUE(h2d) << h2d.error().message;
  EXPECT_EQ(h2d->ceiling.key, "b200_sm100.pcie_gen5_x16_gbps");
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
      {"devices:\n  a:\n    ceilings:\n      hbm: {value: 2, unit: TB/s, duplex: both}\n", "ceiling a.hbm has duplex \"both\"",
       "c.yaml:4:43"},
      {"devices:\n  a: {aliases: [x]}\n", "device a has no map of ceilings", "c.yaml:2:6"},
      {"devices: {a: {ceilings: {h: {value: 1, unit: B}, h: {value: 2, unit: B}}}}", "ceiling a.h appears twice", "c.yaml"},
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
      {"NVIDIA GB300", "all_reduce[size=8,ranks=4].busbw", "GB/s", "gb300_nvl72.nvlink5_uni"},
      {"NVIDIA GH200 480GB", "host_to_device_memcpy_ce[row=0,col=0].bandwidth", "GB/s", "gh200.nvlink_c2c_uni"},
      {"NVIDIA GH200 144G HBM3e", "STREAM_COPY_double[gpu=0].bandwidth", "GB/s", "gh200_144.hbm3e"},
      {"Tesla V100-PCIE-32GB", "gpu_stream", "GB/s", "v100_pcie.hbm2"},
      {"Tesla V100-SXM2-32GB", "sgemm", "GFLOPS", "v100_sxm2.fp32"},
      {"NVIDIA-H100-80GB-HBM3", "device_to_device_memcpy_read_ce[row=0,col=1].bandwidth", "GB/s", "h100_sxm.nvlink4_uni"},
      {"NVIDIA H200 NVL", "hbm", "GB/s", "h200_nvl.hbm3e"},
      {"ATLAS_800_A2_376T_64G", "gemm.fp16", "TFLOPS", "ascend_910b_376t.fp16_dense"},
      {"NVIDIA B200, NVIDIA B200", "busbw", "GB/s", "b200_sm100.nvlink5_uni"},
      // What a pair of a mesh shares is one link; a bridge joins two; without either PCIe is the only link there is.
      {"AMD Instinct MI300X", "gpu0_to_gpu1_write_by_sm.bandwidth", "GB/s", "mi300x.infinity_fabric_peer_uni"},
      {"AMD Instinct MI300X", "sendrecv[size=8].busbw", "GB/s", "mi300x.infinity_fabric_peer_uni"},
      {"NVIDIA H100 PCIe", "all_reduce[size=8,ranks=2].busbw", "GB/s", "h100_pcie.nvlink_bridge_uni"},
      {"NVIDIA L4", "all_reduce[size=8,ranks=4].busbw", "GB/s", "l4.pcie_gen4_x16_uni"},
      // Copies within a device, and the sum of both directions where the tool prints it.
      {"NVIDIA H100 80GB HBM3", "gpu0_to_gpu0_by_sm.bandwidth", "GB/s", "h100_sxm.hbm3_tbps"},
      {"NVIDIA H100 80GB HBM3", "device_local_copy[row=0,col=0].bandwidth", "GB/s", "h100_sxm.hbm3_tbps"},
      {"NVIDIA H100 80GB HBM3", "bidirectional[p2p=enabled,row=0,col=1].bandwidth", "GB/s", "h100_sxm.nvlink4_tbps"},
      {"NVIDIA H100 80GB HBM3", "host_to_device_bidirectional_memcpy_ce[row=0,col=0].bandwidth", "GB/s",
       "h100_sxm.pcie_gen5_x16_uni"},
      {"NVIDIA H100 80GB HBM3", "device_to_device_bidirectional_memcpy_read_ce_total[row=0,col=1].bandwidth", "GB/s",
       "h100_sxm.nvlink4_tbps"},
      {"NVIDIA H100 80GB HBM3", "gemm[dtype=int8].rate", "TOPS", "h100_sxm.int8_dense"},
      {"NVIDIA GeForce RTX 4090", "gemm[dtype=fp16,acc16=1].tflops", "TFLOPS", "rtx_4090.fp16_acc16_dense"},
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
  EXPECT_EQ(chosen->evidence, "hardware.gpu \"NVIDIA B200\" is b200_sm100; bf16 arithmetic (the context), dense");
}

TEST(CeilingChoice, TakesTheNegotiatedPcieLinkFromTheContext) {
  const auto with = [](const char* generation, const char* width) {
    core::Context context{{"hardware.gpu", "NVIDIA H100 PCIe"}};
    if (*generation != '\0') context["hardware.pcie_gen"] = generation;
    if (*width != '\0') context["hardware.pcie_width"] = width;
    const auto chosen = Ceilings::builtin()->choose(context, "h2d", "GB/s");
    return chosen ? *chosen : Ceilings::Chosen{};
  };
  EXPECT_EQ(with("4", "x16").ceiling.key, "host.pcie_gen4_x16_uni");
  EXPECT_EQ(with("Gen4", "8").ceiling.value, 15.75);
  EXPECT_EQ(
      with("Gen4", "8").evidence,
      "hardware.gpu \"NVIDIA H100 PCIe\" is h100_pcie; a copy between host and device; the context says PCIe generation 4, x8");
  EXPECT_EQ(with("", "").ceiling.key, "h100_pcie.pcie_gen5_x16_uni");
  EXPECT_EQ(
      with("", "").evidence,
      "hardware.gpu \"NVIDIA H100 PCIe\" is h100_pcie; a copy between host and device; generation and width are the board's, "
      "the context does not say what was negotiated (hardware.pcie_gen)");
}

TEST(CeilingChoice, TakesWhatTheDeviceReportsOnlyWhenItIsSaid) {
  core::Context context{{"hardware.gpu", "NVIDIA B200"}};
  const auto published = Ceilings::builtin()->choose(context, "hbm", "GB/s");
  ASSERT_TRUE(published);
  EXPECT_EQ(published->evidence,
            "hardware.gpu \"NVIDIA B200\" is b200_sm100; memory bandwidth; boards that report a narrower bus have "
            "b200_sm100.hbm3e_device_reported = 7.672 TB/s");
  context["hardware.memory_bus_width"] = "7680-bit";
  const auto reported = Ceilings::builtin()->choose(context, "hbm", "GB/s");
  ASSERT_TRUE(reported);
  EXPECT_EQ(reported->ceiling.key, "b200_sm100.hbm3e_device_reported");
  context["hardware.memory_bus_width"] = "8192";
  EXPECT_EQ(Ceilings::builtin()->choose(context, "hbm", "GB/s")->ceiling.key, "b200_sm100.hbm3e_tbps");
}

TEST(CeilingChoice, AnUnknownBoardNamesTheNearest) {
  const auto chosen = Ceilings::builtin()->choose({{"hardware.gpu", "NVIDIA RTX 4000 Ada"}}, "hbm", "GB/s");
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().message, "no ceiling can be chosen: no board is known for hardware.gpu \"NVIDIA RTX 4000 Ada\"");
  EXPECT_EQ(chosen.error().hint,
            "the nearest that are known: rtx_4090 and rtx_5090; add the board to configs/sol-ceilings.yaml, or name a ceiling "
            "with --ceiling KEY");
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
      {{{"hardware.gpu", "NVIDIA T4"}},
       "busbw",
       "GB/s",
       "no ceiling can be chosen: no board is known for hardware.gpu \"NVIDIA T4\""},
      {{{"hardware.gpu", "NVIDIA B200, NVIDIA H200"}},
       "busbw",
       "GB/s",
       "no ceiling can be chosen: hardware.gpu \"NVIDIA B200, NVIDIA H200\" names two boards, b200_sm100 and h200_sxm"},
      {{{"hardware.gpu", "NVIDIA H100 80GB HBM3 MIG 1g.10gb"}},
       "busbw",
       "GB/s",
       "no ceiling can be chosen: \"NVIDIA H100 80GB HBM3 MIG 1g.10gb\" is a slice of a GPU"},
      {{{"hardware.gpu", "NVIDIA B200"}},
       "ttft_ms",
       "ms",
       "no ceiling can be chosen for metric \"ttft_ms\": a time is held against no ceiling, only a rate is"},
      {{{"hardware.gpu", "NVIDIA B200"}},
       "output_throughput",
       "tok/s",
       "no ceiling can be chosen for metric \"output_throughput\": work per second has no ceiling of the board alone: it depends "
       "on "
       "the bytes and operations that each piece of work needs"},
      {{{"hardware.gpu", "NVIDIA B200"}}, "algbw", "GB/s", "no ceiling can be chosen for metric \"algbw\""},
      {{{"hardware.gpu", "NVIDIA B200"}},
       "gemm[dtype=fp8,sparse=1].tflops",
       "TFLOPS",
       "no ceiling can be chosen for metric \"gemm[dtype=fp8,sparse=1].tflops\": the product is sparse, and the peaks are dense"},
      {{{"hardware.gpu", "NVIDIA H100 PCIe"}},
       "all_reduce[size=8,ranks=8].busbw",
       "GB/s",
       "no ceiling can be chosen: the bridge of h100_pcie joins two boards, and 8 ranks took part"},
      {{{"hardware.gpu", "NVIDIA B200"}},
       "gemm",
       "TFLOPS",
       "no ceiling can be chosen for metric \"gemm\": its precision is not said"},
      {{{"hardware.gpu", "Apple M2"}},
       "busbw",
       "GB/s",
       "no ceiling can be chosen: apple_m2 has none for busbw is the rate of one direction of the link"},
      {{{"hardware.gpu", "NVIDIA B200"}},
       "busbw",
       "GB",
       "no ceiling can be chosen: the metric's unit \"GB\" does not convert to TB/s of b200_sm100.nvlink5_uni"},
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
