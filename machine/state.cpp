#include "machine/state.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "core/text.hpp"
#include "machine/cgroup.hpp"

namespace plumbline::machine {
namespace {

// The first line of a file of /proc or /sys, "" where it is not there.
std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\0')) line.pop_back();
  return line;
}

std::optional<double> number_of(const std::string& path) {
  std::ifstream file(path);
  double value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

// "always [madvise] never" -> "madvise"
std::string chosen(const std::string& text) {
  const auto open = text.find('[');
  const auto close = text.find(']', open);
  return open == std::string::npos || close == std::string::npos ? text : text.substr(open + 1, close - open - 1);
}

// "key : value" of /proc/cpuinfo and /proc/meminfo; the first of a name.
std::string field_of(const char* path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const auto colon = line.find(':');
    if (colon == std::string::npos || core::trim(std::string_view(line).substr(0, colon)) != name) continue;
    return std::string(core::trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

constexpr const char* kCpu = "/sys/devices/system/cpu/";

void add(core::Context& context, std::string_view key, std::string value) {
  if (!value.empty()) context.emplace(key, std::move(value));
}

std::string on_off(const std::string& text, std::string_view on) { return text.empty() ? "" : (text == on ? "on" : "off"); }

std::string virtualization() {
  std::string type = line_of("/sys/hypervisor/type");
  if (!type.empty()) return type;
  const std::string flags = " " + field_of("/proc/cpuinfo", "flags") + " ";
  if (flags.find(" hypervisor ") == std::string::npos) return flags.size() > 2 ? "none" : "";
  const std::string vendor = line_of("/sys/class/dmi/id/sys_vendor");
  return vendor.empty() ? "virtual machine" : "virtual machine (" + vendor + ")";
}

std::string whole_number(double value) { return std::to_string(static_cast<long long>(std::llround(value))); }

void add_processors(core::Context& out) {
  std::string cpu = field_of("/proc/cpuinfo", "model name");
  if (cpu.empty()) cpu = field_of("/proc/cpuinfo", "Model");
  add(out, "hardware.cpu", std::move(cpu));
  out.emplace("hardware.cpu_count", std::to_string(processors()));
  const std::string memory = field_of("/proc/meminfo", "MemTotal");
  if (!memory.empty()) out.emplace("hardware.memory_gib", whole_number(std::strtod(memory.c_str(), nullptr) / (1 << 20)));
  std::size_t nodes = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", error)) {
    const std::string name = entry.path().filename();
    nodes += name.starts_with("node") && name.size() > 4 && std::isdigit(static_cast<unsigned char>(name[4])) != 0 ? 1 : 0;
  }
  if (nodes > 0) out.emplace("environment.numa_nodes", std::to_string(nodes));
  const std::string cpus = kCpu;
  add(out, "environment.cpu_governor", line_of(cpus + "cpu0/cpufreq/scaling_governor"));
  add(out, "environment.cpu_frequency_driver", line_of(cpus + "cpu0/cpufreq/scaling_driver"));
  std::string boost = on_off(line_of(cpus + "cpufreq/boost"), "1");
  if (boost.empty()) boost = on_off(line_of(cpus + "intel_pstate/no_turbo"), "0");
  add(out, "environment.cpu_boost", boost);
  add(out, "environment.smt", on_off(line_of(cpus + "smt/active"), "1"));
}

std::string groups_of_ours() {
  std::ifstream file("/proc/self/cgroup");
  return {std::istreambuf_iterator<char>(file), {}};
}

void add_kernel(core::Context& out) {
  utsname names{};
  if (::uname(&names) == 0) out.emplace("environment.kernel", std::string(names.sysname) + " " + names.release);
  const std::string aslr = line_of("/proc/sys/kernel/randomize_va_space");
  add(out, "environment.aslr", aslr.empty() ? "" : (aslr == "0" ? "off" : "on"));
  add(out, "environment.transparent_hugepages", chosen(line_of("/sys/kernel/mm/transparent_hugepage/enabled")));
  add(out, "environment.virtualization", virtualization());
  const CgroupLimits limits = cgroup_limits(groups_of_ours());
  if (limits.cpus) out.emplace("environment.cgroup_cpus", core::short_number(*limits.cpus, 4));
  if (limits.memory_bytes)
    out.emplace("environment.cgroup_memory_gib", core::short_number(*limits.memory_bytes / (1ULL << 30), 4));
}

void add_gpus(core::Context& out, const Gpus& gpus) {
  const std::vector<GpuFacts> all = gpus.facts();
  if (all.empty()) return;
  const GpuFacts& first = all.front();
  const bool alike = std::all_of(all.begin(), all.end(), [&](const GpuFacts& gpu) { return gpu.name == first.name; });
  std::string names = first.name;
  for (std::size_t i = 1; !alike && i < all.size(); ++i) names += ", " + all[i].name;
  add(out, "hardware.gpu", names);
  out.emplace("hardware.gpu_count", std::to_string(all.size()));
  add(out, "hardware.driver", first.driver);
  if (first.memory_gib > 0) out.emplace("hardware.gpu_memory_gib", whole_number(first.memory_gib));
  if (first.power_cap_w > 0) out.emplace("hardware.power_cap_w", whole_number(first.power_cap_w));
  if (first.max_sm_mhz > 0) out.emplace("environment.gpu_max_sm_mhz", whole_number(first.max_sm_mhz));
  add(out, "environment.gpu_ecc", first.ecc);
  add(out, "environment.gpu_mig", first.mig);
  add(out, "environment.gpu_persistence", first.persistence);
}

double pressure(const char* path) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    if (word == "full") break;
    if (word.starts_with("total=")) return std::strtod(word.c_str() + 6, nullptr) / 1e6;
  }
  return 0;
}

// What a processor says of its clock and of heat, where it says it: looked for once, since a sample is taken around every trial.
struct ProcessorFiles {
  std::vector<std::string> clocks, throttles;
};

const ProcessorFiles& processor_files() {
  static const ProcessorFiles kFiles = [] {
    ProcessorFiles out;
    const unsigned online = static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    constexpr unsigned kLooked = 64;  // of a machine with more, the first tell
    const auto add = [](std::vector<std::string>& list, std::string path) {
      if (::access(path.c_str(), R_OK) == 0) list.push_back(std::move(path));
    };
    for (unsigned i = 0; i < std::min(online, kLooked); ++i) {
      const std::string cpu = kCpu + ("cpu" + std::to_string(i));
      add(out.clocks, cpu + "/cpufreq/scaling_cur_freq");
      add(out.throttles, cpu + "/thermal_throttle/core_throttle_count");
      add(out.throttles, cpu + "/thermal_throttle/package_throttle_count");
    }
    return out;
  }();
  return kFiles;
}

std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

std::string percent(double share) { return core::short_number(100 * share, 2) + " %"; }

}  // namespace

unsigned processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

core::Context facts(const Gpus& gpus) {
  core::Context out;
  add_processors(out);
  add_kernel(out);
  add_gpus(out, gpus);
  const HostClass host = host_class(out);
  out.emplace("environment.host_class", host.label);
  out.emplace("environment.host_fingerprint", host.fingerprint);
  return out;
}

HostClass host_class(const core::Context& facts) {
  const auto get = [&](const char* key) {
    const auto at = facts.find(key);
    return at == facts.end() ? std::string() : at->second;
  };
  HostClass out;
  out.label = slug(get("hardware.cpu")) + "-" + get("hardware.cpu_count") + "cpu-" + get("hardware.memory_gib") + "gib";
  if (const std::string gpu = get("hardware.gpu"); !gpu.empty())
    out.label += "-" + get("hardware.gpu_count") + "x-" + slug(gpu) + "-" + get("hardware.power_cap_w") + "w";
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : out.label) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) out.fingerprint += kDigits[(hash >> static_cast<unsigned>(shift)) & 15U];
  return out;
}

Sample sample(const Gpus& gpus) {
  Sample out;
  std::ifstream stat("/proc/stat");
  std::string word;
  std::array<double, 8> jiffies{};  // user nice system idle iowait irq softirq steal
  stat >> word;
  for (double& value : jiffies) stat >> value;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  out.busy_s = (jiffies[0] + jiffies[1] + jiffies[2] + jiffies[5] + jiffies[6]) / ticks;
  out.steal_s = jiffies[7] / ticks;
  out.pressure_cpu_s = pressure("/proc/pressure/cpu");
  out.pressure_memory_s = pressure("/proc/pressure/memory");
  out.quota_throttled_us = cgroup_throttled_us(groups_of_ours());
  for (const std::string& path : processor_files().clocks) {
    if (const auto khz = number_of(path)) out.mhz = std::max(out.mhz, *khz / 1000);
  }
  for (const std::string& path : processor_files().throttles) {
    if (const auto times = number_of(path)) out.throttled += static_cast<std::uint64_t>(*times);
  }
  out.gpus = gpus.sample();
  return out;
}

void TrialWatch::begin() {
  before_ = sample(gpus_);
  now_ = {};
  now_.gpus.resize(before_.gpus.size());
  quiet_.gpus.resize(before_.gpus.size());
}

void TrialWatch::see(const Sample& sample) {
  now_.processors_mhz = std::max(now_.processors_mhz, sample.mhz);
  for (std::size_t i = 0; i < std::min(sample.gpus.size(), now_.gpus.size()); ++i) {
    const GpuSample& gpu = sample.gpus[i];
    GpuState& seen = now_.gpus[i];
    if (gpu.busy) {
      seen.sm_mhz = std::max(seen.sm_mhz, gpu.sm_mhz);
      seen.memory_mhz = std::max(seen.memory_mhz, gpu.memory_mhz);
    }
    seen.temperature_c = std::max(seen.temperature_c, gpu.temperature_c);
    seen.power_w = std::max(seen.power_w, gpu.power_w);
    seen.slows_from_c = gpu.slows_from_c;
    if (gpu.power_cap_w > 0 && (seen.power_cap_w == 0 || gpu.power_cap_w < seen.power_cap_w)) seen.power_cap_w = gpu.power_cap_w;
    for (const std::string& reason : gpu.throttle_reasons) {
      if (std::find(seen.throttled.begin(), seen.throttled.end(), reason) == seen.throttled.end())
        seen.throttled.push_back(reason);
    }
  }
}

void TrialWatch::look() { see(sample(gpus_)); }

std::vector<Disturbance> TrialWatch::end(const CommandRun& run) {
  const Sample after = sample(gpus_);
  see(after);  // the only look at a trial that was too short for others
  std::vector<Disturbance> out;
  add_processors(run, after, out);
  add_gpus(out);
  add_changes(out);
  if (out.empty()) learn();
  return out;
}

// What is compared with from now on: of each figure the first that a quiet trial told.
void TrialWatch::learn() {
  const auto keep = [](double& known, double seen) {
    if (known == 0) known = seen;
  };
  keep(quiet_.processors_mhz, now_.processors_mhz);
  for (std::size_t i = 0; i < now_.gpus.size(); ++i) {
    keep(quiet_.gpus[i].sm_mhz, now_.gpus[i].sm_mhz);
    keep(quiet_.gpus[i].memory_mhz, now_.gpus[i].memory_mhz);
    keep(quiet_.gpus[i].power_cap_w, now_.gpus[i].power_cap_w);
  }
}

void TrialWatch::add_processors(const CommandRun& run, const Sample& after, std::vector<Disturbance>& out) const {
  // A clock tick of 10 ms tells nothing of a shorter trial.
  constexpr double kShortest = 0.2;
  constexpr double kOthers = 0.1;    // of the processors, used by others while somebody waited for one
  constexpr double kWaiting = 0.05;  // of the time
  constexpr double kSteal = 0.02;
  constexpr std::uint64_t kQuotaUs = 1000;
  constexpr std::uint64_t kFaults = 1000;
  const double wall = static_cast<double>(run.wall_ns) / 1e9;
  if (wall >= kShortest) {
    const double available = wall * static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
    const double own = static_cast<double>(run.user_ns + run.system_ns) / 1e9;
    const double others = std::max(0.0, after.busy_s - before_.busy_s - own) / available;
    const double waiting = (after.pressure_cpu_s - before_.pressure_cpu_s) / wall;
    const bool unknown = after.pressure_cpu_s == 0;  // a kernel without PSI
    if (others > kOthers && (waiting > kWaiting || unknown))
      out.push_back({"contended", "contended: others used " + percent(others) + " of the processors"});
    const double steal = (after.steal_s - before_.steal_s) / available;
    if (steal > kSteal) out.push_back({"steal", "steal: the hypervisor took " + percent(steal) + " of the processors"});
    const double memory = (after.pressure_memory_s - before_.pressure_memory_s) / wall;
    if (memory > kWaiting)
      out.push_back({"memory_pressure", "memory pressure: something waited for memory " + percent(memory) + " of the time"});
  }
  if (after.throttled > before_.throttled) {
    out.push_back({"throttled",
                   "throttled: processors were slowed for heat " + core::counted(after.throttled - before_.throttled, "time")});
  }
  if (after.quota_throttled_us > before_.quota_throttled_us + kQuotaUs) {
    const double ms = static_cast<double>(after.quota_throttled_us - before_.quota_throttled_us) / 1000;
    out.push_back({"quota", "quota: the cgroup's limit stopped the processors for " + core::short_number(ms, 3) + " ms"});
  }
  if (run.major_faults > kFaults)
    out.push_back({"swapped", "swapped: " + core::counted(run.major_faults, "page") + " came from disk"});
}

void TrialWatch::add_gpus(std::vector<Disturbance>& out) const {
  for (std::size_t i = 0; i < now_.gpus.size(); ++i) {
    const std::string name = "GPU " + std::to_string(i);
    const GpuState& seen = now_.gpus[i];
    if (!seen.throttled.empty()) {
      std::string text = "throttled: " + name + " (" + core::listed(seen.throttled) + ")";
      if (seen.temperature_c > 0 && seen.power_w > 0)
        text += " at " + whole_number(seen.temperature_c) + " °C and " + whole_number(seen.power_w) + " W";
      out.push_back({"gpu_throttled", std::move(text)});
    } else if (seen.slows_from_c > 0 && seen.temperature_c >= seen.slows_from_c) {
      out.push_back({"gpu_hot", "hot: " + name + " at " + whole_number(seen.temperature_c) + " °C, and it slows down from " +
                                    whole_number(seen.slows_from_c) + " °C"});
    }
    if (before_.gpus[i].processes > 0) {
      out.push_back({"gpu_shared", "shared: " + core::counted(before_.gpus[i].processes, "other process", "other processes") +
                                       " computed on " + name + " before the trial began"});
    }
  }
}

void TrialWatch::add_changes(std::vector<Disturbance>& out) const {
  constexpr double kSame = 0.05;
  constexpr double kSameCap = 0.01;  // nothing moves it but somebody
  const auto compare = [&](double was, double is, const std::string& name) {
    if (was > 0 && is > 0 && std::fabs(is - was) > kSame * was) {
      out.push_back({"clock_changed", "clock changed: " + name + " at " + core::short_number(is, 4) + " MHz, at " +
                                          core::short_number(was, 4) + " MHz before"});
    }
  };
  compare(quiet_.processors_mhz, now_.processors_mhz, "processors");
  for (std::size_t i = 0; i < now_.gpus.size(); ++i) {
    const std::string name = "GPU " + std::to_string(i);
    compare(quiet_.gpus[i].sm_mhz, now_.gpus[i].sm_mhz, name);
    compare(quiet_.gpus[i].memory_mhz, now_.gpus[i].memory_mhz, name + " memory");
    const double was = quiet_.gpus[i].power_cap_w, is = now_.gpus[i].power_cap_w;
    if (was > 0 && is > 0 && std::fabs(is - was) > kSameCap * was) {
      out.push_back({"gpu_power_cap",
                     "power cap changed: " + name + " at " + whole_number(is) + " W, at " + whole_number(was) + " W before"});
    }
  }
}

}  // namespace plumbline::machine
