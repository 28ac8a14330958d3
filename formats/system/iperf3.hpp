// What iperf3 measures, whether it wrote JSON or text: one set of keys, units and roles. What the receiver got is the result; UDP
// and any run with a target rate measure an offered load. Private to formats/.
#pragma once

#include <string_view>

#include "formats/tool_rows.hpp"

namespace plumbline::formats::iperf3 {

using core::Direction;
using core::Role;

inline constexpr ToolMetric kRate[] = {{"bits_per_second", "bit/s", Direction::higher, Role::judged},
                                       {"bits_per_second", "bit/s", Direction::higher, Role::context}};
inline constexpr ToolMetric kIntervals{"interval_bits_per_second", "bit/s", Direction::higher, Role::context};
inline constexpr ToolMetric kSent{"sent_bits_per_second", "bit/s", Direction::higher, Role::context};
inline constexpr ToolMetric kRetransmits{"retransmits", "", Direction::lower, Role::judged, true};
inline constexpr ToolMetric kJitter{"jitter", "ms", Direction::lower, Role::judged};
inline constexpr ToolMetric kLost{"lost_percent", "%", Direction::lower, Role::judged};
inline constexpr ToolMetric kCpu[] = {{"host_total", "%", Direction::lower, Role::context},
                                      {"remote_total", "%", Direction::lower, Role::context}};

enum class Offered : std::uint8_t { no, udp, target };
[[nodiscard]] constexpr std::string_view offered_warning(Offered offered) {
  return offered == Offered::udp ? "UDP sends what it is told to: the rate is not judged, losses and jitter are"
                                 : "the test had a target rate: what it reached is what was asked for, and is not judged";
}

}  // namespace plumbline::formats::iperf3
