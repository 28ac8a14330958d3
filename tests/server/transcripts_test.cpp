// Every file of transcripts/ is one conversation: "--> " what the client sends, "<-- " what the server must answer, in
// order and nothing else. Other lines are prose (the rule the file pins) or, with a "!", what happens in between:
//
//   <-- {"a":"$any"}     values compare as JSON; "$any" matches whatever stands there
//   <-- {"a":"$name"}    whatever stands there the first time; then, in what the client sends too, that value
//   --> {$meta,…}        $meta is the claim of the modern era by a client that can do everything
//   !everything (first)  the whole catalogue of the conformance fixtures instead of the few tools of the session tests
//   !hold / !run         tool calls wait / those that wait are run
//   !close               the server is about to end
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/server/harness.hpp"
#include "tests/server/json_match.hpp"

namespace plumbline::server::testing {
namespace {

using nlohmann::json;

// What a modern request says about itself, with everything that a client can declare.
constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":)"
    R"({"elicitation":{},"sampling":{},"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}})";

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

class Transcript : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Transcript, IsWhatTheServerSays) {
  std::ifstream file(GetParam());
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  Harness harness(line == "!everything" ? fixture::catalogue() : session_tools());
  Captured captured;
  std::vector<std::string> said;
  int number = 0;
  const auto nothing_left = [&] {
    for (const std::string& extra : said) ADD_FAILURE() << "line " << number << ": nobody expected\n<-- " << extra;
    said.clear();
  };
  do {
    ++number;
    if (line.starts_with("--> ")) {
      nothing_left();
      replace_all(line, "$meta", kMeta);
      for (const auto& [name, value] : captured) replace_all(line, '"' + name + '"', value.dump());
      said = harness.ask(std::string_view(line).substr(4));
    } else if (line.starts_with("<-- ")) {
      ASSERT_FALSE(said.empty()) << "line " << number << ": the server said nothing more";
      const json expected = json::parse(line.substr(4), nullptr, false);
      ASSERT_FALSE(expected.is_discarded()) << "line " << number << " of the transcript is not JSON";
      EXPECT_TRUE(matches(expected, json::parse(said.front()), &captured)) << "line " << number << " got\n<-- " << said.front();
      said.erase(said.begin());
    } else if (line == "!hold") {
      harness.executor.hold = true;
    } else if (line == "!run" || line == "!close") {
      nothing_left();
      line == "!run" ? harness.executor.run() : harness.conversation.session.close_subscriptions();
      said = harness.conversation.out->take();
    }
  } while (std::getline(file, line));
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
