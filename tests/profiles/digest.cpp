// Digests: what is written is what was read, equal Profiles give equal bytes, and what is damaged is refused with its place.
#include "profiles/digest/digest.hpp"

#include <functional>

#include "profiles/capture_form.hpp"
#include "profiles/readers/bytes/text_lines.hpp"
#include "tests/profiles/digest_maker.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

Digest parsed(const std::string& text) {
  auto digest = parse_digest(text, "d.json");
  EXPECT_TRUE(digest) << (digest ? "" : digest.error().message);
  return digest ? std::move(*digest) : Digest{};
}

std::string unpacked(const std::string& file) {
  const auto text = read_all(*unpacked_bytes(file), 1U << 26U, "d.json.gz", {});
  EXPECT_TRUE(text);
  return text.value_or(std::string());
}

std::string file_of(Digest digest) {
  auto file = digest_file(std::move(digest));
  EXPECT_TRUE(file) << (file ? "" : file.error().message);
  return file.value_or(std::string());
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

TEST(Digests, ReadBackTheyAreWhatWasWritten) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Digest digest = drawn_digest(seed, 3);
    const std::string text = digest_text(digest);
    EXPECT_EQ(digest_text(parsed(text)), text) << "nothing is lost on the way";
    EXPECT_EQ(digest_text(drawn_digest(seed, 3)), text) << "equal captures, equal bytes";
  }
}

TEST(Digests, CompareAsTheirCapturesDo) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Profile before = drawn_profile(seed, 0);
    const Profile after = drawn_profile(seed + 100, 0, 15);
    const Profile before_read = profile_of(parsed(digest_text(digest_of(Profile(before)))));
    const Profile after_read = profile_of(parsed(digest_text(digest_of(Profile(after)))));
    const core::ProfileDiff captures = diff(before, after, {}).diff;
    const core::ProfileDiff digests = diff(before_read, after_read, {}).diff;
    EXPECT_EQ(exact_words(digests), exact_words(captures));
    for (std::size_t i = 0; i < captures.kernels.size(); ++i) {
      const auto& truth = captures.kernels[i].candidate;
      if (!truth) continue;
      EXPECT_DOUBLE_EQ(digests.kernels[i].candidate->median, truth->median) << "of one capture the median is kept";
      EXPECT_NEAR(digests.kernels[i].candidate->stddev, truth->stddev, 1e-9 * truth->stddev);
    }
  }
}

TEST(Digests, AreFoundByTheirContentPackedOrNot) {
  const Scratch scratch;
  const std::string text = digest_text(drawn_digest(1, 0));
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"a.json.gz", packed(text)}, {"b.json", text}}) {
    const std::string path = scratch.write(name, bytes);
    EXPECT_EQ(capture_form(path), "profile-digest");
    const auto profile = read(path, {});
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_TRUE(profile->from_digest);
    EXPECT_EQ(profile->info.format, "kineto") << "what the capture was";
  }
  EXPECT_EQ(packed(text), packed(text));
}

TEST(Digests, NothingCanBeChosenFromThem) {
  const Scratch scratch;
  const std::string path = scratch.write("a.json", digest_text(drawn_digest(1, 0)));
  ReadOptions options;
  options.steps = "train_step";
  EXPECT_EQ(read(path, options).error().message,
            "--steps \"train_step\": a digest holds the steps that were found when it was made");
  options.steps = "none";
  EXPECT_TRUE(read(path, options)->steps.steps.empty());
  options.devices = {5};
  EXPECT_EQ(read(path, options).error().message, "--device: the digest holds the times of all its devices together");
}

TEST(Digests, WhatIsDamagedIsRefusedWithItsPlace) {
  const std::string text = digest_text(drawn_digest(1, 0));
  const auto message = [](const std::string& damaged) {
    const auto digest = parse_digest(damaged, "d.json");
    return digest ? std::string("read") : digest.error().message;
  };
  EXPECT_EQ(message(text.substr(0, text.size() / 2)), "the digest is no whole JSON: it is cut short or damaged");
  EXPECT_EQ(message(""), "the digest is no whole JSON: it is cut short or damaged");
  EXPECT_EQ(message(replaced(text, "digest.v1", "digest.v9")),
            "the digest's schema is \"plumbline.profile-digest.v9\", and this program reads plumbline.profile-digest.v1");
  EXPECT_EQ(message(replaced(text, "\"kernel_count\": ", "\"kernel_count\": -")),
            "the digest is damaged: kernel_count is no count");
  const std::string column = "\"kernels\": {\n\"name\": [";
  EXPECT_EQ(message(replaced(text, column, column + "99999,")), "the digest is damaged: kernels.name[0] is no number of a name");
  EXPECT_EQ(message(replaced(text, column, column + "1,")), "the digest is damaged: kernels.count does not have one value a row");
  EXPECT_EQ(message(replaced(text, "\"total_ns\": [", "\"total_ns\": [-")),
            "the digest is damaged: kernels.total_ns[0] is no time of at most 73 years");
  EXPECT_EQ(message(replaced(text, "\"span_ns\": [", "\"span_ns\": [1")),
            "the digest is damaged: devices[0] has parts that do not add up to its span");
  std::string deep =
      replaced(text, "\"names\": [", "\"deeper\": " + std::string(100, '[') + std::string(100, ']') + ",\"names\": [");
  EXPECT_EQ(message(deep), "the digest is no whole JSON: it is cut short or damaged");
}

// Values that are good one by one, and more than a reader may believe together.
TEST(Digests, WhatTakesTooMuchIsRefused) {
  const auto message = [](const std::string& members, const std::string& name = "k") {
    const auto digest =
        parse_digest(R"({"schema": "plumbline.profile-digest.v1", )" + members + R"(, "names": [")" + name + "\"]}", "d.json");
    return digest ? std::string("read") : digest.error().message;
  };
  const auto kernel = [](const std::string& column) {
    return R"("kernels": {"name": [0], "count": [1], "total_ns": [5], )" + column + "}";
  };
  EXPECT_EQ(message(kernel(R"("median_ns": [5.5])")), "read");
  EXPECT_EQ(message(kernel(R"("median_ns": [null])")),
            "the digest is damaged: kernels.median_ns[0] is no number that is not negative");
  EXPECT_EQ(message(R"("marked_work": {"steps": 1, "batch": null})"),
            "the digest is damaged: marked_work.batch is no time of at most 73 years");
  EXPECT_EQ(message(R"("metrics": {"kernel": [0], "values": [[1.5, null]]})"), "read") << "a metric that was none";
  EXPECT_EQ(message(R"("rank": 2147483648)"), "read");
  EXPECT_EQ(message(R"("rank": 2147483649)"), "the digest is damaged: rank is no rank that can be");
  EXPECT_EQ(message(R"("ranks": [0, 9000000000000])"), "the digest is damaged: ranks are not in order, each once");
  const std::string tree = R"("ranges": {"name": [0, 0], "parent": [4294967295, 0], "wall_ns": [2000000000000000000, )";
  EXPECT_EQ(message(tree + "1000]}"), "read");
  EXPECT_EQ(message(tree + "2000000000000000000]}"),
            "the digest is damaged: ranges have times that add up to more than 73 years");
  std::string rows = R"("frames": {"name": [0)";
  for (int i = 0; i < 128; ++i) rows += ",0";
  EXPECT_EQ(message(rows + "]}", std::string(std::size_t{1} << 20U, 'x')),
            "the digest's rows have more than 128 MiB of names, the most that are read");
}

TEST(Digests, CausesOfGapsThatNobodyKnowsAreUnknown) {
  const Digest digest = parsed(
      R"({"schema": "plumbline.profile-digest.v1", "gaps": {"cause": [0, 1, 2], "what": [2, 2, 2]}, "names": ["moonlight", "lock", ""]})");
  std::vector<std::string> causes;
  for (const Gaps& each : digest.job.sum.gaps) causes.push_back(each.cause);
  EXPECT_EQ(causes, (std::vector<std::string>{"unknown", "lock", "unknown"}));
}

TEST(Digests, NoDamageIsMoreThanAnError) {
  const std::string text = digest_text(drawn_digest(2, 1));
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    for (std::size_t i = 0; i < 1 + random() % 3; ++i) damaged[random() % damaged.size()] = "0123456789-,.[]{}\"e"[random() % 19];
    const auto digest = parse_digest(damaged, "d.json");
    if (!digest) {
      EXPECT_FALSE(digest.error().message.empty());
      continue;
    }
    (void)diff(profile_of(Digest(*digest)), profile_of(Digest(*digest)), {});
  }
}

TEST(Digests, WhatDoesNotFitIsFoldedAndCounted) {
  Profile profile = drawn_profile(1, 0);
  const std::int64_t kernel_ns = profile.info.kernel_ns;
  for (int i = 0; i < 5000; ++i) {
    NamedAggregate one;
    one.name = "batch " + std::to_string(i * 7919);
    one.aggregate = {.count = 1, .total = 100 + i, .min = 100 + i, .max = 100 + i, .median = 100.0 + i};
    profile.nvtx.push_back(one);
  }
  const auto totals = [](const std::vector<NamedAggregate>& rows) {
    std::pair<std::uint64_t, std::int64_t> sum;
    for (const NamedAggregate& row : rows) {
      sum.first += row.aggregate.count;
      sum.second += row.aggregate.total;
    }
    return sum;
  };
  const auto all = totals(profile.nvtx);
  const std::string file = digest_file(digest_of(std::move(profile)), 12'000).value_or(std::string());
  EXPECT_LE(file.size(), 12'000U);
  const Profile read = profile_of(parsed(unpacked(file)));
  EXPECT_EQ(totals(read.nvtx), all);
  EXPECT_EQ(read.info.kernel_ns, kernel_ns);
  EXPECT_TRUE(warned(read.warnings, "digest_folded"));
  EXPECT_NE(find(read.nvtx, "batch " + std::to_string(4999 * 7919)), nullptr) << "those with the most time stay";
  EXPECT_TRUE(read.nvtx.back().name.starts_with("(other: ")) << read.nvtx.back().name;
}

// Packed they are small; a reader counts rows, and buckets of sketches among them.
TEST(Digests, MoreRowsThanAreReadAreFolded) {
  Digest digest = drawn_digest(1, 0);
  digest.job.sum.rank.reset();
  digest.job.sum.info.ranks = {0, 1};
  std::vector<Sketch::Bucket> buckets;
  for (std::uint32_t i = 0; i < 64; ++i) buckets.push_back({100 + i, 1});
  std::uint64_t events = 0;
  for (int i = 0; i < 20'000; ++i) {
    NamedAggregate one;
    one.name = "batch " + std::to_string(i);
    one.aggregate = {.count = 64, .total = 9'600 + i % 100, .min = 100, .max = 200, .median = 150};
    one.aggregate.squares = 1'600'000;
    one.aggregate.sketch = Sketch(buckets);
    digest.job.sum.nvtx.push_back(std::move(one));
  }
  for (const NamedAggregate& row : digest.job.sum.nvtx) events += row.aggregate.count;
  EXPECT_EQ(parse_digest(digest_text(digest), "d.json").error().message,
            "the digest has more than 1048576 rows, the most that are read");
  const Digest read = parsed(unpacked(file_of(std::move(digest))));
  ASSERT_FALSE(read.job.sum.nvtx.empty());
  for (const NamedAggregate& row : read.job.sum.nvtx) events -= row.aggregate.count;
  EXPECT_EQ(events, 0U) << "none is lost";
  EXPECT_TRUE(read.job.sum.nvtx.back().name.starts_with("(other: ")) << read.job.sum.nvtx.back().name;
}

TEST(Digests, WhatCannotBeFoldedAndReadIsNotWritten) {
  Digest digest = drawn_digest(1, 0);
  digest.job.sum.rank.reset();
  std::vector<std::int64_t>& ranks = digest.job.sum.info.ranks;
  for (std::int64_t rank = 0; rank < 32'768; ++rank) ranks.push_back(rank);
  for (std::int64_t i = 0; i < 33; ++i) digest.job.said.push_back({"capture_incomplete", std::to_string(i), i, ranks});
  const auto file = digest_file(std::move(digest));
  ASSERT_FALSE(file);
  EXPECT_TRUE(file.error().message.starts_with("the digest would have 11")) << file.error().message;
  EXPECT_TRUE(file.error().message.ends_with(" rows, more than the 1048576 that are read")) << file.error().message;
}

// Of this number splitmix64 makes 0, which is kept at every level.
TEST(Digests, CollectivesOfOneNumberAreNoneAndEndNothing) {
  constexpr std::int64_t kKeptAtEveryLevel = 7046029254386353131;
  Profile profile = drawn_profile(1, 0);
  profile.collectives = {{"all_reduce", "1 MiB", "fp32", "dp", 2, {}}};
  CollectiveInstance one;
  one.sequence = kKeptAtEveryLevel;
  profile.collective_instances.assign(kMostInstances + 1, one);
  const Profile read = profile_of(parsed(unpacked(file_of(digest_of(std::move(profile))))));
  EXPECT_TRUE(read.collective_instances.empty());
  ASSERT_TRUE(warned(read.warnings, "waiting_sampled"));
  EXPECT_EQ(read.warnings.back().message, "4097 collectives have one number: none is kept, and their waiting is not known");
}

}  // namespace
}  // namespace plumbline::profiles::test
