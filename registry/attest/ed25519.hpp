// Ed25519 signatures that others made: keys as PEM (SPKI), signatures as 64 bytes. The one place that knows the library.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::registry::attest {

struct PublicKey {
  std::array<unsigned char, 32> raw{};
  friend bool operator==(const PublicKey&, const PublicKey&) = default;
};
// "-----BEGIN PUBLIC KEY-----": an ed25519 key, nothing else. `where` is what messages call the text.
[[nodiscard]] core::Expected<PublicKey> parse_public_key(std::string_view pem, const std::string& where);
// SHA-256 of the raw key, the first 16 hex digits: what messages call a key.
[[nodiscard]] std::string key_name(const PublicKey& key);

[[nodiscard]] bool verify(const PublicKey& key, std::string_view message, std::string_view signature);

// RFC 4648 section 4 with padding, no blanks.
[[nodiscard]] core::Expected<std::string> decode_base64(std::string_view text);

}  // namespace plumbline::registry::attest
