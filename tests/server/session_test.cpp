// What a transcript cannot show: bytes that are no text, bounds, threads.
#include <gtest/gtest.h>

#include "server/jsonrpc/reply.hpp"
#include "tests/server/harness.hpp"

namespace plumbline::server::testing {
namespace {

using nlohmann::json;

std::string error_of(const std::vector<std::string>& lines) {
  if (lines.size() != 1) return "expected one line, got " + std::to_string(lines.size());
  const json answer = json::parse(lines.front());
  return answer.value("id", json()).dump() + " " + answer["error"]["code"].dump() + " " +
         answer["error"]["message"].get<std::string>();
}

TEST(Session, RefusesInvalidUtf8AsAParseError) {
  Harness harness;
  EXPECT_EQ(error_of(harness.ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\xff\"}")),
            "null -32700 the line is not valid JSON: problem at byte 39");
  EXPECT_EQ(error_of(harness.ask(std::string("\0", 1))), "null -32700 the line is not valid JSON: problem at byte 1");
}

TEST(Session, BoundsNestingBeforeAnythingIsEchoed) {
  Harness harness;
  const auto nested = [](std::size_t levels) {
    return R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  EXPECT_EQ(error_of(harness.ask(nested(63))), "1 -32602 params must be an object");
  EXPECT_EQ(error_of(harness.ask(nested(64))), "null -32600 a message must nest at most 64 levels deep");
  Conversation wide(harness.host);
  EXPECT_EQ(error_of(wide.ask(std::string(10'000'000, '['))), "null -32600 a message must nest at most 64 levels deep");
}

TEST(Session, BoundsValuesBytesIdsAndBatches) {
  EXPECT_EQ(jsonrpc::read("[1,2,3]", {.values = 4}).error, std::nullopt);
  EXPECT_EQ(jsonrpc::read("[1,2,3]", {.values = 3}).error->message, "a message must hold at most 3 values");
  EXPECT_EQ(jsonrpc::read("[1,2,3]", {.line_bytes = 6}).error->message, "a message must have at most 6 bytes");
  EXPECT_EQ(jsonrpc::read("[1,2,3]", {.batch = 2}).error->message, "a batch must hold at most 2 messages");
  const std::string id(255, 'x');
  EXPECT_EQ(jsonrpc::read(R"({"jsonrpc":"2.0","id":")" + id + R"(","method":"ping"})").messages[0].error.message,
            "id must be a string or a 64-bit integer of at most 256 bytes");
}

TEST(Session, NamesTheBoundOfAnOversizedLine) {
  Harness harness;
  harness.conversation.on_oversized_line(64U << 20);
  EXPECT_EQ(error_of(harness.conversation.out->take()), "null -32600 a message must have at most 67108864 bytes");
}

TEST(Session, ShortensWhatItEchoes) {
  Harness harness;
  harness.ask(kInitialize);
  const std::string name = std::string(127, 'a') + "ü" + std::string(500, 'b');
  EXPECT_EQ(error_of(harness.ask(R"({"jsonrpc":"2.0","id":1,"method":")" + name + "\"}")),
            "1 -32601 unknown method \"" + std::string(127, 'a') + "…\"");
}

TEST(Session, AnswersPingListAndCancelWhileACallRuns) {
  std::latch started(1), release(1);
  mcp::Catalogue tools;
  tools.add(fixture::tool("slow", "", [&](std::string_view, const mcp::CallContext&) {
    started.count_down();
    release.wait();
    return mcp::ToolResult{"", "at last"};
  }));
  Threaded threaded(std::move(tools));
  Conversation session(threaded.host);
  session.on_line(kInitialize);
  EXPECT_EQ(threaded.pool.threads(), 0U) << "threads start with the first call";
  session.on_line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}})");
  started.wait();
  EXPECT_EQ(session.out->take().size(), 1U);
  session.on_line(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  session.on_line(R"({"jsonrpc":"2.0","id":3,"method":"tools/list"})");
  EXPECT_EQ(session.out->take().size(), 2U);
  EXPECT_FALSE(session.session.wait_idle(std::chrono::milliseconds(0)));
  release.count_down();
  EXPECT_EQ(session.out->wait_for(1).front(),
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"at last"}],"isError":false}})");
  EXPECT_TRUE(session.session.wait_idle(std::chrono::seconds(30)));
}

TEST(Session, TellsACancelledCallToStopAndSendsNothingMore) {
  std::latch started(1), cancelled(1), ended(1);
  mcp::Catalogue tools;
  tools.add(fixture::tool("patient", "", [&](std::string_view, const mcp::CallContext& context) {
    started.count_down();
    cancelled.wait();
    const bool told = context.cancelled->load();
    context.progress(1, 2, "too late");
    ended.count_down();
    return mcp::ToolResult{"", told ? "told" : "not told", !told};
  }));
  Threaded threaded(std::move(tools));
  Conversation session(threaded.host);
  session.on_line(kInitialize);
  (void)session.out->take();
  session.on_line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"patient","_meta":{"progressToken":0}}})");
  started.wait();
  session.on_line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  cancelled.count_down();
  ended.wait();
  EXPECT_TRUE(session.session.wait_idle(std::chrono::seconds(30)));
  EXPECT_TRUE(session.out->take().empty());
}

TEST(Session, AnswersEveryOneOfManyConcurrentCallsOnce) {
  Threaded threaded;
  Conversation session(threaded.host);
  session.on_line(kInitialize);
  (void)session.out->take();
  constexpr int kCalls = 200;
  for (int i = 0; i < kCalls; ++i) {
    const std::string text = std::to_string(i);
    session.on_line(R"({"jsonrpc":"2.0","id":)" + text +
                    R"(,"method":"tools/call","params":{"name":"echo","arguments":{"message":")" + text + R"("}}})");
  }
  std::vector<int> answers(kCalls);
  for (const std::string& line : session.out->wait_for(kCalls)) {
    const json answer = json::parse(line);
    const int id = answer["id"].get<int>();
    EXPECT_EQ(answer["result"]["content"][0]["text"], std::to_string(id));
    ++answers[static_cast<std::size_t>(id)];
  }
  EXPECT_EQ(answers, std::vector<int>(kCalls, 1));
  EXPECT_LE(threaded.pool.threads(), 4U);
}

TEST(Session, MayEndBeforeItsCalls) {
  std::latch started(1), release(1), ended(1);
  mcp::Catalogue tools;
  tools.add(fixture::tool("slow", "", [&](std::string_view, const mcp::CallContext& context) {
    started.count_down();
    release.wait();
    EXPECT_TRUE(context.cancelled->load());
    ended.count_down();
    return mcp::ToolResult{"", "nobody hears this"};
  }));
  Threaded threaded(std::move(tools));
  std::shared_ptr<Collector> out;
  {
    Conversation session(threaded.host);
    out = session.out;
    session.on_line(kInitialize);
    (void)out->take();
    session.on_line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}})");
    started.wait();
  }
  release.count_down();
  ended.wait();
  EXPECT_TRUE(out->take().empty());
}

TEST(Session, AnswersACallThatTheExecutorDrops) {
  Harness harness;
  harness.ask(kInitialize);
  harness.executor.hold = true;
  harness.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})");
  harness.conversation.session.cancel_all();
  harness.executor.drop();
  EXPECT_TRUE(harness.conversation.out->take().empty()) << "a call told to stop is not answered";
}

TEST(ReplyOnce, AnswersWhenItIsForgotten) {
  std::vector<std::string> lines;
  {
    const jsonrpc::ReplyOnce forgotten("7", [&](std::string line, int /*status*/) { lines.push_back(std::move(line)); });
  }
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(
      lines[0],
      R"({"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"the request was not answered: this is a fault of the server"}})");
}

TEST(ReplyOnce, AnswersOnceHoweverOftenItIsAsked) {
  std::vector<std::string> lines;
  {
    jsonrpc::ReplyOnce reply("\"a\"", [&](std::string line, int /*status*/) { lines.push_back(std::move(line)); });
    jsonrpc::ReplyOnce moved(std::move(reply));
    moved.result("{}");
    moved.error({-32603, "again", ""});
  }
  EXPECT_EQ(lines, std::vector<std::string>{R"({"jsonrpc":"2.0","id":"a","result":{}})"});
}

TEST(ProgressGate, RefillsTenASecondAndLetsTheLastStepThrough) {
  std::chrono::steady_clock::time_point now;
  mcp::ProgressGate gate([&] { return now; });
  int sent = 0;
  for (int i = 0; i < 50; ++i) sent += gate.admit(i, 1000) ? 1 : 0;
  EXPECT_EQ(sent, 10);
  now += std::chrono::milliseconds(250);
  for (int i = 50; i < 100; ++i) sent += gate.admit(i, 1000) ? 1 : 0;
  EXPECT_EQ(sent, 12);
  EXPECT_TRUE(gate.admit(1000, 1000));
  EXPECT_FALSE(gate.admit(1000, 1000)) << "never the same twice";
  EXPECT_FALSE(gate.admit(std::nan(""), 1000));
}

}  // namespace
}  // namespace plumbline::server::testing
