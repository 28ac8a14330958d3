// Reports are converted by nsys. The nsys of these tests is a stand-in: a shell script of ours that copies a prepared
// export to the place named by -o, fails, or sleeps; nothing here was tried with NVIDIA's program.
#include "profiles/readers/readers.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

const std::string kReport = "NVIDIA Tegra Profiler Report 1.0\n and so on";

std::string stand_in(const Scratch& scratch, const std::string& body) {
  const std::string path = scratch.write("nsys", "#!/bin/sh\n" + body);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(NsysRep, WithoutNsysTheCommandIsGiven) {
  Scratch scratch;
  const std::string report = scratch.write("my run.nsys-rep", kReport);
  EXPECT_TRUE(is_capture(report));
  const auto profile = read(report, {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, core::ErrorCode::missing_helper);
  EXPECT_EQ(profile.error().hint,
            "where nsys is (its version at least that of the capture), run: nsys export -t sqlite --lazy=true -o '" +
                (scratch / "my run.sqlite") + "' '" + report + "'");
}

TEST(NsysRep, AnOldReportIsNamedAsOne) {
  Scratch scratch;
  const std::string report = scratch.write("old.qdrep", kReport);
  EXPECT_TRUE(is_capture(report));
  const auto profile = read(report, {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message,
            "a report of Nsight Systems before 2021.4 (.qdrep) can only be read by way of nsys, which is not installed here");
  EXPECT_EQ(profile.error().hint, "where nsys is (its version at least that of the capture), run: nsys export -t sqlite -o " +
                                      (scratch / "old.sqlite") + " " + report);
}

TEST(NsysRep, IsConvertedInScratchWithItsOwnArguments) {
  Scratch scratch;
  Scratch place;
  run_sql(scratch / "prepared", std::string(kStrings) + kKernels + kernel(0, 10, 1));
  ReadOptions options;
  options.nsys = stand_in(scratch, "printf '%s\\n' \"$@\" > \"$0.args\"\ncp \"$(dirname \"$0\")/prepared\" \"$6\"\n");
  options.scratch = place.path();
  const std::string report = scratch.write("a;rm -rf b.nsys-rep", kReport);
  const auto profile = read(report, options);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.kernel_ns, 10);
  EXPECT_EQ(profile->info.path, report);
  std::ifstream in(scratch / "nsys.args");
  const std::string arguments((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(arguments,
            "export\n-t\nsqlite\n--lazy=true\n-o\n" + (place / "x.sqlite") + "\n--force-overwrite=true\n" + report + "\n");
  EXPECT_TRUE(std::filesystem::is_empty(place.path()));
}

TEST(NsysRep, AFailureCarriesWhatNsysSaid) {
  Scratch scratch;
  ReadOptions options;
  options.nsys = stand_in(scratch, "echo 'The report is newer than this version.' >&2\nexit 3\n");
  options.scratch = scratch.path();
  const auto profile = read(scratch.write("x.nsys-rep", kReport), options);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "nsys export failed with status 3: The report is newer than this version.");
}

TEST(NsysRep, EndsWhenToldTo) {
  Scratch scratch;
  ReadOptions options;
  options.nsys = stand_in(scratch, "sleep 600 & wait\n");
  options.scratch = scratch.path();
  options.stop = [] { return true; };
  const std::string report = scratch.write("x.nsys-rep", kReport);
  EXPECT_EQ(read(report, options).error().code, core::ErrorCode::cancelled);
  options.stop = {};
  options.helper_timeout_s = 0;
  EXPECT_EQ(read(report, options).error().message, "nsys export did not end within 0 seconds");
}

// The stand-in exports what was prepared.
core::Expected<Profile> exported(const Scratch& scratch, const std::string& sql, const std::string& copy = "cp") {
  run_sql(scratch / "prepared", std::string(kStrings) + sql);
  const Scratch place;
  ReadOptions options;
  options.nsys = stand_in(scratch, copy + " \"$(dirname \"$0\")/prepared\" \"$6\"\n");
  options.scratch = place.path();
  auto profile = read(scratch.write("x.nsys-rep", kReport), options);
  EXPECT_TRUE(std::filesystem::is_empty(place.path()));
  return profile;
}

TEST(NsysRep, AnEmptyWindowIsRefusedByTheReportsName) {
  Scratch scratch;
  const auto profile = exported(scratch, "CREATE TABLE META_DATA_EXPORT (name,value);");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message,
            "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds nothing that can be compared");
  EXPECT_EQ(profile.error().where, scratch / "x.nsys-rep");
}

TEST(NsysRep, AnExportThatWasCutShortIsRefusedByTheReportsName) {
  Scratch scratch;
  const auto profile =
      exported(scratch, std::string(kKernels) + kernel(0, 10, 1), "cut() { head -c 9000 \"$1\" > \"$2\"; }\ncut");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "the capture is cut short: its SQLite header names more bytes than the file has");
  EXPECT_EQ(profile.error().where, scratch / "x.nsys-rep");
}

TEST(NsysRep, DroppedEventsAndGraphsTracedWholeAreSaid) {
  Scratch scratch;
  const auto profile =
      exported(scratch, std::string(kKernels) + kernel(0, 10, 1) +
                            "CREATE TABLE DIAGNOSTIC_EVENT (timestamp,severity,text);"
                            "INSERT INTO DIAGNOSTIC_EVENT VALUES (1,2,'Not all CUDA events might have been collected.'),"
                            "(2,1,'Profiling has stopped.'),(3,3,'12 events were dropped');"
                            "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start,end,deviceId,streamId);"
                            "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (20,40,0,7);"
                            "CREATE TABLE META_DATA_CAPTURE (name,value); INSERT INTO META_DATA_CAPTURE VALUES "
                            "('CUDA_GRAPH_TRACE_OPTIONS:MODE','Graph');");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->graph_mode, "graph");
  std::vector<std::string> warnings;
  for (const core::Warning& each : profile->warnings) warnings.push_back(std::string(each.code.text()) + ": " + each.message);
  EXPECT_EQ(warnings, (std::vector<std::string>{
                          "capture_incomplete: the profiler reports that CUDA or NVTX events may be missing from the capture (2 "
                          "diagnostics)",
                          "graph_replays: 1 CUDA graph replay is in the capture as a whole, without the kernels inside; capture "
                          "with --cuda-graph-trace=node to see them"}));
}

TEST(NsysRep, AProgramThatIsNotThere) {
  Scratch scratch;
  ReadOptions options;
  options.nsys = scratch / "absent";
  options.scratch = scratch.path();
  EXPECT_EQ(read(scratch.write("x.nsys-rep", kReport), options).error().code, core::ErrorCode::missing_helper);
}

}  // namespace
}  // namespace plumbline::profiles::test
