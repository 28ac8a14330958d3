// Who may come when there are many, and who has to go for it; no socket is needed for that.
#include <gmock/gmock.h>

#include "server/transport/network/connection.hpp"
#include "server/transport/network/descriptors.hpp"

namespace plumbline::server::transport::network {
namespace {

using ::testing::ElementsAre;

class NoStream final : public Stream {
 public:
  void open(std::function<void(std::string)>) override {}
  void read(char*, std::size_t, Done) override {}
  void write(const std::vector<std::string_view>&, Done) override {}
  void end(std::function<void()>) override {}
  void close() override {}
  [[nodiscard]] std::optional<std::string> certificate() const override { return std::nullopt; }
};

class Visitor final : public Connection {
 public:
  Visitor(Connections& home, Peer peer, std::optional<Idle> idle)
      : Connection(home, std::make_unique<NoStream>(), std::move(peer)), idle_(idle) {}
  void drain(milliseconds) override {}
  [[nodiscard]] std::optional<Idle> idle() const override { return idle_; }

 private:
  void opened() override {}
  void received(std::string_view) override {}
  void ended() override {}
  const std::optional<Idle> idle_;
};

Peer from(const std::string& place) { return {place + ":4711", place, place == "127.0.0.1", std::nullopt}; }
Peer local() { return {"pid 1", "unix", true, 0}; }

class Room : public ::testing::Test {
 protected:
  static NetworkLimits limits() {
    NetworkLimits made;
    made.connections = 4;
    made.connections_each = 2;
    made.unix_connections = 1;
    return made;
  }
  // `idle_for`: seconds; nothing: something runs.
  std::shared_ptr<Visitor> come(const Peer& peer, std::optional<double> idle_for = std::nullopt, bool has_asked = true) {
    std::optional<Connection::Idle> idle;
    if (idle_for) {
      const auto time = std::chrono::duration_cast<Connection::Time::duration>(std::chrono::duration<double>(*idle_for));
      idle = {std::chrono::steady_clock::now() - time, has_asked};
    }
    auto visitor = std::make_shared<Visitor>(home, peer, idle);
    home.add(visitor);
    visitor->open();
    return visitor;
  }
  [[nodiscard]] bool is_here(const std::shared_ptr<Visitor>& visitor) const { return home.all.count(visitor) == 1; }

  Reactor reactor;
  std::vector<std::string> told;
  Connections home{reactor, limits(), [this](const std::string& line) { told.push_back(line); }};
};

TEST_F(Room, IsForOneAddressOnlySoMuch) {
  come(from("192.0.2.1"));
  EXPECT_EQ(home.no_room_for(from("192.0.2.1")), std::nullopt);
  const auto second = come(from("192.0.2.1"));
  EXPECT_EQ(home.no_room_for(from("192.0.2.1")), 2U);
  EXPECT_EQ(home.no_room_for(from("192.0.2.2")), std::nullopt);
  second->close();
  EXPECT_EQ(home.no_room_for(from("192.0.2.1")), std::nullopt);
}

TEST_F(Room, IsForThisMachineAsMuchAsThereIs) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(home.no_room_for(from("127.0.0.1")), std::nullopt);
    come(from("127.0.0.1"));
  }
  EXPECT_EQ(home.no_room_for(from("127.0.0.1")), 4U);
  EXPECT_EQ(home.no_room_for(local()), std::nullopt) << "TCP takes nothing from Unix sockets";
  come(local());
  EXPECT_EQ(home.no_room_for(local()), 1U);
}

TEST_F(Room, IsMadeByWhoHasBeenIdleLongest) {
  const auto busy = come(from("127.0.0.1")), late = come(from("127.0.0.1"), 3), early = come(from("192.0.2.1"), 9);
  const auto unix_socket = come(local(), 99);
  come(from("127.0.0.1"));
  EXPECT_EQ(home.no_room_for(from("192.0.2.2")), std::nullopt);
  EXPECT_FALSE(is_here(early));
  EXPECT_TRUE(is_here(busy) && is_here(late) && is_here(unix_socket));
  EXPECT_EQ(home.traffic->evicted, 1U);
  EXPECT_THAT(told,
              ElementsAre("1 connection was closed to let others in, idle for 9.0 s (4 over TCP and HTTP are open, as many as "
                          "there may be)"));
}

TEST_F(Room, IsMadeFirstByWhoHasAskedForNothing) {
  const auto asked = come(from("127.0.0.1"), 99), silent = come(from("127.0.0.1"), 5, false);
  const auto silent_longer = come(from("192.0.2.1"), 7, false), just_come = come(from("192.0.2.1"), 0.1, false);
  EXPECT_EQ(home.no_room_for(from("192.0.2.2")), std::nullopt);
  EXPECT_FALSE(is_here(silent_longer));
  come(from("192.0.2.2"));
  EXPECT_EQ(home.no_room_for(from("192.0.2.2")), std::nullopt);
  EXPECT_FALSE(is_here(silent));
  come(from("192.0.2.2"));
  EXPECT_EQ(home.no_room_for(from("192.0.2.3")), std::nullopt);
  EXPECT_FALSE(is_here(asked)) << "whoever has just come is given the time to ask";
  EXPECT_TRUE(is_here(just_come));
}

TEST_F(Room, IsMadeByAnybodyWhenDescriptorsRunOut) {
  const auto tcp = come(from("127.0.0.1"), 5), unix_socket = come(local(), 9);
  EXPECT_TRUE(home.free_a_descriptor());
  EXPECT_FALSE(is_here(unix_socket));
  EXPECT_TRUE(home.free_a_descriptor());
  EXPECT_FALSE(is_here(tcp));
  come(from("127.0.0.1"));
  EXPECT_FALSE(home.free_a_descriptor()) << "something runs on the only one that is left";
}

TEST_F(Room, OfManyIsToldInOneLine) {
  for (int i = 0; i < 4; ++i) come(from("127.0.0.1"), 10 - i);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(home.free_a_descriptor());
  EXPECT_EQ(told.size(), 1U);
  home.evictions.end();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told.back(),
            "3 connections were closed to let others in, idle for 7.0 s to 9.0 s (no descriptors are left, with 1 open)");
}

TEST(Descriptors, LeaveRoomForFilesOfCalls) {
  EXPECT_EQ(connections_within(1024), 768U);
  EXPECT_EQ(connections_within(5376), 5120U);
  EXPECT_EQ(connections_within(100), 50U);
  EXPECT_EQ(connections_within(0), 2U);
}

TEST(Descriptors, AreSharedByTheKindsThatAreListenedTo) {
  const NetworkLimits all = fitted({}, 5376, true, true), both = fitted({}, 1024, true, true);
  EXPECT_EQ(all.connections, 4096U);
  EXPECT_EQ(all.unix_connections, 1024U);
  EXPECT_EQ(both.connections, 615U);
  EXPECT_EQ(both.unix_connections, 153U);
  EXPECT_EQ(fitted({}, 1024, true, false).connections, 768U);
  EXPECT_EQ(fitted({}, 1024, false, true).unix_connections, 768U);
  EXPECT_EQ(fitted({}, 1280, false, true).unix_connections, 1024U);
}

TEST_F(Room, OfOneAddressIsMadeByItsOwn) {
  const auto other = come(from("192.0.2.2"), 9), own = come(from("192.0.2.1"), 5);
  come(from("192.0.2.1"));
  EXPECT_EQ(home.no_room_for(from("192.0.2.1")), std::nullopt);
  EXPECT_FALSE(is_here(own));
  EXPECT_TRUE(is_here(other));
}

TEST(Shares, AreBoundedInAllAndEach) {
  Shares shares(10, 6);
  EXPECT_TRUE(shares.take("a", 6));
  EXPECT_FALSE(shares.take("a", 1));
  EXPECT_FALSE(shares.take("b", 5));
  EXPECT_TRUE(shares.take("b", 4));
  EXPECT_FALSE(shares.take("c", 1));
  EXPECT_TRUE(shares.take("c", 0));
  EXPECT_FALSE(shares.take("c", static_cast<std::size_t>(-1)));
  shares.give_back("a", 6);
  EXPECT_EQ(shares.taken(), 4U);
  EXPECT_EQ(shares.of("a"), 0U);
  {
    Share share(shares, "c");
    EXPECT_TRUE(share.take(2));
    EXPECT_TRUE(share.take(3));
    EXPECT_FALSE(share.take(2));
    EXPECT_EQ(share.amount(), 5U);
  }
  EXPECT_EQ(shares.taken(), 4U) << "a share ends with its owner";
}

}  // namespace
}  // namespace plumbline::server::transport::network
