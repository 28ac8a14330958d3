#include "registry/attest/keys.hpp"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <optional>

#include "registry/files.hpp"

namespace plumbline::registry::attest {

namespace {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Digest = std::unique_ptr<EVP_MD_CTX, Deleter<EVP_MD_CTX_free>>;

constexpr std::size_t kLongestPem = std::size_t{64} << 10U;

// A callback that gives no password: nobody is asked, and a key that needs one is refused.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return -1; }

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::optional<Algorithm> algorithm_of(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "ED25519") == 1) return Algorithm::ed25519;
  std::array<char, 64> curve{};
  std::size_t size = 0;
  if (EVP_PKEY_is_a(key, "EC") == 1 && EVP_PKEY_get_group_name(key, curve.data(), curve.size(), &size) == 1 &&
      std::string_view(curve.data(), size) == "prime256v1") {
    return Algorithm::p256;
  }
  return std::nullopt;
}

// What is public of a key, points always written in one form, so that one key has one id.
std::optional<PublicKey> public_part(EVP_PKEY* key) {
  const auto algorithm = algorithm_of(key);
  if (!algorithm) return std::nullopt;
  if (*algorithm == Algorithm::p256)
    EVP_PKEY_set_utf8_string_param(key, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "uncompressed");
  const int size = i2d_PUBKEY(key, nullptr);
  if (size <= 0) return std::nullopt;
  PublicKey out{*algorithm, std::string(static_cast<std::size_t>(size), '\0')};
  auto* to = reinterpret_cast<unsigned char*>(out.spki.data());
  if (i2d_PUBKEY(key, &to) != size) return std::nullopt;
  return out;
}

Key opened(const PublicKey& key) {
  const unsigned char* from = bytes_of(key.spki);
  return Key(d2i_PUBKEY(nullptr, &from, static_cast<long>(key.spki.size())));
}

// The method of EVP_DigestSign and EVP_DigestVerify: Ed25519 hashes by itself.
const EVP_MD* method_of(Algorithm algorithm) { return algorithm == Algorithm::p256 ? EVP_sha256() : nullptr; }

bool is_encrypted(std::string_view pem) {
  return pem.find("ENCRYPTED") != std::string_view::npos;  // "BEGIN ENCRYPTED PRIVATE KEY", "Proc-Type: 4,ENCRYPTED", cosign's
}

std::string sign_with(EVP_PKEY* key, Algorithm algorithm, std::string_view message) {
  const Digest digest(EVP_MD_CTX_new());
  std::size_t size = 0;
  if (digest == nullptr || EVP_DigestSignInit(digest.get(), nullptr, method_of(algorithm), nullptr, key) != 1 ||
      EVP_DigestSign(digest.get(), nullptr, &size, bytes_of(message), message.size()) != 1) {
    return {};
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes_of(message),
                     message.size()) != 1) {
    return {};
  }
  signature.resize(size);
  return signature;
}

}  // namespace

std::string_view to_string(Algorithm algorithm) { return algorithm == Algorithm::p256 ? "p256" : "ed25519"; }

core::Expected<PublicKey> parse_public_key(std::string_view pem, const std::string& where) {
  const auto failed = [&](std::string message) {
    return core::fail(core::ErrorCode::invalid_input, std::move(message),
                      "a public key in PEM starts with -----BEGIN PUBLIC KEY-----", where);
  };
  if (pem.size() > kLongestPem) return failed("longer than any public key");
  if (pem.find("PRIVATE KEY-----") != std::string_view::npos) {
    return core::fail(core::ErrorCode::invalid_input, "a private key where a public one is asked for",
                      "`openssl pkey -in KEY -pubout` prints the public key; keep the private one to yourself", where);
  }
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const Key key(bio == nullptr ? nullptr : PEM_read_bio_PUBKEY(bio.get(), nullptr, no_password, nullptr));
  auto out = key == nullptr ? std::nullopt : public_part(key.get());
  ERR_clear_error();
  if (key == nullptr) return failed("not a public key in PEM");
  if (!out) return failed("a public key of another kind than P-256 and Ed25519");
  return std::move(*out);
}

core::Expected<std::string> public_pem(const PublicKey& key) {
  const Key opened_key = opened(key);
  const Bio bio(BIO_new(BIO_s_mem()));
  char* text = nullptr;
  if (opened_key == nullptr || bio == nullptr || PEM_write_bio_PUBKEY(bio.get(), opened_key.get()) != 1)
    return core::fail(core::ErrorCode::internal, "a public key could not be written");
  const long size = BIO_get_mem_data(bio.get(), &text);
  return std::string(text, static_cast<std::size_t>(size));
}

std::string key_id(const PublicKey& key) { return sha256_hex(key.spki); }
std::string key_name(const PublicKey& key) { return key_id(key).substr(0, 16); }

bool verify(const PublicKey& key, std::string_view message, std::string_view signature) {
  const Key opened_key = opened(key);
  const Digest digest(EVP_MD_CTX_new());
  const bool good = opened_key != nullptr && digest != nullptr &&
                    EVP_DigestVerifyInit(digest.get(), nullptr, method_of(key.algorithm), nullptr, opened_key.get()) == 1 &&
                    EVP_DigestVerify(digest.get(), bytes_of(signature), signature.size(), bytes_of(message), message.size()) == 1;
  ERR_clear_error();
  return good;
}

struct PrivateKey::Secret {
  Key key;
  PublicKey public_key;
};

PrivateKey::PrivateKey(std::unique_ptr<Secret> secret) : secret_(std::move(secret)) {}
PrivateKey::PrivateKey(PrivateKey&&) noexcept = default;
PrivateKey& PrivateKey::operator=(PrivateKey&&) noexcept = default;
PrivateKey::~PrivateKey() = default;

core::Expected<PrivateKey> PrivateKey::parse(std::string_view pem, const std::string& where) {
  const auto failed = [&](std::string message, std::string hint) {
    return core::fail(core::ErrorCode::invalid_input, std::move(message), std::move(hint), where);
  };
  const std::string how =
      "`plumbline keygen --out PREFIX` makes a pair; a private key in PEM starts with -----BEGIN PRIVATE KEY-----";
  if (pem.size() > kLongestPem) return failed("longer than any private key", how);
  if (is_encrypted(pem)) {
    return failed("the private key has a passphrase, and nobody is asked for one",
                  "`openssl pkey -in KEY -out PLAIN` writes it without, for a file that only its owner can read");
  }
  if (pem.find("BEGIN PUBLIC KEY") != std::string_view::npos)
    return failed("a public key where a private one is asked for",
                  "the private key is the file PREFIX.key of `plumbline keygen`");
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  auto secret = std::make_unique<Secret>();
  if (bio != nullptr) secret->key.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  auto known = secret->key == nullptr ? std::nullopt : public_part(secret->key.get());
  ERR_clear_error();
  if (secret->key == nullptr) return failed("not a private key in PEM", how);
  if (!known) return failed("a private key of another kind than P-256 and Ed25519", how);
  secret->public_key = std::move(*known);
  return PrivateKey(std::move(secret));
}

core::Expected<PrivateKey> PrivateKey::make(Algorithm algorithm) {
  auto secret = std::make_unique<Secret>();
  secret->key.reset(algorithm == Algorithm::p256 ? EVP_EC_gen("P-256") : EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  auto known = secret->key == nullptr ? std::nullopt : public_part(secret->key.get());
  ERR_clear_error();
  if (!known) return core::fail(core::ErrorCode::internal, "the crypto library made no key");
  secret->public_key = std::move(*known);
  return PrivateKey(std::move(secret));
}

const PublicKey& PrivateKey::public_key() const { return secret_->public_key; }

core::Expected<std::string> PrivateKey::sign(std::string_view message) const {
  std::string signature = sign_with(secret_->key.get(), secret_->public_key.algorithm, message);
  ERR_clear_error();
  // A signature that a fault of the machine has spoiled could give the key away.
  if (signature.empty() || !verify(secret_->public_key, message, signature))
    return core::fail(core::ErrorCode::internal, "the crypto library made no good signature");
  return signature;
}

core::Status PrivateKey::with_pem(const std::function<core::Status(std::string_view pem)>& write) const {
  const Bio bio(BIO_new(BIO_s_secmem()));
  char* text = nullptr;
  if (bio == nullptr || PEM_write_bio_PKCS8PrivateKey(bio.get(), secret_->key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return core::fail(core::ErrorCode::internal, "a private key could not be written");
  const long size = BIO_get_mem_data(bio.get(), &text);
  auto written = write({text, static_cast<std::size_t>(size)});
  OPENSSL_cleanse(text, static_cast<std::size_t>(size));
  return written;
}

}  // namespace plumbline::registry::attest
