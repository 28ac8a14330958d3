// --redact of JSON captures: values go, everything else stays byte for byte, wherever the text is cut into pieces.
#include "profiles/redact_json.hpp"

#include "profiles/readers/readers.hpp"
#include "profiles/redact.hpp"
#include "tests/profiles/fixture.hpp"
#include "tests/profiles/trace_text.hpp"

namespace plumbline::profiles::test {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 20U;

std::string redacted(std::string_view text) {
  const auto whole = redacted_json(*memory_bytes(text), kMost, "t.json");
  if (!whole) return whole.error().message;
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    const auto pieces = redacted_json(*memory_bytes(text, piece), kMost, "t.json");
    EXPECT_TRUE(pieces && *pieces == *whole) << "in pieces of " << piece;
  }
  return *whole;
}

TEST(RedactedJson, WhatHoldsNoSecretStaysByteForByte) {
  const std::string text = trace({kernel_event("gemm<a \\\"b\\\" \\u00e9>", "1712195495519689.123", "10.5")},
                                 "\"n\" : [ 1, -2.5e3, NaN, true, null, \"\" ],\t\"tokens\": 5, \"token\": 7");
  EXPECT_EQ(redacted(text), text);
}

TEST(RedactedJson, EnvironmentsLoseAllTheirValues) {
  EXPECT_EQ(
      redacted(R"({"m": {"env": {"A": "x\"y", "N": 12, "L": ["p", {"q": "r"}], "Z": null}, "os": "Linux"}, "environ": "A=1"})"),
      R"({"m": {"env": {"A": "[redacted]", "N": "[redacted]", "L": ["[redacted]", {"q": "[redacted]"}], "Z": null}, )"
      R"("os": "Linux"}, "environ": "[redacted]"})");
  EXPECT_EQ(redacted(R"({"\u0065nv": {"A": "x"}, "a": "x"})"), R"({"\u0065nv": {"A": "[redacted]"}, "a": "x"})");
}

TEST(RedactedJson, SecretsByNameAndInsideTexts) {
  EXPECT_EQ(redacted(R"({"api_key": "x", "password": ["a", {"b": "c"}], "token": {"text": "the"}})"),
            R"({"api_key": "[redacted]", "password": ["[redacted]", {"b": "[redacted]"}], "token": {"text": "the"}})");
  EXPECT_EQ(redacted(R"({"name": "run \"--api-key=sk-aaaa1111bbbb2222\" \\ x"})"),
            R"({"name": "run \"--api-key=[redacted]\" \\ x"})");
  EXPECT_EQ(redacted(R"(["run", "--token", "x1", "y"])"), R"(["run", "--token", "[redacted]", "y"])");
}

TEST(RedactedJson, ACutTextIsTakenAndLosesItsOpenString) {
  EXPECT_EQ(redacted(R"({"env": {"A": "b"}, "traceEvents": [{"name": "do-not-pri)"),
            R"({"env": {"A": "[redacted]"}, "traceEvents": [{"name": )");
}

TEST(RedactedJson, WhatIsNotJsonIsRefused) {
  for (const std::string_view text :
       {R"({"a": "b" "c": "d"})", R"({"a" "b"})", R"([1, 2})", "{\"a\": @}", "}", R"({"a": {}} x)"}) {
    EXPECT_EQ(redacted(text),
              "t.json cannot be redacted: it is not whole JSON, so nothing says what in it is a name and what a value")
        << text;
  }
  EXPECT_EQ(redacted(std::string(600, '[')).substr(0, 24), "t.json cannot be redacte");
}

TEST(RedactedJson, IsBounded) {
  const auto refused = redacted_json(*memory_bytes(std::string(kMost + 1, ' ')), kMost, "t.json");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::ErrorCode::limit_exceeded);
  EXPECT_EQ(refused.error().message, "t.json cannot be redacted: its text is longer than 1 MiB, the most that is");
}

// The hint must be one that works.
TEST(RedactedCapture, OthersAreRefusedWithAReason) {
  const Scratch scratch;
  const auto error = [](const std::string& path) {
    const auto refused = redacted_capture(path, {});
    return refused ? core::Error() : refused.error();
  };
  core::Error folder = error(scratch.path());
  EXPECT_EQ(folder.message, scratch.path() + " cannot be redacted: it is a folder");
  EXPECT_EQ(folder.hint.find("nsys"), std::string::npos);
  const std::string stacks = scratch.write("x.folded", "main;a 5\nmain;b 6\n");
  EXPECT_EQ(error(stacks).message, stacks + " cannot be redacted: of captures only SQLite exports and JSON traces can be");
  EXPECT_EQ(error(stacks).hint.find("nsys"), std::string::npos);
  const std::string report = scratch.write("x.nsys-rep", std::string(kNsysRepMagic) + "...");
  EXPECT_EQ(error(report).message, report + " cannot be redacted: it is a report in Nsight Systems' own form");
  EXPECT_EQ(error(report).hint,
            "export it first (nsys export -t sqlite --lazy=true -o x.sqlite FILE) and record the export with --redact");
}

TEST(RedactedCapture, ATraceReadsAsBefore) {
  const Scratch scratch;
  const std::string path =
      scratch.write("t.json", trace({kernel_event("gemm", "1", "10")}, R"("metadata": {"env": {"A": "do-not-print-me-1234"}})"));
  const auto clean = redacted_capture(path, {});
  ASSERT_TRUE(clean) << clean.error().message;
  EXPECT_EQ(clean->find("do-not-print-me"), std::string::npos);
  const auto before = read(path, {}), after = read(scratch.write("clean.json", *clean), {});
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->environment_rows, 1U);
  EXPECT_EQ(after->environment_rows, 0U);
  EXPECT_EQ(after->info.kernel_ns, before->info.kernel_ns);
}

}  // namespace
}  // namespace plumbline::profiles::test
