#include <array>

#include "policies/policy.hpp"

namespace plumbline::policies {

namespace {
using core::Verdict;
// Heaviest first: the order in which reasons are listed.
constexpr std::array<ReasonCode, 26> kCodes = {{
    {"gate_failed", Verdict::red, "a gate got worse: validation, #wrong, failed requests, an ok rate"},
    {"gate_missing", Verdict::red, "a gate vanished or is no longer a valid number"},
    {"headline_missing", Verdict::red, "a headline vanished or is no longer a valid number"},
    {"scalar_regressed", Verdict::red, "the scalar is worse by more than its tolerance"},
    {"headline_regressed", Verdict::red, "a headline is worse by more than its tolerance"},
    {"wall_regressed", Verdict::red, "wall time for the same work grew by more than the gate"},
    {"kernel_time_regressed", Verdict::red, "kernel time for the same work grew by more than the gate"},
    {"many_regressed", Verdict::red,
     "three or more rows are worse by more than their tolerance and chance does not explain them"},
    {"more_regressions_than_chance", Verdict::red, "more rows regressed than 99.9 % of comparisons without a change would show"},
    {"class_shift", Verdict::red, "the median of a class of 20 or more rows moved beyond tolerance"},
    {"reference_over_tolerance", Verdict::yellow, "rows beyond tolerance by the reference tool's rule"},
    {"drift_from_initial", Verdict::yellow, "the older reference given with --initial is missed, whatever the last step shows"},
    {"few_regressed", Verdict::yellow, "one or two rows are worse by more than their tolerance"},
    {"suspects", Verdict::yellow, "rows are worse by more than their tolerance, but chance explains them"},
    {"headline_inconclusive", Verdict::yellow, "the trials of a headline neither show nor exclude a regression"},
    {"row_missing", Verdict::yellow, "a judged row of the baseline is not in the current measurement"},
    {"row_invalid", Verdict::yellow, "a judged row is no valid number on one side"},
    {"context_differs", Verdict::yellow, "the two sides were measured in different contexts and the difference was not declared"},
    {"direction_unknown", Verdict::yellow, "a row changed by more than its tolerance and nothing says which way is worse"},
    {"unequal_work", Verdict::yellow, "the two captures hold different amounts of work"},
    {"offsetting_moves", Verdict::yellow, "large changes cancel out in the total"},
    {"near_gate", Verdict::yellow, "wall time for the same work grew by more than 2 %, but less than the gate"},
    {"gpu_differs", Verdict::yellow, "the two captures come from different GPUs"},
    {"graph_mode_differs", Verdict::yellow, "one capture traced CUDA graphs as a whole, the other their nodes"},
    {"low_comparability", Verdict::yellow, "the captures differ in GPU, capture mode or content so that totals mean little"},
    {"near_tolerance_away_from_peak", Verdict::yellow,
     "within tolerance by a narrow margin while the share of the hardware's limit falls"},
}};
}  // namespace

std::span<const ReasonCode> reason_codes() { return kCodes; }

}  // namespace plumbline::policies
