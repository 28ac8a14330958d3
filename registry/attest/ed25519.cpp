#include "registry/attest/ed25519.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

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

// A callback that gives no password: a key that asks for one is not a public key.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return -1; }

int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

core::Expected<PublicKey> parse_public_key(std::string_view pem, const std::string& where) {
  const auto failed = [&](std::string message) {
    return core::fail(core::ErrorCode::invalid_input, std::move(message),
                      "an ed25519 public key in PEM starts with -----BEGIN PUBLIC KEY-----", where);
  };
  if (pem.size() > kLongestPem) return failed("longer than any public key");
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const Key key(bio == nullptr ? nullptr : PEM_read_bio_PUBKEY(bio.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  if (key == nullptr) return failed("not a public key in PEM");
  if (EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519) return failed("a public key of another kind than ed25519");
  PublicKey out;
  std::size_t size = out.raw.size();
  if (EVP_PKEY_get_raw_public_key(key.get(), out.raw.data(), &size) != 1 || size != out.raw.size()) {
    return failed("not a public key in PEM");
  }
  return out;
}

std::string key_name(const PublicKey& key) {
  return sha256_hex({reinterpret_cast<const char*>(key.raw.data()), key.raw.size()}).substr(0, 16);
}

bool verify(const PublicKey& key, std::string_view message, std::string_view signature) {
  if (signature.size() != 64) return false;
  const Key pkey(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.raw.data(), key.raw.size()));
  const Digest digest(EVP_MD_CTX_new());
  const bool good = pkey != nullptr && digest != nullptr &&
                    EVP_DigestVerifyInit(digest.get(), nullptr, nullptr, nullptr, pkey.get()) == 1 &&
                    EVP_DigestVerify(digest.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                                     reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1;
  ERR_clear_error();
  return good;
}

core::Expected<std::string> decode_base64(std::string_view text) {
  const auto failed = [] { return core::fail(core::ErrorCode::invalid_input, "not base64", "RFC 4648, with its padding"); };
  if (text.size() % 4 != 0) return failed();
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::size_t padding = 0;
    if (at + 4 == text.size()) padding = text[at + 3] != '=' ? 0 : text[at + 2] != '=' ? 1 : 2;
    unsigned bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const int value = i + padding >= 4 ? 0 : value_of(text[at + i]);
      if (value < 0) return failed();
      bits = (bits << 6U) | static_cast<unsigned>(value);
    }
    for (std::size_t i = 0; i + padding < 3; ++i) out += static_cast<char>((bits >> (16U - 8U * i)) & 0xFFU);
  }
  return out;
}

}  // namespace plumbline::registry::attest
