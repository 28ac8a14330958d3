#include "core/rules/waiver.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace plumbline::core {

std::string source_of(const Waiver& waiver) { return "plumbline.yaml:" + std::to_string(waiver.line); }

bool is_expired(const Waiver& waiver, std::string_view today) { return today > waiver.until; }

bool names_measurement(const Waiver& waiver) { return waiver.family != "*" || waiver.measurement != "*" || waiver.format != "*"; }

int match(const Waiver& waiver, std::string_view key) {
  int best = -1;
  for (const std::string& glob : waiver.keys) {
    if (glob_match(glob, key)) best = std::max(best, static_cast<int>(glob_specificity(glob)));
  }
  return best;
}

std::string_view to_string(WaiverState state) {
  switch (state) {
    case WaiverState::holds:
      return "holds";
    case WaiverState::exceeded:
      return "exceeded";
    case WaiverState::expired:
      return "expired";
  }
  return "holds";
}

}  // namespace plumbline::core
