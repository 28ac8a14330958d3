// What names say: unit, direction, role. One line a name; the groups follow metric-names.yaml.
#include <gtest/gtest.h>

#include <string>

#include "configs/configs.hpp"

namespace plumbline::configs {
namespace {

// "lower" "higher" "two-sided" "unknown", with the role in front when it is not judged: "gate lower", "context", "noise".
std::string said(const MetricGuess& guess) {
  std::string direction;
  switch (guess.direction) {
    case core::Direction::higher:
      direction = "higher";
      break;
    case core::Direction::lower:
      direction = "lower";
      break;
    case core::Direction::two_sided:
      direction = "two-sided";
      break;
    case core::Direction::unknown:
      direction = "unknown";
      break;
  }
  if (guess.role == core::Role::context) return "context";
  if (guess.role == core::Role::noise) return "noise";
  if (guess.role == core::Role::gate) return "gate " + direction;
  return direction;
}

struct Case {
  const char* path;
  const char* expected;
  const char* unit = "";
};

constexpr Case kCases[] = {
    // lower-better nouns
    {"latency", "lower"},
    {"lat", "lower"},
    {"mean_ttft_ms", "lower", "ms"},
    {"ttfot", "lower"},
    {"tpot", "lower"},
    {"itl", "lower"},
    {"tbt", "lower"},
    {"e2e", "lower"},
    {"median_e2el_ms", "lower", "ms"},
    {"rtt", "lower"},
    {"jitter_ms", "lower", "ms"},
    {"walltime", "lower"},
    {"time_to_train", "lower"},
    {"queue_wait", "lower"},
    {"stall_cycles", "lower"},
    {"launch_overhead_us", "lower", "us"},
    {"lost_packets", "lower"},
    {"dropped", "lower"},
    {"drop_count", "lower"},
    {"retransmits", "lower"},
    {"retrans", "lower"},
    {"cache_misses", "lower"},
    {"timeouts", "lower"},
    {"evictions", "lower"},
    {"preemptions", "lower"},
    {"throttled", "lower"},
    {"xid", "lower"},
    {"ecc", "lower"},
    {"allocs", "lower"},
    {"bytes/op", "lower"},
    {"B/op", "lower"},
    {"peak_memory", "lower"},
    {"rss", "lower"},
    {"vram", "lower"},
    {"joules_per_token", "lower"},
    {"joules_per_output_token", "lower"},
    {"energy_per_request", "lower"},
    {"watts_per_token", "lower"},
    {"cost", "lower"},
    {"price_usd", "lower", "USD"},
    {"perplexity", "lower"},
    {"ppl", "lower"},
    {"wer", "lower"},
    {"cer", "lower"},
    {"regret", "lower"},
    {"instructions", "lower"},
    {"binary_size", "lower"},
    {"compile_time_s", "lower", "s"},
    {"load_time", "lower"},
    {"cold_start_ms", "lower", "ms"},
    {"power_per_request", "lower"},
    {"real_time", "lower"},
    // higher-better nouns
    {"throughput", "higher"},
    {"tput", "higher"},
    {"goodput", "higher"},
    {"bw", "higher"},
    {"bandwidth", "higher"},
    {"busbw", "higher"},
    {"algbw", "higher"},
    {"bus_bw", "higher"},
    {"iops", "higher"},
    {"tps", "higher"},
    {"qps", "higher"},
    {"fps", "higher"},
    {"tflops", "higher", "TFLOP/s"},
    {"gflops", "higher", "GFLOP/s"},
    {"mfu", "higher"},
    {"hfu", "higher"},
    {"mbu", "higher"},
    {"efficiency", "higher"},
    {"speedup", "higher"},
    {"scaling_efficiency", "higher"},
    {"accuracy", "higher"},
    {"f1", "higher"},
    {"bleu", "higher"},
    {"rouge", "higher"},
    {"pass@k", "higher"},
    {"em", "higher"},
    {"hit_rate", "higher"},
    {"cache_hit_rate", "higher"},
    {"prefix_cache_hits", "higher"},
    {"acceptance_rate", "higher"},
    {"accept_length", "higher"},
    {"ok_rate", "gate higher"},
    {"success_rate", "gate higher"},
    {"compliance_rate", "higher"},
    {"availability", "gate higher"},
    {"median_intvty", "higher"},
    {"interactivity", "higher"},
    {"sol_pct", "higher", "%"},
    {"pct_of_peak", "higher"},
    {"rtfx", "higher"},
    {"occupancy", "higher"},
    {"tokens_per_joule", "higher"},
    {"tokens_per_dollar", "higher"},
    {"tput_per_gpu", "higher"},
    {"output_tput_per_gpu", "higher"},
    {"req_per_s_passing", "higher"},
    // (a) X per Y: which side is work
    {"tok/J", "higher"},
    {"J/tok", "lower"},
    {"$/Mtok", "lower"},
    {"req/s", "higher", "req/s"},
    {"s/it", "lower"},
    {"ms/step", "lower"},
    {"ns/op", "lower"},
    {"GB/s", "higher", "GB/s"},
    {"us_per_call", "lower"},
    {"bytes_per_second", "higher", "B/s"},
    {"items_per_second", "higher"},
    {"steps/sec", "higher", "steps/s"},
    {"allocs_per_op", "lower"},
    {"flops_per_watt", "higher"},
    {"tok/s/user", "higher"},
    {"tokens_per_step", "unknown"},
    {"throughput_toks_per_s", "higher", "tok/s"},
    // (b) failures beat `rate`; (c) success beats it too
    {"error_rate", "gate lower"},
    {"error_rate_threshold", "context"},
    {"max_error_rate", "context"},
    {"latency_over_threshold", "lower"},
    {"miss_rate", "lower"},
    {"drop_rate", "lower"},
    {"loss_rate", "lower"},
    {"http_req_failed.rate", "lower"},
    {"loss.rate", "lower"},
    {"http_req_failed", "lower"},
    {"packet_loss", "lower"},
    {"lost_percent", "lower", "%"},
    {"checks", "higher"},
    {"errors_per_second", "lower"},
    // (d) throughput beats time; (e) slow, over, violations; (f)
    {"time normalized throughput", "higher"},
    {"slow_requests", "lower"},
    {"requests_over_slo", "lower"},
    {"tokens_per_second", "higher", "tok/s"},
    {"time_per_output_token", "lower"},
    {"output_token_throughput", "higher"},
    {"cache_hit_latency", "lower"},
    {"memory_bandwidth", "higher"},
    // context, never judged
    {"timestamp", "context"},
    {"start_unix", "context"},
    {"http_requests_created", "context"},
    {"date", "context"},
    {"seed", "context"},
    {"port", "context"},
    {"pid", "context"},
    {"id", "context"},
    {"index", "context"},
    {"version", "context"},
    {"size", "context"},
    {"type", "context"},
    {"num_layers", "context"},
    {"n_gpu_layers", "context"},
    {"max_concurrency", "context"},
    {"request_rate", "context"},
    {"isl", "context"},
    {"osl", "context"},
    {"batch", "context"},
    {"threads", "context"},
    {"ranks", "context"},
    {"world_size", "context"},
    {"temperature", "context"},
    {"fan", "context"},
    {"total_input_tokens", "context"},
    {"driver", "context"},
    {"sm_clock_mhz", "context", "MHz"},
    {"completed", "context"},
    {"error_isl", "context"},
    {"reasoning_token_count", "context"},
    // gates
    {"#wrong", "gate lower"},
    {"nwrong", "gate lower"},
    {"out_of_bounds", "gate lower"},
    {"residual", "gate lower"},
    {"wrong", "gate lower"},
    {"checksum", "gate two-sided"},
    {"hash", "gate two-sided"},
    {"correctness", "gate two-sided"},
    {"tokens_generated", "gate two-sided"},
    {"instruction_count", "gate lower"},
    {"error", "gate lower"},
    {"errors", "gate lower"},
    {"error_count", "gate lower"},
    {"num_failed", "gate lower"},
    {"errors.count", "gate lower"},
    {"total_errors", "gate lower"},
    {"violations", "gate lower"},
    // ambiguous
    {"time", "lower"},
    {"elapsed", "lower"},
    {"duration", "unknown"},
    {"gpu_util", "context"},
    {"bw_util", "context"},
    {"sm_active", "context"},
    {"kv_cache_usage", "context"},
    {"memory", "context"},
    {"mem_used", "context"},
    {"peak_gpu_memory", "lower"},
    {"gpu_memory", "context"},
    {"count", "context"},
    {"requests", "context"},
    {"total_tokens", "context"},
    {"rate", "unknown"},
    {"power", "context"},
    {"avg_power_w", "context", "W"},
    {"score", "unknown"},
    {"value", "unknown"},
    {"result", "unknown"},
    {"metric", "unknown"},
    {"fom", "unknown"},
    {"concurrency", "context"},
    {"loss", "lower"},
    {"ops", "unknown"},
    {"speed", "unknown"},
    {"clock", "context"},
    {"ratio", "context"},
    {"delta", "context"},
    {"energy_joules_total", "context", "J"},
    {"foo", "unknown"},
    // statistics
    {"std_ttft_ms", "noise", "ms"},
    {"latency_stddev", "noise"},
    {"cv", "noise"},
    {"iqr", "noise"},
    {"latency_count", "context"},
    {"latency_sum", "context"},
    {"min_latency", "context"},
    {"max_latency", "lower"},
    {"max_throughput", "context"},
    {"min_throughput", "higher"},
    {"n", "context"},
    {"iterations", "context"},
    {"ttft_p50_ms", "lower", "ms"},
    {"p99_latency", "lower"},
    {"latency p(95)", "lower"},
    {"latency.p99.9", "lower"},
    {"99.9 percentile latency", "lower"},
    // the part before decides
    {"ttft_ms.p99", "lower", "ms"},
    {"latency.mean", "lower"},
    {"throughput.median", "higher"},
    {"ttft.successful.percentiles.p99", "lower"},
    {"latency.std", "noise"},
    {"throughput_sd_mpps", "noise", "Mpps"},
    {"score_sd", "noise"},
    {"latency_sd_ms", "noise", "ms"},
    {"sd", "unknown"},
    {"sd_turbo_latency_ms", "lower", "ms"},
    {"sd_ms", "lower", "ms"},
    {"write_throughput_sd_card", "higher"},
    {"rx_mpps", "higher", "Mpps"},
    {"dropped_pps", "lower", "pps"},
    {"latency.value", "lower"},
    {"results[size=1024,op=all_reduce].busbw", "higher"},
    {"metrics.16.throughput_toks_per_s", "higher", "tok/s"},
    {"sub/a.json:latency_ms", "lower", "ms"},
    // a rate of samples is no count of them
    {"samples_per_second", "higher", "samples/s"},
    {"train_samples_per_second", "higher", "samples/s"},
    {"train_throughput_mean_samples_per_second", "higher", "samples/s"},
    {"train_throughput_stdev_samples_per_second", "noise", "samples/s"},
    {"iterations_per_second", "higher", "it/s"},
    {"samples_per_joule", "higher"},
    {"samples_per_epoch", "context"},
    {"num_samples", "context"},
    {"samples_ms", "lower", "ms"},
    // what a rate counts is its unit
    {"Failures/s", "lower", "failures/s"},
    {"infer/sec", "higher", "infer/s"},
    {"pkts/s", "higher", "pkts/s"},
    {"throughput_per_second", "higher"},
    {"ms_per_step", "lower", "ms"},
    // an outcome below a time tells whose time it is
    {"response_time.ok", "lower"},
    {"meanResponseTime.ok", "lower"},
    {"minResponseTime.ok", "context"},
    {"latency_ms.success", "lower", "ms"},
    {"standardDeviation.ok", "noise"},
    {"percentiles3.ok", "unknown"},
    {"throughput.ok", "higher"},
    {"requests.ok", "higher"},
    {"checks.ok", "higher"},
    {"ok.latency", "lower"},
    // percentiles that are called by their percent
    {"99%", "unknown"},
    {"99.9%", "unknown"},
    {"latency.99%", "lower"},
    {"response_time_ms.p50%", "lower", "ms"},
    {"hit_rate_99%", "higher", "%"},
    // a letter in front is no unit
    {"s_qo", "unknown"},
    {"s_p99", "lower", "s"},
    {"s_per_call", "lower", "s"},
    {"wait_s", "lower", "s"},
    {"timeStamp", "context"},
    {"system-info.time-hh-mm-ss", "context"},
    {"ports", "context"},
    // units, capitals first
    {"readGBps", "higher", "GB/s"},
    {"read_GBps", "higher", "GB/s"},
    {"read_Gbps", "higher", "Gbit/s"},
    {"read_gbps", "higher", "gbps"},
    {"busbw_gb_s", "higher", "GB/s"},
    {"busbw_Gb_s", "higher", "Gbit/s"},
    {"busbw (GB/s)", "higher", "GB/s"},
    {"rate Gb/s", "higher", "Gbit/s"},
    {"copy MB/s", "higher", "MB/s"},
    {"step_ms", "lower", "ms"},
    {"prefill_us", "lower", "us"},
    {"stepTimeMs", "lower", "ms"},
    {"steptime_train_float16", "lower"},  // of SuperBench
    {"step_times", "lower"},
    {"ThroughputGBps", "higher", "GB/s"},
    {"kib_per_s", "higher", "KiB/s"},
    // what somebody set, and how many things there are
    {"spec.timeoutSeconds", "context"},
    {"connect_timeout_ms", "context"},
    {"timeout", "unknown"},
    {"errors.timeout", "gate lower"},
    {"timeouts", "lower"},
    {"time_limit", "context"},
    {"testDurationSeconds", "context"},
    {"accuracy.threshold", "context"},
    {"TimeSlice", "context"},
    {"interval", "context"},
    {"window_seconds", "context"},
    {"ignore_errors", "context"},
    {"result_scheduled_samples_per_sec", "context"},
    {"result_completed_samples_per_sec", "higher", "samples/s"},
    {"frame_interval", "unknown"},
    {"CPU(s)", "unknown", ""},
    {"Thread(s) per core", "context", ""},
    {"Time(s)", "lower", "s"},
    {"Wait(s)", "lower", "s"},
    {"functions.acos.slow.iterations", "context"},
    {"functions.acos.slow.mean", "lower"},
    {"benchMapReverse", "unknown"},
    {"map@50", "higher"},
    {"bbox_map", "higher"},
    {"Compression speed", "higher"},
    {"fan speed", "context"},
    // among settings no number was measured
    {"options.dialTimeout", "context"},
    {"configuration.key_maximum", "context"},
    {"sysinfo.CPU.latency", "context"},
    {"config_latency", "lower"},
    {"config.io.latency", "context"},
};

TEST(MetricNames, the_table_has_a_hundred_and_twenty_names) { EXPECT_GE(std::size(kCases), 120U); }

TEST(MetricNames, a_name_gives_direction_role_and_unit) {
  const auto names = MetricNames::builtin();
  ASSERT_NE(names, nullptr);
  for (const Case& one : kCases) {
    const MetricGuess guess = names->guess(one.path);
    EXPECT_EQ(said(guess), one.expected) << one.path << ": " << guess.note;
    if (std::string_view(one.unit) != "") {
      EXPECT_EQ(guess.unit, one.unit) << one.path;
    }
    if (std::string_view(one.expected) != "unknown") {
      EXPECT_FALSE(guess.note.empty()) << one.path;
    }
  }
}

TEST(MetricNames, a_unit_in_the_file_wins_and_speaks_where_no_noun_does) {
  const auto names = MetricNames::builtin();
  const MetricGuess step = names->guess("prefill", "ms");
  EXPECT_EQ(step.direction, core::Direction::lower);
  EXPECT_EQ(step.direction_source, core::Source::unit);
  EXPECT_EQ(step.note, "time unit 'ms' with no other noun");
  const MetricGuess copy = names->guess("copy", "GB/s");
  EXPECT_EQ(copy.direction, core::Direction::higher);
  EXPECT_EQ(copy.direction_source, core::Source::unit);
  EXPECT_EQ(copy.unit, "GB/s");
  EXPECT_EQ(names->guess("value", "ns/op").direction, core::Direction::lower);
  EXPECT_EQ(names->guess("value", "tok/s").direction, core::Direction::higher);
  EXPECT_EQ(names->guess("value", "widgets").direction, core::Direction::unknown);
  EXPECT_EQ(names->guess("latency_ms", "us").unit, "us");
  EXPECT_EQ(names->guess("latency").direction_source, core::Source::name_rule);
  EXPECT_EQ(names->guess("latency").note, "lower-better noun 'latency'");
}

TEST(MetricNames, dimensions_volatile_texts_and_context_keys_are_lists) {
  const auto names = MetricNames::builtin();
  for (const char* name : {"size", "batch_size", "batchSize", "concurrency", "n_prompt", "world_size"})
    EXPECT_TRUE(names->is_dimension(name)) << name;
  for (const char* name : {"size_mb", "message_size_KiB", "size-bytes", "msg size b"})
    EXPECT_TRUE(names->is_dimension(name)) << name << ": in a unit of sizes";
  for (const char* name : {"latency", "busbw", "time", "model_size_mb", "peak_mb", "_mb", "size_ms"})
    EXPECT_FALSE(names->is_dimension(name)) << name;
  for (const char* name : {"timestamp", "git_commit", "hostname"}) EXPECT_TRUE(names->is_volatile(name)) << name;
  EXPECT_FALSE(names->is_volatile("op"));
  EXPECT_EQ(names->context_key("model"), "identity.model");
  EXPECT_EQ(names->context_key("CUDA"), "stack.cuda");
  EXPECT_EQ(names->context_key("driver_version"), "hardware.driver");
  EXPECT_EQ(names->context_key("API_KEY"), "");
  EXPECT_EQ(names->context_key("HF_TOKEN"), "");
}

TEST(MetricNames, a_broken_file_is_told_by_place) {
  const auto broken = MetricNames::parse("version: 1\ngroups: [", "configs/metric-names.yaml");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().where.starts_with("configs/metric-names.yaml:2")) << broken.error().where;
  const auto wrong =
      MetricNames::parse("version: 1\ngroups:\n  - {name: x, strength: 5, direction: sideways, words: [y]}\n", "m.yaml");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "metric names: group 'x': a direction is lower, higher, two-sided or unknown");
  EXPECT_FALSE(MetricNames::parse("[]", "m.yaml"));
}

TEST(MetricNames, any_name_is_answered) {
  const auto names = MetricNames::builtin();
  for (const std::string& name : {std::string(), std::string("."), std::string("[[["), std::string("]]]"), std::string("///"),
                                  std::string(5000, 'A'), std::string(5000, '/'), std::string(3000, '.'), std::string("p("),
                                  std::string("p(9"), std::string("\xff\xfe"), std::string("1.5")}) {
    EXPECT_EQ(names->guess(name).unit, "") << name.substr(0, 10);
  }
}

}  // namespace
}  // namespace plumbline::configs
