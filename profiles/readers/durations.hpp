// Durations by name, as every reader of single events collects them: names become dense slots once, an event costs two
// appends of 32 bits, and the statistics are computed at the end from the whole list, so that the median is exact and the
// sample standard deviation (n - 1) is two-pass. Durations are nanoseconds, not negative. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// The most that the times of one name, or of one kind of row, may add up to (73 years): differences, effects and their
// halves then stay inside int64.
inline constexpr std::int64_t kTimeBound = std::int64_t{1} << 61;

class Durations {
 public:
  // The slot of a name; equal names share one.
  std::uint32_t slot(std::string_view name);
  [[nodiscard]] const std::string& name(std::uint32_t slot) const { return names_[slot]; }
  void add(std::uint32_t slot, std::int64_t duration) {
    if (duration < kLong) {
      slots_.push_back(slot);
      short_.push_back(static_cast<std::uint32_t>(duration));
    } else {
      long_.emplace_back(slot, duration);
    }
  }
  [[nodiscard]] std::uint64_t events() const { return slots_.size() + long_.size(); }
  // Names with at least one event, in the order in which they came up. `total` is set to the sum of everything; when that
  // goes beyond kTimeBound the capture is implausible, and false comes back. Leaves the collector empty of events.
  [[nodiscard]] bool finish(std::vector<NamedAggregate>& out, std::int64_t& total);

 private:
  static constexpr std::int64_t kLong = 0xFFFFFFFF;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> by_name_;
  std::vector<std::uint32_t> slots_, short_;
  std::vector<std::pair<std::uint32_t, std::int64_t>> long_;  // 4.29 s and more: rare
};

// Activity of one kind on one device, kept as the union of its intervals: what the wall buckets need and no more.
// Events mostly come sorted by start; those that do not are sorted once at the end.
class IntervalUnion {
 public:
  void add(std::int64_t start, std::int64_t end) {
    if (!list_.empty()) {
      Interval& last = list_.back();
      if (start >= last.start && start <= last.end) {
        if (end > last.end) last.end = end;
        return;
      }
      sorted_ = sorted_ && start > last.start;
    }
    list_.push_back({start, end});
  }
  [[nodiscard]] std::vector<Interval> finish();

 private:
  std::vector<Interval> list_;
  bool sorted_ = true;
};

}  // namespace plumbline::profiles
