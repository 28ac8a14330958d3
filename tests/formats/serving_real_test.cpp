// What tools for serving write in releases and with options that their documents do not show: shapes seen in the files that
// people publish and in the sources that print them. Numbers are our own.
#include <gtest/gtest.h>

#include "tests/formats/lines_of.hpp"
#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

// --- vLLM

constexpr std::string_view kEmbeddings =
    R"({"date": "20260301-101010", "endpoint_type": "openai-embeddings", "backend": "openai-embeddings", "label": null,
 "model_id": "acme/e5-small", "tokenizer_id": "acme/e5-small", "num_prompts": 64, "request_rate": "inf", "burstiness": 1.0,
 "max_concurrency": null, "duration": 2.5, "completed": 16, "total_input_tokens": 8192, "total_input_sequences": 64,
 "request_throughput": 6.4, "input_sequence_throughput": 25.6, "total_token_throughput": 3276.8, "latencies": [0.1, 0.2],
 "queue_times": [0, 0], "mean_e2el_ms": 150.5, "median_e2el_ms": 140.25, "std_e2el_ms": 20.5, "p99_e2el_ms": 310.75})";

TEST(VllmServe, embeddings_have_no_tokens_to_generate_and_a_request_may_hold_several_prompts) {
  EXPECT_EQ(listing_of(std::string(kEmbeddings)),
            "vllm-serve\n"
            "date = context text '20260301-101010'\n"
            "duration = 2.5 [s] context\n"
            "completed = 16 context\n"
            "total_input_tokens = 8192 context\n"
            "total_input_sequences = 64 context\n"
            "request_throughput = 6.4 [req/s] higher-is-better\n"
            "input_sequence_throughput = 25.6 [inputs/s] higher-is-better\n"
            "total_token_throughput = 3276.8 [tok/s] higher-is-better\n"
            "mean_e2el_ms = 150.5 [ms] lower-is-better\n"
            "median_e2el_ms = 140.25 [ms] lower-is-better\n"
            "std_e2el_ms = 20.5 [ms] noise\n"
            "p99_e2el_ms = 310.75 [ms] lower-is-better\n"
            "failed = 0 gate lower-is-better\n"
            "unaccounted_requests = 0 gate lower-is-better\n"
            "input_tokens_per_request = 512 [tok] unknown\n"
            "context identity.model = acme/e5-small\n"
            "context identity.tokenizer = acme/e5-small\n"
            "context serving.backend = openai-embeddings\n"
            "context serving.endpoint_type = openai-embeddings\n"
            "context workload.burstiness = 1\n"
            "context workload.concurrency = none\n"
            "context workload.isl = 512\n"
            "context workload.num_prompts = 64\n"
            "context workload.request_rate = inf\n"
            "headline input_sequence_throughput\n"
            "headline request_throughput\n"
            "headline median_e2el_ms\n");
}

constexpr std::string_view kServe =
    R"({"backend": "vllm", "model_id": "acme/m", "num_prompts": 8, "best_of": 1, "request_rate": "inf", "max_concurrency": 4,
 "duration": 2.0, "completed": 8, "failed": 0, "total_input_tokens": 800, "total_output_tokens": 400, "request_throughput": 4.0,
 "output_throughput": 200.0, "total_token_throughput": 600.0, "mean_ttft_ms": 20.5,
 "probe_completed": 5, "probe_failed": 1, "probe_median_e2el_ms": 12.5, "probe_p99_e2el_ms": 30.5, "probe_max_e2el_ms": 31.5,
 "mean_client_queue_time_ms": 0.0, "p99_client_queue_time_ms": 4.5, "mean_e2el_including_client_queue_ms": 410.5,
 "diffusion_committed_throughput": 190.5, "diffusion_steps_per_canvas": 12.5, "diffusion_denoising_steps": 400})";

TEST(VllmServe, what_newer_releases_measure_besides_has_directions_and_gates) {
  EXPECT_EQ(lines_of(kServe, {"probe", "queue", "diffusion", "best_of"}),
            "best_of = 1 context\n"
            "probe_completed = 5 context\n"
            "probe_failed = 1 gate lower-is-better\n"
            "probe_median_e2el_ms = 12.5 [ms] lower-is-better\n"
            "probe_p99_e2el_ms = 30.5 [ms] lower-is-better\n"
            "probe_max_e2el_ms = 31.5 [ms] context\n"
            "mean_client_queue_time_ms = 0 [ms] context\n"
            "p99_client_queue_time_ms = 4.5 [ms] context\n"
            "mean_e2el_including_client_queue_ms = 410.5 [ms] lower-is-better\n"
            "diffusion_committed_throughput = 190.5 [tok/s] higher-is-better\n"
            "diffusion_steps_per_canvas = 12.5 context\n"
            "diffusion_denoising_steps = 400 context\n");
}

TEST(VllmServe, a_rate_that_ramps_up_is_offered_load_though_the_file_says_inf) {
  const std::string ramp = replaced(std::string(kServe), "\"request_rate\": \"inf\"",
                                    "\"request_rate\": \"inf\", \"ramp_up_strategy\": \"linear\", \"ramp_up_start_rps\": 1, "
                                    "\"ramp_up_end_rps\": 9");
  EXPECT_EQ(lines_of(ramp, {"output_throughput", "ramp_up"}),
            "output_throughput = 200 [tok/s] context\n"
            "context workload.ramp_up_end_rps = 9\n"
            "context workload.ramp_up_start_rps = 1\n"
            "context workload.ramp_up_strategy = linear\n");
}

TEST(VllmServe, a_name_that_a_run_repeats_is_invalid_and_one_that_only_some_runs_have_is_no_trial) {
  const auto run = [](const char* more) {
    return R"({"backend": "vllm", "num_prompts": 8, "request_rate": "inf", "completed": 8, "failed": 0, "request_throughput": 4.5,
 "output_throughput": 200.5)" +
           std::string(more) + "}\n";
  };
  EXPECT_EQ(lines_of(run(R"(, "median_ttft_ms": 4.5)") + run(R"(, "median_ttft_ms": 5.5, "late_ms": 7.5)"), {"ttft", "late"}),
            "median_ttft_ms = 4.5 5.5 [ms] lower-is-better\n"
            "late_ms = 7.5 context\n"
            "headline median_ttft_ms\n");
  EXPECT_EQ(lines_of(run(R"(, "median_ttft_ms": 4.5, "median_ttft_ms:": 5.5)"), {"ttft"}),
            "median_ttft_ms = 4.5 [ms] lower-is-better duplicate\n"
            "headline median_ttft_ms\n");
}

TEST(VllmServe, a_record_of_very_many_fields_is_read_like_a_small_one) {
  std::string record(kServe.substr(0, kServe.size() - 1));
  for (int i = 0; i < 60000; ++i) record += ", \"x" + std::to_string(i) + "_ms\": 1.5";
  EXPECT_EQ(lines_of(record + "}", {"x59999_", "output_throughput"}),
            "output_throughput = 200 [tok/s] higher-is-better\n"
            "x59999_ms = 1.5 [ms] lower-is-better\n"
            "headline output_throughput\n");
}

TEST(VllmConsole, a_share_of_the_requests_goes_with_the_count_of_those_that_failed) {
  const std::string table =
      "============ Serving Benchmark Result ============\n"
      "Successful requests:                     7/8       \n"
      "Failed requests:                         1         \n"
      "Output token throughput (tok/s):         200.5     \n"
      "==================================================\n";
  const std::string_view wanted =
      "completed = 7 context\n"
      "failed = 1 gate lower-is-better\n"
      "unaccounted_requests = 0 gate lower-is-better\n"
      "context workload.num_prompts = 8\n";
  EXPECT_EQ(lines_of(table, {"completed", "failed", "requests", "num_prompts"}), wanted);
  EXPECT_EQ(lines_of(replaced(table, "Failed requests:                         1         \n", ""),
                     {"completed", "failed", "requests", "num_prompts"}),
            wanted);
}

TEST(VllmConsole, every_number_of_the_table_is_read_by_the_name_that_the_json_has) {
  const std::string text =
      "============ Serving Benchmark Result ============\n"
      "Successful requests:                     8         \n"
      "Failed requests:                         0         \n"
      "Maximum request concurrency:             4         \n"
      "Total input tokens:                      800       \n"
      "INFO 05-01 12:00:00 engine.py:123\n"
      "----------Queue-inclusive End-to-end Latency------\n"
      "Mean E2EL incl. Client Queue (ms):       410.50    \n"
      "---------------Speculative Decoding---------------\n"
      "Acceptance rate (%):                     61.50     \n"
      "Drafts:                                  120       \n"
      "Per-position acceptance (%):\n"
      "  Position 0:                            75.50     \n"
      "--------------Probe Requests----------------------\n"
      "Probe requests failed:                   1         \n"
      "P99 probe E2EL (ms):                     30.50     \n"
      "==================================================\n";
  EXPECT_EQ(listing_of(text),
            "vllm-console\n"
            "completed = 8 gate higher-is-better\n"
            "failed = 0 gate lower-is-better\n"
            "total_input_tokens = 800 context\n"
            "mean_e2el_including_client_queue_ms = 410.5 [ms] lower-is-better\n"
            "spec_decode_acceptance_rate = 61.5 [%] higher-is-better\n"
            "spec_decode_num_drafts = 120 context\n"
            "spec_decode_per_position_acceptance_rates.0 = 0.755 higher-is-better\n"
            "probe_failed = 1 gate lower-is-better\n"
            "probe_p99_e2el_ms = 30.5 [ms] lower-is-better\n"
            "input_tokens_per_request = 100 [tok] unknown\n"
            "context workload.concurrency = 4\n"
            "context workload.isl = 100\n");
}

TEST(VllmConsole, a_fork_s_own_lines_go_by_their_words_and_requests_that_are_missing_are_a_gate) {
  const std::string text =
      "================= Serving Benchmark Result =================\n"
      "Backend:                                 sglang-image\n"
      "Model:                                   acme/image-edit\n"
      "Max request concurrency:                 not set\n"
      "Successful requests:                     7/8\n"
      "Latency Mean (s):                        35.5\n"
      "Peak Memory Max (MB):                    47959.5\n"
      "============================================================\n";
  EXPECT_EQ(listing_of(text),
            "vllm-console\n"
            "completed = 7 context\n"
            "latency_mean_s = 35.5 [s] lower-is-better\n"
            "peak_memory_max_mb = 47959.5 [MB] lower-is-better\n"
            "failed = 1 gate lower-is-better\n"
            "unaccounted_requests = 0 gate lower-is-better\n"
            "context identity.model = acme/image-edit\n"
            "context serving.backend = sglang-image\n"
            "context workload.concurrency = none\n"
            "context workload.num_prompts = 8\n");
}

TEST(VllmServe, what_one_file_holds_of_several_models_and_lengths_are_no_trials_of_each_other) {
  const auto run = [](const char* model, int input, double throughput) {
    return R"({"backend": "vllm", "model_id": ")" + std::string(model) +
           R"(", "num_prompts": 8, "request_rate": "inf", "max_concurrency": 4, "completed": 8, "failed": 0,
 "total_input_tokens": )" +
           std::to_string(input) + R"(, "total_output_tokens": 400, "request_throughput": 4.0, "output_throughput": )" +
           core::number_text(throughput) + "}\n";
  };
  EXPECT_EQ(
      lines_of(run("acme/a", 800, 200) + run("acme/b", 800, 100) + run("acme/a", 804, 202), {"output_throughput"}),
      "[model_id=acme/a,max_concurrency=4,request_rate=inf,num_prompts=8].output_throughput = 200 202 [tok/s] higher-is-better\n"
      "[model_id=acme/b,max_concurrency=4,request_rate=inf,num_prompts=8].output_throughput = 100 [tok/s] higher-is-better\n"
      "headline *.output_throughput\n");
  EXPECT_EQ(lines_of(run("acme/a", 8192, 200) + run("acme/a", 65536, 50), {"output_throughput"}),
            "[max_concurrency=4,request_rate=inf,num_prompts=8,isl=1000].output_throughput = 200 [tok/s] higher-is-better\n"
            "[max_concurrency=4,request_rate=inf,num_prompts=8,isl=8000].output_throughput = 50 [tok/s] higher-is-better\n"
            "headline *.output_throughput\n");
  EXPECT_EQ(lines_of(run("acme/a", 800, 200) + run("acme/a", 820, 202), {"output_throughput ="}),
            "output_throughput = 200 202 [tok/s] higher-is-better\n");
  // Prompts of a data set are never quite equally long: their runs stay together, and keep their name from day to day.
  for (const int length : {1039, 1040, 1041, 1049, 1050, 1051, 1060}) {
    EXPECT_EQ(lines_of(run("acme/a", length, 200) + run("acme/a", length + 11, 201) + run("acme/a", 8192, 50), {"].output_thr"}),
              "[max_concurrency=4,request_rate=inf,num_prompts=8,isl=125].output_throughput = 200 201 [tok/s] higher-is-better\n"
              "[max_concurrency=4,request_rate=inf,num_prompts=8,isl=1000].output_throughput = 50 [tok/s] higher-is-better\n")
        << length;
  }
}

// --- SGLang

std::string sglang(std::string_view rate, std::string_view more) {
  return R"({"backend": "sglang", "dataset_name": "sharegpt", "request_rate": )" + std::string(rate) +
         R"(, "max_concurrency": 4, "sharegpt_output_len": null, "random_input_len": 1024, "random_output_len": 1024,
 "random_range_ratio": 0.0, "duration": 5.5, "completed": 10, "total_input_tokens": 1285, "total_output_tokens": 645,
 "request_throughput": 1.8, "output_throughput": 116.5, "mean_e2e_latency_ms": 900.5)" +
         std::string(more) + "}\n";
}

TEST(Sglang, answers_are_a_setting_of_one_run_and_a_gate_of_several_points) {
  const auto line = [](int concurrency, const char* more) {
    return R"({"backend": "sglang", "max_concurrency": )" + std::to_string(concurrency) +
           R"(, "completed": 50, "request_throughput": 8.0, "output_throughput": 512.0, "total_throughput": 2560.0)" + more +
           "}\n";
  };
  EXPECT_TRUE(has(listing_of(line(8, "")), "context workload.completed_requests = 50\n"));
  EXPECT_TRUE(has(listing_of(line(8, "") + line(16, "")), "[max_concurrency=16].completed = 50 gate higher-is-better\n"));
  const std::string sized = listing_of(line(8, R"(, "num_prompts": 50)"));
  EXPECT_TRUE(has(sized, "completed = 50 context\n")) << sized;
  EXPECT_TRUE(has(sized, "context workload.num_prompts = 50\n")) << sized;
  EXPECT_FALSE(has(sized, "completed_requests")) << sized;
}

TEST(Sglang, before_it_had_a_total_throughput_a_line_is_told_by_the_rest) {
  EXPECT_EQ(lines_of(sglang("Infinity", ""), {"sglang-serving", "throughput", "workload"}),
            "sglang-serving\n"
            "request_throughput = 1.8 [req/s] higher-is-better\n"
            "output_throughput = 116.5 [tok/s] higher-is-better\n"
            "context workload.completed_requests = 10\n"
            "context workload.concurrency = 4\n"
            "context workload.dataset = sharegpt\n"  // random_input_len is of another data set
            "context workload.request_rate = inf\n"
            "headline output_throughput\n");
}

TEST(Sglang, lengths_are_settings_of_the_data_sets_that_take_them) {
  const auto settings = [](std::string_view dataset) {
    return lines_of(replaced(sglang("Infinity", ""), "\"sharegpt\"", "\"" + std::string(dataset) + "\""), {"sl = "});
  };
  EXPECT_EQ(settings("image"), "context workload.isl = 1024\ncontext workload.osl = 1024\n");
  EXPECT_EQ(settings("mmmu"), "context workload.osl = 1024\n");
  EXPECT_EQ(settings("custom"), "");
  // Two lengths of images are two measurements, and neither is an older run of the other.
  const std::string image = replaced(sglang("Infinity", ""), "\"sharegpt\"", "\"image\"");
  const std::string longer = replaced(image, "\"random_output_len\": 1024", "\"random_output_len\": 1152");
  EXPECT_EQ(lines_of(image + longer, {"request_throughput", "earlier"}),
            "[dataset_name=image,max_concurrency=4,request_rate=inf,random_input_len=1024,random_output_len=1024,"
            "random_range_ratio=0].request_throughput = 1.8 [req/s] higher-is-better\n"
            "[dataset_name=image,max_concurrency=4,request_rate=inf,random_input_len=1024,random_output_len=1152,"
            "random_range_ratio=0].request_throughput = 1.8 [req/s] higher-is-better\n");
}

TEST(Sglang, a_replayed_trace_offers_its_load_and_retokenized_rates_are_rates) {
  EXPECT_EQ(
      lines_of(sglang("\"trace\"", R"(, "total_throughput": 347.5, "output_throughput_retokenized": 116.0)"), {"throughput"}),
      "request_throughput = 1.8 [req/s] context\n"
      "output_throughput = 116.5 [tok/s] context\n"
      "total_throughput = 347.5 [tok/s] context\n"
      "output_throughput_retokenized = 116 [tok/s] context\n");
}

TEST(Sglang, of_what_the_server_says_of_itself_only_listed_flags_are_taken) {
  const std::string text = sglang("Infinity",
                                  R"(, "total_throughput": 347.5, "server_info": {"model_path": "acme/m-3B", "version": "0.5.5",
 "tp_size": 2, "quantization": null, "attention_backend": "fa3", "api_key": "do-not-print-me-1234", "host": "10.1.2.3",
 "internal_states": [{"last_gen_throughput": 3.5}]})");
  EXPECT_EQ(lines_of(text, {"identity", "parallelism", "serving.", "stack", "do-not", "10.1", "last_gen"}),
            "context identity.model = acme/m-3B\n"
            "context parallelism.disagg = false\n"
            "context parallelism.tp = 2\n"
            "context serving.attention_backend = fa3\n"
            "context serving.backend = sglang\n"
            "context stack.sglang = 0.5.5\n");
}

TEST(Sglang, prefill_and_decode_on_servers_of_their_own_are_another_way_to_serve) {
  const std::string text = sglang("Infinity",
                                  R"(, "total_throughput": 347.5, "server_info": {"prefill": [{"model_path": "acme/m-3B",
 "tp_size": 1}], "decode": [{"model_path": "acme/m-3B", "tp_size": 2}, {"tp_size": 2}]})");
  EXPECT_EQ(lines_of(text, {"identity", "parallelism"}),
            "context identity.model = acme/m-3B\n"
            "context parallelism.decode_servers = 2\n"
            "context parallelism.disagg = true\n"
            "context parallelism.prefill_servers = 1\n"
            "context parallelism.prefill_tp = 1\n"
            "context parallelism.tp = 2\n");
}

TEST(Sglang, runs_under_several_tags_are_several_measurements_and_no_history) {
  const std::string text = sglang("Infinity", R"(, "tag": "before")") + sglang("Infinity", R"(, "tag": "after")") +
                           sglang("Infinity", R"(, "tag": "after")");
  EXPECT_EQ(
      lines_of(text, {"request_throughput", "earlier"}),
      "[tag=before,dataset_name=sharegpt,max_concurrency=4,request_rate=inf].request_throughput = 1.8 [req/s] higher-is-better\n"
      "[tag=after,dataset_name=sharegpt,max_concurrency=4,request_rate=inf].request_throughput = 1.8 [req/s] higher-is-better\n"
      "! earlier_runs\n");
}

// --- AIPerf

std::string aiperf(std::string_view metrics, std::string_view config) {
  return R"({"schema_version": "1.3", "aiperf_version": "0.10.0", "request_throughput": {"unit": "requests/sec", "avg": 2.5},
 "request_latency": {"unit": "ms", "avg": 400.5, "p99": 900.5}, "request_count": {"unit": "requests", "avg": 96.0})" +
         std::string(metrics) + R"(, "input_config": {)" + std::string(config) + "}}";
}

TEST(Aiperf, a_run_without_failed_requests_has_the_gate_that_one_with_some_is_held_against) {
  EXPECT_EQ(lines_of(aiperf(R"(, "error_summary": [])", ""), {"error"}), "error_request_count.avg = 0 gate lower-is-better\n");
  EXPECT_EQ(lines_of(aiperf(R"(, "error_summary": [{"error_details": {"code": 499}, "count": 11}])", ""), {"error"}),
            "error_request_count.avg = 11 gate lower-is-better\n");
  EXPECT_EQ(lines_of(aiperf(R"(, "error_request_count": {"unit": "requests", "avg": 7}, "error_summary": [{"count": 7}])", ""),
                     {"error"}),
            "error_request_count.avg = 7 gate lower-is-better\n");
  EXPECT_EQ(lines_of(aiperf("", ""), {"error"}), "");  // GenAI-Perf says nothing of errors
}

TEST(Aiperf, its_csv_has_that_gate_too) {
  const std::string csv =
      "Metric,avg,min,max,p99,std\nRequest Latency (ms),400.50,1.00,901.00,900.50,10.00\n\nMetric,Value\n"
      "Benchmark Duration (sec),44.50\nRequest Count,96.00\n";
  EXPECT_EQ(lines_of(csv, {"error"}), "error_request_count.avg = 0 gate lower-is-better\n");
  EXPECT_EQ(lines_of(replaced(csv, "Benchmark Duration (sec)", "Error Request Count,3.00\nBenchmark Duration (sec)"), {"error"}),
            "error_request_count.avg = 3 gate lower-is-better\n");
}

TEST(Aiperf, phases_say_the_load_and_warm_up_is_none_of_it) {
  EXPECT_EQ(lines_of(aiperf("", R"("models": {"items": [{"name": "acme/m"}]}, "tokenizer": {"name": "acme/t"},
 "datasets": [{"name": "main", "type": "file", "path": "/home/someone/data/agent.jsonl", "format": "multi_turn"}],
 "phases": [{"name": "warmup", "type": "concurrency", "exclude_from_results": true, "requests": 16, "concurrency": 2},
  {"name": "profiling", "type": "concurrency", "requests": 96, "concurrency": 16}])"),
                     {"context ", "request_throughput"}),
            "request_throughput.avg = 2.5 [requests/sec] higher-is-better\n"
            "context identity.model = acme/m\n"
            "context identity.tokenizer = acme/t\n"
            "context workload.arrival = concurrency\n"
            "context workload.concurrency = 16\n"
            "context workload.dataset = agent.jsonl\n"
            "context workload.dataset_format = multi_turn\n"
            "context workload.num_prompts = 96\n");
}

TEST(Aiperf, a_phase_at_a_rate_or_by_a_schedule_offers_its_load) {
  for (const char* phase : {R"({"name": "steady", "kind": "profiling", "type": "poisson", "rate": 10.0})",
                            R"({"name": "profiling", "type": "fixed_schedule"})",
                            R"({"name": "profiling", "type": "gamma", "rate_series": {"points": []}})"}) {
    EXPECT_EQ(lines_of(aiperf("", R"("phases": [)" + std::string(phase) + "]"), {"request_throughput"}),
              "request_throughput.avg = 2.5 [requests/sec] context\n")
        << phase;
  }
  EXPECT_EQ(lines_of(aiperf("", R"("input": {"fixed_schedule": true})"), {"request_throughput"}),
            "request_throughput.avg = 2.5 [requests/sec] context\n");
}

TEST(Aiperf, the_first_releases_called_the_time_to_first_token_ttft) {
  EXPECT_EQ(listing_of(R"({"records": {
 "ttft": {"tag": "ttft", "unit": "ms", "header": "Time to First Token", "avg": 43.5, "min": null, "p99": 83.5, "count": 9},
 "ttst": {"tag": "ttst", "unit": "ms", "header": "Time to Second Token", "avg": 20.5, "count": 9},
 "request_count": {"tag": "request_count", "unit": "requests", "header": "Request Count", "avg": 9.0, "count": 1},
 "request_latency": {"tag": "request_latency", "unit": "ms", "header": "Request Latency", "avg": 900.5, "count": 9}}})"),
            "genai-perf\n"
            "time_to_first_token.avg = 43.5 [ms] lower-is-better\n"
            "time_to_first_token.p99 = 83.5 [ms] lower-is-better\n"
            "time_to_first_token.count = 9 context\n"
            "time_to_second_token.avg = 20.5 [ms] lower-is-better\n"
            "time_to_second_token.count = 9 context\n"
            "request_count.avg = 9 [requests] context\n"
            "request_count.count = 1 context\n"
            "request_latency.avg = 900.5 [ms] lower-is-better\n"
            "request_latency.count = 9 context\n"
            "headline output_token_throughput.avg\n"
            "headline time_to_first_token.p50\n"
            "headline inter_token_latency.p50\n");
}

TEST(Aiperf, several_runs_are_summed_up_in_means_and_a_run_that_failed_is_a_gate) {
  EXPECT_EQ(listing_of(R"({"schema_version": "1.0", "aiperf_version": "0.10.0",
 "metadata": {"aggregation_type": "confidence", "num_profile_runs": 5, "num_successful_runs": 4,
  "failed_runs": [{"label": "run_3"}]},
 "metrics": {"request_throughput_avg": {"mean": 2.5, "std": 0.1, "min": 2.4, "max": 2.6, "cv": 0.04, "se": 0.05, "ci_low": 2.3,
  "ci_high": 2.7, "t_critical": 3.18, "unit": "requests/sec"},
  "time_to_first_token_p99": {"mean": 90.5, "std": 4.5, "unit": "ms"},
  "time_to_first_token_p1": {"mean": 9.5, "unit": "ms"}}})"),
            "genai-perf\n"
            "runs.asked = 5 context\n"
            "runs.failed = 1 gate lower-is-better\n"
            "request_throughput.avg = 2.5 [requests/sec] higher-is-better\n"
            "request_throughput.avg.std = 0.1 [requests/sec] noise\n"
            "request_throughput.avg.min = 2.4 [requests/sec] context\n"
            "request_throughput.avg.max = 2.6 [requests/sec] context\n"
            "request_throughput.avg.cv = 0.04 noise\n"
            "request_throughput.avg.se = 0.05 [requests/sec] noise\n"
            "request_throughput.avg.ci_low = 2.3 [requests/sec] context\n"
            "request_throughput.avg.ci_high = 2.7 [requests/sec] context\n"
            "request_throughput.avg.t_critical = 3.18 context\n"
            "time_to_first_token.p99 = 90.5 [ms] lower-is-better\n"
            "time_to_first_token.p99.std = 4.5 [ms] noise\n"
            "time_to_first_token.p1 = 9.5 [ms] context\n"
            "headline output_token_throughput.avg\n"
            "headline time_to_first_token.p50\n"
            "headline inter_token_latency.p50\n");
}

}  // namespace
}  // namespace plumbline::formats
