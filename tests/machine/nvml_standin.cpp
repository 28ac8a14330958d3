// A stand-in for NVIDIA's libnvidia-ml.so.1, for tests on machines without a GPU: two GPUs whose state is what the environment or
// the file NVML_STANDIN_STATE says (NVML_STANDIN_REASONS, NVML_STANDIN_PROCESSES, NVML_STANDIN_MHZ, …). The names and signatures
// are the library's own; nothing else is.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/machine/standin_state.hpp"

namespace {
struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;
};
unsigned long long number(const char* name, unsigned long long otherwise) {
  return plumbline::standin::number("NVML_STANDIN_STATE", name, otherwise);
}
unsigned count_of(const char* name, unsigned otherwise) { return static_cast<unsigned>(number(name, otherwise)); }
}  // namespace

extern "C" {
int nvmlInit_v2() { return std::getenv("NVML_STANDIN_BROKEN") != nullptr ? 9 : 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = 2, 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(static_cast<unsigned long>(index + 1));
  return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) { return std::snprintf(text, size, "570.00.01"), 0; }
int nvmlDeviceGetName(void*, char* text, unsigned size) { return std::snprintf(text, size, "Stand-in H100"), 0; }
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) { return *memory = {80ULL << 30, 1, 1}, 0; }
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return *milliwatts = 1000 * count_of("NVML_STANDIN_CAP_W", 700), 0;
}
int nvmlDeviceGetMaxClockInfo(void*, int, unsigned* mhz) { return *mhz = 1980, 0; }
int nvmlDeviceGetClockInfo(void*, int kind, unsigned* mhz) {
  return *mhz = kind == 2 ? count_of("NVML_STANDIN_MEMORY_MHZ", 2619) : count_of("NVML_STANDIN_MHZ", 1755), 0;
}
int nvmlDeviceGetUtilizationRates(void*, Utilization* used) { return *used = {count_of("NVML_STANDIN_BUSY", 90), 40}, 0; }
int nvmlDeviceGetTemperature(void*, int, unsigned* degrees) { return *degrees = count_of("NVML_STANDIN_TEMPERATURE", 61), 0; }
int nvmlDeviceGetTemperatureThreshold(void*, int kind, unsigned* degrees) { return *degrees = kind == 1 ? 92 : 105, 0; }
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) { return *milliwatts = 350000, 0; }
int nvmlDeviceGetPersistenceMode(void*, unsigned* mode) { return *mode = 1, 0; }
int nvmlDeviceGetEccMode(void*, unsigned* current, unsigned* pending) { return *current = *pending = 1, 0; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  return *reasons = number("NVML_STANDIN_REASONS", 0), 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void*) {
  *count = static_cast<unsigned>(number("NVML_STANDIN_PROCESSES", 0));
  return *count > 0 ? 7 : 0;
}
}
