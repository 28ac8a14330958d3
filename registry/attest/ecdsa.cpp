#include "registry/attest/ecdsa.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/obj_mac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace plumbline::registry::attest {
namespace {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Number = std::unique_ptr<BIGNUM, Deleter<BN_clear_free>>;
using Numbers = std::unique_ptr<BN_CTX, Deleter<BN_CTX_free>>;
using Group = std::unique_ptr<EC_GROUP, Deleter<EC_GROUP_free>>;
using Point = std::unique_ptr<EC_POINT, Deleter<EC_POINT_clear_free>>;

// Digest, order and numbers of this curve all have 256 bits, which leaves RFC 6979 without its shifting of bits.
constexpr std::size_t kBytes = 32;
using Block = std::array<unsigned char, kBytes>;

// Numbers that depend on the key: the library then takes its ways of constant time.
Number secret_number() {
  Number number(BN_new());
  if (number) BN_set_flags(number.get(), BN_FLG_CONSTTIME);
  return number;
}

// RFC 6979 section 3.2: candidates for the nonce, drawn from the key and the digest by HMAC.
class NonceDrawer {
 public:
  NonceDrawer(const Block& key, const Block& digest) {
    value_.fill(1);
    mix(0, {key, digest});
    mix(1, {key, digest});
  }
  ~NonceDrawer() {
    OPENSSL_cleanse(state_.data(), state_.size());
    OPENSSL_cleanse(value_.data(), value_.size());
  }
  NonceDrawer(const NonceDrawer&) = delete;
  NonceDrawer& operator=(const NonceDrawer&) = delete;

  const Block& draw() {
    if (drawn_) mix(0, {});
    drawn_ = true;
    value_ = keyed(value_);
    return value_;
  }

 private:
  [[nodiscard]] Block keyed(std::span<const unsigned char> text) const {
    Block out{};
    unsigned int size = 0;
    HMAC(EVP_sha256(), state_.data(), static_cast<int>(state_.size()), text.data(), text.size(), out.data(), &size);
    return out;
  }
  void mix(unsigned char round, std::initializer_list<std::span<const unsigned char>> parts) {
    std::vector<unsigned char> text(value_.begin(), value_.end());
    text.reserve(value_.size() + 1 + 2 * kBytes);  // so that no second copy of the key is left behind
    text.push_back(round);
    for (const auto part : parts) text.insert(text.end(), part.begin(), part.end());
    state_ = keyed(text);
    OPENSSL_cleanse(text.data(), text.size());
    value_ = keyed(value_);
  }
  Block state_{}, value_{};
  bool drawn_ = false;
};

class Signer {
 public:
  explicit Signer(const EVP_PKEY* key) : group_(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)), numbers_(BN_CTX_secure_new()) {
    BIGNUM* secret = nullptr;
    if (EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &secret) == 1) secret_.reset(secret);
    if (secret_) BN_set_flags(secret_.get(), BN_FLG_CONSTTIME);
  }

  std::string sign(std::string_view message) {
    if (!group_ || !numbers_ || !secret_) return {};
    order_ = EC_GROUP_get0_order(group_.get());
    Block digest{}, reduced{}, key{};
    SHA256(reinterpret_cast<const unsigned char*>(message.data()), message.size(), digest.data());
    Number hash(BN_bin2bn(digest.data(), kBytes, nullptr));
    if (!hash || BN_nnmod(hash.get(), hash.get(), order_, numbers_.get()) != 1 ||
        BN_bn2binpad(hash.get(), reduced.data(), kBytes) != kBytes || BN_bn2binpad(secret_.get(), key.data(), kBytes) != kBytes) {
      return {};
    }
    NonceDrawer nonces(key, reduced);
    OPENSSL_cleanse(key.data(), key.size());
    for (int tries = 0; tries < 64; ++tries) {  // a second one is drawn once in 2^32 signatures
      Number nonce = secret_number();
      if (!nonce || BN_bin2bn(nonces.draw().data(), kBytes, nonce.get()) == nullptr) return {};
      if (BN_is_zero(nonce.get()) || BN_cmp(nonce.get(), order_) >= 0) continue;
      Number r = point_of(*nonce);
      if (!r) return {};
      if (BN_is_zero(r.get())) continue;
      Number s = proof_of(*nonce, *r, *hash);
      if (!s) return {};
      if (!BN_is_zero(s.get())) return in_der(std::move(r), std::move(s));
    }
    return {};
  }

 private:
  Number point_of(const BIGNUM& nonce) {
    const Point point(EC_POINT_new(group_.get()));
    Number x(BN_new());
    if (!point || !x || EC_POINT_mul(group_.get(), point.get(), &nonce, nullptr, nullptr, numbers_.get()) != 1 ||
        EC_POINT_get_affine_coordinates(group_.get(), point.get(), x.get(), nullptr, numbers_.get()) != 1 ||
        BN_nnmod(x.get(), x.get(), order_, numbers_.get()) != 1) {
      return nullptr;
    }
    return x;
  }

  // (hash + r * key) / nonce, where key and hash are multiplied by a random number before they meet, and freed of it at the
  // end: how long the multiplications take says nothing of the key.
  Number proof_of(const BIGNUM& nonce, const BIGNUM& r, const BIGNUM& hash) {
    Number blind = secret_number(), unblind = secret_number(), inverse = secret_number(), sum = secret_number(),
           part = secret_number();
    BN_CTX* const ctx = numbers_.get();
    const bool good = blind && unblind && inverse && sum && part && BN_priv_rand_range(blind.get(), order_) == 1 &&
                      !BN_is_zero(blind.get()) && BN_mod_inverse(unblind.get(), blind.get(), order_, ctx) != nullptr &&
                      BN_mod_inverse(inverse.get(), &nonce, order_, ctx) != nullptr &&
                      BN_mod_mul(sum.get(), blind.get(), secret_.get(), order_, ctx) == 1 &&
                      BN_mod_mul(sum.get(), sum.get(), &r, order_, ctx) == 1 &&
                      BN_mod_mul(part.get(), blind.get(), &hash, order_, ctx) == 1 &&
                      BN_mod_add(sum.get(), sum.get(), part.get(), order_, ctx) == 1 &&
                      BN_mod_mul(sum.get(), sum.get(), inverse.get(), order_, ctx) == 1 &&
                      BN_mod_mul(sum.get(), sum.get(), unblind.get(), order_, ctx) == 1;
    return good ? std::move(sum) : nullptr;
  }

  static std::string in_der(Number r, Number s) {
    const std::unique_ptr<ECDSA_SIG, Deleter<ECDSA_SIG_free>> signature(ECDSA_SIG_new());
    if (!signature || ECDSA_SIG_set0(signature.get(), r.get(), s.get()) != 1) return {};
    static_cast<void>(r.release());
    static_cast<void>(s.release());
    const int size = i2d_ECDSA_SIG(signature.get(), nullptr);
    if (size <= 0) return {};
    std::string der(static_cast<std::size_t>(size), '\0');
    auto* out = reinterpret_cast<unsigned char*>(der.data());
    return i2d_ECDSA_SIG(signature.get(), &out) == size ? der : std::string();
  }

  Group group_;
  Numbers numbers_;
  Number secret_;
  const BIGNUM* order_ = nullptr;
};

}  // namespace

std::string sign_ecdsa_p256(const EVP_PKEY* key, std::string_view message) { return Signer(key).sign(message); }

}  // namespace plumbline::registry::attest
