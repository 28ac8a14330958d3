// What a store of tasks promises, apart from any session; the protocol around it is in transcripts/tasks*.txt.
#include "server/mcp/tasks.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace plumbline::server::mcp {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

struct Tasks : ::testing::Test {
  std::chrono::system_clock::time_point now{};
  TaskStore store{[this] { return now; }, 3};

  std::string create(const std::string& owner = "ada") { return store.create(owner, {}).value(); }
  json shown(const std::string& id, const std::string& owner = "ada") {
    return json::parse("{" + store.get(owner, id).value() + "}");
  }
};

TEST_F(Tasks, HaveAFaceFromTheirFirstMoment) {
  now += 1234567890123ms;
  const std::string id = create();
  EXPECT_EQ(json::parse("{" + store.created(id) + "}"), shown(id));
  EXPECT_EQ(shown(id), (json{{"taskId", id},
                             {"status", "working"},
                             {"createdAt", "2009-02-13T23:31:30.123Z"},
                             {"lastUpdatedAt", "2009-02-13T23:31:30.123Z"},
                             {"ttlMs", 3600000},
                             {"pollIntervalMs", 1000}}));
}

TEST_F(Tasks, KeepTheirResultOutOfTheAnswerThatCreatesThem) {
  const std::string id = create();
  store.complete(id, R"({"content":[]})");
  EXPECT_FALSE(json::parse("{" + store.created(id) + "}").contains("result"));
  EXPECT_EQ(shown(id)["result"], R"({"content":[]})"_json);
}

TEST_F(Tasks, DoNotExistForOthers) {
  const std::string id = create("ada");
  for (const auto& answer :
       {store.get("bob", id).error(), store.cancel("bob", id).error(), store.update("bob", id, {}).error()}) {
    EXPECT_EQ(answer.code, -32602);
    EXPECT_EQ(answer.message, "unknown task \"" + id + "\": it never was, belongs to another client, or its time is over");
  }
  EXPECT_FALSE(store.known("bob", id));
  EXPECT_EQ(shown(id)["status"], "working");
}

TEST_F(Tasks, HaveIdsThatAreNotGuessed) {
  std::set<std::string> ids;
  for (int i = 0; i < 3; ++i) ids.insert(create());
  EXPECT_EQ(ids.size(), 3U);
  for (const std::string& id : ids) EXPECT_EQ(id.size(), 32U) << "24 random bytes in base64url";
}

TEST_F(Tasks, EndOnce) {
  const std::string id = create();
  store.fail(id, {-32603, "broken", ""});
  store.complete(id, "{}");
  store.go_on(id);
  EXPECT_TRUE(store.cancel("ada", id));
  EXPECT_EQ(shown(id)["status"], "failed");
  EXPECT_EQ(shown(id)["statusMessage"], "broken");
  EXPECT_EQ(shown(id)["error"], (json{{"code", -32603}, {"message", "broken"}}));
}

TEST_F(Tasks, SayWhatTheyAreDoingWhileTheyWork) {
  const std::string id = create();
  store.message(id, std::string(1000, 'x'));
  EXPECT_LT(shown(id)["statusMessage"].get<std::string>().size(), 300U);
  store.complete(id, "{}");
  store.message(id, "late");
  EXPECT_NE(shown(id)["statusMessage"], "late");
}

TEST_F(Tasks, TakeAnswersOnlyWhileTheyAsk) {
  int answers = 0;
  const std::string id = store
                             .create("ada", {nullptr,
                                             [&](const json&) {
                                               ++answers;
                                               return tl::expected<void, jsonrpc::RpcError>();
                                             }})
                             .value();
  EXPECT_TRUE(store.update("ada", id, json::object()));
  EXPECT_EQ(answers, 0);
  store.ask(id, R"({"name":{}})");
  EXPECT_EQ(shown(id)["inputRequests"], R"({"name":{}})"_json);
  EXPECT_TRUE(store.update("ada", id, json::object()));
  store.go_on(id);
  EXPECT_TRUE(store.update("ada", id, json::object()));
  EXPECT_EQ(answers, 1);
  EXPECT_FALSE(shown(id).contains("inputRequests"));
}

TEST_F(Tasks, MakeRoomForNewOnesWhenTheyHaveEnded) {
  const std::string first = create();
  const std::string second = create();
  const std::string third = create();
  EXPECT_FALSE(store.create("ada", {})) << "what works is never dropped";
  store.complete(second, "{}");
  now += 1s;
  store.complete(first, "{}");
  const std::string fourth = create();
  EXPECT_FALSE(store.known("ada", second)) << "the one that ended first";
  for (const std::string& id : {first, third, fourth}) EXPECT_TRUE(store.known("ada", id));
}

TEST_F(Tasks, AreForgottenAnHourAfterTheyBeganButNotSoonAfterTheyEnd) {
  const std::string brief = create();
  const std::string lengthy = create();
  const std::string working = create();
  store.complete(brief, "{}");
  now += 59min;
  EXPECT_TRUE(store.known("ada", brief));
  now += 2min;
  store.complete(lengthy, "{}");
  EXPECT_FALSE(store.known("ada", brief));
  now += 9min;
  EXPECT_TRUE(store.known("ada", lengthy));
  now += 2min;
  EXPECT_FALSE(store.known("ada", lengthy));
  EXPECT_TRUE(store.known("ada", working));
}

TEST_F(Tasks, TellOfEveryChange) {
  std::vector<std::string> told;
  store.on_change([&](const std::string&, const std::string& members) {
    told.push_back(json::parse("{" + members + "}")["status"].get<std::string>());
  });
  const std::string id = create();
  store.ask(id, "{}");
  store.go_on(id);
  EXPECT_TRUE(store.cancel("ada", id));
  EXPECT_TRUE(store.cancel("ada", id));
  EXPECT_EQ(told, (std::vector<std::string>{"input_required", "working", "cancelled"}));
}

}  // namespace
}  // namespace plumbline::server::mcp
