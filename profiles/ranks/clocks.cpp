#include "profiles/ranks/clocks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "profiles/ranks/waiting.hpp"

namespace plumbline::profiles {
namespace {

// A rank of k groups comes nearer by one part in k each round: of eight groups a hundred rounds leave a millionth.
constexpr int kRounds = 200;
constexpr double kStays = 0.01;  // ns
// Noise keeps medians moving for ever: where ten rounds do not lessen what is moved, more will not.
constexpr int kLooked = 10;
constexpr double kLessened = 0.9;

// Nobody leaves these before everybody has come; of the others, roots and leaves leave at other times.
bool ends_together(std::string_view type) {
  constexpr std::array<std::string_view, 5> kTypes = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "barrier"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

struct Reading {           // of one rank in one collective
  std::uint32_t slot = 0;  // the rank in the group that met
  double end = 0;
};

const std::string& group_of(const Job& job, const Meeting& meeting) {
  return meeting.sequence < 0 ? job.sum.collectives[meeting.part.kind].group : job.meetings.streams[meeting.stream].group;
}

// Times on a capture's clock are too large for a double to hold their nanoseconds: each rank's are told from its first one.
class Clocks {
 public:
  Clocks(const Job& job, const std::vector<const Meeting*>& meetings) {
    for (const Meeting* meeting : meetings) {
      if (!ends_together(job.sum.collectives[meeting->part.kind].type)) continue;
      for (const Arrival& each : meeting->arrivals) {
        const auto [at, fresh] = base_.try_emplace(each.rank, each.end);
        if (!fresh) at->second = std::min(at->second, each.end);
      }
      used_.push_back(meeting);
    }
    for (const auto& [rank, base] : base_) place_.emplace(rank, static_cast<std::uint32_t>(place_.size()));
    std::map<std::pair<std::string_view, std::uint32_t>, std::uint32_t> slots;
    for (const Meeting* meeting : used_) {
      std::vector<Reading>& readings = readings_.emplace_back();
      for (const Arrival& each : meeting->arrivals) {
        const std::uint32_t place = place_.at(each.rank);
        const auto [at, fresh] =
            slots.try_emplace({group_of(job, *meeting), place}, static_cast<std::uint32_t>(place_of_.size()));
        if (fresh) place_of_.push_back(place);
        readings.push_back({at->second, static_cast<double>(each.end - base_.at(each.rank))});
      }
    }
    offsets_.resize(place_.size());
  }

  // Each group has one voice, however often it meets: a group that meets often would else keep its own time for ever.
  void settle() {
    std::vector<std::vector<double>> ahead(place_of_.size());
    double before = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kRounds; ++round) {
      for (auto& each : ahead) each.clear();
      for (const std::vector<Reading>& readings : readings_) {
        const double middle = middle_of(readings);
        for (const Reading& each : readings) ahead[each.slot].push_back(each.end - middle);
      }
      std::vector<double> sums(offsets_.size());
      std::vector<double> groups(offsets_.size());
      for (std::size_t slot = 0; slot < ahead.size(); ++slot) {
        sums[place_of_[slot]] += median_of(ahead[slot]);
        ++groups[place_of_[slot]];
      }
      double moved = 0;
      for (std::size_t i = 0; i < offsets_.size(); ++i) {
        const double offset = sums[i] / groups[i];
        moved = std::max(moved, std::abs(offset - offsets_[i]));
        offsets_[i] = offset;
      }
      if (moved < kStays) return;
      if (round % kLooked != kLooked - 1) continue;
      if (moved > kLessened * before) return;
      before = moved;
    }
  }

  void tell(core::ProfileRanksSide& out) {
    if (offsets_.size() < 2) return;
    // Against one of them they are whole numbers where nothing scatters; against the middle of an even number they may be halves.
    for (const auto& [rank, place] : place_)
      out.clocks.push_back({rank, within(Int128{base_.at(rank)} + std::llround(offsets_[place] - offsets_.front()))});
    std::vector<std::int64_t> sorted;
    for (const core::RankClock& each : out.clocks) sorted.push_back(each.offset_ns);
    std::sort(sorted.begin(), sorted.end());
    const std::int64_t middle = sorted[(sorted.size() - 1) / 2];
    for (core::RankClock& each : out.clocks) each.offset_ns = within(Int128{each.offset_ns} - middle);
    out.clock_spread_ns = sorted.back() - sorted.front();
    std::vector<double> left;
    for (const std::vector<Reading>& readings : readings_) {
      const double at = middle_of(readings);
      for (const Reading& each : readings) left.push_back(std::abs(each.end - offset_of(each) - at));
    }
    out.clock_noise_ns = std::llround(median_of(left));
  }

 private:
  [[nodiscard]] double offset_of(const Reading& reading) const { return offsets_[place_of_[reading.slot]]; }
  [[nodiscard]] double middle_of(const std::vector<Reading>& readings) const {
    std::vector<double> ends;
    ends.reserve(readings.size());
    for (const Reading& each : readings) ends.push_back(each.end - offset_of(each));
    return median_of(ends);
  }

  std::vector<const Meeting*> used_;
  std::map<std::uint32_t, std::int64_t> base_;
  std::map<std::uint32_t, std::uint32_t> place_;
  std::vector<std::uint32_t> place_of_;  // by slot
  std::vector<std::vector<Reading>> readings_;
  std::vector<double> offsets_;
};

}  // namespace

std::int64_t within(Int128 time) {
  constexpr Int128 kMost = Int128{1} << 62U;
  return static_cast<std::int64_t>(std::clamp(time, -kMost + 1, kMost - 1));
}

double median_of(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<const Meeting*> shared_meetings(const Job& job) {
  const std::vector<bool> orderly = matched_by_order(job.meetings, job.sum.info.ranks.size(), job.sum.collectives);
  std::vector<const Meeting*> out;
  for (const Meeting& meeting : job.meetings.list) {
    if (meeting.arrivals.size() < 2 || (meeting.sequence < 0 && !orderly[meeting.part.kind])) continue;
    out.push_back(&meeting);
  }
  return out;
}

void tell_clocks(const Job& job, const std::vector<const Meeting*>& meetings, core::ProfileRanksSide& out) {
  Clocks clocks(job, meetings);
  clocks.settle();
  clocks.tell(out);
}

}  // namespace plumbline::profiles
