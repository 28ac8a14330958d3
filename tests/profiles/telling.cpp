// What ranks say beside their sum: clocks, late ranks and missing ones, of jobs whose truth is made. Each rank works for a while
// by itself, then all meet; a meeting ends when the last has come.
#include "profiles/ranks/telling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "profiles/digest/digest.hpp"
#include "profiles/ranks/merge.hpp"

namespace plumbline::profiles {
namespace {

struct Made {
  int ranks = 8, steps = 12, a_step = 4;  // collectives a step
  double noise = 0.02;
  int slow = -1;
  double slower = 0;  // of its own work
  bool steps_known = true;
  int group = 0;              // ranks a group that meet among themselves before all meet; 0: none
  int group_times = 1;        // how often they do
  std::int64_t later_ns = 0;  // what the second half of the ranks begins later
};

constexpr std::int64_t kWork = 1'000'000, kTransfer = 50'000;

std::int64_t clock_of(int rank) { return 1'700'000'000'000'000'000 + static_cast<std::int64_t>(rank) * 7'001'003 % 40'000'000; }

// The ranks' captures, by rank.
std::vector<Profile> captures_of(const Made& made, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> gauss;
  std::vector<Profile> out(static_cast<std::size_t>(made.ranks));
  std::vector<std::int64_t> now(out.size(), 0), last(out.size(), -1);
  for (std::size_t r = 0; r < out.size(); ++r) {
    out[r].collectives.push_back({"all_reduce", "1 MiB", "fp32", "dp", static_cast<std::uint32_t>(made.ranks), {}});
    if (made.group > 0) {
      out[r].collectives.push_back({"all_gather",
                                    "1 MiB",
                                    "fp32",
                                    "tp" + std::to_string(static_cast<int>(r) / made.group),
                                    static_cast<std::uint32_t>(made.group),
                                    {}});
    }
    out[r].info.format = "kineto";
  }
  const auto meet = [&](std::size_t from, std::size_t to, std::uint32_t kind, std::int64_t sequence) {
    const std::int64_t end =
        *std::max_element(now.begin() + static_cast<std::ptrdiff_t>(from), now.begin() + static_cast<std::ptrdiff_t>(to)) +
        kTransfer;
    for (std::size_t r = from; r < to; ++r) {
      CollectiveInstance one;
      one.kind = kind;
      one.sequence = sequence;
      one.duration = end - now[r];
      one.end = end + clock_of(static_cast<int>(r));
      one.own = last[r] < 0 ? -1 : now[r] - last[r];
      out[r].collective_instances.push_back(one);
      out[r].collectives[kind].side.count += 1;
      out[r].collectives[kind].side.total_ns += one.duration;
      now[r] = last[r] = end;
    }
  };
  for (std::size_t r = out.size() / 2; r < out.size(); ++r) now[r] += made.later_ns;
  std::int64_t sequence = 0;
  for (int step = 0; step < made.steps; ++step) {
    const std::vector<std::int64_t> from = now;
    for (int i = 0; i < made.a_step; ++i, ++sequence) {
      for (std::size_t r = 0; r < out.size(); ++r) {
        const double more = static_cast<int>(r) == made.slow ? 1 + made.slower : 1;
        now[r] += std::llround(static_cast<double>(kWork) * more * (1 + made.noise * std::abs(gauss(random))));
      }
      for (int time = 0; made.group > 0 && time < made.group_times; ++time) {
        for (int group = 0; group < made.ranks / made.group; ++group)
          meet(static_cast<std::size_t>(group * made.group), static_cast<std::size_t>((group + 1) * made.group), 1,
               sequence * made.group_times + time);
        for (std::size_t r = 0; r < out.size(); ++r) now[r] += kWork / 4;
      }
      meet(0, out.size(), 0, sequence);
    }
    for (std::size_t r = 0; made.steps_known && r < out.size(); ++r) {
      Step one;
      one.start = from[r] + clock_of(static_cast<int>(r));
      one.wall_ns = one.buckets.span_ns = one.buckets.compute_ns = now[r] - from[r];
      out[r].steps.basis = "marker";
      out[r].steps.steps.push_back(one);
    }
  }
  return out;
}

Job job_of(std::vector<Profile> captures, const std::vector<int>& order = {}) {
  RankMerge merge(Keep::all);
  std::vector<int> ranks(captures.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  for (const int rank : order.empty() ? ranks : order) merge.add(std::move(captures[static_cast<std::size_t>(rank)]), rank);
  return *merge.take("job");
}

core::ProfileRanksSide told(const Made& made, std::uint32_t seed) { return tell_ranks(job_of(captures_of(made, seed))); }

std::vector<std::int64_t> late_ranks(const core::ProfileRanksSide& side) {
  std::vector<std::int64_t> out;
  for (const core::Straggler& each : side.stragglers) out.push_back(each.rank);
  return out;
}

TEST(Telling, PlacesHaveTheChanceThatTheyHave) {
  EXPECT_DOUBLE_EQ(chance_of_places(1, 8, 1), 1.0 / 8);
  EXPECT_DOUBLE_EQ(chance_of_places(2, 6, 7), 21.0 / 36);  // two dice
  EXPECT_NEAR(chance_of_places(12, 256, 12), std::pow(256.0, -12), 1e-40);
  EXPECT_DOUBLE_EQ(chance_of_places(3, 4, 12), 1);
  EXPECT_DOUBLE_EQ(chance_of_places(3, 4, 2), 0);
  EXPECT_NEAR(chance_of_places(64, 256, 64 * 257 / 2), 0.5, 0.01);
}

TEST(Telling, AMadeStragglerIsNamedAmongAThousand) {
  Made made{.ranks = 1000, .steps = 10, .a_step = 3, .slow = 417, .slower = 0.1};
  const core::ProfileRanksSide side = told(made, 1);
  ASSERT_EQ(late_ranks(side), std::vector<std::int64_t>{417});
  const core::Straggler& one = side.stragglers.front();
  EXPECT_NEAR(static_cast<double>(one.late_ns), 3 * 0.1 * kWork, 0.1 * 3 * 0.1 * kWork);
  ASSERT_TRUE(one.share_pct);
  EXPECT_NEAR(*one.share_pct, 10, 2);
  EXPECT_LT(one.p, 1e-9);
  ASSERT_TRUE(side.grid);
  EXPECT_EQ(side.grid->unit, "step");
  EXPECT_EQ(side.grid->units, 10U);
  EXPECT_LE(side.grid->rows.size(), kMostGridRows);
  const auto row = std::find_if(side.grid->rows.begin(), side.grid->rows.end(),
                                [](const core::RankGrid::Row& each) { return each.first <= 417 && 417 <= each.last; });
  for (const auto& late : row->late_ns) EXPECT_GT(late.value_or(0), 100'000);
}

TEST(Telling, NoiseAloneNamesNobody) {
  int named = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed)
    named += told({.ranks = 32, .steps = 8, .noise = 0.1}, seed).stragglers.empty() ? 0 : 1;
  EXPECT_EQ(named, 0);
}

TEST(Telling, WhoWaitsForAStragglerInItsGroupIsNotLate) {
  const core::ProfileRanksSide side = told({.ranks = 64, .steps = 8, .slow = 21, .slower = 0.2, .group = 8}, 3);
  EXPECT_EQ(late_ranks(side), std::vector<std::int64_t>{21});
}

TEST(Telling, WithoutStepsColumnsAreOfTime) {
  const core::ProfileRanksSide side = told({.ranks = 16, .steps = 12, .slow = 5, .slower = 0.2, .steps_known = false}, 4);
  ASSERT_TRUE(side.grid);
  EXPECT_EQ(side.grid->unit, "collective");
  EXPECT_EQ(side.grid->units, 48U);
  EXPECT_EQ(late_ranks(side), std::vector<std::int64_t>{5});
}

// What matters to nobody is no straggler, also where the steps of a digest are left out (--steps none).
TEST(Telling, LittleLatenessNamesNobodyWithOrWithoutSteps) {
  Job job = job_of(captures_of({.noise = 0, .slow = 5, .slower = 0.005}, 11));
  const core::ProfileRanksSide side = tell_ranks(job);
  ASSERT_TRUE(side.grid);
  EXPECT_EQ(side.grid->unit, "step");
  EXPECT_EQ(late_ranks(side), std::vector<std::int64_t>{});
  job.sum.steps = job.slowest = {};
  const core::ProfileRanksSide without = tell_ranks(job);
  ASSERT_TRUE(without.grid);
  EXPECT_EQ(without.grid->unit, "collective");
  EXPECT_EQ(late_ranks(without), std::vector<std::int64_t>{});
}

TEST(Telling, ClocksAreToldToTheNanosecond) {
  for (const int group : {0, 4}) {
    const core::ProfileRanksSide side = told({.ranks = 16, .group = group}, 5);
    ASSERT_EQ(side.clocks.size(), 16U);
    for (const core::RankClock& each : side.clocks) {
      EXPECT_EQ(each.offset_ns - side.clocks.front().offset_ns, clock_of(static_cast<int>(each.rank)) - clock_of(0)) << each.rank;
    }
    EXPECT_EQ(side.clock_noise_ns, 0);
  }
}

// Groups that meet eight times as often as all do, and of which one begins later, do not keep a time of their own.
TEST(Telling, ClocksHoldBetweenGroupsHoweverOftenTheseMeet) {
  for (const auto& [times, later] : {std::pair(1, 5'000'000), {8, 5'000'000}, {8, 5'000'001}}) {
    const core::ProfileRanksSide side = told({.ranks = 8, .noise = 0, .group = 4, .group_times = times, .later_ns = later}, 10);
    ASSERT_EQ(side.clocks.size(), 8U);
    for (const core::RankClock& each : side.clocks) {
      EXPECT_EQ(each.offset_ns - side.clocks.front().offset_ns, clock_of(static_cast<int>(each.rank)) - clock_of(0)) << each.rank;
    }
    EXPECT_EQ(side.clock_noise_ns, 0);
  }
}

TEST(Telling, TheOrderOfRanksChangesNothing) {
  const Made made{.ranks = 40, .steps = 8, .slow = 11, .slower = 0.3, .group = 8};
  const std::string before = digest_text(Digest{job_of(captures_of(made, 6))});
  std::vector<int> order(40);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(9);
  for (int round = 0; round < 4; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    const Job job = job_of(captures_of(made, 6), order);
    EXPECT_EQ(digest_text(Digest{job}), before);
    EXPECT_EQ(late_ranks(tell_ranks(job)), std::vector<std::int64_t>{11});
  }
}

// Of more arrivals than are kept one in two, four … meetings is, whoever came first and however they were bracketed.
TEST(Telling, ManyArrivalsAreThinnedAlikeInAnyOrder) {
  const Made made{.ranks = 300, .steps = 40, .a_step = 25, .slow = 7, .slower = 0.3};
  std::vector<Profile> captures = captures_of(made, 7);
  std::vector<int> order(300);
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin(), order.end());
  const Job forth = job_of(captures), back = job_of(captures, order);
  std::size_t arrivals = 0;
  for (const Meeting& each : forth.meetings.list) arrivals += each.arrivals.size();
  EXPECT_LE(arrivals, kMostArrivals);
  EXPECT_GT(arrivals, kMostArrivals / 4);
  EXPECT_GT(forth.meetings.arrivals_level, 0U);
  EXPECT_EQ(digest_text(Digest{forth}), digest_text(Digest{back}));
  EXPECT_EQ(late_ranks(tell_ranks(forth)), std::vector<std::int64_t>{7});
}

// Each group has meetings of its own: of many groups there would be more than a digest can hold.
TEST(Telling, ManyMeetingsAreThinnedAlikeInAnyOrder) {
  std::vector<Profile> captures(80);
  for (std::size_t rank = 0; rank < captures.size(); ++rank) {
    captures[rank].info.format = "kineto";
    captures[rank].collectives.push_back({"all_reduce", "1 MiB", "fp32", "tp" + std::to_string(rank / 2), 2, {}});
    // Of every fourth group one rank calls half of them another kind.
    captures[rank].collectives.push_back(
        {"all_reduce", rank % 8 == 1 ? "2 MiB" : "1 MiB", "half", "tp" + std::to_string(rank / 2), 2, {}});
    for (int i = 0; i < 8192; ++i) {
      CollectiveInstance one;
      one.kind = static_cast<std::uint32_t>(i % 2);
      one.sequence = i;
      one.duration = 100;
      one.end = 1000 * i;
      captures[rank].collective_instances.push_back(one);
    }
  }
  std::vector<int> order(captures.size());
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin(), order.end());
  const Job forth = job_of(captures), back = job_of(captures, order);
  std::size_t kept = forth.meetings.list.size();
  for (const Meeting& each : forth.meetings.list) kept += each.others.size();
  EXPECT_LE(kept, kMostMeetings);
  EXPECT_GT(kept, kMostMeetings / 4);
  EXPECT_GT(forth.meetings.level, 0U);
  EXPECT_EQ(digest_text(Digest{forth}), digest_text(Digest{back}));
}

TEST(Telling, WhoIsMissingIsNamed) {
  std::vector<Profile> captures = captures_of({.ranks = 8}, 8);
  RankMerge merge(Keep::all);
  for (const int rank : {0, 1, 4, 6, 7}) {
    Profile& one = captures[static_cast<std::size_t>(rank)];
    one.info.context["environment.world_size"] = "9";
    if (rank == 4) one.warnings.push_back({"capture_incomplete", "the trace ends before its end"});
    merge.add(std::move(one), rank);
  }
  merge.add(std::vector<core::RankFailure>{{3, "rank3.json.gz", "invalid_input", "the capture is empty"},
                                           {1, "rank1.json.gz", "x", "old"}});
  const Job job = *merge.take("job");
  const core::ProfileRanksSide side = tell_ranks(job);
  EXPECT_EQ(side.expected, 9U);
  EXPECT_EQ(side.expected_by, "world_size");
  EXPECT_EQ(side.missing, (std::vector<std::int64_t>{2, 5, 8}));
  EXPECT_EQ(side.cut, std::vector<std::int64_t>{4});
  ASSERT_EQ(side.failed.size(), 1U) << "rank 1 was digested after all";
  EXPECT_EQ(ranks_told(side),
            "5 of 9 ranks: 3 failed (rank3.json.gz: the capture is empty), 2, 5 and 8 are missing, 4 was cut short");
}

// Captures that do not say how many they are: a hole among them shows, few of many may be a choice.
TEST(Telling, AHoleInTheRanksIsNamed) {
  const auto told_of = [](const std::vector<int>& ranks) {
    std::vector<Profile> captures = captures_of({.ranks = 16}, 8);
    for (Profile& each : captures) each.collectives.front().group_size = 0;
    return tell_presence(job_of(std::move(captures), ranks));
  };
  const core::ProfileRanksSide side = told_of({0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  EXPECT_EQ(side.expected, 16U);
  EXPECT_EQ(side.expected_by, "ranks");
  EXPECT_EQ(side.missing, std::vector<std::int64_t>{5});
  EXPECT_EQ(ranks_told(side), "15 of 16 ranks: 5 is missing");
  EXPECT_EQ(told_of({0, 1, 2}).missing, std::vector<std::int64_t>{});
  EXPECT_EQ(told_of({0, 4, 8}).expected, 0U);
}

TEST(Telling, TheLargestWorldThatARankSaysCounts) {
  for (const std::vector<int>& order : std::vector<std::vector<int>>{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    std::vector<Profile> captures = captures_of({.ranks = 3}, 8);
    captures[0].info.context["environment.world_size"] = "4";
    captures[1].info.context["environment.world_size"] = "9";  // rank 2 says nothing
    const Job job = job_of(std::move(captures), order);
    const core::ProfileRanksSide side = tell_presence(job);
    EXPECT_EQ(side.expected, 9U);
    EXPECT_EQ(side.missing, (std::vector<std::int64_t>{3, 4, 5, 6, 7, 8}));
    EXPECT_FALSE(profile_of(Job(job)).info.context.contains("environment.world_size")) << "they do not say the same";
  }
}

// Of a failure whose file does not say its rank nothing is known but the file.
TEST(Telling, ADigestKeepsFailuresOfUnknownRanks) {
  RankMerge merge(Keep::all);
  merge.add(std::move(captures_of({.ranks = 1}, 8).front()), 0);
  merge.add(std::vector<core::RankFailure>{{-1, "trace.json.gz", "invalid_input", "the capture is empty"},
                                           {3, "rank3.json.gz", "invalid_input", "the capture is cut short"}});
  const Job job = *merge.take("job");
  const std::string text = digest_text(Digest{job});
  const auto read = parse_digest(text, "job.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->job.failed, job.failed);
  std::string other = text;
  const std::string ranks = "\"rank\": [-1,3]";
  ASSERT_NE(other.find(ranks), std::string::npos) << text;
  other.replace(other.find(ranks), ranks.size(), "\"rank\": [-2,3]");
  EXPECT_EQ(parse_digest(other, "job.json").error().message, "the digest is damaged: job.failed.rank[0] is no rank that can be");
}

TEST(Telling, NeighboursAreNamedTogether) {
  EXPECT_EQ(ranks_text({3}), "3");
  EXPECT_EQ(ranks_text({3, 4}), "3 and 4");
  EXPECT_EQ(ranks_text({1, 3, 4, 5, 6, 9}), "1, 3 to 6 and 9");
}

TEST(Telling, ADigestKeepsAllOfIt) {
  const Job job = job_of(captures_of({.ranks = 12, .slow = 2, .slower = 0.4}, 9));
  const std::string text = digest_text(Digest{job});
  const auto read = parse_digest(text, "job.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(digest_text(*read), text);
  const core::ProfileRanksSide before = tell_ranks(job), after = tell_ranks(read->job);
  EXPECT_EQ(late_ranks(after), late_ranks(before));
  EXPECT_EQ(after.clock_spread_ns, before.clock_spread_ns);
  EXPECT_EQ(after.stragglers.front().late_ns, before.stragglers.front().late_ns);
}

}  // namespace
}  // namespace plumbline::profiles
