// NVML as its reference describes it (NVIDIA Management Library, API reference, device queries). Only what is used is declared,
// so that no header of the vendor is needed to build.
#include <array>
#include <cstdlib>
#include <optional>

#include "machine/shared_library.hpp"
#include "machine/vendor_libraries.hpp"

namespace plumbline::machine {
namespace {

using Device = struct NvmlDevice*;
using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kTooSmall = 7;  // NVML_ERROR_INSUFFICIENT_SIZE

struct Memory {
  unsigned long long total, free, used;
};

struct Utilization {
  unsigned gpu, memory;  // percent of the last sample period
};

struct ThrottleReason {
  unsigned long long bit;
  const char* name;
};
constexpr unsigned long long kIdle = 0x1;  // nvmlClocksThrottleReasonGpuIdle
constexpr unsigned kBusyPercent = 5;       // a display or a query is no load
// nvmlClocksThrottleReason…; idle, application clock setting and sync boost are states of the setting, not disturbances.
constexpr std::array<ThrottleReason, 6> kThrottling{{{0x4, "power_cap"},
                                                     {0x8, "hardware_slowdown"},
                                                     {0x20, "software_thermal"},
                                                     {0x40, "hardware_thermal"},
                                                     {0x80, "power_brake"},
                                                     {0x100, "display_clock"}}};

class Nvml final : public Gpus {
 public:
  explicit Nvml(const char* file) : library_(file) {
    init_ = library_.find<Result()>("nvmlInit_v2");
    shutdown_ = library_.find<Result()>("nvmlShutdown");
    auto* count = library_.find<Result(unsigned*)>("nvmlDeviceGetCount_v2");
    auto* handle = library_.find<Result(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2");
    if (init_ == nullptr || shutdown_ == nullptr || count == nullptr || handle == nullptr || init_() != kSuccess) return;
    started_ = true;
    unsigned devices = 0;
    if (count(&devices) != kSuccess) return;
    for (unsigned i = 0; i < devices; ++i) {
      Device device = nullptr;
      if (handle(i, &device) == kSuccess) devices_.push_back(device);
    }
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() override {
    if (started_) shutdown_();
  }

  [[nodiscard]] bool any() const { return !devices_.empty(); }

  [[nodiscard]] std::vector<GpuFacts> facts() const override {
    std::string driver;
    std::array<char, 96> text{};
    auto* driver_version = library_.find<Result(char*, unsigned)>("nvmlSystemGetDriverVersion");
    if (driver_version != nullptr && driver_version(text.data(), text.size() - 1) == kSuccess) driver = text.data();
    std::vector<GpuFacts> out;
    for (const Device device : devices_) {
      GpuFacts gpu;
      gpu.driver = driver;
      text.fill(0);
      auto* name = library_.find<Result(Device, char*, unsigned)>("nvmlDeviceGetName");
      if (name != nullptr && name(device, text.data(), text.size() - 1) == kSuccess) gpu.name = text.data();
      Memory memory{};
      auto* memory_info = library_.find<Result(Device, Memory*)>("nvmlDeviceGetMemoryInfo");
      if (memory_info != nullptr && memory_info(device, &memory) == kSuccess)
        gpu.memory_gib = static_cast<double>(memory.total) / (1ULL << 30);
      gpu.power_cap_w = number(device, "nvmlDeviceGetEnforcedPowerLimit") / 1000;
      gpu.max_sm_mhz = of_kind(device, "nvmlDeviceGetMaxClockInfo", kSm);
      gpu.persistence = on_off(device, "nvmlDeviceGetPersistenceMode");
      gpu.ecc = current_mode(device, "nvmlDeviceGetEccMode");
      gpu.mig = current_mode(device, "nvmlDeviceGetMigMode");
      out.push_back(std::move(gpu));
    }
    return out;
  }

  [[nodiscard]] std::vector<GpuSample> sample() const override {
    std::vector<GpuSample> out;
    for (const Device device : devices_) {
      GpuSample gpu;
      gpu.index = static_cast<unsigned>(out.size());
      gpu.sm_mhz = of_kind(device, "nvmlDeviceGetClockInfo", kSm);
      gpu.memory_mhz = of_kind(device, "nvmlDeviceGetClockInfo", kMemory);
      gpu.temperature_c = of_kind(device, "nvmlDeviceGetTemperature", 0);
      gpu.power_w = number(device, "nvmlDeviceGetPowerUsage") / 1000;
      gpu.power_cap_w = number(device, "nvmlDeviceGetEnforcedPowerLimit") / 1000;
      gpu.slows_from_c = of_kind(device, "nvmlDeviceGetTemperatureThreshold", kSlowdown);
      unsigned long long reasons = 0;
      auto* current = library_.find<Result(Device, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
      const bool told = current != nullptr && current(device, &reasons) == kSuccess;
      gpu.busy = is_busy(device).value_or(told && (reasons & kIdle) == 0);
      if (told) {
        for (const auto& [bit, name] : kThrottling) {
          if ((reasons & bit) != 0) gpu.throttle_reasons.emplace_back(name);
        }
      }
      // Asked with no room, it answers how many there are.
      unsigned count = 0;
      auto* running = library_.find<Result(Device, unsigned*, void*)>("nvmlDeviceGetComputeRunningProcesses_v3");
      if (running == nullptr) running = library_.find<Result(Device, unsigned*, void*)>("nvmlDeviceGetComputeRunningProcesses");
      if (running != nullptr) {
        const Result result = running(device, &count, nullptr);
        if (result == kSuccess || result == kTooSmall) gpu.processes = count;
      }
      out.push_back(std::move(gpu));
    }
    return out;
  }

 private:
  static constexpr int kSm = 1, kMemory = 2;  // nvmlClockType_t
  static constexpr int kSlowdown = 1;         // nvmlTemperatureThresholds_t

  [[nodiscard]] std::optional<bool> is_busy(Device device) const {
    Utilization used{};
    auto* rates = library_.find<Result(Device, Utilization*)>("nvmlDeviceGetUtilizationRates");
    if (rates == nullptr || rates(device, &used) != kSuccess) return std::nullopt;
    return used.gpu >= kBusyPercent;
  }

  [[nodiscard]] double number(Device device, const char* function) const {
    unsigned value = 0;
    auto* get = library_.find<Result(Device, unsigned*)>(function);
    return get != nullptr && get(device, &value) == kSuccess ? value : 0;
  }
  [[nodiscard]] double of_kind(Device device, const char* function, int kind) const {
    unsigned value = 0;
    auto* get = library_.find<Result(Device, int, unsigned*)>(function);
    return get != nullptr && get(device, kind, &value) == kSuccess ? value : 0;
  }
  [[nodiscard]] std::string on_off(Device device, const char* function) const {
    unsigned value = 0;
    auto* get = library_.find<Result(Device, unsigned*)>(function);
    if (get == nullptr || get(device, &value) != kSuccess) return {};
    return value != 0 ? "on" : "off";
  }
  [[nodiscard]] std::string current_mode(Device device, const char* function) const {
    unsigned current = 0;
    unsigned pending = 0;
    auto* get = library_.find<Result(Device, unsigned*, unsigned*)>(function);
    if (get == nullptr || get(device, &current, &pending) != kSuccess) return {};
    return current != 0 ? "on" : "off";
  }

  SharedLibrary library_;
  Result (*init_)() = nullptr;
  Result (*shutdown_)() = nullptr;
  bool started_ = false;
  std::vector<Device> devices_;
};

class NoGpus final : public Gpus {
 public:
  [[nodiscard]] std::vector<GpuFacts> facts() const override { return {}; }
  [[nodiscard]] std::vector<GpuSample> sample() const override { return {}; }
};

}  // namespace

std::unique_ptr<Gpus> open_nvml(const char* file) {
  auto nvml = std::make_unique<Nvml>(file != nullptr && *file != 0 ? file : "libnvidia-ml.so.1");
  if (!nvml->any()) return nullptr;
  return nvml;
}

std::unique_ptr<Gpus> open_gpus() {
  if (auto nvidia = open_nvml(std::getenv("PLUMBLINE_NVML"))) return nvidia;
  if (auto amd = open_rocm_smi(std::getenv("PLUMBLINE_ROCM_SMI"))) return amd;
  return std::make_unique<NoGpus>();
}

}  // namespace plumbline::machine
