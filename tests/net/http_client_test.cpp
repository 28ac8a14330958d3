// The client against servers that say what a test wants, whole and byte by byte: strangers' answers, well formed and not.
#include "net/http_client.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace plumbline::net {
namespace {

// Takes one connection, and for each of `answers` reads a head and sends the answer, in pieces of so many bytes. Then it hangs
// up.
class Stranger {
 public:
  explicit Stranger(std::vector<std::string> answers, std::size_t piece = std::string::npos) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(listener_, 4), 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port)) + "/mcp";
    thread_ = std::thread([this, answers = std::move(answers), piece] { serve(answers, piece); });
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  ~Stranger() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  [[nodiscard]] HttpUrl url() const { return parse_http_url(url_).value(); }

 private:
  void serve(const std::vector<std::string>& answers, std::size_t piece) const {
    const int near = ::accept(listener_, nullptr, nullptr);
    if (near < 0) return;
    for (const auto& answer : answers) {
      std::string heard;
      char byte = 0;
      while (!heard.ends_with("\r\n\r\n") && ::recv(near, &byte, 1, 0) == 1) heard += byte;
      for (std::string_view rest = answer; !rest.empty();) {
        const ssize_t sent = ::send(near, rest.data(), std::min(piece, rest.size()), MSG_NOSIGNAL);
        if (sent <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
    ::shutdown(near, SHUT_WR);
    char byte = 0;
    while (::recv(near, &byte, 1, 0) > 0) {
    }
    ::close(near);
  }

  int listener_ = -1;
  std::string url_;
  std::thread thread_;
};

HttpRequest get() {
  HttpRequest request;
  request.method = "GET";
  request.path = "/mcp";
  return request;
}

core::Expected<HttpAnswer> ask(const std::string& answer, std::size_t piece = std::string::npos) {
  const Stranger stranger({answer}, piece);
  return http_exchange(stranger.url(), get(), HttpLimits{});
}

TEST(HttpClient, ReadsBodiesByTheirLengthInChunksAndToTheEnd) {
  for (const std::size_t piece : {std::string::npos, std::size_t{1}}) {
    for (const std::string_view answer : {
             "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nTrailer: t\r\n\r\n",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
             "HTTP/1.0 200 OK\r\n\r\nhello",
             "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
         }) {
      const auto said = ask(std::string(answer), piece);
      ASSERT_TRUE(said) << answer << said.error().message;
      EXPECT_EQ(said->status, 200) << answer;
      EXPECT_EQ(said->body, "hello") << answer;
    }
  }
}

TEST(HttpClient, NamesOfHeadersAreInLowerCaseAndValuesTrimmed) {
  const auto said = ask("HTTP/1.1 307 Away\r\nLOCATION:  /there \r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->status, 307);
  EXPECT_EQ(said->header("location"), "/there");
  EXPECT_EQ(said->header("absent"), "");
}

TEST(HttpClient, SaysWhatIsNoHttp) {
  struct Case {
    std::string answer;
    core::ErrorCode code;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"SSH-2.0-OpenSSH_9.2\r\n", core::ErrorCode::invalid_input,
       "what answers is not an HTTP server: it sent \"SSH-2.0-OpenSSH_9.2\\r\\n\""},
      {"HTTP/1.1 2 OK\r\n\r\n", core::ErrorCode::invalid_input,
       "what answers is not an HTTP server: it sent \"HTTP/1.1 2 OK\\r\\n\\r\\n\""},
      {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", core::ErrorCode::invalid_input,
       "what answers is not an HTTP server: it sent \"HTTP/1.1 200 OK\\r\\nno colon\\r\\n\\r\\n\""},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", core::ErrorCode::invalid_input,
       "the answer's chunks are not well formed"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", core::ErrorCode::invalid_input,
       "the answer's chunks are not well formed"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", core::ErrorCode::invalid_input,
       "the answer's chunks are not well formed"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", core::ErrorCode::invalid_input,
       "the answer's Transfer-Encoding is \"gzip, chunked\", and only chunked is understood"},
      {"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nhello", core::ErrorCode::invalid_input,
       "the answer's Content-Length is \"many\", which is no number of bytes up to 2^40"},
      {"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", core::ErrorCode::invalid_input,
       "the answer's Content-Length is \"-5\", which is no number of bytes up to 2^40"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", core::ErrorCode::invalid_input,
       "the answer's Content-Length is \"6\" and \"5\""},
      {"HTTP/1.1 200 OK\r\n folded: x\r\n\r\n", core::ErrorCode::invalid_input,
       "what answers is not an HTTP server: it sent \"HTTP/1.1 200 OK\\r\\n folded: x\\r\\n\\r\\n\""},
      {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", core::ErrorCode::environment,
       "the server closed the connection before its answer was whole"},
      {"", core::ErrorCode::environment, "the server closed the connection before its answer was whole"},
  };
  for (const auto& [answer, code, message] : cases) {
    const auto said = ask(answer);
    ASSERT_FALSE(said) << answer;
    EXPECT_EQ(said.error().code, code) << answer;
    EXPECT_EQ(said.error().message, message);
  }
}

TEST(HttpClient, HeadsAndBodiesAreBounded) {
  const auto head = ask("HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n");
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().code, core::ErrorCode::invalid_input);
  EXPECT_EQ(head.error().message, "the head of the server's answer has more than 64 KiB");
  std::string endless;
  for (int i = 0; i < 17; ++i) endless += "HTTP/1.1 102 Processing\r\n\r\n";
  const auto never = ask(endless);
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().message, "the server said 17 times that it will answer (status 100 to 199), and did not");
  std::string trailers = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
  for (int i = 0; i < 10'000; ++i) trailers += "X: endless\r\n";
  const auto trailing = ask(trailers);
  ASSERT_FALSE(trailing);
  EXPECT_EQ(trailing.error().message, "the answer's chunks are not well formed");
  const Stranger stranger({"HTTP/1.1 200 OK\r\n\r\n" + std::string((2U << 20) + 1, 'x')});
  HttpLimits limits;
  limits.message_bytes = 2U << 20;
  const auto body = http_exchange(stranger.url(), get(), limits);
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().message, "the server's answer has more than 2 MiB");
}

TEST(HttpClient, ASinkTakesTheBodyOf200Alone) {
  std::string taken;
  HttpRequest request = get();
  request.sink = [&taken](std::string_view piece) -> core::Status {
    taken += piece;
    return {};
  };
  const Stranger well({"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"});
  const auto good = http_exchange(well.url(), request, HttpLimits{});
  ASSERT_TRUE(good);
  EXPECT_EQ(good->body, "");
  EXPECT_EQ(taken, "hello");
  const Stranger ill({"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone"});
  const auto bad = http_exchange(ill.url(), request, HttpLimits{});
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->body, "none");
  EXPECT_EQ(taken, "hello");
}

TEST(HttpClient, AConnectionIsUsedAgainWhereTheAnswerEndedBeforeIt) {
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  const Stranger stranger({answer, answer});
  HttpConnection connection(stranger.url());
  ASSERT_TRUE(connection.exchange(get(), HttpLimits{}));
  EXPECT_FALSE(connection.was_open());
  ASSERT_TRUE(connection.exchange(get(), HttpLimits{}));
  EXPECT_TRUE(connection.was_open());
}

// One whose end two headers tell differently is none that another may follow.
TEST(HttpClient, AConnectionWithTwoWordsOnItsEndIsLeft) {
  const std::string answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
  const Stranger stranger({answer, answer});
  HttpConnection connection(stranger.url());
  ASSERT_TRUE(connection.exchange(get(), HttpLimits{}));
  HttpLimits limits;
  limits.answer = std::chrono::milliseconds(1);
  static_cast<void>(connection.exchange(get(), limits));  // nobody takes a second connection
  EXPECT_FALSE(connection.was_open());
}

TEST(HttpClient, StopsWhenAsked) {
  const Stranger stranger({"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"});
  const std::atomic<bool> stopped = true;
  HttpLimits limits;
  limits.cancelled = &stopped;
  const auto said = http_exchange(stranger.url(), get(), limits);
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, core::ErrorCode::cancelled);
  EXPECT_EQ(said.error().message, "stopped");
}

TEST(HttpUrl, IsReadWholeOrNotAtAll) {
  const auto url = parse_http_url("https://[::1]:8443/mcp");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->tls && url->loopback());
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->authority, "[::1]:8443");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->path, "/mcp");
  EXPECT_EQ(parse_http_url("http://server")->port, 80);
  EXPECT_EQ(parse_http_url("https://server")->path, "/");
  for (const std::string_view wrong :
       {"", "server", "ftp://server/", "http://", "http://:80/", "http://a:0/", "http://a:70000/", "http://a:b/",
        "http://user@a/", "http://a/?q", "http://a/#f", "http://a b/", "http://a/\n"})
    EXPECT_FALSE(parse_http_url(wrong)) << wrong;
}

}  // namespace
}  // namespace plumbline::net
