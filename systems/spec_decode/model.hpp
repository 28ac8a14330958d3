// The baselines that the vLLM RFC on speculative decoding (vllm-project/vllm#28135) describes, and the acceptance-length tests
// that vLLM has taken in since, in their own terms. Source of the rules: facts, baseline-systems section 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::systems::spec_decode {

// `band`: expected - tol <= actual <= expected + tol, both ends inside. `at_least`: actual >= expected - tol, the rule of the
// acceptance at each position. tol = expected * tolerance_pct / 100 either way.
enum class Rule : std::uint8_t { band, at_least };

struct Expected {
  std::string metric;  // as the file calls it
  double expected = 0;
  double tolerance_pct = 0;
  Rule rule = Rule::band;
};

// A baseline file, in either of its two forms (`baselines` or `metrics`).
struct Baseline {
  std::string variant, model, draft_model, hardware, dataset, baseline_commit, last_updated, notes;
  std::vector<Expected> metrics;  // in the file's order
  // How this file words it, so that it is written again as it was.
  std::string form = "baselines", hardware_name = "gpu_type";
};

// A measurement: a map of metrics, or a serving benchmark's result under the RFC's names (rates are fractions).
struct Run {
  std::vector<std::pair<std::string, double>> metrics;
  std::optional<double> duration_s, num_prompts;
};

struct File {
  std::optional<Baseline> baseline;
  std::optional<Run> run;
};

struct Row {
  std::string metric;
  Rule rule = Rule::band;
  double expected = 0, tolerance_pct = 0, low = 0, high = 0;  // `high` means nothing under at_least
  std::optional<double> actual;                               // null: the run does not say
  bool passed = false;
  bool better = false;  // outside, on the side that is better for users
};

struct Report {
  Baseline baseline;  // without its metrics
  std::string baseline_path, run_path;
  std::optional<double> duration_s, num_prompts;
  std::vector<Row> rows;
  bool passed = false;
};

// What vLLM's own result calls a metric of the RFC, and how many of its units make one of the RFC's: "acceptance_rate" is
// spec_decode_acceptance_rate in percent (100), "ttft_p50_ms" is median_ttft_ms (1). Metrics without a counterpart keep
// their name.
struct VllmName {
  std::string name;
  double factor = 1;
};
[[nodiscard]] VllmName vllm_name(std::string_view metric);
// The way back; empty for a name of vLLM's results that the RFC has no metric for.
[[nodiscard]] std::string metric_of(std::string_view vllm_name);

// Lower is better for latencies, higher for everything else that the RFC names.
[[nodiscard]] bool lower_is_better(std::string_view metric);

// Figures as the RFC prints them: three decimals for rates, one for milliseconds, two for the rest.
[[nodiscard]] std::string figure(std::string_view metric, double value);
// "0.75", "44.0", "2.10": an expected value, with more decimals where two (for milliseconds one) would not say it.
[[nodiscard]] std::string expected_figure(std::string_view metric, double value);
// "[0.657, 0.803]", ">= 0.657"
[[nodiscard]] std::string band_text(const Row& row);
// "Eagle3 - Llama-3.1-8B-Instruct": the variant as the RFC writes it and the model without its owner.
[[nodiscard]] std::string title_of(const Baseline& baseline);
[[nodiscard]] std::string variant_title(std::string_view variant);
[[nodiscard]] std::string_view model_name(std::string_view model);

}  // namespace plumbline::systems::spec_decode
