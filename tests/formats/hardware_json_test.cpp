// JSON that tools of the hardware write beside what their documents say: SuperBench's summaries, several nodes and iterations of
// dcgmi, benchmarks of one name, and perftest's releases without quotes. All numbers are the tests' own.
#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(SuperBench, releases_before_and_after_the_new_names_meet) {
  const std::string rows =
      "superbench\n"
      "kernel-launch[rank=0].event_time = 0.0055 [ms] lower-is-better\n"
      "mem-bw[rank=0].h2d_bw = 25.5 [GB/s] higher-is-better\n"
      "gemm-flops[rank=0].fp64_tc_flops = 18000.5 [GFLOP/s] higher-is-better\n"
      "gemm-flops[rank=0].int8_tc_iops = 400000.5 higher-is-better\n"
      "disk-benchmark.nvme0n1_rand_read_read_lat_ns_99.9 = 1014457.5 [ns] context\n"
      "model-benchmarks:bert/pytorch-bert-base.fp32_train_throughput = 280.5 [samples/s] higher-is-better\n"
      "pytorch-matmul[rank=0].nosharding_time = 25.5 [ms] lower-is-better\n";
  EXPECT_EQ(listing_of(R"({"kernel-launch/event_overhead:0": 0.0055, "mem-bw/H2D_Mem_BW:0": 25.5, "gemm-flops/FP64_TC:0": 18000.5,
                           "gemm-flops/INT8_TC:0": 400000.5, "disk-benchmark/nvme0n1_rand_read_read_lat_ns_99.900000": 1014457.5,
                           "bert_models/pytorch-bert-base/throughput_train_float32": 280.5, "pytorch-matmul/nosharding:0": 25.5})"),
            rows);
  EXPECT_EQ(listing_of(R"({"kernel-launch/event_time:0": 0.0055, "mem-bw/h2d_bw:0": 25.5, "gemm-flops/fp64_tc_flops:0": 18000.5,
                           "gemm-flops/int8_tc_iops:0": 400000.5, "disk-benchmark/nvme0n1_rand_read_read_lat_ns_99.9": 1014457.5,
                           "model-benchmarks:bert/pytorch-bert-base/fp32_train_throughput": 280.5,
                           "pytorch-matmul/nosharding_time:0": 25.5})"),
            rows);
}

TEST(SuperBench, a_summary_is_benchmarks_metrics_ranks_and_nodes) {
  EXPECT_EQ(rows("superbench.jsonl"),
            "superbench\n"
            "kernel-launch[node=n-1,rank=0].return_code = 0 gate lower-is-better\n"
            "kernel-launch[node=n-1,rank=0].event_time = 0.0055 [ms] lower-is-better\n"
            "kernel-launch[node=n-1,rank=1].event_time = 0.0056 [ms] lower-is-better\n"
            "nccl-bw:nvlink[node=n-1,rank=0].return_code = 0 gate lower-is-better\n"
            "nccl-bw:nvlink[node=n-1,rank=0].allreduce_8_time = 40.5 [us] lower-is-better\n"
            "nccl-bw:nvlink[node=n-1,rank=0].allreduce_8_busbw = 0 [GB/s] context\n"
            "nccl-bw:nvlink[node=n-1,rank=0].allreduce_8_algbw = 0 [GB/s] context\n"
            "nccl-bw:nvlink[node=n-1,rank=0].allreduce_1073741824_time = 4000.5 [us] context\n"
            "nccl-bw:nvlink[node=n-1,rank=0].allreduce_1073741824_busbw = 470.25 [GB/s] higher-is-better\n"
            "model-benchmarks:gpt/pytorch-gpt2-large[node=n-1].fp16_train_step_time = 200.5 201.5 [ms] lower-is-better\n"
            "model-benchmarks:gpt/pytorch-gpt2-large[node=n-1].fp16_inference_step_time_99.9 = 9.5 [ms] context\n"
            "model-benchmarks:gpt/pytorch-gpt2-large[node=n-1].fp16_inference_throughput_50 = 420.5 [samples/s] context\n"
            "gemm-flops[node=n-1,rank=0].fp16_tc_flops = 280000.5 [GFLOP/s] higher-is-better\n"
            "cublas-function[node=n-1,rank=0].name_sgemm_m_512_time = 12.5 [us] lower-is-better\n"
            "cublas-function[node=n-1,rank=0].name_sgemm_m_512_correctness = 1 gate higher-is-better\n"
            "cpu-stream[node=n-1].triad_throughput = 250000.5 [MB/s] higher-is-better\n"
            "cpu-stream[node=n-1].threads = 96 context\n"
            "gpu-burn[node=n-1].time = 900 [s] context\n"
            "gpu-burn[node=n-1].gpu_0_pass = 1 gate higher-is-better\n"
            "tcp-connectivity[node=n-1].n2_failed_count = 0 gate lower-is-better\n"
            "custom-tool[node=n-1].p99_latency = 3.5 lower-is-better\n"
            "custom-tool[node=n-1].score = 2.5 unknown\n"
            "monitor[node=n-1,rank=0].gpu_temperature = 46 [C] context\n"
            "monitor[node=n-1,rank=0].gpu_uncorrected_ecc = 0 gate lower-is-better\n"
            "monitor[node=n-1,rank=0].gpu_corrected_ecc = 3 context\n"
            "kernel-launch[node=n-2,rank=0].return_code = 4 gate lower-is-better\n"
            "mem-bw[node=n-2,rank=0].h2d_bw = 26.5 [GB/s] higher-is-better\n"
            "! json_lines\n");
}

TEST(SuperBench, a_baseline_file_has_the_keys_of_a_summary_of_one_node) {
  const std::string baseline = listing_of(R"({"kernel-launch/event_overhead": 0.006, "kernel-launch/return_code": 0,
                                              "mem-bw/H2D_Mem_BW": 25.5})",
                                          "baseline.json");
  EXPECT_EQ(baseline,
            "superbench\n"
            "kernel-launch.event_time = 0.006 [ms] lower-is-better\n"
            "kernel-launch.return_code = 0 gate lower-is-better\n"
            "mem-bw.h2d_bw = 25.5 [GB/s] higher-is-better\n");
  const std::string node =
      listing_of(R"({"node": "n-1", "kernel-launch/event_overhead": 0.006, "kernel-launch/return_code": 0})", "summary.jsonl");
  EXPECT_EQ(node,
            "superbench\n"
            "kernel-launch.event_time = 0.006 [ms] lower-is-better\n"
            "kernel-launch.return_code = 0 gate lower-is-better\n"
            "context environment.hostname = n-1\n");
}

TEST(SuperBench, the_results_of_a_rank_have_their_runs_as_trials) {
  const std::string text = R"([{"name": "model-benchmarks:gpt/pytorch-gpt2-large", "type": "model", "run_count": 2,
      "return_code": 0, "raw_data": {"fp16_train_step_time": [[300.0, 301.0], [302.0, 303.0]]},
      "result": {"return_code": [0], "fp16_train_step_time": [300.5, 302.5], "fp16_train_throughput": [26.5, 26.25]},
      "reduce_op": {"return_code": null, "fp16_train_step_time": "max", "fp16_train_throughput": "min"}}])";
  EXPECT_EQ(listing_of(text, "results.json"),
            "superbench\n"
            "model-benchmarks:gpt/pytorch-gpt2-large.return_code = 0 gate lower-is-better\n"
            "model-benchmarks:gpt/pytorch-gpt2-large.fp16_train_step_time = 300.5 302.5 [ms] lower-is-better\n"
            "model-benchmarks:gpt/pytorch-gpt2-large.fp16_train_throughput = 26.5 26.25 [samples/s] higher-is-better\n");
}

TEST(SuperBench, a_list_of_defects_holds_variations_and_no_results) {
  const std::string text = R"({"Category": "KernelLaunch", "Defective Details": "kernel-launch/event_overhead:0",
                               "kernel-launch/event_overhead:0": 15.5, "kernel-launch/return_code": 0, "index": "n-1"})";
  EXPECT_EQ(refused(text, "superbench"),
            "a list of defective nodes: its numbers are variations against a baseline, nothing measured | give "
            "results-summary.jsonl, which it was made from | result:1");
}

TEST(DcgmDiag, a_diagnostic_of_several_nodes_has_a_gate_a_host) {
  EXPECT_EQ(rows("dcgm_mndiag.json"),
            "dcgm-diag\n"
            "mnubergemm[category=Multi-Node Tests,host=n1,entity=GPU,id=0].passed = 1 gate higher-is-better\n"
            "mnubergemm[category=Multi-Node Tests,host=n1,entity=GPU,id=0].warned = 0 gate lower-is-better\n"
            "mnubergemm[category=Multi-Node Tests,host=n2,entity=GPU,id=0].passed = 0 gate higher-is-better\n"
            "mnubergemm[category=Multi-Node Tests,host=n2,entity=GPU,id=0].warned = 0 gate lower-is-better\n"
            "mnubergemm[category=Multi-Node Tests,of=all].passed = 0 gate higher-is-better\n"
            "mnubergemm[category=Multi-Node Tests,of=all].warned = 0 gate lower-is-better\n"
            "context hardware.driver = 570.1\n"
            "context parallelism.nodes = 2\n"
            "context stack.dcgm = 4.3.0\n");
}

TEST(DcgmDiag, iterations_are_told_apart_and_the_overall_result_is_a_gate) {
  const std::string text = R"({"Overall Result": "Fail", "Warning": "x", "iterations": [
    {"DCGM Diagnostic": {"test_categories": [{"category": "Deployment", "tests": [{"name": "software",
      "results": [{"entity_group": "GPU", "entity_id": 0, "status": "Pass"}]}]}]}, "metadata": {"version": "4.2.0"}},
    {"DCGM Diagnostic": {"runtime_error": "the host engine hung", "version": "4.2.0"}}]})";
  EXPECT_EQ(listing_of(text, "diag.json"),
            "dcgm-diag\n"
            "software[category=Deployment,iteration=1,entity=GPU,id=0].passed = 1 gate higher-is-better\n"
            "software[category=Deployment,iteration=1,entity=GPU,id=0].warned = 0 gate lower-is-better\n"
            "run.passed = 0 gate higher-is-better\n"
            "run.warned = 0 gate lower-is-better\n"
            "context stack.dcgm = 4.2.0\n"
            "! run_incomplete\n");
  // Without the overall result the failure is one.
  EXPECT_TRUE(has_line(listing_of(replaced(text, R"("Overall Result": "Fail", )", ""), "diag.json"),
                       "run.passed = 0 gate higher-is-better"));
}

std::string nvbench(const std::string& more) {
  return R"({"meta": {"version": {"nvbench": {"string": "0.2.0"}}}, "devices": [{"id": 0, "name": "NVIDIA H200", "sm_version": 900}],
    "benchmarks": [)" +
         more + "]}";
}
std::string benchmark(const std::string& mean, const std::string& deviation) {
  return R"({"name": "copy", "states": [{"device": 0, "axis_values": null, "is_skipped": false, "summaries": [
    {"tag": "nv/cold/time/gpu/mean", "hint": "duration", "data": [{"name": "value", "type": "float64", "value": ")" +
         mean + R"("}]}, {"tag": "nv/cold/time/gpu/stdev/relative", "hint": "percentage",
    "data": [{"name": "value", "type": "float64", "value": )" +
         deviation + R"(}]}, {"tag": "nv/cold/sm_clock_rate/mean", "hint": "frequency",
    "data": [{"name": "value", "type": "float64", "value": "1.5e9"}]}]}]})";
}

TEST(Nvbench, a_deviation_of_too_few_samples_is_null_and_stays_a_row) {
  EXPECT_EQ(listing_of(nvbench(benchmark("0.25", "null")), "bench.json"),
            "nvbench\n"
            "copy.skipped = 0 gate lower-is-better\n"
            "copy.nv/cold/time/gpu/mean = 0.25 [s] lower-is-better\n"
            "copy.nv/cold/time/gpu/stdev/relative = noise null 'null'\n"
            "copy.nv/cold/sm_clock_rate/mean = 1500000000 [Hz] context\n"
            "context hardware.gpu = NVIDIA H200\n"
            "context stack.nvbench = 0.2.0\n"
            "headline copy.nv/cold/time/gpu/mean\n");
}

TEST(Nvbench, another_benchmark_of_the_same_name_is_no_trial_of_it) {
  const std::string both = listing_of(nvbench(benchmark("0.25", "\"0.01\"") + "," + benchmark("0.5", "\"0.01\"")), "bench.json");
  EXPECT_TRUE(has_line(both, "copy.nv/cold/time/gpu/mean = 0.25 [s] lower-is-better")) << both;
  EXPECT_TRUE(has_line(both, "copy[section=2].nv/cold/time/gpu/mean = 0.5 [s] lower-is-better")) << both;
}

TEST(Perftest, json_of_releases_without_quotes_is_read_like_that_with_them) {
  EXPECT_EQ(rows("perftest_bare_words.json"),
            "perftest-json\n"
            "RDMA_Write_Latency[size=128].iterations = 5000 context\n"
            "RDMA_Write_Latency[size=128].t_min = 2.25 [us] context\n"
            "RDMA_Write_Latency[size=128].t_max = 5.5 [us] context\n"
            "RDMA_Write_Latency[size=128].t_typical = 2.5 [us] lower-is-better\n"
            "RDMA_Write_Latency[size=128].t_avg = 2.75 [us] lower-is-better\n"
            "RDMA_Write_Latency[size=128].t_stdev = 0.05 [us] noise\n"
            "RDMA_Write_Latency[size=128].p99 = 3.25 [us] lower-is-better\n"
            "RDMA_Write_Latency[size=128].p99.9 = 4.25 [us] context\n"
            "context hardware.link = Ethernet\n"
            "context hardware.nic = mlx5_0\n"
            "context hardware.transport = IB\n"
            "context workload.connection = RC\n"
            "context workload.mtu = 4096\n"
            "context workload.qps = 1\n"
            "context workload.tx_depth = 1\n"
            "headline RDMA_Write_Latency[size=128].t_typical\n"
            "! trailing_comma\n");
  cut_anywhere("perftest_bare_words.json", "perftest-json");
}

TEST(Perftest, a_bandwidth_alone_ends_in_a_comma) {
  const std::string alone = listing_of(
      "{\n\"test_info\": {\n\"test\": \"Send_BW_Test\",\n\"Transport_type\": \"IB\"\n},\n"
      "\"results\": {\n\"bw_avg\": 92.500000,\n\n}\n}\n",
      "out.json");
  EXPECT_TRUE(has_line(alone, "Send_BW.bw_average = 92.5 higher-is-better")) << alone;
  EXPECT_TRUE(has_line(alone, "! unit_unknown")) << alone;
}

TEST(Nvbandwidth, lines_before_and_behind_the_json_are_read_over) {
  const std::string json = fixture("nvbandwidth.json");
  EXPECT_EQ(listing_of("WARNING: an old driver\n" + json + "\nWARNING: garbage }}}\nmpirun noticed {{{}}}\n", "run.json"),
            listing_of(json, "run.json"));
  const std::string cut = first_lines(json, 6) + "mpirun noticed that a process ended\n";
  EXPECT_FALSE(measured(cut)) << "a document that never ends is none";
}

TEST(NcclTestsJson, the_settings_of_the_run_are_context_as_in_its_text) {
  const std::string text = replaced(fixture("nccl_tests.json"), R"("minimum_bytes":1048576)",
                                    R"("minimum_bytes":1048576,"warmup_iters":5,"iterations":20,"graph":0)");
  const std::string listing = listing_of(text, "run.json");
  for (const char* const line : {"context regime.cuda_graph = 0", "context regime.iterations = 20", "context regime.warmup = 5"})
    EXPECT_TRUE(has_line(listing, line)) << listing;
}

const std::string kFixtures[] = {"superbench.jsonl", "dcgm_mndiag.json", "perftest_bare_words.json"};

TEST(HardwareJson, no_two_formats_claim_one_file_and_a_cut_one_is_an_error_or_rows) {
  for (const std::string& name : kFixtures) {
    const std::string text = fixture(name);
    std::string claims;
    for (std::size_t length = text.size(); length > 0; --length) {
      Input input;
      input.name = "unnamed";
      input.bytes = std::string_view(text).substr(0, length);
      if (length == text.size()) {
        for (const Format* format : table()) {
          if (detect_as(*format, input).score >= 0.9) claims += std::string(format->name) + " ";
        }
      }
      const auto m = read(input, {});
      ASSERT_TRUE(m ? !m->rows().empty() : !m.error().message.empty()) << name << " cut at " << length;
    }
    EXPECT_EQ(std::count(claims.begin(), claims.end(), ' '), 1) << name << ": " << claims;
  }
}

}  // namespace
}  // namespace plumbline::formats
