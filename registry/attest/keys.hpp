// Keys and signatures: ECDSA on P-256 with SHA-256 (the default, which cosign and every other tool knows) and Ed25519, as PEM.
// Ed25519 gives the same bytes for the same key and message; ECDSA draws a number for each signature. The one place that knows
// the library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::registry::attest {

enum class Algorithm : std::uint8_t { p256, ed25519 };
[[nodiscard]] std::string_view to_string(Algorithm algorithm);  // "p256" "ed25519"

struct PublicKey {
  Algorithm algorithm = Algorithm::p256;
  std::string spki;  // SubjectPublicKeyInfo in DER
  friend bool operator==(const PublicKey&, const PublicKey&) = default;
};
// "-----BEGIN PUBLIC KEY-----", of P-256 or Ed25519. `where` is what messages call the text.
[[nodiscard]] core::Expected<PublicKey> parse_public_key(std::string_view pem, const std::string& where);
[[nodiscard]] core::Expected<std::string> public_pem(const PublicKey& key);
// SHA-256 of the SubjectPublicKeyInfo in hex, what envelopes hint at; and its first 16 digits, what messages call a key.
[[nodiscard]] std::string key_id(const PublicKey& key);
[[nodiscard]] std::string key_name(const PublicKey& key);

// ECDSA signatures in DER, Ed25519's as 64 bytes.
[[nodiscard]] bool verify(const PublicKey& key, std::string_view message, std::string_view signature);

// What only its owner has. No message and no result holds any of it.
class PrivateKey {
 public:
  // "-----BEGIN PRIVATE KEY-----" (PKCS#8), or OpenSSL's older "EC PRIVATE KEY"; one with a passphrase is refused.
  [[nodiscard]] static core::Expected<PrivateKey> parse(std::string_view pem, const std::string& where);
  [[nodiscard]] static core::Expected<PrivateKey> make(Algorithm algorithm);
  PrivateKey(PrivateKey&&) noexcept;
  PrivateKey& operator=(PrivateKey&&) noexcept;
  ~PrivateKey();

  [[nodiscard]] const PublicKey& public_key() const;
  [[nodiscard]] core::Expected<std::string> sign(std::string_view message) const;
  // PKCS#8 in PEM, shown to `write` and wiped afterwards.
  [[nodiscard]] core::Status with_pem(const std::function<core::Status(std::string_view pem)>& write) const;

 private:
  struct Secret;
  explicit PrivateKey(std::unique_ptr<Secret> secret);
  std::unique_ptr<Secret> secret_;
};

}  // namespace plumbline::registry::attest
