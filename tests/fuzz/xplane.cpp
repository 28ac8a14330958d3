// links: profiles core
// Any bytes as an XSpace: a capture whose columns are of one length and whose indices exist, and which can be analysed, or a
// reason.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profiles/analysis/analyse.hpp"
#include "profiles/readers/host/host_profiles.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)is_xplane_bytes(bytes, true);
  (void)is_xplane_bytes(bytes, false);
  auto capture = read_xplane_bytes(bytes, "x.xplane.pb", {});
  if (!capture) {
    if (capture.error().message.empty()) std::abort();
    return 0;
  }
  const GpuOps& ops = capture->ops;
  if (ops.name.size() != ops.size() || ops.queue.size() != ops.size() || ops.kind.size() != ops.size() ||
      ops.detail.size() != ops.size() || ops.launch.size() != ops.size())
    std::abort();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops.name[i] >= capture->names.size() || ops.queue[i] >= capture->queues.size() || ops.times.length(i) < 0) std::abort();
  }
  const auto profile = analyse(std::move(*capture), {});
  if (!profile) {
    if (profile.error().message.empty()) std::abort();
    return 0;
  }
  std::int64_t sum = 0;
  for (const NamedAggregate& kernel : profile->kernels) sum += kernel.aggregate.total;
  if (sum != profile->info.kernel_ns) std::abort();
  return 0;
}
