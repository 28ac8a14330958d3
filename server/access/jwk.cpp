#include "server/access/jwk.hpp"

#include <fmt/core.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/access/base64url.hpp"

namespace plumbline::server::access {
namespace {

using core::ErrorCode;
using nlohmann::json;

constexpr std::size_t kMostKeys = 64;
constexpr std::size_t kKidBytes = 256;
constexpr int kShortestRsaBits = 2048;
constexpr int kLongestRsaBits = 8192;
constexpr std::size_t kCoordinateBytes = 32;  // of P-256

// OpenSSL keeps what failed in a list of the thread's, where TLS on the same thread would take it for its own.
struct ForgetErrors {
  ForgetErrors() = default;
  ForgetErrors(const ForgetErrors&) = delete;
  ForgetErrors& operator=(const ForgetErrors&) = delete;
  ~ForgetErrors() { ERR_clear_error(); }
};

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

const unsigned char* raw(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
Number number_of(std::string_view bytes) { return Number(BN_bin2bn(raw(bytes), static_cast<int>(bytes.size()), nullptr)); }

std::string text_at(const json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::optional<std::string> bytes_at(const json& object, const char* name) {
  auto bytes = from_base64url(text_at(object, name));
  if (!bytes || bytes->empty()) return std::nullopt;
  return bytes;
}

// The key that the parameters make, checked as far as a public key can be; null when they make none.
std::shared_ptr<EVP_PKEY> make_key(const char* kind, OSSL_PARAM_BLD* builder) {
  const Params params(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext maker(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* made = nullptr;
  if (!params || !maker || EVP_PKEY_fromdata_init(maker.get()) != 1 ||
      EVP_PKEY_fromdata(maker.get(), &made, EVP_PKEY_PUBLIC_KEY, params.get()) != 1) {
    return nullptr;
  }
  std::shared_ptr<EVP_PKEY> key(made, EVP_PKEY_free);
  const KeyContext checker(EVP_PKEY_CTX_new_from_pkey(nullptr, made, nullptr));
  return checker && EVP_PKEY_public_check(checker.get()) == 1 ? key : nullptr;
}

std::shared_ptr<EVP_PKEY> rsa_key(std::string_view modulus, std::string_view exponent) {
  const Number n = number_of(modulus);
  const Number e = number_of(exponent);
  const Builder builder(OSSL_PARAM_BLD_new());
  if (!n || !e || !builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return nullptr;
  }
  return make_key("RSA", builder.get());
}

std::shared_ptr<EVP_PKEY> p256_key(std::string_view x, std::string_view y) {
  std::string point = "\x04";  // uncompressed
  point.append(x).append(y);
  const Builder builder(OSSL_PARAM_BLD_new());
  if (!builder || OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1) {
    return nullptr;
  }
  return make_key("EC", builder.get());
}

// A JWS holds r and s side by side; OpenSSL wants them in DER.
std::string der_of(std::string_view signature) {
  if (signature.size() != 2 * kCoordinateBytes) return {};
  Number r = number_of(signature.substr(0, kCoordinateBytes));
  Number s = number_of(signature.substr(kCoordinateBytes));
  const EcdsaSignature both(ECDSA_SIG_new());
  if (!r || !s || !both || ECDSA_SIG_set0(both.get(), r.get(), s.get()) != 1) return {};
  (void)r.release();  // now owned by `both`
  (void)s.release();
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(both.get(), &der);
  if (size <= 0) return {};
  std::string text(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return text;
}

bool is_for_signatures(const json& key) {
  if (const auto use = key.find("use"); use != key.end() && *use != "sig") return false;
  const auto ops = key.find("key_ops");
  return ops == key.end() || (ops->is_array() && std::find(ops->begin(), ops->end(), "verify") != ops->end());
}

}  // namespace

std::optional<Algorithm> algorithm_of(std::string_view name) {
  if (name == "RS256") return Algorithm::rs256;
  if (name == "PS256") return Algorithm::ps256;
  if (name == "ES256") return Algorithm::es256;
  return std::nullopt;
}

// One JWK. A text is what is wrong with it; no key and no text: not one for us.
struct KeySet::Reader {
  std::string problem;

  std::optional<Key> read(const json& jwk) {
    if (!jwk.is_object()) return fail("is not an object");
    const std::string kind = text_at(jwk, "kty");
    const bool elliptic = kind == "EC" && text_at(jwk, "crv") == "P-256";
    if ((kind != "RSA" && !elliptic) || !is_for_signatures(jwk)) return std::nullopt;
    Key key{text_at(jwk, "kid"), elliptic, std::nullopt, nullptr};
    if (jwk.contains("alg")) {
      key.only = algorithm_of(text_at(jwk, "alg"));
      if (!key.only || (*key.only == Algorithm::es256) != elliptic) return std::nullopt;
    }
    if (jwk.contains("d")) return fail("is a private key: publish its public half only");
    if (key.kid.empty()) return fail("has no kid");
    if (key.kid.size() > kKidBytes) return fail(fmt::format("has a kid of more than {} bytes", kKidBytes));
    elliptic ? read_p256(jwk, key) : read_rsa(jwk, key);
    if (!problem.empty()) return std::nullopt;
    return key;
  }

 private:
  std::nullopt_t fail(std::string text) {
    problem = std::move(text);
    return std::nullopt;
  }

  void read_rsa(const json& jwk, Key& key) {
    const auto n = bytes_at(jwk, "n");
    const auto e = bytes_at(jwk, "e");
    if (!n || !e) {
      problem = "lacks n or e, or they are not base64url";
      return;
    }
    const Number modulus = number_of(*n);
    const int bits = modulus ? BN_num_bits(modulus.get()) : 0;
    if (bits < kShortestRsaBits || bits > kLongestRsaBits) {
      problem = fmt::format("has {} bits; an RSA key has {} to {}", bits, kShortestRsaBits, kLongestRsaBits);
    } else if (e->size() > sizeof(std::uint64_t) || !(key.key = rsa_key(*n, *e))) {
      problem = "is not an RSA public key";
    }
  }

  void read_p256(const json& jwk, Key& key) {
    const auto x = bytes_at(jwk, "x");
    const auto y = bytes_at(jwk, "y");
    if (!x || !y || x->size() != kCoordinateBytes || y->size() != kCoordinateBytes) {
      problem = fmt::format("lacks x or y, or they are not base64url of {} bytes", kCoordinateBytes);
    } else if (!(key.key = p256_key(*x, *y))) {
      problem = "is not a point of P-256";
    }
  }
};

core::Expected<KeySet> KeySet::parse(std::string_view text, const std::string& where) {
  const auto problem = [&](const std::string& what, std::string hint = {}) {
    return core::fail(ErrorCode::usage, where + " " + what, std::move(hint), where);
  };
  const ForgetErrors quiet;
  const json document = json::parse(text.begin(), text.end(), nullptr, false);
  const auto list = document.is_object() ? document.find("keys") : document.end();
  if (!document.is_object() || list == document.end() || !list->is_array()) {
    return problem("is not a JWK Set", "save what the issuer serves at its jwks_uri: {\"keys\": [...]}");
  }
  if (list->size() > kMostKeys) return problem(fmt::format("holds {} keys, at most {} are read", list->size(), kMostKeys));
  KeySet set;
  for (std::size_t i = 0; i < list->size(); ++i) {
    Reader reader;
    auto key = reader.read((*list)[i]);
    if (key && set.knows(key->kid)) reader.problem = "has the kid of another key";
    if (!reader.problem.empty()) return problem(fmt::format("key {} {}", i + 1, reader.problem));
    if (key) set.keys_.push_back(std::move(*key));
  }
  if (set.keys_.empty()) return problem("holds no key that can be used", "RSA keys (RS256, PS256) and P-256 keys (ES256) can");
  return set;
}

const KeySet::Key* KeySet::find(std::string_view kid) const {
  const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const Key& key) { return key.kid == kid; });
  return found == keys_.end() ? nullptr : &*found;
}

bool KeySet::verify(std::string_view kid, Algorithm algorithm, std::string_view text, std::string_view signature) const {
  const Key* key = find(kid);
  if (key == nullptr || key->elliptic != (algorithm == Algorithm::es256) || (key->only && *key->only != algorithm)) return false;
  const ForgetErrors quiet;
  const DigestContext context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* padding = nullptr;  // owned by `context`
  if (!context || EVP_DigestVerifyInit_ex(context.get(), &padding, "SHA256", nullptr, nullptr, key->key.get(), nullptr) != 1)
    return false;
  if (algorithm == Algorithm::ps256 && (EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PSS_PADDING) != 1 ||
                                        EVP_PKEY_CTX_set_rsa_pss_saltlen(padding, RSA_PSS_SALTLEN_DIGEST) != 1)) {
    return false;
  }
  const std::string der = key->elliptic ? der_of(signature) : std::string();
  const std::string_view shown = key->elliptic ? std::string_view(der) : signature;
  return !shown.empty() && EVP_DigestVerify(context.get(), raw(shown), shown.size(), raw(text), text.size()) == 1;
}

}  // namespace plumbline::server::access
