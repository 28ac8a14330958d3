// Clocks of a Perfetto trace. Packets tell their times by clocks of the system or of their own sequence, in units of their own,
// absolute or counted from the last packet on; snapshots say what several clocks showed at one moment. All times become those of
// one clock: boot time where the first snapshot has it. The first snapshot of a clock counts: how clocks drift is not followed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace plumbline::profiles {

class PerfettoClocks {
 public:
  static constexpr std::uint64_t kBootTime = 6;  // of packets that name no clock
  // Before any time is asked for: a ClockSnapshot and the sequence of its packet.
  void relate(std::string_view snapshot, std::uint64_t sequence);
  // A snapshot met among the packets: where incremental clocks count from.
  void restart(std::string_view snapshot, std::uint64_t sequence);
  // In ns of the trace; nullopt where no snapshot relates the clock to others that are used. In the order of the packets.
  [[nodiscard]] std::optional<std::int64_t> time(std::uint64_t stamp, std::uint64_t sequence, std::uint64_t clock);
  [[nodiscard]] std::uint64_t unrelated() const { return unrelated_; }  // times that were not told

  // nullopt beyond what a time may be.
  [[nodiscard]] static std::optional<std::int64_t> nanoseconds(std::uint64_t ticks, std::uint64_t unit);

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // sequence (0: everybody's) and id
  struct Clock {
    std::uint64_t unit = 1;  // ns
    bool incremental = false;
    std::uint64_t now = 0;               // ticks, of an incremental one
    std::optional<std::int64_t> offset;  // ns to add for the trace's time
  };
  [[nodiscard]] static Key key(std::uint64_t sequence, std::uint64_t clock);

  std::map<Key, Clock> clocks_;
  std::optional<std::uint64_t> reference_;
  std::optional<Key> sole_;  // a clock that no snapshot relates: good as long as there is no other
  bool related_ = false;     // times of others were told
  std::uint64_t unrelated_ = 0;
};

}  // namespace plumbline::profiles
