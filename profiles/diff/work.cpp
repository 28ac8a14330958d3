#include "profiles/diff/work.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "core/citing.hpp"
#include "profiles/capture.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kSeveral = 4;
constexpr std::uint64_t kOften = 3;      // calls on both sides
constexpr double kSameRatio = 0.03;      // relative: count ratios that mean the same amount of work
constexpr double kAnchorShare = 0.05;    // of the shared kernel time
constexpr double kAgreement = 0.8;       // of the anchors' weight
constexpr double kReplayShare = 0.2;     // of the kernel time: what one side's replays may hold more than the other's
constexpr double kReplayNotice = 0.01;   // below, a side has none
constexpr double kWholeRun = 0.8;        // of the span
constexpr double kGrown = 1.25;          // threads of a launch
constexpr std::size_t kFewestGrown = 3;  // kernels
constexpr double kMoved = 0.1;           // relative: a kernel's calls for the same work
constexpr double kManyMore = 1.5;        // calls that were lost over those that came instead
constexpr double kNoticeable = 0.01;     // of the kernel time
constexpr double kLeastLeft = 0.2;       // of the time of small kernels, in those that they were fused to
constexpr std::size_t kNamed = 5;

double real(std::int64_t value) { return static_cast<double>(value); }
double real(std::uint64_t value) { return static_cast<double>(value); }

double ratio_of(std::size_t baseline, std::size_t candidate) {
  return static_cast<double>(candidate) / static_cast<double>(baseline);
}

struct Totals {
  double baseline = 0, candidate = 0;
};
Totals totals_of(const std::vector<core::ProfileRow>& kernels) {
  Totals sum;
  for (const core::ProfileRow& row : kernels) {
    sum.baseline += real(row.baseline_ns);
    sum.candidate += real(row.candidate_ns);
  }
  return sum;
}

struct Vote {
  double log_ratio = 0, weight = 0;
  const core::ProfileRow* row = nullptr;
};

// Names called once or twice say little about how many steps there were: they vote where no other can.
std::vector<Vote> votes_of(const std::vector<core::ProfileRow>& kernels) {
  const Totals total = totals_of(kernels);
  const bool often = std::any_of(kernels.begin(), kernels.end(), [](const core::ProfileRow& row) {
    return std::min(row.baseline_count.value_or(0), row.candidate_count.value_or(0)) >= kOften;
  });
  std::vector<Vote> votes;
  if (total.baseline <= 0 || total.candidate <= 0) return votes;
  for (const core::ProfileRow& row : kernels) {
    const double n0 = real(row.baseline_count.value_or(0));
    const double n1 = real(row.candidate_count.value_or(0));
    if (n0 <= 0 || n1 <= 0) continue;
    if (often && std::min(n0, n1) < static_cast<double>(kOften)) continue;
    const double weight = std::min(real(row.baseline_ns) / total.baseline, real(row.candidate_ns) / total.candidate);
    if (weight > 0) votes.push_back({std::log(n1) - std::log(n0), weight, &row});
  }
  return votes;
}

double weight_of(const std::vector<Vote>& votes) {
  double sum = 0;
  for (const Vote& vote : votes) sum += vote.weight;
  return sum;
}

// The lower and the upper weighted median; relative slack, so that exact halves are halves.
double weighted_median(std::vector<Vote> votes) {
  std::sort(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) {
    return a.log_ratio != b.log_ratio ? a.log_ratio < b.log_ratio : a.weight < b.weight;
  });
  const double half = weight_of(votes) / 2;
  const auto reached = [&](auto begin, auto end) {
    double running = 0;
    for (auto at = begin; at != end; ++at) {
      running += at->weight;
      if (running >= half * (1 - 1e-12)) return at->log_ratio;
    }
    return votes.back().log_ratio;
  };
  return (reached(votes.begin(), votes.end()) + reached(votes.rbegin(), votes.rend())) / 2;
}

// Kernels that no compiler makes fewer by fusing them, and that most of a program's work is done in.
bool is_anchor(const core::ProfileRow& row) {
  constexpr std::array<std::string_view, 6> kAnchors = {"GEMM", "MoE GEMM", "Attention", "Convolution", "SSM", "Communication"};
  const std::string_view category = row.category;
  if (category.starts_with("GEMM epilogue")) return false;
  return std::any_of(kAnchors.begin(), kAnchors.end(), [&](std::string_view name) { return category.starts_with(name); });
}

// What the anchors agree on; nothing where they are few or at odds, or where some stand in for others that are gone.
std::optional<double> anchored(const std::vector<core::ProfileRow>& kernels) {
  const std::vector<Vote> votes = votes_of(kernels);
  std::vector<Vote> anchors;
  std::copy_if(votes.begin(), votes.end(), std::back_inserter(anchors), [](const Vote& vote) { return is_anchor(*vote.row); });
  const double weight = weight_of(anchors);
  if (anchors.empty() || weight < kAnchorShare * weight_of(votes)) return std::nullopt;
  const double middle = weighted_median(anchors);
  double agreeing = 0;
  for (const Vote& vote : anchors) agreeing += std::abs(vote.log_ratio - middle) <= kSameRatio ? vote.weight : 0;
  double calls0 = 0;
  double calls1 = 0;
  for (const core::ProfileRow& row : kernels) {
    if (!is_anchor(row)) continue;
    calls0 += real(row.baseline_count.value_or(0));
    calls1 += real(row.candidate_count.value_or(0));
  }
  const bool all_alike = std::abs(std::log(calls1 / calls0) - middle) <= kSameRatio;
  return all_alike && agreeing >= kAgreement * weight ? std::optional<double>(middle) : std::nullopt;
}

std::optional<double> believed_calls(const std::vector<core::ProfileRow>& kernels) {
  const std::optional<double> all = call_ratio(kernels);
  if (!all) return std::nullopt;
  const std::optional<double> anchors = anchored(kernels);
  if (!anchors || std::abs(*anchors - std::log(*all)) <= kSameRatio) return all;
  return std::exp(*anchors);
}

double replay_share(const Profile& profile) {
  double replays = 0;
  double all = 0;
  for (const NamedAggregate& each : profile.kernels) {
    all += real(each.aggregate.total);
    if (each.name == kGraphReplay) replays += real(each.aggregate.total);
  }
  return all > 0 ? replays / all : 0;
}

std::string hidden_side(double baseline, double candidate) {
  const bool one_alone = (baseline > kReplayNotice) != (candidate > kReplayNotice);
  if (!one_alone && std::abs(baseline - candidate) <= kReplayShare) return {};
  return baseline > candidate ? "baseline" : "candidate";
}

// Steps that the windows of all devices hold, parts at their ends included.
std::optional<double> mark_ratio(const Profile& baseline, const Profile& candidate) {
  const auto marks = [](const Steps& steps) { return steps.steps.size() + steps.left_out; };
  if (!same_marks(baseline.steps, candidate.steps)) return std::nullopt;
  if (marks(baseline.steps) == 0 || marks(candidate.steps) == 0) return std::nullopt;
  return ratio_of(marks(baseline.steps), marks(candidate.steps)) * device_ratio(baseline, candidate);
}

// The outermost range that covers nearly all of a window, and the same of the other side.
const RangeNode* whole_run(const Profile& profile, const std::string* name) {
  const RangeNode* best = nullptr;
  for (const RangeNode& node : profile.ranges) {
    if (node.parent != kNone || node.count == 0 || (name != nullptr && node.name != *name)) continue;
    if (real(node.host_ns) < kWholeRun * real(profile.info.span_ns.value_or(0)) || node.host_ns <= 0) continue;
    if (best == nullptr || node.host_ns > best->host_ns) best = &node;
  }
  return best;
}

struct Told {
  std::optional<double> ratio;
  std::string by, range;  // as of Work
};
// By what is marked: steps, else a range that both runs lie in.
Told told_by_marks(const Profile& baseline, const Profile& candidate) {
  if (const std::optional<double> steps = mark_ratio(baseline, candidate)) return {steps, "steps", {}};
  const RangeNode* whole = whole_run(baseline, nullptr);
  const RangeNode* same = whole == nullptr ? nullptr : whole_run(candidate, &whole->name);
  if (same == nullptr) return {};
  return {real(same->count) / real(whole->count), "range", whole->name};
}

// "(4096,1,1)x(256,1,1)" -> threads of the launch; 0 for any other text.
double threads_of(std::string_view shape) {
  double product = 1;
  int numbers = 0;
  for (std::size_t at = 0; at < shape.size();) {
    if (shape[at] < '0' || shape[at] > '9') {
      ++at;
      continue;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(shape.data() + at, shape.data() + shape.size(), value);
    if (error != std::errc()) return 0;
    at = static_cast<std::size_t>(end - shape.data());
    product *= real(value);
    ++numbers;
  }
  return numbers == 6 ? product : 0;
}

// Of the mean launch; 0 where a shape is not known.
double mean_threads(const NamedAggregate& kernel) {
  double sum = 0;
  double count = 0;
  for (const Share& shape : kernel.shapes) {
    const double threads = threads_of(shape.name);
    if (!(threads > 0)) return 0;
    sum += threads * real(shape.count);
    count += real(shape.count);
  }
  return count > 0 ? sum / count : 0;
}

std::unordered_map<std::string_view, const NamedAggregate*> by_name(const std::vector<NamedAggregate>& list) {
  std::unordered_map<std::string_view, const NamedAggregate*> out;
  for (const NamedAggregate& each : list) out.emplace(each.name, &each);
  return out;
}

// Kernels that are tuned anew change their grids, too; a larger batch changes those of most.
std::optional<WorkGrowth> growth_of(const Profile& baseline, const Profile& candidate,
                                    const std::vector<core::ProfileRow>& kernels) {
  const auto before = by_name(baseline.kernels);
  const auto after = by_name(candidate.kernels);
  std::vector<Vote> votes;
  for (const Vote& vote : votes_of(kernels)) {
    if (vote.row->match_rule != "exact" && vote.row->match_rule != "canonical") continue;
    if (vote.row->category.starts_with("Communication")) continue;  // as many blocks as channels
    const auto b = before.find(vote.row->baseline_name.empty() ? vote.row->name : vote.row->baseline_name);
    const auto c = after.find(vote.row->candidate_name.empty() ? vote.row->name : vote.row->candidate_name);
    if (b == before.end() || c == after.end()) continue;
    const double threads0 = mean_threads(*b->second);
    const double threads1 = mean_threads(*c->second);
    if (threads0 > 0 && threads1 > 0) votes.push_back({std::log(threads1) - std::log(threads0), vote.weight, vote.row});
  }
  if (votes.size() < kFewestGrown) return std::nullopt;
  const double middle = weighted_median(votes);
  if (std::abs(middle) < std::log(kGrown)) return std::nullopt;
  std::sort(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) { return a.weight > b.weight; });
  WorkGrowth growth;
  growth.factor = std::exp(middle);
  double grown = 0;
  std::size_t number = 0;
  for (const Vote& vote : votes) {
    if ((vote.log_ratio > 0) != (middle > 0) || std::abs(vote.log_ratio) < std::log(kGrown)) continue;
    grown += vote.weight;
    if (++number <= kNamed) growth.kernels.push_back(vote.row->name);
  }
  growth.share_pct = 100 * grown / weight_of(votes);
  return number >= kFewestGrown ? std::optional<WorkGrowth>(std::move(growth)) : std::nullopt;
}

std::string phase_of(const MarkedWork& work) {
  constexpr double kMostOf = 0.9;
  const double most = kMostOf * real(work.steps);
  if (real(work.prefill) >= most) return "prefill";
  if (real(work.decode) >= most) return "decode";
  return work.prefill + work.decode + work.mixed > 0 ? "mixed" : "";
}

// Where the marks of both sides say how much a step does.
std::optional<WorkGrowth> marked_growth(const std::optional<MarkedWork>& before, const std::optional<MarkedWork>& after) {
  if (!before || !after) return std::nullopt;
  WorkGrowth growth;
  const auto compare = [&growth](const char* what, double sum0, std::uint64_t steps0, double sum1, std::uint64_t steps1) {
    if (!growth.marked.empty() || steps0 == 0 || steps1 == 0 || sum0 <= 0 || sum1 <= 0) return;
    growth.marked = what;
    growth.factor = (sum1 / real(steps1)) / (sum0 / real(steps0));
  };
  compare("tokens", before->tokens, before->token_steps, after->tokens, after->token_steps);
  compare("requests", before->batch, before->batch_steps, after->batch, after->batch_steps);
  const std::string phase0 = phase_of(*before);
  const std::string phase1 = phase_of(*after);
  growth.other_phase = !phase0.empty() && !phase1.empty() && phase0 != phase1;
  if (std::abs(std::log(growth.factor)) < std::log(kGrown) && !growth.other_phase) return std::nullopt;
  const auto words = [](const std::string& phase, const MarkedWork& work) {
    return (phase.empty() ? "" : phase + ", ") + core::cited(work.example, 80);
  };
  growth.before = words(phase0, *before);
  growth.after = words(phase1, *after);
  return growth;
}

// What compilers call the kernels that they fuse.
bool is_compiled(const core::ProfileRow& row) {
  return row.category.starts_with("Triton fused") || row.category.starts_with("XLA fused") ||
         row.name.find("fus") != std::string::npos || row.name.find("Fus") != std::string::npos;
}

// Which small kernels are called less often for the same work while others came in their place.
std::optional<FusedCalls> fused_calls(const std::vector<core::ProfileRow>& kernels, double ratio) {
  struct Change {
    double calls = 0, ns = 0;
    const core::ProfileRow* row = nullptr;
  };
  std::vector<Change> gone, come;
  double gone_ns = 0, come_ns = 0;
  for (const core::ProfileRow& row : kernels) {
    if (is_anchor(row) || row.name == kGraphReplay) continue;
    const double before = real(row.baseline_count.value_or(0));
    const double after = real(row.candidate_count.value_or(0)) / ratio;
    if (after * (1 + kMoved) < before) {
      gone.push_back({before - after, real(row.baseline_ns) * (before - after) / before, &row});
      gone_ns += gone.back().ns;
    } else if (after > before * (1 + kMoved)) {
      come.push_back({after - before, real(row.candidate_ns) / ratio * (after - before) / after, &row});
      come_ns += come.back().ns;
    }
  }
  const Totals total = totals_of(kernels);
  if (gone.empty() || come.empty()) return std::nullopt;
  if (gone_ns < kNoticeable * total.baseline || come_ns < kNoticeable * total.candidate / ratio) return std::nullopt;
  FusedCalls out;
  const auto take = [](std::vector<Change>& changes, std::vector<std::string>& names, double& sum) {
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.calls > b.calls; });
    for (const Change& each : changes) {
      names.push_back(each.row->name);
      sum += each.calls;
    }
  };
  take(gone, out.gone, out.lost);
  take(come, out.come, out.gained);
  if (std::max(out.lost, out.gained) < kManyMore * std::min(out.lost, out.gained)) return std::nullopt;
  const bool fused = out.lost > out.gained;
  double compiled = 0;
  for (const Change& each : fused ? come : gone) compiled += is_compiled(*each.row) ? each.ns : 0;
  const double few_ns = fused ? come_ns : gone_ns;
  const double many_ns = fused ? gone_ns : come_ns;
  out.answered = few_ns >= kLeastLeft * many_ns && compiled > few_ns / 2;
  return out;
}

}  // namespace

bool same_marks(const Steps& baseline, const Steps& candidate) {
  const auto marked = [](const Steps& steps) { return steps.basis == "marker" || steps.basis == "range"; };
  return marked(baseline) && baseline.basis == candidate.basis && baseline.name == candidate.name;
}

double device_ratio(const Profile& baseline, const Profile& candidate) {
  if (!baseline.devices.empty() && !candidate.devices.empty()) return ratio_of(baseline.devices.size(), candidate.devices.size());
  if (baseline.info.ranks.empty() || candidate.info.ranks.empty()) return 1;
  return ratio_of(baseline.info.ranks.size(), candidate.info.ranks.size());
}

std::optional<double> calls_per_device(const Work& work, const Profile& baseline, const Profile& candidate) {
  if (!work.ratio || work.told_by != "calls") return std::nullopt;
  return *work.ratio / device_ratio(baseline, candidate);
}

std::optional<double> call_ratio(const std::vector<core::ProfileRow>& kernels) {
  std::vector<Vote> votes = votes_of(kernels);
  if (votes.empty()) return std::nullopt;
  // One name alone decides nothing where several others stand against it: it has at most half of what they have together.
  if (votes.size() >= kSeveral) {
    Vote& first = *std::max_element(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) { return a.weight < b.weight; });
    first.weight = std::min(first.weight, (weight_of(votes) - first.weight) / 2);
  }
  const double middle = weighted_median(std::move(votes));
  return middle == 0 ? 1 : std::exp(middle);
}

Work tell_work(const Profile& baseline, const Profile& candidate, const std::vector<core::ProfileRow>& kernels) {
  Work work;
  const double before = replay_share(baseline);
  const double after = replay_share(candidate);
  work.baseline_replay_pct = 100 * before;
  work.candidate_replay_pct = 100 * after;
  work.replayed = hidden_side(before, after);
  const Told told = told_by_marks(baseline, candidate);
  work.growth = marked_growth(baseline.marked_work, candidate.marked_work);
  if (work.replayed.empty()) {
    if (!work.growth || !work.growth->other_phase) {
      if (auto threads = growth_of(baseline, candidate, kernels)) work.growth = std::move(threads);
    }
    work.ratio = believed_calls(kernels);
    // Where calls are at odds with steps and kernels were fused or split, that is why, and steps are what stayed.
    const bool at_odds = work.ratio && told.ratio && std::abs(std::log(*work.ratio / *told.ratio)) > kSameRatio;
    if (at_odds) work.fused = fused_calls(kernels, *told.ratio);
    if (work.ratio && !work.fused) {
      work.told_by = "calls";
      work.fused = fused_calls(kernels, *work.ratio);
      return work;
    }
  }
  work.ratio = told.ratio;
  work.told_by = told.by;
  work.range = told.range;
  return work;
}

}  // namespace plumbline::profiles
