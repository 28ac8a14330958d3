// links: profiles core
// Any bytes as rocprofv3's JSON: read or refused with a reason, and sums stay sums. What does not begin as such a file is made
// the inside of one, so that mutations reach the records.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "profiles/readers/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  std::string text(reinterpret_cast<const char*>(data), size);
  if (!text.starts_with("{\"rocprofiler")) text = "{\"rocprofiler-sdk-tool\":[{" + text;
  const auto profile = read_json_trace_text(text, "fuzz.json", {});
  if (!profile) {
    if (profile.error().message.empty()) std::abort();
    return 0;
  }
  std::int64_t sum = 0;
  for (const auto& kernel : profile->kernels) sum += kernel.aggregate.total;
  if (sum != profile->info.kernel_ns) std::abort();
  return 0;
}
