// --redact of pprof profiles: frames and values stay, every other string goes.
#include <gtest/gtest.h>

#include <algorithm>

#include "profiles/readers/host/host_profiles.hpp"
#include "profiles/redaction/pprof_redactor.hpp"
#include "tests/profiles/protobuf_writer.hpp"

namespace plumbline::profiles::test {
namespace {

// Strings: 1 samples 2 count 3 cpu 4 nanoseconds 5 and 6 functions 7 a file 8 a build id 9 a label and 10 its value 11 a source
// file
std::string profile(const std::string& first = "main", const std::string& second = "work") {
  std::string strings;
  for (const std::string& text : {std::string(), std::string("samples"), std::string("count"), std::string("cpu"),
                                  std::string("nanoseconds"), first, second, std::string("/home/alice/libc-2.31.so"),
                                  std::string("alice-id"), std::string("user"), std::string("alice"), std::string("alice.c")})
    strings += bytes(6, text);
  const auto line = [](std::uint64_t function) { return bytes(4, number(1, function) + number(2, 42)); };
  return bytes(1, number(1, 1) + number(2, 2)) + bytes(1, number(1, 3) + number(2, 4)) +
         bytes(2, packed(1, {2, 1}) + packed(2, {3, 30}) + bytes(3, number(1, 9) + number(2, 10))) +
         bytes(2, packed(1, {3, 1}) + packed(2, {1, 10})) + bytes(3, number(1, 1) + number(5, 7) + number(6, 8)) +
         bytes(4, number(1, 1) + line(11)) + bytes(4, number(1, 2) + line(12)) +
         bytes(4, number(1, 3) + number(2, 1) + number(3, 0x7F00)) + bytes(5, number(1, 11) + number(2, 5) + number(4, 11)) +
         bytes(5, number(1, 12) + number(2, 6)) + strings + number(10, 5'000'000'000) + number(13, 10) + bytes(99, "alice");
}

TEST(RedactedPprof, FramesStayAndEveryOtherStringGoes) {
  const auto done = redacted_pprof_bytes(profile(), "x.pb");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->bytes.find("alice"), std::string::npos);
  EXPECT_EQ(done->bytes.find("user"), std::string::npos);
  const auto before = read_pprof_bytes(profile(), "x.pb"), after = read_pprof_bytes(done->bytes, "x.pb");
  ASSERT_TRUE(before && after);
  ASSERT_EQ(before->frames.size(), after->frames.size());
  for (std::size_t i = 0; i < before->frames.size(); ++i) {
    EXPECT_EQ(before->frames[i].name, after->frames[i].name);
    EXPECT_EQ(before->frames[i].self, after->frames[i].self);
    EXPECT_EQ(before->frames[i].total, after->frames[i].total);
  }
  EXPECT_EQ(after->frames_kind, "cpu");
  EXPECT_EQ(after->frames_unit, "ns");
  EXPECT_EQ(after->frames_duration_ns, before->frames_duration_ns);
  std::string said;
  for (const auto& place : done->taken_out) said += place.what + " " + std::to_string(place.count) + "\n";
  EXPECT_EQ(said, "strings 4\ncomments 1\nfields that are not kept 1\nlabels 1\n");
}

TEST(RedactedPprof, FunctionsThatDifferInASecretStayTwo) {
  const auto done = redacted_pprof_bytes(profile("run --token bbbb2222", "run --token aaaa1111"), "x.pb");
  ASSERT_TRUE(done) << done.error().message;
  const auto after = read_pprof_bytes(done->bytes, "x.pb");
  ASSERT_TRUE(after);
  std::vector<std::string> names;
  for (const Frame& frame : after->frames) names.push_back(frame.name);
  EXPECT_NE(std::find(names.begin(), names.end(), "run --token [redacted]"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "run --token [redacted] #2"), names.end());
}

TEST(RedactedPprof, WhatIsNoWholeProfileIsRefused) {
  const std::string whole = profile();
  EXPECT_FALSE(redacted_pprof_bytes(whole.substr(0, whole.size() - 3), "x.pb"));
  EXPECT_FALSE(redacted_pprof_bytes("heap profile: 1: 2", "x.pb"));
}

}  // namespace
}  // namespace plumbline::profiles::test
