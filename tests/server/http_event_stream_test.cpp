// Streams alone: what is written when, what is kept, and what happens when the other side is slow or gone. Delays are a
// millisecond where something must happen and an hour where it must not; nothing is measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "server/transport/http/event_stream.hpp"
#include "server/transport/http/sessions.hpp"
#include "tests/server/http_harness.hpp"

namespace plumbline::server::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

TEST(SseEvent, SplitsLinesAndNothingElse) {
  EXPECT_EQ(http::sse_event("{}"), "data: {}\n\n");
  EXPECT_EQ(http::sse_event("{}", "3-1"), "id: 3-1\ndata: {}\n\n");
  EXPECT_EQ(http::sse_event(""), "data: \n\n");
  EXPECT_EQ(http::sse_event("a\nb\r\nc\rd\n"), "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
  EXPECT_EQ(http::sse_priming("3-0", 1500ms), "id: 3-0\nretry: 1500\ndata:\n\n");
}

TEST(EventId, IsAStreamAndANumber) {
  const auto id = http::parse_event_id("12-34");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->stream, 12U);
  EXPECT_EQ(id->number, 34U);
  for (const char* text : {"", "1", "1-", "-1", "1-2-3", "1-2 ", " 1-2", "a-1", "1-b", "1--2", "99999999999999999999-1"}) {
    EXPECT_FALSE(http::parse_event_id(text)) << text;
  }
}

TEST(ReplayBuffer, KeepsTheLatestWithinItsBounds) {
  http::ReplayBuffer buffer(3, 10);
  EXPECT_THAT(buffer.after(0), IsEmpty());
  EXPECT_EQ(buffer.add("one"), 1U);
  EXPECT_EQ(buffer.add("two"), 2U);
  EXPECT_THAT(buffer.after(0), ElementsAre(Pair(1, "one"), Pair(2, "two")));
  EXPECT_THAT(buffer.after(1), ElementsAre(Pair(2, "two")));
  EXPECT_THAT(buffer.after(7), IsEmpty());
  buffer.add("3");
  buffer.add("4");  // the fourth is one too many
  EXPECT_THAT(buffer.after(0), ElementsAre(Pair(2, "two"), Pair(3, "3"), Pair(4, "4")));
  buffer.add("nine99999");  // 11 bytes are too many
  EXPECT_THAT(buffer.after(0), ElementsAre(Pair(4, "4"), Pair(5, "nine99999")));
  buffer.add("longer than all of it");  // the latest stays whatever it weighs
  EXPECT_THAT(buffer.after(0), ElementsAre(Pair(6, "longer than all of it")));
  EXPECT_EQ(buffer.bytes(), 21U);
}

struct StreamTest : ::testing::Test {
  StreamTest() {
    house->times = {1h, 1h, 1ms, 1s};
    house->bounds.waiting = 2;
  }
  std::shared_ptr<http::Stream> stream(http::StreamKind kind = {}) {
    return std::make_shared<http::Stream>(house, std::move(kind), exchange);
  }
  http::StreamKind polled() {
    http::StreamKind kind;
    kind.resumable = 7;
    return kind;
  }

  transport::Timers timers;
  std::shared_ptr<http::StreamHouse> house = std::make_shared<http::StreamHouse>(timers, std::chrono::steady_clock::time_point{});
  std::shared_ptr<FakeExchange> exchange = std::make_shared<FakeExchange>();
};

TEST_F(StreamTest, AnAnswerAloneIsPlainJson) {
  const auto out = stream();
  out->start();
  EXPECT_FALSE(out->finished());
  out->answer("{}", 200);
  const auto said = exchange->said();
  EXPECT_FALSE(said.stream);
  EXPECT_EQ(said.body, "{}");
  EXPECT_EQ(header(said, "Content-Type"), "application/json");
  EXPECT_TRUE(out->finished());
}

TEST_F(StreamTest, WhoIsToComeBackLaterIsToldWhen) {
  stream()->answer(R"({"jsonrpc":"2.0","id":1,"error":{"code":429,"message":"m","data":{"retryAfterSeconds":40}}})", 429);
  EXPECT_EQ(exchange->said().status, 429);
  EXPECT_EQ(header(exchange->said(), "Retry-After"), "40");
  exchange = std::make_shared<FakeExchange>();
  stream()->answer(R"({"jsonrpc":"2.0","id":1,"error":{"code":429,"message":"m"}})", 429);
  EXPECT_EQ(header(exchange->said(), "Retry-After"), "1");
}

TEST_F(StreamTest, AnAnswerThatLetsWaitBecomesAStream) {
  house->times.patience = 1ms;
  const auto out = stream();
  out->start();
  exchange->wait_until([](const auto& said) { return said.stream; });
  out->answer("{}", 404);  // too late for a status
  EXPECT_EQ(exchange->said().body, "data: {}\n\n");
  EXPECT_EQ(exchange->said().status, 200);
  EXPECT_TRUE(exchange->said().complete);
}

TEST_F(StreamTest, AWaitingClientWithoutEventStreamsIsLeftWaiting) {
  house->times.patience = 1ms;
  http::StreamKind kind;
  kind.events = false;
  const auto out = stream(kind);
  out->start();
  out->send("{}");
  EXPECT_EQ(house->metrics.dropped, 1U);
  EXPECT_EQ(exchange->said().status, 0);
  out->answer("[]", 200);
  EXPECT_EQ(exchange->said().body, "[]");
}

TEST_F(StreamTest, QuietStreamsAreKeptAlive) {
  house->times.patience = 1ms;
  house->times.keep_alive = 1ms;
  const auto out = stream();
  out->start();
  exchange->wait_until([](const auto& said) { return said.body.starts_with(":\n\n:\n\n"); });
}

TEST_F(StreamTest, WhatTheConnectionHasNoRoomForWaitsAndIsDroppedInTheEnd) {
  house->times.again = 1h;
  const auto out = stream();
  out->send("1");
  exchange->fill(true);
  out->send("2");
  out->send("3");
  EXPECT_EQ(house->metrics.dropped, 0U);
  out->send("4");
  EXPECT_EQ(house->metrics.dropped, 1U);
  exchange->fill(false);
  out->answer("5", 200);
  EXPECT_EQ(exchange->said().body, "data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 5\n\n");
  EXPECT_TRUE(exchange->said().complete);
}

TEST_F(StreamTest, AnAnswerIsDeliveredHoweverFullTheConnectionIs) {
  auto out = stream();
  std::promise<bool> told;  // after the answer is complete, on the timer's thread
  auto finished = told.get_future();
  out->on_finished([&](bool client_left) { told.set_value(client_left); });
  out->send("1");
  exchange->fill(true);
  for (int i = 0; i < 10; ++i) out->send("x");
  out->answer("the answer", 200);
  EXPECT_FALSE(out->finished());
  EXPECT_EQ(finished.wait_for(0s), std::future_status::timeout);
  out.reset();  // nobody but the timer knows of it now
  exchange->fill(false);
  const auto said = exchange->wait_until([](const auto& now) { return now.complete; });
  EXPECT_EQ(said.body, "data: 1\n\ndata: x\n\ndata: x\n\ndata: the answer\n\n");
  ASSERT_EQ(finished.wait_for(30s), std::future_status::ready);
  EXPECT_FALSE(finished.get());
}

TEST_F(StreamTest, WithItsConnectionAStreamIsGone) {
  const auto out = stream();
  bool left = false;
  out->on_finished([&](bool client_left) { left = client_left; });
  out->start();
  out->send("1");
  EXPECT_EQ(house->metrics.streams, 1);
  exchange->leave();
  EXPECT_TRUE(left);
  EXPECT_TRUE(out->finished());
  EXPECT_EQ(house->metrics.streams, 0);
  out->answer("{}", 200);
  EXPECT_THAT(exchange->said().body, Not(HasSubstr("{}")));
}

TEST_F(StreamTest, AStreamThatIsPolledOutlivesItsConnection) {
  const auto out = stream(polled());
  out->start();
  out->send("1");
  exchange->leave();
  EXPECT_FALSE(out->finished());
  EXPECT_TRUE(out->offer("2"));
  out->answer("3", 200);
  EXPECT_TRUE(out->finished());
  EXPECT_FALSE(out->offer("4"));
  const auto again = std::make_shared<FakeExchange>();
  out->resume(again, 1);
  EXPECT_EQ(again->said().body, "id: 7-2\ndata: 2\n\nid: 7-3\ndata: 3\n\n");
  EXPECT_TRUE(again->said().complete);
  const auto all = std::make_shared<FakeExchange>();
  out->resume(all, 0);
  EXPECT_THAT(all->said().body, HasSubstr("id: 7-1\ndata: 1\n\n"));
}

TEST_F(StreamTest, BeforeItsFirstEventThereIsNothingToComeBackTo) {
  const auto out = stream(polled());
  out->start();
  exchange->leave();
  EXPECT_TRUE(out->finished());
  EXPECT_FALSE(out->can_resume());
}

TEST_F(StreamTest, WhoComesBackTakesTheStreamFromADeadConnection) {
  const auto out = stream(polled());
  out->start();
  out->send("1");
  const auto again = std::make_shared<FakeExchange>();
  out->resume(again, 1);
  EXPECT_TRUE(exchange->said().complete);
  exchange->leave();  // the old connection is found to be dead: nobody's business any more
  out->answer("2", 200);
  EXPECT_EQ(again->said().body, "id: 7-2\ndata: 2\n\n");
  EXPECT_EQ(house->metrics.streams, 0);
}

TEST_F(StreamTest, SendingAwayEndsTheConnectionBehindThePriming) {
  const auto out = stream(polled());
  out->release();
  EXPECT_EQ(exchange->said().body, "id: 7-0\nretry: 1000\ndata:\n\n");
  EXPECT_TRUE(exchange->said().complete);
  EXPECT_FALSE(out->finished());
}

TEST_F(StreamTest, SendingAwayIsNothingForThoseWhoCannotComeBack) {
  const auto out = stream();
  out->release();
  EXPECT_EQ(exchange->said().status, 0);
  out->answer("{}", 200);
  EXPECT_EQ(exchange->said().body, "{}");
}

TEST_F(StreamTest, AForgottenRequestIsStillAnswered) {
  stream().reset();
  EXPECT_EQ(exchange->said().status, 500);
}

// One of a session's streams waits for its client, then more do than may.
TEST_F(StreamTest, ASessionKeepsSoManyStreamsAndNoMore) {
  http::SessionsOptions options;
  options.streams = 2;
  auto now = std::chrono::steady_clock::time_point{};
  http::Streams streams(
      house, [&] { return now; }, options);
  const auto ended = [&] {
    http::StreamKind kind;
    kind.resumable = streams.next_number();
    const auto out = std::make_shared<http::Stream>(house, kind, std::make_shared<FakeExchange>());
    out->send("1");
    out->answer("2", 200);
    streams.add(out);
    return out;
  };
  const auto first = ended(), second = ended();
  EXPECT_EQ(streams.find(1), first);
  const auto third = ended();
  EXPECT_EQ(streams.find(1), nullptr);
  EXPECT_EQ(streams.find(2), second);
  EXPECT_EQ(streams.find(3), third);
  now += options.linger;
  streams.tidy();
  EXPECT_EQ(streams.find(3), nullptr);
}

TEST_F(StreamTest, ASessionKeepsSoManyBytesAndNoMore) {
  http::SessionsOptions options;
  options.stream_bytes = 100;
  http::Streams streams(
      house, [] { return std::chrono::steady_clock::time_point{}; }, options);
  for (int i = 0; i < 3; ++i) {
    http::StreamKind kind;
    kind.resumable = streams.next_number();
    const auto out = std::make_shared<http::Stream>(house, kind, std::make_shared<FakeExchange>());
    out->send(std::string(39, 'x'));
    out->answer("2", 200);
    streams.add(out);
  }
  EXPECT_EQ(streams.find(1), nullptr);
  EXPECT_NE(streams.find(2), nullptr);
  EXPECT_NE(streams.find(3), nullptr);
}

}  // namespace
}  // namespace plumbline::server::testing
