// What a path is: told once, for files and folders, plain and packed.
#include "intake/source.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "intake/known_formats.hpp"
#include "intake/measurement.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::intake {
namespace {

constexpr std::string_view kTrace =
    R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1, "dur": 5,
         "args": {"device": 0, "stream": 7, "correlation": 1}}]})";
constexpr std::string_view kRun = R"({"latency_ms": 3})";

class Source : public ::testing::Test {
 protected:
  [[nodiscard]] std::string write(const std::string& name, std::string_view text) const { return folder_.write(name, text); }
  [[nodiscard]] std::string at(const std::string& name) const { return folder_ / name; }

 private:
  registry::test::Scratch folder_;
};

std::string form_of(const core::Expected<Opened>& opened) {
  if (!opened) return "error: " + opened.error().message;
  const Capture* capture = std::get_if<Capture>(&opened->content);
  return capture != nullptr ? capture->form : "";
}

TEST_F(Source, a_file_is_a_capture_or_a_measurement) {
  const auto trace = open(write("t.json", kTrace), {}), run = open(write("r.json", kRun), {});
  EXPECT_EQ(form_of(trace), "json-trace");
  EXPECT_TRUE(trace->bytes().empty()) << "a capture is left on disk";
  EXPECT_EQ(form_of(run), "");
  EXPECT_EQ(run->input().bytes, kRun);
  EXPECT_EQ(open(at("absent"), {}).error().code, core::ErrorCode::not_found);
}

TEST_F(Source, a_folder_of_one_capture_is_that_capture) {
  const std::string inside = write("one/trace.json", kTrace);
  const auto opened = open(at("one"), {});
  EXPECT_EQ(form_of(opened), "json-trace");
  EXPECT_EQ(opened->source.path, std::filesystem::canonical(inside));
  EXPECT_FALSE(opened->source.is_directory);
  EXPECT_TRUE(is_capture(at("one"), {}));
  EXPECT_EQ(locate(at("one"), {})->path, opened->source.path);
}

TEST_F(Source, a_folder_of_one_measurement_stays_a_folder) {
  write("one/run.json", kRun);
  const auto opened = open(at("one"), {});
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->is_capture());
  EXPECT_TRUE(opened->source.is_directory);
}

TEST_F(Source, captures_among_other_files_are_told_and_not_read) {
  write("mixed/a.json", kRun);
  write("mixed/b.json", kTrace);
  auto opened = open(at("mixed"), {});
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->captures(), (std::vector<std::string>{"", "json-trace"}));
  ASSERT_EQ(opened->input().files.size(), 1U);
  EXPECT_EQ(opened->input().files.front().name, "a.json");
  std::vector<Opened> sources;
  sources.push_back(std::move(*opened));
  const auto measurement = read(sources, {});
  ASSERT_TRUE(measurement) << measurement.error().message;
  EXPECT_EQ(measurement->rows().size(), 1U);
  EXPECT_EQ(measurement->key(measurement->rows().front()), "a.json:latency_ms");
  ASSERT_EQ(measurement->warnings.size(), 1U);
  EXPECT_EQ(measurement->warnings.front().message, "1 file of 2 not read: \"b.json\" (profiler captures, not measurements)");
}

TEST_F(Source, a_capture_is_no_measurement) {
  std::vector<Opened> sources;
  auto opened = open(write("t.json", kTrace), {});
  ASSERT_TRUE(opened);
  sources.push_back(std::move(*opened));
  const auto measurement = read(sources, {});
  ASSERT_FALSE(measurement);
  EXPECT_EQ(measurement.error().message, "a profiler capture (json-trace), not a measurement");
}

TEST_F(Source, confinement_holds_for_what_a_folder_holds) {
  const std::string outside = write("outside/trace.json", kTrace);
  std::filesystem::create_directories(at("inside/folder"));
  std::filesystem::create_symlink(outside, at("inside/folder/trace.json"));
  registry::PathLimits limits;
  limits.allowed_roots = {std::filesystem::canonical(at("inside")).string()};
  const auto opened = open(at("inside/folder"), limits);
  EXPECT_FALSE(opened && opened->is_capture());
  EXPECT_FALSE(is_capture(at("inside/folder"), limits));
}

TEST(KnownFormats, are_those_of_tools_and_of_other_systems) {
  const auto known = known_formats();
  const auto has = [&](std::string_view name) {
    return std::any_of(known.begin(), known.end(), [&](const formats::Format* one) { return one->name == name; });
  };
  EXPECT_TRUE(has("generic-json"));
  EXPECT_GT(known.size(), formats::table().size());
}

}  // namespace
}  // namespace plumbline::intake
