// Who may come when there are many, and who has to go for it; no socket is needed for that.
#include <gtest/gtest.h>

#include "server/transport/network/connection.hpp"

namespace plumbline::server::transport::network {
namespace {

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
  Visitor(Connections& home, Peer peer, std::optional<Time> idle)
      : Connection(home, std::make_unique<NoStream>(), std::move(peer)), idle_(idle) {}
  void drain(milliseconds) override {}
  [[nodiscard]] std::optional<Time> idle_since() const override { return idle_; }

 private:
  void opened() override {}
  void received(std::string_view) override {}
  void ended() override {}
  const std::optional<Time> idle_;
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
  // `idle_since`: seconds; nothing: something runs.
  std::shared_ptr<Visitor> come(const Peer& peer, std::optional<int> idle_since = std::nullopt) {
    std::optional<Connection::Time> since;
    if (idle_since) since = Connection::Time(std::chrono::seconds(*idle_since));
    auto visitor = std::make_shared<Visitor>(home, peer, since);
    home.add(visitor);
    visitor->open();
    return visitor;
  }
  [[nodiscard]] bool is_here(const std::shared_ptr<Visitor>& visitor) const { return home.all.count(visitor) == 1; }

  Reactor reactor;
  Connections home{reactor, limits()};
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
  const auto busy = come(from("127.0.0.1")), late = come(from("127.0.0.1"), 9), early = come(from("192.0.2.1"), 3);
  const auto unix_socket = come(local(), 1);
  come(from("127.0.0.1"));
  EXPECT_EQ(home.no_room_for(from("192.0.2.2")), std::nullopt);
  EXPECT_FALSE(is_here(early));
  EXPECT_TRUE(is_here(busy) && is_here(late) && is_here(unix_socket));
}

TEST_F(Room, OfOneAddressIsMadeByItsOwn) {
  const auto other = come(from("192.0.2.2"), 1), own = come(from("192.0.2.1"), 5);
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
