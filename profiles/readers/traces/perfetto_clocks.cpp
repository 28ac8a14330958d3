#include "profiles/readers/traces/perfetto_clocks.hpp"

#include <algorithm>
#include <vector>

#include "base/protobuf.hpp"

namespace plumbline::profiles {
namespace {

using base::ProtobufReader;
using base::Wire;

struct Reading {
  std::uint64_t id = 0, stamp = 0, unit = 1;
  bool incremental = false;
};
struct Snapshot {
  std::uint64_t primary = PerfettoClocks::kBootTime;
  std::vector<Reading> readings;
  [[nodiscard]] const Reading* find(std::uint64_t id) const {
    const auto found = std::find_if(readings.begin(), readings.end(), [id](const Reading& each) { return each.id == id; });
    return found == readings.end() ? nullptr : &*found;
  }
};

Snapshot read_snapshot(std::string_view message) {
  constexpr std::size_t kMost = 1000;
  Snapshot snapshot;
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(2, Wire::varint)) snapshot.primary = reader.number();
    if (!reader.is(1, Wire::bytes) || snapshot.readings.size() >= kMost) continue;
    Reading reading;
    for (ProtobufReader part(reader.bytes()); part.next();) {
      if (part.is(1, Wire::varint)) reading.id = part.number();
      if (part.is(2, Wire::varint)) reading.stamp = part.number();
      if (part.is(3, Wire::varint)) reading.incremental = part.number() != 0;
      if (part.is(4, Wire::varint)) reading.unit = std::max<std::uint64_t>(1, part.number());
    }
    snapshot.readings.push_back(reading);
  }
  return snapshot;
}

}  // namespace

std::optional<std::int64_t> PerfettoClocks::nanoseconds(std::uint64_t ticks, std::uint64_t unit) {
  constexpr std::uint64_t kLatest = 4'000'000'000'000'000'000;
  std::uint64_t ns = 0;
  if (__builtin_mul_overflow(ticks, unit, &ns) || ns > kLatest) return std::nullopt;
  return static_cast<std::int64_t>(ns);
}

// From 64 on a clock is its sequence's.
PerfettoClocks::Key PerfettoClocks::key(std::uint64_t sequence, std::uint64_t clock) {
  constexpr std::uint64_t kFirstOwn = 64;
  return {clock < kFirstOwn ? 0 : sequence, clock};
}

void PerfettoClocks::relate(std::string_view message, std::uint64_t sequence) {
  const Snapshot snapshot = read_snapshot(message);
  if (snapshot.readings.empty()) return;
  if (!reference_) {
    for (const std::uint64_t id : {kBootTime, snapshot.primary, snapshot.readings.front().id}) {
      if (!reference_ && snapshot.find(id) != nullptr) reference_ = id;
    }
  }
  std::optional<std::int64_t> here;
  if (const Reading* found = snapshot.find(*reference_)) here = nanoseconds(found->stamp, found->unit);
  for (const Reading& reading : snapshot.readings) {
    Clock& known = clocks_[key(sequence, reading.id)];
    known.unit = reading.unit;
    known.incremental = reading.incremental;
    const auto ns = nanoseconds(reading.stamp, reading.unit);
    if (!known.offset && here && ns) known.offset = *here - *ns;
  }
}

void PerfettoClocks::restart(std::string_view message, std::uint64_t sequence) {
  for (const Reading& reading : read_snapshot(message).readings) clocks_[key(sequence, reading.id)].now = reading.stamp;
}

std::optional<std::int64_t> PerfettoClocks::time(std::uint64_t stamp, std::uint64_t sequence, std::uint64_t clock) {
  const Key which = key(sequence, clock);
  Clock& source = clocks_[which];
  if (source.incremental) stamp = source.now += stamp;
  const auto ns = nanoseconds(stamp, source.unit);
  if (source.offset && !sole_) {
    related_ = true;
    return ns ? std::optional(*ns + *source.offset) : std::nullopt;
  }
  if (!source.offset && !related_) {
    if (!sole_) sole_ = which;
    if (sole_ == which) return ns;
  }
  ++unrelated_;
  return std::nullopt;
}

}  // namespace plumbline::profiles
