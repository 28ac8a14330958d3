// What names of result files say of the GPUs that a run had: two runs of other tensor parallel sizes are no runs of one set-up.
#include "formats/serving/run_name.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

std::string said(std::string_view file) {
  std::string out;
  for (const auto& [key, value] : context_of_run_name(file)) out += (out.empty() ? "" : " ") + key + "=" + value;
  return out;
}

TEST(RunName, of_one_node) {
  EXPECT_EQ(said("agg_m1_8k1k_fp8_sglang_tp8-pp1-dcp1-pcp1-ep4-dpatrue_disagg-false_spec-mtp_conc16_h200-a_0.json"),
            "hardware.gpu=h200 parallelism.dcp=1 parallelism.disagg=false parallelism.dp_attention=true parallelism.ep=4 "
            "parallelism.pcp=1 parallelism.pp=1 parallelism.tp=8 serving.spec_decoding=mtp workload.concurrency=16 "
            "workload.dtype=fp8 workload.isl=8192 workload.osl=1024");
  EXPECT_EQ(said("out/m1_fp4_vllm_tp2_ep1_dpa_false_conc4_isl1024_osl128.json"),
            "parallelism.dp_attention=false parallelism.ep=1 parallelism.tp=2 workload.concurrency=4 workload.dtype=fp4 "
            "workload.isl=1024 workload.osl=128");
  EXPECT_EQ(said("serving_m1_tp4_sharegpt_qps_16.json"), "parallelism.tp=4");
}

TEST(RunName, of_phases_with_gpus_of_their_own) {
  EXPECT_EQ(said("m1_1k1k_fp8_x_prefill-tp4-ep4-dpfalse-nw2_decode-tp8-ep8-dptrue-nw1_disagg-true_conc64x128_b200-a_1.json"),
            "hardware.gpu=b200 parallelism.decode_dp_attention=true parallelism.decode_ep=8 parallelism.decode_tp=8 "
            "parallelism.decode_workers=1 parallelism.disagg=true parallelism.prefill_dp_attention=false "
            "parallelism.prefill_ep=4 parallelism.prefill_tp=4 parallelism.prefill_workers=2 workload.dtype=fp8 "
            "workload.isl=1024 workload.osl=1024");
  EXPECT_EQ(said("results_concurrency_64_gpus_16_ctx_8_gen_8.json"),
            "hardware.gpu_count=16 parallelism.decode_gpus=8 parallelism.prefill_gpus=8 workload.concurrency=64");
}

TEST(RunName, says_nothing_where_it_is_of_another_kind) {
  for (const char* file :
       {"run.json", "results_fp8_h200.json", "http-conc16.json", "tpch.json", "step_1k1k.json", "tp.json", "_-.json", ""}) {
    EXPECT_EQ(said(file), "") << file;
  }
}

TEST(RunName, speaks_only_where_the_file_does_not) {
  const std::string run =
      R"({"model_id": "m", "num_prompts": 8, "request_rate": "inf", "max_concurrency": 4, "completed": 8, "tp": 2,
          "request_throughput": 2.5, "output_throughput": 320.0, "total_token_throughput": 640.0, "median_ttft_ms": 50.0})";
  const std::string listing = listing_of(run, "m_tp8-ep4_conc16.json");
  EXPECT_NE(listing.find("context parallelism.ep = 4\n"), std::string::npos) << listing;
  EXPECT_NE(listing.find("context parallelism.tp = 2\n"), std::string::npos) << listing;
  EXPECT_NE(listing.find("context workload.concurrency = 4\n"), std::string::npos) << listing;
}

}  // namespace
}  // namespace plumbline::formats
