#include "systems/inferencebench/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace plumbline::systems::inferencebench {

namespace {
constexpr std::array<std::string_view, 18> kLower = {"ttft_p50_ms",
                                                     "ttft_p99_ms",
                                                     "tpot_p50_ms",
                                                     "tpot_p99_ms",
                                                     "total_p50_ms",
                                                     "total_p99_ms",
                                                     "joules_per_token",
                                                     "cost_usd_per_million_tokens",
                                                     "power_avg_w",
                                                     "power_peak_w",
                                                     "energy_joules_total",
                                                     "wer_mean",
                                                     "wer_p50",
                                                     "wer_p95",
                                                     "cer_mean",
                                                     "cer_p50",
                                                     "cer_p95",
                                                     "timeout_rate"};
constexpr std::array<std::string_view, 29> kHigher = {"throughput_tok_per_s",
                                                      "req_per_s_passing",
                                                      "req_per_s_all",
                                                      "compliance_rate",
                                                      "ok_rate",
                                                      "goodput_at_slo",
                                                      "accuracy",
                                                      "accuracy_p05",
                                                      "accuracy_p50",
                                                      "accuracy_p95",
                                                      "recall_at_5_mean",
                                                      "recall_at_5_p50",
                                                      "mrr_at_10_mean",
                                                      "mrr_at_10_p50",
                                                      "ndcg_at_10_mean",
                                                      "ndcg_at_10_p50",
                                                      "chrf_mean",
                                                      "chrf_p50",
                                                      "chrf_p95",
                                                      "bleu_mean",
                                                      "bleu_p50",
                                                      "bleu_p95",
                                                      "exact_match_rate",
                                                      "pass_at_1",
                                                      "pass_at_1_p05",
                                                      "pass_at_1_p50",
                                                      "pass_at_1_p95",
                                                      "pass_at_k",
                                                      "pass_at_k_mean"};
}  // namespace

Direction direction_of(std::string_view metric) {
  if (std::find(kLower.begin(), kLower.end(), metric) != kLower.end()) return Direction::lower;
  if (std::find(kHigher.begin(), kHigher.end(), metric) != kHigher.end()) return Direction::higher;
  return Direction::unknown;
}

std::vector<const Row*> in_table_order(const Report& report) {
  const auto bucket = [](const Row& row) {
    return row.verdict == RowVerdict::regression ? 0 : row.verdict == RowVerdict::improvement ? 1 : 2;
  };
  // The relative change, positive for the worse; a change without one weighs nothing.
  const auto severity = [](const Row& row) {
    const double change = row.delta_rel.value_or(0);
    return std::isnan(change) ? 0 : direction_of(row.name) == Direction::lower ? change : -change;
  };
  std::vector<const Row*> rows;
  rows.reserve(report.rows.size());
  for (const Row& row : report.rows) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [&](const Row* a, const Row* b) {
    if (bucket(*a) != bucket(*b)) return bucket(*a) < bucket(*b);
    if (bucket(*a) == 2) return false;  // by name, as they are
    return bucket(*a) == 0 ? severity(*a) > severity(*b) : severity(*a) < severity(*b);
  });
  return rows;
}

}  // namespace plumbline::systems::inferencebench
