// The codes of reasons: the closed list, each with what it makes of the verdict. Heaviest first: the order in which reasons are
// listed, and that of docs/reasons.md, which a test compares with it.
#pragma once

#include <array>

#include "core/codes/closed.hpp"
#include "core/results/verdict.hpp"

namespace plumbline::core {

struct ReasonEntry {
  std::string_view text;  // snake_case, as results say it
  Verdict weight;         // the least that it makes of the verdict
  std::string_view meaning;
};

inline constexpr std::array<ReasonEntry, 62> kReasons = {{
    {"case_failed", Verdict::red, "cases of the suite are RED"},
    {"case_error", Verdict::red, "a case has a baseline and a result that cannot be compared"},
    {"gate_failed", Verdict::red, "a gate got worse: validation, #wrong, failed requests, a rate of failures or successes"},
    {"gate_missing", Verdict::red, "a gate is missing or is no longer a valid number"},
    {"headline_missing", Verdict::red, "a headline is missing or is no longer a valid number"},
    {"scalar_regressed", Verdict::red, "the scalar is worse by more than its tolerance"},
    {"headline_regressed", Verdict::red, "a headline is worse by more than its tolerance"},
    {"wall_regressed", Verdict::red, "wall time for the same work grew by more than the gate"},
    {"kernel_time_regressed", Verdict::red, "kernel time for the same work grew by more than the gate"},
    {"many_regressed", Verdict::red,
     "rows of three or more points, or of all where fewer are judged, are worse by more than their tolerance and chance does not "
     "explain them"},
    {"class_shift", Verdict::red, "the rows of one metric are worse as a whole by more than tolerance, and not by chance"},
    {"outlier", Verdict::red,
     "a sibling is worse than the others by more than tolerance, further than they scatter among themselves, or gave no result"},
    {"native_failed", Verdict::red, "the system whose policy was asked for fails it"},
    {"case_doubtful", Verdict::yellow, "cases of the suite are YELLOW"},
    {"case_stale", Verdict::yellow, "a baseline of the suite has no result"},
    {"case_unmatched", Verdict::yellow, "there are baselines for a case of the suite, but none that fits it alone"},
    {"nothing_compared", Verdict::yellow, "no case of the suite has both a baseline and a result"},
    {"case_no_baseline", Verdict::yellow, "a baseline of the suite holds no value to compare with"},
    {"reference_over_tolerance", Verdict::yellow, "rows beyond tolerance by the reference tool's rule"},
    {"native_warned", Verdict::yellow, "the system whose policy was asked for passes it with a warning"},
    {"native_signature_invalid", Verdict::yellow, "a signed file of another system is not what was signed"},
    {"drift_from_initial", Verdict::yellow, "the older reference given with --initial is missed, whatever the last step shows"},
    {"few_regressed", Verdict::yellow, "rows of one or two points are worse by more than their tolerance"},
    {"outlier_doubtful", Verdict::yellow,
     "a sibling is worse than the others by more than tolerance, but their own scatter explains it"},
    {"outlier_fast", Verdict::yellow, "a sibling is better than the others, further than they scatter among themselves"},
    {"two_groups", Verdict::yellow, "the siblings fall into two groups, and neither is so small that it must be the slow one"},
    {"too_few_siblings", Verdict::yellow, "two siblings gave results: which of them is slow cannot be told"},
    {"gate_doubtful", Verdict::yellow, "failures became more frequent, and their number does not decide whether by chance"},
    {"suspects", Verdict::yellow, "rows are worse by more than their tolerance, but chance explains them"},
    {"noisy", Verdict::yellow, "rows are worse by more than their tolerance, but no further than their own history scatters"},
    {"unit_mismatch", Verdict::yellow,
     "a metric changed by the factor between two units, so its unit is in doubt rather than its speed"},
    {"headline_inconclusive", Verdict::yellow, "the trials of a headline neither prove nor exclude a regression"},
    {"undecided", Verdict::yellow,
     "rows are worse by more than their tolerance, and their trials do not decide whether by chance"},
    {"row_missing", Verdict::yellow, "a judged row of the baseline is not in the current measurement"},
    {"row_invalid", Verdict::yellow, "a judged row is no valid number on one side"},
    {"runs_not_compared", Verdict::yellow, "the current file has more runs of the same points than the baseline"},
    {"waiver_exceeded", Verdict::yellow, "rows are worse than the ceiling of their waiver, so they count as if there were none"},
    {"waiver_expired", Verdict::yellow,
     "the last day of a waiver is over: its rows count again, and it must be renewed or taken out even if they are fine"},
    {"context_differs", Verdict::yellow, "the two sides were measured in different contexts and the difference was not declared"},
    {"direction_unknown", Verdict::yellow, "a row changed by more than its tolerance and nothing says which way is worse"},
    {"unequal_work", Verdict::yellow, "the two captures hold different amounts of work"},
    {"offsetting_moves", Verdict::yellow, "large changes cancel out in the total"},
    {"kernels_vanished", Verdict::yellow,
     "a tenth or more of the baseline's kernel time is in kernels that the candidate does not run"},
    {"wall_inconclusive", Verdict::yellow, "the scatter of the steps, or of several captures, leaves open whether the wall grew"},
    {"replayed_kernels_slower", Verdict::yellow, "kernels that a kernel profiler measured one by one take longer"},
    {"host_cost_grew", Verdict::yellow, "the sum of a profile of the host grew by more than the gate"},
    {"host_share_moved", Verdict::yellow, "functions of the host take a larger share than before, beyond chance"},
    {"outside_steps", Verdict::yellow, "steps are no slower, but the time outside of whole steps grew by the gate or more"},
    {"near_gate", Verdict::yellow, "wall time for the same work grew by more than 2 %, but less than the gate"},
    {"gpu_differs", Verdict::yellow, "the two captures come from different GPUs"},
    {"graph_mode_differs", Verdict::yellow, "CUDA graphs traced as a whole hide kernels of one capture"},
    {"low_comparability", Verdict::yellow, "the captures differ in GPU, capture mode or content so that totals mean little"},
    {"ranks_missing", Verdict::yellow,
     "ranks of a side failed or were cut, or the sides lack other ranks: the slowest rank may be the one that is missing"},
    {"near_tolerance_away_from_peak", Verdict::yellow,
     "within tolerance by a narrow margin while the share of the hardware's limit falls"},
    {"case_untracked", Verdict::green, "a result of the suite has no baseline"},
    {"case_skipped", Verdict::green, "a result of the suite says that it was not run"},
    {"native_verdict_differs", Verdict::green, "the other system's own verdict is not ours"},
    {"native_vanished_passes", Verdict::green, "what vanished does not fail by the other system's rule"},
    {"native_unjust_failure", Verdict::green, "the other system fails what is no regression, such as a speed-up"},
    {"native_hidden_context", Verdict::green, "the other system does not compare settings that explain the change"},
    {"native_unchecked", Verdict::green, "a change that the other system does not look at"},
    {"native_noise_unknown", Verdict::green, "the other system fails single values without knowing their noise"},
}};

using ReasonCode = ClosedCode<kReasons>;

}  // namespace plumbline::core
