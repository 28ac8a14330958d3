#include "verbs/diff/bundle_claim.hpp"

namespace plumbline::verbs {

using registry::attest::Dependency;
using registry::attest::Fields;

namespace {

constexpr std::size_t kDependenciesAtMost = 1000;

std::string codes_of(const std::vector<core::Reason>& reasons) {
  std::vector<std::string> codes;
  codes.reserve(reasons.size());
  for (const core::Reason& reason : reasons) codes.emplace_back(reason.code.text());
  return json_value(codes);
}

template <class Result>
Fields verdict_of(const Result& result) {
  return {{"verdict", json_value(core::to_string(result.verdict))},
          {"tier", json_value(core::to_string(result.tier))},
          {"reasons", codes_of(result.reasons)}};
}

void add_side(std::vector<Dependency>& out, const std::string& name, const core::DiffSide& side) {
  // Of an entry its bundle id: that is what `verify` shows, and it names the source as well.
  out.push_back({name, side.entry_sha256.empty() ? side.sha256 : side.entry_sha256, side.path});
}

void add_side(std::vector<Dependency>& out, const std::string& name, const core::ProfileSideInfo& side) {
  if (side.trials.empty()) return out.push_back({name, side.sha256, side.path});
  for (const core::ProfileTrial& trial : side.trials) out.push_back({name, trial.sha256, trial.path});
}

}  // namespace

void sign_bundle(registry::Staging& staging, const std::shared_ptr<const Signer>& signer, const core::DiffResult& result) {
  std::vector<Dependency> dependencies;
  add_side(dependencies, "baseline", result.baseline);
  add_side(dependencies, "current", result.current);
  if (result.initial) add_side(dependencies, "initial", *result.initial);
  Fields fields = verdict_of(result);
  fields.emplace_back("policy", json_value(result.policy));
  fields.emplace_back("tolerancePercent", json_value(result.tolerance_percent));
  if (result.tolerance_absolute) fields.emplace_back("toleranceAbsolute", json_value(*result.tolerance_absolute));
  fields.emplace_back("compared", json_value(result.counts.compared));
  fields.emplace_back("regressed", json_value(result.counts.regressed));
  sign(staging, signer, std::move(dependencies), std::move(fields));
}

void sign_bundle(registry::Staging& staging, const std::shared_ptr<const Signer>& signer, const core::ProfileDiff& result) {
  std::vector<Dependency> dependencies;
  add_side(dependencies, "baseline", result.baseline);
  add_side(dependencies, "candidate", result.candidate);
  Fields fields = verdict_of(result);
  fields.emplace_back("gatePercent", json_value(result.gate_pct));
  sign(staging, signer, std::move(dependencies), std::move(fields));
}

void sign_bundle(registry::Staging& staging, const std::shared_ptr<const Signer>& signer, const core::OutliersResult& result) {
  std::vector<Dependency> dependencies;
  for (const core::FileRef& source : result.sources) {
    if (dependencies.size() == kDependenciesAtMost) break;
    dependencies.push_back({"sibling", source.sha256, source.path});
  }
  Fields fields = verdict_of(result);
  fields.emplace_back("tolerancePercent", json_value(result.tolerance_percent));
  fields.emplace_back("sources", json_value(static_cast<std::uint64_t>(result.sources.size())));
  fields.emplace_back("out", json_value(static_cast<std::uint64_t>(result.drain.size())));
  sign(staging, signer, std::move(dependencies), std::move(fields));
}

}  // namespace plumbline::verbs
