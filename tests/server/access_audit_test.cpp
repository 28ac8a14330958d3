// One line per call, whoever calls whatever, and nothing of what was said.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "registry/files.hpp"
#include "server/access/audit.hpp"
#include "server/line_file.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::server::access {
namespace {

using nlohmann::json;
using registry::test::read;
using registry::test::Scratch;

AuditedCall call() {
  AuditedCall call;
  call.at = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'795'176'000'007));
  call.who = {"ci", How::token};
  call.peer = "10.0.0.7:4711";
  call.tool = "perf_baseline_diff";
  call.arguments = "{}";
  call.duration = std::chrono::microseconds(12'345);
  call.bytes = 512;
  return call;
}

TEST(AuditLine, SaysWhoCalledWhatAndHowItEnded) {
  EXPECT_EQ(audit_line(call()),
            R"({"time":"2026-11-20T12:00:00.007Z","who":"ci","how":"token","peer":"10.0.0.7:4711","tool":"perf_baseline_diff",)"
            R"("arguments_sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","outcome":"ok","code":null,)"
            R"("duration_ms":12.345,"bytes":512})"
            "\n");
}

TEST(AuditLine, NamesEveryOutcomeAndTheCodeOfAFailure) {
  AuditedCall failed = call();
  failed.outcome = Outcome::error;
  failed.code = "not_found";
  EXPECT_EQ(json::parse(audit_line(failed)).at("outcome"), "error");
  EXPECT_EQ(json::parse(audit_line(failed)).at("code"), "not_found");
  EXPECT_EQ(to_string(Outcome::protocol_error), "protocol_error");
  EXPECT_EQ(to_string(Outcome::cancelled), "cancelled");
  EXPECT_EQ(to_string(Outcome::refused), "refused");
}

TEST(AuditLine, HasNullForAPeerWithoutAddressAndNameWhereThereIsNone) {
  AuditedCall local = call();
  local.who = {};
  local.peer = "";
  const json line = json::parse(audit_line(local));
  EXPECT_TRUE(line.at("who").is_null());
  EXPECT_TRUE(line.at("peer").is_null());
  EXPECT_EQ(line.at("how"), "stdio");
}

TEST(AuditLine, HoldsNothingOfTheArgumentsButTheirDigest) {
  AuditedCall with_secret = call();
  with_secret.arguments = R"({"path":"/home/me/secret"})";
  const std::string line = audit_line(with_secret);
  EXPECT_THAT(line, testing::Not(testing::HasSubstr("secret")));
  EXPECT_EQ(json::parse(line).at("arguments_sha256"), registry::sha256_hex(with_secret.arguments));
}

TEST(AuditLine, StaysOneShortLineOfVisibleAsciiWhateverTheNamesHold) {
  const std::vector<std::string> hostile = {"a\nb",
                                            "\"},{\"who\":\"root",
                                            "\x1b[2J",
                                            "\xc2\x9b"
                                            "31m",
                                            "\xe2\x80\xae"
                                            "x",
                                            "\xff\xfe",
                                            "\x7f",
                                            "näme",
                                            std::string(1, '\0'),
                                            std::string(100'000, '\x01'),
                                            std::string(100'000, '\xff')};
  for (const std::string& text : hostile) {
    AuditedCall odd = call();
    odd.who.name = odd.who.name = text;
    odd.peer = odd.tool = odd.code = text;
    const std::string line = audit_line(odd);
    EXPECT_LE(line.size(), kLineBytes);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    for (const char c : line.substr(0, line.size() - 1)) ASSERT_TRUE(c >= 0x20 && c < 0x7F) << line;
    const json read_back = json::parse(line);
    EXPECT_EQ(read_back.at("how"), "token");
    EXPECT_EQ(read_back.size(), 10U);
  }
}

TEST(Audit, AppendsToAFileThatOnlyItsOwnerReads) {
  const Scratch folder;
  const std::string path = folder / "audit.jsonl";
  for (int i = 0; i < 2; ++i) {
    const auto audit = Audit::open(path);
    ASSERT_TRUE(audit);
    (*audit)->write(call());
    EXPECT_EQ((*audit)->lost(), 0U);
  }
  EXPECT_EQ(read(path), audit_line(call()) + audit_line(call()));
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(Audit, GoesOnInANewFileAfterTheOldOneWasMovedAway) {
  const Scratch folder;
  const auto audit = Audit::open(folder / "audit");
  ASSERT_TRUE(audit);
  (*audit)->write(call());
  std::filesystem::rename(folder / "audit", folder / "audit.1");
  (*audit)->write(call());
  ASSERT_TRUE((*audit)->reopen());
  (*audit)->write(call());
  EXPECT_EQ(read(folder / "audit.1"), audit_line(call()) + audit_line(call()));
  EXPECT_EQ(read(folder / "audit"), audit_line(call()));
}

TEST(Audit, KeepsTheOldFileWhenThereIsNoNewOneToBeHad) {
  const Scratch folder;
  std::filesystem::create_directory(folder / "logs");
  const auto audit = Audit::open(folder / "logs/audit");
  ASSERT_TRUE(audit);
  std::filesystem::rename(folder / "logs", folder / "old");
  EXPECT_EQ((*audit)->reopen().error().message,
            "cannot write the audit log " + (folder / "logs/audit") + ": No such file or directory");
  (*audit)->write(call());
  EXPECT_EQ(read(folder / "old/audit"), audit_line(call()));
}

TEST(Audit, RefusesWhatIsNotARegularFile) {
  const Scratch folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(Audit::open(folder / "pipe").error().message,
            "cannot write the audit log " + (folder / "pipe") + ": it is not a regular file");
  close(reader);
  EXPECT_FALSE(Audit::open(folder.path()));
}

TEST(Audit, CountsTheLinesThatAFullPipeCostsAndNeverWaits) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Audit audit(ends[1]);
  const std::uint64_t room = 65536 / audit_line(call()).size();
  for (std::uint64_t i = 0; i < room + 10; ++i) audit.write(call());
  EXPECT_GE(audit.lost(), 10U);
  std::string got(1U << 17, '\0');
  const ssize_t size = ::read(ends[0], got.data(), got.size());
  got.resize(static_cast<std::size_t>(size));
  EXPECT_EQ(got.size() % audit_line(call()).size(), 0U) << "whole lines only";
  audit.write(call());
  EXPECT_EQ(::read(ends[0], got.data(), got.size()), static_cast<ssize_t>(audit_line(call()).size()));
  close(ends[0]);
  close(ends[1]);
}

TEST(Audit, SurvivesADescriptorThatIsNone) {
  Audit audit(-1);
  audit.write(call());
  EXPECT_EQ(audit.lost(), 1U);
  EXPECT_TRUE(audit.reopen());
}

TEST(Audit, KeepsLinesOfManyThreadsWholeWhileItIsReopened) {
  const Scratch folder;
  const auto audit = Audit::open(folder / "audit");
  ASSERT_TRUE(audit);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) (*audit)->write(call());
    });
  }
  for (int i = 0; i < 20; ++i) EXPECT_TRUE((*audit)->reopen());
  for (auto& thread : threads) thread.join();
  std::string expected;
  for (int i = 0; i < 800; ++i) expected += audit_line(call());
  EXPECT_EQ(read(folder / "audit"), expected);
}

}  // namespace
}  // namespace plumbline::server::access
