// Files of samples and readings: what JMeter saved of each request, what GPUs did meanwhile, the course of a training.
#include <gtest/gtest.h>

#include "tests/formats/lines_of.hpp"

namespace plumbline::formats {
namespace {

constexpr const char* kHeading = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,Latency,Connect\n";

TEST(JmeterSamples, are_summed_up_by_label_and_together) {
  const std::string text = std::string(kHeading) +
                           "1000000000000,100,a,200,OK,t 1,true,90,10\n"
                           "1000000000500,200,a,200,OK,t 1,true,190,0\n"
                           "1000000001000,1000,b,500,\"said \"\"no\"\"\nand more\",t 2,false,0,0\n"
                           "cut,off\n";
  EXPECT_EQ(lines_of(text, {"mean", "median", "p90", "requests", "errors", "unread"}),
            "requests = 3 context\n"
            "errors = 1 gate lower-is-better\n"
            "response_time.mean = 433.3333333333333 [ms] lower-is-better\n"
            "response_time.median = 200 [ms] lower-is-better\n"
            "response_time.p90 = 1000 [ms] lower-is-better\n"
            "latency.mean = 93.33333333333333 [ms] lower-is-better\n"
            "connect.mean = 3.3333333333333335 [ms] lower-is-better\n"
            "requests_per_second = 1.5 [req/s] higher-is-better\n"
            "a.requests = 2 context\n"
            "a.errors = 0 gate lower-is-better\n"
            "a.response_time.mean = 150 [ms] lower-is-better\n"
            "a.response_time.median = 150 [ms] lower-is-better\n"
            "a.response_time.p90 = 200 [ms] lower-is-better\n"
            "a.latency.mean = 140 [ms] lower-is-better\n"
            "a.connect.mean = 5 [ms] lower-is-better\n"
            "a.requests_per_second = 2.857142857142857 [req/s] higher-is-better\n"
            "b.requests = 1 context\n"
            "b.errors = 1 gate lower-is-better\n"
            "b.response_time.mean = [ms] lower-is-better failed 'every request failed'\n"
            "b.response_time.median = [ms] lower-is-better failed 'every request failed'\n"
            "b.response_time.p90 = [ms] lower-is-better failed 'every request failed'\n"
            "b.requests_per_second = [req/s] higher-is-better failed 'every request failed'\n"
            "headline response_time.mean\n"
            "headline requests_per_second\n"
            "! unread_lines\n");
}

TEST(JmeterSamples, have_percentiles_between_two_values_and_runs_by_their_headings) {
  std::string text = kHeading;
  for (int i = 1; i <= 19; ++i)
    text += "100000000" + std::to_string(1000 + i) + "," + std::to_string(i * 10) + ",a,200,OK,t,true,0,0\n";
  text += std::string(kHeading) + "2000000000000,50,a,200,OK,t,true,0,0\n";
  EXPECT_EQ(lines_of(text, {"a.response_time.p", "a[section=2].response_time.mean", "! "}),
            "a.response_time.p90 = 180 [ms] lower-is-better\n"
            "a.response_time.p95 = 190 [ms] lower-is-better\n"
            "a.response_time.p99 = 190 [ms] lower-is-better\n"
            "a[section=2].response_time.mean = 50 [ms] lower-is-better\n"
            "! repeated_sections\n");
}

TEST(JmeterSamples, of_a_transaction_are_not_added_to_all_together) {
  const std::string text =
      std::string(kHeading) +
      "1000000000000,100,part,200,OK,t,true,0,0\n"
      "1000000000000,300,all,,\"Number of samples in transaction : 1, number of failing samples : 0\",t,true,0,0\n";
  EXPECT_EQ(lines_of(text, {"requests =", "mean ="}),
            "requests = 1 context\n"
            "response_time.mean = 100 [ms] lower-is-better\n"
            "part.requests = 1 context\n"
            "part.response_time.mean = 100 [ms] lower-is-better\n"
            "all.requests = 1 context\n"
            "all.response_time.mean = 300 [ms] lower-is-better\n");
}

TEST(JmeterSamples, of_xml_are_those_below_the_root) {
  EXPECT_EQ(lines_of("\n<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n"
                     "<sample t=\"300\" lt=\"0\" ts=\"1000000000000\" s=\"true\" lb=\"a &amp; b\" rc=\"200\" rm=\"OK\">\n"
                     "  <httpSample t=\"100\" ts=\"1000000000000\" s=\"true\" lb=\"part\"/>\n"
                     "  <httpSample t=\"200\" ts=\"1000000000100\" s=\"true\" lb=\"part\">\n  </httpSample>\n</sample>\n"
                     "<httpSample t=\"100\" lt=\"0\" ts=\"1000000000300\" s=\"true\" lb=\"c\"/>\n</testResults>\n",
                     {"requests", "mean ="}),
            "requests = 2 context\n"
            "response_time.mean = 200 [ms] lower-is-better\n"
            "requests_per_second = 5 [req/s] higher-is-better\n"
            "a & b.requests = 1 context\n"
            "a & b.response_time.mean = 300 [ms] lower-is-better\n"
            "a & b.requests_per_second = 3.3333333333333335 [req/s] higher-is-better\n"
            "c.requests = 1 context\n"
            "c.response_time.mean = 100 [ms] lower-is-better\n"
            "c.requests_per_second = 10 [req/s] higher-is-better\n"
            "headline requests_per_second\n");
  EXPECT_EQ(listing_of("<testResults version=\"1.2\">\n<httpSample s=\"true\" lb=\"c\"/>\n</testResults>\n", "results.jtl"),
            "error: no sample of JMeter with an elapsed time (results.jtl)\n");
}

TEST(NvidiaSmi, readings_are_context_and_uncorrected_errors_a_gate) {
  EXPECT_EQ(listing_of("timestamp, index, name, power.draw [W], memory.used, ecc.errors.uncorrected.volatile.total, pstate\n"
                       "2026/01/01 00:00:00.000, 0, NVIDIA L4, 70.50 W, 100 MiB, 0, P0\n"
                       "2026/01/01 00:00:00.000, 1, NVIDIA L4, [N/A], 200 MiB, 0, P0\n"
                       "2026/01/01 00:00:01.000, 0, NVIDIA L4, 71.25 W, 110 MiB, 2, P0\n",
                       "gpu.csv"),
            "nvidia-smi\n"
            "gpu[index=0].power_draw = 70.5 71.25 [W] context\n"
            "gpu[index=0].memory_used = 100 110 [MiB] context\n"
            "gpu[index=0].ecc_errors_uncorrected_volatile_total = 2 gate lower-is-better\n"
            "gpu[index=1].memory_used = 200 [MiB] context\n"
            "gpu[index=1].ecc_errors_uncorrected_volatile_total = 0 gate lower-is-better\n"
            "context hardware.gpu = NVIDIA L4\n");
}

TEST(GpuDmon, has_a_heading_with_units_or_none) {
  EXPECT_EQ(listing_of("# gpu   pwr gtemp\n# Idx     W     C\n    0    70     -\n    0    72    41\n", "dmon.txt"),
            "gpu-dmon\n"
            "gpu[index=0].pwr = 70 72 [W] context\n"
            "gpu[index=0].gtemp = 41 [C] context\n");
  EXPECT_EQ(listing_of("#Entity   GRACT   TENSO\nID\nGPU 0     0.250   N/A\nGPU 1     0.500   0.125\n", "dmon.txt"),
            "gpu-dmon\n"
            "gpu[index=0].gract = 0.25 context\n"
            "gpu[index=1].gract = 0.5 context\n"
            "gpu[index=1].tenso = 0.125 context\n");
}

TEST(TrainerState, the_last_value_of_each_name_counts) {
  EXPECT_EQ(listing_of(R"({"global_step": 20, "is_world_process_zero": true, "max_steps": 20, "log_history": [
      {"loss": 2.5, "step": 10, "epoch": 0.5}, {"eval_loss": 2.25, "eval_de_runtime": 1.5, "eval_sari": 40, "step": 10},
      {"loss": 1.5, "step": 20, "epoch": 1}, {"eval_loss": 1.75, "step": 20}]})"),
            "trainer-state\n"
            "loss = 1.5 lower-is-better\n"
            "eval_loss = 1.75 lower-is-better\n"
            "eval_de_runtime = 1.5 [s] lower-is-better\n"
            "eval_sari = 40 context\n"
            "global_step = 20 context\n"
            "context workload.max_steps = 20\n"
            "headline eval_loss\n"
            "headline loss\n");
  EXPECT_EQ(listing_of(R"({"global_step": 0, "is_world_process_zero": true, "log_history": []})", "t.json", "trainer-state"),
            "error: nothing was logged in the state of the Trainer (t.json)\n");
}

TEST(Asv, has_a_point_for_each_combination_in_both_versions_of_its_file) {
  EXPECT_EQ(listing_of(R"({"commit_hash": "c", "env_name": "e", "requirements": {}, "python": "3.12", "params": {"cpu": "X"},
      "result_columns": ["result", "params", "samples"], "results": {
        "a.time_x": [[1, 2, 3, null], [["10", "20"], ["'p'", "'q'"]], [null, null, [2.5, 3.5]]],
        "a.mem_y": [[64], []], "a.track_z": [[7, NaN], [["1", "2"]]]}})"),
            "asv\n"
            "a.time_x[param0=10,param1='p'].time = 1 [s] lower-is-better\n"
            "a.time_x[param0=10,param1='q'].time = 2 [s] lower-is-better\n"
            "a.time_x[param0=20,param1='p'].time = 2.5 3.5 [s] lower-is-better\n"
            "a.time_x[param0=20,param1='q'].time = [s] lower-is-better failed 'the benchmark failed'\n"
            "a.mem_y.memory = 64 [B] lower-is-better\n"
            "a.track_z[param0=1].value = 7 unknown\n"
            "context hardware.cpu = X\n"
            "context stack.python = 3.12\n");
  EXPECT_EQ(listing_of(R"({"commit_hash": "c", "env_name": "e", "requirements": {}, "python": "2.7", "params": {}, "version": 1,
      "results": {"a.time_x": 0.5, "a.time_y": null, "a.peakmem_z": {"result": [8, 9], "params": [["1", "2"]]}}})"),
            "asv\n"
            "a.time_x.time = 0.5 [s] lower-is-better\n"
            "a.time_y.time = [s] lower-is-better failed 'the benchmark failed'\n"
            "a.peakmem_z[param0=1].memory = 8 [B] lower-is-better\n"
            "a.peakmem_z[param0=2].memory = 9 [B] lower-is-better\n"
            "context stack.python = 2.7\n");
}

TEST(Phoronix, runs_are_trials_and_the_file_says_which_way_is_better) {
  const auto result = [](const char* profile, const char* title, const char* scale, const char* proportion, const char* entry) {
    return std::string("<Result><Identifier>") + profile + "</Identifier><Title>" + title +
           "</Title><Description>d</Description><Scale>" + scale + "</Scale><Proportion>" + proportion +
           "</Proportion><DisplayFormat>" + (std::string_view(title) == "Check" ? "PASS_FAIL" : "BAR_GRAPH") +
           "</DisplayFormat><Data><Entry>" + entry + "</Entry></Data></Result>\n";
  };
  EXPECT_EQ(listing_of("<PhoronixTestSuite>\n<System><Hardware>Processor: X, Memory: 32GB</Hardware></System>\n" +
                       result("pts/a", "A &amp; B", "MB/s", "HIB", "<Value>2</Value><RawString>1:2:3</RawString>") +
                       result("pts/c", "C", "Seconds", "LIB", "<Value>5</Value><RawString></RawString>") +
                       result("pts/d", "D", "Seconds", "LIB", "<Value></Value><RawString></RawString>") +
                       result("pts/e", "Check", "", "", "<Value>PASS</Value>") +
                       result("", "Disk", "MB", "LIB", "<Value>7</Value>") + "</PhoronixTestSuite>\n"),
            "phoronix\n"
            "A & B[description=d].value = 1 2 3 [MB/s] higher-is-better\n"
            "C[description=d].value = 5 [Seconds] lower-is-better\n"
            "D[description=d].value = [Seconds] lower-is-better failed 'the test gave no result'\n"
            "Check[description=d].passed = 1 gate higher-is-better\n"
            "Disk[description=d].value = 7 [MB] context\n"
            "context hardware.cpu = X\n"
            "context hardware.memory = 32GB\n");
}

}  // namespace
}  // namespace plumbline::formats
