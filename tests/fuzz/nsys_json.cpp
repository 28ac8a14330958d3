// links: profiles core
// Any bytes as JSON of `nsys stats`: the reader answers or refuses with a reason, sums stay sums, and what it recognises as such
// it recognises from any head.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profiles/readers/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)is_nsys_stats_json(text);
  (void)is_nsys_stats_json(text.substr(0, size / 2));
  for (const char* name : {"x_cuda_gpu_kern_sum.json", "x.json"}) {
    const auto profile = read_nsys_stats_json_text(text, name);
    if (!profile) {
      if (profile.error().message.empty()) std::abort();
      continue;
    }
    std::int64_t sum = 0;
    for (const auto& kernel : profile->kernels) sum += kernel.aggregate.total;
    if (sum != profile->info.kernel_ns) std::abort();
  }
  return 0;
}
