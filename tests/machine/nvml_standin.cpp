// A stand-in for NVIDIA's libnvidia-ml.so.1, for tests on machines without a GPU: two GPUs whose state is what the environment
// says (NVML_STANDIN_REASONS, NVML_STANDIN_PROCESSES, NVML_STANDIN_MHZ). The names and signatures are the library's own; nothing
// else is.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {
struct Memory {
  unsigned long long total, free, used;
};
unsigned long long number(const char* name, unsigned long long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}
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
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) { return *milliwatts = 700000, 0; }
int nvmlDeviceGetMaxClockInfo(void*, int, unsigned* mhz) { return *mhz = 1980, 0; }
int nvmlDeviceGetClockInfo(void*, int, unsigned* mhz) {
  return *mhz = static_cast<unsigned>(number("NVML_STANDIN_MHZ", 1755)), 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* degrees) { return *degrees = 61, 0; }
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
