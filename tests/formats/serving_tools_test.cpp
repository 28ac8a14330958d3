// LLM serving benchmarks: what their files become. Numbers are our own.
#include <gtest/gtest.h>

#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

TEST(VllmServe, closed_loop_throughput_is_a_result_and_latencies_carry_their_unit) {
  const std::string_view text = R"({"date": "20260101-101010", "backend": "vllm", "label": null, "model_id": "acme/Tiny-1B",
 "num_prompts": 64, "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 16, "duration": 12.5, "completed": 64,
 "failed": 0, "total_input_tokens": 65536, "total_output_tokens": 8192, "request_throughput": 5.12,
 "request_goodput:": 4.5, "output_throughput": 655.36, "total_token_throughput": 5898.24, "max_output_tokens_per_s": 900,
 "rtfx": 0.0, "ttfts": [0.031, 0.035], "itls": [[0.01], [0.011]], "errors": ["", ""], "mean_ttft_ms": 33.0,
 "median_ttft_ms": 32.5, "std_ttft_ms": 4.25, "p99_ttft_ms": 51.75, "p99.9_e2el_ms": 1812.5})";
  EXPECT_EQ(listing_of(text),
            "vllm-serve\n"
            "date = context text '20260101-101010'\n"
            "duration = 12.5 [s] context\n"
            "completed = 64 context\n"
            "failed = 0 gate lower-is-better\n"
            "total_input_tokens = 65536 context\n"
            "total_output_tokens = 8192 context\n"
            "request_throughput = 5.12 [req/s] higher-is-better\n"
            "request_goodput = 4.5 [req/s] higher-is-better\n"
            "output_throughput = 655.36 [tok/s] higher-is-better\n"
            "total_token_throughput = 5898.24 [tok/s] higher-is-better\n"
            "max_output_tokens_per_s = 900 [tok/s] context\n"
            "rtfx = 0 context\n"
            "mean_ttft_ms = 33 [ms] lower-is-better\n"
            "median_ttft_ms = 32.5 [ms] lower-is-better\n"
            "std_ttft_ms = 4.25 [ms] noise\n"
            "p99_ttft_ms = 51.75 [ms] lower-is-better\n"
            "p99.9_e2el_ms = 1812.5 [ms] lower-is-better\n"
            "unaccounted_requests = 0 gate lower-is-better\n"
            "input_tokens_per_request = 1024 [tok] unknown\n"
            "output_tokens_per_request = 128 [tok] unknown\n"
            "context identity.model = acme/Tiny-1B\n"
            "context serving.backend = vllm\n"
            "context workload.burstiness = 1\n"
            "context workload.concurrency = 16\n"
            "context workload.isl = 1024\n"
            "context workload.num_prompts = 64\n"
            "context workload.osl = 128\n"
            "context workload.request_rate = inf\n"
            "headline output_throughput\n"
            "headline median_ttft_ms\n");
  EXPECT_EQ(dims_of(text, "median_ttft_ms"), "max_concurrency=16 request_rate=inf num_prompts=64 burstiness=1 isl=1024 osl=128");
}

TEST(VllmServe, paced_throughput_is_the_offered_load_and_never_judged) {
  EXPECT_EQ(listing_of(R"({"num_prompts": 10, "request_rate": 2.0, "completed": 10, "request_throughput": 1.98,
 "output_throughput": 250.5, "median_ttft": 0.125})"),
            "vllm-serve\n"
            "completed = 10 context\n"
            "request_throughput = 1.98 [req/s] context\n"
            "output_throughput = 250.5 [tok/s] context\n"
            "median_ttft = 0.125 [s] lower-is-better\n"
            "failed = 0 gate lower-is-better\n"
            "unaccounted_requests = 0 gate lower-is-better\n"
            "context workload.num_prompts = 10\n"
            "context workload.request_rate = 2\n"
            "headline median_ttft\n");
}

TEST(VllmServe, zeros_of_a_run_in_which_every_request_failed_are_no_measurements) {
  EXPECT_EQ(listing_of(R"({"num_prompts": 10, "request_rate": "inf", "completed": 0, "failed": 10, "request_throughput": 0.0,
 "output_throughput": 0.0, "mean_ttft_ms": 0.0, "std_ttft_ms": 0.0})"),
            "vllm-serve\n"
            "completed = 0 context\n"
            "failed = 10 gate lower-is-better\n"
            "request_throughput = 0 [req/s] higher-is-better failed 'no request completed'\n"
            "output_throughput = 0 [tok/s] higher-is-better failed 'no request completed'\n"
            "mean_ttft_ms = 0 [ms] lower-is-better failed 'no request completed'\n"
            "std_ttft_ms = 0 [ms] noise\n"
            "unaccounted_requests = 0 gate lower-is-better\n"
            "context workload.num_prompts = 10\n"
            "context workload.request_rate = inf\n"
            "headline output_throughput\n");
}

TEST(VllmServe, runs_of_one_point_in_a_sweep_are_its_trials) {
  EXPECT_EQ(listing_of(R"([
 {"model_id": "m", "num_prompts": 8, "max_concurrency": 4, "run_number": 0, "completed": 8, "request_throughput": 2, "output_throughput": 20},
 {"model_id": "m", "num_prompts": 8, "max_concurrency": 4, "run_number": 1, "completed": 8, "request_throughput": 3, "output_throughput": 30},
 {"model_id": "m", "num_prompts": 8, "max_concurrency": 8, "run_number": 0, "completed": 7, "request_throughput": 4, "output_throughput": 40}])"),
            "vllm-serve\n"
            "[max_concurrency=4,num_prompts=8].run_number = 0 1 context\n"
            "[max_concurrency=4,num_prompts=8].completed = 8 8 context\n"
            "[max_concurrency=4,num_prompts=8].request_throughput = 2 3 [req/s] higher-is-better\n"
            "[max_concurrency=4,num_prompts=8].output_throughput = 20 30 [tok/s] higher-is-better\n"
            "[max_concurrency=4,num_prompts=8].failed = 0 0 gate lower-is-better\n"
            "[max_concurrency=4,num_prompts=8].unaccounted_requests = 0 0 gate lower-is-better\n"
            "[max_concurrency=8,num_prompts=8].run_number = 0 context\n"
            "[max_concurrency=8,num_prompts=8].completed = 7 context\n"
            "[max_concurrency=8,num_prompts=8].request_throughput = 4 [req/s] higher-is-better\n"
            "[max_concurrency=8,num_prompts=8].output_throughput = 40 [tok/s] higher-is-better\n"
            "[max_concurrency=8,num_prompts=8].failed = 1 gate lower-is-better\n"
            "[max_concurrency=8,num_prompts=8].unaccounted_requests = 0 gate lower-is-better\n"
            "context identity.model = m\n"
            "context workload.num_prompts = 8\n"
            "headline *.output_throughput\n");
}

TEST(VllmServe, a_truncated_file_and_a_record_that_is_no_object_are_errors_with_their_place) {
  EXPECT_EQ(listing_of(R"({"num_prompts": 1, "request_throughput": 1, "output_throughput": )", "run.json").substr(0, 7),
            "error: ");
  EXPECT_EQ(listing_of("[{\"num_prompts\": 1, \"request_throughput\": 1, \"output_throughput\": 2},\n 7]", "runs.json"),
            "error: a run is not an object (runs.json:2:2)\n");
}

TEST(VllmConsole, the_printed_table_has_the_names_of_the_json) {
  EXPECT_EQ(listing_of("INFO 01-01 warming up: 3\n"
                       "============ Serving Benchmark Result ============\n"
                       "Maximum request concurrency:             32        \n"
                       "Successful requests:                     100       \n"
                       "Failed requests:                         1         \n"
                       "Benchmark duration (s):                  25.00     \n"
                       "Total generated tokens:                  12800     \n"
                       "Request throughput (req/s):              4.00      \n"
                       "Total Token throughput (tok/s):          4608.00   \n"
                       "---------------Time to First Token----------------\n"
                       "Mean TTFT (ms):                          81.25     \n"
                       "P99 TTFT (ms):                           140.50    \n"
                       "==================================================\n"
                       "Mean TTFT (ms): 1\n"),
            "vllm-console\n"
            "completed = 100 gate higher-is-better\n"
            "failed = 1 gate lower-is-better\n"
            "duration = 25 [s] context\n"
            "total_output_tokens = 12800 context\n"
            "request_throughput = 4 [req/s] higher-is-better\n"
            "total_token_throughput = 4608 [tok/s] higher-is-better\n"
            "mean_ttft_ms = 81.25 [ms] lower-is-better\n"
            "p99_ttft_ms = 140.5 [ms] lower-is-better\n"
            "output_tokens_per_request = 128 [tok] unknown\n"
            "context workload.concurrency = 32\n"
            "context workload.osl = 128\n");
}

TEST(VllmOffline, latencies_are_trials_of_one_process_and_throughput_a_run) {
  EXPECT_EQ(listing_of(R"({"avg_latency": 2.0, "latencies": [1.5, 2.5], "percentiles": {"50": 2.0, "99": 2.49}})"),
            "vllm-offline\n"
            "latency = 1.5 2.5 [s] lower-is-better\n"
            "avg_latency = 2 [s] context\n"
            "latency.p50 = 2 [s] lower-is-better\n"
            "latency.p99 = 2.49 [s] lower-is-better\n"
            "headline latency\n");
  EXPECT_EQ(listing_of(R"({"elapsed_time": 8.0, "num_requests": 40, "total_num_tokens": 8000, "requests_per_second": 5.0,
 "tokens_per_second": 1000.0})"),
            "vllm-offline\n"
            "elapsed_time = 8 [s] context\n"
            "num_requests = 40 context\n"
            "total_num_tokens = 8000 context\n"
            "requests_per_second = 5 [req/s] higher-is-better\n"
            "tokens_per_second = 1000 [tok/s] higher-is-better\n"
            "tokens_per_request = 200 [tok] unknown\n"
            "context workload.tokens_per_request = 200\n"
            "headline tokens_per_second\n");
}

TEST(Sglang, lines_are_runs_infinity_is_a_rate_and_measured_concurrency_is_no_setting) {
  const std::string line =
      R"({"backend": "sglang", "dataset_name": "random", "request_rate": Infinity, "max_concurrency": 8, "sharegpt_output_len": null,
 "random_input_len": 256, "random_output_len": 64, "random_range_ratio": 1.0, "duration": 4.0, "completed": 32,
 "total_input_tokens": 8192, "request_throughput": 8.0, "input_throughput": 2048.0, "output_throughput": 512.0,
 "total_throughput": 2560.0, "mean_e2e_latency_ms": 900.5, "std_ttft_ms": 3.5, "concurrency": 7.25, "accept_length": 2.5})";
  EXPECT_EQ(listing_of(line),
            "sglang-serving\n"
            "duration = 4 [s] context\n"
            "completed = 32 context\n"
            "total_input_tokens = 8192 context\n"
            "request_throughput = 8 [req/s] higher-is-better\n"
            "input_throughput = 2048 [tok/s] higher-is-better\n"
            "output_throughput = 512 [tok/s] higher-is-better\n"
            "total_throughput = 2560 [tok/s] higher-is-better\n"
            "mean_e2e_latency_ms = 900.5 [ms] lower-is-better\n"
            "std_ttft_ms = 3.5 [ms] noise\n"
            "concurrency = 7.25 context\n"
            "accept_length = 2.5 [tok] higher-is-better\n"
            "input_tokens_per_request = 256 [tok] unknown\n"
            "context serving.backend = sglang\n"
            "context workload.completed_requests = 32\n"
            "context workload.concurrency = 8\n"
            "context workload.dataset = random\n"
            "context workload.isl = 256\n"
            "context workload.osl = 64\n"
            "context workload.random_range_ratio = 1\n"
            "context workload.request_rate = inf\n"
            "headline output_throughput\n");
}

TEST(Inferencex, latencies_are_seconds_and_interactivity_is_higher_better) {
  EXPECT_EQ(listing_of(R"({"hw": "h200", "conc": 32, "image": "acme/serve:1", "model": "acme/Big-70B", "framework": "vllm",
 "precision": "fp8", "spec_decoding": "none", "disagg": false, "isl": 1024, "osl": 1024, "tp": 4, "ep": 1, "dp_attention": "false",
 "tput_per_gpu": 612.5, "median_ttft": 0.25, "std_ttft": 0.01, "median_intvty": 80.0, "std_intvty": 20000.0,
 "joules_per_output_token": 1.75, "avg_power_w": 640})"),
            "inferencex\n"
            "tput_per_gpu = 612.5 [tok/s] higher-is-better\n"
            "median_ttft = 0.25 [s] lower-is-better\n"
            "std_ttft = 0.01 [s] noise\n"
            "median_intvty = 80 [tok/s] higher-is-better\n"
            "std_intvty = 20000 context\n"
            "joules_per_output_token = 1.75 [J/tok] lower-is-better\n"
            "avg_power_w = 640 [W] context\n"
            "context environment.image = acme/serve:1\n"
            "context hardware.gpu = h200\n"
            "context identity.model = acme/Big-70B\n"
            "context parallelism.disagg = false\n"
            "context parallelism.dp_attention = false\n"
            "context parallelism.ep = 1\n"
            "context parallelism.tp = 4\n"
            "context serving.framework = vllm\n"
            "context serving.spec_decoding = none\n"
            "context workload.concurrency = 32\n"
            "context workload.dtype = fp8\n"
            "context workload.isl = 1024\n"
            "context workload.osl = 1024\n"
            "headline tput_per_gpu\n"
            "headline median_intvty\n");
}

TEST(LlamaBench, samples_are_trials_and_the_test_has_its_own_name) {
  EXPECT_EQ(listing_of(R"([{"build_commit": "abc1234", "backends": "CUDA", "gpu_info": "Acme GPU", "model_type": "llama 7B Q4_0",
 "n_batch": 2048, "flash_attn": true, "n_prompt": 512, "n_gen": 0, "n_depth": 0, "avg_ns": 1000, "avg_ts": 5000.5,
 "stddev_ts": 12.5, "samples_ns": [1, 2], "samples_ts": [4990.0, 5011.0]},
 {"build_commit": "abc1234", "backends": "CUDA", "gpu_info": "Acme GPU", "model_type": "llama 7B Q4_0",
 "n_batch": 2048, "flash_attn": true, "n_prompt": 0, "n_gen": 128, "n_depth": 4096, "avg_ts": 120.25}])"),
            "llama-bench\n"
            "llama 7B Q4_0.pp512.t/s = 4990 5011 [tok/s] higher-is-better\n"
            "llama 7B Q4_0.pp512.stddev = 12.5 [tok/s] noise\n"
            "llama 7B Q4_0.tg128@d4096.t/s = 120.25 [tok/s] higher-is-better\n"
            "context hardware.gpu = Acme GPU\n"
            "context identity.model = llama 7B Q4_0\n"
            "context serving.backend = CUDA\n"
            "context serving.flash_attn = 1\n"
            "context serving.n_batch = 2048\n"
            "context stack.llama_cpp = abc1234\n"
            "headline *.t/s\n");
}

TEST(LlamaBench, csv_and_markdown_say_the_same_and_a_second_table_is_another_run) {
  EXPECT_EQ(listing_of("build_commit,model_type,n_batch,n_prompt,n_gen,avg_ts,stddev_ts\n"
                       "\"abc1234\",\"llama 7B Q4_0\",\"2048\",\"512\",\"0\",\"5000.5\",\"12.5\"\n"),
            "llama-bench\n"
            "llama 7B Q4_0.pp512.t/s = 5000.5 [tok/s] higher-is-better\n"
            "llama 7B Q4_0.pp512.stddev = 12.5 [tok/s] noise\n"
            "context identity.model = llama 7B Q4_0\n"
            "context serving.n_batch = 2048\n"
            "context stack.llama_cpp = abc1234\n"
            "headline *.t/s\n");
  const std::string table =
      "| model         |     size | params | backend | ngl |   test |            t/s |\n"
      "| ------------- | -------: | -----: | ------- | --: | -----: | -------------: |\n"
      "| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA    |  99 | pp 512 | 5000.50 ± 12.50 |\n";
  EXPECT_EQ(listing_of("GPU 0\n" + table + "\nGPU 1\n" + table + "\nbuild: abc1234 (4711)\n"),
            "llama-bench\n"
            "llama 7B Q4_0.pp512.t/s = 5000.5 [tok/s] higher-is-better\n"
            "llama 7B Q4_0.pp512.stddev = 12.5 [tok/s] noise\n"
            "llama 7B Q4_0#2.pp512.t/s = 5000.5 [tok/s] higher-is-better\n"
            "llama 7B Q4_0#2.pp512.stddev = 12.5 [tok/s] noise\n"
            "context identity.model = llama 7B Q4_0\n"
            "context serving.backend = CUDA\n"
            "context serving.n_gpu_layers = 99\n"
            "context stack.llama_cpp = abc1234\n"
            "headline *.t/s\n");
}

TEST(GuideLlm, means_of_rates_and_tails_of_latencies_are_judged_and_errors_are_a_gate) {
  EXPECT_EQ(
      listing_of(R"({"metadata": {"version": 2, "guidellm_version": "0.8.0"}, "benchmarks": [{"type_": "generative_benchmark",
  "config": {"strategy": {"type_": "concurrent", "streams": 4}, "backend": {"model": "acme/Tiny-1B", "api_key": "hush"}},
  "metrics": {"request_totals": {"successful": 9, "errored": 1, "incomplete": 0, "total": 10},
   "requests_per_second": {"successful": {"mean": 2.5, "percentiles": {"p99": 9.0}}},
   "request_latency": {"successful": {"mean": 1.5, "median": 1.25, "std_dev": 0.5, "percentiles": {"p001": 1.0, "p99": 3.0}}},
   "output_token_count": {"successful": {"mean": 128.0}}}}]})"),
      "guidellm\n"
      "[strategy=concurrent,streams=4].requests_per_second.mean = 2.5 [req/s] higher-is-better\n"
      "[strategy=concurrent,streams=4].request_latency.mean = 1.5 [s] lower-is-better\n"
      "[strategy=concurrent,streams=4].request_latency.median = 1.25 [s] lower-is-better\n"
      "[strategy=concurrent,streams=4].request_latency.std_dev = 0.5 [s] noise\n"
      "[strategy=concurrent,streams=4].request_latency.p99 = 3 [s] lower-is-better\n"
      "[strategy=concurrent,streams=4].output_token_count.mean = 128 [tok] unknown\n"
      "[strategy=concurrent,streams=4].successful = 9 context\n"
      "[strategy=concurrent,streams=4].errored = 1 gate lower-is-better\n"
      "[strategy=concurrent,streams=4].incomplete = 0 context\n"
      "context identity.model = acme/Tiny-1B\n"
      "context stack.guidellm = 0.8.0\n"
      "headline *.time_to_first_token_ms.median\n"
      "headline *.inter_token_latency_ms.median\n");
}

TEST(GuideLlm, the_older_schema_is_read_and_a_constant_rate_is_the_offered_load) {
  EXPECT_EQ(
      listing_of(
          R"({"benchmarks": [{"type_": "generative_benchmark", "run_stats": {"requests_made": {"successful": 0, "errored": 5}},
  "args": {"profile": {"type_": "sweep"}, "strategy": {"type_": "constant", "rate": 3.75}},
  "metrics": {"requests_per_second": {"successful": {"mean": 0.0}}, "time_to_first_token_ms": {"successful": {"median": 0.0}}}}]})"),
      "guidellm\n"
      "[strategy=constant,step=1].requests_per_second.mean = 0 [req/s] context\n"
      "[strategy=constant,step=1].time_to_first_token_ms.median = 0 [ms] lower-is-better failed 'no request completed'\n"
      "[strategy=constant,step=1].successful = 0 context\n"
      "[strategy=constant,step=1].errored = 5 gate lower-is-better\n"
      "headline *.time_to_first_token_ms.median\n"
      "headline *.inter_token_latency_ms.median\n");
}

TEST(GenaiPerf, units_are_the_files_and_percentiles_of_rates_are_not_judged) {
  EXPECT_EQ(listing_of(R"({"request_latency": {"unit": "ms", "avg": 900.5, "p1": 800.0, "p99": 1200.0, "std": 50.0, "min": 790.0},
 "output_token_throughput_per_user": {"unit": "tokens/sec/user", "avg": 55.0, "p99": 70.0},
 "request_throughput": {"unit": "requests/sec", "avg": 4.5}, "request_count": {"unit": "requests", "avg": 64.0},
 "input_sequence_length": {"unit": "tokens", "avg": 512.0},
 "input_config": {"model_names": ["acme/Tiny-1B"], "headers": {"model": "x"}, "loadgen": {"concurrency": 8}}})"),
            "genai-perf\n"
            "request_latency.avg = 900.5 [ms] lower-is-better\n"
            "request_latency.p1 = 800 [ms] context\n"
            "request_latency.p99 = 1200 [ms] lower-is-better\n"
            "request_latency.std = 50 [ms] noise\n"
            "request_latency.min = 790 [ms] context\n"
            "output_token_throughput_per_user.avg = 55 [tokens/sec/user] higher-is-better\n"
            "output_token_throughput_per_user.p99 = 70 [tokens/sec/user] context\n"
            "request_throughput.avg = 4.5 [requests/sec] higher-is-better\n"
            "request_count.avg = 64 [requests] context\n"
            "input_sequence_length.avg = 512 [tokens] unknown\n"
            "context identity.model = acme/Tiny-1B\n"
            "context workload.concurrency = 8\n"
            "context workload.isl = 512\n"
            "headline output_token_throughput.avg\n"
            "headline time_to_first_token.p50\n"
            "headline inter_token_latency.p50\n");
}

TEST(MlperfTraining, the_time_from_start_to_stop_counts_and_only_with_success) {
  const auto log = [](std::string_view status) {
    return "+ docker run --env=TOKEN=hush\n"
           "0: :::MLLOG {\"time_ms\": 1, \"key\": \"submission_benchmark\", \"value\": \"bert\", \"metadata\": {}}\n"
           "0: :::MLLOG {\"time_ms\": 1000, \"key\": \"run_start\", \"value\": null, \"metadata\": {}}\n"
           "0: :::MLLOG {\"time_ms\": 9000, \"key\": \"tracked_stats\", \"value\": {\"throughput\": 7500.5}, \"metadata\": {}}\n"
           "0: :::MLLOG {\"time_ms\": 60000, \"key\": \"eval_accuracy\", \"value\": 0.7203, \"metadata\": {}}\n"
           "0: :::MLLOG {\"time_ms\": 61000, \"key\": \"run_stop\", \"value\": null, \"metadata\": {\"status\": \"" +
           std::string(status) + "\"}}\n0: :::MLLOG {\"time_ms\": 6\n";
  };
  EXPECT_EQ(listing_of(log("success")),
            "mlperf-training\n"
            "bert.time_to_train = 1 [min] lower-is-better\n"
            "bert.unsuccessful_runs = 0 gate lower-is-better\n"
            "bert.eval_accuracy = 0.7203 context\n"
            "bert.throughput = 7500.5 [samples/s] higher-is-better\n"
            "bert.unreadable_events = 1 context\n"
            "context identity.benchmark = bert\n"
            "headline *time_to_train\n"
            "! unread_events\n");
  const std::string aborted = listing_of(log("aborted"));
  EXPECT_NE(aborted.find("bert.time_to_train = 1 [min] lower-is-better failed 'a run did not end with the status success'\n"
                         "bert.unsuccessful_runs = 1 gate"),
            std::string::npos)
      << aborted;
}

TEST(MlperfTraining, a_log_without_a_run_is_an_error) {
  EXPECT_EQ(listing_of(":::MLLOG {\"time_ms\": 1, \"key\": \"seed\", \"value\": 3}\n"),
            "error: no run_start event: nothing was timed in this log (result)\n");
}

TEST(Wrk, times_become_milliseconds_and_errors_are_gates) {
  EXPECT_EQ(listing_of("Running 30s test @ http://127.0.0.1:8080/?key=hush\n"
                       "  4 threads and 64 connections\n"
                       "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
                       "    Latency   500.00us    0.25ms   1.50s    93.69%\n"
                       "    Req/Sec    10.00k     1.00k   12.00k    70.00%\n"
                       "  Latency Distribution\n"
                       "     50%  450.00us\n"
                       "     99%    2.50ms\n"
                       "  1200000 requests in 30.00s, 1.00GB read\n"
                       "  Socket errors: connect 0, read 2, write 0, timeout 3\n"
                       "  Non-2xx or 3xx responses: 7\n"
                       "Requests/sec:  40000.50\n"
                       "Transfer/sec:      2.00MB\n"),
            "wrk\n"
            "latency.avg = 0.5 [ms] lower-is-better\n"
            "latency.stdev = 0.25 [ms] noise\n"
            "latency.max = 1500 [ms] context\n"
            "latency.p50 = 0.45 [ms] lower-is-better\n"
            "latency.p99 = 2.5 [ms] lower-is-better\n"
            "requests = 1200000 context\n"
            "requests_per_second = 40000.5 [req/s] higher-is-better\n"
            "transfer_per_second = 2097152 [B/s] higher-is-better\n"
            "socket_errors = 5 gate lower-is-better\n"
            "bad_responses = 7 gate lower-is-better\n"
            "context workload.connections = 64\n"
            "context workload.threads = 4\n"
            "headline latency.avg\n"
            "headline requests_per_second\n");
}

TEST(K6, rates_have_the_direction_of_their_name_and_crossed_thresholds_are_gates) {
  EXPECT_EQ(listing_of(R"k6({"root_group": {"name": "", "checks": {}}, "metrics": {
 "http_req_duration": {"avg": 12.5, "min": 1.0, "med": 11.0, "max": 99.0, "p(95)": 30.5, "thresholds": {"p(95)<20": true}},
 "http_req_failed": {"passes": 1, "fails": 99, "value": 0.01}, "checks": {"passes": 99, "fails": 1, "value": 0.99},
 "http_reqs": {"count": 100, "rate": 10.5}, "iterations": {"count": 100, "rate": 10.25}, "vus": {"value": 5, "min": 1, "max": 5}}})k6"),
            "k6\n"
            "http_req_duration.avg = 12.5 [ms] lower-is-better\n"
            "http_req_duration.min = 1 [ms] context\n"
            "http_req_duration.med = 11 [ms] lower-is-better\n"
            "http_req_duration.max = 99 [ms] context\n"
            "http_req_duration.p(95) = 30.5 [ms] lower-is-better\n"
            "http_req_duration[p(95)<20].crossed = 1 gate lower-is-better\n"
            "http_req_failed.passes = 1 context\n"
            "http_req_failed.fails = 99 context\n"
            "http_req_failed.value = 0.01 [ratio] gate lower-is-better\n"
            "checks.passes = 99 context\n"
            "checks.fails = 1 context\n"
            "checks.value = 0.99 [ratio] gate higher-is-better\n"
            "http_reqs.count = 100 context\n"
            "http_reqs.rate = 10.5 [req/s] higher-is-better\n"
            "iterations.count = 100 context\n"
            "iterations.rate = 10.25 [it/s] higher-is-better\n"
            "vus.value = 5 context\n"
            "vus.min = 1 context\n"
            "vus.max = 5 context\n"
            "headline http_req_duration.p(95)\n"
            "headline http_reqs.rate\n");
}

TEST(ServingTools, a_file_cut_off_anywhere_is_an_error_and_never_silence) {
  const std::string_view whole =
      R"({"metadata": {"guidellm_version": "1"}, "benchmarks": [{"metrics": {"request_latency": {"successful": {"mean": 1}}}}]})";
  for (std::size_t length = 30; length < whole.size(); ++length) {
    EXPECT_EQ(listing_of(whole.substr(0, length), "cut.json").substr(0, 7), "error: ") << length;
  }
}

}  // namespace
}  // namespace plumbline::formats
