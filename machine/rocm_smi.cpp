// AMD's system management interface (ROCm SMI library, rocm_smi.h): the functions that read, declared here as far as they are
// used. Clocks are not asked for: the layout of rsmi_frequencies_t differs between ROCm 5 and 6, and nothing tells which one a
// library has.
#include <array>
#include <cstdint>

#include "machine/shared_library.hpp"
#include "machine/vendor_libraries.hpp"

namespace plumbline::machine {
namespace {

using Status = int;
constexpr Status kSuccess = 0;

class RocmSmi final : public Gpus {
 public:
  explicit RocmSmi(const char* file) : library_(file) {
    auto* init = library_.find<Status(std::uint64_t)>("rsmi_init");
    auto* count = library_.find<Status(std::uint32_t*)>("rsmi_num_monitor_devices");
    shut_down_ = library_.find<Status()>("rsmi_shut_down");
    if (init == nullptr || count == nullptr || shut_down_ == nullptr || init(0) != kSuccess) return;
    started_ = true;
    if (count(&devices_) != kSuccess) devices_ = 0;
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
    for (std::uint32_t i = 0; i < devices_; ++i) {
      out[i].index = i;
      std::int64_t millidegrees = 0;
      if (temperature != nullptr && temperature(i, 1, 0, &millidegrees) == kSuccess)
        out[i].temperature_c = static_cast<double>(millidegrees) / 1000;
      std::uint64_t microwatts = 0;
      if (power != nullptr && power(i, 0, &microwatts) == kSuccess) out[i].power_w = static_cast<double>(microwatts) / 1e6;
    }
    return out;
  }

 private:
  SharedLibrary library_;
  Status (*shut_down_)() = nullptr;
  bool started_ = false;
  std::uint32_t devices_ = 0;
};

}  // namespace

std::unique_ptr<Gpus> open_rocm_smi(const char* file) {
  auto smi = std::make_unique<RocmSmi>(file != nullptr && *file != 0 ? file : "librocm_smi64.so");
  if (!smi->any()) return nullptr;
  return smi;
}

}  // namespace plumbline::machine
