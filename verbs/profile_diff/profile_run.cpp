#include "verbs/profile_diff/profile_run.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <set>
#include <string_view>
#include <utility>

#include "base/beside.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/diff/findings.hpp"
#include "profiles/diff/trials.hpp"
#include "profiles/digest/digest.hpp"
#include "profiles/ranks/telling.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/record/freeze_sol.hpp"
#include "verbs/record/redact.hpp"
#include "verbs/resolving/given_context.hpp"
#include "verdict/capture_trials.hpp"
#include "verdict/captures.hpp"

namespace plumbline::verbs {

Expected<double> gate_percent(const std::string& text) {
  auto tolerance = core::parse_tolerance(text);
  if (!tolerance) return core::fail(ErrorCode::usage, "--gate: " + tolerance.error().message, tolerance.error().hint);
  if (tolerance->kind != core::ToleranceKind::percent)
    return core::fail(ErrorCode::usage, "--gate is a percentage, not " + cited(text), "write `--gate 5%`");
  return tolerance->value;
}

namespace {

// The digests of the captures, taken on a thread of their own while the captures are read: either takes about as long as the
// other. Ends with this object, wherever that goes.
class Digests {
 public:
  Digests(std::vector<registry::Source> sources, registry::PathLimits limits)
      : sources_(std::move(sources)), limits_(std::move(limits)) {
    const auto asked = limits_.stop;
    limits_.stop = [this, asked] { return unwanted_.load(std::memory_order_relaxed) || (asked && asked()); };
    beside_ = base::beside([this] { return all(); });
  }
  Digests(const Digests&) = delete;
  Digests& operator=(const Digests&) = delete;
  ~Digests() {
    unwanted_ = true;
    if (beside_.valid()) beside_.wait();
  }
  Expected<std::vector<std::string>> take() { return beside_.get(); }

 private:
  [[nodiscard]] Expected<std::vector<std::string>> all() const {
    std::vector<std::string> found;
    for (const registry::Source& source : sources_) {
      auto digest = registry::source_digest(source, limits_);
      if (!digest) return core::fail(digest.error());
      found.push_back(std::move(*digest));
    }
    return found;
  }
  std::vector<registry::Source> sources_;
  registry::PathLimits limits_;
  std::atomic<bool> unwanted_{false};
  std::future<Expected<std::vector<std::string>>> beside_;
};

constexpr std::size_t kMostCaptures = 200;  // of a side: the profiles of all are held together

Expected<std::vector<registry::Source>> located(const std::vector<std::string>& paths, const char* parameter,
                                                const registry::PathLimits& limits) {
  if (paths.size() > kMostCaptures) {
    return core::fail(ErrorCode::usage,
                      "--" + std::string(parameter) + " takes at most " + std::to_string(kMostCaptures) + " captures, not " +
                          std::to_string(paths.size()),
                      "more than some thirty captures a side decide nothing that these leave open");
  }
  std::vector<registry::Source> sources;
  for (const std::string& path : paths) {
    auto source = intake::locate(path, limits);
    if (!source) {
      Error error = source.error();
      if (error.code == ErrorCode::not_found)
        error.message = std::string("--") + parameter + " does not exist: " + core::cited_path(path);
      return core::fail(std::move(error));
    }
    for (const registry::Source& before : sources) {
      if (before.path != source->path) continue;
      return core::fail(ErrorCode::usage, core::cited_path(source->path) + " is given twice: one capture is one trial",
                        "capture another run for another trial");
    }
    sources.push_back(std::move(*source));
  }
  return sources;
}

// Two files of one name are told apart by their paths.
std::vector<std::string> distinct_names(const std::vector<registry::Source>& sources) {
  std::vector<std::string> names;
  names.reserve(sources.size());
  for (const registry::Source& source : sources) names.push_back(source.name);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = sources[i].path;
  return names;
}

// Captures that are byte for byte like one before them.
std::size_t copies_in(const std::vector<profiles::Profile>& captures) {
  std::set<std::string_view> digests;
  for (const profiles::Profile& capture : captures) digests.insert(capture.info.sha256);
  return captures.size() - digests.size();
}

Status take_configs(const std::string& root, const Context& context, profiles::DiffOptions& options) {
  if (root.empty()) return {};
  auto categories = kernel_categories_for(root, context);
  if (!categories) return core::fail(categories.error());
  auto ceilings = ceilings_for(root, context);
  if (!ceilings) return core::fail(ceilings.error());
  options.categories = *categories;
  options.ceilings = *ceilings;
  return {};
}

std::vector<core::ProfileTrial> listed_trials(const CaptureSide& side, const std::vector<profiles::TrialWall>& walls,
                                              std::size_t middle) {
  std::vector<core::ProfileTrial> out;
  for (std::size_t i = 0; i < side.captures.size(); ++i) {
    const core::ProfileSideInfo& info = side.captures[i].info;
    const auto wall = walls[i].wall_ns > 0 ? std::optional<double>(walls[i].wall_ns) : std::nullopt;
    out.push_back({info.path, info.sha256, info.bytes, wall, side.captures[i].steps.steps.size(), i == middle});
  }
  return out;
}

// What is known of the captures beside their content.
Status state_contexts(const ProfileRequest& request, CaptureSide& baseline, CaptureSide& candidate) {
  for (profiles::Profile& capture : baseline.captures) {
    for (const auto& [key, value] : request.baseline_context) capture.info.context.emplace(key, value);
  }
  for (profiles::Profile& capture : candidate.captures) {
    if (auto ok = state_context(capture.info.context, request.candidate_context, capture.info.path); !ok) return ok;
  }
  return {};
}

// What is said of ranks is no part of a Profile: findings and the verdict ask for it.
void take_jobs(const CaptureSide& baseline, std::size_t before, const CaptureSide& candidate, std::size_t after,
               core::ProfileDiff& diff) {
  diff.baseline_job = baseline.jobs[before];
  diff.candidate_job = candidate.jobs[after];
  profiles::find_late_ranks(diff);
}

core::ProfileDiff compare_pair(const CaptureSide& before, const CaptureSide& after, const profiles::DiffOptions& options) {
  const profiles::Profile& baseline = before.captures.front();
  const profiles::Profile& candidate = after.captures.front();
  profiles::CaptureEvidence evidence = profiles::diff(baseline, candidate, options);
  take_jobs(before, 0, after, 0, evidence.diff);
  verdict::CaptureJudgement judgement = verdict::judge_captures({baseline, candidate, evidence, options.same_content});
  return verdict::judged(std::move(evidence.diff), std::move(judgement));
}

core::ProfileDiff compare_trials(const ProfileRequest& request, const CaptureSide& baseline, const CaptureSide& candidate,
                                 const profiles::DiffOptions& options) {
  const profiles::TrialWalls walls = profiles::measure_trials(baseline.captures, candidate.captures, options);
  verdict::CaptureTrials trials{baseline.captures, candidate.captures, walls, baseline.names, candidate.names};
  trials.baseline_verified = request.baseline_verified;
  trials.identical = copies_in(baseline.captures) + copies_in(candidate.captures);
  const profiles::Profile& before = baseline.captures[walls.baseline_middle];
  const profiles::Profile& after = candidate.captures[walls.candidate_middle];
  profiles::CaptureEvidence evidence = profiles::diff(before, after, options);
  take_jobs(baseline, walls.baseline_middle, candidate, walls.candidate_middle, evidence.diff);
  verdict::CaptureJudgement judgement = verdict::judge_captures({before, after, evidence, options.same_content, &trials});
  core::ProfileDiff diff = verdict::judged(std::move(evidence.diff), std::move(judgement));
  profiles::add_scatter(diff, walls, baseline.captures, candidate.captures);
  diff.baseline.trials = listed_trials(baseline, walls.baseline, walls.baseline_middle);
  diff.candidate.trials = listed_trials(candidate, walls.candidate, walls.candidate_middle);
  if (trials.identical > 0) {
    diff.warnings.push_back({"identical_trials", core::counted(trials.identical, "capture") +
                                                     " byte for byte like another of its side: copies of one run prove nothing"});
  }
  return diff;
}

}  // namespace

Expected<CaptureSide> read_captures(const std::vector<registry::Source>& sources, const profiles::ReadOptions& options,
                                    const SideProgress& progress, bool with_digests, const Context& context) {
  CaptureSide side;
  side.names = distinct_names(sources);
  for (const registry::Source& source : sources) {
    if (context.stop_asked()) return core::fail(cancelled_error());
    auto scratch = ScratchFolder::make(context);
    if (!scratch) return core::fail(scratch.error());
    profiles::ReadOptions one = options;
    one.scratch = scratch->path();
    if (progress) {
      one.progress = [&progress, done = static_cast<double>(side.captures.size())](double fraction, std::string_view message) {
        progress(done + fraction, message);
      };
    }
    auto digest = profiles::read_digest(source.path, one);
    if (!digest) return core::fail(digest.error());
    side.jobs.push_back(digest->of_ranks() ? std::make_shared<const core::ProfileRanksSide>(profiles::tell_ranks(digest->job))
                                           : nullptr);
    if (with_digests) {
      auto file = profiles::digest_file(*digest);
      if (!file) return core::fail(file.error());
      side.digests.push_back(std::move(*file));
    }
    profiles::Profile profile = profiles::profile_of(std::move(*digest));
    profile.info.path = source.path;
    profile.info.bytes = source.bytes;
    side.captures.push_back(std::move(profile));
  }
  if (side.captures.size() < 2) return side;
  if (const auto problem = verdict::problem_of_captures(side.captures, side.names))
    return core::fail(ErrorCode::shape_mismatch, problem->message, problem->hint);
  return side;
}

std::string digest_name(std::string_view stem, std::size_t capture) {
  return std::string(stem) + (capture == 0 ? "" : "." + std::to_string(capture + 1)) + ".json.gz";
}

Expected<ComparedCaptures> run_profiles(const ProfileRequest& request, const Context& context) {
  const registry::PathLimits limits = path_limits(context);
  auto before = located(request.baseline, "baseline", limits);
  if (!before) return core::fail(before.error());
  auto after = located(request.candidate, "candidate", limits);
  if (!after) return core::fail(after.error());
  std::vector<registry::Source> all = *before;
  all.insert(all.end(), after->begin(), after->end());
  const auto count = static_cast<double>(all.size());
  Digests digests(std::move(all), limits);

  profiles::ReadOptions options;
  options.devices = request.devices;
  options.steps = request.steps;
  options.rank = request.rank;
  options.nsys = nsys_path(context);
  options.open = capture_opener(context);
  options.stop = [&context] { return context.stop_asked(); };
  const auto progress = [&context, count](double from) {
    SideProgress out;
    if (context.progress) {
      out = [&context, count, from](double captures, std::string_view message) {
        context.progress((from + captures) / count, message);
      };
    }
    return out;
  };
  auto baseline = read_captures(*before, options, progress(0), request.keeps_digests, context);
  if (!baseline) return core::fail(baseline.error());
  auto candidate = read_captures(*after, options, progress(static_cast<double>(before->size())), request.keeps_digests, context);
  if (!candidate) return core::fail(candidate.error());
  const auto hashes = digests.take();
  if (!hashes) return core::fail(hashes.error());
  std::size_t at = 0;
  for (const auto& [side, label] : {std::pair{&*baseline, &request.baseline_label}, {&*candidate, &request.candidate_label}}) {
    for (profiles::Profile& capture : side->captures) {
      capture.info.sha256 = (*hashes)[at++];
      capture.info.label = label->empty() ? capture.info.path : *label;
    }
  }

  profiles::DiffOptions rules = request.options;
  if (auto ok = take_configs(request.root, context, rules); !ok) return core::fail(ok.error());
  std::vector<std::string> digests0(hashes->begin(), hashes->begin() + static_cast<std::ptrdiff_t>(before->size()));
  std::vector<std::string> digests1(hashes->begin() + static_cast<std::ptrdiff_t>(before->size()), hashes->end());
  std::sort(digests0.begin(), digests0.end());
  std::sort(digests1.begin(), digests1.end());
  rules.same_content = digests0 == digests1;
  core::ProfileDiff diff;
  if (baseline->captures.size() + candidate->captures.size() == 2) {
    diff = compare_pair(*baseline, *candidate, rules);
  } else {
    if (auto ok = state_contexts(request, *baseline, *candidate); !ok) return core::fail(ok.error());
    diff = compare_trials(request, *baseline, *candidate, rules);
  }
  diff.compared_at_utc = registry::utc_text(context.now());
  diff.tool.version = version();
  diff.command = context.command;
  return ComparedCaptures{std::move(diff), std::move(baseline->digests), std::move(candidate->digests)};
}

core::DiffResult as_diff(const core::ProfileDiff& profile) {
  core::DiffResult out;
  out.verdict = profile.verdict;
  out.tier = profile.tier;
  out.promote = profile.promote;
  out.reasons = profile.reasons;
  out.recommendation = profile.recommendation;
  out.next_lever = profile.next_lever;
  out.warnings = profile.warnings;
  out.tolerance_percent = profile.gate_pct;
  out.direction = core::Direction::lower;
  out.baseline_context = profile.baseline.context;
  out.current_context = profile.candidate.context;
  out.context_differences = profile.environment_differences;
  const auto side = [](const core::ProfileSideInfo& info) {
    core::DiffSide s;
    s.path = info.path;
    s.label = info.label;
    s.sha256 = info.sha256;
    s.format.name = info.format;
    s.format.version = info.version;
    s.format.confidence = 1;
    s.trials = static_cast<std::uint32_t>(std::max<std::size_t>(info.trials.size(), 1));
    return s;
  };
  out.baseline = side(profile.baseline);
  out.current = side(profile.candidate);
  for (const core::ProfileRow& row : profile.kernels) {
    if (row.state == "new") {
      ++out.counts.added;
    } else if (row.state == "vanished") {
      ++out.counts.missing;
    } else {
      ++out.counts.compared;
    }
  }
  out.gate_asked = profile.gate_asked;
  out.gate = profile.gate;
  out.diff_dir = profile.diff_dir;
  out.bundle_sha256 = profile.bundle_sha256;
  out.files = profile.files;
  out.compared_at_utc = profile.compared_at_utc;
  out.tool = profile.tool;
  out.command = profile.command;
  out.evidence = core::CaptureResult{std::make_shared<const core::ProfileDiff>(profile)};
  return out;
}

}  // namespace plumbline::verbs
