// diff of captures: profile-diff's comparison, told and gated as a diff.
#include "core/text.hpp"
#include "profiles/profile.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/diff/bundle.hpp"
#include "verbs/diff/run.hpp"
#include "verbs/profile_diff/profile_run.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {

Expected<Outcome> diff_captures(DiffRun& run) {
  if (run.sources.size() != 1)
    return core::fail(ErrorCode::usage, "--current takes one capture at a time", "compare each capture by itself");
  if (run.request.baseline.size() != 1)
    return core::fail(ErrorCode::usage, "--baseline takes one capture at a time", "compare each capture by itself");
  auto baseline = open_baseline(run.request.baseline.front(), *run.store, nullptr, "", run.pool, run.names, run.context);
  if (!baseline) return core::fail(baseline.error());
  if (!baseline->capture) {
    return core::fail(ErrorCode::shape_mismatch,
                      "baseline is " + shape_text(baseline->measurement->shape) +
                          " but --current is a capture: " + run.sources.front().source.name,
                      "record a capture as the baseline, or give a measurement");
  }
  ProfileRequest profile_request;
  profile_request.root = run.request.root;
  profile_request.baseline = baseline->capture_path;
  profile_request.candidate = run.sources.front().source.path;
  profile_request.options.varying = run.request.varying;
  if (const auto percent = run.request.tolerance_percent) profile_request.options.gate_pct = *percent;
  const bool entry = baseline->reference.kind == Reference::Kind::entry;
  if (entry)
    profile_request.baseline_label =
        baseline->reference.entry.family + "/" + baseline->reference.entry.measurement + "@" + baseline->side.slug;
  auto profile = run_profiles(profile_request, run.context);
  if (!profile) return core::fail(profile.error());
  if (entry && baseline->reference.entry.snapshot.empty()) {
    // Recorded by reference: what was read must be what was recorded.
    if (auto ok = check_recorded(baseline->reference.entry, profile->baseline.sha256); !ok) return core::fail(ok.error());
  }
  core::DiffResult result = as_diff(*profile);
  if (!run.request.unused_by_captures.empty()) {
    result.warnings.push_back({"not_for_captures", "captures are judged by --tolerance-percent as the gate; not used: " +
                                                       core::listed(run.request.unused_by_captures)});
  }
  run.accepted = baseline->reference.accepted;
  result.family = entry ? baseline->reference.entry.family : "adhoc";
  result.measurement = entry ? baseline->reference.entry.measurement : "profile";
  result.policy = "plumbline";
  if (entry) {
    result.baseline.path = baseline->side.path;
    result.baseline.slug = baseline->side.slug;
    result.baseline.entry_sha256 = baseline->side.entry_sha256;
    result.baseline.label = baseline->side.label;
    for (const core::Warning& w : baseline->reference.warnings) result.warnings.push_back(w);
    for (const core::Warning& w : baseline->reference.entry.warnings) result.warnings.push_back(w);
  }
  if (auto ok = decide_gate(run, result); !ok) return core::fail(ok.error());
  const auto publish = [&](registry::Store& store) {
    return publish_profile({&store, result.family, result.measurement, run.context.now()}, *profile, &result, run.context);
  };
  if (auto ok = keep(run, result, publish); !ok) return core::fail(ok.error());
  return outcome_of(run, result);
}

}  // namespace plumbline::verbs
