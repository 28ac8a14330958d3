// What the captures of a job's ranks say beside their sum: which ranks are there, how far their clocks are apart, and which rank
// comes late to the collectives that it shares with others. Times are int64 nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::core {

struct RankFailure {       // of a rank whose capture could not be read
  std::int64_t rank = -1;  // -1: nothing says
  std::string file, code, reason;
  bool operator==(const RankFailure&) const = default;
};

struct RankClock {
  std::int64_t rank = 0;
  std::int64_t offset_ns = 0;  // what its capture's times are ahead of the middle rank's
};

struct Straggler {
  std::int64_t rank = 0;
  // What it does by itself between collectives, beyond what the middle rank of each collective does: a step, or where steps are
  // not known a collective. The middle over the run.
  std::int64_t late_ns = 0;
  std::optional<double> share_pct;  // of the step, or of the time from one collective to the next
  double p = 1;                     // of being as late in so many columns by chance, for all ranks together
  std::uint32_t columns = 0;        // of the grid, in which it was looked at
};

// How late ranks are over the run: rows of ranks next to each other, columns of steps or of collectives in order of time.
struct RankGrid {
  struct Row {
    std::int64_t first = 0, last = 0;                  // ranks
    std::vector<std::optional<std::int64_t>> late_ns;  // by column: of the latest of them
  };
  std::string unit;                       // "step" "collective": what late_ns is of
  std::uint64_t units = 0;                // that the columns hold together
  std::vector<std::uint64_t> first_unit;  // of each column, from 1
  std::vector<Row> rows;
};

struct ProfileRanksSide {
  std::uint64_t read = 0;
  std::uint64_t expected = 0;         // ranks of the job; 0 = nothing says
  std::string expected_by;            // "world_size" "group_size" "failures"
  std::vector<std::int64_t> missing;  // neither read nor failed
  std::vector<std::int64_t> cut;      // read, but their captures end before their end
  std::vector<RankFailure> failed;
  std::uint64_t collectives = 0;                                // that were looked at one by one, on two ranks or more
  std::vector<RankClock> clocks;                                // by rank; empty where no collective tells
  std::optional<std::int64_t> clock_spread_ns, clock_noise_ns;  // largest less smallest offset; what single collectives differ by
  std::vector<Straggler> stragglers;                            // latest first
  std::optional<RankGrid> grid;
  [[nodiscard]] bool whole() const { return missing.empty() && failed.empty() && cut.empty(); }
};

}  // namespace plumbline::core
