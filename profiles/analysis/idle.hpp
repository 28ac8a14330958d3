// Why a device did nothing: each gap is split, to the nanosecond, by the call that launched the operation which ended it.
// Before that call began the work did not exist yet: the launching thread was waiting for the GPU (sync: a synchronising call,
// a blocking copy or a copy of pageable memory covers the time) or busy with something else (host). From the call's start on
// the work was under way and had not started (launch: latency, queues, waiting for other streams). Without a known call: other.
// Holistic Trace Analysis asks the same question of the kernel before: its HOST_WAIT is our host and sync, its KERNEL_WAIT and
// OTHER_WAIT our launch; it classes whole gaps, we cut them at the call's start, so the parts sum to the idle time exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "profiles/analysis/calls.hpp"
#include "profiles/capture.hpp"

namespace plumbline::profiles {

class IdleSplitter {
 public:
  // `capture` sorted and joined; it must outlive the splitter. `kinds` by name id (call_kinds).
  IdleSplitter(const Capture& capture, const std::vector<CallKind>& kinds);
  // Whether the capture says of any operation which call launched it; without that there is no split.
  [[nodiscard]] bool known() const { return known_; }

  // Where the last question of one device stood: gaps come in order of time, so the next answer is mostly near.
  struct Hint {
    std::uint32_t thread = kNone;
    std::size_t at = 0;
  };
  // Splits [from, to), which the operation `next` ended, and adds the parts to `into`.
  void add(std::int64_t from, std::int64_t to, std::uint32_t next, Hint& hint, core::ProfileIdleSplit& into) const;

 private:
  struct Wait {
    std::int64_t start, end;
  };
  [[nodiscard]] std::int64_t waited(std::uint32_t thread, std::int64_t from, std::int64_t to, Hint& hint) const;

  const Capture& capture_;
  std::vector<std::vector<Wait>> waits_;  // by thread; sorted, disjoint
  bool known_ = false;
};

}  // namespace plumbline::profiles
