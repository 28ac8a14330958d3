// Steps by ranges: candidates by name, then one pass over the GPU's operations to see what their instances launched, or, of
// ranges on the GPU's own timeline, what began during them.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profiles/analysis/steps/steps.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kMaxSeries = 64;  // in all
constexpr std::size_t kMaxThreads = 8;  // per stem and process
constexpr std::uint32_t kNoStem = 0xFFFFFFFE;

struct Instance {
  std::int64_t start, end;
  std::uint64_t number;
};

// The instances of one name on one thread, one after the other, and what was launched during them.
struct Series {
  std::uint32_t stem = 0, thread = 0;
  std::int64_t process = 0;  // of ranges on the GPU's timeline: the device
  std::vector<Instance> instances;
  bool numbered = true;                    // each has a number, and the numbers rise
  double host_ns = 0, gpu_ns = 0;          // sums; doubles, as nothing exact hangs on them
  std::size_t at = 0;                      // the instance met last
  std::vector<std::vector<StepCut>> hits;  // by device slot; StepCut::step is the instance

  void add(std::int64_t start, std::int64_t end, std::optional<std::uint64_t> number) {
    if (!instances.empty() && start < instances.back().end) {
      Instance& last = instances.back();
      if (end <= last.end || start <= last.start) return;  // inside the one before
      // They overlap by a little: rounded times, or work handed on before the old step is let go. The new one takes over.
      host_ns -= static_cast<double>(last.end - start);
      last.end = start;
    }
    numbered = numbered && number && (instances.empty() || *number > instances.back().number);
    instances.push_back({start, end, number.value_or(0)});
    host_ns += static_cast<double>(end - start);
  }
  // The instance that holds `time`; mostly the one met last or the next.
  [[nodiscard]] std::optional<std::uint32_t> find(std::int64_t time) {
    if (time < instances[at].start || time >= instances[at].end) {
      if (at + 1 < instances.size() && time >= instances[at + 1].start && time < instances[at + 1].end) {
        ++at;
      } else {
        const auto after = std::upper_bound(instances.begin(), instances.end(), time,
                                            [](std::int64_t t, const Instance& each) { return t < each.start; });
        if (after == instances.begin()) return std::nullopt;
        at = static_cast<std::size_t>(after - instances.begin()) - 1;
        if (time >= instances[at].end) return std::nullopt;
      }
    }
    return static_cast<std::uint32_t>(at);
  }
};

struct Stem {
  std::string text;
  bool marker = false;
  bool on_gpu = false;  // its ranges are on the GPU's timeline: what begins during one belongs to it
};

class RangeSteps {
 public:
  RangeSteps(const Capture& capture, const std::string& steps, const std::function<bool()>& stop)
      : capture_(capture), steps_(steps), stop_(stop), automatic_(steps == "auto") {}

  StepPlan plan(bool& claimed) {
    collect();
    thin_out();
    if (series_.empty()) return {};
    attribute();
    return choose(claimed);
  }

 private:
  // Stem of every name that a range bears.
  void collect() {
    std::vector<std::uint32_t> stem_of(capture_.names.size(), kNone), gpu_stem_of(capture_.names.size(), kNone);
    const bool operators = !automatic_ && match_pattern(stem_of, gpu_stem_of);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> series_of;  // (stem, thread)
    const Ranges& ranges = capture_.ranges;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (is_automatic(ranges.kind[i]) && !operators) continue;
      const std::uint32_t name = ranges.name[i];
      const bool on_gpu = ranges.kind[i] == RangeKind::gpu;
      std::uint32_t& stem = (on_gpu ? gpu_stem_of : stem_of)[name];
      if (stem == kNone) stem = automatic_ ? stem_by_words(capture_.names.text(name), on_gpu) : kNoStem;
      if (stem == kNoStem) continue;
      const std::uint32_t thread = ranges.thread[i];
      const auto [place, added] = series_of.try_emplace({stem, thread}, series_.size());
      if (added) {
        series_.emplace_back();
        series_.back().stem = stem;
        series_.back().thread = thread;
        series_.back().process = capture_.threads[thread].process;
      }
      const auto numbered = numbered_name(capture_.names.text(name));
      series_[place->second].add(ranges.times.start(i), ranges.times.end(i), numbered ? numbered->number : std::nullopt);
    }
  }
  std::uint32_t stem_by_words(const std::string& name, bool on_gpu) {
    const auto numbered = numbered_name(name);
    if (!numbered || !(numbered->marker || names_step(numbered->stem))) return kNoStem;
    return stem_id(std::string(numbered->stem), numbered->marker, on_gpu);
  }
  std::uint32_t stem_id(const std::string& text, bool marker, bool on_gpu) {
    const auto [place, added] = ids_.try_emplace({text, on_gpu}, stems_.size());
    if (added) stems_.push_back({text, marker, on_gpu});
    return place->second;
  }
  // What the user names: literally where any range is called so, else by the regular expression; a framework's operators, of
  // which there are many with names of all sorts, only where nothing else fits. True: these are what fits.
  bool match_pattern(std::vector<std::uint32_t>& stem_of, std::vector<std::uint32_t>& gpu_stem_of) {
    const StepPattern pattern(steps_);
    std::vector<bool> asked(capture_.names.size(), false);
    const Ranges& ranges = capture_.ranges;
    const auto each_name = [&](bool operators, auto&& matches) {
      std::fill(asked.begin(), asked.end(), false);
      bool any = false;
      std::size_t count = 0;
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        const std::uint32_t name = ranges.name[i];
        if (is_automatic(ranges.kind[i]) != operators || asked[name]) continue;
        asked[name] = true;
        if (++count % 256 == 0 && stop_ && stop_()) return any;
        if (!matches(capture_.names.text(name))) continue;
        stem_of[name] = stem_id(steps_, false, false);
        gpu_stem_of[name] = stem_id(steps_, false, true);
        any = true;
      }
      return any;
    };
    const auto names = [&pattern](const std::string& name) { return pattern.names(name); };
    const auto finds = [&pattern](const std::string& name) { return pattern.finds(name); };
    if (each_name(false, names)) return false;
    if (each_name(true, names)) return true;
    return !each_name(false, finds) && each_name(true, finds);
  }

  // Hundreds of threads may have ranges of one name: those that spend the most time in them stay.
  void thin_out() {
    std::stable_sort(series_.begin(), series_.end(), [](const Series& a, const Series& b) { return a.host_ns > b.host_ns; });
    std::map<std::pair<std::uint32_t, std::int64_t>, std::size_t> threads;
    std::vector<Series> kept;
    for (Series& each : series_) {
      if (kept.size() < kMaxSeries && ++threads[{each.stem, each.process}] <= kMaxThreads) kept.push_back(std::move(each));
    }
    series_ = std::move(kept);
  }

  void attribute() {
    std::vector<std::vector<Series*>> of_thread(capture_.threads.size());  // the series of a thread's process
    for (std::uint32_t thread = 0; thread < capture_.threads.size(); ++thread) {
      for (Series& each : series_) {
        if (!stems_[each.stem].on_gpu && each.process == capture_.threads[thread].process) of_thread[thread].push_back(&each);
      }
    }
    std::unordered_map<std::int64_t, std::uint32_t> slots;
    std::vector<std::uint32_t> slot_of;
    for (std::uint32_t i = 0; i < capture_.queues.size(); ++i)
      slot_of.push_back(slots.try_emplace(capture_.queues[i].device, slots.size()).first->second);
    std::vector<std::vector<Series*>> of_slot(slots.size());  // the series on a device's timeline
    for (Series& each : series_) {
      const auto slot = stems_[each.stem].on_gpu ? slots.find(each.process) : slots.end();
      if (slot != slots.end()) of_slot[slot->second].push_back(&each);
    }
    devices_.resize(slots.size());
    for (const auto& [device, slot] : slots) devices_[slot] = device;
    for (Series& each : series_) each.hits.resize(std::min(slots.size(), kMaxStepDevices));

    const GpuOps& ops = capture_.ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const auto length = static_cast<double>(ops.times.length(i));
      gpu_ns_ += length;
      const std::uint32_t slot = slot_of[ops.queue[i]];
      const auto meet = [&](Series& series, std::int64_t time) {
        const auto instance = series.find(time);
        if (!instance) return;
        series.gpu_ns += length;
        if (slot >= series.hits.size()) return;
        std::vector<StepCut>& hits = series.hits[slot];
        if (hits.empty() || hits.back().step < *instance) hits.push_back({*instance, ops.times.start(i), false});
      };
      for (Series* each : of_slot[slot]) meet(*each, ops.times.start(i));
      const std::uint32_t call = ops.launch[i];
      if (call == kNone) continue;
      for (Series* each : of_thread[capture_.calls.thread[call]]) meet(*each, capture_.calls.times.start(call));
    }
  }

  StepPlan choose(bool& claimed) {
    // Of each stem, the thread of every process whose ranges launch the most.
    std::map<std::uint32_t, std::map<std::int64_t, Series*>> by_stem;
    for (Series& each : series_) {
      Series*& best = by_stem[each.stem][each.process];
      if (best == nullptr || each.gpu_ns > best->gpu_ns) best = &each;
    }
    std::vector<std::tuple<int, double, std::uint32_t>> order;  // markers, then the longer instances, first
    for (const auto& [stem, processes] : by_stem) {
      double gpu_ns = 0, host_ns = 0, instances = 0;
      for (const auto& [process, series] : processes) {
        gpu_ns += series->gpu_ns;
        host_ns += series->host_ns;
        instances += static_cast<double>(series->instances.size());
      }
      const bool marker = stems_[stem].marker, on_gpu = stems_[stem].on_gpu;
      if (gpu_ns == 0 || (automatic_ && !marker && 2 * gpu_ns < gpu_ns_)) continue;
      if (marker || instances >= 2) claimed = true;
      // What the host says of launches is exact; on the GPU's timeline neighbours may overlap.
      order.emplace_back(marker ? (on_gpu ? 1 : 0) : (on_gpu && !automatic_ ? 3 : 2), marker ? 0 : -host_ns / instances, stem);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [rank, length, stem] : order) {
      std::vector<const Series*> chosen;
      for (const auto& [process, series] : by_stem[stem]) chosen.push_back(series);
      StepPlan plan = plan_of(chosen);
      if (plan.whole() < (automatic_ && !stems_[stem].marker ? kLeastSteps : 1)) continue;
      plan.basis = stems_[stem].marker ? "marker" : "range";
      plan.name = stems_[stem].text + (stems_[stem].marker ? "#" : "");
      return plan;
    }
    return {};
  }

  // StepCut::step is the instance.
  [[nodiscard]] std::vector<StepCut> cuts_of(const Series& series, std::uint32_t slot, bool numbered) const {
    std::vector<StepCut> cuts = series.hits[slot];
    const auto number = [&series](std::size_t i) { return series.instances[i].number; };
    // Whole is what the very next step follows: by its number, where there are numbers, in the stride that they have.
    std::uint64_t stride = 1;
    if (numbered && series.instances.size() > 1) {
      stride = ~std::uint64_t{0};
      for (std::size_t i = 0; i + 1 < series.instances.size(); ++i) stride = std::min(stride, number(i + 1) - number(i));
    }
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      cuts[i].whole = cuts[i + 1].step == cuts[i].step + 1 && cuts[i + 1].start > cuts[i].start &&
                      (!numbered || number(cuts[i + 1].step) - number(cuts[i].step) == stride);
    }
    return cuts;
  }
  static std::vector<std::int64_t> walls_of(const std::vector<StepCut>& cuts) {
    std::vector<std::int64_t> walls;
    for (std::size_t i = 0; i + 1 < cuts.size() && walls.size() < kMaxSteps; ++i) {
      if (cuts[i].whole) walls.push_back(cuts[i + 1].start - cuts[i].start);
    }
    return walls;
  }

  // One series per process -> steps over all: instances with one number are one step, without numbers those of one place.
  [[nodiscard]] StepPlan plan_of(const std::vector<const Series*>& chosen) const {
    StepPlan plan;
    const bool numbered = std::all_of(chosen.begin(), chosen.end(), [](const Series* each) { return each->numbered; });
    const auto key = [numbered](const Series& series, std::size_t i) {
      return numbered ? series.instances[i].number : static_cast<std::uint64_t>(i);
    };
    std::vector<std::uint64_t> keys;
    for (const Series* each : chosen) {
      for (std::size_t i = 0; i < each->instances.size(); ++i) keys.push_back(key(*each, i));
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    plan.seen = keys.size();

    for (std::uint32_t slot = 0; slot < std::min(devices_.size(), kMaxStepDevices); ++slot) {
      const Series* series = chosen.front();  // a device belongs to the process with the most of its steps
      std::size_t sharing = 0;
      for (const Series* each : chosen) {
        if (each->hits[slot].size() > series->hits[slot].size()) series = each;
        sharing += each->hits[slot].size() > 1 ? 1 : 0;
      }
      for (const Series* each : chosen) {
        if (sharing > 1 && each->hits[slot].size() > 1)
          plan.shared.push_back({devices_[slot], each->process, walls_of(cuts_of(*each, slot, numbered))});
      }
      DeviceSteps device{devices_[slot], cuts_of(*series, slot, numbered)};
      std::vector<StepCut>& cuts = device.cuts;
      for (StepCut& cut : cuts) {
        cut.step = static_cast<std::uint32_t>(std::lower_bound(keys.begin(), keys.end(), key(*series, cut.step)) - keys.begin());
      }
      if (!cuts.empty()) plan.devices.push_back(std::move(device));
    }
    std::sort(plan.devices.begin(), plan.devices.end(), [](const auto& a, const auto& b) { return a.device < b.device; });
    return plan;
  }

  const Capture& capture_;
  const std::string& steps_;
  const std::function<bool()>& stop_;
  bool automatic_;
  std::vector<Stem> stems_;
  std::map<std::pair<std::string, bool>, std::uint32_t> ids_;
  std::vector<Series> series_;
  std::vector<std::int64_t> devices_;  // by slot
  double gpu_ns_ = 0;                  // of all operations
};

}  // namespace

StepPlan plan_by_ranges(const Capture& capture, const std::string& steps, const std::function<bool()>& stop, bool& claimed) {
  return RangeSteps(capture, steps, stop).plan(claimed);
}

}  // namespace plumbline::profiles
