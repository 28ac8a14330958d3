#include "registry/s3/settings.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/amounts.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "registry/json_text.hpp"
#include "registry/s3/ini.hpp"
#include "registry/s3/signing.hpp"
#include "registry/s3/xml.hpp"
#include "registry/store.hpp"

namespace plumbline::registry::s3 {

using core::ErrorCode;
using core::Expected;
using core::fail;

namespace {

constexpr std::uint64_t kFileAtMost = 1U << 20;
constexpr std::string_view kScheme = "s3://";

std::string variable(const Environment& environment, std::string_view name) {
  return environment ? environment(name).value_or(std::string()) : std::string();
}

bool is_bucket(std::string_view name) {
  return name.size() >= 3 && name.size() <= 63 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-._ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos &&
         name.find("..") == std::string_view::npos && name.front() != '.' && name.front() != '-';
}

// The section of the profile that is meant: ~/.aws/credentials over ~/.aws/config.
struct Profile {
  std::string name;
  Section values;
  [[nodiscard]] std::string get(std::string_view key) const {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
  }
};

std::string aws_file(const Environment& environment, std::string_view named, std::string_view usual) {
  if (auto path = variable(environment, named); !path.empty()) return path;
  const std::string home = variable(environment, "HOME");
  return home.starts_with('/') ? home + "/.aws/" + std::string(usual) : std::string();
}

Expected<Profile> profile_of(const Environment& environment) {
  Profile out;
  out.name = variable(environment, "AWS_PROFILE");
  const bool is_named = !out.name.empty();
  if (!is_named) out.name = "default";
  bool found_one = false;
  for (const auto& [named, usual] :
       {std::pair("AWS_SHARED_CREDENTIALS_FILE", "credentials"), std::pair("AWS_CONFIG_FILE", "config")}) {
    const std::string path = aws_file(environment, named, usual);
    PathLimits limits;
    limits.bytes = kFileAtMost;
    if (path.empty() || path_kind(path, limits) != PathKind::file) continue;
    const auto bytes = read_file(path, limits);
    if (!bytes) continue;
    auto sections = read_ini(bytes->view());
    if (const auto found = sections.find(out.name); found != sections.end()) {
      out.values.insert(found->second.begin(), found->second.end());  // what is there stays
      found_one = true;
    }
  }
  if (is_named && !found_one) {
    return fail(
        ErrorCode::usage, "AWS_PROFILE names " + core::cited(out.name) + ", and no file has that profile",
        "it is a section of ~/.aws/credentials or ~/.aws/config; AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE name others");
  }
  return out;
}

// `held`: what held the text.
Expected<net::HttpUrl> parse_endpoint(std::string text, const std::string& held, const Environment& environment) {
  if (text.find("://") == std::string::npos) text = "https://" + text;
  auto url = net::parse_http_url(text);
  if (!url || url->path != "/")
    return fail(ErrorCode::usage, held + " is no server's URL: " + core::cited(without_user(text)),
                "such as https://s3.example.org:7480");
  if (!url->tls && !url->loopback() && variable(environment, "PLUMBLINE_S3_PLAIN_HTTP") != "1") {
    return fail(ErrorCode::usage, "the store's server would be asked without TLS: " + text,
                "https://" + url->authority + "; PLUMBLINE_S3_PLAIN_HTTP=1 allows http where nobody else is on the network");
  }
  return std::move(*url);
}

// The domain of AWS in a region: China's is its own.
std::string amazon(const std::string& region) {
  return region + (region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
}

// The JSON of an instance's role: four texts, flat.
Expected<Credentials> parse_instance_credentials(const std::string& text) {
  const auto document = parse_json(text);
  Credentials out;
  if (document && document->is_object()) {
    out = {text_or_empty(*document, "AccessKeyId"), text_or_empty(*document, "SecretAccessKey"),
           text_or_empty(*document, "Token"), parse_time(text_or_empty(*document, "Expiration"))};
  }
  if (!out.key_id.empty() && !out.secret.empty()) return out;
  return fail(ErrorCode::environment, "the machine's metadata service gives no credentials: it has no role with keys");
}

}  // namespace

std::string without_user(std::string_view text) {
  const auto at = text.rfind('@');
  if (at == std::string_view::npos) return std::string(text);
  const auto scheme = text.find("://");
  return std::string(text.substr(0, scheme < at ? scheme + 3 : 0)) + "***" + std::string(text.substr(at));
}

std::string Address::text() const { return std::string(kScheme) + bucket + (prefix.empty() ? "" : "/" + prefix); }

Expected<Address> parse_address(const std::string& text) {
  const char* const like = "s3://BUCKET/PREFIX, or the absolute path of a folder";
  if (!text.starts_with(kScheme)) {
    return fail(ErrorCode::usage, "no store has an address such as " + core::cited(without_user(text)),
                text.find("://") == std::string::npos
                    ? std::string(like)
                    : "s3://BUCKET/PREFIX, for Ceph and Google Cloud Storage, too: AWS_ENDPOINT_URL names the server");
  }
  if (text.find('@') != std::string::npos) {
    return fail(ErrorCode::usage, "a store's address has no user: " + core::cited(without_user(text)),
                "keys are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in the profile that AWS_PROFILE names");
  }
  Address address;
  std::string_view rest = std::string_view(text).substr(kScheme.size());
  const auto slash = std::min(rest.find('/'), rest.size());
  address.bucket = rest.substr(0, slash);
  rest.remove_prefix(std::min(slash + 1, rest.size()));
  while (rest.ends_with('/')) rest.remove_suffix(1);
  address.prefix = rest;
  if (!is_bucket(address.bucket))
    return fail(ErrorCode::usage, core::cited(address.bucket) + " in " + core::cited(text) + " is no name of a bucket", like);
  if (address.prefix.empty()) return address;
  for (const auto part : core::split(address.prefix, '/')) {
    if (check_segment("prefix", part)) continue;
    return fail(ErrorCode::usage, "the prefix of " + core::cited(text) + " is no path of safe path segments",
                "letters, digits, `.`, `_` and `-` between the slashes");
  }
  return address;
}

Expected<Settings> settings_of(const std::string& text, const Environment& environment) {
  auto address = parse_address(text);
  if (!address) return fail(address.error());
  Settings out;
  out.address = std::move(*address);
  const auto profile = profile_of(environment);
  if (!profile) return fail(profile.error());
  for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (out.region.empty()) out.region = variable(environment, name);
  }
  if (out.region.empty()) out.region = profile->get("region");
  std::string endpoint, held;
  for (const char* name : {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}) {
    if (!endpoint.empty()) break;
    endpoint = variable(environment, name);
    held = name;
  }
  if (endpoint.empty()) {
    endpoint = profile->get("endpoint_url");
    held = "endpoint_url of the profile " + core::cited(profile->name);
  }
  const bool is_amazon = endpoint.empty();
  if (is_amazon) {
    if (out.region.empty()) out.region = "us-east-1";
    endpoint = "https://s3." + amazon(out.region);
    held = "with the region " + core::cited(out.region) + " the store's server";
  }
  auto url = parse_endpoint(endpoint, held, environment);
  if (!url) return fail(url.error());
  out.endpoint = std::move(*url);
  out.google = out.endpoint.host == "storage.googleapis.com";
  if (out.google) out.region = "auto";
  if (out.region.empty()) out.region = "us-east-1";
  const std::string style = variable(environment, "PLUMBLINE_S3_ADDRESSING");
  if (!style.empty() && style != "path" && style != "virtual")
    return fail(ErrorCode::usage, "PLUMBLINE_S3_ADDRESSING is " + core::cited(style), "path or virtual");
  // A certificate for *.s3.amazonaws.com does not hold for names with dots.
  out.path_style = style.empty() ? !is_amazon || out.address.bucket.find('.') != std::string::npos : style == "path";
  if (!out.path_style) {
    out.endpoint.host = out.address.bucket + "." + out.endpoint.host;
    out.endpoint.authority = out.address.bucket + "." + out.endpoint.authority;
  }
  out.ca_file = variable(environment, "AWS_CA_BUNDLE");
  if (const std::string size = variable(environment, "PLUMBLINE_S3_PART_SIZE"); !size.empty()) {
    const auto bytes = base::parse_bytes(size);
    if (!bytes || *bytes < kPartAtLeast || *bytes > kObjectAtMost)
      return fail(ErrorCode::usage, "PLUMBLINE_S3_PART_SIZE is " + core::cited(size), "from 5MiB to 5GiB, such as 512MiB");
    out.part_bytes = *bytes;
  }
  return out;
}

CredentialSource::CredentialSource(Environment environment, Settings settings)
    : environment_(std::move(environment)), settings_(std::move(settings)) {}

Expected<Credentials> CredentialSource::get() {
  const std::lock_guard lock(mutex_);
  const auto soon = std::chrono::system_clock::now() + std::chrono::minutes(2);
  if (known_ && (!known_->until || *known_->until > soon)) return *known_;
  auto found = find();
  if (!found) return found;
  known_ = *found;
  return found;
}

Expected<Credentials> CredentialSource::find() {
  const auto get = [this](std::string_view name) { return variable(environment_, name); };
  Credentials out{get("AWS_ACCESS_KEY_ID"), get("AWS_SECRET_ACCESS_KEY"), get("AWS_SESSION_TOKEN"), {}};
  if (!out.key_id.empty() && !out.secret.empty()) return out;
  const auto profile = profile_of(environment_);
  if (!profile) return fail(profile.error());
  const std::string role = get("AWS_ROLE_ARN"), token = get("AWS_WEB_IDENTITY_TOKEN_FILE");
  if (!role.empty() && !token.empty()) return of_web_identity(role, token, get("AWS_ROLE_SESSION_NAME"));
  out = {profile->get("aws_access_key_id"), profile->get("aws_secret_access_key"), profile->get("aws_session_token"), {}};
  if (!out.key_id.empty() && !out.secret.empty()) return out;
  if (const auto file = profile->get("web_identity_token_file"); !file.empty() && !profile->get("role_arn").empty())
    return of_web_identity(profile->get("role_arn"), file, profile->get("role_session_name"));
  if (get("PLUMBLINE_S3_INSTANCE_METADATA") == "1") return of_instance();
  return fail(ErrorCode::usage, "no credentials for " + settings_.address.text(),
              "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for a profile of ~/.aws/credentials; "
              "PLUMBLINE_S3_INSTANCE_METADATA=1 asks the machine's own role");
}

Expected<Credentials> CredentialSource::of_web_identity(const std::string& role, const std::string& token_file,
                                                        const std::string& session) const {
  PathLimits limits;
  limits.bytes = kFileAtMost;
  const auto token = read_file(token_file, limits);
  if (!token) {  // never not_found, which a store says of what is asked for
    return fail(ErrorCode::environment, "no credentials for " + settings_.address.text() + ": " + token.error().message,
                "AWS_WEB_IDENTITY_TOKEN_FILE, or web_identity_token_file of the profile, names the token of the role",
                token_file);
  }
  std::string endpoint = variable(environment_, "AWS_ENDPOINT_URL_STS"), held = "AWS_ENDPOINT_URL_STS";
  if (endpoint.empty()) {
    endpoint = "https://sts." + amazon(settings_.region);
    held = "with the region " + core::cited(settings_.region) + " the server of roles";
  }
  auto url = parse_endpoint(endpoint, held, environment_);
  if (!url) return fail(url.error());
  net::HttpRequest request;
  request.path = "/";
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = query_text({{"Action", "AssumeRoleWithWebIdentity"},
                             {"Version", "2011-06-15"},
                             {"RoleArn", role},
                             {"RoleSessionName", session.empty() ? "plumbline" : session},
                             {"WebIdentityToken", std::string(core::trim(token->view()))}});
  net::HttpLimits net_limits;
  net_limits.ca_file = settings_.ca_file;
  const auto answer = net::http_exchange(*url, request, net_limits);
  if (!answer) return fail(ErrorCode::environment, "no credentials from " + url->authority + ": " + answer.error().message);
  Credentials out{element(answer->body, "AccessKeyId").value_or(""),
                  element(answer->body, "SecretAccessKey").value_or(""),
                  element(answer->body, "SessionToken").value_or(""),
                  {}};
  if (const auto until = element(answer->body, "Expiration")) out.until = parse_time(*until);
  if (answer->status == 200 && !out.key_id.empty() && !out.secret.empty()) return out;
  return fail(ErrorCode::environment,
              url->authority + " gives no credentials for the role " + core::cited(role) + ": " +
                  core::cited(element(answer->body, "Message").value_or("status " + std::to_string(answer->status))));
}

Expected<Credentials> CredentialSource::of_instance() const {
  std::string endpoint = variable(environment_, "AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (endpoint.empty()) endpoint = "http://169.254.169.254";
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const auto url = net::parse_http_url(endpoint);
  if (!url) return fail(ErrorCode::usage, "AWS_EC2_METADATA_SERVICE_ENDPOINT is no URL: " + core::cited(without_user(endpoint)));
  net::HttpLimits limits;
  limits.answer = std::chrono::seconds(2);
  const auto ask = [&](const char* method, const std::string& path,
                       std::vector<std::pair<std::string, std::string>> headers) -> Expected<std::string> {
    net::HttpRequest request;
    request.method = method;
    request.path = path;
    request.headers = std::move(headers);
    const auto answer = net::http_exchange(*url, request, limits);
    if (answer && answer->status == 200) return answer->body;
    return fail(ErrorCode::environment, "the machine's metadata service gives no credentials: " +
                                            (answer ? "status " + std::to_string(answer->status) : answer.error().message));
  };
  const auto token = ask("PUT", "/latest/api/token", {{"X-aws-ec2-metadata-token-ttl-seconds", "300"}});
  if (!token) return fail(token.error());
  const std::string roles = "/latest/meta-data/iam/security-credentials/";
  const auto role = ask("GET", roles, {{"X-aws-ec2-metadata-token", *token}});
  if (!role) return fail(role.error());
  const std::string name(core::trim(std::string_view(*role).substr(0, role->find('\n'))));
  const auto text = ask("GET", roles + name, {{"X-aws-ec2-metadata-token", *token}});
  if (!text) return fail(text.error());
  return parse_instance_credentials(*text);
}

}  // namespace plumbline::registry::s3
