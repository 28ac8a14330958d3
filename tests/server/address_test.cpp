// Where a server listens: addresses as they are written, and Unix sockets that nobody else can use or lose.
#include "server/transport/network/address.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace plumbline::server::transport::network {
namespace {

namespace fs = std::filesystem;

TEST(Address, IsHostAndPort) {
  struct Case {
    std::string text, host;
    int port;
  };
  for (const Case& each : std::vector<Case>{{"127.0.0.1:4711", "127.0.0.1", 4711},
                                            {"[::1]:0", "::1", 0},
                                            {"LocalHost:65535", "localhost", 65535},
                                            {"node-7.cluster:80", "node-7.cluster", 80}}) {
    const auto address = parse_host_port(each.text);
    ASSERT_TRUE(address) << address.error().message;
    EXPECT_EQ(address->host, each.host);
    EXPECT_EQ(address->port, each.port);
  }
}

TEST(Address, SaysWhatIsWrong) {
  struct Case {
    std::string text, message;
  };
  for (const Case& each :
       std::vector<Case>{{"4711", "\"4711\" is not HOST:PORT: there is no port"},
                         {"localhost", "\"localhost\" is not HOST:PORT: there is no port"},
                         {"localhost:", "\"localhost:\" is not HOST:PORT: a port is a number from 0 to 65535"},
                         {"localhost:65536", "\"localhost:65536\" is not HOST:PORT: a port is a number from 0 to 65535"},
                         {"localhost:-1", "\"localhost:-1\" is not HOST:PORT: a port is a number from 0 to 65535"},
                         {"localhost:http", "\"localhost:http\" is not HOST:PORT: a port is a number from 0 to 65535"},
                         {":80", "\":80\" is not HOST:PORT: there is no host; 0.0.0.0 means every IPv4 address of this machine"},
                         {"::1:80", "\"::1:80\" is not HOST:PORT: an IPv6 address needs brackets"},
                         {"[::1", "\"[::1\" is not HOST:PORT: an IPv6 address needs brackets"},
                         {"[x]:1", "\"[x]:1\" is not HOST:PORT: between the brackets there is no IPv6 address"}}) {
    const auto address = parse_host_port(each.text);
    ASSERT_FALSE(address) << each.text;
    EXPECT_EQ(address.error().message, each.message);
    EXPECT_EQ(address.error().hint, "for example 127.0.0.1:4711, [::1]:4711, or localhost:0 to have a free port chosen");
  }
}

TEST(Address, OfASocketFileIsBounded) {
  EXPECT_EQ(parse_socket_path("/" + std::string(106, 'a'))->path.size(), 107U);
  const std::string longer = "/" + std::string(107, 'a');
  EXPECT_EQ(parse_socket_path(longer).error().message, "the path of a socket has at most 107 bytes, " + longer + " has 108");
  EXPECT_EQ(parse_socket_path("").error().message, "\"\" is not the path of a socket");
  EXPECT_EQ(parse_socket_path("a/b").value().path, (fs::current_path() / "a/b").string());
}

TEST(Tcp, ReportsThePortThatWasChosen) {
  auto sockets = listen_on({"", "127.0.0.1", 0});
  ASSERT_TRUE(sockets) << sockets.error().message;
  ASSERT_EQ(sockets->size(), 1U);
  EXPECT_THAT(sockets->front().name(), testing::MatchesRegex("127\\.0\\.0\\.1:[1-9][0-9]*"));
  EXPECT_TRUE(sockets->front().is_loopback());
  const auto same = parse_host_port(sockets->front().name());
  const auto again = listen_on(*same);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "cannot listen on " + sockets->front().name() + ": Address already in use");
  EXPECT_EQ(again.error().hint, "another program listens there; port 0 has a free one chosen");
}

TEST(Tcp, LocalhostIsThisMachineWhateverTheResolverSays) {
  auto sockets = listen_on({"", "localhost", 0});
  ASSERT_TRUE(sockets) << sockets.error().message;
  const std::string port = sockets->front().name().substr(sockets->front().name().rfind(':'));
  EXPECT_EQ(sockets->front().name(), "127.0.0.1" + port);
  for (std::size_t i = 1; i < sockets->size(); ++i) EXPECT_EQ((*sockets)[i].name(), "[::1]" + port);
  for (const ListeningSocket& socket : *sockets) EXPECT_TRUE(socket.is_loopback());
}

TEST(Tcp, KnowsWhatCanBeReachedFromElsewhere) {
  auto sockets = listen_on({"", "0.0.0.0", 0});
  ASSERT_TRUE(sockets) << sockets.error().message;
  EXPECT_FALSE(sockets->front().is_loopback());
}

class UnixSocket : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "plumbline-address-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    path = (folder / "socket").string();
  }
  void TearDown() override { fs::remove_all(folder); }
  // What a server leaves behind that was killed.
  void leave_stale() const {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    close(fd);
  }
  fs::path folder;
  std::string path;
};

TEST_F(UnixSocket, BelongsToItsOwnerAlone) {
  const mode_t former = umask(0);
  const auto sockets = listen_on({path, "", 0});
  umask(former);
  ASSERT_TRUE(sockets) << sockets.error().message;
  struct stat info {};
  ASSERT_EQ(lstat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode, static_cast<mode_t>(S_IFSOCK | S_IRUSR | S_IWUSR));
  EXPECT_EQ(sockets->front().name(), path);
  EXPECT_TRUE(sockets->front().is_unix());
  EXPECT_TRUE(sockets->front().is_loopback());
}

TEST_F(UnixSocket, IsRemovedAtTheEnd) {
  { ASSERT_TRUE(listen_on({path, "", 0})); }
  EXPECT_FALSE(fs::exists(fs::symlink_status(path)));
}

TEST_F(UnixSocket, OfAnotherIsLeftAtTheEnd) {
  {
    const auto sockets = listen_on({path, "", 0});
    ASSERT_TRUE(sockets);
    fs::rename(path, path + ".old");
    std::ofstream(path) << "somebody else's";
  }
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(UnixSocket, TakesTheStalePlaceOfADeadServer) {
  leave_stale();
  const auto sockets = listen_on({path, "", 0});
  EXPECT_TRUE(sockets) << sockets.error().message;
}

TEST_F(UnixSocket, LeavesTheLivingOneAlone) {
  const auto first = listen_on({path, "", 0});
  const auto second = listen_on({path, "", 0});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "another server listens on " + path);
  EXPECT_TRUE(fs::exists(fs::symlink_status(path)));
}

TEST_F(UnixSocket, LeavesAFileAlone) {
  std::ofstream(path) << "data";
  const auto sockets = listen_on({path, "", 0});
  ASSERT_FALSE(sockets);
  EXPECT_EQ(sockets.error().message, path + " exists and is not a socket: it is left as it is");
  EXPECT_TRUE(fs::is_regular_file(path));
}

TEST_F(UnixSocket, NeedsItsFolder) {
  const std::string nowhere = (folder / "no" / "socket").string();
  const auto sockets = listen_on({nowhere, "", 0});
  ASSERT_FALSE(sockets);
  EXPECT_EQ(sockets.error().message, "cannot listen on " + nowhere + ": No such file or directory");
}

}  // namespace
}  // namespace plumbline::server::transport::network
