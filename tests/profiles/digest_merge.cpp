// Digests of ranks merge into one whatever the order and the brackets, and say of the job what its captures say.
#include <algorithm>
#include <cmath>

#include "profiles/ranks/merge.hpp"
#include "profiles/readers/bytes/text_lines.hpp"
#include "tests/profiles/digest_maker.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

std::string rank_name(const Digest& digest) {
  return "rank" + std::to_string(digest.of_ranks() ? digest.job.sum.info.ranks.front() : *digest.job.sum.rank);
}

Digest merged(std::vector<Digest> digests) {
  DigestMerge merge;
  for (Digest& digest : digests) {
    const std::string name = rank_name(digest);
    const core::Status added = merge.add(std::move(digest), name);
    EXPECT_TRUE(added) << (added ? "" : added.error().message);
  }
  auto job = merge.finish("job");
  EXPECT_TRUE(job);
  return job ? std::move(*job) : Digest{};
}

Digest written_and_read(const Digest& digest) {
  auto read = parse_digest(digest_text(digest), "d.json");
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? std::move(*read) : Digest{};
}

// Any tree of merges over the digests, in any order, each result written and read again.
Digest merged_somehow(std::vector<Digest> digests, std::mt19937& random) {
  std::shuffle(digests.begin(), digests.end(), random);
  while (digests.size() > 1) {
    std::vector<Digest> some;
    for (std::size_t left = std::min<std::size_t>(2 + random() % 3, digests.size()); left > 0; --left) {
      some.push_back(std::move(digests.back()));
      digests.pop_back();
    }
    digests.insert(digests.begin() + static_cast<std::ptrdiff_t>(random() % (digests.size() + 1)),
                   written_and_read(merged(std::move(some))));
  }
  return std::move(digests.front());
}

std::vector<Digest> ranks_of(std::uint32_t seed, int ranks, bool uneven_steps = false) {
  std::vector<Digest> digests;
  for (int rank = 0; rank < ranks; ++rank) {
    digests.push_back(digest_of(drawn_profile(seed, rank, 0, uneven_steps && rank % 3 == 1 ? 5 : 6)));
  }
  return digests;
}

TEST(DigestMerges, NeitherOrderNorBracketsMatter) {
  std::mt19937 random(11);
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    const std::vector<Digest> digests = ranks_of(seed, 7, seed % 3 == 2);
    const std::string all = digest_text(merged(digests));
    for (int round = 0; round < 6; ++round) EXPECT_EQ(digest_text(merged_somehow(digests, random)), all) << seed;
  }
}

TEST(DigestMerges, SayWhatTheCapturesOfTheRanksSay) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const auto captures = [seed](int longer) {
      RankMerge merge;
      for (int rank = 0; rank < 5; ++rank) merge.add(drawn_profile(seed, rank, longer), rank);
      return *merge.finish("job");
    };
    const auto digests = [seed](int longer) {
      std::vector<Digest> list;
      for (int rank = 0; rank < 5; ++rank) list.push_back(written_and_read(drawn_digest(seed, rank, longer)));
      return profile_of(merged(std::move(list)));
    };
    std::vector<std::string> of_captures = exact_words(diff(captures(0), captures(20), {}).diff);
    std::vector<std::string> of_digests = exact_words(diff(digests(0), digests(20), {}).diff);
    std::sort(of_captures.begin(), of_captures.end());  // rows that moved alike may stand in another order
    std::sort(of_digests.begin(), of_digests.end());
    EXPECT_EQ(of_digests, of_captures);
  }
}

TEST(DigestMerges, MediansAreWithinOnePercentOfAllEvents) {
  std::vector<Digest> digests;
  std::vector<std::int64_t> all;
  std::mt19937 random(5);
  for (int rank = 0; rank < 6; ++rank) {
    Maker maker;
    std::int64_t now = 0;
    for (int i = 0; i < 200; ++i) {
      const auto length = static_cast<std::int64_t>(1000 + 300 * rank + random() % 5000);
      maker.op("gemm", now, now + length, {});
      now += length + 5;
      all.push_back(length);
    }
    maker.capture.rank = rank;
    ReadOptions options;
    options.digest = true;
    digests.push_back(digest_of(*analyse(std::move(maker.capture), options)));
  }
  std::sort(all.begin(), all.end());
  const double median = static_cast<double>(all[599] + all[600]) / 2;
  double mean = 0;
  for (const std::int64_t each : all) mean += static_cast<double>(each) / 1200;
  double squares = 0;
  for (const std::int64_t each : all) squares += (static_cast<double>(each) - mean) * (static_cast<double>(each) - mean);
  const Profile job = profile_of(merged(std::move(digests)));
  const Aggregate& gemm = find(job.kernels, "gemm")->aggregate;
  EXPECT_NEAR(gemm.median, median, 0.01 * median);
  EXPECT_NEAR(gemm.stddev, std::sqrt(squares / 1199), 1e-9 * gemm.stddev);
}

TEST(DigestMerges, ARankCountsOnce) {
  DigestMerge merge;
  ASSERT_TRUE(merge.add(drawn_digest(1, 4), "a.json.gz"));
  const core::Status again = merge.add(drawn_digest(2, 4), "b.json.gz");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "rank 4 is in two digests: a.json.gz and b.json.gz");
  Digest nameless = drawn_digest(1, 5);
  nameless.job.sum.rank.reset();
  EXPECT_EQ(merge.add(std::move(nameless), "c.json.gz").error().message, "nothing says which rank the digest is of");
}

// More collectives than are kept one by one, of three ranks. `last` comes last to all of them; -1: they come together.
Profile job_of_many(int last) {
  std::vector<Digest> digests;
  for (int rank = 0; rank < 3; ++rank) {
    Maker maker;
    std::int64_t now = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::int64_t length = last < 0 || rank == last ? 20 : 60;
      const std::uint32_t op = maker.op("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", now, now + length, {});
      maker.capture.collectives.push_back({op, "allreduce", "Float", "dp", 1U << 20U, 3, i + 10 * rank});
      now += 100;
    }
    maker.capture.rank = rank;
    ReadOptions options;
    options.digest = true;
    const std::string file = digest_file(digest_of(*analyse(std::move(maker.capture), options))).value_or(std::string());
    Digest digest = *parse_digest(*read_all(*unpacked_bytes(file), 1U << 26U, "d", {}), "d");
    EXPECT_LE(digest.job.sum.collective_instances.size(), kMostInstances);
    EXPECT_GT(digest.job.sum.collective_instances.size(), kMostInstances / 4);
    digests.push_back(std::move(digest));
  }
  return profile_of(merged(std::move(digests)));
}

TEST(DigestMerges, WaitingOfAManyIsThatOfTheSameFewOnEveryRank) {
  const Profile job = job_of_many(1);
  ASSERT_EQ(job.collectives.size(), 1U);
  const core::ProfileCollectiveSide& side = job.collectives[0].side;
  EXPECT_EQ(side.count, 60'000U) << "sums are of all of them";
  EXPECT_EQ(side.slowest_rank, 1);
  EXPECT_NEAR(static_cast<double>(*side.wait_ns) / static_cast<double>(*side.transfer_ns), 80.0 / 60, 0.01);
  EXPECT_TRUE(warned(job.warnings, "waiting_sampled"));
  // And what is said of it is a share of the same few.
  const core::ProfileDiff compared = diff(job_of_many(-1), job, {}).diff;
  const auto said = std::find_if(compared.findings.begin(), compared.findings.end(),
                                 [](const core::ProfileFinding& each) { return each.code == "straggler"; });
  ASSERT_NE(said, compared.findings.end());
  EXPECT_TRUE(said->message.starts_with("57")) << said->message;
  EXPECT_NE(said->message.find(" % of the time in all_reduce of \"1 MiB\" is waiting, 0 % before; the others wait for rank 1"),
            std::string::npos)
      << said->message;
}

}  // namespace
}  // namespace plumbline::profiles::test
