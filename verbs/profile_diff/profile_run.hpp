// Comparing two captures: shared by profile-diff and by diff when the baseline is a capture.
#pragma once

#include <string>
#include <vector>

#include "core/results/diff.hpp"
#include "profiles/profile.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

struct ProfileRequest {
  std::string root;                 // whose configs/ are in force; "" = the embedded ones
  std::string baseline, candidate;  // absolute paths
  std::string baseline_label, candidate_label;
  std::vector<std::int64_t> devices;
  std::string steps = "auto", rank = "all";  // see profiles::ReadOptions
  profiles::DiffOptions options;
};

// Reads both sides (with their digests) and compares them.
[[nodiscard]] Expected<core::ProfileDiff> run_profiles(const ProfileRequest& request, const Context& context);

// The same facts as a DiffResult, for diff.json of a registry baseline: verdict, tier, reasons, recommendation, warnings.
[[nodiscard]] core::DiffResult as_diff(const core::ProfileDiff& profile);

// "5%" or "5" -> 5.
[[nodiscard]] Expected<double> gate_percent(const std::string& text);

}  // namespace plumbline::verbs
