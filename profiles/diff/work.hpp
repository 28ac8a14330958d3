// How much work two captures hold. In order of belief:
//   calls   how often the kernels are called that both sides have (call_ratio), where nothing hides calls and, where kernels
//           were fused or split, neither steps nor range contradict them;
//   steps   how many marked steps the windows hold, else;
//   range   how often the outermost range of both sides was entered, where there are no marked steps.
// A replay that was traced as a whole shows none of its kernels: one side's calls then say nothing of its work.
//
// Calls are those of GEMMs, attention, convolutions and collectives where these hold a twentieth of the shared kernel time and
// agree among themselves: a compiler that makes one kernel of five small ones changes how often kernels are called, and no work.
// Work may also grow with every call: launches of the same kernels with more threads, at a larger batch or a longer sequence; or
// steps whose marks say another phase, more requests or more tokens, as servers of models write them.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// The same kernels, launched as often, with more threads or fewer; or steps that are marked as other work.
struct WorkGrowth {
  double factor = 1;     // threads of a launch, or what is marked, candidate over baseline
  double share_pct = 0;  // of the kernel time of the launches compared, in kernels that grew (or shrank) by a quarter or more
  std::vector<std::string> kernels;  // those, most time first; at most five
  std::string marked;                // what grew by marks: "tokens" "requests", or "" where threads say so
  std::string before, after;         // the marks: "decode, \"step[DECODE bs=32]\""
  bool other_phase = false;          // one side prefills and the other decodes: no factor makes these one work
};

// Small kernels that gave way to fewer, or one that fell apart into several, while the others are called as often as before.
struct FusedCalls {
  std::vector<std::string> gone, come;  // names of kernels that are called less often, and more often; most calls first
  double lost = 0, gained = 0;          // their calls, for the baseline's work
  bool answered = false;  // most of the fewer ones are a compiler's, and those that came take a fifth of the time of those gone
};

struct Work {
  std::optional<double> ratio;  // candidate / baseline, summed over devices; empty where nothing tells it
  std::string told_by;          // "calls" "steps" "range" ""
  std::string range;            // its name, where a range told it
  std::string replayed;         // the side whose kernels CUDA graph replays hide: "baseline" "candidate" "", "" = neither
  double baseline_replay_pct = 0, candidate_replay_pct = 0;  // of the kernel time
  std::optional<FusedCalls> fused;
  std::optional<WorkGrowth> growth;
};

// `kernels`: rows already matched. Steps are of the same unit, by name.
[[nodiscard]] Work tell_work(const Profile& baseline, const Profile& candidate, const std::vector<core::ProfileRow>& kernels);

// Devices, where both sides say them; else merged ranks; else 1.
[[nodiscard]] double device_ratio(const Profile& baseline, const Profile& candidate);

// The weighted median of the count ratios of kernels that both sides have, each with the smaller of its two shares of kernel time
// for a weight (and, of four or more, none with more than half of what the others have together): a kernel that is suddenly
// called a hundred times more is then more work done badly, not a window with more steps in it. Where two ratios share the middle
// their geometric mean is taken, so swapping the sides gives the reciprocal.
[[nodiscard]] std::optional<double> call_ratio(const std::vector<core::ProfileRow>& kernels);

// What calls say of the work on one device, for steps, which are a device's; empty where calls are not believed.
[[nodiscard]] std::optional<double> calls_per_device(const Work& work, const Profile& baseline, const Profile& candidate);

// Steps that markers or ranges name, alike on both sides; a period of the kernels is a guess and none.
[[nodiscard]] bool same_marks(const Steps& baseline, const Steps& candidate);

}  // namespace plumbline::profiles
