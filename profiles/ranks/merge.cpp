#include "profiles/ranks/merge.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/text.hpp"
#include "profiles/analysis/collectives.hpp"
#include "profiles/analysis/gaps.hpp"
#include "profiles/analysis/op_work.hpp"
#include "profiles/analysis/work_marks.hpp"
#include "profiles/bounded.hpp"
#include "profiles/ranks/telling.hpp"
#include "profiles/ranks/waiting.hpp"

namespace plumbline::profiles {
namespace {

using CollectiveKey = std::tuple<std::string, std::string, std::string, std::string, std::uint32_t>;

constexpr std::string_view kSeveral = "several";

void add_side(const core::ProfileCollectiveSide& more, core::ProfileCollectiveSide& sum) {
  sum.min_ns = sum.count == 0 ? more.min_ns : std::min(sum.min_ns, more.min_ns);
  sum.max_ns = std::max(sum.max_ns, more.max_ns);
  sum.count += more.count;
  add_bounded(sum.total_ns, more.total_ns);
  sum.bytes += more.bytes;
}

// Most often first, then by name.
void add_calls(const std::vector<std::pair<std::string, std::uint64_t>>& more,
               std::vector<std::pair<std::string, std::uint64_t>>& sum) {
  std::map<std::string, std::uint64_t> counts(sum.begin(), sum.end());
  for (const auto& [name, count] : more) counts[name] += count;
  sum.assign(counts.begin(), counts.end());
  std::stable_sort(sum.begin(), sum.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
}

double median_wall(const Steps& steps) {
  std::vector<std::pair<double, std::uint64_t>> walls;
  for (const Step& step : steps.steps) walls.emplace_back(static_cast<double>(step.wall_ns), 1);
  return weighted_median(std::move(walls));
}

// That which took longer; of two as long always the same one.
bool is_slower(const Step& a, const Step& b) {
  const auto key = [](const Step& step) {
    const core::ProfileBuckets& parts = step.buckets;
    const core::ProfileIdleSplit idle = parts.idle_split.value_or(core::ProfileIdleSplit{});
    return std::tuple(step.wall_ns, step.start, step.kernels, parts.span_ns, parts.compute_ns, parts.exposed_comm_ns,
                      parts.exposed_copy_ns, parts.hidden_comm_ns, parts.hidden_copy_ns, idle.host_ns, idle.sync_ns,
                      idle.launch_ns, parts.idle_split.has_value());
  };
  return key(a) > key(b);
}

// The larger of what two contexts say; "" where neither says anything.
std::string larger_world(const core::Context& a, const core::Context& b) {
  const auto key = [](const core::Context& context) {
    const auto at = context.find(std::string(kWorldSize));
    const std::string text = at == context.end() ? std::string() : at->second;
    const std::int64_t ranks = core::parse_int(text).value_or(0);
    return std::pair(ranks > 0 && ranks <= kMaxWorld ? ranks : 0, text);
  };
  return std::max(key(a), key(b)).second;
}

std::vector<std::int64_t> united(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

std::string gpus_text(const std::map<std::string, std::uint64_t>& gpus) {
  std::vector<std::string> names;
  names.reserve(gpus.size());
  for (const auto& [name, ranks] : gpus) names.push_back(name);
  return core::listed(names);
}

// Of one rank: its devices as the job numbers and names them, and what the job keeps aside.
Job job_of(Profile&& profile, std::int64_t rank, bool several) {
  Job job;
  const auto device = [several, rank](std::int64_t number) {
    return number < 0 ? number : RankMerge::device_number(rank, number, several);
  };
  for (DeviceWall& wall : profile.devices) {
    const std::string gpu = wall.name.empty() ? "" : ": " + wall.name;
    wall.name = "rank " + std::to_string(rank) + ", device " + std::to_string(wall.device) + gpu;
    wall.device = device(wall.device);
  }
  for (Gaps& each : profile.gaps) each.side.longest.device = device(each.side.longest.device);
  for (auto* rows : {&profile.kernels, &profile.nvtx, &profile.api, &profile.nccl, &profile.memory}) {
    for (NamedAggregate& row : *rows) row.slowest.device = device(row.slowest.device);
  }
  if (profile.timeline) {
    profile.timeline->rank = rank;
    profile.timeline->device = device(profile.timeline->device);
  }
  std::set<std::pair<core::WarningCode, std::string>> known;
  for (core::Warning& warning : profile.warnings) {
    if (!known.emplace(warning.code, warning.message).second) continue;
    job.said.push_back({warning.code, std::move(warning.message), static_cast<std::int64_t>(job.said.size()), {rank}});
  }
  const core::Context& context = profile.info.context;
  const auto gpu = context.find("hardware.gpu");
  const auto count = context.find("hardware.gpu_count");
  if (gpu != context.end()) job.gpus[gpu->second] = 1;
  if (count != context.end())
    job.gpu_count = static_cast<std::uint64_t>(std::max<std::int64_t>(0, core::parse_int(count->second).value_or(0)));
  job.slowest = profile.steps;
  job.slowest_rank = rank;
  profile.info.ranks = {rank};
  profile.warnings.clear();
  profile.rank.reset();
  job.sum = std::move(profile);
  return job;
}

}  // namespace

// A median over ranks: of the sketches where each rank has one, else that of the ranks' medians by how often each was measured.
struct MedianOfRanks {
  std::vector<std::pair<double, std::uint64_t>> medians;
  bool sketched = true;  // each of them

  void add(const std::optional<double>& median, std::uint64_t count, const Sketch& sketch, Sketch& sum) {
    if (!median) return;
    medians.emplace_back(*median, count);
    sketched = sketched && !sketch.empty();
    sum.add(sketch);
  }
  std::optional<double> finish(Sketch& sum) {
    std::optional<double> median;
    if (medians.size() == 1) median = medians.front().first;
    if (medians.size() > 1) median = sketched ? sum.median() : weighted_median(std::move(medians));
    if (!sketched) sum = {};
    return median;
  }
};

struct RankMerge::State {
  explicit State(Keep how) : keep(how), kernels(how), nvtx(how), api(how), nccl(how), memory(how), ranges(how) {}

  Keep keep;
  Job job;
  MergedRows kernels, nvtx, api, nccl, memory;
  MergedRanges ranges;
  Waiting waiting;
  std::map<CollectiveKey, std::uint32_t> collectives;
  MedianOfRanks delays, launch_costs;
  std::set<std::string> disagreeing;  // context keys
  std::map<std::pair<core::WarningCode, std::string>, Said> said;

  [[nodiscard]] bool empty() const { return job.sum.info.ranks.empty(); }
  std::vector<std::uint32_t> add_collectives(const std::vector<CollectiveGroup>& groups);
  void add_context(const core::Context& context);
  void add_steps(Job& more);
  void add_timeline(std::optional<core::ProfileTimelineSide>&& timeline);
  void add_launches(const Profile& more);
  void add_said(std::vector<Said>&& list);
  void add_warnings(std::vector<core::Warning>&& list);
  void add_failed(std::vector<core::RankFailure>&& list);
  void add_info(const Profile& more);
  void add(Job&& more);
  [[nodiscard]] Meetings sort_collectives();
};

std::vector<std::uint32_t> RankMerge::State::add_collectives(const std::vector<CollectiveGroup>& groups) {
  std::vector<CollectiveGroup>& sums = job.sum.collectives;
  std::vector<std::uint32_t> kinds;
  for (const CollectiveGroup& group : groups) {
    const auto added = collectives.try_emplace({group.type, group.size_bucket, group.dtype, group.group, group.group_size},
                                               static_cast<std::uint32_t>(sums.size()));
    if (added.second) sums.push_back({group.type, group.size_bucket, group.dtype, group.group, group.group_size, {}});
    add_side(group.side, sums[added.first->second].side);
    kinds.push_back(added.first->second);
  }
  return kinds;
}

// What all ranks say stays; a key that they disagree about, or that some leave out, goes and is named.
void RankMerge::State::add_context(const core::Context& context) {
  core::Context& known = job.sum.info.context;
  if (empty()) {
    known = context;
    return;
  }
  std::string world = larger_world(known, context);
  for (auto at = known.begin(); at != known.end();) {
    const auto found = context.find(at->first);
    if (found != context.end() && found->second == at->second) {
      ++at;
      continue;
    }
    disagreeing.insert(at->first);
    at = known.erase(at);
  }
  for (const auto& [key, value] : context) {
    if (!known.contains(key)) disagreeing.insert(key);
  }
  if (!world.empty()) known[std::string(kWorldSize)] = std::move(world);
}

void RankMerge::State::add_steps(Job& more) {
  Steps& known = job.sum.steps;
  Steps& other = more.sum.steps;
  const bool lower = !empty() && more.sum.info.ranks.front() < job.sum.info.ranks.front();
  if (empty()) {
    known = std::move(other);
    job.steps_correspond = more.steps_correspond;
  } else if (job.steps_correspond && more.steps_correspond && other.basis == known.basis &&
             other.steps.size() == known.steps.size()) {
    if (lower) known.name = std::move(other.name);
    for (std::size_t i = 0; i < known.steps.size(); ++i) {
      if (is_slower(other.steps[i], known.steps[i])) known.steps[i] = other.steps[i];
    }
    known.left_out = std::max(known.left_out, other.left_out);
  } else {
    known = {};
    job.steps_correspond = false;
  }
  const auto key = [](const Job& each) { return std::pair(median_wall(each.slowest), -each.slowest_rank); };
  if (empty() || key(more) > key(job)) {
    job.slowest = std::move(more.slowest);
    job.slowest_rank = more.slowest_rank;
  }
}

// Of the rank whose typical step takes longest; of equal ones the first rank's.
void RankMerge::State::add_timeline(std::optional<core::ProfileTimelineSide>&& timeline) {
  if (!timeline) return;
  const auto key = [](const core::ProfileTimelineSide& side) { return std::tuple(-side.wall_ns, side.rank); };
  if (!job.sum.timeline || key(*timeline) < key(*job.sum.timeline)) job.sum.timeline = std::move(timeline);
}

void RankMerge::State::add_launches(const Profile& profile) {
  if (!profile.launches) return;
  const core::ProfileLaunches& more = *profile.launches;
  const bool first = !job.sum.launches;
  if (first) job.sum.launches.emplace();
  core::ProfileLaunches& to = *job.sum.launches;
  to.launches += more.launches;
  to.graph_launches += more.graph_launches;
  add_bounded(to.launch_api_ns, more.launch_api_ns);
  to.tiny_kernels += more.tiny_kernels;
  to.syncs += more.syncs;
  add_bounded(to.sync_ns, more.sync_ns);
  to.pageable_copies += more.pageable_copies;
  to.pageable_bytes += more.pageable_bytes;
  to.allocations += more.allocations;
  to.frees += more.frees;
  add_bounded(to.allocation_ns, more.allocation_ns);
  add_calls(more.sync_calls, to.sync_calls);
  add_calls(more.allocation_calls, to.allocation_calls);
  to.one_off_launches += more.one_off_launches;
  add_bounded(to.one_off_ns, more.one_off_ns);
  to.steady_known = first ? more.steady_known : to.steady_known && more.steady_known;
  add_calls(more.steady_sync_calls, to.steady_sync_calls);
  add_calls(more.steady_allocation_calls, to.steady_allocation_calls);
  delays.add(more.median_delay_ns, more.launches, profile.launch_delays, job.sum.launch_delays);
  launch_costs.add(more.median_launch_ns, more.launches, profile.launch_costs, job.sum.launch_costs);
}

void RankMerge::State::add_said(std::vector<Said>&& list) {
  for (Said& each : list) {
    const auto [at, fresh] = said.try_emplace({each.code, each.message}, each);
    if (fresh) continue;
    if (each.ranks.front() < at->second.ranks.front()) at->second.place = each.place;
    at->second.ranks = united(at->second.ranks, each.ranks);
  }
}

void RankMerge::State::add_warnings(std::vector<core::Warning>&& list) {
  std::vector<core::Warning>& known = job.sum.warnings;
  const auto key = [](const core::Warning& one) { return std::tuple(one.code, std::string_view(one.message)); };
  for (core::Warning& each : list) {
    const auto at = std::lower_bound(known.begin(), known.end(), each,
                                     [&key](const core::Warning& a, const core::Warning& b) { return key(a) < key(b); });
    if (at == known.end() || !(*at == each)) known.insert(at, std::move(each));
  }
}

void RankMerge::State::add_failed(std::vector<core::RankFailure>&& list) {
  for (core::RankFailure& each : list) {
    const auto key = [](const core::RankFailure& one) { return std::tie(one.rank, one.file, one.code, one.reason); };
    const auto at = std::lower_bound(job.failed.begin(), job.failed.end(), each,
                                     [&key](const core::RankFailure& a, const core::RankFailure& b) { return key(a) < key(b); });
    if (at == job.failed.end() || !(*at == each)) job.failed.insert(at, std::move(each));
  }
}

void RankMerge::State::add_info(const Profile& more) {
  core::ProfileSideInfo& info = job.sum.info;
  if (empty()) {
    info.format = more.info.format;
    info.version = more.info.version;
    job.sum.graph_mode = more.graph_mode;
    job.sum.graph_mode_known = more.graph_mode_known;
  }
  if (info.format != more.info.format) info.format = kSeveral;
  if (info.version != more.info.version) info.version = kSeveral;
  if (job.sum.graph_mode != more.graph_mode) {
    job.sum.graph_mode.clear();
    job.sum.graph_mode_known = false;
    disagreeing.insert("regime.cuda_graph_trace");
  }
  info.kernels += more.info.kernels;
  info.bytes += more.info.bytes;
  if (more.info.span_ns) info.span_ns = std::max(info.span_ns.value_or(0), *more.info.span_ns);
  job.sum.streams += more.streams;
  job.sum.environment_rows += more.environment_rows;
  for (const auto& [what, rows] : more.private_rows) job.sum.private_rows[what] += rows;
  job.sum.from_digest = job.sum.from_digest || more.from_digest;
}

void RankMerge::State::add(Job&& more) {
  Profile& profile = more.sum;
  add_info(profile);
  add_context(profile.info.context);
  disagreeing.insert(more.disagreeing.begin(), more.disagreeing.end());
  for (const auto& [gpu, ranks] : more.gpus) job.gpus[gpu] += ranks;
  job.gpu_count += more.gpu_count;
  const std::vector<std::uint32_t> kinds = add_collectives(profile.collectives);
  if (profile.info.ranks.size() == 1 && !profile.collective_instances.empty())
    waiting.add(profile, kinds, profile.info.ranks.front());  // while its steps are there
  waiting.add(std::move(more.meetings), kinds);
  add_failed(std::move(more.failed));
  add_steps(more);
  add_timeline(std::move(profile.timeline));
  add_said(std::move(more.said));
  add_warnings(std::move(profile.warnings));
  std::move(profile.devices.begin(), profile.devices.end(), std::back_inserter(job.sum.devices));
  add_gaps(job.sum.gaps, std::move(profile.gaps));
  add_op_work(job.sum.op_work, std::move(profile.op_work));
  add_bounded(job.sum.gap_steps_ns, profile.gap_steps_ns);
  add_marked_work(job.sum.marked_work, profile.marked_work);
  add_launches(profile);
  ranges.add(profile.ranges);
  kernels.add(std::move(profile.kernels));
  nvtx.add(std::move(profile.nvtx));
  api.add(std::move(profile.api));
  nccl.add(std::move(profile.nccl));
  memory.add(std::move(profile.memory));
  job.sum.info.ranks = united(job.sum.info.ranks, profile.info.ranks);
}

// Most time first, then by what they are called.
Meetings RankMerge::State::sort_collectives() {
  std::vector<CollectiveGroup>& groups = job.sum.collectives;
  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&groups](std::uint32_t a, std::uint32_t b) {
    const auto key = [](const CollectiveGroup& group) {
      return std::tuple(-group.side.total_ns, std::string_view(group.type), std::string_view(group.size_bucket),
                        std::string_view(group.dtype), std::string_view(group.group), group.group_size);
    };
    return key(groups[a]) < key(groups[b]);
  });
  std::vector<std::uint32_t> places(groups.size());
  std::vector<CollectiveGroup> sorted;
  for (const std::uint32_t from : order) {
    places[from] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(groups[from]));
  }
  groups = std::move(sorted);
  return waiting.take(places);
}

RankMerge::RankMerge(Keep keep) : state_(std::make_unique<State>(keep)) {}
RankMerge::~RankMerge() = default;
RankMerge::RankMerge(RankMerge&&) noexcept = default;
RankMerge& RankMerge::operator=(RankMerge&&) noexcept = default;

void RankMerge::add(Profile&& profile, std::int64_t rank, bool several) {
  several = several || profile.devices.size() > 1;
  state_->add(job_of(std::move(profile), rank, several));
}

void RankMerge::add(Job&& job) { state_->add(std::move(job)); }

void RankMerge::add(std::vector<core::RankFailure>&& failed) { state_->add_failed(std::move(failed)); }

core::Expected<Job> RankMerge::take(const std::string& path) {
  State& s = *state_;
  Profile& sum = s.job.sum;
  std::int64_t ignored = 0;
  const bool plausible = s.kernels.finish(sum.kernels, sum.info.kernel_ns) && s.nvtx.finish(sum.nvtx, ignored) &&
                         s.api.finish(sum.api, ignored) && s.nccl.finish(sum.nccl, ignored) &&
                         s.memory.finish(sum.memory, ignored);
  if (!plausible) {
    return core::fail(core::ErrorCode::invalid_input,
                      "the times of the ranks add up to more than 73 years: at least one capture is damaged",
                      "compare the ranks one by one with --rank", path);
  }
  sum.info.path = path;
  sum.ranges = s.ranges.finish();
  s.job.meetings = s.sort_collectives();
  std::stable_sort(sum.devices.begin(), sum.devices.end(),
                   [](const DeviceWall& a, const DeviceWall& b) { return a.device < b.device; });
  if (sum.launches) {
    sum.launches->median_delay_ns = s.delays.finish(sum.launch_delays);
    sum.launches->median_launch_ns = s.launch_costs.finish(sum.launch_costs);
  }
  s.job.disagreeing.assign(s.disagreeing.begin(), s.disagreeing.end());
  for (auto& [key, said] : s.said) s.job.said.push_back(std::move(said));
  std::sort(s.job.said.begin(), s.job.said.end(), [](const Said& a, const Said& b) {
    return std::tuple(a.ranks.front(), a.place, a.code, std::string_view(a.message)) <
           std::tuple(b.ranks.front(), b.place, b.code, std::string_view(b.message));
  });
  return std::move(s.job);
}

core::Expected<Profile> RankMerge::finish(const std::string& path) {
  auto job = take(path);
  if (!job) return core::fail(job.error());
  return profile_of(std::move(*job));
}

Profile profile_of(Job&& job) {
  const core::ProfileRanksSide told = tell_presence(job);
  Profile sum = std::move(job.sum);
  const std::vector<std::int64_t>& ranks = sum.info.ranks;
  const auto say = [&sum](core::WarningCode code, std::string message) { sum.warnings.push_back({code, std::move(message)}); };
  for (auto* rows : {&sum.kernels, &sum.nvtx, &sum.api, &sum.nccl, &sum.memory}) bound_shares(*rows);
  const bool by_order = tell_waiting(job.meetings, ranks.size(), sum.collectives);
  for (CollectiveGroup& group : sum.collectives) set_bandwidth(group.type, group.group_size, group.side);
  for (const char* counted_key : {"hardware.gpu", "hardware.gpu_count"}) std::erase(job.disagreeing, counted_key);
  if (std::find(job.disagreeing.begin(), job.disagreeing.end(), kWorldSize) != job.disagreeing.end())
    sum.info.context.erase(std::string(kWorldSize));
  if (!job.gpus.empty()) sum.info.context["hardware.gpu"] = gpus_text(job.gpus);
  if (job.gpu_count > 0) sum.info.context["hardware.gpu_count"] = std::to_string(job.gpu_count);
  for (Said& each : job.said) {
    const std::string who = each.ranks.size() == ranks.size() && ranks.size() > 1 ? "every rank"
                            : each.ranks.size() == 1                              ? "rank " + std::to_string(each.ranks.front())
                                                                                  : core::counted(each.ranks.size(), "rank");
    say(each.code, who + ": " + each.message);
  }
  if (!told.whole()) say("ranks_missing", "it rests on " + ranks_told(told));
  if (ranks.size() < 2) return sum;
  const bool sketched = std::all_of(sum.kernels.begin(), sum.kernels.end(),
                                    [](const NamedAggregate& row) { return !row.aggregate.sketch.empty(); });
  say("merged_medians", "medians over " + std::to_string(ranks.size()) +
                            (sketched ? " ranks are told by the distributions of their times, within 1 %"
                                      : " ranks are the middle of the ranks' medians, not of all events; standard deviations are "
                                        "pooled"));
  if (!job.steps_correspond) {
    sum.steps = std::move(job.slowest);
    say("steps_not_matched",
        "the ranks do not have the same number of steps: the steps shown are those of the rank with the "
        "longest median step");
  }
  if (by_order) {
    say("collectives_by_order",
        "some collectives carry neither group nor sequence number: over ranks they were matched by their order, as if every "
        "rank took part in each");
  }
  if (job.meetings.level > 0) {
    say("waiting_sampled", "waiting between ranks is that of one in " +
                               std::to_string(std::uint64_t{1} << std::min(job.meetings.level, 62U)) + " collectives");
  }
  if (!job.disagreeing.empty()) {
    say("ranks_disagree", "the ranks do not say the same of " + core::listed(job.disagreeing) + ": left out of the context");
  }
  return sum;
}

}  // namespace plumbline::profiles
