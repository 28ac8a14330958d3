// The review site without a network: addresses, the overview of a registry, and ten thousand requests that nobody would make.
#include "server/site/site.hpp"

#include <gtest/gtest.h>

#include <random>

#include "server/site/chart.hpp"
#include "server/site/overview.hpp"
#include "server/site/page.hpp"
#include "tests/server/http_harness.hpp"
#include "tests/server/served_registry.hpp"

namespace plumbline::server::site {
namespace {

using std::chrono::milliseconds;
using testing::FakeExchange;
using testing::header;
using testing::Stepper;

TEST(SiteUrl, DecodesEachPartOnce) {
  const auto parts = parts_of("/families/a%2Db/c%2525/");
  ASSERT_TRUE(parts);
  EXPECT_EQ(*parts, (std::vector<std::string>{"families", "a-b", "c%25"}));
  EXPECT_EQ(parts_of("/")->size(), 0U);
}

TEST(SiteUrl, RefusesWhatNamesNothing) {
  for (const char* path : {"", "x", "//", "/a//b", "/a/..", "/a/%2e%2E/b", "/a/.", "/a%2Fb", "/a%5Cb", "/a%00b", "/a%0Ab",
                           "/a%7F", "/%", "/%4", "/%zz"}) {
    EXPECT_FALSE(parts_of(path)) << path;
  }
}

TEST(SiteUrl, ReadsQueries) {
  const auto query = Query::parse("q=a+b%26c&family=f&q=later&flag");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->get("q"), "a b&c");
  EXPECT_EQ(query->get("family"), "f");
  EXPECT_TRUE(query->has("flag"));
  EXPECT_EQ(query->get("absent"), "");
  EXPECT_FALSE(Query::parse("q=%0"));
  EXPECT_FALSE(Query::parse("q=%00"));
}

TEST(SiteUrl, WhatIsWrittenIsReadAgain) {
  const std::string odd = "läng \"<&>' %2f?#";
  const auto parts = parts_of(link("diffs", {"f", odd}));
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->back(), odd);
  EXPECT_EQ(link("files", {"folder/file name"}), "/files/folder/file%20name");
}

TEST(SiteTrend, ValuesThatOnlyTheLastDigitTellsApartAreDrawnAsOneLevel) {
  for (const auto& [first, second] : {std::pair(0.3, 0.1 + 0.2), std::pair(1e18, 1e18 + 128), std::pair(-0.3, -(0.1 + 0.2))}) {
    core::HistoryResult history;
    for (const double value : {first, second}) {
      core::HistoryEntry entry;
      entry.slug = "20261129T00000000000" + std::to_string(history.entries.size()) + "Z";
      entry.value = value;
      history.entries.push_back(entry);
    }
    const std::string svg = trend_figure(history).svg;
    EXPECT_NE(svg.find("<svg"), std::string::npos);
    EXPECT_LT(svg.size(), std::size_t{64} << 10U) << first;
  }
}

TEST(SiteTable, FindsPagesByTheirPattern) {
  std::vector<std::string> parts;
  ASSERT_NE(find_page({}, parts), nullptr);
  const Page* page = find_page({"entries", "f", "m", "s", "files", "a", "b"}, parts);
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(page->pattern, "entries/{}/{}/{}/files/{+}");
  EXPECT_EQ(parts, (std::vector<std::string>{"f", "m", "s", "a/b"}));
  EXPECT_EQ(find_page({"entries", "f", "m", "s", "files"}, parts), nullptr);
  EXPECT_EQ(find_page({"families", "f", "m", "x"}, parts), nullptr);
}

TEST(SiteTemplate, EscapesWhatIsSetAndTakesDeceptionAway) {
  Data data;
  data.set("text", "<b>\"&'{{other}}\n\x1b[31m").set("other", "inside").flag("yes", true);
  data.item("list").set("text", "one");
  data.item("list").set("text", "two");
  const std::string page = render("{{text}}|{{#yes}}{{#list}}{{text}};{{/list}}{{/yes}}{{^has_text}}none{{/has_text}}", data);
  EXPECT_EQ(page.find('<'), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find('\n'), std::string::npos);
  EXPECT_NE(page.find("&lt;b&gt;&quot;&amp;"), std::string::npos) << page;
  EXPECT_NE(page.find("{{other}}"), std::string::npos) << page;
  EXPECT_TRUE(page.ends_with("|one;two;")) << page;
}

TEST(SiteWords, ShowsTimesAndSparklines) {
  EXPECT_EQ(time_text("20261123T143316319777Z"), "2026-11-23 14:33:16");
  EXPECT_EQ(time_text("newest"), "");
  EXPECT_EQ(sparkline({1}, "ms"), "");
  const std::string svg = sparkline({1, 3, 2}, "ms");
  EXPECT_NE(svg.find("3 values from 1 to 3 ms, the newest 2"), std::string::npos) << svg;
  EXPECT_NE(sparkline({5, 5}, "").find("polyline"), std::string::npos);
}

class SiteRegistry : public mcp::ServedRegistry {
 protected:
  std::shared_ptr<Overview> overview() {
    return std::make_shared<Overview>(
        [this](const std::atomic<bool>&) -> core::Expected<std::unique_ptr<registry::Store>> {
          return registry::posix_store(scratch_.path());
        },
        executor_);
  }
  Stepper executor_;
};

TEST_F(SiteRegistry, OverviewCountsAndTellsStates) {
  const auto seen = overview();
  EXPECT_TRUE(seen->get(milliseconds(0))->lines.empty());
  for (int i = 0; i < 30; ++i) older_entry("f", "m", i * 1'000'000);
  older_entry("f", "other", 5);
  red_bundle();
  const auto fresh = overview();
  const auto summary = fresh->get(milliseconds(0));
  EXPECT_TRUE(summary->complete);
  ASSERT_EQ(summary->lines.size(), 3U);
  const Line* line = summary->find("f", "m");
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->entries, 30U);
  EXPECT_EQ(line->newest_entry, registry::slug_of(registry::test::moment(29'000'000)));
  EXPECT_EQ(line->recent_entries->size(), 24U);
  EXPECT_EQ(summary->find("demo", "throughput")->diffs, 1U);
  EXPECT_EQ(summary->of("f").size(), 2U);
  EXPECT_EQ(summary->find("f", "absent"), nullptr);

  older_entry("f", "m", 31'000'000);
  const auto later = overview()->get(milliseconds(0));
  EXPECT_NE(summary->stamp("f/m"), later->stamp("f/m"));
  EXPECT_NE(summary->stamp("f"), later->stamp("f"));
  EXPECT_NE(summary->stamp(""), later->stamp(""));
  EXPECT_EQ(summary->stamp("f/other"), later->stamp("f/other"));
  EXPECT_EQ(summary->stamp("demo"), later->stamp("demo"));
}

TEST_F(SiteRegistry, OverviewGivesWhatIsKnownWhenItTakesLong) {
  older_entry("f", "m", 0);
  executor_.hold();
  const auto seen = overview();
  const auto summary = seen->get(milliseconds(1));
  EXPECT_FALSE(summary->complete);
  EXPECT_TRUE(summary->lines.empty());
  executor_.run();
  EXPECT_TRUE(seen->get(milliseconds(0))->complete);
}

// As Live does: with one worker there is nobody else who could read.
TEST_F(SiteRegistry, OverviewIsReadHereWhenNoOtherThreadIsToBeHad) {
  older_entry("f", "m", 0);
  executor_.hold();
  int reads = 0;
  const auto seen = std::make_shared<Overview>(
      [&](const std::atomic<bool>&) -> core::Expected<std::unique_ptr<registry::Store>> {
        ++reads;
        return registry::posix_store(scratch_.path());
      },
      executor_);
  EXPECT_FALSE(seen->get(milliseconds(1))->complete);
  EXPECT_TRUE(seen->read_here(milliseconds(0), milliseconds(0))->complete);
  executor_.run();
  EXPECT_EQ(reads, 1) << "the one that was queued is taken over";
  EXPECT_EQ(seen->get(milliseconds(0), milliseconds(60'000))->find("f", "m")->entries, 1U);
}

// The site itself, on a server that has no tools.
class SiteServed : public SiteRegistry {
 protected:
  SiteServed() : server_({"t", "T", "1", "", mcp::LogLevel::error}, mcp::Catalogue()), host_(server_, executor_) {
    transport::http::Admission admission;
    admission.hosts = *access::HostRule::make("127.0.0.1", {}, {});
    options_.allowed_roots = {scratch_.path()};
    site_ = make(options_, host_, admission);
  }

  FakeExchange::Said ask(const std::string& target, const std::string& method = "GET", transport::http::Headers headers = {}) {
    transport::http::Request request;
    request.method = method;
    request.target = target;
    request.headers = std::move(headers);
    request.loopback = true;
    request.peer = "127.0.0.1:1";
    const auto exchange = std::make_shared<FakeExchange>();
    site_->handle(std::move(request), exchange);
    auto said = exchange->said();
    exchange->leave();
    return said;
  }

  mcp::Server server_;
  mcp::Host host_;
  std::unique_ptr<transport::http::Beside> site_;
};

TEST_F(SiteServed, EveryAnswerHasAPolicyAndOneStatus) {
  older_entry("f", "m", 0);
  for (const auto& [target, status] : std::vector<std::pair<std::string, int>>{{"/", 200},
                                                                               {"/families/f", 200},
                                                                               {"/families/f/m", 200},
                                                                               {"/families/g", 404},
                                                                               {"/nothing", 404},
                                                                               {"/%zz", 404},
                                                                               {"/?a=%zz", 404},
                                                                               {"/site.js", 200},
                                                                               {"/diffs", 200},
                                                                               {"/search", 200},
                                                                               {"/compare", 200}}) {
    const auto said = ask(target);
    EXPECT_EQ(said.status, status) << target;
    EXPECT_NE(header(said, "Content-Security-Policy").find("default-src 'none'"), std::string::npos) << target;
    EXPECT_EQ(header(said, "X-Content-Type-Options"), "nosniff") << target;
  }
  EXPECT_EQ(ask("/", "POST").status, 405);
}

TEST_F(SiteServed, NobodyFromElsewhereIsLetIn) {
  transport::http::Request request;
  request.method = "GET";
  request.target = "/";
  const auto exchange = std::make_shared<FakeExchange>();
  site_->handle(std::move(request), exchange);  // not from this machine
  EXPECT_EQ(exchange->said().status, 403);
}

TEST_F(SiteServed, AStreamHearsOfAnEntryAndEndsWithTheServer) {
  older_entry("f", "m", 0);
  const auto page = ask("/families/f/m").body;
  const std::size_t at = page.find("data-stamp=\"") + 12;
  const std::string stamp = page.substr(at, page.find('"', at) - at);
  older_entry("f", "m", 1'000'000);
  transport::http::Request request;
  request.method = "GET";
  request.target = "/live?scope=f/m&since=" + stamp;
  request.loopback = true;
  const auto exchange = std::make_shared<FakeExchange>();
  site_->handle(std::move(request), exchange);
  EXPECT_EQ(header(exchange->said(), "Content-Type"), "text/event-stream");
  exchange->wait_until([](const auto& said) { return said.body.find("event: change") != std::string::npos; });
  site_->drain();
  EXPECT_TRUE(exchange->said().complete);
  EXPECT_EQ(ask("/families/f/m").status, 503);
}

// Seeds of every page, cut, doubled and mixed with what decoders stumble over.
TEST_F(SiteServed, TenThousandStrangeAddressesAndNoFault) {
  older_entry("f", "m", 0);
  red_bundle();
  const std::string slug = registry::slug_of(registry::test::moment(50));
  const std::vector<std::string> seeds = {"/",
                                          "/families/f/m?before=20250101T000000000000Z",
                                          "/diffs?verdict=RED&family=demo&before=x/y/z",
                                          "/diffs/demo/throughput/" + slug + "/files/current-snapshot/rank%200.json",
                                          "/entries/f/m/newest",
                                          "/compare?baseline=f/m/newest&current=f/m/accepted",
                                          "/compare/report?baseline=f/m&current=f/m",
                                          "/search?q=a&family=f&verdict=RED",
                                          "/verify/diffs/demo/throughput/" + slug,
                                          "/site.css?v=1"};
  const std::vector<std::string> pieces = {
      "%00",    "%2F",   "%2e%2e", "..", "/", "//", "%",  "%f", "?", "&",        "=",      "%ff%fe",
      "%0d%0a", "{{x}}", "+",      "~",  ";", "'",  "\"", "<",  ">", "accepted", "newest", "99999999999999999999",
      "-1",     "%C3%A4"};
  std::mt19937 random(19);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::map<int, int> statuses;
  for (int i = 0; i < 10'000; ++i) {
    std::string target = seeds[below(seeds.size())];
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(target.size() + 1);
      switch (below(3)) {
        case 0:
          target.insert(at, pieces[below(pieces.size())]);
          break;
        case 1:
          target.erase(at, 1 + below(4));
          break;
        default:
          target.insert(at, target.substr(below(target.size() + 1), below(12)));
      }
    }
    if (target.empty() || target.front() != '/') target.insert(0, "/");
    if (target.starts_with("/live?") || target == "/live") continue;
    const auto said = ask(target);
    ++statuses[said.status];
    ASSERT_GT(said.status, 0) << target;
    ASSERT_LT(said.status, 500) << target << "\n" << said.body;
    ASSERT_NE(header(said, "Content-Security-Policy"), "") << target;
  }
  EXPECT_GT(statuses[200], 500);
  EXPECT_GT(statuses[404], 500);
}

}  // namespace
}  // namespace plumbline::server::site
