// The stdio loop over a pipe pair: framing, the end of input, a client that has gone.
#include "server/transport/stdio.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "tests/server/harness.hpp"

namespace plumbline::server::testing {
namespace {

// A server on two pipes and a thread of its own.
class Piped {
 public:
  explicit Piped(mcp::Catalogue tools = session_tools()) : threaded_(std::move(tools)) {
    std::signal(SIGPIPE, SIG_IGN);
    if (pipe(to_) != 0 || pipe(from_) != 0) throw std::runtime_error("pipe");
    thread_ = std::thread([this] {
      transport::StdioOptions options;
      options.in = to_[0];
      options.out = from_[1];
      options.own_process = false;
      transport::ProcessEnd end({.signals = false, .parent = false, .on_hangup = {}});
      options.drain = std::chrono::seconds(30);
      options.session.bounds.line_bytes = 4096;
      transport::serve_lines(threaded_.host, end, options);
      ended = true;
      close(from_[1]);
    });
  }
  Piped(const Piped&) = delete;
  Piped& operator=(const Piped&) = delete;
  ~Piped() {
    end_input();
    join();
    close(to_[0]);
    if (from_[0] >= 0) close(from_[0]);
  }
  void write_bytes(std::string_view bytes, std::size_t chunk) {
    for (std::size_t at = 0; at < bytes.size(); at += chunk) {
      const std::string_view piece = bytes.substr(at, chunk);
      ASSERT_EQ(write(to_[1], piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
    }
  }
  void end_input() {
    if (to_[1] >= 0) close(std::exchange(to_[1], -1));
  }
  void stop_reading() { close(std::exchange(from_[0], -1)); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  std::string read_all() {
    std::string all;
    char bytes[4096];
    ssize_t got = 0;
    while ((got = read(from_[0], bytes, sizeof bytes)) > 0) all.append(bytes, static_cast<std::size_t>(got));
    return all;
  }
  int out() const { return from_[1]; }
  std::atomic<bool> ended = false;

 private:
  Threaded threaded_;
  int to_[2] = {-1, -1}, from_[2] = {-1, -1};
  std::thread thread_;
};

const std::string kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
const std::string kPong = R"({"jsonrpc":"2.0","id":1,"result":{}})";

TEST(Stdio, ReadsOneByteAtATime) {
  Piped server;
  server.write_bytes(kPing + "\n\n" + kPing + "\r\n" + std::string(5000, 'x') + "\n" + kPing, 1);
  server.end_input();
  EXPECT_EQ(server.read_all(),
            kPong + "\n" + kPong + "\n" +
                R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"a message must have at most 4096 bytes"}})" + "\n" + kPong +
                "\n")
      << "a last line without newline counts";
  server.join();
  EXPECT_TRUE(server.ended);
}

TEST(Stdio, AnswersCallsUnderWayWhenInputEnds) {
  std::latch started(1), release(1);
  mcp::Catalogue tools;
  tools.add(fixture::tool("slow", "", [&](std::string_view, const mcp::CallContext&) {
    started.count_down();
    release.wait();
    return mcp::ToolResult{"", "at last"};
  }));
  Piped server(std::move(tools));
  server.write_bytes(kInitialize + "\n" + R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}})" + "\n",
                     4096);
  started.wait();
  server.end_input();
  release.count_down();
  const std::string said = server.read_all();
  EXPECT_NE(said.find("at last"), std::string::npos) << said;
}

TEST(Stdio, EndsWhenTheClientNoLongerReads) {
  Piped server;
  server.stop_reading();
  server.write_bytes(kPing + "\n", 4096);
  server.join();  // its input is still open
  EXPECT_TRUE(server.ended);
}

TEST(Stdio, WritesWholeLinesToANonBlockingPipe) {
  mcp::Catalogue tools;
  const std::string big(1'000'000, 'z');
  tools.add(fixture::tool("big", "", [&](std::string_view, const mcp::CallContext&) { return mcp::ToolResult{"", big}; }));
  Piped server(std::move(tools));
  ASSERT_EQ(fcntl(server.out(), F_SETFL, fcntl(server.out(), F_GETFL) | O_NONBLOCK), 0);
  server.write_bytes(kInitialize + "\n" + R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big"}})" + "\n",
                     4096);
  server.end_input();
  const std::string said = server.read_all();
  EXPECT_NE(said.find("\"" + big + "\""), std::string::npos);
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2);
}

}  // namespace
}  // namespace plumbline::server::testing
