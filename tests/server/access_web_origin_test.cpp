// Host and Origin: what a browser sends for a foreign page is refused, what programs and our own pages send is not.
#include <gtest/gtest.h>

#include "server/access/web_origin.hpp"

namespace plumbline::server::access {
namespace {

using Texts = std::vector<std::string>;

HostRule rule(std::string_view listen, const Texts& hosts = {}, const Texts& origins = {}) {
  auto made = HostRule::make(listen, hosts, origins);
  if (!made) throw std::runtime_error(made.error().message);
  return *made;
}

int status(const HostRule& rule, std::optional<std::string_view> host, std::optional<std::string_view> origin = std::nullopt) {
  const auto refusal = rule.check(host, origin);
  return refusal ? refusal->status : 200;
}

std::string problem(const Texts& hosts, const Texts& origins, std::string_view listen = "127.0.0.1") {
  const auto made = HostRule::make(listen, hosts, origins);
  return made ? "none" : made.error().message;
}

TEST(Host, OfALoopbackListenerIsOneOfLoopbacksNamesWithAnyPort) {
  for (const std::string_view listen : {"127.0.0.1", "::1", "[::1]", "localhost"}) {
    const HostRule local = rule(listen);
    for (const std::string_view host : {"localhost", "LocalHost", "localhost:1", "localhost:65535", "127.0.0.1", "127.0.0.1:8080",
                                        "[::1]", "[::1]:8080", "[0:0:0:0:0:0:0:1]:8080"}) {
      EXPECT_EQ(status(local, host), 200) << listen << " " << host;
    }
  }
  EXPECT_EQ(status(rule("127.0.0.2"), "127.0.0.2:80"), 200);
}

TEST(Host, OfSomebodyElseIsForbidden) {
  const HostRule local = rule("127.0.0.1");
  for (const std::string_view host :
       {"evil.example", "evil.example:8080", "localhost.evil.example", "evil-localhost", "127.0.0.2", "10.0.0.1", "[::2]",
        "[::ffff:127.0.0.1]", "0.0.0.0", "xn--lcalhost-0eb", "local_host"}) {
    EXPECT_EQ(status(local, host), 403) << host;
  }
  EXPECT_EQ(local.check("evil.example", std::nullopt)->message,
            "the Host header names a host that this server does not answer for; --allow-host adds one");
}

TEST(Host, ThatIsNoHostIsABadRequest) {
  const HostRule local = rule("127.0.0.1");
  EXPECT_EQ(local.check(std::nullopt, std::nullopt)->message, "the Host header is missing");
  EXPECT_EQ(status(local, std::nullopt), 400);
  using namespace std::string_view_literals;
  for (const std::string_view host : {""sv,
                                      ":8080"sv,
                                      "localhost:"sv,
                                      "localhost:0"sv,
                                      "localhost:080"sv,
                                      "localhost:65536"sv,
                                      "localhost:123456"sv,
                                      "localhost:+1"sv,
                                      "localhost:8080:8080"sv,
                                      "localhost."sv,
                                      ".localhost"sv,
                                      "local..host"sv,
                                      "user@localhost"sv,
                                      "localhost/"sv,
                                      "localhost/mcp"sv,
                                      "http://localhost"sv,
                                      "localhost?x"sv,
                                      "localhost#x"sv,
                                      " localhost"sv,
                                      "localhost "sv,
                                      "localhost,evil.example"sv,
                                      "localhost, localhost"sv,
                                      "local%68ost"sv,
                                      "l\xC3\xB6"
                                      "calhost"sv,
                                      "localhost\0"sv,
                                      "127.0.0.1\0.evil.example"sv,
                                      "[::1\0]"sv,
                                      "[fe80::1%25eth0]"sv,
                                      "[fe80::1%eth0]"sv,
                                      "[::1"sv,
                                      "::1"sv,
                                      "[]"sv,
                                      "[localhost]"sv,
                                      "[127.0.0.1]"sv,
                                      "[::1]x"sv,
                                      "[::1]:"sv,
                                      "x[::1]"sv,
                                      "127.1"sv,
                                      "2130706433"sv,
                                      "0x7f000001"sv,
                                      "0x7f.0.0.1"sv,
                                      "127.0.0.01"sv,
                                      "0177.0.0.1"sv,
                                      "127.0.0.256"sv,
                                      "127.0.0.1.1"sv,
                                      "-x"sv,
                                      "x-"sv,
                                      "a b"sv,
                                      "*"sv}) {
    EXPECT_EQ(status(local, host), 400) << host;
  }
  EXPECT_EQ(status(local, std::string(254, 'a')), 400);
  EXPECT_EQ(status(local, std::string(64, 'a') + ".example"), 400);
  EXPECT_EQ(status(local, std::string(63, 'a') + ".example"), 403);
}

TEST(Host, MayBeOneThatTheOperatorAllows) {
  const HostRule proxied = rule("127.0.0.1", {"Perf.Example", "10.0.0.7", "::2", "[fd00:0::3]", "7f3a9c"});
  for (const std::string_view host :
       {"perf.example", "PERF.EXAMPLE:443", "10.0.0.7:80", "[::2]", "[fd00::3]:1", "7f3a9c", "localhost"}) {
    EXPECT_EQ(status(proxied, host), 200) << host;
  }
  EXPECT_EQ(status(proxied, "www.perf.example"), 403);
}

TEST(Host, OfAListenerElsewhereIsItsAddressOrName) {
  const HostRule lab = rule("192.168.7.1");
  EXPECT_EQ(status(lab, "192.168.7.1:8080"), 200);
  EXPECT_EQ(status(lab, "localhost"), 403);
  EXPECT_EQ(status(rule("perf.lab"), "perf.lab:8080"), 200);
  EXPECT_EQ(status(rule("fd00::7"), "[fd00:0:0::7]:8080"), 200);
}

TEST(Host, OfAWildcardListenerIsAnyAddressButNoUnknownName) {
  for (const std::string_view listen : {"0.0.0.0", "::", "[::]"}) {
    const HostRule wide = rule(listen, {"perf.example"});
    for (const std::string_view host : {"10.1.2.3:8080", "[fd00::7]", "localhost", "127.0.0.1", "perf.example"}) {
      EXPECT_EQ(status(wide, host), 200) << listen << " " << host;
    }
    EXPECT_EQ(status(wide, "evil.example"), 403) << listen;
    EXPECT_EQ(status(wide, "10.1.2.3", "http://10.1.2.3"), 200) << "a page of ours";
    EXPECT_EQ(status(wide, "10.1.2.3", "http://10.6.6.6"), 403) << "a page of somebody who has an address only";
  }
}

TEST(Origin, MayBeAbsentOrAPageOfOneOfOurHosts) {
  const HostRule local = rule("127.0.0.1", {"perf.example"});
  EXPECT_EQ(status(local, "localhost", std::nullopt), 200);
  for (const std::string_view origin : {"http://localhost", "https://localhost:3000", "http://127.0.0.1:6274", "http://[::1]:1",
                                        "https://perf.example", "HTTP://LOCALHOST"}) {
    EXPECT_EQ(status(local, "localhost:8080", origin), 200) << origin;
  }
}

TEST(Origin, OfAForeignPageIsForbidden) {
  const HostRule local = rule("127.0.0.1");
  for (const std::string_view origin : {"http://evil.example",
                                        "null",
                                        "",
                                        "file://",
                                        "http://",
                                        "http://localhost.evil.example",
                                        "http://localhost@evil.example",
                                        "http://evil.example#localhost",
                                        "http://localhost/",
                                        "http://localhost/x",
                                        "http://localhost.",
                                        "http://localhost:0",
                                        "http://localhost http://evil.example",
                                        "http://localhost, http://localhost",
                                        "ftp://localhost",
                                        "chrome-extension://localhost",
                                        "localhost",
                                        "//localhost",
                                        "http:localhost",
                                        "http:///localhost",
                                        "http://%6cocalhost",
                                        "http://10.0.0.1",
                                        " http://localhost"}) {
    EXPECT_EQ(status(local, "localhost", origin), 403) << origin;
  }
  EXPECT_EQ(local.check("localhost", "null")->message,
            "the Origin header names a site that may not use this server; --allow-origin adds one");
}

TEST(Origin, MayBeOneThatTheOperatorAllowsWithItsSchemeAndPort) {
  const HostRule local = rule("127.0.0.1", {}, {"https://Tools.Example", "http://tools.example:8080", "vscode-webview://panel"});
  for (const std::string_view origin :
       {"https://tools.example", "https://tools.example:443", "http://tools.example:8080", "vscode-webview://panel"}) {
    EXPECT_EQ(status(local, "localhost", origin), 200) << origin;
  }
  for (const std::string_view origin :
       {"http://tools.example", "https://tools.example:8443", "https://x.tools.example", "vscode-webview://other"}) {
    EXPECT_EQ(status(local, "localhost", origin), 403) << origin;
  }
}

TEST(HostRule, RefusesFlagsThatNameNoHostAndNoOrigin) {
  EXPECT_EQ(problem({"*"}, {}), "--allow-host \"*\" is no host name and no address");
  EXPECT_EQ(problem({"perf.example:8080"}, {}), "--allow-host \"perf.example:8080\" is no host name and no address");
  EXPECT_EQ(problem({"https://perf.example"}, {}), "--allow-host \"https://perf.example\" is no host name and no address");
  EXPECT_EQ(problem({}, {"*"}), "--allow-origin \"*\" is no origin");
  EXPECT_EQ(problem({}, {"null"}), "--allow-origin \"null\" is no origin");
  EXPECT_EQ(problem({}, {"perf.example"}), "--allow-origin \"perf.example\" is no origin");
  EXPECT_EQ(problem({}, {"https://perf.example/"}), "--allow-origin \"https://perf.example/\" is no origin");
  EXPECT_EQ(problem({}, {}, "no host"), "cannot listen on \"no host\": that is no address and no host name");
}

TEST(Loopback, IsTheWholeBlockAndItsOtherSpellings) {
  for (const std::string_view address :
       {"127.0.0.1", "127.255.255.254", "::1", "[::1]", "0:0::1", "::ffff:127.0.0.1", "localhost", "LOCALHOST"}) {
    EXPECT_TRUE(is_loopback(address)) << address;
  }
  for (const std::string_view address :
       {"", "0.0.0.0", "::", "128.0.0.1", "10.0.0.1", "::2", "::ffff:10.0.0.1", "127.0.0.1:80", "127.1", "localhost.x"}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

TEST(Wildcard, IsAllAddressesOfEitherFamily) {
  for (const std::string_view address : {"0.0.0.0", "::", "[::]", "0::0"}) EXPECT_TRUE(is_wildcard(address)) << address;
  for (const std::string_view address : {"", "127.0.0.1", "::1", "*"}) EXPECT_FALSE(is_wildcard(address)) << address;
}

}  // namespace
}  // namespace plumbline::server::access
