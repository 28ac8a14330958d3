// Every form of capture has a file of our own making in the tree that it recognises and reads, so that no reader depends on the
// samples for being tried at all: tests/fuzz/corpus/capture_readers/FORM/, which are the seeds of the fuzzer, too. What each file
// of them is and says stands in forms.golden; PLUMBLINE_UPDATE_GOLDENS=1 writes it.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <vector>

#include "profiles/capture_form.hpp"
#include "profiles/readers/form.hpp"
#include "tests/profiles/fixture.hpp"
#include "tests/support/folder_text.hpp"

namespace plumbline::profiles::test {
namespace {

namespace fs = std::filesystem;
const fs::path kOwn = PLUMBLINE_TESTS "/fuzz/corpus/capture_readers";
// Read through NVIDIA's exporter, which is not here: nsys_rep.cpp reads one through a stand-in.
constexpr std::string_view kThroughHelper = "nsys-rep";

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> sorted_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder, absent)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// A file of ours as its form has it: itself, or the folder that its text stands for.
class OwnCapture {
 public:
  explicit OwnCapture(const fs::path& file) : path_(file), bytes_(bytes_of(file)) {
    if (!testing::is_folder_text(bytes_)) return;
    folder_ = std::make_unique<Scratch>();
    for (const auto& [name, bytes] : testing::files_of_folder(bytes_)) folder_->write(name, std::string(bytes));
  }
  [[nodiscard]] std::string path() const { return folder_ ? folder_->path() : path_.string(); }
  [[nodiscard]] bool is_folder() const { return folder_ != nullptr; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  fs::path path_;
  std::string bytes_;
  std::unique_ptr<Scratch> folder_;
};

// "json-trace kineto, 3 kernels of 1200 ns", "folded folded, 4 functions", "refused: …"
std::string told(const OwnCapture& own) {
  const std::string form(capture_form(own.path()));
  const auto profile = read(own.path(), {});
  if (!profile) return (form.empty() ? "no form" : form) + ", refused: " + profile.error().message;
  std::string out = form + ", " + profile->info.format + ", ";
  if (!profile->frames.empty()) return out + std::to_string(profile->frames.size()) + " functions";
  return out + std::to_string(profile->info.kernels) + " kernels of " + std::to_string(profile->info.kernel_ns) + " ns";
}

TEST(Forms, each_reads_a_file_of_our_own) {
  for (const Form* form : forms()) {
    if (form->name == kThroughHelper) continue;
    const auto names = sorted_names(kOwn / form->name);
    EXPECT_TRUE(std::any_of(names.begin(), names.end(),
                            [&](const std::string& name) {
                              const OwnCapture own(kOwn / form->name / name);
                              return capture_form(own.path()) == form->name && is_capture(own.path()) && read(own.path(), {});
                            }))
        << "no file of tests/fuzz/corpus/capture_readers/" << form->name << " is recognised and read as " << form->name;
  }
}

// The page names captures as reports do, and each of them is tried.
TEST(Forms, what_the_page_names_is_what_our_own_files_are_said_to_be) {
  std::set<std::string> documented, read_from_ours = {std::string(kThroughHelper)};
  for (const Form* form : forms()) {
    for (const About& about : form->captures) {
      if (!about.format.empty()) documented.emplace(about.format);
    }
    for (const std::string& name : sorted_names(kOwn / form->name)) {
      const auto profile = read(OwnCapture(kOwn / form->name / name).path(), {});
      if (profile) read_from_ours.insert(profile->from_digest ? std::string(form->name) : profile->info.format);
    }
  }
  EXPECT_EQ(documented, read_from_ours);
}

TEST(Forms, each_file_of_our_own_says_what_it_said) {
  std::string all;
  for (const std::string& form : sorted_names(kOwn)) {
    for (const std::string& name : sorted_names(kOwn / form)) {
      all += form + "/" + name + ": " + told(OwnCapture(kOwn / form / name)) + "\n";
    }
  }
  const std::string golden = PLUMBLINE_TESTS "/profiles/forms.golden";
  if (std::getenv("PLUMBLINE_UPDATE_GOLDENS") != nullptr) std::ofstream(golden, std::ios::binary) << all;
  EXPECT_EQ(all, bytes_of(golden)) << golden;
}

TEST(Forms, bytes_in_memory_are_told_apart_as_files_are) {
  for (const std::string& form : sorted_names(kOwn)) {
    for (const std::string& name : sorted_names(kOwn / form)) {
      const OwnCapture own(kOwn / form / name);
      if (!own.is_folder()) EXPECT_EQ(capture_form_of(own.bytes()), capture_form(own.path())) << form << "/" << name;
    }
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
