// links: profiles core
// Any bytes as a table of Nsight Compute: the reader answers or refuses with a reason, sums stay sums, and the metrics of two
// halves differ by the same amounts whichever comes first.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profiles/diff/metrics.hpp"
#include "profiles/readers/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)is_ncu_csv(text);
  const auto profile = read_ncu_text(text, "x.csv");
  if (!profile) {
    if (profile.error().message.empty()) std::abort();
    return 0;
  }
  std::int64_t sum = 0;
  for (const auto& kernel : profile->kernels) sum += kernel.aggregate.total;
  if (sum != profile->info.kernel_ns) std::abort();
  const std::size_t half = profile->metrics.size() / 2;
  const std::vector<KernelMetric> first(profile->metrics.begin(), profile->metrics.begin() + static_cast<std::ptrdiff_t>(half));
  const auto forth = diff_metrics(first, profile->metrics);
  const auto back = diff_metrics(profile->metrics, first);
  if (forth.size() != back.size()) std::abort();
  double sum_forth = 0;
  double sum_back = 0;
  for (const auto& row : forth)
    sum_forth += row.delta && std::isfinite(*row.delta) && std::abs(*row.delta) < 1e12 ? std::round(*row.delta) : 0;
  for (const auto& row : back)
    sum_back += row.delta && std::isfinite(*row.delta) && std::abs(*row.delta) < 1e12 ? std::round(*row.delta) : 0;
  if (sum_forth != -sum_back) std::abort();
  return 0;
}
