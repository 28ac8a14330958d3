#include "machine/advice.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"

namespace plumbline::machine {
namespace {

// A fact and what it should be.
struct Setting {
  const char* key;
  const char* what;
  const char* right;  // "" = there is no right value, it is only said
  const char* fix;
};

constexpr std::array<Setting, 8> kSettings{{
    {"environment.cpu_governor", "CPU governor", "performance", "cpupower frequency-set -g performance"},
    {"environment.cpu_boost", "CPU boost", "off",
     "echo 0 > /sys/devices/system/cpu/cpufreq/boost, or intel_pstate/no_turbo: boosted clocks depend on heat and on busy "
     "neighbours"},
    {"environment.aslr", "address randomization", "off", "setarch -R CMD: layouts differ from run to run, which -n averages"},
    {"environment.smt", "hyper-threading", "off", "pin the benchmark to one thread of a core: taskset -c 0,2,4 CMD"},
    {"environment.virtualization", "virtualization", "none",
     "the hypervisor's neighbours are part of every number: interleave (run --ab)"},
    {"environment.gpu_persistence", "GPU persistence mode", "on", "nvidia-smi -pm 1"},
    {"environment.gpu_mig", "GPU partitions (MIG)", "off", "compare only equal partitions"},
    {"environment.cgroup_cpus", "CPU quota of the cgroup", "",
     "a quota stops threads in the middle of a trial: raise it, or use fewer threads"},
}};

std::string percent(double share) { return core::short_number(100 * share, 2) + " %"; }

}  // namespace

std::vector<Advice> advice(const core::Context& facts, const Gpus& gpus, const Sample& before, const Sample& after,
                           double seconds) {
  std::vector<Advice> out;
  for (const Setting& setting : kSettings) {
    const auto at = facts.find(setting.key);
    if (at == facts.end()) continue;
    const bool right = at->second == setting.right;
    out.push_back({setting.what, at->second, right ? "" : setting.fix});
  }
  constexpr double kBusy = 0.05;
  constexpr double kStolen = 0.01;
  const double available = seconds * static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  const double busy = (after.busy_s - before.busy_s) / available;
  out.push_back(
      {"processors in use by others", percent(busy), busy > kBusy ? "stop what else runs, or wait until it has ended" : ""});
  const double stolen = (after.steal_s - before.steal_s) / available;
  if (stolen > 0) {
    out.push_back({"time stolen by the hypervisor", percent(stolen),
                   stolen > kStolen ? "the host is overbooked: measure on another one, or interleave (run --ab)" : ""});
  }
  for (const GpuSample& gpu : gpus.sample()) {
    const std::string name = "GPU " + std::to_string(gpu.index);
    if (gpu.processes > 0)
      out.push_back(
          {name + ", other processes", std::to_string(gpu.processes), "nvidia-smi shows them: stop them, or use another GPU"});
    if (!gpu.throttle_reasons.empty())
      out.push_back({name + ", throttled", core::listed(gpu.throttle_reasons),
                     "let it cool, raise the power cap, or lock lower clocks: nvidia-smi -lgc"});
  }
  return out;
}

}  // namespace plumbline::machine
