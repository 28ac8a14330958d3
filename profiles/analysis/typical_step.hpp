// The typical step, to be drawn and taken apart: of the whole steps the one whose wall is the median, on the device that takes
// longest for it. Where no steps are known, the whole capture if it is short, else a piece from its middle, of the device that is
// busiest. A few passes over the starts of operations and ranges; beyond that only what lies in the window is looked at.
#pragma once

#include <span>
#include <vector>

#include "profiles/analysis/gaps.hpp"
#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline constexpr std::int64_t kWholeCaptureDrawn = 100'000'000;  // ns: without steps a capture up to this length is drawn whole
inline constexpr std::int64_t kPieceDrawn = 50'000'000;          // ns: else so much from the middle
inline constexpr std::size_t kMostStreamBlocks = 1500, kMostHostBlocks = 500, kMostDrawnGaps = 300;
inline constexpr std::size_t kMostStreamLanes = 10, kMostHostThreads = 2, kMostHostLevels = 2, kMostStepParts = 2000;

class TypicalStep {
 public:
  // `capture` sorted and joined, and outlives this.
  TypicalStep(const Capture& capture, const Steps& steps);

  // For explain_gaps: of the step that is drawn, and of the other one in the middle of an even number.
  [[nodiscard]] std::span<GapWindow> windows() { return windows_; }
  // Once the windows know their gaps. Nothing for a capture without operations.
  [[nodiscard]] std::optional<core::ProfileTimelineSide> draw(const std::vector<bool>& communication) const;

 private:
  const Capture& capture_;
  std::string step_name_;
  core::ProfileTimelineSide head_;  // which window this is
  std::vector<GapWindow> windows_;
};

}  // namespace plumbline::profiles
