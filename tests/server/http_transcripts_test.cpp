// Every file of http_transcripts/ is one conversation over HTTP: "> " is what the client sends, "< " what it must get, and
// nothing else. Other lines are prose (the rule that the file pins) or, with a "!", what happens in between:
//
//   > POST /mcp                      a request; usual headers (Host, Accept, Content-Type) are added unless they are given,
//   > Accept:                        and left out when they are given without a value
//   > {"jsonrpc":"2.0",…}            the body; $meta is the modern claim, $session the latest session's id
//   < 200                            the status; "nothing" when there is no answer yet
//   < Content-Type: application/json a header that must be there; "!Name" one that must not
//   < {…}                            the body, compared as JSON ("$any" matches anything), or one line of a text
//   < id: 1-1 / < data: {…}          lines of an event stream, all of them in order; blank ones are left out
//   < end                            the stream has ended
//   !option NAME[=N]  (first)        tokens, certificates, cors, sessions=N, streams=N
//   !hold / !run                     tool calls wait / go on
//   !look N                          the next "<" lines are about what the N-th request got since then
//   !leave N                         the client of the N-th request closes its connection
//   !pass MINUTES                    time passes, and the endpoint tidies up
//   !publish URI                     a resource has changed
//   !drain                           the server is about to end
//   !remote / !certificate NAME      about the next request: it comes from another machine / over TLS with that certificate
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/text.hpp"
#include "tests/server/http_harness.hpp"
#include "tests/server/json_match.hpp"

namespace plumbline::server::testing {
namespace {

using nlohmann::json;

constexpr std::string_view kMeta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                   R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}})";

class HttpTranscript : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  struct Asked {
    std::shared_ptr<FakeExchange> exchange;
    std::size_t seen = 0;  // of the stream's bytes
    bool begun = false;    // its status has been looked at
    bool ended = false;    // its end has
  };

  void option(const std::string& text) {
    const auto parts = core::split(text, '=');
    const std::string name(parts[0]);
    const std::size_t number = parts.size() > 1 ? std::stoul(std::string(parts[1])) : 0;
    if (name == "tokens") {
      token_file = std::make_unique<PrivateFile>("ci 0123456789abcdef-writer\nreader 0123456789abcdef-reader read\n");
      tokens = *access::Tokens::load(token_file->path());
      options.admission.tokens = tokens.get();
      options.admission.resource = {"https://perf.example/mcp", "https://login.example"};
    } else if (name == "certificates") {
      options.admission.certificates = true;
      options.admission.resource = {"https://perf.example/mcp", ""};
    } else if (name == "cors") {
      options.admission.cors_origins = {"https://perf.example"};
    } else if (name == "sessions") {
      options.sessions.most = number;
    } else if (name == "streams") {
      options.sessions.listening = number;
    } else {
      FAIL() << "line " << number_ << ": no such option";
    }
  }

  HttpHarness& harness() {
    if (harness_ == nullptr) harness_ = std::make_unique<HttpHarness>(options);
    return *harness_;
  }

  [[nodiscard]] std::string filled_in(std::string text) const {
    for (const auto& [name, value] : std::map<std::string, std::string>{{"$meta", std::string(kMeta)}, {"$session", session}}) {
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name)) text.replace(at, name.size(), value);
    }
    return text;
  }

  void send(const std::vector<std::string>& lines) {
    std::istringstream first(lines.front());
    std::string method, target, body;
    first >> method >> target;
    http::Headers headers;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::string line = filled_in(lines[i]);
      const std::size_t colon = line.find(':');
      if (line.starts_with('{') || line.starts_with('[') || line.starts_with('"') || colon == std::string::npos) {
        body += line;
      } else {
        headers.emplace_back(core::to_lower(line.substr(0, colon)), std::string(core::trim(line.substr(colon + 1))));
      }
    }
    http::Request request = HttpHarness::request(method, std::move(headers), std::move(body), target);
    request.loopback = !std::exchange(remote, false);
    request.certificate = std::exchange(certificate, std::nullopt);
    asked.push_back({harness().ask(std::move(request))});
    current = asked.size() - 1;
    const std::string id = header(asked.back().exchange->said(), "Mcp-Session-Id");
    if (!id.empty()) session = id;
  }

  // What the current exchange has got since it was last looked at, against what the transcript says.
  void look(const std::vector<std::string>& expected) {
    Asked& now = asked.at(current);
    const auto said = now.exchange->said();
    std::vector<std::string> news;
    std::istringstream body(said.body.substr(std::min(now.seen, said.body.size())));
    for (std::string line; std::getline(body, line);) {
      if (!line.empty()) news.push_back(line);
    }
    if (said.stream && said.complete && !std::exchange(now.ended, true)) news.emplace_back("end");
    now.seen = said.body.size();
    std::size_t at = 0;
    for (const std::string& raw : expected) {
      const std::string line = filled_in(raw);
      if (!now.begun) {
        if (line == "nothing") {
          EXPECT_EQ(said.status, 0) << "line " << number_;
          return;
        }
        now.begun = true;
        EXPECT_EQ(std::to_string(said.status), line) << "line " << number_ << " got " << said.body;
        continue;
      }
      const std::size_t colon = line.find(':');
      const bool is_header = !line.empty() &&
                             std::isupper(static_cast<unsigned char>(line.front() == '!' ? line[1] : line[0])) != 0 &&
                             colon != std::string::npos;
      if (line.starts_with('!')) {
        EXPECT_EQ(header(said, line.substr(1)), "") << "line " << number_;
      } else if (is_header) {
        const std::string value = header(said, line.substr(0, colon));
        const std::string wanted(core::trim(line.substr(colon + 1)));
        if (wanted == "$any") {
          EXPECT_NE(value, "") << "line " << number_ << ": no " << line;
        } else {
          EXPECT_EQ(value, wanted) << "line " << number_ << ": " << line;
        }
      } else if (at == news.size()) {
        ADD_FAILURE() << "line " << number_ << ": nobody said " << line;
      } else {
        EXPECT_TRUE(same(line, news[at])) << "line " << number_ << " wanted\n  " << line << "\ngot\n  " << news[at];
        ++at;
      }
    }
    for (; at < news.size(); ++at) ADD_FAILURE() << "line " << number_ << ": nobody expected\n< " << news[at];
  }

  static bool same(const std::string& wanted, const std::string& got) {
    constexpr std::string_view kData = "data: ";
    if (wanted == got) return true;
    if (wanted.starts_with(kData) != got.starts_with(kData)) return false;
    const std::size_t from = wanted.starts_with(kData) ? kData.size() : 0;
    const json expected = json::parse(wanted.substr(from), nullptr, false);
    const json actual = json::parse(got.substr(from), nullptr, false);
    return !expected.is_discarded() && !actual.is_discarded() && matches(expected, actual);
  }

  void happen(const std::string& what) {
    std::istringstream words(what);
    std::string verb, object;
    words >> verb >> object;
    if (verb == "option") {
      option(object);
    } else if (verb == "hold") {
      harness().executor.hold();
    } else if (verb == "run") {
      harness().executor.run();
    } else if (verb == "look") {
      current = std::stoul(object) - 1;
    } else if (verb == "leave") {
      asked.at(std::stoul(object) - 1).exchange->leave();
    } else if (verb == "pass") {
      harness().now = harness().now.load() + std::chrono::minutes(std::stoul(object));
      harness().endpoint->tidy();
    } else if (verb == "publish") {
      harness().host.hub.publish({mcp::Event::Kind::resource_updated, object, ""});
    } else if (verb == "drain") {
      harness().endpoint->drain();
    } else if (verb == "remote") {
      remote = true;
    } else if (verb == "certificate") {
      certificate = object;
    } else {
      FAIL() << "line " << number_ << ": nothing of that kind can happen";
    }
  }

  http::EndpointOptions options;
  std::unique_ptr<PrivateFile> token_file;
  std::unique_ptr<access::Tokens> tokens;
  std::unique_ptr<HttpHarness> harness_;
  std::vector<Asked> asked;
  std::size_t current = 0;
  std::string session = "none";
  bool remote = false;
  std::optional<std::string> certificate;
  int number_ = 0;
};

TEST_P(HttpTranscript, IsWhatTheEndpointSays) {
  std::ifstream file(GetParam());
  std::vector<std::string> request, answer;
  std::size_t looked = 0;
  const auto flush = [&] {
    if (!request.empty()) send(std::exchange(request, {}));
    if (!answer.empty()) {
      look(std::exchange(answer, {}));
      ++looked;
    }
  };
  std::string line;
  while (std::getline(file, line)) {
    ++number_;
    const bool asks = line.starts_with("> "), answers = line.starts_with("< ");
    if (!asks && !answers) flush();
    if (asks) {
      if (!answer.empty()) flush();
      request.push_back(line.substr(2));
    } else if (answers) {
      if (!request.empty()) flush();
      answer.push_back(line.substr(2));
    } else if (line.starts_with('!')) {
      happen(line.substr(1));
    }
  }
  flush();
  EXPECT_GT(looked, 0U) << "a transcript without answers";
  for (current = 0; current < asked.size(); ++current) {
    EXPECT_EQ(asked[current].begun, asked[current].exchange->said().status != 0) << "nobody looked at answer " << current + 1;
    look({});
  }
}

std::vector<std::filesystem::path> http_transcripts() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(PLUMBLINE_TESTS "/server/http_transcripts"))
    found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

INSTANTIATE_TEST_SUITE_P(All, HttpTranscript, ::testing::ValuesIn(http_transcripts()),
                         [](const auto& item) { return item.param.stem().string(); });

}  // namespace
}  // namespace plumbline::server::testing
