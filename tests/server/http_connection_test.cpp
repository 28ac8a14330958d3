// HTTP over real sockets: one request after the other, streams, clients that leave or dawdle, and the end.
#include <gmock/gmock.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <thread>

#include "tests/server/networked.hpp"

namespace plumbline::server::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using transport::http::Exchange;
using transport::http::Request;
using transport::network::NetworkOptions;

std::string get(const std::string& target, const std::string& headers = {}) {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
}
std::string post(const std::string& body, const std::string& headers = {}) {
  return "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}
std::string body_of(const std::string& response) { return response.substr(response.find("\r\n\r\n") + 4); }

// Keeps requests for the test to answer.
class Desk {
 public:
  void operator()(Request request, std::shared_ptr<Exchange> exchange) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(std::move(request), std::move(exchange));
    changed_.notify_all();
  }
  std::pair<Request, std::shared_ptr<Exchange>> next() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 30s, [&] { return !waiting_.empty(); })) throw std::runtime_error("no request has come");
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Request, std::shared_ptr<Exchange>>> waiting_;
};

TEST(Http, AnswersOneRequestAfterTheOther) {
  const Networked server;
  const auto addresses = server.listen({{transport::network::Speaks::http, "127.0.0.1:0"}});
  EXPECT_THAT(addresses.front(), ::testing::MatchesRegex("http://127\\.0\\.0\\.1:[1-9][0-9]*/mcp"));
  Client client(addresses.front().substr(0, addresses.front().rfind('/')));
  for (const std::string body : {"one", "", "three"}) {
    client.send(post(body));
    const std::string response = client.response();
    EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
    EXPECT_THAT(response, HasSubstr("\r\nContent-Type: text/plain\r\nContent-Length: "));
    EXPECT_THAT(response, Not(HasSubstr("Connection:")));
    EXPECT_EQ(body_of(response), "POST /mcp " + body);
  }
}

TEST(Http, TellsTheHandlerWhoAsks) {
  Request seen;
  const Networked server({}, [&](Request request, const std::shared_ptr<Exchange>& exchange) {
    seen = std::move(request);
    exchange->reply(204, {}, "ignored");
  });
  Client client(server.http());
  client.send(get("/a?b", "X-Y: z\r\n"));
  EXPECT_EQ(body_of(client.response()), "");
  EXPECT_THAT(seen.peer, StartsWith("127.0.0.1:"));
  EXPECT_TRUE(seen.loopback);
  EXPECT_FALSE(seen.secure);
  EXPECT_FALSE(seen.certificate);
  EXPECT_EQ(seen.first("x-y"), "z");
}

TEST(Http, MayComeByteByByte) {
  const Networked server;
  Client client(server.http());
  client.send(post("é€𝄞") + "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", 1);
  EXPECT_EQ(body_of(client.response()), "POST /mcp é€𝄞");
  EXPECT_EQ(body_of(client.response()), "POST /c abc");
}

TEST(Http, KeepsPipelinedRequestsInOrder) {
  Desk desk;
  const Networked server({}, std::ref(desk));
  Client client(server.http());
  client.send(get("/1") + get("/2") + get("/3"));
  for (const std::string target : {"/1", "/2", "/3"}) {
    const auto [request, exchange] = desk.next();
    EXPECT_EQ(request.target, target);
    EXPECT_EQ(desk.size(), 0U) << "the next is not begun before this one is answered";
    exchange->reply(200, {}, request.target);
    EXPECT_EQ(body_of(client.response()), target);
  }
}

TEST(Http, SendsNoBodyToHead) {
  const Networked server;
  Client client(server.http());
  client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n" + get("/y"));
  EXPECT_THAT(client.read_to("\r\n\r\n"), HasSubstr("Content-Length: 8\r\n"));
  EXPECT_EQ(body_of(client.response()), "GET /y ");
}

TEST(Http, ClosesWhenAskedTo) {
  const Networked server;
  Client client(server.http());
  client.send(get("/x", "Connection: close\r\n") + get("/y"));
  EXPECT_THAT(client.response(), HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_TRUE(client.at_end());
}

TEST(Http, AnswersAClientThatHasSaidItsLast) {
  const Networked server;
  Client client(server.http());
  client.send(post("last"));
  client.end_input();
  EXPECT_EQ(body_of(client.response()), "POST /mcp last");
  EXPECT_TRUE(client.at_end());
}

TEST(Http, TellsTheClientToGoOn) {
  const Networked server;
  Client client(server.http());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_to("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ab");
  EXPECT_EQ(body_of(client.response()), "POST / ab");
}

TEST(Http, AnswersWhatBreaksTheProtocolAndEndsTheConnection) {
  const Networked server;
  const std::string address = server.http();
  struct Case {
    std::string bytes, start, body;
  };
  for (const Case& each : std::vector<Case>{
           {"GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 505 HTTP Version Not Supported\r\n", "this server speaks HTTP/1.1 only\n"},
           {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n", "a request has exactly one Host header\n"},
           {get("/" + std::string(3000, 'x')), "HTTP/1.1 414 URI Too Long\r\n",
            "the request's target has more than 2048 bytes\n"}}) {
    Client client(address);
    client.send(each.bytes + get("/smuggled"));
    const std::string response = client.rest();
    EXPECT_THAT(response, StartsWith(each.start));
    EXPECT_THAT(response, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_EQ(body_of(response), each.body);
  }
  EXPECT_EQ(server.network->traffic().faults, 3U);
  EXPECT_EQ(server.network->traffic().requests, 0U);
}

TEST(Http, LetsAClientReadWhyItsGreatBodyIsRefused) {
  NetworkOptions options;
  options.limits.http.body_bytes = 1000;
  const Networked server(options);
  const std::string address = server.http();
  for (const std::string head : {"Content-Length: 5000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n4C4B40\r\n"}) {
    Client client(address);
    client.send("POST / HTTP/1.1\r\nHost: a\r\n" + head + std::string(5'000'000, 'x'));
    EXPECT_THAT(client.read_to("bytes\n"), StartsWith("HTTP/1.1 413 Content Too Large\r\n"));
  }
}

TEST(Http, AnswersWhatNeedsNoBodyBeforeItComes) {
  Networked server;
  server.handler.on_head = [](const Request& head) -> std::optional<transport::http::Refusal> {
    EXPECT_EQ(head.method + " " + head.target, "POST /mcp");
    EXPECT_THAT(head.peer, StartsWith("127.0.0.1:"));
    EXPECT_EQ(head.body, "");
    if (head.first("authorization") == "Bearer t") return std::nullopt;
    return transport::http::Refusal{401, {{"WWW-Authenticate", "Bearer"}}, "who are you?"};
  };
  const std::string address = server.http();
  const std::string head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n";
  for (const std::string& each :
       {head + "\r\n", head + "\r\n" + std::string(5'000'000, 'x'), head + "Expect: 100-continue\r\n\r\n"}) {
    Client stranger(address);
    stranger.send(each);
    const std::string response = stranger.rest();
    EXPECT_THAT(response, StartsWith("HTTP/1.1 401 Unauthorized\r\n"));
    EXPECT_THAT(response, HasSubstr("\r\nWWW-Authenticate: Bearer\r\n"));
    EXPECT_THAT(response, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_EQ(body_of(response), "who are you?");
  }
  Client known(address);
  for (const std::string body : {"one", "two"}) {
    known.send(post(body, "Authorization: Bearer t\r\n"), 7);
    EXPECT_EQ(body_of(known.response()), "POST /mcp " + body);
  }
  EXPECT_EQ(server.network->traffic().requests, 5U);
  EXPECT_EQ(server.network->traffic().faults, 0U);
}

TEST(Http, LetsNobodyHoldAllThatMayBeHeld) {
  NetworkOptions options;
  options.limits.held_each = 1000;
  const Networked server(options);
  const std::string address = server.http();
  Client first(address), second(address);
  first.send(get("/x") + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 901\r\n\r\n" + std::string(900, 'a'));
  EXPECT_EQ(body_of(first.response()), "GET /x ") << "what follows it has come";
  second.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 901\r\n\r\n" + std::string(900, 'b'));
  EXPECT_THAT(second.rest(), EndsWith("too many bodies are being received at once: try again later\n"));
  first.send("a");
  EXPECT_EQ(body_of(first.response()), "POST / " + std::string(901, 'a'));
}

TEST(Http, HoldsOnlySoMuchOfUnfinishedBodies) {
  NetworkOptions options;
  options.limits.held = 1000;
  const Networked server(options);
  const std::string address = server.http();
  Client greedy(address);
  greedy.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1500\r\n\r\n" + std::string(1200, 'a'));
  EXPECT_THAT(greedy.rest(), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  Client next(address);
  for (int i = 0; i < 3; ++i) {
    next.send(post(std::string(900, 'b')));
    EXPECT_THAT(next.response(), StartsWith("HTTP/1.1 200 OK\r\n")) << "what is whole or refused counts no more";
  }
}

TEST(Http, RefusesWhoDawdles) {
  NetworkOptions options;
  options.limits.http_head = 20ms;
  options.limits.http_body = 20ms;
  const Networked server(options);
  const std::string address = server.http();
  Client head(address), body(address);
  head.send("GET / HTTP/1.1\r\nHost:");
  EXPECT_THAT(head.rest(), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  body.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
  EXPECT_THAT(body.rest(), EndsWith("the request's body took too long\n"));
}

TEST(Http, RefusesABodyThatTakesTooLongInAll) {
  for (const auto whole : {0ms, 20ms}) {  // seen when a piece comes, or when none does
    NetworkOptions options;
    options.limits.http_body_whole = whole;
    const Networked server(options);
    Client client(server.http());
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
    EXPECT_THAT(client.rest(), EndsWith("the request's body took too long\n"));
  }
}

TEST(Http, EndsASilentConnectionWithoutAWord) {
  NetworkOptions options;
  options.limits.http_idle = 20ms;
  const Networked server(options);
  const std::string address = server.http();
  Client client(address);
  client.send(get("/x"));
  EXPECT_EQ(body_of(client.response()), "GET /x ");
  EXPECT_TRUE(client.at_end());
  EXPECT_TRUE(Client(address).at_end());
}

TEST(Http, RefusesTooManyConnectionsButClosesIdleOnesFirst) {
  NetworkOptions options;
  options.limits.connections = 1;
  Desk desk;
  const Networked server(options, std::ref(desk));
  const std::string address = server.http();
  Client silent(address), first(address);
  EXPECT_TRUE(silent.at_end()) << "it has never spoken";
  first.send(get("/x"));
  desk.next().second->reply(200, {}, "x");
  EXPECT_EQ(body_of(first.response()), "x");
  Client busy(address);
  EXPECT_TRUE(first.at_end()) << "it is between two requests";
  busy.send(get("/y"));
  const auto waiting = desk.next().second;
  Client last(address);
  const std::string refusal = last.rest();
  EXPECT_THAT(refusal, StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(refusal, HasSubstr("\r\nRetry-After: 1\r\n"));
  EXPECT_EQ(body_of(refusal), "1 connections are open: try again later\n");
  waiting->reply(200, {}, "y");
  EXPECT_EQ(body_of(busy.response()), "y");
}

TEST(Http, AnswersEvenWhenTheHandlerDoesNot) {
  const Networked server({}, [](const Request& request, const std::shared_ptr<Exchange>&) {
    if (request.target == "/throw") throw std::runtime_error("a fault");
  });
  const std::string address = server.http();
  Client client(address);
  client.send(get("/forgotten"));
  const std::string response = client.response();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 500 Internal Server Error\r\n"));
  EXPECT_EQ(body_of(response), "the request was not answered: this is a fault of the server\n");
  client.send(get("/throw"));
  EXPECT_THAT(client.response(), StartsWith("HTTP/1.1 500 Internal Server Error\r\n"));
}

TEST(HttpStream, IsChunkedAndKeepsTheConnection) {
  const Networked server({}, [](const Request& request, const std::shared_ptr<Exchange>& exchange) {
    if (request.target == "/after") return exchange->reply(200, {}, "after");
    exchange->begin_stream(200, {{"Content-Type", "text/event-stream"}});
    EXPECT_TRUE(exchange->write("data: 1\n\n"));
    EXPECT_TRUE(exchange->write(""));
    EXPECT_TRUE(exchange->write(std::string(300, 'x')));
    exchange->end();
    EXPECT_FALSE(exchange->write("late"));
    exchange->reply(200, {}, "late");
    exchange->end();
  });
  Client client(server.http());
  client.send(get("/stream") + get("/after"));
  const std::string stream = client.read_to("\r\n0\r\n\r\n");
  EXPECT_THAT(stream, HasSubstr("\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"));
  EXPECT_EQ(body_of(stream), "9\r\ndata: 1\n\n\r\n12c\r\n" + std::string(300, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(body_of(client.response()), "after");
}

TEST(HttpStream, ReachesTheClientEventByEvent) {
  Desk desk;
  const Networked server({}, std::ref(desk));
  Client client(server.http());
  client.send(get("/"));
  const auto [request, exchange] = desk.next();
  exchange->begin_stream(200, {});
  EXPECT_THAT(client.read_to("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  for (const std::string event : {"one", "two"}) {
    EXPECT_TRUE(exchange->write(event));
    EXPECT_EQ(client.read_to(event + "\r\n"), "3\r\n" + event + "\r\n");
  }
  exchange->end();
  EXPECT_EQ(client.read_to("\r\n\r\n"), "0\r\n\r\n");
}

TEST(HttpStream, TakesOnlySoMuchForASlowReader) {
  int taken = 0;
  const Networked server({}, [&](const Request&, const std::shared_ptr<Exchange>& exchange) {
    exchange->begin_stream(200, {});
    while (exchange->write(std::string(10'000, 'x'))) ++taken;  // nothing is sent before this returns
    exchange->end();
  });
  Client client(server.http(), 4096);
  client.send(get("/"));
  const std::string stream = client.read_to("\r\n0\r\n\r\n");
  EXPECT_EQ(taken, 1 + (1 << 20) / 10'000) << "the queue's bound";
  EXPECT_EQ(std::count(stream.begin(), stream.end(), 'x'), taken * 10'000);
}

TEST(HttpStream, ThatIsAbandonedIsSeenToBe) {
  const Networked server({}, [](const Request&, const std::shared_ptr<Exchange>& exchange) {
    exchange->begin_stream(200, {});
    exchange->write("half");
  });
  Client client(server.http());
  client.send(get("/"));
  EXPECT_THAT(client.rest(), EndsWith("\r\n\r\n4\r\nhalf\r\n"));
}

TEST(HttpStream, OfAHeadRequestHasNoBody) {
  const Networked server({}, [](const Request&, const std::shared_ptr<Exchange>& exchange) {
    exchange->begin_stream(200, {});
    EXPECT_TRUE(exchange->write("event"));
    exchange->end();
  });
  Client client(server.http());
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.rest(), EndsWith("\r\nConnection: close\r\n\r\n"));
}

TEST(HttpClient, ThatLeavesIsNoticed) {
  for (const bool rudely : {false, true}) {
    Desk desk;
    const Networked server({}, std::ref(desk));
    Client client(server.http());
    client.send(get("/"));
    const auto [request, exchange] = desk.next();
    exchange->begin_stream(200, {});
    EXPECT_THAT(client.read_to("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
    std::promise<void> gone;
    exchange->on_gone([&] { gone.set_value(); });
    rudely ? client.reset() : client.leave();
    ASSERT_EQ(gone.get_future().wait_for(30s), std::future_status::ready);
    EXPECT_FALSE(exchange->write("to nobody"));
    exchange->end();
    bool at_once = false;
    exchange->on_gone([&] { at_once = true; });
    EXPECT_FALSE(at_once) << "what is over is nobody's business";
  }
}

TEST(HttpClient, ThatHasLeftIsSaidToBeGoneAtOnce) {
  Desk desk;
  const Networked server({}, std::ref(desk));
  Client client(server.http());
  client.send(get("/"));
  const auto [request, exchange] = desk.next();
  std::promise<void> gone;
  exchange->on_gone([&] { gone.set_value(); });
  client.leave();
  ASSERT_EQ(gone.get_future().wait_for(30s), std::future_status::ready);
  bool at_once = false;
  exchange->on_gone([&] { at_once = true; });
  EXPECT_TRUE(at_once);
  exchange->reply(200, {}, "to nobody");
}

TEST(HttpClient, ThatIsAnsweredIsNotGone) {
  bool gone = false;
  {
    const Networked server({}, [&](const Request&, const std::shared_ptr<Exchange>& exchange) {
      exchange->on_gone([&] { gone = true; });
      exchange->reply(200, {}, "done");
    });
    Client client(server.http());
    client.send(get("/"));
    EXPECT_EQ(body_of(client.response()), "done");
  }
  EXPECT_FALSE(gone);
}

TEST(HttpEnd, WaitsForAnswersAndLetsIdleConnectionsGo) {
  Desk desk;
  const Networked server({}, std::ref(desk));
  const std::string address = server.http();
  Client busy(address), idle(address);
  busy.send(get("/busy"));
  const auto [request, exchange] = desk.next();
  idle.send(get("/idle"));
  desk.next().second->reply(200, {}, "idle");
  EXPECT_EQ(body_of(idle.response()), "idle");
  std::thread ending([&] { server.network->drain(30s); });
  EXPECT_TRUE(idle.at_end());
  exchange->reply(200, {}, "still answered");
  const std::string response = busy.response();
  EXPECT_EQ(body_of(response), "still answered");
  EXPECT_THAT(response, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_TRUE(busy.at_end());
  ending.join();
}

TEST(HttpEnd, OutlivedByAnExchangeIsHarmless) {
  Desk desk;
  std::shared_ptr<Exchange> exchange;
  {
    const Networked server({}, std::ref(desk));
    Client client(server.http());
    client.send(get("/"));
    exchange = desk.next().second;
    server.network->drain(0ms);
  }
  exchange->reply(200, {}, "to nobody");
}

// Takes its time.
class SlowSink final : public transport::http::BodySink {
 public:
  SlowSink(std::shared_ptr<Exchange> exchange, std::promise<std::function<void()>>& given)
      : exchange_(std::move(exchange)), given_(given) {}
  void take(std::string /*piece*/, std::function<void()> taken) override { given_.set_value(std::move(taken)); }
  void end() override { ADD_FAILURE() << "what it was given is not taken yet"; }

 private:
  const std::shared_ptr<Exchange> exchange_;
  std::promise<std::function<void()>>& given_;
};

TEST(HttpEnd, OutlivedByWhoTakesAnUploadIsHarmless) {
  std::promise<std::function<void()>> given;
  auto coming = given.get_future();
  std::function<void()> taken;
  {
    NetworkOptions options;
    options.limits.http.streams = transport::http::kStreamedUploads;
    Networked server(options);
    server.handler.on_body = [&](const Request&, std::shared_ptr<Exchange> exchange) {
      return std::make_unique<SlowSink>(std::move(exchange), given);
    };
    Client client(server.http());
    client.send("PUT /blobs/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
    ASSERT_EQ(coming.wait_for(30s), std::future_status::ready);
    taken = coming.get();
  }
  taken();
}

}  // namespace
}  // namespace plumbline::server::testing
