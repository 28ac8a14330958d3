// What this machine is, and what state it is in while something is measured: what a benchmark's numbers depend on beside the
// program. Everything is read by an allow-list from /proc, /sys and the vendor's library; what is not there is left out. Nothing
// is changed and nobody's environment is read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/measurement.hpp"
#include "machine/command.hpp"
#include "machine/gpus.hpp"

namespace plumbline::machine {

// Keys of the groups hardware, stack and environment, as contexts name them: hardware.cpu, hardware.cpu_count,
// environment.cpu_governor, environment.aslr, … Texts as read, GPUs as their library names them.
[[nodiscard]] core::Context facts(const Gpus& gpus);

// Text that names the kind of machine (the facts that decide speed: processor, its number, memory, GPUs), and a digest of it:
// what is equal here may be compared.
struct HostClass {
  std::string label;        // "amd-epyc-7b13-2cpu-24gib", "…-8x-nvidia-h100-80gb-hbm3"
  std::string fingerprint;  // 16 hexadecimal digits (FNV-1a over the label's parts)
};
[[nodiscard]] HostClass host_class(const core::Context& facts);

// Counters that only grow, and gauges, at one moment.
struct Sample {
  double busy_s = 0, steal_s = 0;                    // of all processors: work of anybody, and time the hypervisor took
  double pressure_cpu_s = 0, pressure_memory_s = 0;  // time in which something waited for it (PSI "some"); 0 without PSI
  std::uint64_t throttled = 0;                       // times that a processor core or package was throttled for heat
  std::uint64_t quota_throttled_us = 0;              // by the cgroup's quota
  double mhz = 0;                                    // of the fastest processor; 0: not known
  std::vector<GpuSample> gpus;
};
[[nodiscard]] Sample sample(const Gpus& gpus);

// What disturbed a trial, in words of a closed list, with its figure: "contended: others used 34 % of the processors".
struct Disturbance {
  // contended steal throttled quota memory_pressure swapped clock_changed gpu_throttled gpu_hot gpu_power_cap gpu_shared
  std::string kind;
  std::string text;
};

// Watches the machine while trials run, one after another. Clocks and power caps are compared with those of the first trial that
// nothing disturbed; of a GPU only while it computes: at rest it clocks down, which says nothing of a trial.
class TrialWatch {
 public:
  explicit TrialWatch(const Gpus& gpus) : gpus_(gpus) {}
  void begin();
  void look();  // now and then while the trial runs: clocks and throttling of GPUs are to be seen only then
  // None for a quiet trial.
  [[nodiscard]] std::vector<Disturbance> end(const CommandRun& run);

 private:
  // The highest seen, 0 where nothing was told. Clocks in MHz.
  struct GpuState {
    double sm_mhz = 0, memory_mhz = 0;  // while it computed
    double temperature_c = 0, power_w = 0, slows_from_c = 0;
    double power_cap_w = 0;              // the lowest
    std::vector<std::string> throttled;  // the reasons
  };
  struct State {
    double processors_mhz = 0;  // the fastest one
    std::vector<GpuState> gpus;
  };
  void see(const Sample& sample);
  void add_processors(const CommandRun& run, const Sample& after, std::vector<Disturbance>& out) const;
  void add_gpus(std::vector<Disturbance>& out) const;
  void add_changes(std::vector<Disturbance>& out) const;
  void learn();

  const Gpus& gpus_;
  Sample before_;
  State now_, quiet_;
};

[[nodiscard]] unsigned processors();  // that this process may use

}  // namespace plumbline::machine
