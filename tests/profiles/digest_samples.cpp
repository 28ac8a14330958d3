// Digests of real captures: what they say of a pair, and how large they are.
#include <algorithm>
#include <filesystem>

#include "profiles/readers/bytes/text_lines.hpp"
#include "tests/profiles/digest_maker.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

std::string file_of(const std::string& path) {
  auto digest = read_digest(path, {});
  EXPECT_TRUE(digest) << path << ": " << (digest ? "" : digest.error().message);
  return digest ? digest_file(std::move(*digest)).value_or(std::string()) : std::string();
}

Profile read_back(const std::string& file) {
  const auto text = read_all(*unpacked_bytes(file), 1U << 28U, "d.json.gz", {});
  auto digest = parse_digest(text.value_or(std::string()), "d.json.gz");
  EXPECT_TRUE(digest) << (digest ? "" : digest.error().message);
  return digest ? profile_of(std::move(*digest)) : Profile{};
}

Profile of_capture(const std::string& path) {
  auto profile = read(path, {});
  EXPECT_TRUE(profile) << path;
  return profile ? std::move(*profile) : Profile{};
}

struct Pair {
  const char *before, *after;
  std::size_t most;  // bytes of a digest
};

TEST(DigestSamples, PairsDifferAsTheirCapturesDo) {
  const std::string folder = samples("profiles");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  constexpr std::size_t kOrdinary = 32U << 10U;
  for (const Pair& pair : std::initializer_list<Pair>{
           {"kineto/control.json.gz", "kineto/test.json.gz", kOrdinary},
           {"nsys/mfu_2gpu_before.sqlite", "nsys/mfu_2gpu_after.sqlite", kMostDigestBytes},  // names carry counters
           {"nsys-stats-csv/before_cuda_gpu_kern_sum.csv", "nsys-stats-csv/after_cuda_gpu_kern_sum.csv", kOrdinary},
           {"tracelens/compare_test/256thread_kernel_summary.csv", "tracelens/compare_test/512thread_kernel_summary.csv",
            kOrdinary},
           {"tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", "tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
            kOrdinary},
           {"ncu/copy_blocked.ncu.csv", "ncu/copy_blocked.ncu.csv", kOrdinary}}) {
    SCOPED_TRACE(pair.before);
    const std::string before = file_of(folder + pair.before);
    const std::string after = file_of(folder + pair.after);
    EXPECT_LE(std::max(before.size(), after.size()), pair.most);
    const core::ProfileDiff captures = diff(of_capture(folder + pair.before), of_capture(folder + pair.after), {}).diff;
    const core::ProfileDiff digests = diff(read_back(before), read_back(after), {}).diff;
    EXPECT_EQ(exact_words(digests), exact_words(captures));
    ASSERT_EQ(digests.kernels.size(), captures.kernels.size());
    for (std::size_t i = 0; i < captures.kernels.size(); ++i) {
      const auto& truth = captures.kernels[i].baseline;
      if (!truth) continue;
      EXPECT_NEAR(digests.kernels[i].baseline->median, truth->median, 0.01 * truth->median) << captures.kernels[i].name;
      EXPECT_NEAR(digests.kernels[i].baseline->stddev, truth->stddev, 1e-6 * truth->stddev + 1e-6) << captures.kernels[i].name;
    }
  }
}

}  // namespace
}  // namespace plumbline::profiles::test
