// A typical step of a capture, operation by operation: what a picture of it is drawn from. Times are int64 nanoseconds from the
// window's start, cut at its ends. Bounded: neighbours on a lane that are too short to be told apart stand in one block, which
// says how many they are; none is left out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::core {

enum class TimelineWork : std::uint8_t { compute, communication, copy, host };  // host: ranges and calls of a thread

struct TimelineBlock {
  std::int64_t start_ns = 0, duration_ns = 0;
  std::int64_t busy_ns = 0;                   // the lengths of its operations together
  std::uint32_t name = 0;                     // ProfileTimelineSide::names; of several the one that takes most time
  std::uint32_t count = 1;                    // operations in it
  TimelineWork work = TimelineWork::compute;  // of several the one that takes most time
};

struct TimelineLane {
  bool host = false;                         // a thread, else a stream
  std::int64_t number = -1;                  // of the stream or the thread
  std::uint32_t together = 1;                // streams that share the lane, the quietest ones
  std::uint32_t level = 0;                   // host: 1 for what lies inside the ranges of level 0
  std::array<std::int64_t, 4> busy_ns = {};  // lengths inside the window, by TimelineWork
  std::uint64_t operations = 0;
  std::vector<TimelineBlock> blocks;  // by start
};

struct TimelineGap {  // a part of a gap in which the device did nothing
  std::int64_t start_ns = 0, duration_ns = 0;
  std::string cause, what;  // as ProfileGaps; cause "" = too short to be looked at one by one
};

// A part of the typical step's wall: each moment belongs to the operation of the highest class (compute, communication, copy)
// that began first, or to a gap's cause.
struct TimelinePart {
  std::string kind, name;  // "kernel" "collective" "copy"; "idle": the cause and what says so
  std::int64_t ns = 0;
};

struct ProfileTimelineSide {
  std::string basis;               // "step", "capture": no steps known, the whole of it, "window": no steps known, a piece of it
  std::uint64_t step = 0, of = 0;  // which of the whole steps, from 1
  std::optional<std::int64_t> rank;  // of several: whose step this is
  std::int64_t device = 0;
  std::int64_t start_ns = 0;  // on the capture's clock
  std::int64_t wall_ns = 0, idle_ns = 0;
  std::uint64_t operations = 0;
  std::vector<std::string> names;  // at most kTimelineNameBytes each
  std::vector<TimelineLane> lanes;
  std::vector<TimelineGap> gaps;
  std::uint64_t short_gaps = 0;  // not among them
  std::int64_t short_gaps_ns = 0;
  // Of basis "step": the median step's wall, which is the mean of the two in the middle of an even number, and its parts, which
  // sum to it exactly. Most time first.
  std::int64_t typical_ns = 0;
  std::vector<TimelinePart> parts;
};
inline constexpr std::size_t kTimelineNameBytes = 240;

struct ProfileStepPart {
  std::string kind, name;  // as TimelinePart; "rest": all smaller ones
  std::int64_t baseline_ns = 0, candidate_ns = 0;
  [[nodiscard]] std::int64_t delta_ns() const { return candidate_ns - baseline_ns; }
};
struct ProfileTimeline {
  std::optional<ProfileTimelineSide> baseline, candidate;
  // Where both are steps: their typical_ns, part by part. What moved most first; the changes sum to the change exactly.
  std::vector<ProfileStepPart> parts;
  std::uint64_t parts_together = 0;  // that are the "rest"
};

}  // namespace plumbline::core
