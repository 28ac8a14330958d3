// Lines over Unix sockets, TCP and TLS: who gets in, what slow, silent, rude and vanished clients cost, and how it all ends.
#include "server/transport/network/network.hpp"

#include <gmock/gmock.h>
#include <openssl/err.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>

#include "tests/server/certificates.hpp"
#include "tests/server/networked.hpp"

namespace plumbline::server::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;
using transport::network::ListenOn;
using transport::network::NetworkOptions;
using transport::network::Speaks;
using transport::network::TlsFiles;

const std::string kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
const std::string kPong = R"({"jsonrpc":"2.0","id":1,"result":{}})";

std::string call(int id, const std::string& tool, const std::string& arguments = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":")" + tool +
         R"(","arguments":)" + arguments + "}}";
}

// Calls that run until they are let go.
struct Held {
  explicit Held(int calls) : begun(calls) {}
  mcp::Catalogue tools() {
    mcp::Catalogue made = session_tools();
    made.add(fixture::tool("held", "Runs until it is let go.", [this](std::string_view, const mcp::CallContext&) {
      begun.count_down();
      release.wait();
      return mcp::ToolResult{"", "at last"};
    }));
    return made;
  }
  std::latch begun, release{1};
};

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "plumbline-network-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
  fs::path path;
};

TEST(Lines, AreAnsweredOverEverySocket) {
  const Folder folder;
  const Networked server;
  const auto addresses =
      server.listen({{Speaks::lines, "127.0.0.1:0"}, {Speaks::lines, "127.0.0.1:0"}, {Speaks::lines, folder.file("s"), true}});
  ASSERT_EQ(addresses.size(), 3U);
  EXPECT_THAT(addresses[0], MatchesRegex("tcp://127\\.0\\.0\\.1:[1-9][0-9]*"));
  EXPECT_NE(addresses[0], addresses[1]);
  EXPECT_EQ(addresses[2], "unix:" + folder.file("s"));
  for (const std::string& address : addresses) {
    Client client(address);
    client.send(kPing + "\n");
    EXPECT_EQ(client.line(), kPong);
  }
  EXPECT_EQ(server.network->traffic().accepted, 3U);
  EXPECT_EQ(server.network->traffic().requests, 3U);
}

TEST(Lines, MayComeByteByByte) {
  const Networked server;
  Client client(server.tcp());
  client.send(kInitialize + "\n\r\n" + call(1, "echo", R"({"message":"é€𝄞"})") + "\r\n", 1);
  EXPECT_THAT(client.line(), HasSubstr("2025-11-25"));
  EXPECT_THAT(client.line(), HasSubstr("é€𝄞"));
}

TEST(Lines, ThatAreTooLongOrBrokenAreSaidToBe) {
  NetworkOptions options;
  options.limits.message.line_bytes = 100;
  const Networked server(options);
  Client client(server.tcp());
  client.send(std::string(101, 'x') + "\n{\n" + kPing + "\n");
  EXPECT_EQ(client.line(), R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"a message must have at most 100 bytes"}})");
  EXPECT_THAT(client.line(), HasSubstr("-32700"));
  EXPECT_EQ(client.line(), kPong);
  EXPECT_EQ(server.network->traffic().faults, 2U);
}

TEST(Lines, AreAnsweredAfterTheClientHasSaidItsLast) {
  std::latch started(1), release(1);
  mcp::Catalogue tools;
  tools.add(fixture::tool("slow", "", [&](std::string_view, const mcp::CallContext&) {
    started.count_down();
    release.wait();
    return mcp::ToolResult{"", "at last"};
  }));
  NetworkOptions options;
  options.limits.finish = 30s;
  const Networked server(options, echo, std::move(tools));
  Client client(server.tcp());
  client.send(kInitialize + "\n" + call(1, "slow"));  // the last line has no newline
  client.end_input();
  started.wait();
  release.count_down();
  EXPECT_THAT(client.rest(), HasSubstr("at last"));
}

TEST(Lines, OfAClientThatVanishesHoldNothing) {
  const Networked server;
  const std::string address = server.tcp();
  Client client(address);
  client.send(kPing + "\n" + kPing.substr(0, 10));
  EXPECT_EQ(client.line(), kPong);
  client.reset();
  Client next(address);
  next.send(kPing + "\n");
  EXPECT_EQ(next.line(), kPong);
  server.network->drain(0ms);
  EXPECT_EQ(server.network->traffic().open, 0U);
}

TEST(Lines, AreNotReadWhileAnswersWait) {
  constexpr int kAsked = 1000;
  const Folder folder;
  NetworkOptions options;
  options.limits.queue_bytes = 16U << 10;
  const Networked server(options);
  Client client(server.unix_socket(folder.file("s")));
  client.send(kInitialize + "\n");
  EXPECT_THAT(client.line(), HasSubstr("protocolVersion"));
  std::string requests;
  for (int i = 0; i < kAsked; ++i) {
    requests += R"({"jsonrpc":"2.0","id":)" + std::to_string(i) + R"(,"method":"tools/list"})" + "\n";
  }
  client.send(requests);
  EXPECT_THAT(client.line(), StartsWith(R"({"jsonrpc":"2.0","id":0,)"));
  EXPECT_LT(server.network->traffic().requests, static_cast<std::uint64_t>(kAsked));
  for (int i = 1; i < kAsked; ++i) {
    ASSERT_THAT(client.line(), StartsWith(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) + ","));
  }
}

TEST(Lines, OfAClientThatDoesNotReadAreCutOff) {
  const Folder folder;
  NetworkOptions options;
  options.limits.queue_bytes = 16U << 10;
  options.limits.write = 20ms;
  const Networked server(options);
  const Client client(server.unix_socket(folder.file("s")));
  std::string requests = kInitialize + "\n";
  for (int i = 0; i < 1000; ++i) requests += R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})" + std::string("\n");
  client.send(requests);
  EXPECT_TRUE(client.wait_for_hangup());
}

TEST(Lines, OfASilentClientEnd) {
  NetworkOptions options;
  options.limits.idle_tcp = 20ms;
  const Networked server(options);
  Client client(server.tcp());
  EXPECT_TRUE(client.at_end());
}

TEST(Lines, OfASilentClientWhoseCallRunsGoOn) {
  std::latch silent(1);
  mcp::Catalogue tools;
  tools.add(fixture::tool("slow", "", [&](std::string_view, const mcp::CallContext&) {
    silent.wait();
    return mcp::ToolResult{"", "at last"};
  }));
  NetworkOptions options;
  options.limits.idle_tcp = 20ms;
  const Networked server(options, echo, std::move(tools));
  const std::string address = server.tcp();
  Client busy(address);
  busy.send(kInitialize + "\n" + call(1, "slow") + "\n");
  EXPECT_THAT(busy.line(), HasSubstr("protocolVersion"));
  EXPECT_TRUE(Client(address).at_end()) << "another one, which says nothing, has been silent for the time by then";
  silent.count_down();
  EXPECT_THAT(busy.line(), HasSubstr("at last"));
  EXPECT_TRUE(busy.at_end());
}

TEST(Lines, BeyondTheLimitAreToldSo) {
  NetworkOptions options;
  options.limits.connections = 1;
  Held held(1);
  const Networked server(options, echo, held.tools());
  const std::string address = server.tcp();
  Client first(address);
  first.send(kInitialize + "\n" + call(1, "held") + "\n");
  held.begun.wait();
  Client second(address);
  EXPECT_EQ(second.rest(), R"({"jsonrpc":"2.0","error":{"code":503,"message":"1 connections are open: try again later"}})"
                           "\n");
  EXPECT_EQ(server.network->traffic().refused, 1U);
  held.release.count_down();
  EXPECT_THAT(first.line(), HasSubstr("protocolVersion"));
  EXPECT_THAT(first.line(), HasSubstr("at last"));
}

TEST(Lines, OnAUnixSocketAreNotRefusedForThoseOnTcp) {
  NetworkOptions options;
  options.limits.connections = 1;
  options.limits.unix_connections = 1;
  const Folder folder;
  Held held(2);
  const Networked server(options, echo, held.tools());
  const auto addresses = server.listen(
      {{transport::network::Speaks::lines, "127.0.0.1:0"}, {transport::network::Speaks::lines, folder.file("s"), true}});
  Client tcp(addresses[0]), local(addresses[1]);
  for (Client* client : {&tcp, &local}) client->send(kInitialize + "\n" + call(1, "held") + "\n");
  held.begun.wait();
  for (const std::string& address : addresses) EXPECT_THAT(Client(address).rest(), HasSubstr("1 connections are open"));
  held.release.count_down();
}

// A service manager's socket listens before the server is there: nobody may be told that it is not ready yet.
TEST(Lines, ThatCameBeforeTheDoorsOpenedAreAnswered) {
  const Networked server;
  const auto addresses = server.network->listen({{Speaks::lines, "127.0.0.1:0"}});
  ASSERT_TRUE(addresses);
  Client early(addresses->front());
  early.send(kPing + "\n");
  EXPECT_EQ(server.network->traffic().accepted, 0U);
  server.network->open_doors();
  EXPECT_EQ(early.line(), kPong);
}

TEST(Lines, ThatAreIdleMakeRoomTheIdlestFirst) {
  NetworkOptions options;
  options.limits.connections = 2;
  std::vector<std::string> told;
  options.tell = [&](const std::string& line) { told.push_back(line); };
  {
    const Networked server(options);
    const std::string address = server.tcp();
    Client first(address), second(address);
    for (Client* client : {&first, &second, &first}) {
      client->send(kPing + "\n");
      EXPECT_EQ(client->line(), kPong);
    }
    Client third(address);
    EXPECT_TRUE(second.at_end());
    for (Client* client : {&third, &first}) {
      client->send(kPing + "\n");
      EXPECT_EQ(client->line(), kPong);
    }
    EXPECT_EQ(server.network->traffic().evicted, 1U);
    EXPECT_EQ(server.network->traffic().refused, 0U);
  }
  EXPECT_THAT(told, ElementsAre(HasSubstr("1 connection was closed to let others in")));
}

TEST(Lines, ThatHaveNotBegunMakeRoom) {
  NetworkOptions options;
  options.limits.connections = 1;
  const Networked server(options);
  const std::string address = server.tcp();
  Client silent(address), speaks(address);
  EXPECT_TRUE(silent.at_end());
  speaks.send(kPing + "\n");
  EXPECT_EQ(speaks.line(), kPong);
}

TEST(Lines, ThatAreUnfinishedHoldOnlySoMuchTogether) {
  NetworkOptions options;
  options.limits.held_each = 1000;
  const Networked server(options);
  const std::string address = server.tcp();
  Client first(address), second(address);
  const std::string start = R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":")" + std::string(800, 'a');
  first.send(kPing + "\n" + start);
  EXPECT_EQ(first.line(), kPong) << "what follows it has come";
  second.send(start);
  EXPECT_THAT(second.line(), HasSubstr("a message must have at most 10485760 bytes"));
  second.send("\"}}\n" + kPing + "\n");
  EXPECT_EQ(second.line(), kPong) << "the conversation goes on";
  first.send("\"}}\n");
  EXPECT_EQ(first.line(), kPong);
}

TEST(Lines, AreFinishedWhenTheServerEnds) {
  std::latch started(1), release(1);
  mcp::Catalogue tools;
  tools.add(fixture::tool("slow", "", [&](std::string_view, const mcp::CallContext&) {
    started.count_down();
    release.wait();
    return mcp::ToolResult{"", "at last"};
  }));
  const Folder folder;
  const Networked server({}, echo, std::move(tools));
  const std::string address = server.unix_socket(folder.file("s"));
  Client busy(address), idle(address);
  busy.send(kInitialize + "\n" + call(1, "slow") + "\n");
  idle.send(kPing + "\n");
  EXPECT_EQ(idle.line(), kPong);
  started.wait();
  std::thread ending([&] { server.network->drain(30s); });
  EXPECT_TRUE(idle.at_end());
  release.count_down();
  EXPECT_THAT(busy.rest(), HasSubstr("at last"));
  ending.join();
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder.file("s"))));
}

TEST(Lines, AreCutWhenTheServerCannotWait) {
  std::latch started(1);
  mcp::Catalogue tools;
  tools.add(fixture::tool("endless", "", [&](std::string_view, const mcp::CallContext& context) {
    started.count_down();
    while (!context.cancelled->load()) std::this_thread::yield();
    return mcp::ToolResult{"", "never seen"};
  }));
  const Networked server({}, echo, std::move(tools));
  Client client(server.tcp());
  client.send(kInitialize + "\n" + call(1, "endless") + "\n");
  started.wait();
  server.network->drain(0ms);
  EXPECT_THAT(client.rest(), ::testing::Not(HasSubstr("never seen")));
}

class Token : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder.file("tokens")) << "ci " << kToken << "\n";
    fs::permissions(folder.file("tokens"), fs::perms::owner_read);
    auto loaded = access::Tokens::load(folder.file("tokens"));
    ASSERT_TRUE(loaded) << loaded.error().message;
    tokens = std::move(*loaded);
    options.tokens = tokens.get();
  }
  static std::string authorize(const std::string& token) {
    return R"({"jsonrpc":"2.0","id":"a","method":"plumbline/authorize","params":{"token":")" + token + "\"}}\n";
  }
  const std::string kToken = "0123456789abcdef-secret";
  const std::string kFirst =
      R"({"jsonrpc":"2.0","id":1,"error":{"code":401,"message":"unauthorized: send plumbline/authorize with a token first"}})";
  Folder folder;
  std::unique_ptr<access::Tokens> tokens;
  NetworkOptions options;
};

TEST_F(Token, ComesFirst) {
  const Networked server(options);
  Client client(server.tcp());
  client.send(kPing + "\n");
  EXPECT_EQ(client.line(), kFirst);
  client.send(authorize("a wrong one, but long enough"));
  EXPECT_EQ(client.line(),
            R"({"jsonrpc":"2.0","id":"a","error":{"code":401,"message":"unauthorized: the token is none of ours"}})");
  client.send(authorize(kToken) + kPing + "\n", 1);
  EXPECT_EQ(client.line(), R"({"jsonrpc":"2.0","id":"a","result":{}})");
  EXPECT_EQ(client.line(), kPong);
  EXPECT_EQ(server.network->traffic().faults, 2U);
}

TEST_F(Token, IsAskedForThreeTimes) {
  const Networked server(options);
  Client client(server.tcp());
  client.send(kPing + "\n" + R"({"jsonrpc":"2.0","method":"notifications/initialized"})" + "\nnonsense\n" + authorize(kToken));
  EXPECT_EQ(client.line(), kFirst);
  EXPECT_EQ(client.rest(),
            R"({"jsonrpc":"2.0","error":{"code":401,"message":"unauthorized: send plumbline/authorize with a token first"}})"
            "\n");
}

TEST_F(Token, MustBeAString) {
  const Networked server(options);
  Client client(server.tcp());
  for (const std::string params : {R"({"token":1})", R"({})", R"(["x"])"}) {
    client.send(R"({"jsonrpc":"2.0","id":1,"method":"plumbline/authorize","params":)" + params + "}\n");
    EXPECT_EQ(client.line(),
              R"({"jsonrpc":"2.0","id":1,"error":{"code":401,"message":"unauthorized: params.token must be a string"}})");
  }
}

TEST_F(Token, IsWaitedForOnlySoLong) {
  options.limits.handshake = 20ms;
  const Networked server(options);
  Client client(server.tcp());
  EXPECT_TRUE(client.at_end());
}

TEST_F(Token, IsBoundedBeforeItIsRead) {
  const Networked server(options);
  Client client(server.tcp());
  client.send(authorize(std::string(20'000, 'x')));
  EXPECT_EQ(client.line(),
            R"({"jsonrpc":"2.0","error":{"code":401,"message":"unauthorized: before that a message must have at most )"
            R"(16384 bytes"}})");
}

TEST_F(Token, IsNotNeededOnAUnixSocket) {
  const Networked server(options);
  Client client(server.unix_socket(folder.file("s")));
  client.send(kPing + "\n");
  EXPECT_EQ(client.line(), kPong);
}

TEST_F(Token, IsWhatOtherMachinesNeed) {
  const Networked open;
  const auto refused = open.network->listen({{Speaks::lines, "0.0.0.0:0"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::ErrorCode::usage);
  EXPECT_THAT(refused.error().message,
              MatchesRegex("0\\.0\\.0\\.0:[0-9]+ can be reached from other machines: that needs credentials"));
  EXPECT_FALSE(open.network->listen({{Speaks::http, "0.0.0.0:0"}}));
  const Networked guarded(options);
  EXPECT_TRUE(guarded.network->listen({{Speaks::lines, "0.0.0.0:0"}}));
}

TEST(Network, BindsAllOrNothing) {
  const Folder folder;
  const Networked server;
  EXPECT_FALSE(server.network->listen({{Speaks::lines, folder.file("s"), true}, {Speaks::http, "nonsense"}}));
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder.file("s"))));
}

class Tls : public ::testing::Test {
 protected:
  NetworkOptions with(const std::string& client_ca = {}) const {
    NetworkOptions options;
    options.tls = TlsFiles{own.certificate, own.key, client_ca};
    return options;
  }
  Folder folder;
  Identified own{folder.path, "server"};
  Identified agent{folder.path, "agent"};
};

TEST_F(Tls, CarriesLines) {
  const Networked server(with());
  const std::string address = server.tcp();
  EXPECT_THAT(address, StartsWith("tls://127.0.0.1:"));
  const ClientContext context = client_context(own);
  Client client(address);
  ASSERT_TRUE(client.secure(context.get()));
  client.send(kInitialize + "\n" + kPing + "\n", 1);
  EXPECT_THAT(client.line(), HasSubstr("protocolVersion"));
  EXPECT_EQ(client.line(), kPong);
}

TEST_F(Tls, CarriesMuch) {
  const Networked server(with());
  const ClientContext context = client_context(own);
  Client client(server.tcp());
  ASSERT_TRUE(client.secure(context.get()));
  const std::string message(1'000'000, 'm');
  client.send(kInitialize + "\n" + call(1, "echo", R"({"message":")" + message + "\"}") + "\n");
  EXPECT_THAT(client.line(), HasSubstr("protocolVersion"));
  EXPECT_NE(client.line().find(message), std::string::npos);
}

TEST_F(Tls, IsTls12OrLater) {
  const Networked server(with());
  const std::string address = server.tcp();
  for (const int version : {TLS1_1_VERSION, TLS1_2_VERSION, TLS1_3_VERSION}) {
    const ClientContext context = client_context(own);
    SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_min_proto_version(context.get(), version);
    SSL_CTX_set_max_proto_version(context.get(), version);
    Client client(address);
    ERR_clear_error();
    EXPECT_EQ(client.secure(context.get()), version != TLS1_1_VERSION);
    EXPECT_EQ(ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, version == TLS1_1_VERSION);
  }
}

TEST_F(Tls, DoesNotWaitForAHandshakeForEver) {
  NetworkOptions options = with();
  options.limits.handshake = 20ms;
  const Networked server(options);
  Client client(server.tcp());
  EXPECT_TRUE(client.at_end());
}

TEST_F(Tls, SurvivesWhatIsNoHandshake) {
  const Networked server(with());
  const std::string address = server.tcp();
  Client client(address);
  client.send(kPing + "\n");
  static_cast<void>(client.rest());  // an alert
  EXPECT_EQ(server.network->traffic().faults, 1U);
  const ClientContext context = client_context(own);
  EXPECT_TRUE(Client(address).secure(context.get()));
}

TEST_F(Tls, KnowsClientsByTheirCertificates) {
  std::string seen;
  const Networked server(with(agent.certificate), [&](const auto& request, const auto& exchange) {
    seen = request.certificate.value_or("nobody");
    EXPECT_TRUE(request.secure);
    exchange->reply(204, {}, "");
  });
  const std::string address = server.http();
  const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  const ClientContext nobody = client_context(own);
  Client stranger(address);
  static_cast<void>(stranger.secure(nobody.get()));  // in TLS 1.3 the client is done before the server has looked
  stranger.send(get);
  EXPECT_TRUE(stranger.at_end());

  const Identified foreign(folder.path, "foreign");
  const ClientContext other = client_context(own, &foreign);
  Client impostor(address);
  static_cast<void>(impostor.secure(other.get()));
  impostor.send(get);
  EXPECT_TRUE(impostor.at_end());
  EXPECT_EQ(seen, "");

  const ClientContext known = client_context(own, &agent);
  Client client(address);
  ASSERT_TRUE(client.secure(known.get()));
  client.send(get);
  EXPECT_THAT(client.response(), StartsWith("HTTP/1.1 204 No Content\r\n"));
  EXPECT_EQ(seen, "agent");
}

TEST_F(Tls, TakesANewCertificateForConnectionsToCome) {
  const Networked server(with());
  const std::string address = server.tcp();
  const ClientContext old_context = client_context(own);
  Client before(address);
  ASSERT_TRUE(before.secure(old_context.get()));

  const Identified renewed(folder.path, "renewed");
  fs::rename(renewed.certificate, own.certificate);
  const auto half = server.network->reload_tls();
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().message, own.key + ": the key does not belong to the certificate in " + own.certificate);
  EXPECT_TRUE(Client(address).secure(old_context.get())) << "what is not acceptable changes nothing";

  fs::rename(renewed.key, own.key);
  ASSERT_TRUE(server.network->reload_tls());
  const ClientContext new_context = client_context(own);
  EXPECT_TRUE(Client(address).secure(new_context.get()));
  EXPECT_FALSE(Client(address).secure(old_context.get()));
  before.send(kPing + "\n");
  EXPECT_EQ(before.line(), kPong);
}

TEST_F(Tls, SaysWhichFileIsWrongAndWhy) {
  const auto problem = [&](const TlsFiles& files) {
    NetworkOptions options;
    options.tls = files;
    const Networked server(options);
    const auto listening = server.network->listen({{Speaks::lines, "127.0.0.1:0"}});
    return listening ? std::string("none") : listening.error().message;
  };
  const std::string empty = folder.file("empty");
  std::ofstream(empty) << "nothing\n";
  fs::permissions(empty, fs::perms::owner_read);
  const std::string absent = folder.file("absent");
  EXPECT_EQ(problem({own.certificate, own.key, agent.certificate}), "none");
  EXPECT_EQ(problem({absent, own.key, ""}), "cannot read " + absent + ": No such file or directory");
  EXPECT_EQ(problem({own.certificate, absent, ""}), "cannot read " + absent + ": No such file or directory");
  EXPECT_EQ(problem({own.certificate, own.key, absent}), "cannot read " + absent + ": No such file or directory");
  EXPECT_EQ(problem({empty, own.key, ""}), empty + ": there is no certificate in it");
  EXPECT_EQ(problem({own.certificate, empty, ""}), empty + ": there is no private key in it");
  EXPECT_EQ(problem({own.certificate, own.key, empty}), empty + ": there is no certificate in it");
  EXPECT_EQ(problem({own.certificate, agent.key, ""}),
            agent.key + ": the key does not belong to the certificate in " + own.certificate);
  fs::permissions(own.key, fs::perms::group_read, fs::perm_options::add);
  EXPECT_EQ(problem({own.certificate, own.key, ""}), own.key + " can be read or changed by other accounts (mode 0640)");
}

TEST_F(Tls, DoesNotAskForAPassphrase) {
  const std::string locked = folder.file("locked.key");
  EVP_PKEY* pair = EVP_EC_gen("P-256");
  std::FILE* file = std::fopen(locked.c_str(), "w");
  PEM_write_PKCS8PrivateKey(file, pair, EVP_aes_256_cbc(), "secret", 6, nullptr, nullptr);
  std::fclose(file);
  EVP_PKEY_free(pair);
  fs::permissions(locked, fs::perms::owner_read);
  const auto loaded = transport::network::TlsContext::load({own.certificate, locked, ""});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().message, locked + ": the key is protected by a passphrase");
}

}  // namespace
}  // namespace plumbline::server::testing
