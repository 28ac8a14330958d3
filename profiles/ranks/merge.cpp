#include "profiles/ranks/merge.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/text.hpp"
#include "profiles/analysis/collectives.hpp"
#include "profiles/analysis/gaps.hpp"
#include "profiles/analysis/work_marks.hpp"
#include "profiles/bounded.hpp"
#include "profiles/ranks/rows.hpp"
#include "profiles/ranks/waiting.hpp"

namespace plumbline::profiles {
namespace {

using CollectiveKey = std::tuple<std::string, std::string, std::string, std::string, std::uint32_t>;

void add_side(const core::ProfileCollectiveSide& more, core::ProfileCollectiveSide& sum) {
  sum.min_ns = sum.count == 0 ? more.min_ns : std::min(sum.min_ns, more.min_ns);
  sum.max_ns = std::max(sum.max_ns, more.max_ns);
  sum.count += more.count;
  add_bounded(sum.total_ns, more.total_ns);
  sum.bytes += more.bytes;
}

void add_calls(const std::vector<std::pair<std::string, std::uint64_t>>& more,
               std::vector<std::pair<std::string, std::uint64_t>>& sum) {
  for (const auto& [name, count] : more) {
    const auto at = std::find_if(sum.begin(), sum.end(), [&name = name](const auto& each) { return each.first == name; });
    if (at == sum.end()) {
      sum.emplace_back(name, count);
    } else {
      at->second += count;
    }
  }
}

double median_wall(const Steps& steps) {
  std::vector<std::pair<double, std::uint64_t>> walls;
  for (const Step& step : steps.steps) walls.emplace_back(static_cast<double>(step.wall_ns), 1);
  return weighted_median(std::move(walls));
}

}  // namespace

struct RankMerge::State {
  Profile sum;
  std::vector<std::int64_t> ranks;
  MergedRows kernels, nvtx, api, nccl, memory;
  MergedRanges ranges;
  Waiting waiting;
  std::map<CollectiveKey, std::uint32_t> collectives;
  std::vector<std::pair<double, std::uint64_t>> delays, launch_costs;  // median launch delays of the ranks
  std::set<std::string> disagreeing;                                   // context keys
  std::map<std::string, std::uint64_t> gpus;                           // devices by the text of hardware.gpu
  std::uint64_t gpu_count = 0;
  Steps slowest;  // of the rank with the longest median step, for ranks whose steps do not correspond
  double slowest_median = -1;
  bool steps_correspond = true;
  std::map<std::pair<core::WarningCode, std::string>, std::vector<std::int64_t>> warnings;  // which ranks said it
  std::vector<std::pair<core::WarningCode, std::string>> warning_order;

  void add_collectives(const Profile& profile, std::int64_t rank);
  void add_devices(const Profile& profile, std::int64_t rank, const std::function<std::int64_t(std::int64_t)>& device);
  void add_context(const core::Context& context, bool first);
  void add_steps(Steps&& steps, bool first);
  void add_launches(const core::ProfileLaunches& more);
  void add_warnings(const std::vector<core::Warning>& list, std::int64_t rank);
  void say(core::WarningCode code, std::string message) { sum.warnings.push_back({code, std::move(message)}); }
};

void RankMerge::State::add_collectives(const Profile& profile, std::int64_t rank) {
  std::vector<std::uint32_t> kinds;
  for (const CollectiveGroup& group : profile.collectives) {
    const auto added = collectives.try_emplace({group.type, group.size_bucket, group.dtype, group.group, group.group_size},
                                               static_cast<std::uint32_t>(sum.collectives.size()));
    if (added.second) {
      sum.collectives.push_back({group.type, group.size_bucket, group.dtype, group.group, group.group_size, {}});
    }
    add_side(group.side, sum.collectives[added.first->second].side);
    kinds.push_back(added.first->second);
  }
  waiting.add(profile, kinds, rank);
}

void RankMerge::State::add_devices(const Profile& profile, std::int64_t rank,
                                   const std::function<std::int64_t(std::int64_t)>& device) {
  for (const DeviceWall& each : profile.devices) {
    DeviceWall wall = each;
    wall.device = device(each.device);
    wall.name = "rank " + std::to_string(rank) + ", device " + std::to_string(each.device);
    if (!each.name.empty()) wall.name += ": " + each.name;
    sum.devices.push_back(std::move(wall));
  }
  if (profile.info.span_ns) sum.info.span_ns = std::max(sum.info.span_ns.value_or(0), *profile.info.span_ns);
}

// What all ranks say stays; a key that they disagree about, or that some leave out, goes and is named.
void RankMerge::State::add_context(const core::Context& context, bool first) {
  const auto gpu = context.find("hardware.gpu");
  const auto count = context.find("hardware.gpu_count");
  if (gpu != context.end()) ++gpus[gpu->second];
  if (count != context.end())
    gpu_count += static_cast<std::uint64_t>(std::max<std::int64_t>(0, core::parse_int(count->second).value_or(0)));
  core::Context& known = sum.info.context;
  if (first) known = context;
  for (auto at = known.begin(); at != known.end();) {
    const auto found = context.find(at->first);
    if (found != context.end() && found->second == at->second) {
      ++at;
      continue;
    }
    disagreeing.insert(at->first);
    at = known.erase(at);
  }
  if (first) return;
  for (const auto& [key, value] : context) {
    if (!known.contains(key)) disagreeing.insert(key);
  }
}

void RankMerge::State::add_steps(Steps&& steps, bool first) {
  const double median = median_wall(steps);
  Steps& known = sum.steps;
  if (!first && (steps.basis != known.basis || steps.steps.size() != known.steps.size())) steps_correspond = false;
  if (first) {
    known = steps;
  } else if (steps_correspond) {
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      if (steps.steps[i].wall_ns > known.steps[i].wall_ns) known.steps[i] = steps.steps[i];
    }
    known.left_out = std::max(known.left_out, steps.left_out);
  }
  if (median > slowest_median) {
    slowest_median = median;
    slowest = std::move(steps);
  }
}

void RankMerge::State::add_launches(const core::ProfileLaunches& more) {
  const bool first = !sum.launches;
  if (first) sum.launches.emplace();
  core::ProfileLaunches& to = *sum.launches;
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
  if (more.median_delay_ns) delays.emplace_back(*more.median_delay_ns, more.launches);
  if (more.median_launch_ns) launch_costs.emplace_back(*more.median_launch_ns, more.launches);
}

void RankMerge::State::add_warnings(const std::vector<core::Warning>& list, std::int64_t rank) {
  for (const core::Warning& warning : list) {
    std::pair key(warning.code, warning.message);
    std::vector<std::int64_t>& said_by = warnings[key];
    if (said_by.empty()) warning_order.push_back(std::move(key));
    if (said_by.empty() || said_by.back() != rank) said_by.push_back(rank);
  }
}

RankMerge::RankMerge() : state_(std::make_unique<State>()) {}
RankMerge::~RankMerge() = default;
RankMerge::RankMerge(RankMerge&&) noexcept = default;
RankMerge& RankMerge::operator=(RankMerge&&) noexcept = default;

void RankMerge::add(Profile&& profile, std::int64_t rank, bool several) {
  State& s = *state_;
  const bool first = s.ranks.empty();
  s.ranks.push_back(rank);
  several = several || profile.devices.size() > 1;
  const auto device = [several, rank](std::int64_t number) { return device_number(rank, number, several); };
  if (first) {
    s.sum.info.format = profile.info.format;
    s.sum.info.version = profile.info.version;
    s.sum.graph_mode = profile.graph_mode;
    s.sum.graph_mode_known = profile.graph_mode_known;
  }
  if (s.sum.info.format != profile.info.format) s.sum.info.format = "several";
  if (s.sum.info.version != profile.info.version) s.sum.info.version = "several";
  if (s.sum.graph_mode != profile.graph_mode) {
    s.sum.graph_mode.clear();
    s.sum.graph_mode_known = false;
    s.disagreeing.insert("regime.cuda_graph_trace");
  }
  s.sum.info.kernels += profile.info.kernels;
  s.sum.info.bytes += profile.info.bytes;
  s.sum.streams += profile.streams;
  s.sum.environment_rows += profile.environment_rows;
  for (const auto& [what, rows] : profile.private_rows) s.sum.private_rows[what] += rows;
  s.add_context(profile.info.context, first);
  s.add_devices(profile, rank, device);
  for (Gaps& each : profile.gaps) each.side.longest.device = device(each.side.longest.device);
  add_gaps(s.sum.gaps, std::move(profile.gaps));
  add_bounded(s.sum.gap_steps_ns, profile.gap_steps_ns);
  s.add_collectives(profile, rank);
  add_marked_work(s.sum.marked_work, profile.marked_work);
  if (profile.launches) s.add_launches(*profile.launches);
  s.add_steps(std::move(profile.steps), first);
  s.add_warnings(profile.warnings, rank);
  s.ranges.add(profile.ranges);
  s.kernels.add(std::move(profile.kernels), device);
  s.nvtx.add(std::move(profile.nvtx), device);
  s.api.add(std::move(profile.api), device);
  s.nccl.add(std::move(profile.nccl), device);
  s.memory.add(std::move(profile.memory), device);
}

core::Expected<Profile> RankMerge::finish(const std::string& path) {
  State& s = *state_;
  Profile& sum = s.sum;
  std::int64_t ignored = 0;
  const bool plausible = s.kernels.finish(sum.kernels, sum.info.kernel_ns) && s.nvtx.finish(sum.nvtx, ignored) &&
                         s.api.finish(sum.api, ignored) && s.nccl.finish(sum.nccl, ignored) &&
                         s.memory.finish(sum.memory, ignored);
  if (!plausible) {
    return core::fail(core::ErrorCode::invalid_input,
                      "the times of the ranks add up to more than 73 years: at least one capture is damaged",
                      "compare the ranks one by one with --rank", path);
  }
  sum.ranges = s.ranges.finish();
  s.waiting.finish(sum.collectives);
  for (CollectiveGroup& group : sum.collectives) set_bandwidth(group.type, group.group_size, group.side);
  std::stable_sort(sum.collectives.begin(), sum.collectives.end(),
                   [](const CollectiveGroup& a, const CollectiveGroup& b) { return a.side.total_ns > b.side.total_ns; });
  std::stable_sort(sum.devices.begin(), sum.devices.end(),
                   [](const DeviceWall& a, const DeviceWall& b) { return a.device < b.device; });
  if (sum.launches && !s.delays.empty()) sum.launches->median_delay_ns = weighted_median(std::move(s.delays));
  if (sum.launches && !s.launch_costs.empty()) sum.launches->median_launch_ns = weighted_median(std::move(s.launch_costs));

  sum.info.path = path;
  std::sort(s.ranks.begin(), s.ranks.end());
  sum.info.ranks = s.ranks;
  for (const char* counted_key : {"hardware.gpu", "hardware.gpu_count"}) s.disagreeing.erase(counted_key);
  std::vector<std::string> gpus;
  for (const auto& [name, ranks] : s.gpus) gpus.push_back(name);
  if (!gpus.empty()) sum.info.context["hardware.gpu"] = core::listed(gpus);
  if (s.gpu_count > 0) sum.info.context["hardware.gpu_count"] = std::to_string(s.gpu_count);

  for (const auto& key : s.warning_order) {
    const std::vector<std::int64_t>& by = s.warnings[key];
    const std::string who = by.size() == s.ranks.size() && by.size() > 1 ? "every rank"
                            : by.size() == 1                             ? "rank " + std::to_string(by.front())
                                                                         : core::counted(by.size(), "rank");
    s.say(key.first, who + ": " + key.second);
  }
  if (s.ranks.size() < 2) return std::move(sum);
  s.say("merged_medians", "medians over " + std::to_string(s.ranks.size()) +
                              " ranks are the middle of the ranks' medians, not of all events; standard deviations are pooled");
  if (!s.steps_correspond) {
    sum.steps = std::move(s.slowest);
    s.say("steps_not_matched",
          "the ranks do not have the same number of steps: the steps shown are those of the rank with the "
          "longest median step");
  }
  if (s.waiting.by_order()) {
    s.say("collectives_by_order",
          "some collectives carry neither group nor sequence number: over ranks they were matched by their order, as if every "
          "rank took part in each");
  }
  if (!s.disagreeing.empty()) {
    const std::vector<std::string> keys(s.disagreeing.begin(), s.disagreeing.end());
    s.say("ranks_disagree", "the ranks do not say the same of " + core::listed(keys) + ": left out of the context");
  }
  return std::move(sum);
}

}  // namespace plumbline::profiles
