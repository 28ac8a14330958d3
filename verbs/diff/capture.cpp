// diff of captures: profile-diff's comparison, told and gated as a diff.
#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/profile.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/diff/bundle.hpp"
#include "verbs/diff/run.hpp"
#include "verbs/profile_diff/profile_run.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {

namespace {

// Trials are captures all, or none of them is.
Status check_all_captures(const char* parameter, const std::vector<intake::Opened>& sources) {
  const auto capture = std::find_if(sources.begin(), sources.end(), [](const auto& each) { return each.is_capture(); });
  const auto other = std::find_if(sources.begin(), sources.end(), [](const auto& each) { return !each.is_capture(); });
  if (other == sources.end()) return {};
  if (capture == sources.end()) {
    return core::fail(
        ErrorCode::shape_mismatch,
        "--" + std::string(parameter) + " is measurements but --current is a capture: " + core::cited_path(other->source.name),
        "compare captures with captures");
  }
  return core::fail(ErrorCode::shape_mismatch,
                    "trials must be of one shape: " + core::cited_path(capture->source.name) + " is a capture, " +
                        core::cited_path(other->source.name) + " is none",
                    "give --" + std::string(parameter) + " captures or measurements, not both");
}

std::vector<std::string> paths_of(const std::vector<intake::Opened>& sources) {
  std::vector<std::string> paths;
  paths.reserve(sources.size());
  for (const intake::Opened& each : sources) paths.push_back(each.source.path);
  return paths;
}

Expected<Baseline> open_captures(const DiffRun& run) {
  auto trials = baseline_trials(run);
  if (!trials) return core::fail(trials.error());
  if (trials->empty())
    return open_baseline(run.request.baseline.front(), *run.store, nullptr, "", run.pool, run.reading, run.context);
  if (auto ok = check_all_captures("baseline", *trials); !ok) return core::fail(ok.error());
  Baseline out;
  out.capture = true;
  out.captures = paths_of(*trials);
  out.reference.path = out.side.path = out.captures.front();
  return out;
}

bool has_provenance(const registry::Entry& entry) {
  return std::none_of(entry.warnings.begin(), entry.warnings.end(),
                      [](const core::Warning& warning) { return warning.code == "provenance_unverified"; });
}

ProfileRequest profile_request(const DiffRun& run, const Baseline& baseline) {
  ProfileRequest out;
  out.root = run.request.root;
  out.baseline = baseline.captures;
  out.candidate = paths_of(run.sources);
  out.options.varying = run.request.varying;
  if (const auto percent = run.request.tolerance_percent) out.options.gate_pct = *percent;
  out.candidate_context = out.baseline_context = run.request.context;
  out.keeps_digests = !run.request.no_bundle && !run.context.read_only;
  if (baseline.reference.kind != Reference::Kind::entry) return out;
  const registry::Entry& entry = baseline.reference.entry;
  out.baseline_label = entry.family + "/" + entry.measurement + "@" + baseline.side.slug;
  out.baseline_context = entry.record.context;
  out.baseline_verified = has_provenance(entry);
  return out;
}

core::Warning digest_warning(const Baseline& baseline) {
  return {"digest_compared",
          "the baseline's capture is gone (" + core::cited_path(baseline.reference.entry.record.source_path) +
              "), and the entry holds its digest: that was compared. Sums, counts, extremes and steps are exact"};
}

// What was asked and says nothing of captures. Of several captures a side the context counts: what they do not say, a VERDICT
// needs.
std::vector<std::string> not_used(const DiffRun& run, bool several) {
  std::vector<std::string> out = run.request.unused_by_captures;
  if (several) std::erase(out, "context");
  return out;
}

// Two captures, and what they come to as a diff.
struct Compared {
  ProfileRequest request;
  ComparedCaptures captures;
  core::DiffResult result;
};

Expected<Compared> compare_captures(DiffRun& run) {
  if (auto ok = check_all_captures("current", run.sources); !ok) return core::fail(ok.error());
  auto baseline = open_captures(run);
  if (!baseline) return core::fail(baseline.error());
  if (!baseline->capture) {
    return core::fail(ErrorCode::shape_mismatch,
                      "baseline is " + shape_text(baseline->measurement->shape) +
                          " but --current is a capture: " + run.sources.front().source.name,
                      "record a capture as the baseline, or give a measurement");
  }
  if (auto ok = check_trusted(run, *baseline); !ok) return core::fail(ok.error());
  const bool entry = baseline->reference.kind == Reference::Kind::entry;
  ProfileRequest request = profile_request(run, *baseline);
  auto compared = run_profiles(request, run.context);
  if (!compared) return core::fail(compared.error());
  core::ProfileDiff& profile = compared->diff;
  if (entry && baseline->reference.entry.snapshot.empty() && !baseline->digested) {
    // Recorded by reference: what was read must be what was recorded.
    const auto& trials = profile.baseline.trials;
    if (auto ok = check_recorded(baseline->reference.entry, trials.empty() ? profile.baseline.sha256 : trials.front().sha256);
        !ok)
      return core::fail(ok.error());
  }
  if (baseline->digested) profile.warnings.push_back(digest_warning(*baseline));
  core::DiffResult result = as_diff(profile);
  if (const auto unused = not_used(run, !profile.baseline.trials.empty()); !unused.empty()) {
    result.warnings.push_back(
        {"not_for_captures", "captures are judged by --tolerance-percent as the gate; not used: " + core::listed(unused)});
  }
  run.accepted = baseline->reference.accepted;
  result.family = entry ? baseline->reference.entry.family : "adhoc";
  result.measurement = entry ? baseline->reference.entry.measurement : "profile";
  result.policy = "plumbline";
  for (const auto& waiver : waivers_for(run.project, result.family, result.measurement, result.baseline.format.name)) {
    if (!core::names_measurement(*waiver)) continue;
    result.warnings.push_back(
        {"rule_matches_nothing", "the waiver of " + core::source_of(*waiver) +
                                     " speaks of rows by their keys, and captures have none: it waives nothing here"});
  }
  if (entry) {
    result.baseline.path = baseline->side.path;
    result.baseline.slug = baseline->side.slug;
    result.baseline.entry_sha256 = baseline->side.entry_sha256;
    result.baseline.label = baseline->side.label;
    for (const core::Warning& w : baseline->reference.warnings) result.warnings.push_back(w);
    for (const core::Warning& w : baseline->reference.entry.warnings) result.warnings.push_back(w);
  }
  return Compared{std::move(request), std::move(*compared), std::move(result)};
}

}  // namespace

Expected<core::DiffResult> captures_result(DiffRun& run) {
  auto compared = compare_captures(run);
  if (!compared) return core::fail(std::move(compared.error()));
  return std::move(compared->result);
}

Expected<Outcome> diff_captures(DiffRun& run) {
  auto compared = compare_captures(run);
  if (!compared) return core::fail(std::move(compared.error()));
  core::DiffResult& result = compared->result;
  if (auto ok = decide_gate(run, result); !ok) return core::fail(ok.error());
  if (auto ok = look_back(run, result); !ok) return core::fail(ok.error());
  const auto publish = [&](registry::Store& store) {
    return publish_profile({&store, result.family, result.measurement, run.context.now(), run.request.signer}, compared->request,
                           run.asked, compared->captures, &result, run.context);
  };
  if (auto ok = keep(run, result, publish); !ok) return core::fail(ok.error());
  return outcome_of(run, result);
}

}  // namespace plumbline::verbs
