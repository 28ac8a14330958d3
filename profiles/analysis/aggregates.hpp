// Events by name with the statistics that `nsys stats` prints: count, total, min, max, exact median (the mean of the middle two
// of an even number), sample standard deviation (n - 1, two passes; 0 for one event). Names are dense numbers already when they
// are interned, so an event costs one count and one store of 32 bits; no event is hashed for the statistics.
#pragma once

#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// The most that the times of one kind of row may add up to (73 years): differences, effects and their halves stay in int64.
inline constexpr std::int64_t kTimeBound = std::int64_t{1} << 61;

// Which events count: those whose kind (OpKind, RangeKind) is in a set. By default all.
class Selection {
 public:
  Selection() = default;
  template <class Kind>
  Selection(const Column<Kind>& kinds, std::initializer_list<Kind> wanted)
      : kinds_(reinterpret_cast<const std::uint8_t*>(kinds.data())) {
    static_assert(sizeof(Kind) == 1);
    for (const Kind kind : wanted) set_ |= 1U << static_cast<unsigned>(kind);
  }
  [[nodiscard]] bool operator()(std::size_t event) const { return kinds_ == nullptr || (set_ >> kinds_[event] & 1U) != 0; }

 private:
  const std::uint8_t* kinds_ = nullptr;
  unsigned set_ = 0;
};

struct Aggregates {  // one entry per name that has an event, in order of name ids
  std::vector<NamedAggregate> rows;
  std::vector<std::uint32_t> ids;      // of the names
  std::vector<std::uint32_t> slowest;  // the longest event, of equally long ones the first
  std::int64_t total = 0;              // of all
};
// False when the times add up to more than kTimeBound: the capture is damaged. `digest`: with Aggregate::squares and sketch.
[[nodiscard]] bool aggregate(const Times& times, const Column<std::uint32_t>& names, const NameTable& table,
                             const Selection& wanted, Aggregates& out, bool digest = false);

// NamedAggregate::slowest of GPU operations.
void add_places(const Capture& capture, Aggregates& gpu);
// NamedAggregate::shapes of kernels: at most 64 by time; the rest of a name together as "other", last. Instances of unknown shape
// are "unknown"; a name of which no shape is known has no list. The counts and times of a list sum to the name's.
void add_shapes(const Capture& capture, Aggregates& kernels);

}  // namespace plumbline::profiles
