// The GPUs of this machine through the vendor's own library, opened when first asked for and absent without a word: NVIDIA's
// libnvidia-ml.so.1 (NVML) and AMD's librocm_smi64.so. Their calls are those that change nothing. PLUMBLINE_NVML and
// PLUMBLINE_ROCM_SMI name another file, for installations in odd places and for tests. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plumbline::machine {

struct GpuSample {
  unsigned index = 0;
  double sm_mhz = 0, memory_mhz = 0;
  double temperature_c = 0, power_w = 0;
  double power_cap_w = 0;                     // in force now; 0: not told, as of all of these
  double slows_from_c = 0;                    // the temperature from which it slows itself down
  bool busy = false;                          // it computes: only then its clocks say what a trial got
  std::vector<std::string> throttle_reasons;  // those that slow it: power_cap, thermal, hardware_slowdown, …; not idle
  unsigned processes = 0;                     // that compute on it
};

struct GpuFacts {
  std::string name, driver;
  double memory_gib = 0, power_cap_w = 0, max_sm_mhz = 0;
  std::string ecc, mig, persistence;  // "on", "off", "" where not told
};

class Gpus {
 public:
  Gpus() = default;
  Gpus(const Gpus&) = delete;
  Gpus& operator=(const Gpus&) = delete;
  virtual ~Gpus() = default;
  [[nodiscard]] virtual std::vector<GpuFacts> facts() const = 0;
  [[nodiscard]] virtual std::vector<GpuSample> sample() const = 0;
};

// Of whichever vendor's library is there and finds GPUs; of none, an empty list.
[[nodiscard]] std::unique_ptr<Gpus> open_gpus();

}  // namespace plumbline::machine
