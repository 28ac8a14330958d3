// links: profiles core
// Any text as folded stacks: read or refused with a reason, and own costs add up to what the lines say.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profiles/diff/frames.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "tests/fuzz/frames_hold.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)is_folded_text(text, true);
  (void)is_folded_text(text, false);
  const auto profile = read_folded_text(text, "x.folded");
  if (!profile) {
    if (profile.error().message.empty()) std::abort();
    return 0;
  }
  if (profile->info.kernels != 0 || profile->frames.empty()) std::abort();
  frames_hold(*profile);
  for (const auto& row : compare_frames(profile->frames, profile->frames)) {
    if (row.delta_self != 0 || row.delta_total != 0 || row.state != "matched") std::abort();
  }
  return 0;
}
