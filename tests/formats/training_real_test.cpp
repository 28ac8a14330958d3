// Training logs as public repositories hold them: releases, options and other trainers that no document told of. Numbers are our
// own, shapes those of the tools.
#include <gtest/gtest.h>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(DeepSpeed, breakdowns_of_a_step_are_judged_and_microsteps_beside_them_are_context) {
  EXPECT_EQ(rows("deepspeed_neox.log"),
            "megatron\n"
            "iterations = 2 context\n"
            "deepspeed_samples_per_second = 8.25 8.5 [samples/s] higher-is-better\n"
            "deepspeed_average_samples_per_second = 7.875 [samples/s] context\n"
            "deepspeed_max_allocated = 63.5 [GiB] lower-is-better\n"
            "samples_per_second = 7.875 7.9375 [samples/s] higher-is-better\n"
            "elapsed_time_per_iteration = 4100.5 4050.5 [ms] lower-is-better\n"
            "learning_rate = 0.0000016 context\n"
            "tflops_per_gpu = 112.5 113.5 [TFLOP/s] higher-is-better\n"
            "mfu = 36.25 36.5 [%] higher-is-better\n"
            "hfu = 40.5 40.5 [%] context\n"
            "lm_loss = 11 lower-is-better\n"
            "skipped_iterations = 0 gate lower-is-better\n"
            "nan_iterations = 0 gate lower-is-better\n"
            "skipped_steps = 0 gate lower-is-better\n"
            "deepspeed_phase[name=fwd_microstep].time = 650.5 651.5 [ms] context\n"
            "deepspeed_phase[name=bwd_microstep].time = 2150.25 2151.25 [ms] context\n"
            "deepspeed_phase[name=step_microstep].time = 0.05 1170.5 [ms] context\n"
            "deepspeed_phase[name=fwd].time = 1302.25 1303.25 [ms] lower-is-better\n"
            "deepspeed_phase[name=bwd].time = 4301.5 4302.5 [ms] lower-is-better\n"
            "deepspeed_phase[name=bwd_allreduce].time = 0.25 0.5 [ms] context\n"
            "deepspeed_phase[name=step].time = 1170.5 1171.5 [ms] lower-is-better\n"
            "phase[name=forward].time = 659.75 660.75 [ms] lower-is-better\n"
            "phase[name=backward].time = 2164.5 2165.5 [ms] lower-is-better\n"
            "phase[name=optimizer].time = 1172.5 1173.5 [ms] lower-is-better\n"
            "phase[name=batch generator].time = 0.75 0.5 [ms] context\n"
            "headline *elapsed_time_per_iteration\n"
            "! other_ranks\n");
  EXPECT_EQ(warning_of(fixture("deepspeed_neox.log"), "other_ranks"), "1 line of timers of other ranks than \"0\": left out");
  cut_anywhere("deepspeed_neox.log", "megatron");
}

TEST(DeepSpeed, the_first_releases_said_only_an_average_and_no_rank) {
  EXPECT_EQ(listing_of("[INFO 2020-06-08 06:02:19] 0/450, SamplesPerSec=7.5, MemAllocated=0.25GB, MaxMemAllocated=9.5GB\n"
                       "time (ms) | forward_microstep: 193.5 | backward_microstep: 329.5 | step_microstep: 0.5\n"
                       "[INFO 2020-06-08 06:03:19] 0/500, SamplesPerSec=7.25, MemAllocated=0.25GB, MaxMemAllocated=9.25GB\n"),
            "megatron\n"
            "deepspeed_average_samples_per_second = 7.25 [samples/s] higher-is-better\n"
            "deepspeed_max_allocated = 9.5 [GiB] lower-is-better\n"
            "deepspeed_phase[name=forward_microstep].time = 193.5 [ms] lower-is-better\n"
            "deepspeed_phase[name=backward_microstep].time = 329.5 [ms] lower-is-better\n"
            "deepspeed_phase[name=step_microstep].time = 0.5 [ms] context\n"
            "headline *deepspeed_average_samples_per_second\n");
  EXPECT_EQ(problem("time (ms) | load-checkpoint: 11.5\n elapsed time per iteration (ms)\n"),
            "run.log: no iteration in the log: nothing was timed | each is a line with \"elapsed time per iteration (ms):\" or "
            "\"SamplesPerSec=\"");
}

TEST(DeepSpeed, the_trainer_above_it_sums_up_the_run) {
  const std::string text = listing_of(
      "[INFO] [timer.py:215:stop] epoch=0/micro_step=2/global_step=2, RunningAvgSamplesPerSec=7.75, CurrSamplesPerSec=8.25, "
      "MemAllocated=20.5GB, MaxMemAllocated=63.25GB\n"
      "{'train_runtime': 245.5, 'train_samples_per_second': 12.25, 'train_steps_per_second': 0.75, 'train_loss': 1.25}\n");
  EXPECT_TRUE(has_line(text, "train_runtime = 245.5 [s] lower-is-better")) << text;
  EXPECT_TRUE(has_line(text, "train_samples_per_second = 12.25 [samples/s] higher-is-better"));
  EXPECT_TRUE(has_line(text, "train_loss = 1.25 lower-is-better"));
  EXPECT_TRUE(has_line(text, "headline *deepspeed_samples_per_second"));
}

TEST(Megatron, the_first_releases_put_no_colon_between_a_name_and_its_value) {
  const std::string text = listing_of(
      " iteration      100/  320000 | elapsed time per iteration (ms): 430.5 | learning rate 1.500E-04 | lm loss 6.75E+00 | loss "
      "scale 131072.0 |\n");
  EXPECT_TRUE(has_line(text, "lm_loss = 6.75 lower-is-better")) << text;
  EXPECT_TRUE(has_line(text, "learning_rate = 0.00015 context"));
  EXPECT_TRUE(has_line(text, "loss_scale = 131072 context"));
}

TEST(Megatron, timers_across_ranks_are_the_slowest_ones_and_setting_up_is_context) {
  const std::string text = listing_of(
      "(min, max) time across ranks (ms):\n"
      "    model-and-optimizer-setup ......................: (123.25, 124.5)\n"
      " iteration 1/ 2 | elapsed time per iteration (ms): 500.5 |\n"
      "(min, max) time across ranks (ms):\n"
      "    forward-backward ...............................: (400.25, 404.5)\n"
      "    optimizer-clip-main-grad .......................: (0.25, 0.5)\n"
      "max time across ranks (ms):\n"
      "    optimizer ......................................: 20.5\n"
      " iteration 2/ 2 | elapsed time per iteration (ms): 501.5 |\n"
      "validation loss at iteration 2 | lm loss value: 7.25E+00 | lm loss PPL: 1.5E+03 |\n");
  EXPECT_EQ(text,
            "megatron\n"
            "iterations = 2 context\n"
            "elapsed_time_per_iteration = 500.5 501.5 [ms] lower-is-better\n"
            "validation_lm_loss = 7.25 lower-is-better\n"
            "phase[name=model-and-optimizer-setup].time = 124.5 [ms] context\n"
            "phase[name=forward-backward].time = 404.5 [ms] lower-is-better\n"
            "phase[name=optimizer-clip-main-grad].time = 0.5 [ms] context\n"
            "phase[name=optimizer].time = 20.5 [ms] lower-is-better\n"
            "headline *elapsed_time_per_iteration\n");
}

TEST(Megatron, the_bridge_says_speed_in_a_line_of_its_own_and_energy_and_power_are_told) {
  const std::string text = listing_of(
      "pretrain/0 Step Time : 9.09s GPU utilization: 663.5MODEL_TFLOP/s/GPU\n"
      "pretrain/0  [2026-01-01 15:18:33] iteration       50/      50 | consumed samples:        25600 | elapsed time per "
      "iteration "
      "(ms): 9089.5 | energy per GPU (J/iter/GPU): 6000.5 | power per GPU (W/GPU): 660.5 | lm loss: 8.125E+00 | "
      "load_balancing_loss: 1.000000E+00 | number of skipped iterations:   0 |\n");
  EXPECT_TRUE(has_line(text, "tflops_per_gpu = 663.5 [TFLOP/s] higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, "energy_per_iteration_per_gpu = 6000.5 [J] lower-is-better"));
  EXPECT_TRUE(has_line(text, "power_per_gpu = 660.5 [W] context"));
  // How evenly experts are used is no result of training.
  EXPECT_TRUE(has_line(text, "load_balancing_loss = 1 context"));
  EXPECT_TRUE(has_line(text, "lm_loss = 8.125 lower-is-better"));
}

TEST(TrainingSteps, torchtitan_names_its_ranks_and_the_first_step_is_warm_up) {
  EXPECT_EQ(rows("torchtitan.log"),
            "training-steps\n"
            "steps = 3 context\n"
            "tokens_per_second_per_gpu = 5600 5800 [tok/s] higher-is-better\n"
            "tflops_per_gpu = 1320.5 1340.5 [TFLOP/s] higher-is-better\n"
            "mfu = 32.75 34.25 [%] higher-is-better\n"
            "max_memory = 49.75 [GiB] lower-is-better\n"
            "loss = 6.25 lower-is-better\n"
            "grad_norm = 1.25 context\n"
            "context stack.trainer = torchtitan\n"
            "headline *tokens_per_second_per_gpu\n"
            "! repeated_lines\n"
            "! warm_up\n");
  EXPECT_EQ(
      warning_of(fixture("torchtitan.log"), "warm_up"),
      "step 1 looks like warm-up and is no trial: tokens_per_second_per_gpu 455 tok/s against a median of 5700 in the rest");
  EXPECT_EQ(warning_of(fixture("torchtitan.log"), "repeated_lines"),
            "1 line of a step that was read already, from another process: left out");
  cut_anywhere("torchtitan.log", "training-steps");
}

TEST(TrainingSteps, each_trainer_has_its_own_labels) {
  EXPECT_EQ(listing_of("Training epoch 0, iteration 120/149 | lr: 3e-05 | global_batch_size: 8 | global_step: 120 | "
                       "reduced_train_loss: 1.25 | train_step_timing in s: 0.5 | TFLOPS_per_GPU: 5.5e+02 | val_loss: 4.5\n"),
            "training-steps\nsteps = 1 context\nstep_time = 0.5 [s] lower-is-better\ntflops_per_gpu = 550 [TFLOP/s] "
            "higher-is-better\ntrain_loss = 1.25 lower-is-better\nval_loss = 4.5 lower-is-better\nlearning_rate = 0.00003 "
            "context\nglobal_batch_size = 8 context\ncontext stack.trainer = NeMo\nheadline *step_time\n");
  EXPECT_EQ(
      listing_of("10/17/2025 16:31:56 [INFO|DP=0|PP=0|TP=0]: iteration: 327281 / 378950 | consumed_tokens: 85.8G | "
                 "elapsed_time_per_iteration_ms: 11.5K | tokens_per_sec: 22.5K | tokens_per_sec_per_gpu: 11.25K | lm_loss: "
                 "2.5 | model_tflops_per_gpu: 38.5 | hardware_tflops_per_gpu: 39.5\n"),
      "training-steps\nsteps = 1 context\nstep_time = 11500 [ms] lower-is-better\ntokens_per_second_per_gpu = 11250 [tok/s] "
      "higher-is-better\ntokens_per_second = 22500 [tok/s] higher-is-better\ntflops_per_gpu = 38.5 [TFLOP/s] "
      "higher-is-better\nhardware_tflops_per_gpu = 39.5 [TFLOP/s] context\nlm_loss = 2.5 lower-is-better\ncontext "
      "stack.trainer = nanotron\nheadline *step_time\n");
  EXPECT_EQ(listing_of("I0811 21:54:55.531340 138 metric_logger.py:226] completed step: 9, seconds: 5.75, TFLOP/s/device: 134.5, "
                       "Tokens/s/device: 8672.5, total_weights: 196608, loss: 10.5, lm_loss: 10.25\n"),
            "training-steps\nsteps = 1 context\nstep_time = 5.75 [s] lower-is-better\ntflops_per_gpu = 134.5 [TFLOP/s] "
            "higher-is-better\ntokens_per_second_per_gpu = 8672.5 [tok/s] higher-is-better\nloss = 10.5 lower-is-better\ncontext "
            "stack.trainer = MaxText\nheadline *step_time\n");
}

TEST(TrainingSteps, a_share_of_a_peak_that_is_not_known_is_no_value) {
  const std::string nano = listing_of(
      "iter 0: loss 4.25, time 29955.5ms, mfu -100.00%\niter 10: loss 3.25, time 56.5ms, mfu 25.50%\niter 20: loss 2.75, time "
      "57.5ms, mfu 25.25%\n");
  EXPECT_TRUE(has_line(nano, "step_time = 56.5 57.5 [ms] lower-is-better")) << nano;
  EXPECT_TRUE(has_line(nano, "mfu = 25.5 25.25 [%] higher-is-better")) << nano;
  const std::string llmc =
      listing_of("step   61/74 | loss 3.25 (+nanz)| norm 1.5 (+nanz)| lr 3.00e-04 | 44.5 ms | -100.0% bf16 MFU | 91886 tok/s\n");
  EXPECT_TRUE(has_line(llmc, "step_time = 44.5 [ms] lower-is-better")) << llmc;
  EXPECT_TRUE(has_line(llmc, "tokens_per_second = 91886 [tok/s] higher-is-better")) << llmc;
  EXPECT_EQ(llmc.find("mfu"), std::string::npos);
}

TEST(TrainingSteps, the_summary_of_the_trainer_is_read_and_a_loss_that_is_no_number_is_invalid) {
  const std::string text = listing_of(
      "{'loss': 2.5, 'learning_rate': 5e-05, 'epoch': 0.5}\n"
      "{'eval_loss': 1.75, 'eval_runtime': 3.5, 'eval_samples_per_second': 100.5, 'eval_steps_per_second': 12.5, 'epoch': 1.0}\n"
      "{'train_runtime': 245.5, 'train_samples_per_second': 12.25, 'train_steps_per_second': 0.75, 'train_loss': nan}\n",
      "run.log");
  EXPECT_EQ(text,
            "training-steps\n"
            "eval_runtime = 3.5 [s] lower-is-better\n"
            "eval_samples_per_second = 100.5 [samples/s] higher-is-better\n"
            "eval_steps_per_second = 12.5 [steps/s] higher-is-better\n"
            "eval_loss = 1.75 lower-is-better\n"
            "train_runtime = 245.5 [s] lower-is-better\n"
            "train_samples_per_second = 12.25 [samples/s] higher-is-better\n"
            "train_steps_per_second = 0.75 [steps/s] higher-is-better\n"
            "train_loss = lower-is-better not_finite 'nan'\n"
            "context stack.trainer = Trainer\n"
            "headline *train_runtime\n"
            "! non_finite\n");
  EXPECT_EQ(refused("nothing\n", "training-steps").substr(0, 41), "no step in the log: nothing was timed | r");
}

TEST(TrainingSteps, a_summary_that_every_node_prints_is_one_and_one_of_a_later_run_is_a_trial) {
  const auto sum = [](const char* seconds) {
    return "{'train_runtime': " + std::string(seconds) +
           ", 'train_samples_per_second': 12.25, 'train_steps_per_second': 0.75, 'train_loss': 1.25, 'epoch': 2.0}\n";
  };
  const std::string nodes = sum("245.5") + sum("245.75");
  EXPECT_TRUE(has_line(listing_of(nodes), "train_runtime = 245.5 [s] lower-is-better")) << listing_of(nodes);
  EXPECT_EQ(warning_of(nodes, "repeated_lines"), "1 line of a step that was read already, from another process: left out");
  const std::string runs = sum("245.5") + "{'loss': 2.5, 'epoch': 0.5}\n" + sum("246.5");
  EXPECT_TRUE(has_line(listing_of(runs), "train_runtime = 245.5 246.5 [s] lower-is-better")) << listing_of(runs);
}

TEST(TrainingSteps, counting_that_starts_anew_is_another_run) {
  const std::string text = listing_of(
      "completed step: 1, seconds: 5.5, TFLOP/s/device: 134.5, loss: 10.5\ncompleted step: 0, seconds: 6.5, TFLOP/s/device: "
      "130.5, "
      "loss: 11.5\n");
  EXPECT_TRUE(has_line(text, "step_time = 5.5 [s] lower-is-better")) << text;
  EXPECT_TRUE(has_line(text, "[section=2].step_time = 6.5 [s] lower-is-better")) << text;
}

TEST(MlperfTraining, two_events_on_one_line_are_both_read) {
  const std::string text =
      ":::MLLOG {\"time_ms\": 1, \"key\": \"submission_benchmark\", \"value\": \"bert\"}\n"
      ":::MLLOG {\"time_ms\": 0, \"key\": \"run_start\"}:::MLLOG {\"time_ms\": 60000, \"key\": \"eval_error\", \"value\": 0.25}\n"
      ":::MLLOG {\"time_ms\": 90000, \"key\": \"epoch_stop\"}:::MLLOG {\"time_ms\": 120000, \"key\": \"run_stop\", \"metadata\": "
      "{\"status\": \"success\"}}\n:::MLLOG {\"key\": \"cut\n";
  EXPECT_EQ(listing_of(text),
            "mlperf-training\n"
            "bert.time_to_train = 2 [min] lower-is-better\n"
            "bert.unsuccessful_runs = 0 gate lower-is-better\n"
            "bert.eval_error = 0.25 context\n"
            "bert.unreadable_events = 1 context\n"
            "context identity.benchmark = bert\n"
            "headline *time_to_train\n"
            "! unread_events\n");
  EXPECT_EQ(warning_of(text, "unread_events"), "1 event could not be read, cut off or mixed with another process's line");
}

TEST(MlperfTraining, a_log_behind_a_long_preamble_is_known_and_one_of_inference_is_told_apart) {
  std::string text;
  while (text.size() < 70'000) text += "+ docker run something\n";
  text +=
      ":::MLLOG {\"time_ms\": 0, \"key\": \"run_start\"}\n:::MLLOG {\"time_ms\": 60000, \"key\": \"run_stop\", \"metadata\": "
      "{\"status\": \"success\"}}\n";
  EXPECT_EQ(listing_of(text).substr(0, 16), "mlperf-training\n");
  EXPECT_EQ(problem(":::MLLOG {\"key\": \"result_90.00_percentile_latency_ns\", \"value\": 60, \"time_ms\": 60.5}\n"),
            "run.log: this is the detailed log of MLPerf inference, not of training | give mlperf_log_summary.txt, which LoadGen "
            "writes beside it");
}

TEST(TorchProfilerTable, tables_of_old_releases_have_other_columns) {
  const std::string rule = std::string(20, '-') + "  " + std::string(15, '-') + "  " + std::string(15, '-') + "\n";
  const std::string text =
      rule +
      "Name                  Self CPU total %  Self CPU total   CPU total %      CPU total        CPU time avg     "
      "CUDA total %     CUDA total       CUDA time avg    Number of Calls  \n" +
      rule +
      "aten::mm              98.50%           518.25us         98.75%           522.5us          5.25us           "
      "49.75%           1.25ms           7.75us           100              \n" +
      rule + "Self CPU time total: 528.5us\nCUDA time total: 1.5ms\n";
  const std::string rows = listing_of(text);
  EXPECT_EQ(rows.substr(0, 21), "torch-profiler-table\n") << rows;
  for (const char* line : {"aten::mm.self_cpu_total = 518.25 [us] lower-is-better", "aten::mm.cuda_total = 1250 [us] context",
                           "aten::mm.calls = 100 context", "self_cpu_time_total = 528.5 [us] lower-is-better",
                           "cuda_time_total = 1500 [us] context"}) {
    EXPECT_TRUE(has_line(rows, line)) << line << "\n" << rows;
  }
}

}  // namespace
}  // namespace plumbline::formats
