// A stand-in for AMD's librocm_smi64.so, for tests on machines without a GPU: two GPUs whose state is what the environment or the
// file ROCM_SMI_STANDIN_STATE says. The names, signatures and layouts are the library's own, those of the major version that
// ROCM_SMI_STANDIN_MAJOR names; nothing else is.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "tests/machine/standin_state.hpp"

namespace {
std::uint64_t number(const char* name, std::uint64_t otherwise) {
  return plumbline::standin::number("ROCM_SMI_STANDIN_STATE", name, otherwise);
}
struct Version {
  std::uint32_t major, minor, patch;
  const char* build;
};
struct Frequencies5 {
  std::uint32_t num_supported, current;
  std::uint64_t frequency[32];
};
struct Frequencies6 {
  bool has_deep_sleep;
  std::uint32_t num_supported, current;
  std::uint64_t frequency[33];
};
template <class Frequencies>
void fill(void* out, std::uint64_t mhz) {
  Frequencies frequencies{};
  frequencies.num_supported = 3;
  frequencies.current = 1;
  frequencies.frequency[0] = 132'000'000;
  frequencies.frequency[1] = mhz * 1'000'000;
  frequencies.frequency[2] = 2'100'000'000;
  std::memcpy(out, &frequencies, sizeof(frequencies));
}
}  // namespace

extern "C" {
int rsmi_init(std::uint64_t) { return 0; }
int rsmi_shut_down() { return 0; }
int rsmi_version_get(Version* version) {
  return *version = {static_cast<std::uint32_t>(number("ROCM_SMI_STANDIN_MAJOR", 7)), 1, 0, "stand-in"}, 0;
}
int rsmi_num_monitor_devices(std::uint32_t* count) { return *count = 2, 0; }
int rsmi_dev_name_get(std::uint32_t, char* text, std::size_t size) { return std::snprintf(text, size, "Stand-in MI300X"), 0; }
int rsmi_version_str_get(int, char* text, std::uint32_t size) { return std::snprintf(text, size, "6.8.5"), 0; }
int rsmi_dev_memory_total_get(std::uint32_t, int, std::uint64_t* bytes) { return *bytes = 192ULL << 30, 0; }
int rsmi_dev_power_cap_get(std::uint32_t, std::uint32_t, std::uint64_t* microwatts) {
  return *microwatts = number("ROCM_SMI_STANDIN_CAP_W", 750) * 1'000'000, 0;
}
int rsmi_dev_power_ave_get(std::uint32_t, std::uint32_t, std::uint64_t* microwatts) { return *microwatts = 500'000'000, 0; }
int rsmi_dev_busy_percent_get(std::uint32_t, std::uint32_t* percent) {
  return *percent = static_cast<std::uint32_t>(number("ROCM_SMI_STANDIN_BUSY", 90)), 0;
}
int rsmi_dev_temp_metric_get(std::uint32_t, std::uint32_t sensor, int metric, std::int64_t* millidegrees) {
  if (sensor != 1 || (metric != 0 && metric != 5)) return 2;
  *millidegrees = static_cast<std::int64_t>(metric == 5 ? 100 : number("ROCM_SMI_STANDIN_TEMPERATURE", 70)) * 1000;
  return 0;
}
int rsmi_dev_gpu_clk_freq_get(std::uint32_t, int kind, void* out) {
  if (kind != 0 && kind != 4) return 2;
  const std::uint64_t mhz = kind == 0 ? number("ROCM_SMI_STANDIN_MHZ", 2000) : number("ROCM_SMI_STANDIN_MEMORY_MHZ", 1300);
  number("ROCM_SMI_STANDIN_MAJOR", 7) >= 6 ? fill<Frequencies6>(out, mhz) : fill<Frequencies5>(out, mhz);
  return 0;
}
}
