// What a client without sufficient credentials is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "server/access/challenge.hpp"

namespace plumbline::server::access {
namespace {

const ProtectedResource kLab{"https://perf.example:8443/mcp", "https://login.example"};

TEST(ProtectedResourceMetadata, NamesTheResourceItsIssuerAndTheScopes) {
  EXPECT_EQ(
      metadata_json(kLab),
      R"({"resource":"https://perf.example:8443/mcp","authorization_servers":["https://login.example"],)"
      R"("scopes_supported":["plumbline:read","plumbline:write"],"bearer_methods_supported":["header"],"resource_name":"plumbline"})");
}

TEST(ProtectedResourceMetadata, LeavesOutAuthorizationServersWhenThereAreOnlyStaticTokens) {
  const auto json = nlohmann::json::parse(metadata_json({"http://127.0.0.1:8080/mcp", ""}));
  EXPECT_FALSE(json.contains("authorization_servers"));
  EXPECT_EQ(json.at("resource"), "http://127.0.0.1:8080/mcp");
}

TEST(ProtectedResourceMetadata, LiesBetweenTheHostAndThePathOfTheResource) {
  EXPECT_EQ(metadata_url(kLab), "https://perf.example:8443/.well-known/oauth-protected-resource/mcp");
  EXPECT_EQ(metadata_url({"https://perf.example", ""}), "https://perf.example/.well-known/oauth-protected-resource");
  EXPECT_EQ(metadata_url({"https://perf.example/", ""}), "https://perf.example/.well-known/oauth-protected-resource");
  EXPECT_EQ(metadata_url({"http://[::1]:80/a/mcp", ""}), "http://[::1]:80/.well-known/oauth-protected-resource/a/mcp");
}

TEST(Challenge, WithoutCredentialsCarriesNoErrorCode) {
  EXPECT_EQ(
      challenge_missing(kLab, false),
      R"(Bearer scope="plumbline:read", resource_metadata="https://perf.example:8443/.well-known/oauth-protected-resource/mcp")");
}

TEST(Challenge, ForATokenThatIsNotValidSaysWhy) {
  EXPECT_EQ(challenge_invalid_token(kLab, true, "the token has expired"),
            R"(Bearer error="invalid_token", error_description="the token has expired", scope="plumbline:read plumbline:write", )"
            R"(resource_metadata="https://perf.example:8443/.well-known/oauth-protected-resource/mcp")");
}

TEST(Challenge, ForTooLittleScopeNamesAllThatTheOperationNeeds) {
  EXPECT_EQ(challenge_insufficient_scope(kLab, true),
            R"(Bearer error="insufficient_scope", error_description="the token does not allow writing", )"
            R"(scope="plumbline:read plumbline:write", )"
            R"(resource_metadata="https://perf.example:8443/.well-known/oauth-protected-resource/mcp")");
  EXPECT_THAT(challenge_insufficient_scope(kLab, false), testing::HasSubstr(R"(scope="plumbline:read",)"));
}

TEST(Challenge, ForAMalformedHeaderAsksForNoScope) {
  EXPECT_EQ(challenge_invalid_request(kLab, "the Authorization header is malformed"),
            R"(Bearer error="invalid_request", error_description="the Authorization header is malformed", )"
            R"(resource_metadata="https://perf.example:8443/.well-known/oauth-protected-resource/mcp")");
}

TEST(Challenge, StaysOneLineOfQuotedStringsWhateverTheTextsHold) {
  const std::string value = challenge_invalid_token({"https://h\"\r\n/mcp", ""}, false, "a\"b\\c\r\nSet-Cookie: x\x7F\xC3\xB6");
  EXPECT_THAT(value, testing::HasSubstr(R"(error_description="a'b'c??Set-Cookie: x???")"));
  for (const char c : value) EXPECT_TRUE(c >= 0x20 && c < 0x7F);
  EXPECT_EQ(std::count(value.begin(), value.end(), '"'), 8);
}

}  // namespace
}  // namespace plumbline::server::access
