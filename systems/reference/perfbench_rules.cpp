#include "systems/reference/perfbench_rules.hpp"

namespace plumbline::systems::reference {

core::DeclaredRules perfbench_rules() {
  core::DeclaredRules rules;
  rules.tolerances = {
      {"metrics.*.throughput_toks_per_s", "3%"},
      {"metrics.*.ttft_p50_ms", "5%"},
      {"metrics.*.ttft_p95_ms", "10%"},
      {"metrics.*.ttft_p99_ms", "15%"},
      {"metrics.*.itl_p50_ms", "3%"},
      {"metrics.*.tps_per_user", "3%"},
      {"metrics.*.request_latency_p50_ms", "5%"},
      {"server_metrics_delta.prefix_cache_hit_rate_post", "2pp"},
      {"server_metrics_delta.gpu_cache_usage_perc_peak", "5pp"},
      {"kernel_class_gpu_pct.*", "3pp"},
      {"cpu_spinpoll_pct", "5pp"},
  };
  rules.headlines = {"metrics.16.throughput_toks_per_s"};
  rules.gates = {"metrics.*.errors"};
  return rules;
}

}  // namespace plumbline::systems::reference
