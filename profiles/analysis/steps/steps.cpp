#include "profiles/analysis/steps/steps.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/analysis/device_sweep.hpp"
#include "profiles/analysis/steps/step_period.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kNameShown = 60;

// ---- by period ------------------------------------------------------------------------------------------------------------

// The kernels of a device's busiest queue, in order.
struct Sequence {
  std::int64_t device = 0;
  Column<std::uint32_t> ops;
};

bool is_kernel(OpKind kind) { return kind == OpKind::kernel || kind == OpKind::graph; }

std::vector<Sequence> sequences(const Capture& capture) {
  const GpuOps& ops = capture.ops;
  std::vector<double> busy(capture.queues.size(), 0);
  std::vector<std::size_t> counts(capture.queues.size(), 0);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!is_kernel(ops.kind[i])) continue;
    busy[ops.queue[i]] += static_cast<double>(ops.times.length(i));
    ++counts[ops.queue[i]];
  }
  std::map<std::int64_t, std::uint32_t> busiest;  // device -> queue
  for (std::uint32_t queue = 0; queue < capture.queues.size(); ++queue) {
    if (counts[queue] == 0) continue;
    const auto [place, added] = busiest.try_emplace(capture.queues[queue].device, queue);
    if (!added && busy[queue] > busy[place->second]) place->second = queue;
  }
  std::vector<std::uint32_t> sequence_of(capture.queues.size(), kNone);
  std::vector<Sequence> result;
  for (const auto& [device, queue] : busiest) {
    if (result.size() == kMaxStepDevices) break;
    sequence_of[queue] = static_cast<std::uint32_t>(result.size());
    result.emplace_back();
    result.back().device = device;
    result.back().ops.reserve(counts[queue]);
  }
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const std::uint32_t sequence = sequence_of[ops.queue[i]];
    if (sequence != kNone && is_kernel(ops.kind[i])) result[sequence].ops.push_back(i);
  }
  return result;
}

// "void at::native::reduce_kernel<512, …>(…)" -> "at::native::reduce_kernel".
std::string short_name(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  const std::size_t cut = name.find_first_of("<(", 1);
  if (cut != std::string_view::npos) name = name.substr(0, cut);
  while (name.ends_with(' ')) name.remove_suffix(1);
  if (name.size() <= kNameShown) return std::string(name);
  std::size_t end = kNameShown;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;  // not through a character
  return std::string(name.substr(0, end)) + "…";
}

// Of equally good anchors the one before which the queue stood still longest: there a step begins. Of equal ones by name.
std::uint32_t best_anchor(const Capture& capture, const Sequence& sequence, const std::vector<std::uint32_t>& anchors) {
  std::map<std::uint32_t, double> still;  // before all occurrences; doubles, as nothing exact hangs on them
  for (const std::uint32_t name : anchors) still[name] = 0;
  const Times& times = capture.ops.times;
  for (std::size_t i = 1; i < sequence.ops.size(); ++i) {
    const auto found = still.find(capture.ops.name[sequence.ops[i]]);
    if (found == still.end()) continue;
    found->second += std::max(0.0, static_cast<double>(times.start(sequence.ops[i]) - times.end(sequence.ops[i - 1])));
  }
  const auto better = [&capture](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : capture.names.text(a.first) > capture.names.text(b.first);
  };
  return std::max_element(still.begin(), still.end(), better)->first;
}

struct PeriodPlan {
  StepPlan plan;
  std::int64_t median_wall = 0;
};

std::optional<PeriodPlan> plan_by_period(const Capture& capture, const Sequence& sequence, std::vector<std::uint32_t>& dense) {
  const GpuOps& ops = capture.ops;
  std::vector<std::uint32_t> texts;  // name id of each dense one
  std::vector<std::uint32_t> names;
  const std::size_t size = sequence.ops.size();
  const std::size_t window = std::min(size, kPeriodWindow);
  for (std::size_t i = (size - window) / 2; i < (size - window) / 2 + window; ++i) {
    const std::uint32_t name = ops.name[sequence.ops[i]];
    if (dense[name] == kNone) {
      dense[name] = static_cast<std::uint32_t>(texts.size());
      texts.push_back(name);
    }
    names.push_back(dense[name]);
  }
  for (const std::uint32_t name : texts) dense[name] = kNone;
  auto period = find_period(names, static_cast<std::uint32_t>(texts.size()));
  if (!period) return std::nullopt;
  for (std::uint32_t& anchor : period->anchors) anchor = texts[anchor];
  const std::uint32_t anchor = best_anchor(capture, sequence, period->anchors);

  std::vector<std::size_t> places;
  std::size_t seen = 0, last = size - 1;  // of all; the last kernel looked at
  for (std::size_t i = 0; i < size; ++i) {
    if (ops.name[sequence.ops[i]] != anchor || ++seen > 2 * kMaxSteps) continue;
    places.push_back(i);
    if (seen == 2 * kMaxSteps) last = i;
  }
  PeriodPlan result;
  DeviceSteps device{sequence.device, {}};
  std::vector<std::int64_t> walls;
  double covered = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    StepCut cut{static_cast<std::uint32_t>(k), ops.times.start(sequence.ops[places[k]]), false};
    if (k + 1 < places.size()) {
      const std::int64_t wall = ops.times.start(sequence.ops[places[k + 1]]) - cut.start;
      const auto kernels = static_cast<double>(places[k + 1] - places[k]);
      cut.whole = wall > 0 && 4 * std::abs(kernels - period->length) <= period->length;
      if (cut.whole) {
        walls.push_back(wall);
        covered += static_cast<double>(wall);
      }
    }
    device.cuts.push_back(cut);
  }
  const double span = static_cast<double>(ops.times.start(sequence.ops[last]) - ops.times.start(sequence.ops[0]));
  if (walls.size() < kLeastSteps || 2 * covered < span) return std::nullopt;
  std::nth_element(walls.begin(), walls.begin() + static_cast<std::ptrdiff_t>(walls.size() / 2), walls.end());
  result.median_wall = walls[walls.size() / 2];
  result.plan.basis = "period";
  result.plan.name = core::counted(static_cast<std::uint64_t>(period->length), "kernel") + " from " +
                     core::cited(short_name(capture.names.text(anchor)));
  result.plan.seen = seen + (places.front() > 0 ? 1 : 0);
  result.plan.devices.push_back(std::move(device));
  return result;
}

// Of the devices that repeat themselves the one with the longest period.
StepPlan plan_by_period(const Capture& capture, const std::function<bool()>& stop) {
  std::optional<PeriodPlan> best;
  std::vector<std::uint32_t> dense(capture.names.size(), kNone);
  for (const Sequence& sequence : sequences(capture)) {
    if (stop && stop()) break;
    auto plan = plan_by_period(capture, sequence, dense);
    if (plan && (!best || plan->median_wall > best->median_wall)) best = std::move(plan);
  }
  return best ? std::move(best->plan) : StepPlan{};
}

// ---- what a step was made of ----------------------------------------------------------------------------------------------

struct Longest {
  std::int64_t wall = 0;
  std::size_t device = 0;  // index into StepPlan::devices
};

// The longest wall of every whole step, by step; of the first steps, one more than are kept.
std::map<std::uint32_t, Longest> longest(const StepPlan& plan) {
  std::map<std::uint32_t, Longest> result;
  for (std::size_t d = 0; d < plan.devices.size(); ++d) {
    const std::vector<StepCut>& cuts = plan.devices[d].cuts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (!cuts[i].whole) continue;
      const bool full = result.size() > kMaxSteps;
      if (full && cuts[i].step > result.rbegin()->first) break;
      Longest& best = result[cuts[i].step];
      if (result.size() > kMaxSteps + 1) result.erase(std::prev(result.end()));
      const std::int64_t wall = cuts[i + 1].start - cuts[i].start;
      if (wall > best.wall) best = {wall, d};
    }
  }
  return result;
}

// Cuts one device's time at its steps.
class StepSweep {
 public:
  StepSweep(const IdleSplitter& idle, const std::vector<StepCut>& cuts, std::map<std::uint32_t, Step*> wanted)
      : sweep_(idle), cuts_(cuts), wanted_(std::move(wanted)) {}
  void begin(const GpuWork& one, bool kernel) {
    for (; next_ < cuts_.size() && cuts_[next_].start <= one.start; ++next_) {
      sweep_.advance(cuts_[next_].start, one.op);
      const core::ProfileBuckets buckets = sweep_.take();
      if (into_ != nullptr) {
        into_->buckets = buckets;
        into_->kernels = kernels_;
      }
      const auto found = cuts_[next_].whole ? wanted_.find(cuts_[next_].step) : wanted_.end();
      into_ = found == wanted_.end() ? nullptr : found->second;
      kernels_ = 0;
    }
    kernels_ += kernel ? 1 : 0;
    sweep_.begin(one);
  }

 private:
  DeviceSweep sweep_;
  const std::vector<StepCut>& cuts_;
  std::map<std::uint32_t, Step*> wanted_;
  std::size_t next_ = 0;
  Step* into_ = nullptr;
  std::uint64_t kernels_ = 0;
};

void fill_buckets(const Capture& capture, const std::vector<bool>& communication, const IdleSplitter& idle, const StepPlan& plan,
                  std::vector<std::map<std::uint32_t, Step*>>&& wanted) {
  std::vector<std::unique_ptr<StepSweep>> sweeps;
  std::map<std::int64_t, StepSweep*> of_device;
  for (std::size_t d = 0; d < plan.devices.size(); ++d) {
    if (wanted[d].empty()) continue;
    sweeps.push_back(std::make_unique<StepSweep>(idle, plan.devices[d].cuts, std::move(wanted[d])));
    of_device[plan.devices[d].device] = sweeps.back().get();
  }
  std::vector<StepSweep*> of_queue;
  for (std::uint32_t i = 0; i < capture.queues.size(); ++i) {
    const auto found = of_device.find(capture.queues[i].device);
    of_queue.push_back(found == of_device.end() ? nullptr : found->second);
  }
  const GpuOps& ops = capture.ops;
  const WorkClasses classes(capture, communication);
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    StepSweep* const sweep = of_queue[ops.queue[i]];
    if (sweep == nullptr) continue;
    const std::int64_t start = ops.times.start(i);
    sweep->begin({i, ops.name[i], classes[i], start, start + ops.times.length(i)}, is_kernel(ops.kind[i]));
  }
}

Steps fill(const Capture& capture, const std::vector<bool>& communication, const IdleSplitter& idle, const StepPlan& plan) {
  Steps result;
  result.basis = plan.basis;
  result.name = plan.name;
  result.shared = plan.shared;
  const std::map<std::uint32_t, Longest> walls = longest(plan);
  auto from = walls.begin();
  if (walls.size() > kLeastSteps) ++from;  // warm-up
  result.steps.resize(std::min<std::size_t>(kMaxSteps, static_cast<std::size_t>(std::distance(from, walls.end()))));
  std::vector<std::map<std::uint32_t, Step*>> wanted(plan.devices.size());
  for (Step& step : result.steps) {
    step.wall_ns = from->second.wall;
    step.device = plan.devices[from->second.device].device;
    wanted[from->second.device].emplace(from->first, &step);
    ++from;
  }
  for (std::size_t d = 0; d < plan.devices.size(); ++d) {
    for (const StepCut& cut : plan.devices[d].cuts) {
      const auto found = cut.whole ? wanted[d].find(cut.step) : wanted[d].end();
      if (found != wanted[d].end()) found->second->start = cut.start;
    }
  }
  result.left_out = plan.seen - result.steps.size();
  fill_buckets(capture, communication, idle, plan, std::move(wanted));
  return result;
}

}  // namespace

std::size_t StepPlan::whole() const {
  std::set<std::uint32_t> steps;
  for (const DeviceSteps& device : devices) {
    for (const StepCut& cut : device.cuts) {
      if (cut.whole) steps.insert(cut.step);
      if (steps.size() > kMaxSteps) return steps.size();
    }
  }
  return steps.size();
}

Steps find_steps(const Capture& capture, const std::vector<bool>& communication, const IdleSplitter& idle,
                 const ReadOptions& options, std::vector<core::Warning>& warnings) {
  if (options.steps == "none") return {};
  bool claimed = false;
  StepPlan plan = plan_by_ranges(capture, options.steps, options.stop, claimed);
  if (plan.devices.empty() && options.steps != "auto") {
    warnings.push_back({"steps_not_found", "no ranges called " + core::cited(options.steps.substr(0, kStepPatternLength)) +
                                               " launch GPU work at least twice: compared without steps"});
    return {};
  }
  if (plan.devices.empty() && !claimed) plan = plan_by_period(capture, options.stop);
  if (plan.devices.empty()) return {};
  return fill(capture, communication, idle, plan);
}

}  // namespace plumbline::profiles
