// Which server, which bucket, and whose keys: from the address and from what AWS's own tools read (environment, ~/.aws/config,
// ~/.aws/credentials). Secrets are in no message.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "net/http_client.hpp"

namespace plumbline::registry::s3 {

using Environment = std::function<std::optional<std::string>(std::string_view)>;

// "s3://BUCKET[/PREFIX]"
struct Address {
  std::string bucket, prefix;  // without slashes at its ends
  [[nodiscard]] std::string text() const;
};
// What stands before an @ in an address may be somebody's keys: "s3://***@bucket".
[[nodiscard]] std::string without_user(std::string_view text);
[[nodiscard]] core::Expected<Address> parse_address(const std::string& text);

struct Credentials {
  std::string key_id, secret, token;
  std::optional<std::chrono::system_clock::time_point> until;
};

// Of one PUT. An object of several uploads would not be made under a condition.
inline constexpr std::uint64_t kObjectAtMost = 5ULL << 30;
inline constexpr std::uint64_t kPartAtLeast = 5ULL << 20;

struct Settings {
  Address address;
  net::HttpUrl endpoint;   // of requests to this bucket
  bool path_style = true;  // the bucket is in the path, not in the host's name
  bool google = false;     // conditions and signatures as Google Cloud Storage wants them
  std::string region;
  std::string ca_file;
  std::uint64_t part_bytes = kObjectAtMost;  // larger files are kept in parts of this size
};
[[nodiscard]] core::Expected<Settings> settings_of(const std::string& address, const Environment& environment);

// Found at the first use, and again before they end. May be asked by several threads.
class CredentialSource {
 public:
  CredentialSource(Environment environment, Settings settings);
  [[nodiscard]] core::Expected<Credentials> get();

 private:
  core::Expected<Credentials> find();
  [[nodiscard]] core::Expected<Credentials> of_web_identity(const std::string& role, const std::string& token_file,
                                                            const std::string& session) const;
  [[nodiscard]] core::Expected<Credentials> of_instance() const;
  Environment environment_;
  Settings settings_;
  std::mutex mutex_;
  std::optional<Credentials> known_;
};

}  // namespace plumbline::registry::s3
