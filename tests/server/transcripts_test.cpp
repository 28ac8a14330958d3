// Every file of transcripts/ is one conversation: "--> " what the client sends, "<-- " what the server must answer, in
// order and nothing else. Values compare as JSON; "$any" matches whatever stands there. "!hold" keeps tool calls waiting,
// "!run" runs those that wait. Other lines are prose: the rule the file pins.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/server/harness.hpp"

namespace plumbline::server::testing {
namespace {

using nlohmann::json;

bool matches(const json& expected, const json& actual) {
  if (expected.is_string() && expected.get<std::string>() == "$any") return true;
  if (expected.is_object()) {
    return actual.is_object() && expected.size() == actual.size() &&
           std::all_of(expected.items().begin(), expected.items().end(), [&](const auto& item) {
             return actual.contains(item.key()) && matches(item.value(), actual[item.key()]);
           });
  }
  if (expected.is_array()) {
    return actual.is_array() && std::equal(expected.begin(), expected.end(), actual.begin(), actual.end(), matches);
  }
  return expected.type() == actual.type() && expected == actual;
}

class Transcript : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Transcript, IsWhatTheServerSays) {
  std::ifstream file(GetParam());
  Harness harness;
  std::vector<std::string> said;
  std::string line;
  int number = 0;
  const auto nothing_left = [&] {
    for (const std::string& extra : said) ADD_FAILURE() << "line " << number << ": nobody expected\n<-- " << extra;
    said.clear();
  };
  while (std::getline(file, line)) {
    ++number;
    if (line.starts_with("--> ")) {
      nothing_left();
      said = harness.ask(std::string_view(line).substr(4));
    } else if (line.starts_with("<-- ")) {
      ASSERT_FALSE(said.empty()) << "line " << number << ": the server said nothing more";
      const json expected = json::parse(line.substr(4), nullptr, false);
      ASSERT_FALSE(expected.is_discarded()) << "line " << number << " of the transcript is not JSON";
      EXPECT_TRUE(matches(expected, json::parse(said.front()))) << "line " << number << " got\n<-- " << said.front();
      said.erase(said.begin());
    } else if (line == "!hold") {
      harness.executor.hold = true;
    } else if (line == "!run") {
      nothing_left();
      harness.executor.run();
      said = harness.out.take();
    }
  }
  nothing_left();
}

std::vector<std::filesystem::path> transcripts() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(PLUMBLINE_TESTS "/server/transcripts"))
    found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

INSTANTIATE_TEST_SUITE_P(All, Transcript, ::testing::ValuesIn(transcripts()),
                         [](const auto& item) { return item.param.stem().string(); });

}  // namespace
}  // namespace plumbline::server::testing
