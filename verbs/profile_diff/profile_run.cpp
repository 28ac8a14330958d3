#include "verbs/profile_diff/profile_run.hpp"

#include <atomic>
#include <future>
#include <system_error>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/record/freeze_sol.hpp"
#include "verbs/record/redact.hpp"
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

// The digests of the two captures, taken on a thread of their own while the captures are read: either takes about as long as the
// other. Ends with this object, wherever that goes.
class Digests {
 public:
  Digests(std::vector<registry::Source> sources, registry::PathLimits limits)
      : sources_(std::move(sources)), limits_(std::move(limits)) {
    const auto asked = limits_.stop;
    limits_.stop = [this, asked] { return unwanted_.load(std::memory_order_relaxed) || (asked && asked()); };
    try {
      beside_ = std::async(std::launch::async, [this] { return all(); });
    } catch (const std::system_error&) {
      // No thread to be had: take() does it.
    }
  }
  Digests(const Digests&) = delete;
  Digests& operator=(const Digests&) = delete;
  ~Digests() {
    unwanted_ = true;
    if (beside_.valid()) beside_.wait();
  }
  Expected<std::vector<std::string>> take() { return beside_.valid() ? beside_.get() : all(); }

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

}  // namespace

Expected<core::ProfileDiff> run_profiles(const ProfileRequest& request, const Context& context) {
  const registry::PathLimits limits = path_limits(context);
  struct Side {
    std::string path;
    const std::string* label;
    const char* parameter;
    std::string sha256;
    std::uint64_t bytes = 0;
    std::optional<profiles::Profile> profile;
  };
  Side sides[2] = {{request.baseline, &request.baseline_label, "baseline", {}, 0, {}},
                   {request.candidate, &request.candidate_label, "candidate", {}, 0, {}}};
  std::vector<registry::Source> sources;
  for (Side& side : sides) {
    auto source = intake::locate(side.path, limits);
    if (!source) {
      Error error = source.error();
      if (error.code == ErrorCode::not_found)
        error.message = std::string("--") + side.parameter + " does not exist: " + core::cited_path(side.path);
      return core::fail(std::move(error));
    }
    side.path = source->path;
    side.bytes = source->bytes;
    sources.push_back(std::move(*source));
  }
  Digests digests(std::move(sources), limits);
  for (Side& side : sides) {
    if (context.stop_asked()) return core::fail(cancelled_error());
    auto scratch = ScratchFolder::make(context);
    if (!scratch) return core::fail(scratch.error());
    profiles::ReadOptions options;
    options.devices = request.devices;
    options.steps = request.steps;
    options.rank = request.rank;
    options.nsys = nsys_path(context);
    options.open = capture_opener(context);
    options.scratch = scratch->path();
    options.stop = [&context] { return context.stop_asked(); };
    if (context.progress) {
      const bool second = &side == &sides[1];
      options.progress = [&context, second](double fraction, std::string_view message) {
        context.progress((second ? 0.5 : 0.0) + fraction / 2, message);
      };
    }
    auto profile = profiles::read(side.path, options);
    if (!profile) return core::fail(profile.error());
    profile->info.path = side.path;
    profile->info.label = side.label->empty() ? side.path : *side.label;
    profile->info.bytes = side.bytes;
    side.profile = std::move(*profile);
  }
  const auto hashes = digests.take();
  if (!hashes) return core::fail(hashes.error());
  for (std::size_t i = 0; i < std::size(sides); ++i) sides[i].profile->info.sha256 = sides[i].sha256 = (*hashes)[i];
  profiles::DiffOptions options = request.options;
  if (!request.root.empty()) {
    auto categories = kernel_categories_for(request.root, context);
    if (!categories) return core::fail(categories.error());
    auto ceilings = ceilings_for(request.root, context);
    if (!ceilings) return core::fail(ceilings.error());
    options.categories = *categories;
    options.ceilings = *ceilings;
  }
  options.same_content = sides[0].sha256 == sides[1].sha256;
  profiles::CaptureEvidence evidence = profiles::diff(*sides[0].profile, *sides[1].profile, options);
  verdict::CaptureJudgement judgement =
      verdict::judge_captures({*sides[0].profile, *sides[1].profile, evidence, options.same_content});
  core::ProfileDiff diff = verdict::judged(std::move(evidence.diff), std::move(judgement));
  diff.compared_at_utc = registry::utc_text(context.now());
  diff.tool.version = version();
  diff.command = context.command;
  return diff;
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
  out.compared_at_utc = profile.compared_at_utc;
  out.tool = profile.tool;
  out.command = profile.command;
  out.evidence = core::CaptureResult{std::make_shared<const core::ProfileDiff>(profile)};
  return out;
}

}  // namespace plumbline::verbs
