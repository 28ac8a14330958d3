#include "profiles/diff/findings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/citing.hpp"
#include "core/results/gap_causes.hpp"
#include "core/text.hpp"
#include "profiles/analysis/calls.hpp"
#include "profiles/analysis/ranges.hpp"
#include "profiles/diff/gaps.hpp"
#include "profiles/diff/words.hpp"
#include "profiles/names/family.hpp"

namespace plumbline::profiles {
namespace {

constexpr double kNoticeablePct = 1;  // of the baseline's wall or kernel time: below, a finding is noise
constexpr double kManyMorePct = 20;   // counts and costs per launch, for the same work
constexpr double kLeverPct = 2;       // of the candidate's wall: below, nothing is to be won there
constexpr double kConserved = 0.01;   // relative: calls of a family that are as many as before
constexpr double kSameWindow = 0.03;  // relative: windows that hold as much work: counts compare as they are
constexpr double kTrustedPct = 50;    // of the kernel time in kernels found on both sides, to scale counts by their work
constexpr std::size_t kMostOfAKind = 5;
constexpr std::size_t kMostCauses = 3;

double real(std::int64_t value) { return static_cast<double>(value); }
double real(std::uint64_t value) { return static_cast<double>(value); }
std::string percent(double value) { return core::signed_number(value, 3) + " %"; }

struct Parts {  // of the wall, over all devices
  double span = 0, comm = 0, copy = 0, idle = 0, host = 0, sync = 0, launch = 0;
  bool split = true;
};
Parts parts_of(const std::vector<core::DeviceBuckets>& devices, std::optional<core::ProfileBuckets> core::DeviceBuckets::*side) {
  Parts sum;
  for (const core::DeviceBuckets& device : devices) {
    if (!(device.*side)) continue;
    const core::ProfileBuckets& one = *(device.*side);
    sum.span += real(one.span_ns);
    sum.comm += real(one.exposed_comm_ns);
    sum.copy += real(one.exposed_copy_ns);
    sum.idle += real(one.idle_ns);
    if (!one.idle_split) {
      sum.split = false;
      continue;
    }
    sum.host += real(one.idle_split->host_ns);
    sum.sync += real(one.idle_split->sync_ns);
    sum.launch += real(one.idle_split->launch_ns);
  }
  return sum;
}

// What a call does, whoever's runtime it belongs to: a program moved from CUDA to HIP, or from the runtime to the driver, waits
// as often as before under another name.
std::string call_role(std::string_view name) {
  name = call_name(name);
  std::string role(name);
  for (const std::string_view library : {"cuda", "hip", "cu"}) {
    if (!name.starts_with(library)) continue;
    role = name.substr(library.size());
    break;
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSame = {{{"CtxSynchronize", "DeviceSynchronize"},
                                                                                   {"MemAlloc", "Malloc"},
                                                                                   {"MemFree", "Free"},
                                                                                   {"MallocHost", "HostAlloc"},
                                                                                   {"HostMalloc", "HostAlloc"},
                                                                                   {"MemHostAlloc", "HostAlloc"}}};
  const auto same = std::find_if(kSame.begin(), kSame.end(), [&role](const auto& pair) { return pair.first == role; });
  return same == kSame.end() ? role : std::string(same->second);
}

// What the name says, of a row of several names the first's.
KernelFamily family_of(const std::string& name) { return kernel_family(name.substr(0, name.find(" + "))); }

// A key that every collective has says nothing of what it does.
bool telling(const std::string& key) { return key != "nccl"; }

bool same_work(const core::ProfileRow& row) {
  const KernelFamily before = family_of(row.baseline_name);
  const KernelFamily after = family_of(row.candidate_name);
  return std::any_of(before.keys.begin(), before.keys.end(), [&after](const std::string& key) {
    return telling(key) && std::find(after.keys.begin(), after.keys.end(), key) != after.keys.end();
  });
}

constexpr double kAsOften = 2;  // by what factor the calls of one kernel for the same work may differ

bool as_often(const core::ProfileRow& row, double candidate_calls) {
  const double before = real(row.baseline_count.value_or(0));
  return candidate_calls <= kAsOften * before && before <= kAsOften * candidate_calls;
}

class Finder {
 public:
  Finder(const Wall& wall, core::ProfileDiff& diff)
      : wall_(wall),
        diff_(diff),
        name_(diff.kernels),
        before_(parts_of(diff.buckets, &core::DeviceBuckets::baseline)),
        after_(parts_of(diff.buckets, &core::DeviceBuckets::candidate)) {}

  void run() {
    host();
    fusion();
    kernels();
    wall_parts();
    program_parts();
    ranks();
    lever();
  }

 private:
  void say(std::string code, std::string message, std::vector<std::string> keys = {}, const core::ProfilePlace& place = {}) {
    diff_.findings.push_back({std::move(code), std::move(message), std::move(keys), place});
  }

  // ", most of it in aten::mm on stream 7", as far as it is known.
  static std::string where(const core::ProfileRow& row) {
    std::string text;
    if (!row.inside.empty()) text += " in " + core::cited(row.inside, 80);
    if (row.slowest.device >= 0 && row.slowest.stream >= 0) text += " on stream " + std::to_string(row.slowest.stream);
    return text.empty() ? text : ", most of it" + text;
  }

  void host() {
    if (!diff_.baseline_launches || !diff_.candidate_launches) return;
    const core::ProfileLaunches& a = *diff_.baseline_launches;
    const core::ProfileLaunches& b = *diff_.candidate_launches;
    // Inside the steps where these are known: what is called outside them sets things up, once, however much work follows.
    const std::optional<double> per_step = steps_ratio(a, b);
    const auto of = [&](const Calls& all, const Calls& steady) -> const Calls& { return per_step ? steady : all; };
    calls("new_synchronisation", "synchronisations", of(a.sync_calls, a.steady_sync_calls), of(b.sync_calls, b.steady_sync_calls),
          per_step);
    calls("new_allocations", "allocations", of(a.allocation_calls, a.steady_allocation_calls),
          of(b.allocation_calls, b.steady_allocation_calls), per_step);
    const double pageable = real(b.pageable_copies) / wall_.scale;
    if (pageable >= 1 && more(real(a.pageable_copies), pageable)) {
      say("pageable_copies", counted(b.pageable_copies, "copy of pageable memory", "copies of pageable memory") + ", " +
                                 std::to_string(a.pageable_copies) +
                                 " in the baseline: pageable memory is staged by the host and does not overlap");
    }
    if (a.launches > 0 && b.launches > 0) {
      const double cost0 = a.median_launch_ns.value_or(0);
      const double cost1 = b.median_launch_ns.value_or(0);
      if (cost0 > 0 && cost1 > cost0 * (1 + kManyMorePct / 100)) {
        say("launch_cost", "a launch costs the host " + time_text(cost1) + " in the median of " + counted(b.launches, "call") +
                               ", " + time_text(cost0) + " before (" + percent(100 * (cost1 / cost0 - 1)) + ")");
      }
      const double once = real(b.one_off_ns) - real(a.one_off_ns);
      if (once > 0 && 100 * once >= kNoticeablePct * before_.span) {
        say("one_off_launches", counted(b.one_off_launches, "launch", "launches") + " of " + std::to_string(b.launches) +
                                    " took far longer than the others, " + time_text(real(b.one_off_ns)) + " together, " +
                                    time_text(real(a.one_off_ns)) +
                                    " before: first launches, modules loaded or a full queue, and no cost of each launch");
      }
      const double launches = real(b.launches) / wall_.scale;
      if (launches > real(a.launches) * (1 + kManyMorePct / 100)) {
        say("more_launches", "the same work takes " + percent(100 * (launches / real(a.launches) - 1)) + " launches");
      }
    }
    if ((a.graph_launches == 0) != (b.graph_launches == 0)) {
      say("graph_launches", b.graph_launches == 0 ? "the baseline launches CUDA graphs, the candidate does not"
                                                  : "the candidate launches CUDA graphs, the baseline does not");
    }
    const double tiny = real(b.tiny_kernels) / wall_.scale;
    if (tiny >= 100 && tiny > real(a.tiny_kernels) * (1 + kManyMorePct / 100)) {
      say("tiny_kernels",
          counted(b.tiny_kernels, "kernel") + " under 5 us, " + std::to_string(a.tiny_kernels) + " in the baseline");
    }
  }

  static std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {}) {
    return core::counted(count, one, many);
  }
  static bool more(double before, double after) { return after > before * (1 + kManyMorePct / 100) && after - before >= 1; }

  // Whether steps, or kernels that hold most of the time, say how much work there was.
  [[nodiscard]] bool trusted() const {
    if (std::abs(wall_.scale - 1) <= kSameWindow || wall_.basis == "step_wall") return true;
    return wall_.work_ratio && diff_.matched_pct.value_or(0) >= kTrustedPct;
  }

  using Calls = std::vector<std::pair<std::string, std::uint64_t>>;
  // Candidate over baseline in steps that were counted, on all devices together; nothing where a side's steps are not known.
  [[nodiscard]] std::optional<double> steps_ratio(const core::ProfileLaunches& a, const core::ProfileLaunches& b) const {
    if (!a.steady_known || !b.steady_known || !wall_.baseline_steps || !diff_.steps) return std::nullopt;
    return real(diff_.steps->candidate.steps) / real(diff_.steps->baseline.steps) * wall_.device_ratio;
  }

  void calls(const char* code, const char* what, const Calls& before, const Calls& after, std::optional<double> per_step) {
    const double scale = per_step.value_or(wall_.scale);
    const bool known = per_step || trusted();
    const bool converted = known && std::abs(scale - 1) > kSameWindow;
    struct Role {
      std::vector<std::string> names;
      std::uint64_t count = 0;
    };
    std::map<std::string, std::uint64_t> had;
    std::map<std::string, Role> roles;
    std::vector<std::string> order;  // as the candidate calls them, most often first
    for (const auto& [name, count] : before) had[call_role(name)] += count;
    for (const auto& [name, count] : after) {
      std::string role = call_role(name);
      Role& one = roles[role];
      if (one.names.empty()) order.push_back(std::move(role));
      one.names.push_back(name);
      one.count += count;
    }
    std::vector<std::string> texts;
    std::vector<std::string> keys;
    std::size_t kinds = 0;
    for (const std::string& role : order) {
      const Role& now = roles[role];
      const std::uint64_t old = had.contains(role) ? had[role] : 0;
      // Held against each other for the same work; as they stand, too, where little says how much work there was.
      const double scaled = real(now.count) / scale;
      if (!more(real(old), scaled) || (!known && !more(real(old), real(now.count)))) continue;
      ++kinds;
      keys.insert(keys.end(), now.names.begin(), now.names.end());
      if (texts.size() < kMostOfAKind) {
        texts.push_back(core::cited_list(now.names) + (now.names.size() == 1 ? " is called " : " are called ") +
                        (old == 0 || !converted ? counted(now.count, "time")
                                                : core::short_number(scaled, 4) + " times for the baseline's work") +
                        (per_step ? " inside the steps" : "") +
                        (old == 0 ? ", never before" : ", " + std::to_string(old) + " before"));
      }
    }
    if (texts.empty()) return;
    const std::size_t rest = kinds - texts.size();
    std::string message = core::listed(texts);
    if (rest > 0) message += ", and " + std::to_string(rest) + " more kinds of " + what;
    say(code, std::move(message), std::move(keys));
  }

  // A compiler that makes one kernel of several small ones, or no longer does.
  void fusion() {
    if (!wall_.work.fused) return;
    const FusedCalls& calls = *wall_.work.fused;
    const auto named = [this](const std::vector<std::string>& names) {
      return name_(names.front()) + (names.size() == 1 ? "" : " and " + std::to_string(names.size() - 1) + " more");
    };
    const bool fused = calls.lost > calls.gained;
    std::vector<std::string> keys = calls.gone;
    keys.insert(keys.end(), calls.come.begin(), calls.come.end());
    say(fused ? "kernels_fused" : "kernels_split",
        "for the same work " + core::short_number(calls.lost, 4) + " fewer calls of " + named(calls.gone) + " and " +
            core::short_number(calls.gained, 4) + " more of " + named(calls.come) + ": kernels were " +
            (fused ? "fused" : "split") + ", the others are called as often as before",
        std::move(keys));
  }

  void kernels() {
    double total0 = 0;
    double total1 = 0;
    for (const core::ProfileRow& row : diff_.kernels) {
      total0 += real(row.baseline_ns);
      total1 += real(row.candidate_ns) / wall_.scale;
    }
    std::size_t moved = 0;
    for (const MovedCalls& each : moved_calls(diff_.kernels, wall_.scale)) {
      if (100 * real(each.gone->baseline_ns) < kNoticeablePct * total0 || ++moved > kMostOfAKind) continue;
      say("algorithm_switched",
          "the " + counted(each.gone->baseline_count.value_or(0), "call") + " of " + name_(each.gone->name) + " moved to " +
              name_(each.to->name) + " (" + std::to_string(each.to->baseline_count.value_or(0)) + " -> " +
              std::to_string(each.to->candidate_count.value_or(0)) + " calls): their family is called as often as before",
          {each.gone->name, each.to->name}, each.to->slowest);
    }
    std::size_t switched = 0;
    std::size_t fresh = 0;
    for (const core::ProfileRow& row : diff_.kernels) {
      const double after = real(row.candidate_ns) / wall_.scale;
      if (row.state == "switched" && switched < kMostOfAKind &&
          100 * std::max(real(row.baseline_ns), after) >= kNoticeablePct * std::max(total0, total1)) {
        ++switched;
        std::string message = name_(row.name) + (row.change.empty() ? " is another implementation" : ": " + row.change);
        const std::string grown = row.baseline_ns > 0 ? ", " + percent(100 * (after / real(row.baseline_ns) - 1)) : std::string();
        if (const double calls = real(row.candidate_count.value_or(0)) / wall_.scale; !as_often(row, calls)) {
          // 6 calls for 36 are another way of doing it, and no kernel that got faster.
          message = core::short_number(calls, 4) + " calls of " + name_(row.candidate_name) + " replace " +
                    std::to_string(row.baseline_count.value_or(0)) + " of " + name_(row.baseline_name) + grown +
                    (grown.empty() ? "" : " in kernel time");
        } else if (same_work(row)) {
          if (!grown.empty()) message += grown + " for the same work";
        } else {
          // An all_reduce for a reduce_scatter, an add for a multiplication: no implementation of the same thing.
          const std::string before = name_(row.baseline_name);
          const std::string now = name_(row.candidate_name);
          message = now + " replaces " + before + (row.change.empty() ? "" : " (" + row.change + ")") + grown +
                    (grown.empty() ? "" : " in kernel time");
        }
        say("algorithm_switched", message + where(row), {row.baseline_name, row.candidate_name}, row.slowest);
      } else if (row.state == "new" && fresh < kMostOfAKind && 100 * after >= kNoticeablePct * total1) {
        ++fresh;
        say("new_kernel", name_(row.name) + " is new and takes " + time_text(real(row.candidate_ns)) + where(row), {row.name},
            row.slowest);
      } else if (row.shape_mix_effect_ns && total0 > 0 &&
                 100 * std::abs(real(*row.shape_mix_effect_ns)) >= kNoticeablePct * total0) {
        say("launch_shapes_changed",
            name_(row.name) + " is launched in other shapes: " + time_text(real(*row.shape_mix_effect_ns)) + " of its " +
                time_text(real(row.duration_effect_ns)) + " per-call change" + where(row),
            {row.name}, row.slowest);
      }
    }
  }

  void wall_parts() {
    if (before_.span <= 0 || after_.span <= 0 || wall_.scale <= 0) return;
    const auto part = [&](const char* code, const char* what, double before, double after) {
      const double moved = after / wall_.scale - before;
      if (100 * std::abs(moved) < kNoticeablePct * before_.span) return;
      say(code, std::string(what) + (moved > 0 ? " grew by " : " shrank by ") + time_text(std::abs(moved)) +
                    " for the same work, to " + core::short_number(100 * after / after_.span, 3) + " % of the wall (" +
                    core::short_number(100 * before / before_.span, 3) + " % before)");
    };
    part("exposed_communication", "communication that nothing hides", before_.comm, after_.comm);
    part("exposed_copies", "copies that nothing hides", before_.copy, after_.copy);
    if (!before_.split || !after_.split) {
      part("idle", "idle time", before_.idle, after_.idle);
      return;
    }
    part("idle_host", "idle time in which the host had not launched", before_.host, after_.host);
    part("idle_sync", "idle time under a synchronising call", before_.sync, after_.sync);
    part("idle_launch", "idle time of launched work that had not started", before_.launch, after_.launch);
    gaps();
  }

  // Where in the program's own terms the wall changed.
  void program_parts() {
    if (!diff_.wall_delta_ns || !(wall_.baseline_ns > 0)) return;
    const double moved = real(*diff_.wall_delta_ns);
    if (100 * std::abs(moved) < kNoticeablePct * wall_.baseline_ns) return;
    std::vector<const core::ProfileRange*> parts;
    for (const core::ProfileRange& each : diff_.ranges) {
      if (each.explains && each.name != kNoRange) parts.push_back(&each);
    }
    if (parts.empty()) return;
    std::stable_sort(parts.begin(), parts.end(), [](const core::ProfileRange* a, const core::ProfileRange* b) {
      return std::abs(real(a->delta_wall_ns)) > std::abs(real(b->delta_wall_ns));
    });
    const double steps = wall_.baseline_steps.value_or(1);
    const auto change = [steps](double ns) { return (ns > 0 ? "+" : "") + time_text(ns / steps); };
    std::vector<std::string> texts;
    std::vector<std::string> keys;
    for (const core::ProfileRange* each : parts) {
      keys.push_back(each->path);
      if (texts.size() == kMostCauses) continue;
      const double idle = (each->candidate ? real(each->candidate->idle_ns) / wall_.scale : 0) -
                          (each->baseline ? real(each->baseline->idle_ns) : 0);
      texts.push_back(change(real(each->delta_wall_ns)) + " in " + core::cited(each->path, 160) +
                      (10 * std::abs(idle) >= std::abs(real(each->delta_wall_ns)) ? " (" + change(idle) + " of it idle)" : ""));
    }
    std::string message = (wall_.baseline_steps ? "per step and device" : "for the same work") +
                          std::string(" the wall moved by ") + change(moved) + ": " + core::listed(texts);
    if (parts.size() > texts.size()) message += ", and " + std::to_string(parts.size() - texts.size()) + " smaller parts";
    say("changed_part", std::move(message), std::move(keys));
  }

  // What the host did in the gaps that grew, or shrank, most.
  void gaps() {
    std::vector<const core::ProfileGaps*> moved;
    for (const core::ProfileGaps& each : diff_.gaps) {
      if (100 * std::abs(real(each.delta_ns)) >= kNoticeablePct * before_.span) moved.push_back(&each);
    }
    std::stable_sort(moved.begin(), moved.end(), [](const core::ProfileGaps* a, const core::ProfileGaps* b) {
      return std::abs(a->delta_ns) > std::abs(b->delta_ns);
    });
    if (moved.size() > kMostCauses) moved.resize(kMostCauses);
    for (const core::ProfileGaps* each : moved) {
      const auto text = [](const std::optional<core::ProfileGapSide>& side) {
        if (!side) return std::string("none");
        const std::string all = time_text(real(side->total_ns)) + " in " + counted(side->gaps, "gap");
        return all +
               (side->gaps > 1 && side->longest_ns > 0 ? " (longest " + time_text(real(side->longest_ns)) + ")" : std::string());
      };
      const core::ProfileGapSide& shown = each->candidate ? *each->candidate : *each->baseline;
      std::string place;
      if (!shown.after.empty()) place = "; the longest ends with " + name_(shown.after);
      if (!shown.inside.empty() && shown.inside != each->what) place += " in " + core::cited(shown.inside, 80);
      say("idle_cause",
          "while the GPU is idle " + std::string(core::gap_cause(each->cause).host) +
              (each->what.empty() ? std::string() : " (" + core::cited(each->what, 80) + ")") + ": " + text(each->candidate) +
              "; before " + text(each->baseline) + place,
          each->what.empty() ? std::vector<std::string>{} : std::vector<std::string>{each->what}, shown.longest);
    }
  }

  // Of the collectives that ranks were found in together: of many only some are looked at.
  static double waiting_pct(const core::ProfileCollectiveSide& side) {
    const double waiting = real(side.wait_ns.value_or(0)), of = waiting + real(side.transfer_ns.value_or(0));
    return of > 0 ? 100 * waiting / of : 0;
  }

  void ranks() {
    for (const core::ProfileCollective& each : diff_.collectives) {
      if (!each.candidate || !each.candidate->slowest_rank) continue;
      const double share = waiting_pct(*each.candidate);
      const double before = each.baseline ? waiting_pct(*each.baseline) : 0;
      if (share < 20 || share < before + 5) continue;
      say("straggler",
          core::short_number(share, 3) + " % of the time in " + core::cited_word(each.type) +
              (each.size_bucket.empty() ? "" : " of " + core::cited_word(each.size_bucket)) + " is waiting, " +
              core::short_number(before, 3) + " % before; the others wait for rank " +
              std::to_string(*each.candidate->slowest_rank),
          {each.type});
    }
  }

  // The candidate's idle time; causes of one name together. Where single gaps are not known, by the three parts that are.
  [[nodiscard]] std::map<std::string_view, double> idle_by_cause() const {
    std::map<std::string_view, double> sums;
    for (const core::ProfileGaps& each : diff_.gaps) {
      if (each.candidate) sums[each.cause] += real(each.candidate->total_ns);
    }
    if (sums.empty()) sums = {{"host", after_.host}, {"synchronisation", after_.sync}, {"queue", after_.launch}};
    return sums;
  }
  // The part of idle time that a cause is of.
  static std::string_view field_of(std::string_view cause) {
    if (cause == "synchronisation") return "idle_split.sync_ns";
    if (cause == "queue") return "idle_split.launch_ns";
    return cause == "unknown" ? "idle_split.other_ns" : "idle_split.host_ns";
  }

  // Copies inside a device are helped by no pinned memory.
  [[nodiscard]] std::string_view copies_lever() const {
    double host = 0;
    double inside = 0;
    for (const core::ProfileRow& row : diff_.memory) {
      if (row.candidate) (row.name.find("Host") != std::string::npos ? host : inside) += real(row.candidate->exclusive_ns);
    }
    return host >= inside ? "hide copies behind compute, from pinned memory"
                          : "avoid copies inside the device, or hide them behind compute";
  }

  // Never more than what was measured as lost there.
  void lever() {
    if (after_.span <= 0) return;
    struct Lever {
      double lost;
      std::string_view what, field;
    };
    std::vector<Lever> levers = {
        {after_.comm, "hide communication behind compute", "exposed_comm_ns"},
        {after_.copy, copies_lever(), "exposed_copy_ns"},
    };
    if (after_.split) {
      for (const auto& [cause, lost] : idle_by_cause()) levers.push_back({lost, core::gap_cause(cause).lever, field_of(cause)});
    } else {
      levers.push_back({after_.idle,
                        "find what the GPU waits for: capture the API calls (--trace=cuda,nvtx) to split its idle time",
                        "idle_ns"});
    }
    std::stable_sort(levers.begin(), levers.end(), [](const Lever& a, const Lever& b) { return a.lost > b.lost; });
    std::vector<core::NextLever> list;
    for (const Lever& each : levers) {
      const double share = 100 * each.lost / after_.span;
      if (share < kLeverPct) break;
      list.push_back({std::string(each.what),
                      "0 to " + time_text(each.lost) + " of " + time_text(after_.span) + " (" + core::short_number(share, 3) +
                          " % of the wall), as measured in the candidate",
                      "a profile-diff against this candidate in which " + std::string(each.field) +
                          " falls and the wall for the same work does not grow",
                      {}});
    }
    if (list.empty()) return;
    core::NextLever first = std::move(list.front());
    first.others.assign(std::make_move_iterator(list.begin() + 1), std::make_move_iterator(list.end()));
    diff_.next_lever = std::move(first);
  }

  const Wall& wall_;
  core::ProfileDiff& diff_;
  ShortNames name_;
  Parts before_, after_;
};

}  // namespace

std::vector<MovedCalls> moved_calls(const std::vector<core::ProfileRow>& kernels, double scale) {
  std::vector<MovedCalls> moved;
  const auto gone = [](const core::ProfileRow& row) { return row.state == "vanished"; };
  if (std::none_of(kernels.begin(), kernels.end(), gone)) return moved;
  struct Sum {
    double before = 0, after = 0, most = 0;
    const core::ProfileRow* to = nullptr;
  };
  std::map<std::string, Sum> by_key;
  const auto keys_of = [](const core::ProfileRow& row) {
    return family_of(row.candidate_name.empty() ? row.name : row.candidate_name).keys;
  };
  for (const core::ProfileRow& row : kernels) {
    const double before = real(row.baseline_count.value_or(0));
    const double after = real(row.candidate_count.value_or(0)) / scale;
    for (const std::string& key : keys_of(row)) {
      Sum& calls = by_key[key];
      calls.before += before;
      calls.after += after;
      if (after - before <= calls.most) continue;
      calls.most = after - before;
      calls.to = &row;
    }
  }
  for (const core::ProfileRow& row : kernels) {
    if (!gone(row)) continue;
    for (const std::string& key : keys_of(row)) {
      const Sum& calls = by_key[key];
      if (!telling(key) || calls.to == nullptr || std::abs(calls.after - calls.before) > kConserved * calls.before) continue;
      moved.push_back({&row, calls.to});
      break;
    }
  }
  return moved;
}

void find_findings(const Wall& wall, core::ProfileDiff& diff) { Finder(wall, diff).run(); }

void find_late_ranks(core::ProfileDiff& diff) {
  if (diff.candidate_job == nullptr) return;
  const core::ProfileRanksSide& job = *diff.candidate_job;
  constexpr std::size_t kNamed = 3;
  for (std::size_t i = 0; i < std::min(kNamed, job.stragglers.size()); ++i) {
    const core::Straggler& one = job.stragglers[i];
    std::string before;
    if (diff.baseline_job != nullptr) {
      const auto& known = diff.baseline_job->stragglers;
      const auto same = std::find_if(known.begin(), known.end(), [&one](const auto& each) { return each.rank == one.rank; });
      before = same == known.end() ? "; it was not before" : "; before by " + time_text(real(same->late_ns));
    }
    diff.findings.push_back({"straggler",
                             "rank " + std::to_string(one.rank) + " comes late to its collectives by " +
                                 time_text(real(one.late_ns)) + " a " + (job.grid ? job.grid->unit : std::string("step")) +
                                 (one.share_pct ? ", " + core::short_number(*one.share_pct, 2) + " % of it" : "") +
                                 ", by its own work" + before,
                             {"rank " + std::to_string(one.rank)},
                             {}});
  }
}

}  // namespace plumbline::profiles
