#include "profiles/ranks/lateness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "profiles/ranks/clocks.hpp"
#include "profiles/ranks/telling.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kFewestColumns = 3;
constexpr std::size_t kFewestRanks = 3;      // of two, which one is late is a matter of taste
constexpr std::size_t kMeetingsAColumn = 4;  // where there are no steps
constexpr std::size_t kMostPlaces = 256;
constexpr double kRobust = 1.4826;  // from a median absolute deviation to a standard deviation

// What is thinned stands for more: a file may claim a level at which that is more than a number holds.
std::int64_t rounded(double time) {
  constexpr double kMost = 4e18;
  return std::llround(std::clamp(time, -kMost, kMost));
}

// The collectives of each column, and what a column's lateness is divided by.
struct Column {
  std::uint64_t first_unit = 1, units = 0;
  std::vector<const Meeting*> meetings;
};

// Columns of whole steps: of many steps several a column. Whoever reads a digest with --steps none has no steps to hold lateness
// against, though its meetings know theirs.
std::vector<Column> by_steps(const Job& job, const std::vector<const Meeting*>& meetings) {
  if (!job.steps_correspond || job.sum.steps.steps.empty()) return {};
  std::map<std::int64_t, std::vector<const Meeting*>> steps;
  for (const Meeting* meeting : meetings) {
    if (meeting->step >= 0) steps[meeting->step].push_back(meeting);
  }
  if (steps.size() < kFewestColumns) return {};
  const std::size_t a_column = (steps.size() + kMostColumns - 1) / kMostColumns;
  std::vector<Column> out;
  std::size_t i = 0;
  for (auto& [step, list] : steps) {
    if (i++ % a_column == 0) out.push_back({static_cast<std::uint64_t>(step) + 1, 0, {}});
    ++out.back().units;
    out.back().meetings.insert(out.back().meetings.end(), list.begin(), list.end());
  }
  return out;
}

// In order of time as the clocks of their ranks say.
std::vector<Column> by_time(const Job& job, const std::vector<const Meeting*>& meetings, const core::ProfileRanksSide& told) {
  std::map<std::int64_t, std::int64_t> offsets;
  for (const core::RankClock& each : told.clocks) offsets[each.rank] = each.offset_ns;
  std::vector<std::tuple<std::int64_t, std::size_t>> order;
  for (std::size_t i = 0; i < meetings.size(); ++i) {
    const Arrival& one = meetings[i]->arrivals.front();
    const auto at = offsets.find(one.rank);
    order.emplace_back(within(Int128{one.end} - (at == offsets.end() ? 0 : at->second)), i);
  }
  std::sort(order.begin(), order.end());
  const std::size_t columns = std::min(kMostColumns, order.size() / kMeetingsAColumn);
  if (columns < kFewestColumns) return {};
  std::vector<Column> out(columns);
  const std::uint64_t stands_for = std::uint64_t{1} << std::min(job.meetings.arrivals_level, 62U);
  for (std::size_t i = 0; i < order.size(); ++i) {
    Column& column = out[i * columns / order.size()];
    if (column.meetings.empty()) column.first_unit = i * stands_for + 1;
    column.units += stands_for;
    column.meetings.push_back(meetings[std::get<1>(order[i])]);
  }
  return out;
}

using Late = std::vector<std::optional<double>>;  // of one rank, by column

class Lateness {
 public:
  Lateness(const Job& job, std::vector<Column> columns, bool steps)
      : ranks_(job.sum.info.ranks),
        columns_(std::move(columns)),
        steps_(steps),
        stands_for_(std::ldexp(1.0, static_cast<int>(std::min(job.meetings.arrivals_level, 62U)))) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) place_.emplace(ranks_[i], i);
    late_.assign(ranks_.size(), Late(columns_.size()));
    for (std::size_t c = 0; c < columns_.size(); ++c) add_column(c);
  }

  [[nodiscard]] std::vector<core::Straggler> stragglers(std::optional<double> unit_ns) const {
    const std::vector<std::size_t> sums = sums_of_places();
    std::vector<double> typical(ranks_.size());
    std::vector<double> known;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      typical[i] = typical_of(late_[i]);
      if (columns_of(i) > 0) known.push_back(typical[i]);
    }
    if (known.size() < kFewestRanks) return {};
    const double middle = median_of(known);
    for (double& each : known) each = std::abs(each - middle);
    const double bound = middle + kApart * kRobust * median_of(known);
    std::vector<core::Straggler> out;
    std::map<std::pair<std::size_t, std::size_t>, double> chances;  // by columns and sum
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const std::size_t columns = columns_of(i);
      if (columns < kFewestColumns || typical[i] <= 0 || typical[i] <= bound) continue;
      core::Straggler one{ranks_[i], rounded(typical[i]), std::nullopt, 1, static_cast<std::uint32_t>(columns)};
      if (unit_ns && *unit_ns > 0) one.share_pct = 100 * typical[i] / *unit_ns;
      if (one.share_pct && *one.share_pct < kLeastSharePct) continue;
      const auto [at, fresh] = chances.try_emplace({columns, sums[i]}, 0);
      if (fresh) at->second = chance_of_places(columns, places(), sums[i]);
      one.p = std::min(1.0, at->second * static_cast<double>(ranks_.size()));
      if (one.p <= kStragglerAlpha) out.push_back(one);
    }
    std::sort(out.begin(), out.end(),
              [](const auto& a, const auto& b) { return std::tuple(-a.late_ns, a.rank) < std::tuple(-b.late_ns, b.rank); });
    if (out.size() > kMostStragglers) out.resize(kMostStragglers);
    return out;
  }

  // Ranks next to each other share a row where there are too many; a row shows its latest rank.
  [[nodiscard]] core::RankGrid grid() const {
    core::RankGrid out;
    out.unit = steps_ ? "step" : "collective";
    for (const Column& column : columns_) {
      out.units += column.units;
      out.first_unit.push_back(column.first_unit);
    }
    const std::size_t a_row = (ranks_.size() + kMostGridRows - 1) / kMostGridRows;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (i % a_row == 0) out.rows.push_back({ranks_[i], ranks_[i], std::vector<std::optional<std::int64_t>>(columns_.size())});
      core::RankGrid::Row& row = out.rows.back();
      row.last = ranks_[i];
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (!late_[i][c]) continue;
        const std::int64_t late = rounded(*late_[i][c]);
        if (!row.late_ns[c] || late > *row.late_ns[c]) row.late_ns[c] = late;
      }
    }
    return out;
  }

 private:
  [[nodiscard]] std::size_t places() const { return std::min(kMostPlaces, ranks_.size()); }
  [[nodiscard]] std::size_t columns_of(std::size_t rank) const {
    return static_cast<std::size_t>(std::count_if(late_[rank].begin(), late_[rank].end(), [](const auto& each) { return each; }));
  }
  static double typical_of(const Late& late) {
    std::vector<double> known;
    for (const auto& each : late) {
      if (each) known.push_back(*each);
    }
    return median_of(known);
  }

  void add_column(std::size_t c) {
    std::vector<double> sum(ranks_.size());
    std::vector<std::uint64_t> count(ranks_.size());
    for (const Meeting* meeting : columns_[c].meetings) {
      std::vector<double> own;
      for (const Arrival& each : meeting->arrivals) {
        if (each.own >= 0) own.push_back(static_cast<double>(each.own));
      }
      if (own.size() < kFewestRanks) continue;
      const double middle = median_of(own);
      for (const Arrival& each : meeting->arrivals) {
        const auto place = place_.find(each.rank);
        if (each.own < 0 || place == place_.end()) continue;
        sum[place->second] += static_cast<double>(each.own) - middle;
        ++count[place->second];
      }
    }
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (count[i] == 0) continue;
      late_[i][c] =
          steps_ ? sum[i] * stands_for_ / static_cast<double>(columns_[c].units) : sum[i] / static_cast<double>(count[i]);
    }
  }

  // Of each rank over the columns: 1 is the latest of all. Where there are more ranks than places, several share one.
  [[nodiscard]] std::vector<std::size_t> sums_of_places() const {
    std::vector<std::size_t> sums(ranks_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      std::vector<double> all;
      for (const Late& late : late_) {
        if (late[c]) all.push_back(*late[c]);
      }
      std::sort(all.begin(), all.end());
      for (std::size_t i = 0; i < ranks_.size(); ++i) {
        if (!late_[i][c]) continue;
        const auto as_late = static_cast<std::size_t>(all.end() - std::lower_bound(all.begin(), all.end(), *late_[i][c]));
        sums[i] += (as_late * places() + all.size() - 1) / all.size();
      }
    }
    return sums;
  }

  const std::vector<std::int64_t>& ranks_;
  std::vector<Column> columns_;
  bool steps_;
  double stands_for_;
  std::map<std::int64_t, std::size_t> place_;
  std::vector<Late> late_;  // by place
};

// What lateness is a share of: a step, or the time from one collective to the next.
std::optional<double> unit_time(const Job& job, const std::vector<const Meeting*>& meetings, bool steps) {
  std::vector<double> times;
  if (steps) {
    for (const Step& step : job.sum.steps.steps) times.push_back(static_cast<double>(step.wall_ns));
    if (times.empty()) return std::nullopt;
    return median_of(times);
  }
  struct Range {
    std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
    double count = 0;
  };
  std::map<std::uint32_t, Range> ranges;
  for (const Meeting* meeting : meetings) {
    for (const Arrival& each : meeting->arrivals) {
      Range& range = ranges[each.rank];
      range.first = std::min(range.first, each.end);
      range.last = std::max(range.last, each.end);
      ++range.count;
    }
  }
  const double stands_for = std::ldexp(1.0, static_cast<int>(std::min(job.meetings.arrivals_level, 62U)));
  for (const auto& [rank, range] : ranges) {
    if (range.count > 1)
      times.push_back((static_cast<double>(range.last) - static_cast<double>(range.first)) / (range.count - 1) / stands_for);
  }
  if (times.empty()) return std::nullopt;
  return median_of(times);
}

}  // namespace

double chance_of_places(std::size_t columns, std::size_t of, std::size_t sum) {
  if (sum >= columns * of) return 1;
  if (sum < columns) return 0;
  std::vector<double> chance(sum + 1, 0.0);  // by the sum so far
  chance[0] = 1;
  for (std::size_t i = 0; i < columns; ++i) {
    std::vector<double> next(sum + 1, 0.0);
    double window = 0;
    for (std::size_t s = 1; s <= sum; ++s) {
      window += chance[s - 1];
      if (s > of) window -= chance[s - 1 - of];
      next[s] = std::max(0.0, window) / static_cast<double>(of);
    }
    chance = std::move(next);
  }
  double total = 0;
  for (const double each : chance) total += each;
  return std::min(1.0, total);
}

void tell_lateness(const Job& job, const std::vector<const Meeting*>& meetings, core::ProfileRanksSide& out) {
  if (job.sum.info.ranks.size() < kFewestRanks) return;
  std::vector<Column> columns = by_steps(job, meetings);
  const bool steps = !columns.empty();
  if (!steps) columns = by_time(job, meetings, out);
  if (columns.empty()) return;
  const Lateness lateness(job, std::move(columns), steps);
  out.stragglers = lateness.stragglers(unit_time(job, meetings, steps));
  out.grid = lateness.grid();
}

}  // namespace plumbline::profiles
