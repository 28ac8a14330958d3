// What the operator reads on standard error.
#include "server/log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "server/line_file.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::server {
namespace {

using Level = Log::Level;

class LogTest : public testing::Test {
 protected:
  LogTest() : fd_(open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600)) {}
  ~LogTest() override { close(fd_); }
  [[nodiscard]] std::string written() const { return registry::test::read(folder_ / "log"); }

  registry::test::Scratch folder_;
  int fd_;
};

TEST_F(LogTest, WritesOneLineWithItsLevel) {
  const Log log(Level::debug, fd_);
  log.debug("a {}", 1);
  log.info("b");
  log.warning("c {}", "x");
  log.error("d");
  EXPECT_EQ(written(), "plumbline: debug: a 1\nplumbline: info: b\nplumbline: warning: c x\nplumbline: error: d\n");
}

TEST_F(LogTest, ShowsItsLevelAndAbove) {
  Log log(Level::warning, fd_);
  log.info("no");
  log.warning("yes");
  log.set(Level::off);
  log.error("no");
  log.set(Level::info);
  log.debug("no");
  log.info("yes");
  EXPECT_EQ(written(), "plumbline: warning: yes\nplumbline: info: yes\n");
}

TEST_F(LogTest, EscapesWhatWouldMoveTheTerminal) {
  const Log log(Level::info, fd_);
  log.info("{}", "a\nplumbline: error: b\r\t\x1b[31m\x7f");
  log.info("{}", "C1 \xc2\x9b, overrides \xe2\x80\xae\xe2\x81\xa6, separators \xe2\x80\xa8");
  log.info("{}", "whole: /home/jürgen/日本/…");
  log.info("{}", "no UTF-8: \xff\xc3");
  EXPECT_EQ(written(),
            "plumbline: info: a\\x0aplumbline: error: b\\x0d\\x09\\x1b[31m\\x7f\n"
            "plumbline: info: C1 \\xc2\\x9b, overrides \\xe2\\x80\\xae\\xe2\\x81\\xa6, separators \\xe2\\x80\\xa8\n"
            "plumbline: info: whole: /home/jürgen/日本/…\n"
            "plumbline: info: no UTF-8: \\xff\\xc3\n");
}

TEST_F(LogTest, CutsWhatIsTooLongBetweenCharacters) {
  const Log log(Level::info, fd_);
  log.info("{}", std::string(100'000, 'x'));
  EXPECT_EQ(written(), "plumbline: info: " + std::string(900, 'x') + "…\n");
  log.info("{}", std::string(899, 'x') + "ööö");
  log.info("{}", std::string(100'000, '\x01'));
  EXPECT_LE(written().size(), 3 * kLineBytes);
  EXPECT_NE(written().find(std::string(899, 'x') + "…\n"), std::string::npos);
}

TEST_F(LogTest, LosesLinesRatherThanWait) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Log log(Level::info, ends[1]);
  for (int i = 0; i < 10'000; ++i) log.info("nobody reads this");
  std::string got(1U << 17, '\0');
  const ssize_t size = ::read(ends[0], got.data(), got.size());
  EXPECT_EQ(static_cast<std::size_t>(size) % std::string_view("plumbline: info: nobody reads this\n").size(), 0U);
  close(ends[0]);
  close(ends[1]);
}

TEST(LogLevel, IsOneOfFiveWords) {
  EXPECT_EQ(Log::parse("debug"), Level::debug);
  EXPECT_EQ(Log::parse("off"), Level::off);
  const auto error = Log::parse("warn").error();
  EXPECT_EQ(error.message, "--log-level must be one of debug, info, warning, error, off: \"warn\"");
  EXPECT_EQ(Log::parse("eror").error().hint, "did you mean error?");
  EXPECT_EQ(Log::parse("").error().code, core::ErrorCode::usage);
}

}  // namespace
}  // namespace plumbline::server
