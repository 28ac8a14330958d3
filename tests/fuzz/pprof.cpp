// links: profiles core
// Any bytes as a pprof profile, gzip or not: read or refused with a reason; totals hold own costs, none exceeds the sum.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profiles/readers/host/host_profiles.hpp"
#include "tests/fuzz/frames_hold.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)is_pprof_bytes(bytes, true);
  (void)is_pprof_bytes(bytes, false);
  const auto profile = read_pprof_bytes(bytes, "x.pb");
  if (!profile) {
    if (profile.error().message.empty()) std::abort();
    return 0;
  }
  frames_hold(*profile);
  return 0;
}
