// Every rendering of every fixture, held against the file beside this test. PLUMBLINE_UPDATE_GOLDENS=1 rewrites them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "captures_fixture.hpp"
#include "fixture.hpp"
#include "records.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {
namespace {

struct Case {
  const char* file;
  std::function<std::string()> render;
};

std::string all_deltas(const core::DiffResult& result) {
  std::string all;
  EXPECT_TRUE(write_deltas(result, [&all](std::string_view piece) {
    all += piece;
    return core::Status{};
  }));
  return all;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"serving.diff.json", [] { return diff_json(fixture::serving()); }},
      {"serving.result.json", [] { return diff_result_json(fixture::serving()); }},
      {"serving.deltas.jsonl", [] { return all_deltas(fixture::serving()); }},
      {"serving.md", [] { return diff_markdown(fixture::serving()); }},
      {"serving.html", [] { return diff_html(fixture::serving()); }},
      {"serving.table.txt", [] { return diff_table(fixture::serving(), false, 110); }},
      {"serving.table-60.txt", [] { return diff_table(fixture::serving(), false, 60); }},
      {"serving.table-colour.txt", [] { return diff_table(fixture::serving(), true, 110); }},
      {"serving.csv", [] { return diff_csv(fixture::serving()); }},
      {"serving.junit.xml", [] { return diff_junit(fixture::serving()); }},
      {"serving.github.txt", [] { return diff_github(fixture::serving()); }},
      {"scalar.md", [] { return diff_markdown(fixture::scalar()); }},
      {"scalar.diff.json", [] { return diff_json(fixture::scalar()); }},
      {"scalar.table.txt", [] { return diff_table(fixture::scalar(), false, 100); }},
      {"scalar.html", [] { return diff_html(fixture::scalar()); }},
      {"hostile.md", [] { return diff_markdown(fixture::hostile()); }},
      {"hostile.html", [] { return diff_html(fixture::hostile()); }},
      {"hostile.table.txt", [] { return diff_table(fixture::hostile(), false, 100); }},
      {"hostile.csv", [] { return diff_csv(fixture::hostile()); }},
      {"hostile.junit.xml", [] { return diff_junit(fixture::hostile()); }},
      {"hostile.github.txt", [] { return diff_github(fixture::hostile()); }},
      {"hostile.deltas.jsonl", [] { return all_deltas(fixture::hostile()); }},
      {"capture.diff.json", [] { return diff_json(fixture::capture()); }},
      {"capture.md", [] { return diff_markdown(fixture::capture()); }},
      {"capture.html", [] { return diff_html(fixture::capture()); }},
      {"steps.html", [] { return diff_html(fixture::capture(fixture::stepping())); }},
      {"steps.md", [] { return diff_markdown(fixture::capture(fixture::stepping())); }},
      {"steps.json", [] { return profile_json(fixture::stepping()); }},
      {"profile.json", [] { return profile_json(fixture::profile()); }},
      {"profile.result.json", [] { return profile_result_json(fixture::profile()); }},
      {"profile.md", [] { return profile_markdown(fixture::profile()); }},
      {"host_profile.json", [] { return profile_json(fixture::host_profile()); }},
      {"host_profile.md", [] { return profile_markdown(fixture::host_profile()); }},
      {"host_profile.table.txt", [] { return diff_table(fixture::capture(fixture::host_profile()), false, 100); }},
      {"profile.table.txt", [] { return diff_table(fixture::capture(), false, 80); }},
      {"baseline.scalar.json", [] { return baseline_json(fixture::scalar_record()); }},
      {"baseline.structured.json", [] { return baseline_json(fixture::structured_record()); }},
      {"baseline.scalar.md", [] { return source_markdown(fixture::scalar_record()); }},
      {"baseline.structured.md", [] { return source_markdown(fixture::structured_record()); }},
      {"record.json", [] { return record_result_json(fixture::recorded()); }},
      {"record.txt", [] { return record_table(fixture::recorded(), false); }},
      {"acceptance.json", [] { return acceptance_json(fixture::accepted().acceptance); }},
      {"accept.json", [] { return accept_result_json(fixture::accepted()); }},
      {"history.json", [] { return history_json(fixture::history()); }},
      {"history.txt", [] { return history_table(fixture::history(), false, 100); }},
      {"inspect.json", [] { return inspect_json(fixture::inspected()); }},
      {"inspect.txt", [] { return inspect_table(fixture::inspected(), false); }},
      {"inspect.capture.json", [] { return inspect_json(fixture::inspected_capture()); }},
      {"inspect.capture.txt", [] { return inspect_table(fixture::inspected_capture(), false); }},
      {"verify.json", [] { return verify_json(fixture::verified()); }},
      {"verify.txt", [] { return verify_table(fixture::verified(), false); }},
      {"search.json", [] { return search_json(fixture::found()); }},
      {"search.txt", [] { return search_table(fixture::found(), false); }},
  };
  return all;
}

class Goldens : public testing::TestWithParam<Case> {};

TEST_P(Goldens, RendersAsWrittenDown) {
  const std::filesystem::path path = std::filesystem::path(PLUMBLINE_TESTS) / "reports" / "goldens" / GetParam().file;
  const std::string made = GetParam().render();
  if (const char* update = std::getenv("PLUMBLINE_UPDATE_GOLDENS"); update != nullptr && std::string_view(update) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << made;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << "no golden " << path << "; make it with PLUMBLINE_UPDATE_GOLDENS=1 and read it";
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(made, golden.str());
}

TEST_P(Goldens, RendersTheSameTwice) { EXPECT_EQ(GetParam().render(), GetParam().render()); }

INSTANTIATE_TEST_SUITE_P(Reports, Goldens, testing::ValuesIn(cases()), [](const testing::TestParamInfo<Case>& one) {
  std::string name = one.param.file;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace plumbline::reports
