// HTTP requests out of bytes: what is taken, what is refused with which status, and that neither depends on how it was split.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/transport/http/parser.hpp"
#include "server/transport/http/response.hpp"

namespace plumbline::server::transport::http {
namespace {

using Stage = RequestParser::Stage;
using testing::ElementsAre;
using testing::Pair;

const std::string kPost = "POST /mcp HTTP/1.1\r\nHost: localhost:80\r\n";

// Everything that a client could tell about what the parser made of its bytes.
std::string outcome(std::string_view bytes, const std::vector<std::size_t>& cuts, const ParserBounds& bounds = {}) {
  RequestParser parser(bounds);
  std::string said;
  std::size_t from = 0;
  const auto feed = [&](std::string_view piece) {
    while (!piece.empty() && parser.stage() != Stage::failed) {
      piece.remove_prefix(parser.feed(piece));
      if (parser.stage() != Stage::done) continue;
      const bool keep = parser.keep_alive();
      const Request request = parser.take();
      said += request.method + " " + request.target + (keep ? "" : " close");
      for (const auto& [name, value] : request.headers) said += "|" + name + "=" + value;
      said += "|" + request.body + "\n";
    }
  };
  for (const std::size_t cut : cuts) {
    feed(bytes.substr(from, cut - from));
    from = cut;
  }
  feed(bytes.substr(from));
  switch (parser.stage()) {
    case Stage::idle:
      return said + "idle";
    case Stage::head:
      return said + "head";
    case Stage::body:
      return said + "body";
    case Stage::done:
      return said + "done";
    case Stage::failed:
      return said + std::to_string(parser.fault().status) + " " + parser.fault().text;
  }
  return said;
}

std::string outcome(std::string_view bytes, const ParserBounds& bounds = {}) {
  const std::string whole = outcome(bytes, {}, bounds);
  std::vector<std::size_t> everywhere;
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    everywhere.push_back(cut);
    EXPECT_EQ(outcome(bytes, {cut}, bounds), whole) << "cut at byte " << cut << " of\n" << bytes;
  }
  EXPECT_EQ(outcome(bytes, everywhere, bounds), whole) << "byte by byte\n" << bytes;
  return whole;
}

struct Case {
  std::string bytes, outcome;
};

TEST(HttpParser, TakesWhatIsWellFormed) {
  const std::vector<Case> cases = {
      {"GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET /|host=|\nidle"},
      {"\r\nGET /a?b=c&d HTTP/1.1\r\nhOsT: x\r\n\r\n", "GET /a?b=c&d|host=x|\nidle"},
      {kPost + "Content-Length: 3\r\n\r\nabc", "POST /mcp|host=localhost:80|content-length=3|abc\nidle"},
      {kPost + "Content-Length: 0\r\n\r\n", "POST /mcp|host=localhost:80|content-length=0|\nidle"},
      {kPost + "Content-Length: 003\r\n\r\nabc", "POST /mcp|host=localhost:80|content-length=003|abc\nidle"},
      {kPost + "X:  \t a b \t\r\nx: 2\r\n\r\n", "POST /mcp|host=localhost:80|x=a b|x=2|\nidle"},
      {kPost + "X: \xC3\xA9\r\n\r\n", "POST /mcp|host=localhost:80|x=\xC3\xA9|\nidle"},
      {kPost + "Connection: close\r\n\r\n", "POST /mcp close|host=localhost:80|connection=close|\nidle"},
      {kPost + "Connection: keep-alive, x, CLOSE\r\n\r\n",
       "POST /mcp close|host=localhost:80|connection=keep-alive, x, CLOSE|\nidle"},
      {kPost + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n",
       "POST /mcp|host=localhost:80|transfer-encoding=chunked|abc0123456789\nidle"},
      {kPost + "Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n", "POST /mcp|host=localhost:80|transfer-encoding=Chunked|\nidle"},
      {kPost + "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\na",
       "POST /mcp|host=localhost:80|expect=100-Continue|content-length=1|a\nidle"},
      {kPost + "Expect: 100-continue\r\n\r\n", "POST /mcp|host=localhost:80|expect=100-continue|\nidle"},
      {"BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n", "BREW /pot|host=a|\nidle"},
      {"", "idle"},
      {"\r\n", "head"},
      {kPost, "head"},
      {kPost + "Content-Length: 3\r\n\r\nab", "body"},
      {kPost + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", "body"},
      // pipelined
      {kPost + "Content-Length: 2\r\n\r\nab" + "GET /x HTTP/1.1\r\nHost: b\r\n\r\n" + kPost +
           "Transfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n\r\nDELETE",
       "POST /mcp|host=localhost:80|content-length=2|ab\nGET /x|host=b|\n"
       "POST /mcp|host=localhost:80|transfer-encoding=chunked|z\nhead"},
  };
  for (const Case& each : cases) EXPECT_EQ(outcome(each.bytes), each.outcome);
}

// RFC 9112 section 3.2.2: the host of the target counts, and the Host header does not.
TEST(HttpParser, TakesTheHostOfATargetInAbsoluteForm) {
  const std::vector<Case> cases = {
      {"GET http://a:1/mcp?x=/y HTTP/1.1\r\nHost: b\r\n\r\n", "GET /mcp?x=/y|host=a:1|\nidle"},
      {"POST HTTPS://a/mcp HTTP/1.1\r\nX: 1\r\nHost: b\r\nContent-Length: 1\r\n\r\nz",
       "POST /mcp|x=1|host=a|content-length=1|z\nidle"},
      {"GET http://[::1]:80 HTTP/1.1\r\nHost: b\r\n\r\n", "GET /|host=[::1]:80|\nidle"},
      {"GET hTTp://a?q HTTP/1.1\r\nHost: b\r\n\r\n", "GET /?q|host=a|\nidle"},
      {"GET /http://a/ HTTP/1.1\r\nHost: b\r\n\r\n", "GET /http://a/|host=b|\nidle"},
  };
  for (const Case& each : cases) EXPECT_EQ(outcome(each.bytes), each.outcome);
}

TEST(HttpParser, RefusesWhatCouldBeReadInTwoWays) {
  const std::string kStray = "400 a header's name holds a character that none may have, or has no colon";
  const std::string kTwice = "400 a request has one Content-Length or one Transfer-Encoding, not both and none twice";
  const std::string kNoVersion = "400 the request line does not end with a version of HTTP";
  const std::string kPath = "400 the request's target must be a path that begins with /, or begin with http:// or https://";
  const std::string kUrl = "400 the request's target has no host after http://, or a user's name before it";
  const std::string kChunk = "400 the body's chunks are malformed; chunk extensions and trailers are not taken";
  const std::string kChunked = kPost + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string kOther = "505 this server speaks HTTP/1.1 only";
  const std::string kHost = "400 a request has exactly one Host header";
  const std::vector<Case> cases = {
      // lines
      {"GET / HTTP/1.1\nHost: a\n\n", kNoVersion},
      {"GET / HTTP/1.1\r\nHost: a\n\n", "400 a line ends without a carriage return"},
      {"GET / HTTP/1.1\r\nHost: a\r\n\n", "400 a line ends without a carriage return"},
      {"GET / HTTP/1.1\r\nHost: a\r\n\rX", "400 a carriage return is alone"},
      {"GET / HTTP/1.1\rX", "400 a carriage return is alone"},
      {"GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", "400 a carriage return is alone"},
      {"\rGET", "400 a carriage return is alone"},
      {"\r\n\r\nGET / HTTP/1.1\r\n", "400 the request does not begin with a method"},
      {"\nGET / HTTP/1.1\r\n", "400 the request does not begin with a method"},
      // the request line
      {" GET / HTTP/1.1\r\n", "400 the request does not begin with a method"},
      {"\x16\x03\x01\x02", "400 the request does not begin with a method"},
      {"G\tT / HTTP/1.1\r\n", "400 the method holds a character that none may have"},
      {std::string(33, 'A') + " /", "400 the method has more than 32 bytes"},
      {"GET  / HTTP/1.1\r\n", kPath},
      {"GET httpx://localhost/mcp HTTP/1.1\r\n", kPath},
      {"GET ftp://localhost/mcp HTTP/1.1\r\n", kPath},
      {"GET localhost:80/mcp HTTP/1.1\r\n", kPath},
      {"GET http:///mcp HTTP/1.1\r\n", kUrl},
      {"GET http:// HTTP/1.1\r\n", kUrl},
      {"GET http:/ HTTP/1.1\r\n", kUrl},
      {"GET https://ada@localhost/mcp HTTP/1.1\r\n", kUrl},
      {"GET http://localhost/#x HTTP/1.1\r\n", "400 the request's target holds a character that must be percent-encoded"},
      {"GET http://a/" + std::string(2048, 'a'), "414 the request's target has more than 2048 bytes"},
      {"GET http://localhost/mcp HTTP/1.1\r\n\r\n", kHost},
      {"OPTIONS * HTTP/1.1\r\n", kPath},
      {"CONNECT a:1 HTTP/1.1\r\n", kPath},
      {"GET /a\tb HTTP/1.1\r\n", "400 the request's target holds a character that must be percent-encoded"},
      {"GET /\xC3\xA9 HTTP/1.1\r\n", "400 the request's target holds a character that must be percent-encoded"},
      {"GET /#x HTTP/1.1\r\n", "400 the request's target holds a character that must be percent-encoded"},
      {"GET /\r\n", "400 the request's target holds a character that must be percent-encoded"},
      {"GET /" + std::string(2048, 'a'), "414 the request's target has more than 2048 bytes"},
      {"GET / HTTP/1.1 \r\n", kNoVersion},
      {"GET / http/1.1\r\n", kNoVersion},
      {"GET / HTTP/1\r\n", kNoVersion},
      {"GET / \r\n", kNoVersion},
      {"GET / HTTP/11.1\r\n", kNoVersion},
      {"GET / HTTP/1.0\r\n", kOther},
      {"GET / HTTP/2.0\r\n", kOther},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", kPath},
      // headers
      {kPost + "X : a\r\n\r\n", kStray},
      {kPost + "X\r\n\r\n", kStray},
      {kPost + ": a\r\n\r\n", kStray},
      {kPost + "X(y): a\r\n\r\n", kStray},
      {kPost + "X\xC3\xA9: a\r\n\r\n", kStray},
      {kPost + " folded\r\n\r\n", "400 a header is folded over two lines"},
      {kPost + "\tfolded\r\n\r\n", "400 a header is folded over two lines"},
      {"GET / HTTP/1.1\r\n Host: a\r\n\r\n", "400 a header is folded over two lines"},
      {kPost + "X: a\x01\r\n\r\n", "400 a header's value holds a control character"},
      {kPost + std::string("X: a\0b\r\n\r\n", 10), "400 a header's value holds a control character"},
      {kPost + "X: \x7F\r\n\r\n", "400 a header's value holds a control character"},
      {"GET / HTTP/1.1\r\n\r\n", kHost},
      {kPost + "Host: localhost:80\r\n\r\n", kHost},
      // lengths
      {kPost + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", kTwice},
      {kPost + "Content-Length: 1\r\nContent-Length: 2\r\n\r\na", "400 the request's head is malformed: bad Content-Length"},
      {kPost + "Content-Length: 1, 1\r\n\r\na", "400 Content-Length is not a number"},
      {kPost + "Content-Length: 1, 2\r\n\r\na", "400 the request's head is malformed: bad Content-Length"},
      {kPost + "Content-Length: +1\r\n\r\na", "400 the request's head is malformed: bad Content-Length"},
      {kPost + "Content-Length: -1\r\n\r\na", "400 the request's head is malformed: bad Content-Length"},
      {kPost + "Content-Length: 0x1\r\n\r\na", "400 the request's head is malformed: bad Content-Length"},
      {kPost + "Content-Length:\r\n\r\n", "400 the request's head is malformed: bad Content-Length"},
      {kPost + "Content-Length: 99999999999999999999\r\n\r\n", "400 the request's head is malformed: bad Content-Length"},
      {kPost + "Content-Length: 10485761\r\n\r\n", "413 the body has more than 10485760 bytes"},
      {kPost + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
       "400 the request's head is malformed: bad Transfer-Encoding"},
      {kPost + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
       "400 the request's head is malformed: bad Content-Length"},
      {kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
       "400 the request's head is malformed: bad Transfer-Encoding"},
      {kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n", "501 the only Transfer-Encoding that is taken is chunked"},
      {kPost + "Transfer-Encoding: chunked, identity\r\n\r\n", "501 the only Transfer-Encoding that is taken is chunked"},
      {kPost + "Transfer-Encoding: xchunked\r\n\r\n", "501 the only Transfer-Encoding that is taken is chunked"},
      {kPost + "Transfer-Encoding:\r\n\r\n", "501 the only Transfer-Encoding that is taken is chunked"},
      // expectations
      {kPost + "Expect: 200-ok\r\n\r\n", "417 the only expectation that can be met is 100-continue"},
      {kPost + "Expect: 100-continue\r\nExpect: 100-continue\r\n\r\n",
       "417 the only expectation that can be met is 100-continue"},
      // chunks
      {kChunked + "3;a=b\r\nabc\r\n0\r\n\r\n", kChunk},
      {kChunked + "0;a\r\n\r\n", kChunk},
      {kChunked + "3\nabc\r\n0\r\n\r\n", kChunk},
      {kChunked + "0\r\n\n", kChunk},
      {kChunked + "3\r\nabc\n0\r\n\r\n", kChunk},
      {kChunked + "3 \r\nabc\r\n", kChunk},
      {kChunked + "-1\r\nabc\r\n", kChunk},
      {kChunked + "0x3\r\nabc\r\n0\r\n\r\n", kChunk},
      {kChunked + "x\r\n", kChunk},
      {kChunked + "\r\n", kChunk},
      {kChunked + "3\r\nabcd\r\n0\r\n\r\n", kChunk},
      {kChunked + "3\r\nab\r\n0\r\n\r\n", kChunk},
      {kChunked + "0\r\nX: y\r\n\r\n", kChunk},
      {kChunked + "0\r\nContent-Length: 4\r\n\r\n", kChunk},
      {kChunked + "00000000000000000000000000003\r\nabc\r\n", kChunk},
      {kChunked + "FFFFFFFFFFFFFFFFF\r\n", kChunk},
      {kChunked + "FFFFFFFFFFFFFFFF\r\n", "413 the body has more than 10485760 bytes"},
  };
  for (const Case& each : cases) EXPECT_EQ(outcome(each.bytes), each.outcome) << each.bytes;
}

TEST(HttpParser, BoundsTheHead) {
  ParserBounds bounds;
  std::string most = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (std::size_t i = 1; i < bounds.fields; ++i) most += "X: y\r\n";
  EXPECT_EQ(outcome(most + "\r\n").substr(0, 5), "GET /");
  EXPECT_EQ(outcome(most + "X: y\r\n\r\n"), "431 the request has more than 64 headers");

  bounds.head_bytes = 100;
  const std::string rest = "\r\n\r\n";
  std::string full = "GET / HTTP/1.1\r\nHost: ";
  full += std::string(bounds.head_bytes - full.size() - rest.size(), 'h');
  EXPECT_EQ(outcome(full + rest, bounds).substr(0, 5), "GET /");
  EXPECT_EQ(outcome(full + "h" + rest, bounds), "431 the request's head has more than 100 bytes");
}

TEST(HttpParser, BoundsTheBody) {
  ParserBounds bounds;
  bounds.body_bytes = 8;
  EXPECT_EQ(outcome(kPost + "Content-Length: 8\r\n\r\n12345678", bounds),
            "POST /mcp|host=localhost:80|content-length=8|12345678\nidle");
  EXPECT_EQ(outcome(kPost + "Content-Length: 9\r\n\r\n12345678", bounds), "413 the body has more than 8 bytes");
  const std::string chunked = kPost + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(outcome(chunked + "4\r\n1234\r\n4\r\n5678\r\n0\r\n\r\n", bounds),
            "POST /mcp|host=localhost:80|transfer-encoding=chunked|12345678\nidle");
  EXPECT_EQ(outcome(chunked + "4\r\n1234\r\n5\r\n", bounds), "413 the body has more than 8 bytes");
}

TEST(HttpParser, HearsTheExpectationOnceAndOnlyBeforeTheBody) {
  const std::string head = kPost + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n";
  RequestParser parser;
  parser.feed(head.substr(0, head.size() - 1));
  EXPECT_FALSE(parser.take_expectation()) << "the head is not complete";
  parser.feed("\n");
  EXPECT_TRUE(parser.take_expectation());
  EXPECT_FALSE(parser.take_expectation()) << "once";
  parser.feed("a");
  ASSERT_EQ(parser.stage(), Stage::done);
  static_cast<void>(parser.take());
  parser.feed(head + "a");
  EXPECT_FALSE(parser.take_expectation()) << "the body is there already";
}

TEST(HttpParser, LeavesTheNextRequestAlone) {
  const std::string first = kPost + "Content-Length: 2\r\n\r\nab";
  RequestParser parser;
  EXPECT_EQ(parser.feed(first + "GET /next"), first.size());
  EXPECT_EQ(parser.stage(), Stage::done);
  EXPECT_EQ(parser.feed("GET /next"), 0U) << "not before the first is taken";
  EXPECT_EQ(parser.take().body, "ab");
  EXPECT_EQ(parser.stage(), Stage::idle);
}

TEST(HttpResponse, IsFramedAndStaysOneLinePerHeader) {
  EXPECT_THAT(response_head(200, {{"A", "b"}}, {5, true}),
              testing::MatchesRegex("HTTP/1.1 200 OK\r\nDate: [A-Z][a-z][a-z], [0-9][0-9] [A-Z][a-z][a-z] [0-9]+ "
                                    "[0-9][0-9]:[0-9][0-9]:[0-9][0-9] GMT\r\nA: b\r\nContent-Length: 5\r\n\r\n"));
  const std::string closing = response_head(404, {{"Bad", "x\r\nInjected: y"}, {"A\r\nB", "c"}}, {std::nullopt, false});
  EXPECT_EQ(closing.find("njected"), std::string::npos);
  EXPECT_THAT(closing, testing::EndsWith("GMT\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(response_head(204, {}, {0, true}), testing::Not(testing::HasSubstr("Content-Length")));
}

// A body that is given on: the same pieces wherever the bytes are cut, and never a whole one in memory.
TEST(HttpParser, GivesABodyOnAsItComes) {
  ParserBounds bounds;
  bounds.body_bytes = 4;
  bounds.streams = "PUT /blobs/";
  bounds.streamed_bytes = 100;
  const std::string bytes = "PUT /blobs/x HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n0123456789GET / HTTP/1.1\r\n";
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    RequestParser parser(bounds);
    std::string body;
    std::size_t used = 0;
    for (const std::string_view part : {std::string_view(bytes).substr(0, cut), std::string_view(bytes).substr(cut)}) {
      if (parser.stage() == RequestParser::Stage::done) break;
      used += parser.feed(part);
      if (parser.streams()) body += parser.take_piece();
    }
    ASSERT_EQ(parser.stage(), RequestParser::Stage::done) << cut;
    EXPECT_EQ(body, "0123456789") << cut;
    EXPECT_EQ(bytes.substr(used), "GET / HTTP/1.1\r\n") << cut;
    EXPECT_EQ(parser.head().target, "/blobs/x");
    EXPECT_EQ(parser.take().body, "");
    EXPECT_FALSE(parser.streams());
  }
  EXPECT_EQ(outcome("PUT /blobs/x HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n", bounds),
            "413 the body has more than 100 bytes");
  EXPECT_EQ(outcome("PUT /blobs HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n", bounds),
            "413 the body has more than 4 bytes");
  EXPECT_EQ(outcome("PUT /blobs/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", bounds),
            "411 an upload says its Content-Length");
}

}  // namespace
}  // namespace plumbline::server::transport::http
