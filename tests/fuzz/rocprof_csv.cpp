// links: profiles core
// Any bytes as traces and statistics of rocprof and traces of nsys: the reader answers or refuses with a reason, walls sum up.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profiles/readers/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"1_kernel_trace.csv", "1_hip_stats.csv", "x_cuda_gpu_trace.csv", "any.csv"}) {
    const auto profile = read_nsys_stats_text(text, name);
    if (!profile) {
      if (profile.error().message.empty()) std::abort();
      continue;
    }
    std::int64_t sum = 0;
    for (const auto& kernel : profile->kernels) sum += kernel.aggregate.total;
    if (sum != profile->info.kernel_ns) std::abort();
    for (const auto& device : profile->devices) {
      const auto& wall = device.buckets;
      if (wall.compute_ns + wall.exposed_comm_ns + wall.exposed_copy_ns + wall.idle_ns != wall.span_ns) std::abort();
    }
  }
  return 0;
}
