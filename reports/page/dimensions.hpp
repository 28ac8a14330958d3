// What of a row is left when some of its dimensions become axes. Internal to reports/.
#pragma once

#include <span>
#include <string>

#include "core/measurement.hpp"

namespace plumbline::reports {

// "test p2p=on bandwidth, GB/s" for "test[p2p=on,row=0,col=1].bandwidth" without row and col.
[[nodiscard]] std::string title_without(const core::Measurement& side, const core::Row& row, std::span<const core::Id> axes);

}  // namespace plumbline::reports
