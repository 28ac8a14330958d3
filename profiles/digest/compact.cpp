#include "profiles/digest/compact.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "profiles/ranks/rows.hpp"

namespace plumbline::profiles {
namespace {

UInt128 square(std::int64_t value) { return static_cast<UInt128>(value) * static_cast<UInt128>(value); }

// The statistics of one event, or of two of which the shorter is known; nullopt of more, and where that cannot be.
std::optional<Aggregate> of_few(std::uint64_t count, std::int64_t total, std::int64_t shorter) {
  if (count == 0 || count > 2 || total < 0) return std::nullopt;
  const std::array<std::int64_t, 2> values = {count == 1 ? total : shorter, count == 1 ? total : total - shorter};
  if (values[0] < 0 || values[1] < values[0]) return std::nullopt;
  Aggregate few;
  few.count = count;
  few.total = total;
  few.min = values[0];
  few.max = values[1];
  few.median = (static_cast<double>(values[0]) + static_cast<double>(values[1])) / 2;
  few.squares = square(values[0]) + (count == 1 ? 0 : square(values[1]));
  few.sketch = SketchMaker().of(std::span<const std::int64_t>(values.data(), count));
  few.stddev = exact_stddev(count, total, few.squares);
  return few;
}

bool is_told_by_few(const Aggregate& row) {
  const auto few = row.has_spread ? of_few(row.count, row.total, row.min) : std::nullopt;
  return few && few->min == row.min && few->max == row.max && few->median == row.median;
}

}  // namespace

void sketch_few(NamedAggregate& row) {
  if (row.aggregate.sketch.empty() && is_told_by_few(row.aggregate))
    row.aggregate = *of_few(row.aggregate.count, row.aggregate.total, row.aggregate.min);
}

void compact(NamedAggregate& row) {
  Aggregate& aggregate = row.aggregate;
  if (row.slowest.device >= 0) row.slowest.duration_ns = std::max<std::int64_t>(0, aggregate.max - row.slowest.duration_ns);
  if (is_told_by_few(aggregate)) {
    aggregate = {.count = aggregate.count, .total = aggregate.total, .min = aggregate.count == 1 ? 0 : aggregate.min};
  } else if (!aggregate.sketch.empty()) {
    aggregate.stddev = 0;
  }
}

void restore(NamedAggregate& row) {
  Aggregate& aggregate = row.aggregate;
  if (aggregate.sketch.empty() && aggregate.has_spread && aggregate.max == 0) {
    if (auto few = of_few(aggregate.count, aggregate.total, aggregate.min)) aggregate = std::move(*few);
  } else if (!aggregate.sketch.empty()) {
    aggregate.stddev = exact_stddev(aggregate.count, aggregate.total, aggregate.squares);
  }
  if (row.slowest.device >= 0) row.slowest.duration_ns = std::max<std::int64_t>(0, aggregate.max - row.slowest.duration_ns);
}

UInt128 squares_of_mean(const Aggregate& aggregate) {
  const auto total = static_cast<UInt128>(aggregate.total);
  return aggregate.count == 0 ? 0 : total * total / aggregate.count;
}

}  // namespace plumbline::profiles
