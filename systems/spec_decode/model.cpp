#include "systems/spec_decode/model.hpp"

#include <array>
#include <cstdio>

#include "core/text.hpp"

namespace plumbline::systems::spec_decode {

namespace {

struct Pair {
  std::string_view rfc, vllm;
  double factor;
};
// Rates of vLLM's results are percent, those of the RFC fractions; its list of rates by position is fractions too.
constexpr Pair kNames[] = {
    {"acceptance_rate", "spec_decode_acceptance_rate", 100}, {"acceptance_length", "spec_decode_acceptance_length", 1},
    {"request_throughput", "request_throughput", 1},         {"output_throughput", "output_throughput", 1},
    {"total_token_throughput", "total_token_throughput", 1},
};
constexpr std::string_view kPosition = "acceptance_rate_at_position.";
constexpr std::string_view kVllmPosition = "spec_decode_per_position_acceptance_rates.";

struct Latency {
  std::string_view rfc, vllm;
};
constexpr Latency kLatencies[] = {{"ttft", "ttft"}, {"tpot", "tpot"}, {"itl", "itl"}, {"e2el", "e2el"}, {"e2e_latency", "e2el"}};

bool is_percentile(std::string_view text) {
  return text.size() > 1 && text.front() == 'p' && core::parse_double(text.substr(1)).has_value();
}

std::string fixed(double value, int decimals) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

bool is_milliseconds(std::string_view metric) { return metric.ends_with("_ms"); }
bool is_share(std::string_view metric) { return metric.ends_with("_rate") || metric.starts_with(kPosition); }

}  // namespace

VllmName vllm_name(std::string_view metric) {
  for (const Pair& pair : kNames) {
    if (pair.rfc == metric) return {std::string(pair.vllm), pair.factor};
  }
  if (metric.starts_with(kPosition)) return {std::string(kVllmPosition) + std::string(metric.substr(kPosition.size())), 1};
  // ttft_p50_ms -> median_ttft_ms, ttft_p99_ms -> p99_ttft_ms, ttft_mean_ms -> mean_ttft_ms; the unit may be left out.
  for (const Latency& latency : kLatencies) {
    if (!metric.starts_with(latency.rfc) || metric.size() <= latency.rfc.size() || metric[latency.rfc.size()] != '_') continue;
    std::string_view statistic = metric.substr(latency.rfc.size() + 1);
    if (statistic.ends_with("_ms")) statistic.remove_suffix(3);
    std::string_view word;
    if (statistic == "p50" || statistic == "median")
      word = "median";
    else if (statistic == "mean" || statistic == "avg")
      word = "mean";
    else if (is_percentile(statistic))
      word = statistic;
    if (!word.empty()) return {std::string(word) + "_" + std::string(latency.vllm) + "_ms", 1};
  }
  return {std::string(metric), 1};
}

std::string metric_of(std::string_view name) {
  for (const Pair& pair : kNames) {
    if (pair.vllm == name) return std::string(pair.rfc);
  }
  if (name.starts_with(kVllmPosition)) return std::string(kPosition) + std::string(name.substr(kVllmPosition.size()));
  if (!is_milliseconds(name)) return {};
  const std::size_t cut = name.find('_');
  const std::string_view statistic = name.substr(0, cut);
  const std::string_view what = name.substr(cut + 1, name.size() - cut - 4);
  for (const Latency& latency : kLatencies) {
    if (latency.vllm != what) continue;
    const std::string_view metric = latency.vllm == "e2el" ? "e2e_latency" : latency.rfc;
    if (statistic == "median") return std::string(metric) + "_p50_ms";
    if (statistic == "mean" || is_percentile(statistic)) return std::string(metric) + "_" + std::string(statistic) + "_ms";
  }
  return {};
}

bool lower_is_better(std::string_view metric) {
  for (const Latency& latency : kLatencies) {
    if (metric.starts_with(latency.rfc)) return true;
  }
  return is_milliseconds(metric) || metric.find("latency") != std::string_view::npos;
}

std::string figure(std::string_view metric, double value) {
  return fixed(value, is_share(metric) ? 3 : is_milliseconds(metric) ? 1 : 2);
}

std::string expected_figure(std::string_view metric, double value) {
  const int decimals = is_milliseconds(metric) ? 1 : 2;
  const std::string text = fixed(value, decimals);
  return core::parse_double(text) == value ? text : core::number_text(value);
}

std::string band_text(const Row& row) {
  if (row.rule == Rule::at_least) return ">= " + figure(row.metric, row.low);
  return "[" + figure(row.metric, row.low) + ", " + figure(row.metric, row.high) + "]";
}

std::string variant_title(std::string_view variant) {
  const std::string lower = core::to_lower(variant);
  if (lower == "eagle") return "EAGLE";
  if (lower == "ngram") return "N-gram";
  if (lower == "mtp") return "MTP";
  std::string out(variant);
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z') out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

std::string_view model_name(std::string_view model) {
  const std::size_t slash = model.rfind('/');
  return slash == std::string_view::npos ? model : model.substr(slash + 1);
}

std::string title_of(const Baseline& baseline) {
  return variant_title(baseline.variant) + " - " + std::string(model_name(baseline.model));
}

}  // namespace plumbline::systems::spec_decode
