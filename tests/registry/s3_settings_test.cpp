// Whose server, whose keys, and how it is spoken to: settings, signatures, answers and the connection under them.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <map>

#include "net/http_client.hpp"
#include "registry/io.hpp"
#include "registry/s3/client.hpp"
#include "registry/s3/ini.hpp"
#include "registry/s3/signing.hpp"
#include "registry/s3/xml.hpp"
#include "tests/registry/s3_server.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {

namespace {

using core::ErrorCode;

TEST(S3Settings, ReadsWhatTheToolsOfAwsRead) {
  const Scratch scratch;
  const std::string credentials = scratch.write("credentials",
                                                "[default]\naws_access_key_id = A\naws_secret_access_key=B\n[ci]\n"
                                                "aws_access_key_id = C\naws_secret_access_key = D=\naws_session_token=E\n");
  const std::string config = scratch.write("config",
                                           "[default]\nregion = eu-central-1\n[profile ci]\nregion=us-west-2\ns3 =\n"
                                           "  addressing_style = path\nendpoint_url = https://s3.example.org:7480\n");
  std::map<std::string, std::string, std::less<>> values = {{"AWS_SHARED_CREDENTIALS_FILE", credentials},
                                                            {"AWS_CONFIG_FILE", config}};
  const s3::Environment environment = [&values](std::string_view name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  auto settings = s3::settings_of("s3://bucket/a/b/", environment);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->address.text(), "s3://bucket/a/b");
  EXPECT_EQ(settings->endpoint.authority, "bucket.s3.eu-central-1.amazonaws.com");
  EXPECT_TRUE(settings->endpoint.tls);
  EXPECT_FALSE(settings->path_style);
  EXPECT_EQ(s3::CredentialSource(environment, *settings).get()->key_id, "A");
  values["AWS_PROFILE"] = "ci";
  settings = s3::settings_of("s3://bucket", environment);
  EXPECT_EQ(settings->endpoint.authority, "s3.example.org:7480");
  EXPECT_TRUE(settings->path_style);
  EXPECT_EQ(settings->region, "us-west-2");
  EXPECT_EQ(s3::CredentialSource(environment, *settings).get()->secret, "D=");
  EXPECT_EQ(s3::CredentialSource(environment, *settings).get()->token, "E");
  values["AWS_PROFILE"] = "none";
  const std::string no_profile = "AWS_PROFILE names \"none\", and no file has that profile";
  EXPECT_EQ(s3::CredentialSource(environment, *settings).get().error().message, no_profile);
  EXPECT_EQ(s3::settings_of("s3://bucket", environment).error().message, no_profile);
  values.erase("AWS_PROFILE");
  values["AWS_REGION"] = "cn-north-1";
  EXPECT_EQ(s3::settings_of("s3://bucket", environment)->endpoint.authority, "bucket.s3.cn-north-1.amazonaws.com.cn");
  values["AWS_SHARED_CREDENTIALS_FILE"] = scratch / "no-credentials";
  EXPECT_EQ(s3::CredentialSource(environment, *settings).get().error().message, "no credentials for s3://bucket");
  values["AWS_ENDPOINT_URL"] = "https://storage.googleapis.com";
  EXPECT_TRUE(s3::settings_of("s3://bucket", environment)->google);
  values["AWS_ENDPOINT_URL"] = "http://s3.example.org";
  EXPECT_EQ(s3::settings_of("s3://bucket", environment).error().message,
            "the store's server would be asked without TLS: http://s3.example.org");
  EXPECT_EQ(s3::settings_of("gs://bucket", environment).error().message, "no store has an address such as \"gs://bucket\"");
  EXPECT_EQ(s3::settings_of("s3://bucket/a/../b", environment).error().message,
            "the prefix of \"s3://bucket/a/../b\" is no path of safe path segments");
}

TEST(S3Settings, ShowsNoKeysOfAnAddress) {
  const Scratch scratch;
  std::map<std::string, std::string, std::less<>> values = {
      {"AWS_CONFIG_FILE", scratch.write("config", "[profile ci]\nendpoint_url = k:s@h\n")}};
  const s3::Environment environment = [&values](std::string_view name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  const auto said = [&](const std::string& address) {
    const auto settings = s3::settings_of(address, environment);
    return settings ? std::string() : settings.error().message + settings.error().hint + settings.error().where;
  };
  for (const std::string address : {"s3://AKIAKEY:SECRETWORD@bucket/p", "s3://AKIAKEY:SECRET/WORD@bucket",
                                    "gs://AKIAKEY:SECRETWORD@bucket", "AKIAKEY:SECRETWORD@bucket"}) {
    EXPECT_EQ(said(address).find("WORD"), std::string::npos) << said(address);
    EXPECT_NE(said(address).find("***@bucket"), std::string::npos) << said(address);
  }
  const char* const kWith = "https://AKIAKEY:SECRETWORD@host";
  for (const char* name : {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}) {
    values[name] = kWith;
    EXPECT_EQ(s3::settings_of("s3://bucket", environment).error().message,
              std::string(name) + " is no server's URL: \"https://***@host\"");
    values.erase(name);
  }
  values["AWS_PROFILE"] = "ci";
  EXPECT_EQ(s3::settings_of("s3://bucket", environment).error().message,
            "endpoint_url of the profile \"ci\" is no server's URL: \"https://***@h\"");
  values = {{"AWS_ROLE_ARN", "a"},
            {"AWS_WEB_IDENTITY_TOKEN_FILE", scratch.write("token", "a web identity\n")},
            {"AWS_ENDPOINT_URL_STS", kWith}};
  EXPECT_EQ(s3::CredentialSource(environment, *s3::settings_of("s3://bucket", environment)).get().error().message,
            "AWS_ENDPOINT_URL_STS is no server's URL: \"https://***@host\"");
}

TEST(S3Settings, TakesTheRoleOfAWebIdentityAndOfAMachine) {
  if (std::getenv("PLUMBLINE_TEST_S3") != nullptr) GTEST_SKIP() << "a real server gives no roles here";
  const Scratch scratch;
  std::map<std::string, std::string, std::less<>> values = {
      {"AWS_ENDPOINT_URL", common_server().endpoint()},
      {"AWS_ENDPOINT_URL_STS", common_server().endpoint()},
      {"AWS_ROLE_ARN", "arn:aws:iam::1:role/ci"},
      {"AWS_WEB_IDENTITY_TOKEN_FILE", scratch.write("token", "a web identity\n")},
      {"PLUMBLINE_CACHE_DIR", scratch / "cache"}};
  const s3::Environment environment = [&values](std::string_view name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  const auto of_identity = open_store({{}, "s3://perf/roles", {}, {}, environment});
  EXPECT_FALSE(publish_entry(*of_identity).slug.empty());
  values.erase("AWS_ROLE_ARN");
  EXPECT_EQ(open_store({{}, "s3://perf/roles", {}, {}, environment})->slugs(Kind::entry, "demo", "throughput").error().message,
            "no credentials for s3://perf/roles");
  values["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = common_server().endpoint();
  values["PLUMBLINE_S3_INSTANCE_METADATA"] = "1";
  EXPECT_EQ(open_store({{}, "s3://perf/roles", {}, {}, environment})->slugs(Kind::entry, "demo", "throughput")->size(), 1U);
}

// The example of the specification ("GET Object" of "Examples: signature calculations").
TEST(S3Signing, SignsAsTheSpecificationDoes) {
  s3::Settings settings;
  settings.region = "us-east-1";
  s3::Signed request;
  request.method = "GET";
  request.host = "examplebucket.s3.amazonaws.com";
  request.path = "/test.txt";
  request.headers = {{"range", "bytes=0-9"}};
  request.payload_sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  request.time = *parse_time("2013-05-24T00:00:00Z");
  const auto headers =
      s3::signed_headers(request, settings, {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", {}});
  EXPECT_TRUE(headers.back().second.ends_with("Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"))
      << headers.back().second;
}

// The example of "Authenticating Requests: Using Query Parameters".
TEST(S3Signing, SignsAnAddressAsTheSpecificationDoes) {
  s3::Settings settings;
  settings.region = "us-east-1";
  s3::Signed request;
  request.method = "GET";
  request.host = "examplebucket.s3.amazonaws.com";
  request.path = "/test.txt";
  request.time = *parse_time("2013-05-24T00:00:00Z");
  const s3::Credentials credentials = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", {}};
  EXPECT_EQ(s3::presigned_query(request, std::chrono::hours(24), settings, credentials),
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&"
            "X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&"
            "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(S3Answers, AreReadWithoutBelievingThem) {
  EXPECT_EQ(s3::element("<A><Key>a&amp;b &#x4e;&#228;</Key></A>", "Key"), "a&b N\xC3\xA4");
  EXPECT_EQ(s3::element("<A><KeyCount>3</KeyCount><Key/></A>", "Key"), "");
  EXPECT_EQ(s3::element("<A><Key>", "Key"), std::nullopt);
  EXPECT_EQ(s3::element("", "Key"), std::nullopt);
  EXPECT_EQ(s3::elements("<Contents><Key>a</Key></Contents><Contents x='1'><Key>b</Key></Contents>", "Contents").size(), 2U);
}

// Takes connections, and nothing of what is sent.
class Deaf {
 public:
  Deaf() : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (::bind(listening_.get(), reinterpret_cast<sockaddr*>(&at), size) != 0 || ::listen(listening_.get(), 4) != 0 ||
        ::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0)
      std::abort();
    url_ = *net::parse_http_url("http://127.0.0.1:" + std::to_string(ntohs(at.sin_port)));
  }
  [[nodiscard]] const net::HttpUrl& url() const { return url_; }
  // All of a request whose sender has gone.
  [[nodiscard]] std::string heard() const {
    const io::Descriptor taken(::accept(listening_.get(), nullptr, nullptr));
    std::string out;
    std::array<char, 4096> block{};
    for (ssize_t got = 0; (got = ::read(taken.get(), block.data(), block.size())) > 0;)
      out.append(block.data(), static_cast<std::size_t>(got));
    return out;
  }

 private:
  io::Descriptor listening_;
  net::HttpUrl url_;
};

TEST(HttpClient, SaysHowLongItWaited) {
  const Deaf server;
  net::HttpLimits limits;
  limits.stall = std::chrono::milliseconds(100);
  const std::string block(1U << 20, 'x');
  net::HttpRequest request;
  request.method = "PUT";
  request.path = "/";
  request.more_bytes = 1ULL << 32;
  request.more = [&block]() -> core::Expected<std::string_view> { return block; };
  EXPECT_EQ(net::http_exchange(server.url(), request, limits).error().message, "no answer within 0.1 s");
}

TEST(HttpClient, SendsNoMoreThanItSaid) {
  const Deaf server;
  net::HttpLimits limits;
  limits.answer = std::chrono::milliseconds(100);
  net::HttpRequest request;
  request.method = "PUT";
  request.path = "/";
  request.more_bytes = 4;
  request.more = []() -> core::Expected<std::string_view> { return "100\nDELETE / HTTP/1.1\r\n\r\n"; };
  EXPECT_FALSE(net::http_exchange(server.url(), request, limits));
  const std::string heard = server.heard();
  EXPECT_TRUE(heard.ends_with("Content-Length: 4\r\n\r\n100\n")) << heard;
}

}  // namespace
}  // namespace plumbline::registry::test
