#include "registry/s3/signing.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>

#include "registry/files.hpp"

namespace plumbline::registry::s3 {

namespace {

std::string hmac(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       out.data(), &size);
  return {reinterpret_cast<const char*>(out.data()), size};
}

std::string hexadecimal(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<std::uint8_t>(c) >> 4];
    out += kDigits[static_cast<std::uint8_t>(c) & 15];
  }
  return out;
}

std::string time_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts)};
}

// What differs between the two.
struct Dialect {
  std::string_view algorithm, key_prefix, header_prefix, service, end;
};
constexpr Dialect kAmazon = {"AWS4-HMAC-SHA256", "AWS4", "x-amz-", "s3", "aws4_request"};
constexpr Dialect kGoogle = {"GOOG4-HMAC-SHA256", "GOOG4", "x-goog-", "storage", "goog4_request"};

// Of headers, sorted by name.
struct Canonical {
  std::string lines, names;
};
Canonical canonical_of(std::vector<std::pair<std::string, std::string>> headers, std::string_view host) {
  headers.emplace_back("host", host);
  std::sort(headers.begin(), headers.end());
  Canonical out;
  for (const auto& [name, value] : headers) {
    out.lines += name + ":" + value + "\n";
    out.names += (out.names.empty() ? "" : ";") + name;
  }
  return out;
}

std::string scope_of(const Dialect& dialect, const std::string& time, const Settings& settings) {
  return time.substr(0, 8) + "/" + settings.region + "/" + std::string(dialect.service) + "/" + std::string(dialect.end);
}

// `query` as it is sent.
std::string signature_of(const Dialect& dialect, const Signed& request, const std::string& query, const Canonical& headers,
                         std::string_view payload, const std::string& time, const Settings& settings,
                         const Credentials& credentials) {
  const std::string asked = std::string(request.method) + "\n" + std::string(request.path) + "\n" + query + "\n" + headers.lines +
                            "\n" + headers.names + "\n" + std::string(payload);
  const std::string to_sign =
      std::string(dialect.algorithm) + "\n" + time + "\n" + scope_of(dialect, time, settings) + "\n" + sha256_hex(asked);
  std::string key = hmac(std::string(dialect.key_prefix) + credentials.secret, std::string_view(time).substr(0, 8));
  for (const std::string_view part : {std::string_view(settings.region), dialect.service, dialect.end}) key = hmac(key, part);
  return hexadecimal(hmac(key, to_sign));
}

}  // namespace

std::string encoded(std::string_view text, bool keep_slashes) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                       c == '_' || c == '~' || (keep_slashes && c == '/');
    if (plain) {
      out += c;
      continue;
    }
    out += '%';
    out += kDigits[static_cast<std::uint8_t>(c) >> 4];
    out += kDigits[static_cast<std::uint8_t>(c) & 15];
  }
  return out;
}

std::string query_text(std::vector<std::pair<std::string, std::string>> query) {
  for (auto& [name, value] : query) {
    name = encoded(name, false);
    value = encoded(value, false);
  }
  std::sort(query.begin(), query.end());
  std::string out;
  for (const auto& [name, value] : query) out += (out.empty() ? "" : "&") + name + "=" + value;
  return out;
}

std::vector<std::pair<std::string, std::string>> signed_headers(const Signed& request, const Settings& settings,
                                                                const Credentials& credentials) {
  const Dialect& dialect = settings.google ? kGoogle : kAmazon;
  const std::string prefix(dialect.header_prefix);
  const std::string time = time_text(request.time);
  auto headers = request.headers;
  headers.emplace_back(prefix + "date", time);
  headers.emplace_back(prefix + "content-sha256", request.payload_sha256);
  if (!credentials.token.empty()) headers.emplace_back("x-amz-security-token", credentials.token);
  const Canonical canonical = canonical_of(headers, request.host);
  const std::string signature =
      signature_of(dialect, request, query_text(request.query), canonical, request.payload_sha256, time, settings, credentials);
  headers.emplace_back("Authorization", std::string(dialect.algorithm) + " Credential=" + credentials.key_id + "/" +
                                            scope_of(dialect, time, settings) + ", SignedHeaders=" + canonical.names +
                                            ", Signature=" + signature);
  return headers;
}

std::string presigned_query(const Signed& request, std::chrono::seconds valid, const Settings& settings,
                            const Credentials& credentials) {
  const Dialect& dialect = settings.google ? kGoogle : kAmazon;
  const std::string prefix = settings.google ? "X-Goog-" : "X-Amz-";
  const std::string time = time_text(request.time);
  const Canonical canonical = canonical_of(request.headers, request.host);
  auto query = request.query;
  query.emplace_back(prefix + "Algorithm", dialect.algorithm);
  query.emplace_back(prefix + "Credential", credentials.key_id + "/" + scope_of(dialect, time, settings));
  query.emplace_back(prefix + "Date", time);
  query.emplace_back(prefix + "Expires", std::to_string(valid.count()));
  query.emplace_back(prefix + "SignedHeaders", canonical.names);
  if (!credentials.token.empty()) query.emplace_back("X-Amz-Security-Token", credentials.token);
  const std::string text = query_text(std::move(query));
  const std::string_view payload = request.payload_sha256.empty() ? "UNSIGNED-PAYLOAD" : request.payload_sha256;
  return text + "&" + prefix +
         "Signature=" + signature_of(dialect, request, text, canonical, payload, time, settings, credentials);
}

}  // namespace plumbline::registry::s3
