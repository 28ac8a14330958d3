#include "reports/page/wall_bars.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "reports/page/html.hpp"
#include "reports/page/svg.hpp"
#include "reports/profile_tables.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kDevices = 16;
constexpr double kRow = 40, kBar = 16;

std::string bar(const core::ProfileBuckets& side, double y, std::int64_t longest) {
  std::string out;
  double x = 0;
  const auto part = [&](std::int64_t ns, std::string_view tone, const char* name) {
    if (ns <= 0) return;
    const double width = 100 * static_cast<double>(ns) / static_cast<double>(longest);
    out +=
        "<g><title>" + markup(std::string(name) + " " + time_text(ns)) + "</title>" + svg::rect(x, y, width, kBar, tone) + "</g>";
    x += width;
  };
  part(side.compute_ns, "compute", "compute");
  part(side.exposed_comm_ns, "comm", "exposed communication");
  part(side.exposed_copy_ns, "copy", "exposed copies");
  part(side.idle_ns, "idle", "idle");
  return out;
}

}  // namespace

std::string wall_bars(std::span<const core::DeviceBuckets> devices) {
  if (devices.empty()) return {};
  const auto shown = devices.first(std::min(devices.size(), kDevices));
  std::int64_t longest = 1;
  for (const core::DeviceBuckets& device : shown) {
    for (const auto* side : {&device.baseline, &device.candidate}) {
      if (*side) longest = std::max(longest, (*side)->span_ns);
    }
  }
  std::string out = svg::open(2 * kRow * static_cast<double>(shown.size()), "wall time of each device by what it did", "wall");
  double y = 0;
  for (const core::DeviceBuckets& device : shown) {
    for (const bool before : {true, false}) {
      const std::optional<core::ProfileBuckets>& side = before ? device.baseline : device.candidate;
      out += svg::text(0, y + 13, "GPU " + device_text(device, !before) + (before ? " before" : " after"), before ? "soft" : "");
      out += svg::text(100, y + 13, side ? time_text(side->span_ns) : "not in this capture", side ? "key end" : "faint end");
      if (side) out += bar(*side, y + 18, longest);
      y += kRow;
    }
  }
  out += "</svg>\n" +
         html::legend({{"compute", "compute"}, {"comm", "exposed communication"}, {"copy", "exposed copies"}, {"idle", "idle"}});
  if (devices.size() > shown.size()) out += html::note("… and " + core::counted(devices.size() - shown.size(), "more device"));
  return out;
}

}  // namespace plumbline::reports
