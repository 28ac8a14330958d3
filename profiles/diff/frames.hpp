// Two profiles of a host compared function by function, and what may be claimed from it.
//
// Costs are in the profile's unit, as they are: delta = candidate - baseline exactly, self and total. A function of one side only
// is "new" or "vanished". Shares are of the side's sum of own costs, so a function's share moves when any other one does: they
// answer "what fraction of the time", not "did it become slower". What the sums themselves say depends on what was counted:
//   - "ns" of processor time, bytes, cycles, instructions, objects: amounts. The sums are comparable when both sides did the same
//     work (a whole run of one program); a profile over a fixed window counts how busy it was, whatever was done in it.
//   - "samples": proportional to time at one sampling rate: comparable when both windows are known and differ by no more than
//     kSameWindow; otherwise the profile's length is in them, and only shares count.
//   - "counts" (folded stacks) say neither unit nor window: only shares.
// Sampling makes chance: of n samples a function with share p has a standard error of sqrt(p (1-p) / n).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline constexpr double kSameWindow = 0.02;  // relative

// Union of the names, largest |delta of self| first, then of total, then by name. Names that are on one side only are paired when
// they differ in the numbers of lambdas and closures alone and no other one does (names/frames.hpp): such a row has the name
// without them. Swapping the sides negates every delta and exchanges the rest.
[[nodiscard]] std::vector<core::ProfileFrame> compare_frames(std::span<const Frame> baseline, std::span<const Frame> candidate);

struct FramesComparison {
  std::vector<core::ProfileFrame> rows;
  std::string unit;                                  // "" when the sides' units differ: nothing is comparable then
  std::int64_t baseline_sum = 0, candidate_sum = 0;  // of own costs
  // "amount": the sums may be compared as they are; "share": only how the cost is spread; "none": different things were counted.
  std::string basis;
  std::optional<double> change_pct;       // of the sum; null unless the basis is "amount", and where the baseline has none
  std::optional<double> window_ratio;     // wall time the candidate's profile covers / the baseline's, where both say
  std::optional<double> rate_change_pct;  // of the cost per second of the profile, where both say
  std::vector<std::string> notes;         // sentences: why the basis is what it is
};
[[nodiscard]] FramesComparison compare_host_profiles(const Profile& baseline, const Profile& candidate);

// How far the share of own cost moved, in standard errors of the difference (positive: more of the candidate); nullopt where a
// side does not say how many samples it has, or costs are no samples' (amounts that vary from sample to sample). |z| below 3 is
// chance as soon as a few hundred functions are looked at.
[[nodiscard]] std::optional<double> share_deviation(const core::ProfileFrame& row, const Profile& baseline,
                                                    const Profile& candidate);

// "2500000 ns (cpu) in 5 functions, 250 samples, over 2.5 s", of a profile of the host; "" of others.
[[nodiscard]] std::string cost_text(const Profile& profile);

}  // namespace plumbline::profiles
