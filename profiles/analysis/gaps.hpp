// The gaps in which a device did nothing, by what the host did meanwhile. Every gap is cut like idle time (idle.hpp); its parts
// get a cause, so the causes' times sum to the idle time exactly:
//   synchronisation  a synchronising call, or a copy that blocks, of the thread that launches next: `what` is the call
//   data_loading     a range of that thread that fetches the next batch (names/host_work.hpp): `what` is the range
//   allocation       a call that allocates or frees: `what` is the call
//   lock             a call of the operating system that waits for another thread: `what` is the call
//   io               one that waits for files, sockets or events: `what` is the call
//   launches         the rest of gaps shorter than kShortGap: the host launches as fast as it can, and not faster than kernels
//   end host             the rest of longer gaps: `what` is the innermost range that the thread was in all the while, if any
//   queue            the work was launched and had not started
//   unknown          the capture does not say which call launched what ended the gap
// What of a gap lies inside a whole step, on the device that takes longest for the step, is told too: of all causes it sums to
// the idle time of the steps exactly.
//
// Gaps shorter than kShortGap are summed by their parts and not looked at one by one; of a device that has more than kMostGaps
// longer ones, those that are shorter than the longest half of so many neither.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "profiles/analysis/calls.hpp"
#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline constexpr std::int64_t kShortGap = 20'000;  // ns
inline constexpr std::size_t kMostGaps = 16'384;

// What a sweep over one device meets.
class GapLog {
 public:
  struct Gap {
    std::int64_t from, to;
    std::uint32_t before, next;  // the operations on either side; before: kNone for none
    std::int64_t sync, launch;   // parts of it; the rest is the host's, or other where `other`
    bool other;
  };
  void add(std::int64_t from, std::int64_t to, std::uint32_t before, std::uint32_t next, const core::ProfileIdleSplit& parts);

  [[nodiscard]] const std::vector<Gap>& long_ones() const { return long_; }
  struct Short {
    core::ProfileIdleSplit sum;
    std::uint64_t host = 0, sync = 0, launch = 0, other = 0;  // gaps that have such a part
  };
  [[nodiscard]] const Short& short_ones() const { return short_; }

 private:
  void add_short(std::int64_t length, std::int64_t sync, std::int64_t launch, bool other);
  void drop_half();

  std::vector<Gap> long_;
  std::int64_t least_ = kShortGap;  // length of a gap that is kept
  Short short_;
};

// The parts of one device's gaps that lie in a window of time, for a picture of it: in order, cut at its ends.
struct GapPart {
  std::int64_t from, to;
  std::string cause, what;
};
struct GapWindow {
  std::int64_t device, from, to;
  std::vector<GapPart> parts = {};  // of gaps that were looked at one by one
};

// By cause, most time first; at most kMostGapRows, the rest of a cause without its `what`. `capture` sorted and joined; logs by
// device number.
inline constexpr std::size_t kMostGapRows = 64;
[[nodiscard]] std::vector<Gaps> explain_gaps(const Capture& capture, const std::vector<CallKind>& kinds,
                                             const std::map<std::int64_t, GapLog>& logs, const Steps& steps = {},
                                             std::span<GapWindow> windows = {});

// Adds the rows of another rank.
void add_gaps(std::vector<Gaps>& into, std::vector<Gaps>&& from);

}  // namespace plumbline::profiles
