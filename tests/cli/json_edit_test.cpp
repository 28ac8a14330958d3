#include "cli/json_edit.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace plumbline::cli {
namespace {

const std::vector<std::string> kPath = {"mcpServers", "plumbline"};

std::string with(std::string_view text, std::string_view value = R"({"command":"/p","args":["serve"]})") {
  const auto edited = with_json_member(text, kPath, value);
  return edited ? *edited : "error: " + edited.error().message;
}
std::string without(std::string_view text) {
  const auto edited = without_json_member(text, kPath);
  return edited ? *edited : "error: " + edited.error().message;
}
std::string member(std::string_view text) {
  const auto found = json_member(text, kPath);
  return !found ? "error: " + found.error().message : *found ? **found : "(none)";
}

TEST(JsonEdit, MakesAFileOfNothing) {
  const std::string made = "{\n  \"mcpServers\": {\n    \"plumbline\": {\n      \"command\": \"/p\"\n    }\n  }\n}\n";
  EXPECT_EQ(with("", R"({"command":"/p"})"), made);
  EXPECT_EQ(with(" \n", R"({"command":"/p"})"), made);
  EXPECT_EQ(with("\xEF\xBB\xBF", R"({"command":"/p"})"), "\xEF\xBB\xBF" + made);
}

TEST(JsonEdit, AddsBehindWhatIsThereInItsManner) {
  struct Case {
    std::string before, after;
  };
  const std::vector<Case> cases = {
      {"{}", "{\n  \"mcpServers\": {\n    \"plumbline\": 1\n  }\n}"},
      {"{\n    \"a\": 1\n}\n", "{\n    \"a\": 1,\n    \"mcpServers\": {\n        \"plumbline\": 1\n    }\n}\n"},
      {"{\n\t\"mcpServers\": {\n\t\t\"x\": {}\n\t}\n}", "{\n\t\"mcpServers\": {\n\t\t\"x\": {},\n\t\t\"plumbline\": 1\n\t}\n}"},
      {"{\n  \"mcpServers\": {}\n}", "{\n  \"mcpServers\": {\n    \"plumbline\": 1\n  }\n}"},
      {"{\"mcpServers\": {\"x\": {}}}", "{\"mcpServers\": {\"x\": {}, \"plumbline\": 1}}"},
      {"{\r\n  \"mcpServers\": {\r\n    \"x\": 0\r\n  }\r\n}\r\n",
       "{\r\n  \"mcpServers\": {\r\n    \"x\": 0,\r\n    \"plumbline\": 1\r\n  }\r\n}\r\n"},
      // comments and a trailing comma stay where they are
      {"{\n  \"mcpServers\": {\n    \"x\": 0 // the first\n    // the end\n  }\n}",
       "{\n  \"mcpServers\": {\n    \"x\": 0, // the first\n    // the end\n    \"plumbline\": 1\n  }\n}"},
      {"{\n  \"mcpServers\": {\n    \"x\": 0,\n  },\n}", "{\n  \"mcpServers\": {\n    \"x\": 0,\n    \"plumbline\": 1,\n  },\n}"},
      {"{\n  \"mcpServers\": {\n    // none yet\n  }\n}",
       "{\n  \"mcpServers\": {\n    // none yet\n    \"plumbline\": 1\n  }\n}"},
      {"// settings\n{ /* empty */ }\n", "// settings\n{ /* empty */\n  \"mcpServers\": {\n    \"plumbline\": 1\n  }\n}\n"},
  };
  for (const auto& [before, after] : cases) {
    EXPECT_EQ(with(before, "1"), after);
    EXPECT_EQ(member(after), "1") << after;
  }
}

TEST(JsonEdit, ReplacesAValueAndNothingElse) {
  EXPECT_EQ(with("{\"mcpServers\": {\"plumbline\": {\"old\": 1}, \"x\": 2}}", "[\"a\", \"b\"]"),
            "{\"mcpServers\": {\"plumbline\": [ \"a\", \"b\" ], \"x\": 2}}");
  EXPECT_EQ(with("{\n  \"mcpServers\": {\n    \"plumbline\": [\n      1\n    ] // ours\n  }\n}", "[2]"),
            "{\n  \"mcpServers\": {\n    \"plumbline\": [\n      2\n    ] // ours\n  }\n}");
}

TEST(JsonEdit, TakesOutWhatItPutIn) {
  for (const std::string before : {
           "{\n  \"mcpServers\": {\n    \"x\": 0\n  }\n}\n",
           "{\n  \"mcpServers\": {\n    // note\n    \"x\": 0, /* one */\n    \"y\": [1, 2,],\n  },\n}\n",
           "{\"mcpServers\": {\"x\": 0}}",
           "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {}\r\n\t}\r\n}\r\n",
           "{\n  \"mcpServers\": {}\n}\n",
       }) {
    const std::string after = with(before);
    EXPECT_NE(after, before);
    EXPECT_EQ(without(after), before) << after;
    EXPECT_EQ(without(before), before);
  }
}

TEST(JsonEdit, TakesOutTheFirstAndTheOneInTheMiddle) {
  EXPECT_EQ(without("{\n  \"mcpServers\": {\n    \"plumbline\": 1,\n    \"x\": 2\n  }\n}"),
            "{\n  \"mcpServers\": {\n    \"x\": 2\n  }\n}");
  EXPECT_EQ(without("{\"mcpServers\": {\"a\": 0, \"plumbline\": 1, \"x\": 2}}"), "{\"mcpServers\": {\"a\": 0, \"x\": 2}}");
  EXPECT_EQ(without("{\"mcpServers\": {\"a\": 0, /* why */ \"plumbline\": 1}}"), "{\"mcpServers\": {\"a\": 0 /* why */}}");
  EXPECT_EQ(without("{\"mcpServers\": {\"plumbline\": 1 /* why */}}"), "{\"mcpServers\": { /* why */}}");
}

TEST(JsonEdit, NeverLosesAComment) {
  const std::string lost = "error: line 3: a comment in \"plumbline\" would be lost";
  const std::string text = "{\"mcpServers\": {\n\"plumbline\": {\n// mine\n}}}";
  EXPECT_EQ(with(text), lost);
  EXPECT_EQ(without(text), lost);
  EXPECT_EQ(with("// only this\n"), "error: line 1: nothing but comments; where the object would go is a guess");
}

TEST(JsonEdit, ReadsCommentsTrailingCommasAndStringsThatLookLikeThem) {
  const auto json = nlohmann::json::parse(member(R"({"mcpServers": {"plumbline": {"a": "//x,]", /* c */ "b": [1, 2,], }}})"));
  EXPECT_EQ(json, nlohmann::json::parse(R"({"a": "//x,]", "b": [1, 2]})"));
  EXPECT_EQ(member(R"({"mcpServers": {"plumb\u006cine": true}})"), "true");
  EXPECT_EQ(member(R"({"other": {}})"), "(none)");
}

TEST(JsonEdit, SaysWhatIsWrongAndWhere) {
  struct Case {
    std::string text, message;
  };
  const std::vector<Case> cases = {
      {"[]", "line 1: an object ({ … }) expected"},
      {"{\"mcpServers\": []}", "line 1: \"mcpServers\" is not an object"},
      {"{\"mcpServers\": {},\n\"mcpServers\": {}}", "line 2: \"mcpServers\" is there twice"},
      {"{\n\"a\" 1}", "line 2: \":\" expected"},
      {"{\"a\": 1 \"b\": 2}", "line 1: \",\" or \"}\" expected"},
      {"{\"a\": nope}", "line 1: a value expected"},
      {"{\"a\": [1 2]}", "line 1: \",\" or \"]\" expected"},
      {"{\"a\": \"x\n\"}", "line 1: a string that does not end"},
      {"{\"a\": \"\\q\"}", "line 1: a string with an escape or character that JSON does not have"},
      {"{\"a\": 1} x", "line 1: something follows the end of the object"},
      {"{ /* a", "line 1: a comment that does not end"},
      {"{a: 1}", "line 1: a key in double quotes expected"},
      {"{\"a\":", "line 1: the text ends where a value is expected"},
      {"{\"a\": " + std::string(10'000, '[') + "}", "line 1: nested more than 200 deep"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(with(text), "error: " + message);
    EXPECT_EQ(member(text), "error: " + message);
  }
}

TEST(JsonEdit, NamesWhatStricterReadersDoNotAccept) {
  EXPECT_TRUE(check_strict_json("{\"a\": [1]}", false));
  EXPECT_TRUE(check_strict_json("// c\n{}", true));
  EXPECT_TRUE(check_strict_json("", false));
  EXPECT_EQ(check_strict_json("{\n// c\n}", false).error().message, "line 2: a comment, which JSON does not have");
  EXPECT_EQ(check_strict_json("{\"a\": [1,]}", true).error().message, "line 1: a trailing comma, which JSON does not have");
}

}  // namespace
}  // namespace plumbline::cli
