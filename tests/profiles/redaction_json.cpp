// --redact of JSON captures: what is known goes into the copy, nothing else does, wherever the text is cut into pieces.
#include "profiles/readers/readers.hpp"
#include "profiles/redact.hpp"
#include "profiles/redaction/json_redactor.hpp"
#include "tests/profiles/fixture.hpp"
#include "tests/profiles/trace_text.hpp"

namespace plumbline::profiles::test {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 20U;

std::string redacted(std::string_view text, JsonCapture capture = JsonCapture::trace_events) {
  const auto whole = redacted_json(*memory_bytes(text), capture, kMost, "t.json");
  if (!whole) return whole.error().message;
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    const auto pieces = redacted_json(*memory_bytes(text, piece), capture, kMost, "t.json");
    EXPECT_TRUE(pieces && pieces->bytes == whole->bytes) << "in pieces of " << piece;
  }
  return whole->bytes;
}

TEST(RedactedJson, KnownMembersAndNamesStay) {
  EXPECT_EQ(redacted("[" + kernel_event("gemm<a \\\"b\\\" \\u00e9>", "1712195495519689.123", "10.5") + "]"),
            R"([{"ph":"X","cat":"kernel","name":"gemm<a \"b\" \u00e9>","pid":0,"tid":7,"ts":1712195495519689.123,"dur":10.5,)"
            R"("args":{"queued":0,"device":0,"context":1,"stream":7,"grid":[200,2,1],"block":[128,1,1],"correlation":7}}])");
}

TEST(RedactedJson, MembersThatNobodyKnowsGoWithAllBelowThem) {
  EXPECT_EQ(redacted(R"({"metadata": {"env": {"A": "x"}, "n": [1, {"b": "c"}]}, "schemaVersion": 1, "x": "y", "traceEvents": [)"
                     R"({"ph": "X", "secretly": 5, "args": {"Call stack": "a.py", "stream": 7, "odd": {"stream": 8}}}]})"),
            R"({"schemaVersion":1,"traceEvents":[{"ph":"X","args":{"stream":7}}]})");
  EXPECT_EQ(redacted(R"({"schem\u0061Version": 1, "env": "A=1"})"), "{}") << "a key counts as it is spelled";
}

TEST(RedactedJson, TextsUnderKeysOfNumbersGo) {
  EXPECT_EQ(redacted(R"([{"ts": "12.5", "dur": "word", "id": "0x7f", "args": {"stream": "7", "grid": ["4", "x", 1]}}])"),
            R"([{"ts":"12.5","dur":"[redacted]","id":"0x7f","args":{"stream":"7","grid":["4","[redacted]",1]}}])");
}

struct TextCase {
  const char *given, *kept;
};
class JsonTextRules : public ::testing::TestWithParam<TextCase> {};
TEST_P(JsonTextRules, KeepWhatIsKnown) {
  EXPECT_EQ(redacted("[{" + std::string(GetParam().given) + "}]"), "[{" + std::string(GetParam().kept) + "}]");
}
INSTANTIATE_TEST_SUITE_P(
    All, JsonTextRules,
    ::testing::Values(
        TextCase{R"("ph":"X","cat":"kernel")", R"("ph":"X","cat":"kernel")"},
        TextCase{R"("ph":"XY","cat":"a word")", R"("ph":"[redacted]","cat":"[redacted]")"},
        TextCase{R"("cat":"somebodys_runtime")", R"("cat":"cuda_runtime")"},
        TextCase{R"("pid":"Spans","tid":"stream 7")", R"("pid":"Spans","tid":"stream 7")"},
        TextCase{R"("pid":"box","tid":"den")", R"("pid":"[redacted]","tid":"[redacted] #2")"},
        TextCase{R"x("args":{"name":"Stream #7(of alice)","dtype":"Float"})x", R"("args":{"name":"Stream #7","dtype":"Float"})"},
        TextCase{R"("args":{"name":"of box /device:GPU:3 x","dtype":"x"})",
                 R"("args":{"name":"/device:GPU:3","dtype":"[redacted]"})"},
        TextCase{R"("args":{"name":"python3","Collective name":"_allgather_base"})",
                 R"("args":{"name":"python3","Collective name":"_allgather_base"})"},
        TextCase{R"("args":{"name":"train.sh","Collective name":"my allreduce x"})",
                 R"("args":{"name":"[redacted]","Collective name":"all_reduce"})"},
        TextCase{R"("args":{"Process Group Name":"mesh_tp"})", R"("args":{"Process Group Name":"mesh_tp"})"},
        TextCase{R"("args":{"Process Group Name":"alice"})", R"("args":{"Process Group Name":"[redacted]"})"},
        TextCase{R"("args":{"kernel_details":"regs:32 user:alice grid:2,1,1 block:128,1,1"})",
                 R"("args":{"kernel_details":"regs:32 grid:2,1,1 block:128,1,1"})"},
        TextCase{R"("args":{"memcpy_details":"kind_src:pageable kind_dst:alice size:8"})",
                 R"("args":{"memcpy_details":"kind_src:pageable size:8"})"},
        TextCase{R"("name":"run \"--api-key=sk-aaaa1111bbbb2222\" \\ x")", R"("name":"run \"--api-key=[redacted]\" \\ x")"},
        TextCase{R"("name":"SSH_CONNECTION=10.0.0.1 22")", R"("name":"SSH_CONNECTION=[redacted]")"}));

// As a reader of the original numbers them: in the order of what they were, not of their coming.
TEST(RedactedJson, NamesThatDifferInASecretStayTwo) {
  EXPECT_EQ(
      redacted(
          R"([{"name":"run --token bbbb2222"},{"name":"x"},{"name":"run --token aaaa1111"},{"name":"run --token bbbb2222"}])"),
      "[{\"name\":\"run --token [redacted] #2\"},\n{\"name\":\"x\"},\n{\"name\":\"run --token [redacted]\"},\n"
      "{\"name\":\"run --token [redacted] #2\"}]");
}

TEST(RedactedJson, ReportsOfNsysStats) {
  EXPECT_EQ(redacted(R"x([{"Total Time (ns)": 300, "Avg (us)": "1.5", "Name": "gemm", "Device": "NVIDIA H100 (0)", "Odd": "x", )x"
                     R"x("Total Time (of alice)": 1, "SrcMemKd": "Pageable", "DstMemKd": "alice"}])x",
                     JsonCapture::nsys_stats),
            R"x([{"Total Time (ns)":300,"Avg (us)":"1.5","Name":"gemm","Device":"NVIDIA H100 (0)","SrcMemKd":"Pageable",)x"
            R"x("DstMemKd":"[redacted]"}])x");
}

TEST(RedactedJson, SaysWhatWasLeftOut) {
  const auto done = redacted_json(
      *memory_bytes(R"({"environ": "A=1", "odd": 1, "Odd": 2, "traceEvents": [{"args": {"Call stack": "x", "stream": "x"}}]})"),
      JsonCapture::trace_events, kMost, "t.json");
  ASSERT_TRUE(done);
  std::string said;
  for (const auto& place : done->taken_out) said += place.what + " " + std::to_string(place.count) + "\n";
  EXPECT_EQ(said, "members that are not known 2\nCall stack 1\nenvironments 1\nstream 1\n");
}

TEST(RedactedJson, ACutTextIsTakenAndLosesItsOpenString) {
  EXPECT_EQ(redacted(R"({"env": {"A": "b"}, "traceEvents": [{"name": "do-not-pri)"), R"({"traceEvents":[{)");
}

TEST(RedactedJson, WhatIsNotJsonIsRefused) {
  for (const std::string_view text : {R"({"a": "b" "c": "d"})", R"({"a" "b"})", R"([1, 2})", "{\"a\": @}", "}", R"({"a": {}} x)",
                                      R"([plain_word])", R"({"x": word})", R"({"a":})"}) {
    EXPECT_EQ(redacted(text),
              "t.json cannot be redacted: it is not whole JSON, so nothing says what in it is a name and what a value")
        << text;
  }
  EXPECT_EQ(redacted(std::string(600, '[')).substr(0, 24), "t.json cannot be redacte");
}

TEST(RedactedJson, IsBounded) {
  const auto refused = redacted_json(*memory_bytes(std::string(kMost + 1, ' ')), JsonCapture::trace_events, kMost, "t.json");
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
  EXPECT_EQ(error(stacks).message,
            stacks + " cannot be redacted: of captures only SQLite exports, JSON traces and pprof profiles can be");
  EXPECT_EQ(error(stacks).hint.find("nsys"), std::string::npos);
  const std::string report = scratch.write("x.nsys-rep", "NVIDIA Tegra Profiler Report...");
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
  EXPECT_EQ(clean->bytes.find("do-not-print-me"), std::string::npos);
  const auto before = read(path, {}), after = read(scratch.write("clean.json", clean->bytes), {});
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->environment_rows, 1U);
  EXPECT_EQ(after->environment_rows, 0U);
  EXPECT_EQ(after->info.kernel_ns, before->info.kernel_ns);
}

}  // namespace
}  // namespace plumbline::profiles::test
