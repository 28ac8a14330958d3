// links: profiles core
// Any text as CSV of `nsys stats`: the reader answers or refuses with a reason, and sums stay sums.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profiles/diff/diff.hpp"
#include "profiles/readers/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"x_cuda_gpu_kern_sum.csv", "stats.csv", "x_nccltrace.csv"}) {
    const auto profile = read_nsys_stats_text(text, name);
    if (!profile) {
      if (profile.error().message.empty()) std::abort();
      continue;
    }
    std::int64_t sum = 0;
    for (const auto& kernel : profile->kernels) sum += kernel.aggregate.total;
    if (sum != profile->info.kernel_ns) std::abort();
    for (const auto& row : diff(*profile, Profile{}, {}).diff.kernels) {
      if (row.delta_ns != row.count_effect_ns + row.duration_effect_ns) std::abort();
    }
  }
  return 0;
}
