// Where a device's wall time went, beside a plain way of counting it nanosecond by nanosecond.
#include "profiles/analysis/timeline.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "profiles/analysis/order.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

struct Event {
  int kind;  // 0 compute, 1 communication, 2 copy
  std::int64_t start, end;
};

Capture capture_of(const std::vector<Event>& events) {
  constexpr std::array<const char*, 3> kNames = {"gemm", "nccl", "copy"};
  Capture capture;
  for (const char* name : kNames) capture.names.id(name);
  for (const Event& event : events) {
    capture.ops.times.add(event.start, event.end - event.start);
    capture.ops.name.push_back(static_cast<std::uint32_t>(event.kind));
    capture.ops.queue.push_back(static_cast<std::uint16_t>(capture.queues.id({1, 0, 1, event.kind})));
    capture.ops.kind.push_back(event.kind == 2 ? OpKind::copy : OpKind::kernel);
    capture.ops.detail.push_back(kNone);
    capture.ops.launch.push_back(kNone);
  }
  sort_by_start(capture);
  return capture;
}

const std::vector<bool> kCommunication = {false, true, false};

TEST(Timeline, ComputeThenCommunicationThenCopiesThenIdle) {
  const Timeline timeline = sweep(capture_of({{0, 10, 20}, {0, 40, 50}, {1, 15, 30}, {2, 0, 12}, {2, 28, 35}}), kCommunication);
  ASSERT_EQ(timeline.devices.size(), 1U);
  const core::ProfileBuckets& parts = timeline.devices[0].buckets;
  EXPECT_EQ(parts.span_ns, 50);
  EXPECT_EQ(parts.compute_ns, 20);
  EXPECT_EQ(parts.exposed_comm_ns, 10);
  EXPECT_EQ(parts.exposed_copy_ns, 15);
  EXPECT_EQ(parts.idle_ns, 5);
  EXPECT_EQ(parts.hidden_comm_ns, 5);
  EXPECT_EQ(parts.hidden_copy_ns, 4);
  EXPECT_EQ(timeline.exclusive, (std::vector<std::int64_t>{20, 10, 15}));
  ASSERT_EQ(timeline.gaps[0].size(), 1U);
  EXPECT_EQ(timeline.gaps[0][0].start, 35);
  EXPECT_EQ(timeline.gaps[0][0].end, 40);
}

TEST(Timeline, SumsToTheSpanWhateverOverlaps) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<Event> events;
    std::vector<int> by_time(400, 3);  // each nanosecond belongs to the strongest kind that covers it
    std::int64_t first = 400;
    std::int64_t last = 0;
    for (int i = 0; i < 24; ++i) {
      const std::int64_t start = static_cast<std::int64_t>(random() % 350);
      const Event event{static_cast<int>(random() % 3), start, start + static_cast<std::int64_t>(random() % 40)};
      events.push_back(event);
      first = std::min(first, event.start);
      last = std::max(last, event.end);
      for (std::int64_t t = event.start; t < event.end; ++t) {
        int& owner = by_time[static_cast<std::size_t>(t)];
        owner = std::min(owner, event.kind);
      }
    }
    const Timeline timeline = sweep(capture_of(events), kCommunication);
    const core::ProfileBuckets& parts = timeline.devices[0].buckets;
    EXPECT_EQ(parts.span_ns, last - first);
    EXPECT_EQ(parts.span_ns, parts.compute_ns + parts.exposed_comm_ns + parts.exposed_copy_ns + parts.idle_ns);
    const auto counted = [&](int wanted) { return std::count(by_time.begin() + first, by_time.begin() + last, wanted); };
    EXPECT_EQ(parts.compute_ns, counted(0));
    EXPECT_EQ(parts.exposed_comm_ns, counted(1));
    EXPECT_EQ(parts.exposed_copy_ns, counted(2));
    EXPECT_EQ(parts.idle_ns, counted(3));
    EXPECT_EQ(timeline.exclusive, (std::vector<std::int64_t>{counted(0), counted(1), counted(2)}));
    std::int64_t idle = 0;
    for (const Gap& gap : timeline.gaps[0]) idle += gap.end - gap.start;
    EXPECT_EQ(idle, parts.idle_ns);
  }
}

}  // namespace
}  // namespace plumbline::profiles::test
