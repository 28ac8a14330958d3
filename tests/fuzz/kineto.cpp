// links: profiles core
// Any bytes as a JSON trace, gzip or not, in pieces of any size: read or refused with a reason, the same however they are cut,
// and sums stay sums.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profiles/readers/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = read_json_trace_text(text, "fuzz.json", {});
  const auto pieces = read_json_trace_text(text, "fuzz.json", {}, data[0] + 1U);
  // Where broken JSON is taken up again may depend on the cuts; everything else must not.
  const auto clean = [](const auto& profile) {
    return profile && std::none_of(profile->warnings.begin(), profile->warnings.end(),
                                   [](const auto& warning) { return warning.code == "malformed_events"; });
  };
  if ((!whole && whole.error().message.empty()) || (!pieces && pieces.error().message.empty())) std::abort();
  if (!clean(whole) || !clean(pieces)) return 0;
  std::int64_t sum = 0;
  for (const auto& kernel : whole->kernels) sum += kernel.aggregate.total;
  if (sum != whole->info.kernel_ns || sum != pieces->info.kernel_ns || whole->info.kernels != pieces->info.kernels) std::abort();
  for (const auto& device : whole->devices) {
    const auto& parts = device.buckets;
    if (parts.compute_ns + parts.exposed_comm_ns + parts.exposed_copy_ns + parts.idle_ns != parts.span_ns) std::abort();
  }
  return 0;
}
