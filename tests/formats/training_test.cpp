// Training: step logs of Megatron-LM and DeepSpeed, and what PyTorch's benchmarks and profiler print. Numbers are our own.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

// Cut off anywhere a file is an error or rows, and never silent, never a crash.
void every_cut(const std::string& text, std::string_view format) {
  for (std::size_t end = 1; end < text.size(); ++end) {
    EXPECT_NE(listing_of(std::string_view(text).substr(0, end), "result", std::string(format)), "") << end;
  }
}

TEST(Megatron, iterations_are_trials_and_skipped_ones_a_gate) {
  EXPECT_EQ(listing_of(fixture("megatron.log")),
            "megatron\n"
            "iterations = 3 context\n"
            "consumed_samples = 6144 context\n"
            "elapsed_time_per_iteration = 750.25 749.75 [ms] lower-is-better\n"
            "learning_rate = 3.6e-7 context\n"
            "lm_loss = 10.8 lower-is-better\n"
            "loss_scale = 2048 context\n"
            "skipped_iterations = 1 gate lower-is-better\n"
            "nan_iterations = 0 gate lower-is-better\n"
            "samples_per_second = 2729.75 2731.5 [samples/s] higher-is-better\n"
            "tflops_per_gpu = 149 149.25 [TFLOP/s] higher-is-better\n"
            "deepspeed_samples_per_second = 290.5 [samples/s] higher-is-better\n"
            "deepspeed_average_samples_per_second = 291.5 [samples/s] context\n"
            "deepspeed_max_allocated = 66.97 [GiB] lower-is-better\n"
            "skipped_steps = 0 gate lower-is-better\n"
            "memory[rank=0].max_allocated = 68581.5 [MB] lower-is-better\n"
            "memory[rank=0].max_reserved = 90178 [MB] context\n"
            "context parallelism.tp = 4\n"
            "context parallelism.world_size = 16\n"
            "context workload.global_batch_size = 2048\n"
            "context workload.micro_batch_size = 2\n"
            "context workload.seq_length = 2048\n"
            "headline *elapsed_time_per_iteration\n"
            "! repeated_lines\n"
            "! warm_up\n");
}

TEST(Megatron, warm_up_and_lines_said_twice_are_named) {
  const std::string text = fixture("megatron.log");
  EXPECT_EQ(warning_of(text, "warm_up"),
            "iteration 1 looks like warm-up and is no trial: 9000.5 ms against a median of 750 ms in the rest");
  EXPECT_EQ(warning_of(text, "repeated_lines"), "1 line of an iteration that was read already, from another process: left out");
}

std::string steps(std::initializer_list<double> times) {
  std::string text;
  int number = 0;
  for (const double time : times) {
    text +=
        " iteration " + std::to_string(++number) + "/ 100 | elapsed time per iteration (ms): " + core::number_text(time) + " |\n";
  }
  return text;
}

TEST(Megatron, a_log_cut_after_two_iterations_is_not_judged_by_its_warm_up) {
  EXPECT_TRUE(has_line(listing_of(steps({30000, 5000})), "elapsed_time_per_iteration = 5000 [ms] lower-is-better"));
  EXPECT_TRUE(
      has_line(listing_of(steps({30000, 8000, 5000, 5000})), "elapsed_time_per_iteration = 5000 5000 [ms] lower-is-better"));
  EXPECT_EQ(warning_of(steps({30000, 8000, 5000, 5000}), "warm_up"),
            "iterations 1 to 2 look like warm-up and are no trials: 30000 ms against a median of 5000 ms in the rest");
  EXPECT_EQ(
      warning_of(steps({30000, 5000}) + steps({30000, 5000}), "warm_up"),
      "iteration 1 looks like warm-up and is no trial: 30000 ms against a median of 5000 ms in the rest; so it is in 1 later "
      "run of the log");
}

TEST(Megatron, iterations_that_are_alike_all_stay_and_a_first_one_alone_is_named) {
  EXPECT_TRUE(
      has_line(listing_of(steps({5100, 5000, 5000})), "elapsed_time_per_iteration = 5100 5000 5000 [ms] lower-is-better"));
  EXPECT_EQ(warning_of(steps({5100, 5000, 5000}), "warm_up"), "");
  EXPECT_EQ(warning_of(steps({30000}), "warm_up"), "iteration 1 is the only one and may be warm-up: it stays a trial");
}

constexpr std::string_view kStep = " | elapsed time per iteration (ms): ";

TEST(Megatron, newer_lines_say_more_and_the_average_behind_a_slash_is_left_out) {
  EXPECT_EQ(
      listing_of("[2026-01-16 07:32:24] iteration        5/     100 | consumed samples: 10240 | elapsed time per iteration (ms): "
                 "500.5/510.5 | throughput per GPU (TFLOP/s/GPU): 490.5 | iteration time: 0.5 s samples/sec: 3.75 | tokens per "
                 "GPU (tokens/s/GPU): 9801.5/9807.3 | global batch size:    64 | number of skipped iterations:   0 |\n"),
      "megatron\n"
      "iterations = 1 context\n"
      "consumed_samples = 10240 context\n"
      "elapsed_time_per_iteration = 500.5 [ms] lower-is-better\n"
      "tflops_per_gpu = 490.5 [TFLOP/s] higher-is-better\n"
      "samples_per_second = 3.75 [samples/s] higher-is-better\n"
      "iteration_time = 0.5 context\n"
      "tokens_per_second_per_gpu = 9801.5 [tok/s] higher-is-better\n"
      "skipped_iterations = 0 gate lower-is-better\n"
      "context workload.global_batch_size = 64\n"
      "headline *elapsed_time_per_iteration\n");
}

TEST(Megatron, a_second_run_in_the_log_is_a_section_and_no_trial) {
  std::string text;
  for (const char* end : {"100.5 |\n", "200.5 |\n"}) {
    for (const char* number : {"1/ 2", "2/ 2"}) text += " iteration " + std::string(number) + std::string(kStep) + end;
  }
  const std::string rows = listing_of(text);
  EXPECT_TRUE(has_line(rows, "elapsed_time_per_iteration = 100.5 100.5 [ms] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "[section=2].elapsed_time_per_iteration = 200.5 200.5 [ms] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "! repeated_sections"));
}

TEST(Megatron, a_loss_that_is_no_number_is_invalid_and_a_cut_line_is_left_out) {
  const std::string text = " iteration 1/ 3" + std::string(kStep) + "100.5 | lm loss: NAN |\n iteration 2/ 3" +
                           std::string(kStep) + "101.5 | lm loss: nan |\n iteration 3/ 3" + std::string(kStep) + "1";
  const std::string rows = listing_of(text);
  EXPECT_TRUE(has_line(rows, "elapsed_time_per_iteration = 100.5 101.5 [ms] lower-is-better")) << rows;
  EXPECT_NE(rows.find("\nlm_loss = lower-is-better not_finite"), std::string::npos) << rows;
  EXPECT_EQ(warning_of(text, "run_incomplete"), "1 run has no end: the last iteration's line is cut off and was left out");
}

TEST(Megatron, a_log_that_ends_before_the_first_iteration_is_an_error) {
  EXPECT_EQ(
      listing_of("------------------------ arguments ------------------------\n  tensor_model_parallel_size ...... 4\n", "x.log"),
      "error: no iteration in the log: nothing was timed (x.log)\n");
  every_cut(fixture("megatron.log"), "megatron");
}

TEST(TorchBenchmark, measurements_are_keyed_by_title_and_threads_and_come_in_microseconds) {
  EXPECT_EQ(listing_of(fixture("torch_benchmark.txt")),
            "torch-benchmark\n"
            "batched_dot: mul_sum[description=contiguous,threads=1].time = 1250 [us] lower-is-better\n"
            "batched_dot: mul_sum[description=contiguous,threads=1].iqr = 50 [us] noise\n"
            "batched_dot: mul_sum[description=contiguous,threads=1].measurements = 6 context\n"
            "batched_dot: mul_sum[description=contiguous,threads=1].runs_per_measurement = 100 context\n"
            "batched_dot: bmm[threads=16].time = 118.9 [us] lower-is-better\n"
            "batched_dot: bmm[threads=16].measurements = 1 context\n"
            "batched_dot: bmm[threads=16].runs_per_measurement = 1000 context\n"
            "headline *.time\n");
}

TEST(TorchBenchmark, the_table_of_compare_takes_its_unit_from_the_line_below) {
  const std::string text = fixture("torch_compare.txt");
  EXPECT_EQ(listing_of(text),
            "torch-benchmark\n"
            "Batched dot[sub_label=[1, 1],description=mul/sum,threads=1].time = 5500 [us] lower-is-better\n"
            "Batched dot[sub_label=[1, 1],description=bmm,threads=1].time = 11250 [us] lower-is-better\n"
            "Batched dot[sub_label=[64, 64],description=mul/sum,threads=1].time = 46500 [us] lower-is-better\n"
            "Batched dot[sub_label=[64, 64],description=bmm,threads=1].iqr_percent = 11 [%] noise\n"
            "Batched dot[sub_label=[64, 64],description=bmm,threads=1].time = 14500 [us] lower-is-better\n"
            "Batched dot[sub_label=[64, 64],description=mul/sum,threads=4].time = 12250 [us] lower-is-better\n"
            "headline *.time\n");
  const std::string cut = text.substr(0, text.find("Times are in"));
  EXPECT_TRUE(has_line(listing_of(cut),
                       "Batched dot[sub_label=[1, 1],description=bmm,threads=1].time = [us] lower-is-better failed 'the "
                       "line that says the unit is missing'"));
  EXPECT_EQ(warning_of(cut, "run_incomplete"), "1 run has no end: the table \"Batched dot\" lacks the line that says its unit");
}

TEST(TorchBenchmark, text_that_breaks_off_is_said_and_without_a_time_an_error) {
  const std::string text = fixture("torch_benchmark.txt");
  EXPECT_EQ(warning_of(text.substr(0, text.find("  118.90")), "run_incomplete"),
            "1 run has no end: a measurement of \"batched_dot: bmm\" breaks off before its time");
  EXPECT_EQ(listing_of("<torch.utils.benchmark.utils.common.Measurement object at 0x7f>\nx\n", "x.txt"),
            "error: no measurement in it (x.txt)\n");
  every_cut(text, "torch-benchmark");
  every_cut(fixture("torch_compare.txt"), "torch-benchmark");
}

TEST(PytorchBenchmark, values_are_trials_settings_the_point_and_other_arguments_are_not_copied) {
  const std::string rows = listing_of(fixture("pytorch_benchmark.json"));
  const std::string vllm = "acme/Tiny-1B[benchmark=vLLM benchmark,request_rate=inf,max_concurrency=16].";
  EXPECT_TRUE(
      has_line(rows,
               "add_M64_N64[benchmark=PyTorch operator benchmark,mode=inference,dtype=float32,device=cuda,input_config=M: 64, "
               "N: 64].latency = 12.5 12.75 12.25 [us] lower-is-better"))
      << rows;
  EXPECT_TRUE(has_line(rows, vllm + "median_ttft_ms = 32.5 [ms] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, vllm + "output_throughput = higher-is-better failed 'the list of values is empty'")) << rows;
  EXPECT_TRUE(has_line(rows, "context hardware.gpu = NVIDIA H100"));
  EXPECT_TRUE(has_line(rows, "context stack.pytorch = 2.9.0"));
  EXPECT_EQ(rows.find("do-not-print-me-1234"), std::string::npos);
}

TEST(PytorchBenchmark, infinite_values_and_records_that_cannot_be_told_apart_are_invalid) {
  const std::string_view text =
      R"([{"benchmark": {"name": "b"}, "model": {"name": "m"}, "metric": {"name": "latency", "unit": "ms", "benchmark_values": [Infinity]}},
 {"benchmark": {"name": "b"}, "model": {"name": "m"}, "metric": {"name": "speedup", "benchmark_values": [1.5]}},
 {"benchmark": {"name": "b"}, "model": {"name": "m"}, "metric": {"name": "speedup", "benchmark_values": [1.25]}}])";
  const std::string rows = listing_of(text);
  EXPECT_TRUE(has_line(rows, "m[benchmark=b].latency = [ms] lower-is-better not_finite 'NaN or infinite'")) << rows;
  EXPECT_TRUE(has_line(rows, "m[benchmark=b].speedup = 1.5 higher-is-better duplicate")) << rows;
}

TEST(PytorchBenchmark, records_of_two_devices_are_two_points) {
  const auto record = [](const char* arch) {
    return R"({"benchmark": {"name": "b", "extra_info": {"arch": ")" + std::string(arch) +
           R"("}}, "model": {"name": "m"}, "metric": {"name": "latency", "unit": "ms", "benchmark_values": [1.5]}})";
  };
  const std::string rows = listing_of("[" + record("H100") + "," + record("H200") + "]");
  EXPECT_TRUE(has_line(rows, "m[benchmark=b,arch=H100].latency = 1.5 [ms] lower-is-better")) << rows;
  EXPECT_TRUE(has_line(rows, "m[benchmark=b,arch=H200].latency = 1.5 [ms] lower-is-better")) << rows;
}

TEST(PytorchBenchmark, what_people_look_at_first_is_a_headline_unless_it_is_hundreds_of_rows) {
  const auto record = [](int model, const char* metric) {
    return R"({"benchmark": {"name": "b"}, "model": {"name": "m)" + std::to_string(model) + R"("}, "metric": {"name": ")" +
           metric + R"(", "benchmark_values": [1.5]}})";
  };
  const std::string few =
      listing_of("[" + record(1, "speedup") + "," + record(1, "latency") + "," + record(1, "compilation_time") + "]");
  EXPECT_TRUE(has_line(few, "headline *.speedup")) << few;
  EXPECT_TRUE(has_line(few, "headline *.latency")) << few;
  EXPECT_EQ(few.find("headline *.compilation_time"), std::string::npos);
  EXPECT_TRUE(has_line(listing_of("[" + record(1, "compilation_latency") + "]"), "headline *.compilation_latency"));
  std::string many;
  for (int i = 0; i < 9; ++i) many += (many.empty() ? "[" : ",") + record(i, "latency");
  EXPECT_EQ(listing_of(many + "]").find("headline"), std::string::npos);
}

TEST(MlperfTrainingFolder, the_seeds_of_a_result_are_trials_and_their_mean_leaves_out_the_best_and_the_worst) {
  const auto seed = [](int minutes) {
    return ":::MLLOG {\"time_ms\": 1, \"key\": \"submission_benchmark\", \"value\": \"bert\"}\n"
           ":::MLLOG {\"time_ms\": 0, \"key\": \"run_start\"}\n"
           ":::MLLOG {\"time_ms\": " +
           std::to_string(minutes * 60'000) + ", \"key\": \"run_stop\", \"metadata\": {\"status\": \"success\"}}\n";
  };
  const auto rows_of = [](const std::vector<std::pair<std::string, std::string>>& files) {
    Input input;
    input.name = "bert";
    input.is_directory = true;
    for (const auto& [name, text] : files) input.files.push_back({name, text});
    const auto m = read(input, {});
    return m ? listing_of(*m) : "error: " + m.error().message + "\n";
  };
  const std::string rows =
      rows_of({{"result_0.txt", seed(9)}, {"result_1.txt", seed(4)}, {"result_2.txt", seed(5)}, {"result_3.txt", seed(6)}});
  EXPECT_EQ(rows,
            "mlperf-training\n"
            "bert.time_to_train = 9 4 5 6 [min] lower-is-better\n"
            "bert.time_to_train_olympic_mean = 5.5 [min] context\n"
            "bert.unsuccessful_runs = 0 gate lower-is-better\n"
            "context identity.benchmark = bert\n"
            "headline *time_to_train\n");
  const std::string broken =
      rows_of({{"result_0.txt", seed(9)}, {"result_1.txt", ":::MLLOG {\"time_ms\": 1, \"key\": \"seed\"}\n"}});
  EXPECT_TRUE(has_line(broken, "bert.unsuccessful_runs = 1 gate lower-is-better")) << broken;
  EXPECT_TRUE(has_line(broken, "! run_incomplete")) << broken;
  // Results of two benchmarks are a suite, not one result.
  EXPECT_EQ(rows_of({{"bert/result_0.txt", seed(9)}, {"dlrm/result_0.txt", seed(4)}}).substr(0, 10), "directory\n");
}

TEST(PytorchBenchmark, a_record_without_a_metric_is_an_error_with_its_place) {
  EXPECT_EQ(listing_of("[{\"benchmark\": {}, \"metric\": {\"name\": \"x\", \"benchmark_values\": [1]}},\n {\"benchmark\": {}}]",
                       "p.json"),
            "error: a record has no metric with a name (p.json:2:2)\n");
  every_cut(fixture("pytorch_benchmark.json"), "pytorch-benchmark");
}

TEST(PytorchOperators, runs_of_a_case_are_trials) {
  EXPECT_EQ(listing_of(fixture("pytorch_operators.txt")),
            "pytorch-operators\n"
            "add_M8_N16_K32_cpu[mode=Eager].forward_time = 6.625 6.75 [us] lower-is-better\n"
            "add_M8_N16_K32_cpu_bwdall[mode=Eager].backward_time = 46.5 [us] lower-is-better\n"
            "add_M8_N16_K32_cpu_bwdall[mode=Eager].peak_memory = 128 [KB] lower-is-better\n"
            "PyTorch_add_M8_Eager.observed_latency = 0.0125 [ms] lower-is-better\n"
            "context identity.tag = short\n"
            "headline *.forward_time\n");
  EXPECT_EQ(listing_of("# Benchmarking PyTorch: add\n# Mode: Eager\n# Operator Micro-benchmarks\n", "x.txt"),
            "error: no execution time in it (x.txt)\n");
  every_cut(fixture("pytorch_operators.txt"), "pytorch-operators");
}

TEST(PytorchOperators, a_second_run_in_the_text_is_a_section_and_a_cut_time_is_left_out) {
  const std::string text = fixture("pytorch_operators.txt");
  EXPECT_TRUE(has_line(listing_of(text + text),
                       "add_M8_N16_K32_cpu[mode=Eager,section=2].forward_time = 6.625 6.75 [us] lower-is-better"));
  const std::string cut = text.substr(0, text.find("6.750") + 3);
  EXPECT_TRUE(has_line(listing_of(cut), "add_M8_N16_K32_cpu[mode=Eager].forward_time = 6.625 [us] lower-is-better"));
  EXPECT_EQ(warning_of(cut, "run_incomplete"), "1 run has no end: the last line is cut off and was left out");
}

TEST(TorchProfilerTable, self_times_are_judged_totals_are_context_and_units_become_one) {
  const std::string rows = listing_of(fixture("torch_profiler_table.txt"));
  const std::string mm = "aten::mm[input_shapes=[[64, 64], [64, 64]]].";
  for (const std::string& line :
       {mm + "self_cpu = 123.5 [us] lower-is-better", mm + "self_cuda = 5500 [us] lower-is-better",
        mm + "cpu_total = 247 [us] context", mm + "self_cpu_percent = 1.2 [%] context", mm + "calls = 12 context",
        std::string("void gemm<float, 4, a...[input_shapes=[]].self_cuda = 500 [us] lower-is-better"),
        std::string("void gemm<float, 4, a...[input_shapes=[],nth=2].self_cuda = 250 [us] lower-is-better"),
        std::string("aten::softmax[input_shapes=[[64, 64]]].self_cpu = 1250 [us] lower-is-better"),
        std::string("self_cuda_time_total = 6250 [us] lower-is-better"), std::string("headline *self_cuda_time_total"),
        std::string("! index_keyed_records")}) {
    EXPECT_TRUE(has_line(rows, line)) << line << "\n" << rows;
  }
  // "--" is no time of zero.
  EXPECT_EQ(rows.find("aten::softmax[input_shapes=[[64, 64]]].self_cuda ="), std::string::npos);
}

TEST(TorchProfilerTable, a_table_that_breaks_off_says_so_and_a_header_alone_is_an_error) {
  const std::string text = fixture("torch_profiler_table.txt");
  EXPECT_EQ(warning_of(text.substr(0, text.find("aten::softmax") + 40), "run_incomplete"),
            "1 run has no end: the table has no closing rule");
  EXPECT_EQ(listing_of(text.substr(0, text.find("aten::mm")), "x.txt"), "error: no row of times in the table (x.txt)\n");
  const std::string twice = listing_of(text + text);
  EXPECT_TRUE(has_line(twice, "aten::mm[input_shapes=[[64, 64], [64, 64]],section=2].self_cuda = 5500 [us] lower-is-better"))
      << twice;
  every_cut(text, "torch-profiler-table");
}

}  // namespace
}  // namespace plumbline::formats
