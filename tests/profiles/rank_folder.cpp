// A folder of ranks: how it is told from others, which rank a file is of, and what is said when it is not clear.
#include <algorithm>

#include "profiles/ranks/ranks.hpp"
#include "tests/profiles/fixture.hpp"
#include "tests/profiles/trace_text.hpp"

namespace plumbline::profiles::test {
namespace {

const CollectiveGroup* find_type(const Profile& profile, std::string_view type) {
  for (const CollectiveGroup& each : profile.collectives) {
    if (each.type == type) return &each;
  }
  return nullptr;
}

TEST(RankNames, TheNumberBehindTheWord) {
  const std::pair<const char*, std::optional<std::int64_t>> cases[] = {{"rank0.json.gz", 0},
                                                                       {"trace_rank_3.json", 3},
                                                                       {"host.RANK-17.sqlite", 17},
                                                                       {"rank=5.json", 5},
                                                                       {"run2_rank4_b.json", 4},
                                                                       {"rank.7.json", 7},
                                                                       {"rank-0.Jul_20_02_20_23_2022.32.pt.trace.json.gz", 0},
                                                                       {"frank3.json", {}},
                                                                       {"ranking.json", {}},
                                                                       {"rank.json", {}},
                                                                       {"report_1.sqlite", {}},
                                                                       {"ranks_rank2.json", 2},
                                                                       {"rank99999999999999999999.json", {}}};
  for (const auto& [name, rank] : cases) EXPECT_EQ(rank_in_name(name), rank) << name;
}

class RankFolder : public ::testing::Test {
 protected:
  void add(const std::string& name, int rank) {
    run_sql(scratch_ / name, std::string(kStrings) + kKernels + kernel(0, 100 + rank, 1) + kernel(200, 260 - rank, 2) +
                                 kernel(300, 390 - rank, 2));
  }
  core::Expected<Profile> read_with(const std::string& rank = "all") {
    ReadOptions options;
    options.rank = rank;
    return read(scratch_.path(), options);
  }
  Scratch scratch_;
};

TEST_F(RankFolder, IsReadRankByRankAndMerged) {
  for (const int rank : {0, 1, 2}) add("trace_rank_" + std::to_string(rank) + ".sqlite", rank);
  scratch_.write("notes.txt", "not a capture");
  scratch_.write("summary.json", "{}");
  EXPECT_TRUE(is_capture(scratch_.path()));
  const auto profile = read_with();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->info.ranks, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(profile->info.format, "nsys-sqlite");
  EXPECT_EQ(profile->info.path, scratch_.path());
  EXPECT_EQ(profile->info.kernels, 9U);
  EXPECT_EQ(find(profile->kernels, "gemm_kernel")->aggregate.total, 303);
  const CollectiveGroup* reduce = find_type(*profile, "all_reduce");
  ASSERT_NE(reduce, nullptr);
  EXPECT_EQ(reduce->side.transfer_ns, 3 * (58 + 88));
  EXPECT_EQ(reduce->side.wait_ns, (2 + 1) * 2);
  EXPECT_EQ(reduce->side.slowest_rank, 2);
}

TEST_F(RankFolder, ACaptureThatNamesNoRankWhereOthersDoIsSaid) {
  for (const int rank : {0, 1}) add("trace_rank_" + std::to_string(rank) + ".sqlite", rank);
  add("node7.sqlite", 2);
  scratch_.write("summary.json", "{}");
  const auto profile = read_with();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->info.ranks, (std::vector<std::int64_t>{0, 1}));
  const auto said = std::find_if(profile->warnings.begin(), profile->warnings.end(),
                                 [](const core::Warning& warning) { return warning.code == "unread_file"; });
  ASSERT_NE(said, profile->warnings.end());
  EXPECT_EQ(said->message, "1 capture of the folder does not name its rank, as others do, and was left out: \"node7.sqlite\"");
  // A digest keeps it, and so does what is merged of it with others.
  auto digest = digest_ranks(OpenFile(scratch_.path(), {}), scratch_.path(), {});
  ASSERT_TRUE(digest);
  auto read_back = parse_digest(digest_text(*digest), "d.json");
  ASSERT_TRUE(read_back) << read_back.error().message;
  DigestMerge merge;
  ASSERT_TRUE(merge.add(std::move(*read_back), "d.json"));
  EXPECT_TRUE(warned(profile_of(*merge.finish("job")).warnings, "unread_file"));
}

TEST_F(RankFolder, OneRankOfIt) {
  for (const int rank : {0, 1}) add("rank" + std::to_string(rank) + ".sqlite", rank);
  const auto one = read_with("1");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->info.ranks, std::vector<std::int64_t>{1});
  EXPECT_EQ(find(one->kernels, "gemm_kernel")->aggregate.total, 101);
  EXPECT_FALSE(warned(one->warnings, "merged_medians"));
  const auto none = read_with("9");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "--rank 9 is not in the folder");
  EXPECT_EQ(none.error().hint, "it holds ranks 0 and 1");
  EXPECT_EQ(none.error().code, core::ErrorCode::usage);
  const auto word = read_with("first");
  ASSERT_FALSE(word);
  EXPECT_EQ(word.error().message, "--rank is `all` or the number of a rank, not \"first\"");
}

TEST_F(RankFolder, ARankBesideASingleCapture) {
  add("rank0.sqlite", 0);
  ReadOptions options;
  options.rank = "0";
  const auto single = read(scratch_ / "rank0.sqlite", options);
  ASSERT_FALSE(single);
  EXPECT_EQ(single.error().message, "--rank 0: the capture does not say its rank");
  Profile profile;
  profile.rank = 3;
  EXPECT_EQ(check_rank(profile, options).error().message, "--rank 0: the capture is of rank 3");
  options.rank = "3";
  EXPECT_TRUE(check_rank(profile, options));
  options.rank = "all";
  EXPECT_TRUE(check_rank(profile, options));
}

// PyTorch traces named by host and process, as its TensorBoard handler does; arguments of the collectives as torch 2.3 writes
// them.
TEST_F(RankFolder, PyTorchTracesSayTheirRankInside) {
  const auto write = [this](const std::string& name, int rank) {
    const std::string collective =
        R"("correlation": 7, "Collective name": "_allgather_base", "dtype": "BFloat16", "In msg nelems": 524288, )"
        R"("Out msg nelems": 1572864, "Group size": 3, "Process Group Name": "2", "Seq": )";
    scratch_.write(
        name,
        trace({kernel_event("gemm", "100", rank == 2 ? "90.5" : "50.25"),
               kernel_event("ncclDevKernel_AllGather_RING_LL(ncclDevComm*)", "200", rank == 2 ? "30" : "71", collective + "11"),
               kernel_event("ncclDevKernel_AllGather_RING_LL(ncclDevComm*)", "300", rank == 2 ? "30" : "70", collective + "12")},
              R"("schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
                  R"(, "world_size": 3})"));
  };
  write("node7_4711.1700000000.pt.trace.json", 2);
  write("node7_4712.1700000000.pt.trace.json", 0);
  write("node8_99.1700000000.pt.trace.json", 1);
  EXPECT_TRUE(is_capture(scratch_.path()));
  const auto profile = read_with();
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.ranks, (std::vector<std::int64_t>{0, 1, 2}));
  ASSERT_EQ(profile->collectives.size(), 1U);
  const CollectiveGroup& group = profile->collectives[0];
  EXPECT_EQ(group.type, "all_gather");
  EXPECT_EQ(group.dtype, "bfloat16");
  EXPECT_EQ(group.group, "2");
  EXPECT_EQ(group.group_size, 3U);
  EXPECT_EQ(group.size_bucket, "2 MiB") << "the larger of 1 MiB in and 3 MiB out";
  EXPECT_EQ(group.side.bytes, 6U * 1572864 * 2);
  EXPECT_EQ(group.side.transfer_ns, 2 * 3 * 30'000);
  EXPECT_EQ(group.side.wait_ns, 2 * (41'000 + 40'000));
  EXPECT_EQ(group.side.slowest_rank, 2);
  EXPECT_EQ(group.side.total_ns, *group.side.transfer_ns + *group.side.wait_ns);
  EXPECT_DOUBLE_EQ(*group.side.busbw, 6.0 * 1572864 * 2 / static_cast<double>(group.side.total_ns) * 2 / 3);
  const auto one = read_with("2");
  ASSERT_TRUE(one);
  EXPECT_EQ(find(one->kernels, "gemm")->aggregate.total, 90'500);
  const auto none = read_with("3");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().hint, "it holds ranks 0, 1 and 2");

  write("node9_1.1700000000.pt.trace.json", 1);
  const auto twice = read_with();
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message,
            "two captures are of rank 1: node8_99.1700000000.pt.trace.json and node9_1.1700000000.pt.trace.json");
}

TEST_F(RankFolder, TheNameCountsWhereNameAndCaptureDisagree) {
  for (const int rank : {0, 1}) {
    scratch_.write("rank" + std::to_string(rank) + ".json",
                   trace({kernel_event("gemm", "100", "5")}, R"("distributedInfo": {"rank": 0, "world_size": 2})"));
  }
  const auto profile = read_with();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->info.ranks, (std::vector<std::int64_t>{0, 1}));
  const auto said = std::find_if(profile->warnings.begin(), profile->warnings.end(),
                                 [](const core::Warning& warning) { return warning.code == "rank_by_name"; });
  ASSERT_NE(said, profile->warnings.end());
  EXPECT_EQ(said->message, "rank 1: rank1.json says inside that it is rank 0; it was taken as its name says");
}

TEST_F(RankFolder, TwoCapturesOfOneRank) {
  add("rank0.sqlite", 0);
  add("later_rank0.sqlite", 0);
  const auto profile = read_with();
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "two captures are of rank 0: later_rank0.sqlite and rank0.sqlite");
  EXPECT_EQ(profile.error().hint, "a folder holds one capture per rank of one run");
}

TEST_F(RankFolder, AReportBesideItsExportIsNotASecondCapture) {
  add("rank0.sqlite", 0);
  add("rank1.sqlite", 1);
  scratch_.write("rank1.nsys-rep", "NVIDIA Tegra Profiler Report 1.");
  const auto profile = read_with();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->info.ranks.size(), 2U);
}

TEST_F(RankFolder, NothingSaysTheRank) {
  add("report1.sqlite", 0);
  add("report2.sqlite", 1);
  const auto profile = read_with();
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "nothing says which rank the capture is of");
  EXPECT_EQ(profile.error().hint, "put the rank into the file's name (rank0.sqlite), or compare single captures");
  EXPECT_EQ(profile.error().where, scratch_ / "report1.sqlite");
}

TEST_F(RankFolder, AFolderOfMeasurementsIsNone) {
  scratch_.write("result_rank0.json", R"({"tokens_per_second": 12.5})");
  scratch_.write("result_rank1.json", R"({"tokens_per_second": 12.7})");
  EXPECT_FALSE(is_capture(scratch_.path()));
  add("trace_rank2.sqlite", 0);
  EXPECT_FALSE(is_capture(scratch_.path())) << "a capture among results does not make it one";
}

TEST_F(RankFolder, ADamagedRankIsNamed) {
  add("rank0.sqlite", 0);
  run_sql(scratch_ / "rank1.sqlite", std::string(kStrings) + kKernels);
  const auto profile = read_with();
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().where, scratch_ / "rank1.sqlite");
}

// Tensor and data parallel ranks in the names: neither is the job's.
TEST_F(RankFolder, NamesThatGiveARankTwiceLeaveItToTheCaptures) {
  const auto write = [this](int tensor, int data) {
    scratch_.write("tp_rank" + std::to_string(tensor) + "_dp_rank" + std::to_string(data) + ".json",
                   trace({kernel_event("gemm", "100", std::to_string(5 + 2 * tensor + data))},
                         R"("distributedInfo": {"rank": )" + std::to_string(2 * tensor + data) + R"(, "world_size": 4})"));
  };
  for (const int tensor : {0, 1}) {
    for (const int data : {0, 1}) write(tensor, data);
  }
  const auto all = read_with();
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->info.ranks, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_FALSE(warned(all->warnings, "rank_by_name"));
  const auto one = read_with("3");
  ASSERT_TRUE(one);
  EXPECT_EQ(find(one->kernels, "gemm")->aggregate.total, 8'000);
}

TEST_F(RankFolder, DevicesAreChosenByTheirNumberInTheMergedProfile) {
  for (const int rank : {0, 1, 2}) {  // each sees its own GPU as device 0
    run_sql(scratch_ / ("rank" + std::to_string(rank) + ".sqlite"),
            std::string(kStrings) + kKernels + kernel(0, 100 + rank, 1) + kernel(200, 260, 2));
  }
  ReadOptions options;
  options.devices = {2, 0};
  const auto two = read(scratch_.path(), options);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->info.ranks, (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(find(two->kernels, "gemm_kernel")->aggregate.total, 202);
  options.devices = {7};
  const auto none = read(scratch_.path(), options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "--device 7 is not among the devices of the ranks");
  EXPECT_EQ(none.error().hint,
            "the ranks together have the devices 0, 1 and 2: a rank's number, or for ranks with several devices rank * 1000 + "
            "device; of one rank, --rank N --device M counts as its capture does");
  options.devices = {0};
  options.rank = "2";
  const auto of_one_rank = read(scratch_.path(), options);
  ASSERT_TRUE(of_one_rank) << of_one_rank.error().message;
  EXPECT_EQ(find(of_one_rank->kernels, "gemm_kernel")->aggregate.total, 102);
}

TEST_F(RankFolder, OneOfSeveralDevicesOfARank) {
  for (const int rank : {0, 1}) {
    run_sql(scratch_ / ("rank" + std::to_string(rank) + ".sqlite"),
            std::string(kStrings) + kKernels + kernel(0, 100 + rank, 1, 0) + kernel(200, 260 + rank, 1, 1));
  }
  ReadOptions options;
  options.devices = {1, 1000};
  const auto profile = read(scratch_.path(), options);
  ASSERT_TRUE(profile) << profile.error().message;
  std::vector<std::int64_t> devices;
  for (const DeviceWall& device : profile->devices) devices.push_back(device.device);
  EXPECT_EQ(devices, (std::vector<std::int64_t>{1, 1000}));
  EXPECT_EQ(find(profile->kernels, "gemm_kernel")->aggregate.total, 60 + 101);
}

TEST_F(RankFolder, AFileThatIsNoCaptureIsNamed) {
  add("rank0.sqlite", 0);
  scratch_.write("rank1.json", R"({"tokens_per_second": 12.5})");
  const auto profile = read_with();
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "the file is among captures of ranks and is no capture itself");
  EXPECT_EQ(profile.error().where, scratch_ / "rank1.json");
}

}  // namespace
}  // namespace plumbline::profiles::test
