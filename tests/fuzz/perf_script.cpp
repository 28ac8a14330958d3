// links: profiles core
// Any text as perf script: read or refused with a reason; no function costs more than all samples together.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profiles/readers/host/host_profiles.hpp"
#include "tests/fuzz/frames_hold.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)is_perf_script_text(text, true);
  (void)is_perf_script_text(text, false);
  const auto profile = read_perf_script_text(text, "perf.txt");
  if (!profile) {
    if (profile.error().message.empty()) std::abort();
    return 0;
  }
  frames_hold(*profile);
  if (profile->frames_samples.value_or(0) == 0 || profile->frames_duration_ns.value_or(1) <= 0) std::abort();
  return 0;
}
