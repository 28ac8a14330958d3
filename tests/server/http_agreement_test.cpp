#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "server/transport/http/agreement.hpp"
#include "server/transport/http/negotiation.hpp"

namespace plumbline::server::transport::http {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

Request with(Headers headers) {
  Request request;
  request.headers = std::move(headers);
  return request;
}

TEST(OneHeader, IsOneWhenItSaysTheSameThroughout) {
  struct Case {
    Headers headers;
    std::optional<std::string> value;
    bool conflict;
  };
  for (const auto& [headers, value, conflict] : std::vector<Case>{
           {{}, std::nullopt, false},
           {{{"a", "x"}}, "x", false},
           {{{"a", "x"}, {"a", "x"}}, "x", false},
           {{{"a", "x, x"}}, "x", false},
           {{{"a", "x"}, {"a", "x,x"}}, "x", false},
           {{{"a", "x, y"}}, "x, y", false},
           {{{"a", "x"}, {"b", "z"}, {"a", "y"}}, "x", true},
           {{{"a", ""}}, "", false},
       }) {
    bool found = false;
    EXPECT_EQ(with(headers).one("a", found), value);
    EXPECT_EQ(found, conflict);
  }
}

TEST(HeaderParams, AreFoundThroughPropertiesAlone) {
  const auto names = [](const char* schema) {
    std::vector<std::string> found;
    for (const HeaderParam& param : header_params(json::parse(schema))) {
      std::string text = param.header + " =";
      for (const std::string& step : param.path) text += " " + step;
      found.push_back(text);
    }
    return found;
  };
  EXPECT_THAT(names(R"({"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string"}}})"),
              ElementsAre("mcp-param-region = a"));
  EXPECT_THAT(names(R"({"properties":{"o":{"type":"object","properties":{"i":{"type":"integer","x-mcp-header":"N"}}}}})"),
              ElementsAre("mcp-param-n = o i"));
  // Everything else is no annotation.
  for (const char* schema : {
           R"({"properties":{"a":{"type":"number","x-mcp-header":"X"}}})",
           R"({"properties":{"a":{"type":"object","x-mcp-header":"X"}}})",
           R"({"properties":{"a":{"x-mcp-header":"X"}}})",
           R"({"properties":{"a":{"type":"string","x-mcp-header":""}}})",
           R"({"properties":{"a":{"type":"string","x-mcp-header":"a b"}}})",
           R"({"properties":{"a":{"type":"string","x-mcp-header":"a\r\nb"}}})",
           R"({"properties":{"a":{"type":"string","x-mcp-header":7}}})",
           R"({"properties":{"a":{"type":"array","items":{"properties":{"b":{"type":"string","x-mcp-header":"X"}}}}}})",
           R"({"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"X"}}}]})",
           R"({"properties":[]})",
           R"([])",
           R"(null)",
       }) {
    EXPECT_THAT(names(schema), IsEmpty()) << schema;
  }
}

TEST(DecodedValue, IsTheValueOrWhatItsBase64Holds) {
  const std::vector<std::pair<std::string, std::optional<std::string>>> cases = {
      {"us-west1", "us-west1"},
      {"", ""},
      {"a\tb", "a\tb"},
      {"=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"},
      {"=?base64?IHBhZGRlZCA=?=", " padded "},
      {"=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"},
      {"=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="},
      {std::string("=?base64?") + "?=", ""},
      {"=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="},  // the markers are case-sensitive
      {"=?base64?=", "=?base64?="},
      {"=?base64?SGVsbG8?=", std::nullopt},   // no padding
      {"=?base64?SGVsbG9=?=", std::nullopt},  // stray bits
      {"=?base64?SGVs-_8=?=", std::nullopt},  // another alphabet
      {"=?base64?=AAA?=", std::nullopt},
      {"=?base64?AA==AA==?=", std::nullopt},
      {"=?base64?A===?=", std::nullopt},
      {"größe", std::nullopt},
      {std::string("a\0b", 3), std::nullopt},
      {"a\x7f", std::nullopt},
  };
  for (const auto& [value, meant] : cases) EXPECT_EQ(decoded_value(value), meant) << value;
}

// Integers beyond what a double holds exactly are equal only digit by digit.
TEST(Disagreement, ComparesNumbersAsNumbers) {
  const std::vector<HeaderParam> params = {{"mcp-param-n", {"n"}}};
  const auto agrees = [&](const char* arguments, const std::string& header) {
    jsonrpc::Message message;
    message.kind = jsonrpc::Message::Kind::request;
    message.method = "x";
    message.params = std::make_shared<const json>(json{{"arguments", json::parse(arguments)}});
    return !disagreement(with({{"mcp-method", "x"}, {"mcp-param-n", header}}), message, params);
  };
  EXPECT_TRUE(agrees(R"({"n":42})", "42"));
  EXPECT_TRUE(agrees(R"({"n":42})", "42.0"));
  EXPECT_TRUE(agrees(R"({"n":42.0})", "42"));
  EXPECT_TRUE(agrees(R"({"n":-7})", "-7"));
  EXPECT_TRUE(agrees(R"({"n":9007199254740993})", "9007199254740993"));
  EXPECT_FALSE(agrees(R"({"n":9007199254740993})", "9007199254740992"));
  EXPECT_FALSE(agrees(R"({"n":42})", "0x2a"));
  EXPECT_FALSE(agrees(R"({"n":42})", "nan"));
  EXPECT_FALSE(agrees(R"({"n":42})", ""));
  EXPECT_FALSE(agrees(R"({"n":[42]})", "42"));  // an array has no text that a header could carry
}

TEST(Accepted, FollowsTheMostSpecificRange) {
  struct Case {
    const char* accept;
    bool json, events;
  };
  for (const auto& [accept, json_too, events] : std::vector<Case>{
           {"application/json, text/event-stream", true, true},
           {"Application/JSON", true, false},
           {"text/*", false, true},
           {"*/*", true, true},
           {"text/event-stream;q=0.5, */*;q=0", false, true},
           {"application/json;q=0.000, */*", false, true},
           {"application/json;q=0.001", true, false},
           {"application/json;charset=utf-8;q=1", true, false},
           {",,", true, true},
           {"text/html", false, false},
       }) {
    const Accepted found = accepted(with({{"accept", accept}}));
    EXPECT_EQ(found.json, json_too) << accept;
    EXPECT_EQ(found.events, events) << accept;
  }
  EXPECT_TRUE(accepted(with({{"accept", "application/json"}, {"accept", "text/event-stream"}})).events);
  EXPECT_TRUE(accepted(with({})).json);
}

}  // namespace
}  // namespace plumbline::server::transport::http
