// Comparing two captures: shared by profile-diff and by diff when the baseline is a capture.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/diff.hpp"
#include "profiles/profile.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

struct ProfileRequest {
  std::string root;                              // whose configs/ are in force; "" = the embedded ones
  std::vector<std::string> baseline, candidate;  // absolute paths; several of a side are trials
  std::string baseline_label, candidate_label;
  std::vector<std::int64_t> devices;
  std::string steps = "auto", rank = "all";  // see profiles::ReadOptions
  profiles::DiffOptions options;
  // With several captures: what is known of the sides beside their content.
  core::Context baseline_context, candidate_context;
  bool baseline_verified = false;  // an entry with checked digests
  bool keeps_digests = true;       // a bundle will hold the profile digests of the captures
};

// Reads the captures of a side one after the other, and checks that they are trials of one another. `progress` is given how many
// are read, and how far the next one is.
using SideProgress = std::function<void(double captures, std::string_view message)>;
struct CaptureSide {
  std::vector<profiles::Profile> captures;
  std::vector<std::string> digests;  // files, one a capture; none where none are asked for
  std::vector<std::string> names;    // of the files, as short as they are distinct
  // One a capture; null where it is of one rank.
  std::vector<std::shared_ptr<const core::ProfileRanksSide>> jobs;
};
[[nodiscard]] Expected<CaptureSide> read_captures(const std::vector<registry::Source>& sources,
                                                  const profiles::ReadOptions& options, const SideProgress& progress,
                                                  bool with_digests, const Context& context);

// "profile-digest.json.gz", of the third capture "profile-digest.3.json.gz".
[[nodiscard]] std::string digest_name(std::string_view stem, std::size_t capture);

// Reads both sides (with the hashes of their files) and compares them.
struct ComparedCaptures {
  core::ProfileDiff diff;
  std::vector<std::string> baseline_digests, candidate_digests;  // as CaptureSide has them
};
[[nodiscard]] Expected<ComparedCaptures> run_profiles(const ProfileRequest& request, const Context& context);

// The same facts as a DiffResult, for diff.json of a registry baseline: verdict, tier, reasons, recommendation, warnings.
[[nodiscard]] core::DiffResult as_diff(const core::ProfileDiff& profile);

// "5%" or "5" -> 5.
[[nodiscard]] Expected<double> gate_percent(const std::string& text);

}  // namespace plumbline::verbs
