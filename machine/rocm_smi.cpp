// AMD's system management interface (ROCm SMI library, rocm_smi.h): the functions that read, declared here as far as they are
// used. The layout of rsmi_frequencies_t differs between ROCm 5 and 6; the library's own version tells which one it has.
#include <array>
#include <cstdint>
#include <cstring>

#include "machine/shared_library.hpp"
#include "machine/vendor_libraries.hpp"

namespace plumbline::machine {
namespace {

using Status = int;
constexpr Status kSuccess = 0;

struct Version {
  std::uint32_t major, minor, patch;
  const char* build;
};
constexpr std::uint32_t kDeepSleepSince = 6;       // the major version whose rsmi_frequencies_t begins with has_deep_sleep
constexpr int kSystemClock = 0, kMemoryClock = 4;  // rsmi_clk_type_t
constexpr int kCurrent = 0, kCritical = 5;         // rsmi_temperature_metric_t
constexpr std::uint32_t kJunction = 1;             // rsmi_temperature_type_t
constexpr std::uint32_t kBusyPercent = 5;          // a display or a query is no load

class RocmSmi final : public Gpus {
 public:
  explicit RocmSmi(const char* file) : library_(file) {
    auto* init = library_.find<Status(std::uint64_t)>("rsmi_init");
    auto* count = library_.find<Status(std::uint32_t*)>("rsmi_num_monitor_devices");
    shut_down_ = library_.find<Status()>("rsmi_shut_down");
    if (init == nullptr || count == nullptr || shut_down_ == nullptr || init(0) != kSuccess) return;
    started_ = true;
    if (count(&devices_) != kSuccess) devices_ = 0;
    Version version{};
    auto* version_of = library_.find<Status(Version*)>("rsmi_version_get");
    if (version_of != nullptr && version_of(&version) == kSuccess) major_ = version.major;
  }
  RocmSmi(const RocmSmi&) = delete;
  RocmSmi& operator=(const RocmSmi&) = delete;
  ~RocmSmi() override {
    if (started_) shut_down_();
  }
  [[nodiscard]] bool any() const { return devices_ > 0; }

  [[nodiscard]] std::vector<GpuFacts> facts() const override {
    std::vector<GpuFacts> out(devices_);
    auto* name = library_.find<Status(std::uint32_t, char*, std::size_t)>("rsmi_dev_name_get");
    auto* memory = library_.find<Status(std::uint32_t, int, std::uint64_t*)>("rsmi_dev_memory_total_get");
    auto* cap = library_.find<Status(std::uint32_t, std::uint32_t, std::uint64_t*)>("rsmi_dev_power_cap_get");
    auto* driver = library_.find<Status(int, char*, std::uint32_t)>("rsmi_version_str_get");
    for (std::uint32_t i = 0; i < devices_; ++i) {
      std::array<char, 128> text{};
      if (name != nullptr && name(i, text.data(), text.size() - 1) == kSuccess) out[i].name = text.data();
      text.fill(0);
      if (driver != nullptr && driver(0, text.data(), text.size() - 1) == kSuccess) out[i].driver = text.data();
      std::uint64_t value = 0;
      if (memory != nullptr && memory(i, 0, &value) == kSuccess) out[i].memory_gib = static_cast<double>(value) / (1ULL << 30);
      if (cap != nullptr && cap(i, 0, &value) == kSuccess) out[i].power_cap_w = static_cast<double>(value) / 1e6;
    }
    return out;
  }

  [[nodiscard]] std::vector<GpuSample> sample() const override {
    std::vector<GpuSample> out(devices_);
    auto* temperature = library_.find<Status(std::uint32_t, std::uint32_t, int, std::int64_t*)>("rsmi_dev_temp_metric_get");
    auto* power = library_.find<Status(std::uint32_t, std::uint32_t, std::uint64_t*)>("rsmi_dev_power_ave_get");
    auto* cap = library_.find<Status(std::uint32_t, std::uint32_t, std::uint64_t*)>("rsmi_dev_power_cap_get");
    auto* busy = library_.find<Status(std::uint32_t, std::uint32_t*)>("rsmi_dev_busy_percent_get");
    for (std::uint32_t i = 0; i < devices_; ++i) {
      out[i].index = i;
      std::int64_t millidegrees = 0;
      if (temperature != nullptr && temperature(i, kJunction, kCurrent, &millidegrees) == kSuccess)
        out[i].temperature_c = static_cast<double>(millidegrees) / 1000;
      if (temperature != nullptr && temperature(i, kJunction, kCritical, &millidegrees) == kSuccess)
        out[i].slows_from_c = static_cast<double>(millidegrees) / 1000;
      std::uint64_t microwatts = 0;
      if (power != nullptr && power(i, 0, &microwatts) == kSuccess) out[i].power_w = static_cast<double>(microwatts) / 1e6;
      if (cap != nullptr && cap(i, 0, &microwatts) == kSuccess) out[i].power_cap_w = static_cast<double>(microwatts) / 1e6;
      std::uint32_t percent = 0;
      out[i].busy = busy != nullptr && busy(i, &percent) == kSuccess && percent >= kBusyPercent;
      out[i].sm_mhz = clock(i, kSystemClock);
      out[i].memory_mhz = clock(i, kMemoryClock);
    }
    return out;
  }

 private:
  // The library writes one of two layouts: num_supported, current, frequency[32]; or has_deep_sleep, num_supported, current,
  // frequency[33]. There is room for more than either.
  [[nodiscard]] double clock(std::uint32_t device, int kind) const {
    constexpr std::uint32_t kMost = 33;
    alignas(std::uint64_t) std::array<unsigned char, 1024> bytes{};
    auto* frequencies = library_.find<Status(std::uint32_t, int, void*)>("rsmi_dev_gpu_clk_freq_get");
    if (major_ == 0 || frequencies == nullptr || frequencies(device, kind, bytes.data()) != kSuccess) return 0;
    const auto number_at = [&](std::size_t at) {
      std::uint32_t value = 0;
      std::memcpy(&value, bytes.data() + at, sizeof(value));
      return value;
    };
    const bool newer = major_ >= kDeepSleepSince;
    const std::uint32_t supported = number_at(newer ? 4 : 0);
    const std::uint32_t current = number_at(newer ? 8 : 4);
    if (supported > kMost || current >= supported) return 0;
    std::uint64_t hertz = 0;
    std::memcpy(&hertz, bytes.data() + (newer ? 16 : 8) + current * sizeof(hertz), sizeof(hertz));
    return static_cast<double>(hertz) / 1e6;
  }

  SharedLibrary library_;
  Status (*shut_down_)() = nullptr;
  bool started_ = false;
  std::uint32_t devices_ = 0;
  std::uint32_t major_ = 0;  // of the library; 0: it does not say
};

}  // namespace

std::unique_ptr<Gpus> open_rocm_smi(const char* file) {
  auto smi = std::make_unique<RocmSmi>(file != nullptr && *file != 0 ? file : "librocm_smi64.so");
  if (!smi->any()) return nullptr;
  return smi;
}

}  // namespace plumbline::machine
