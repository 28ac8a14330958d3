#include "verdict/capture_trials.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/context.hpp"
#include "core/statistics.hpp"
#include "verdict/advising/sequential.hpp"
#include "verdict/policy.hpp"
#include "verdict/tier.hpp"

namespace plumbline::verdict {
namespace {

using core::Measurement;
using profiles::Profile;

constexpr double kSlack = 1e-12;  // relative: growth of exactly the gate is growth by the gate
constexpr std::string_view kHost = "environment.hostname";

// What a capture says of itself, as a measurement says it.
Measurement described(const Profile& capture, const std::shared_ptr<core::StringPool>& pool) {
  Measurement out(pool);
  out.shape = core::Shape::profile;
  out.format.name = capture.info.format;
  out.context = capture.info.context;
  return out;
}

std::string host_of(std::span<const Profile> captures) {
  const auto at = captures.front().info.context.find(std::string(kHost));
  return at == captures.front().info.context.end() ? std::string() : at->second;
}

// The walls of one side as the trials of a scalar.
Measurement scalar_of(std::span<const double> walls, std::span<const Profile> captures,
                      const std::shared_ptr<core::StringPool>& pool) {
  Measurement out = described(captures.front(), pool);
  out.shape = core::Shape::scalar;
  out.replication = core::Replication::run;
  for (const Profile& capture : captures)
    out.warnings.insert(out.warnings.end(), capture.warnings.begin(), capture.warnings.end());
  core::MetricClass time;
  time.unit = pool->intern("ns");
  time.unit_source = time.direction_source = core::Source::format;
  time.direction = core::Direction::lower;
  core::Row row;
  row.key = row.metric = pool->intern("wall");
  row.metric_class = out.intern_class(time);
  out.add_row(row, walls);
  return out;
}

core::ProfileWallTrials told_of(const core::Comparison& comparison, const JudgeInput& input, const Judgement& judgement) {
  const core::Delta& delta = comparison.deltas.front();
  core::ProfileWallTrials told;
  told.state = core::to_string(delta.state);
  if (delta.statistics == core::kNoRow) return told;
  const core::RowStatistics& statistics = comparison.statistics[delta.statistics];
  told.tested = statistics.statistical;
  told.interval_lo_pct = statistics.interval_low_pct;
  told.interval_hi_pct = statistics.interval_high_pct;
  told.p = statistics.p;
  told.mde_pct = statistics.mde_pct;
  told.needed = trials_that_decide(input, judgement.marks);
  return told;
}

}  // namespace

std::optional<core::TrialMergeProblem> problem_of_captures(std::span<const Profile> captures,
                                                           std::span<const std::string> names) {
  const auto pool = std::make_shared<core::StringPool>();
  Measurement first = described(captures.front(), pool);
  std::vector<Measurement> others;
  for (const Profile& capture : captures.subspan(1)) others.push_back(described(capture, pool));
  if (auto problem = core::merge_trials(first, others, names)) return problem;
  // Versions and capture modes cost time by themselves: what of measurements is a warning, is here another trial.
  for (std::size_t i = 0; i < others.size(); ++i) {
    for (const core::ContextDifference& difference : core::context_differences(first.context, others[i].context, {})) {
      if (difference.severity == core::Severity::informative) continue;
      return core::TrialMergeProblem{"trials must have the same context: " + difference.key + " is " +
                                         core::cited(difference.baseline) + " in " + names[0] + " and " +
                                         core::cited(difference.current) + " in " + names[i + 1],
                                     "trials are repeated captures of one program; compare different ones one by one"};
    }
  }
  return std::nullopt;
}

WallDecision decide_wall(std::span<const double> baseline, std::span<const double> candidate, double gate_pct,
                         const CaptureTrials& trials, std::span<const core::ContextDifference> differences) {
  const auto pool = std::make_shared<core::StringPool>();
  const Measurement before = scalar_of(baseline, trials.baseline, pool);
  const Measurement after = scalar_of(candidate, trials.candidate, pool);
  core::CompareRules rules;
  rules.default_tolerance = {core::ToleranceKind::percent, gate_pct, core::Source::flag, "--gate"};
  rules.judge_every_row = true;
  JudgeInput input;
  input.shape = core::Shape::scalar;
  input.direction = core::Direction::lower;
  input.tolerance_percent = gate_pct;
  input.context_differences = differences;
  const std::string host = host_of(trials.baseline);
  input.same_host = !host.empty() && host == host_of(trials.candidate);
  input.baseline_verified = trials.baseline_verified;
  const Policy& policy = *find("plumbline");
  const core::Comparison comparison = policy.decide(core::compare(before, after, rules), input);
  input.comparison = &comparison;
  const Judgement judgement = policy.judge(input);

  const core::Delta& delta = comparison.deltas.front();
  WallDecision out;
  out.delta_pct = delta.delta_pct;
  out.told = told_of(comparison, input, judgement);
  out.told.baseline = static_cast<std::uint32_t>(baseline.size());
  out.told.candidate = static_cast<std::uint32_t>(candidate.size());
  out.tested = out.told.tested;
  out.warnings = judgement.warnings;
  if (out.tested) {
    const bool suspect = judgement.marks.suspect(0);
    out.worse = delta.state == core::State::regressed && !suspect;
    out.open = delta.state == core::State::inconclusive || (delta.state == core::State::regressed && suspect);
  } else if (out.delta_pct >= gate_pct - kSlack * gate_pct) {
    out.worse = *std::min_element(candidate.begin(), candidate.end()) > *std::max_element(baseline.begin(), baseline.end());
    out.open = !out.worse;
  }
  out.lacking = lacking_for_verdict(input, comparison, TierQuestion{});
  return out;
}

}  // namespace plumbline::verdict
