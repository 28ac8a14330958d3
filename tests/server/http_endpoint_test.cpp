// What no transcript can show: the metrics page, patience, and many clients at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "server/transport/worker_pool.hpp"
#include "tests/server/http_harness.hpp"

namespace plumbline::server::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const std::string kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

http::Headers modern(const std::string& method, const std::string& name = "") {
  http::Headers headers = {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", method}};
  if (!name.empty()) headers.emplace_back("mcp-name", name);
  return headers;
}

std::string call(const std::string& tool, const std::string& meta = kMeta) {
  return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool + R"(",)" + meta + "}}";
}

TEST(Metrics, SayWhatWasAskedAndWhatIsOpen) {
  mcp::Counters counters;
  counters.call_ended("say", "ok", 2ms);
  counters.call_ended("say", "ok", 2ms);
  http::EndpointOptions options;
  options.counters = &counters;
  HttpHarness harness(options);
  harness.open();
  const std::string second = harness.open();
  harness.ask("GET", {{"mcp-session-id", second}}, "");
  harness.ask("POST", {}, "no json");
  harness.ask("BREW", {}, "");
  harness.endpoint->metrics().upload_ended("ok", 5);
  harness.endpoint->metrics().upload_ended("ok", 7);
  harness.now = harness.now.load() + 90s;
  const auto said = harness.ask("GET", {}, "", "/metrics")->said();
  EXPECT_EQ(said.status, 200);
  EXPECT_EQ(header(said, "Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(said.body,
            "# HELP plumbline_build_info The version that runs.\n"
            "# TYPE plumbline_build_info gauge\n"
            "plumbline_build_info{version=\"1.2.3\"} 1\n"
            "# HELP plumbline_uptime_seconds Seconds since the start.\n"
            "# TYPE plumbline_uptime_seconds gauge\n"
            "plumbline_uptime_seconds 90\n"
            "# HELP plumbline_http_requests_total Requests by method and status of the answer.\n"
            "# TYPE plumbline_http_requests_total counter\n"
            "plumbline_http_requests_total{method=\"GET\",status=\"200\"} 1\n"
            "plumbline_http_requests_total{method=\"POST\",status=\"200\"} 2\n"
            "plumbline_http_requests_total{method=\"POST\",status=\"400\"} 1\n"
            "plumbline_http_requests_total{method=\"other\",status=\"405\"} 1\n"
            "# HELP plumbline_uploads_total Uploads by outcome.\n"
            "# TYPE plumbline_uploads_total counter\n"
            "plumbline_uploads_total{outcome=\"ok\"} 2\n"
            "# HELP plumbline_uploaded_bytes_total Bytes of uploads received.\n"
            "# TYPE plumbline_uploaded_bytes_total counter\n"
            "plumbline_uploaded_bytes_total 12\n"
            "# HELP plumbline_sessions Legacy sessions that are open.\n"
            "# TYPE plumbline_sessions gauge\n"
            "plumbline_sessions 2\n"
            "# HELP plumbline_sessions_opened_total Legacy sessions ever opened.\n"
            "# TYPE plumbline_sessions_opened_total counter\n"
            "plumbline_sessions_opened_total 2\n"
            "# HELP plumbline_sessions_expired_total Legacy sessions closed because nobody used them.\n"
            "# TYPE plumbline_sessions_expired_total counter\n"
            "plumbline_sessions_expired_total 0\n"
            "# HELP plumbline_event_streams Event streams that are open.\n"
            "# TYPE plumbline_event_streams gauge\n"
            "plumbline_event_streams 1\n"
            "# HELP plumbline_messages_dropped_total Messages that no event stream could take.\n"
            "# TYPE plumbline_messages_dropped_total counter\n"
            "plumbline_messages_dropped_total 0\n"
            "# HELP plumbline_tool_calls_total Tool calls by tool and outcome.\n"
            "# TYPE plumbline_tool_calls_total counter\n"
            "plumbline_tool_calls_total{tool=\"say\",outcome=\"ok\"} 2\n"
            "# HELP plumbline_tool_call_duration_seconds Time from a call's coming to its end, waiting for a thread included.\n"
            "# TYPE plumbline_tool_call_duration_seconds histogram\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"0.001\"} 0\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"0.005\"} 2\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"0.01\"} 2\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"0.05\"} 2\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"0.1\"} 2\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"0.25\"} 2\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"0.5\"} 2\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"1.0\"} 2\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"5.0\"} 2\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"10.0\"} 2\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"60.0\"} 2\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"600.0\"} 2\n"
            "plumbline_tool_call_duration_seconds_bucket{tool=\"say\",le=\"+Inf\"} 2\n"
            "plumbline_tool_call_duration_seconds_sum{tool=\"say\"} 0.004\n"
            "plumbline_tool_call_duration_seconds_count{tool=\"say\"} 2\n");
}

struct Guarded : ::testing::Test {
  http::EndpointOptions guarded() const {
    http::EndpointOptions options;
    options.admission.tokens = tokens.get();
    return options;
  }
  const PrivateFile file{"ci 0123456789abcdef-writer\n"};
  const std::unique_ptr<access::Tokens> tokens = *access::Tokens::load(file.path());
  const std::string known = "Bearer 0123456789abcdef-writer";
};

TEST_F(Guarded, MetricsNeedAToken) {
  HttpHarness harness(guarded());
  EXPECT_EQ(harness.ask("GET", {}, "", "/metrics")->said().status, 401);
  EXPECT_EQ(harness.ask("GET", {{"authorization", known}}, "", "/metrics")->said().status, 200);
  EXPECT_EQ(harness.ask("GET", {}, "", "/healthz")->said().status, 200);
}

TEST(Readiness, IsAskedForAndEndsWithTheServer) {
  std::string problem;
  http::EndpointOptions options;
  options.readiness = [&](const std::function<void(std::string)>& answer) { answer(problem); };
  HttpHarness harness(options);
  const auto ask = [&](http::Headers headers = {}) {
    const auto said = harness.ask("GET", std::move(headers), "", "/readyz")->said();
    return std::to_string(said.status) + " " + said.body;
  };
  EXPECT_EQ(ask(), "200 ready\n");
  problem = "the root cannot be read: Stale file handle";
  EXPECT_EQ(ask(), "503 the root cannot be read: Stale file handle\n");
  EXPECT_EQ(ask({{"host", "evil.example"}}).substr(0, 3), "403");
  harness.endpoint->drain();
  EXPECT_EQ(ask(), "503 ending\n");
  EXPECT_EQ(harness.ask("GET", {}, "", "/healthz")->said().status, 503);
}

// What the endpoint says to a head is what it would have said to the whole request.
TEST_F(Guarded, RequestsAreRefusedBeforeTheirBodies) {
  HttpHarness harness(guarded());
  struct Case {
    http::Headers headers;
    int status;
    std::string target = "/mcp", method = "POST";
  };
  for (const Case& each : std::vector<Case>{{{{"host", "evil.example"}, {"authorization", known}}, 403},
                                            {{{"origin", "https://evil.example"}, {"authorization", known}}, 403},
                                            {{}, 401},
                                            {{{"authorization", "Bearer nearly-nearly-nearly"}}, 401},
                                            {{{"authorization", known}}, 400, "/mcp?access_token=x"},
                                            {{{"authorization", known}}, 404, "/elsewhere"},
                                            {{{"authorization", known}}, 405, "/mcp", "PUT"},
                                            {{{"authorization", known}, {"content-type", "text/plain"}}, 415},
                                            {{{"authorization", known}, {"accept", "text/html"}}, 406}}) {
    const http::Request request = HttpHarness::request(each.method, each.headers, "", each.target);
    const auto refusal = harness.endpoint->admits(request);
    const auto said = harness.ask(request)->said();
    ASSERT_TRUE(refusal) << each.status;
    EXPECT_EQ(refusal->status, each.status);
    EXPECT_EQ(said.status, each.status);
    EXPECT_EQ(refusal->headers, said.headers);
    EXPECT_EQ(refusal->body, said.body);
  }
  EXPECT_FALSE(harness.endpoint->admits(HttpHarness::request("POST", {{"authorization", known}}, "")));
  EXPECT_FALSE(harness.endpoint->admits(HttpHarness::request("DELETE", {{"authorization", known}}, "")));
  harness.endpoint->drain();
  EXPECT_EQ(harness.endpoint->admits(HttpHarness::request("POST", {{"authorization", known}}, ""))->status, 503);
}

TEST(Sessions, HaveIdsThatNobodyGuesses) {
  HttpHarness harness;
  const std::string one = harness.open(), two = harness.open();
  EXPECT_NE(one, two);
  EXPECT_GE(one.size(), 32U);
  for (const char c : one) EXPECT_TRUE(c > 0x20 && c < 0x7F);
}

TEST(Patience, EndsInAnEventStreamThatAnswersLater) {
  http::EndpointOptions options;
  options.times.patience = 1ms;
  HttpHarness harness(options);
  harness.executor.hold();
  const auto exchange = harness.ask("POST", modern("tools/call", "say"), call("say"));
  exchange->wait_until([](const auto& said) { return said.stream; });
  harness.executor.run();
  EXPECT_THAT(exchange->wait_until([](const auto& said) { return said.complete; }).body, HasSubstr("said"));
}

TEST(Leaving, TellsAModernCallToStop) {
  std::latch running(1), told(1);
  mcp::Catalogue tools;
  tools.add(fixture::tool("wait", "Waits until it is told to stop.", [&](std::string_view, const mcp::CallContext& context) {
    running.count_down();
    while (!context.cancelled->load()) std::this_thread::yield();
    told.count_down();
    return mcp::ToolResult{"", "stopped"};
  }));
  const mcp::Server server({"fixture", "Fixture", "1", ""}, std::move(tools));
  transport::WorkerPool workers;
  mcp::Host host(server, workers);
  http::EndpointOptions options;
  options.admission.hosts = *access::HostRule::make("127.0.0.1", {}, {});
  http::Endpoint endpoint(host, options);
  const auto exchange = std::make_shared<FakeExchange>();
  endpoint.handle(HttpHarness::request("POST", modern("tools/call", "wait"), call("wait")), exchange);
  running.wait();
  exchange->leave();
  told.wait();
  EXPECT_TRUE(endpoint.wait_idle(10s));
  EXPECT_EQ(exchange->said().status, 0);
}

// Clients of both eras at once, some of whom leave, cancel or end their session in between. Every request that its client
// waited for has one answer (a second would throw in the exchange), and nothing runs in the end.
TEST(ManyClients, AreEachAnsweredOnce) {
  const mcp::Server server({"fixture", "Fixture", "1", ""}, http_tools());
  transport::WorkerPool workers(4);
  mcp::Host host(server, workers);
  http::EndpointOptions options;
  options.admission.hosts = *access::HostRule::make("127.0.0.1", {}, {});
  options.times.again = 1ms;
  options.times.patience = 1ms;
  options.times.keep_alive = 1ms;
  options.sessions.most = 32;
  http::Endpoint endpoint(host, options);
  const auto ask = [&](std::string method, http::Headers headers, std::string body) {
    auto exchange = std::make_shared<FakeExchange>();
    endpoint.handle(HttpHarness::request(std::move(method), std::move(headers), std::move(body)), exchange);
    return exchange;
  };
  const auto client = [&](int number) {
    const std::string progress = R"("_meta":{"progressToken":1})";
    for (int round = 0; round < 50; ++round) {
      const int kind = (round + number) % 5;
      const auto modern_call = ask("POST", modern("tools/call", "count"),
                                   call("count", R"("_meta":{"progressToken":1,)" + kMeta.substr(kMeta.find('{') + 1)));
      if (kind == 0) {
        modern_call->leave();
      } else {
        modern_call->wait_until([](const auto& said) { return said.complete; });
      }
      const auto hello = ask("POST", {}, HttpHarness::initialize("2025-11-25"));
      const http::Headers session = {{"mcp-session-id", header(hello->said(), "Mcp-Session-Id")}};
      const auto listening = ask("GET", session, "");
      const auto legacy_call = ask("POST", session, call(kind == 1 ? "come_back" : "count", progress));
      if (kind == 2) legacy_call->leave();
      if (kind == 3) ask("DELETE", session, "");
      if (kind == 4) ask("POST", session, R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
      if (kind != 2) legacy_call->wait_until([](const auto& said) { return said.complete; });
      const auto back = ask("GET", {session[0], {"last-event-id", "2-0"}}, "");
      EXPECT_NE(back->said().status, 0);
      back->leave();
      listening->leave();
    }
  };
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) clients.emplace_back(client, i);
  for (std::thread& thread : clients) thread.join();
  endpoint.tidy();
  endpoint.drain();
  EXPECT_TRUE(endpoint.wait_idle(30s));
}

}  // namespace
}  // namespace plumbline::server::testing
