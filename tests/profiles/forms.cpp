// Every form of capture has a file of our own making in the tree that it recognises and reads, so that no reader depends on the
// samples for being tried at all. The files are the seeds of the fuzzers.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "profiles/capture_form.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

struct OwnFile {
  std::string_view form;
  const char* file;                    // below tests/fuzz/corpus
  std::string_view format;             // what the profile is said to be
  const char* in_folder_as = nullptr;  // the form is a folder that holds the file under this name
};

constexpr auto kOwnFiles = std::to_array<OwnFile>({
    {"sqlite", "nsys_sqlite/kernels.sqlite", "nsys-sqlite"},
    {"sqlite", "rocpd/whole.db", "rocpd"},
    {"nsys-stats-json", "nsys_json/trace.json", "nsys-stats-json"},
    {"json-trace", "kineto/kineto.json", "kineto"},
    {"json-trace", "kineto/xla.json", "kineto"},
    {"json-trace", "rocprof_json/tables_first.json", "rocprofv3-json"},
    {"nsys-stats-csv", "nsys_csv/plain.csv", "nsys-stats-csv"},
    {"nsys-stats-csv", "rocprof_csv/stats.csv", "rocprof-csv"},  // alone it is told apart by its columns
    {"rocprof-csv", "rocprof_csv/stats.csv", "rocprof-csv", "7_kernel_stats.csv"},
    {"rocprof-csv", "rocprof_csv/new_trace.csv", "rocprof-csv", "7_kernel_trace.csv"},
    {"ncu-csv", "ncu_csv/details.csv", "ncu-csv"},
    {"ncu-csv", "ncu_csv/raw.csv", "ncu-csv"},
    {"xplane", "xplane/gpu", "xplane"},
    {"pprof", "pprof/good", "pprof"},
    {"perf-script", "perf_script/one_line", "perf-script"},
    {"folded", "folded/plain", "folded"},
});
// Read through NVIDIA's exporter, which is not here: nsys_rep.cpp reads one through a stand-in.
constexpr std::string_view kThroughHelper = "nsys-rep";

TEST(Forms, each_has_a_file_of_our_own) {
  for (const std::string_view form : form_names()) {
    EXPECT_TRUE(form == kThroughHelper ||
                std::any_of(kOwnFiles.begin(), kOwnFiles.end(), [&](const OwnFile& own) { return own.form == form; }))
        << form << " has no file of our own: add one to tests/fuzz/corpus and here";
  }
  EXPECT_GE(form_names().size(), 11U);
}

TEST(Forms, each_recognises_and_reads_its_own) {
  for (const OwnFile& own : kOwnFiles) {
    SCOPED_TRACE(own.file);
    const Scratch scratch;
    const std::string file = PLUMBLINE_TESTS "/fuzz/corpus/" + std::string(own.file);
    if (own.in_folder_as != nullptr) std::filesystem::copy_file(file, scratch / own.in_folder_as);
    const std::string path = own.in_folder_as != nullptr ? scratch.path() : file;
    EXPECT_EQ(capture_form(path), own.form);
    EXPECT_TRUE(is_capture(path));
    const auto profile = read(path, {});
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->info.format, own.format);
    EXPECT_TRUE(profile->info.kernels > 0 || profile->info.kernel_ns > 0 || !profile->frames.empty()) << "nothing was read";
  }
}

TEST(Forms, bytes_in_memory_are_told_apart_as_files_are) {
  for (const OwnFile& own : kOwnFiles) {
    if (own.in_folder_as != nullptr) continue;
    std::ifstream file(PLUMBLINE_TESTS "/fuzz/corpus/" + std::string(own.file), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(capture_form_of(bytes), own.form) << own.file;
  }
  EXPECT_EQ(capture_form_of(""), "");
  EXPECT_EQ(capture_form_of("no capture\n"), "");
}

TEST(Forms, a_file_of_no_form_has_none) {
  const Scratch scratch;
  EXPECT_EQ(capture_form(scratch.write("a.txt", "no capture\n")), "");
  EXPECT_EQ(capture_form(scratch / "absent"), "");
  EXPECT_EQ(capture_form(scratch.write("a.nsys-rep", "NVIDIA Tegra Profiler Report 1.0\n")), kThroughHelper);
}

}  // namespace
}  // namespace plumbline::profiles::test
