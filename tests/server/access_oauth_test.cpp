// JWTs of one issuer: what verifies, and everything that must not. Keys are made here, by OpenSSL.
#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "server/access/base64url.hpp"
#include "server/access/oauth.hpp"
#include "server/access/tokens.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::server::access {
namespace {

using nlohmann::json;
using registry::test::Scratch;
using Key = std::shared_ptr<EVP_PKEY>;

const std::string kIssuer = "https://login.example";
const std::string kAudience = "https://perf.example/mcp";
const std::chrono::system_clock::time_point kNow{std::chrono::seconds(1'800'000'000)};
constexpr int kSeconds = 1'800'000'000;

Key rsa(unsigned bits = 2048) { return {EVP_RSA_gen(bits), EVP_PKEY_free}; }
Key elliptic(const char* curve = "P-256") { return {EVP_EC_gen(curve), EVP_PKEY_free}; }

// Made once: RSA keys take a while.
const Key& rsa_key() {
  static const Key key = rsa();
  return key;
}
const Key& ec_key() {
  static const Key key = elliptic();
  return key;
}

std::string number(const Key& key, const char* name, int size = 0) {
  BIGNUM* value = nullptr;
  if (EVP_PKEY_get_bn_param(key.get(), name, &value) != 1) throw std::runtime_error(name);
  std::string bytes(static_cast<std::size_t>(size > 0 ? size : BN_num_bytes(value)), '\0');
  BN_bn2binpad(value, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  BN_free(value);
  return base64url(bytes);
}

json rsa_jwk(const Key& key, const std::string& kid) {
  return {{"kty", "RSA"}, {"kid", kid}, {"n", number(key, OSSL_PKEY_PARAM_RSA_N)}, {"e", number(key, OSSL_PKEY_PARAM_RSA_E)}};
}
json ec_jwk(const Key& key, const std::string& kid, const char* curve = "P-256", int size = 32) {
  return {{"kty", "EC"},
          {"crv", curve},
          {"kid", kid},
          {"x", number(key, OSSL_PKEY_PARAM_EC_PUB_X, size)},
          {"y", number(key, OSSL_PKEY_PARAM_EC_PUB_Y, size)}};
}
std::string jwks(const std::vector<json>& keys) { return json{{"keys", keys}}.dump(); }
std::string both_keys() { return jwks({rsa_jwk(rsa_key(), "r"), ec_jwk(ec_key(), "e")}); }

std::string sign(const Key& key, const std::string& algorithm, const std::string& text, int salt = RSA_PSS_SALTLEN_DIGEST) {
  const auto* input = reinterpret_cast<const unsigned char*>(text.data());
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_PKEY_CTX* padding = nullptr;
  EVP_DigestSignInit(context.get(), &padding, EVP_sha256(), nullptr, key.get());
  if (algorithm == "PS256") {
    EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PSS_PADDING);
    EVP_PKEY_CTX_set_rsa_pss_saltlen(padding, salt);
  }
  std::size_t size = 0;
  EVP_DigestSign(context.get(), nullptr, &size, input, text.size());
  std::string signature(size, '\0');
  EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, input, text.size());
  signature.resize(size);
  if (algorithm != "ES256") return signature;
  const auto* der = reinterpret_cast<const unsigned char*>(signature.data());
  ECDSA_SIG* pair = d2i_ECDSA_SIG(nullptr, &der, static_cast<long>(signature.size()));
  std::string raw(64, '\0');
  BN_bn2binpad(ECDSA_SIG_get0_r(pair), reinterpret_cast<unsigned char*>(raw.data()), 32);
  BN_bn2binpad(ECDSA_SIG_get0_s(pair), reinterpret_cast<unsigned char*>(raw.data()) + 32, 32);
  ECDSA_SIG_free(pair);
  return raw;
}

json claims() {
  return {{"iss", kIssuer},
          {"aud", kAudience},
          {"sub", "ci@lab"},
          {"exp", kSeconds + 300},
          {"scope", "openid plumbline:read plumbline:write"}};
}
json header(const std::string& algorithm = "RS256", const std::string& kid = "r") {
  return {{"alg", algorithm}, {"typ", "at+jwt"}, {"kid", kid}};
}

std::string token_of(const json& head, const json& body, const Key& key, const std::string& algorithm) {
  const std::string text = base64url(head.dump()) + "." + base64url(body.dump());
  return text + "." + base64url(sign(key, algorithm, text));
}
std::string token(const json& body) { return token_of(header(), body, rsa_key(), "RS256"); }
std::string token_with(const char* claim, const json& value) {
  json body = claims();
  body[claim] = value;
  return token(body);
}
std::string token_without(const char* claim) {
  json body = claims();
  body.erase(claim);
  return token(body);
}

const Oauth& oauth() {
  static const Oauth verifier({kIssuer, kAudience, ""}, KeySet::parse(both_keys(), "keys").value());
  return verifier;
}

// "ok", or what is wrong.
std::string said(const std::string& token, std::chrono::system_clock::time_point now = kNow) {
  const auto principal = oauth().verify(token, now);
  return principal ? "ok" : principal.error();
}

TEST(Jwt, OfTheIssuerForThisAudienceNamesItsSubject) {
  for (const auto& [algorithm, kid] :
       std::vector<std::pair<std::string, std::string>>{{"RS256", "r"}, {"PS256", "r"}, {"ES256", "e"}}) {
    const auto who =
        oauth().verify(token_of(header(algorithm, kid), claims(), kid == "e" ? ec_key() : rsa_key(), algorithm), kNow);
    ASSERT_TRUE(who) << algorithm << ": " << who.error();
    EXPECT_EQ(who->id(), "oauth:ci@lab");
    EXPECT_TRUE(who->may_read);
    EXPECT_TRUE(who->may_write);
  }
}

TEST(Jwt, MaySayWhatItIsInTheUsualWays) {
  for (const std::string type : {"JWT", "at+jwt", "AT+JWT", "application/at+jwt"}) {
    json head = header();
    head["typ"] = type;
    EXPECT_EQ(said(token_of(head, claims(), rsa_key(), "RS256")), "ok") << type;
  }
  json head = header();
  head.erase("typ");
  EXPECT_EQ(said(token_of(head, claims(), rsa_key(), "RS256")), "ok");
  for (const json& type : {json("dpop+jwt"), json("id+jwt"), json(""), json(7), json(nullptr)}) {
    head["typ"] = type;
    EXPECT_EQ(said(token_of(head, claims(), rsa_key(), "RS256")), "the token is not an access token") << type;
  }
}

TEST(Jwt, WithAnyBitChangedIsRefused) {
  const std::string good = token(claims());
  ASSERT_EQ(said(good), "ok");
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string changed = good;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_NE(said(changed), "ok") << "character " << i;
  }
  json more = claims();
  more["sub"] = "root";
  const std::size_t first = good.find('.');
  const std::size_t second = good.rfind('.');
  EXPECT_EQ(said(good.substr(0, first + 1) + base64url(more.dump()) + good.substr(second)),
            "the signature of the token is not valid");
  EXPECT_EQ(said(good.substr(0, second + 1)), "the signature of the token is not valid");
}

TEST(Jwt, SignedWithAnotherKeyIsRefused) {
  EXPECT_EQ(said(token_of(header(), claims(), rsa(), "RS256")), "the signature of the token is not valid");
  EXPECT_EQ(said(token_of(header("ES256", "e"), claims(), elliptic(), "ES256")), "the signature of the token is not valid");
}

TEST(Jwt, CannotTalkItsWayIntoAnotherAlgorithm) {
  const std::string only = "the token is not signed by RS256, PS256 or ES256";
  for (const json& algorithm : {json("none"), json("None"), json(""), json("HS256"), json("RS384"), json("RS512"), json("ES384"),
                                json("EdDSA"), json("rs256"), json(nullptr), json::array({"RS256"}), json(256)}) {
    json head = header();
    head["alg"] = algorithm;
    EXPECT_EQ(said(token_of(head, claims(), rsa_key(), "RS256")), only) << algorithm;
    EXPECT_EQ(said(base64url(head.dump()) + "." + base64url(claims().dump()) + "."), only) << algorithm;
  }
  // HMAC with the public key as its secret, under every name it could go by.
  for (const std::string name : {"HS256", "RS256", "PS256"}) {
    const std::string text = base64url(header(name).dump()) + "." + base64url(claims().dump());
    unsigned char mac[32];
    unsigned size = 0;
    const std::string secret = both_keys();
    HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), reinterpret_cast<const unsigned char*>(text.data()),
         text.size(), mac, &size);
    EXPECT_NE(said(text + "." + base64url({reinterpret_cast<char*>(mac), size})), "ok") << name;
  }
  // The right signature under another algorithm's or another key's name.
  const std::string invalid = "the signature of the token is not valid";
  EXPECT_EQ(said(token_of(header("PS256"), claims(), rsa_key(), "RS256")), invalid);
  EXPECT_EQ(said(token_of(header("RS256"), claims(), rsa_key(), "PS256")), invalid);
  EXPECT_EQ(said(token_of(header("ES256", "r"), claims(), ec_key(), "ES256")), invalid);
  EXPECT_EQ(said(token_of(header("RS256", "e"), claims(), rsa_key(), "RS256")), invalid);
}

TEST(Jwt, MustUseTheSaltAndSignatureLengthsOfItsAlgorithm) {
  const std::string invalid = "the signature of the token is not valid";
  const std::string ps = base64url(header("PS256").dump()) + "." + base64url(claims().dump());
  EXPECT_EQ(said(ps + "." + base64url(sign(rsa_key(), "PS256", ps))), "ok");
  EXPECT_EQ(said(ps + "." + base64url(sign(rsa_key(), "PS256", ps, 0))), invalid);
  const std::string es = base64url(header("ES256", "e").dump()) + "." + base64url(claims().dump());
  const std::string raw = sign(ec_key(), "ES256", es);
  EXPECT_EQ(said(es + "." + base64url(raw)), "ok");
  EXPECT_EQ(said(es + "." + base64url(raw + raw)), invalid);
  EXPECT_EQ(said(es + "." + base64url(raw.substr(0, 63))), invalid);
  EXPECT_EQ(said(es + "." + base64url(std::string(64, '\0'))), invalid);
  EXPECT_EQ(said(es + "." + base64url(std::string(64, '\xff'))), invalid);
  EXPECT_EQ(said(es + "." + base64url(sign(ec_key(), "DER", es))), invalid);
}

TEST(Jwt, MustNameAKeyThatIsKnown) {
  json head = header();
  head.erase("kid");
  EXPECT_EQ(said(token_of(head, claims(), rsa_key(), "RS256")), "the token does not name its key");
  head["kid"] = 1;
  EXPECT_EQ(said(token_of(head, claims(), rsa_key(), "RS256")), "the token does not name its key");
  for (const std::string kid : {"x", "", "R", "../r"}) {
    EXPECT_EQ(said(token_of(header("RS256", kid), claims(), rsa_key(), "RS256")), "the token names a key that is not known here")
        << kid;
  }
}

TEST(Jwt, CannotBringItsOwnKey) {
  const Key mine = rsa();
  json head = header();
  head["jwk"] = rsa_jwk(mine, "r");
  head["jku"] = "https://evil.example/keys";
  head["x5c"] = {"MIIB"};
  EXPECT_EQ(said(token_of(head, claims(), mine, "RS256")), "the signature of the token is not valid");
}

TEST(Jwt, WithCriticalExtensionsIsRefused) {
  json head = header();
  head["crit"] = {"b64"};
  head["b64"] = false;
  EXPECT_EQ(said(token_of(head, claims(), rsa_key(), "RS256")), "the token asks for extensions that are not known here");
}

TEST(Jwt, ExpiresAMinuteLateAtMost) {
  using std::chrono::seconds;
  const std::string expires = token_with("exp", kSeconds);
  EXPECT_EQ(said(expires, kNow + seconds(59)), "ok");
  EXPECT_EQ(said(expires, kNow + seconds(60)), "the token has expired");
  EXPECT_EQ(said(token_with("exp", kSeconds + 0.5), kNow + seconds(60)), "ok");
  EXPECT_EQ(said(token_with("exp", 0)), "the token has expired");
  EXPECT_EQ(said(token_with("exp", -1e300)), "the token has expired");
  for (const json& exp : {json(nullptr), json("1800000300"), json(true), json(json::array({kSeconds + 300}))}) {
    EXPECT_EQ(said(token_with("exp", exp)), "the token does not say when it expires") << exp;
  }
  EXPECT_EQ(said(token_without("exp")), "the token does not say when it expires");
}

TEST(Jwt, IsNotValidMoreThanAMinuteBeforeItsTime) {
  EXPECT_EQ(said(token_with("nbf", kSeconds + 60)), "ok");
  EXPECT_EQ(said(token_with("nbf", kSeconds + 61)), "the token is not valid yet");
  EXPECT_EQ(said(token_with("nbf", "yesterday")), "the token is not valid yet");
}

TEST(Jwt, OfAnotherIssuerIsRefusedHoweverSimilar) {
  for (const json& issuer : {json("https://login.example/"), json("https://LOGIN.example"), json("http://login.example"),
                             json(""), json(nullptr), json::array({kIssuer})}) {
    EXPECT_EQ(said(token_with("iss", issuer)), "the token is from another issuer") << issuer;
  }
  EXPECT_EQ(said(token_without("iss")), "the token is from another issuer");
}

TEST(Jwt, IsForThisAudienceAmongOthersOrNotAtAll) {
  EXPECT_EQ(said(token_with("aud", {"https://other.example", kAudience})), "ok");
  for (const json& audience : {json("https://perf.example/"), json("https://perf.example/mcp/"), json(json::array()),
                               json::array({"https://other.example"}), json{{kAudience, true}}, json(nullptr),
                               json::array({json::array({kAudience})})}) {
    EXPECT_EQ(said(token_with("aud", audience)), "the token is for another audience") << audience;
  }
  EXPECT_EQ(said(token_without("aud")), "the token is for another audience");
}

TEST(Jwt, NamesASubjectOfBoundedLength) {
  EXPECT_EQ(said(token_without("sub")), "the token names no subject");
  EXPECT_EQ(said(token_with("sub", "")), "the token names no subject");
  EXPECT_EQ(said(token_with("sub", 7)), "the token names no subject");
  EXPECT_EQ(said(token_with("sub", std::string(256, 's'))), "ok");
  EXPECT_EQ(said(token_with("sub", std::string(257, 's'))), "the subject of the token is too long");
}

TEST(Jwt, MayDoWhatItsScopesSay) {
  const auto may = [](const json& body) {
    const auto who = oauth().verify(token(body), kNow);
    return !who ? who.error() : std::string(who->may_read ? "read" : "") + (who->may_write ? " write" : "");
  };
  json body = claims();
  body.erase("scope");
  EXPECT_EQ(may(body), "");
  body["scp"] = {"plumbline:read", 7};
  EXPECT_EQ(may(body), "read");
  body["scp"] = "plumbline:write other";
  EXPECT_EQ(may(body), "read write");
  body["scope"] = "plumbline:read";
  EXPECT_EQ(may(body), "read") << "scope is the standard's word and goes first";
  for (const json& scope : {json("plumbline:reader"), json("PLUMBLINE:READ"), json("plumbline:read,plumbline:write"), json(""),
                            json(1), json(nullptr)}) {
    body["scope"] = scope;
    EXPECT_EQ(may(body), "") << scope;
  }
}

TEST(Jwt, OfAnyOtherShapeIsNone) {
  const std::string not_one = "the token is not a signed JWT";
  const std::string good = token(claims());
  const std::string head = good.substr(0, good.find('.'));
  for (const std::string& other :
       {std::string(), std::string("."), std::string(".."), std::string("..."), std::string("a.b.c"), head, head + ".",
        good + ".", good + "=", good + "==", "=" + good, good + ".x", head + "=" + good.substr(head.size()), good + "\n",
        base64url("[]") + ".e30.AA", base64url("{\"alg\":\"RS256\"") + ".e30.AA", base64url("{\"alg\":\"\xff\"}") + ".e30.AA",
        std::string(8192, '.'), std::string(8192, 'A')}) {
    EXPECT_EQ(said(other), not_one) << other.substr(0, 100);
  }
  EXPECT_EQ(said(base64url(std::string(4000, '[')) + ".e30.AA"), not_one);
  const std::string text = base64url(header().dump()) + "." + base64url("[1]");
  EXPECT_EQ(said(text + "." + base64url(sign(rsa_key(), "RS256", text))), "the token holds no claims");
}

TEST(Jwt, HasABoundedSize) {
  const std::string big = token_with("padding", std::string(kBearerBytes, 'x'));
  EXPECT_EQ(said(big), "the token is too long");
}

std::string keys_problem(const std::string& text) {
  const auto keys = KeySet::parse(text, "keys.json");
  return keys ? "none" : keys.error().message;
}

TEST(KeySet, PassesOverKeysForOtherUses) {
  json encrypts = rsa_jwk(rsa_key(), "enc");
  encrypts["use"] = "enc";
  json wraps = rsa_jwk(rsa_key(), "wrap");
  wraps["key_ops"] = {"wrapKey"};
  json other_algorithm = rsa_jwk(rsa_key(), "rs512");
  other_algorithm["alg"] = "RS512";
  const json shared = {{"kty", "oct"}, {"kid", "shared"}, {"k", "AAAA"}};
  const json edwards = {{"kty", "OKP"}, {"crv", "Ed25519"}, {"kid", "ed"}, {"x", "AAAA"}};
  const json larger = ec_jwk(elliptic("P-384"), "p384", "P-384", 48);
  const auto keys =
      KeySet::parse(jwks({encrypts, wraps, other_algorithm, shared, edwards, larger, ec_jwk(ec_key(), "e")}), "keys.json");
  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_EQ(keys->size(), 1U);
  EXPECT_TRUE(keys->knows("e"));
  EXPECT_FALSE(keys->knows("shared"));
  EXPECT_EQ(keys_problem(jwks({encrypts, shared})), "keys.json holds no key that can be used");
}

TEST(KeySet, HoldsAKeyToItsOwnAlgorithm) {
  json only_ps = rsa_jwk(rsa_key(), "r");
  only_ps["alg"] = "PS256";
  only_ps["use"] = "sig";
  only_ps["key_ops"] = {"verify"};
  const Oauth strict({kIssuer, kAudience, ""}, KeySet::parse(jwks({only_ps}), "keys").value());
  EXPECT_TRUE(strict.verify(token_of(header("PS256"), claims(), rsa_key(), "PS256"), kNow));
  EXPECT_FALSE(strict.verify(token_of(header("RS256"), claims(), rsa_key(), "RS256"), kNow));
}

TEST(KeySet, RefusesKeysThatShouldNotBeUsed) {
  EXPECT_EQ(keys_problem(jwks({rsa_jwk(rsa(1024), "r")})), "keys.json key 1 has 1024 bits; an RSA key has 2048 to 8192");
  json nameless = rsa_jwk(rsa_key(), "r");
  nameless.erase("kid");
  EXPECT_EQ(keys_problem(jwks({ec_jwk(ec_key(), "e"), nameless})), "keys.json key 2 has no kid");
  EXPECT_EQ(keys_problem(jwks({ec_jwk(ec_key(), "k"), rsa_jwk(rsa_key(), "k")})), "keys.json key 2 has the kid of another key");
  EXPECT_EQ(keys_problem(jwks({ec_jwk(ec_key(), std::string(257, 'k'))})), "keys.json key 1 has a kid of more than 256 bytes");
  json private_one = ec_jwk(ec_key(), "e");
  private_one["d"] = "AAAA";
  EXPECT_EQ(keys_problem(jwks({private_one})), "keys.json key 1 is a private key: publish its public half only");
}

TEST(KeySet, RefusesKeysThatAreNone) {
  json bad = rsa_jwk(rsa_key(), "r");
  bad["e"] = "AQ";  // 1
  EXPECT_EQ(keys_problem(jwks({bad})), "keys.json key 1 is not an RSA public key");
  bad["e"] = "AAAAAAAAAAAAAQAB";
  EXPECT_EQ(keys_problem(jwks({bad})), "keys.json key 1 is not an RSA public key");
  bad["e"] = "AQAB=";
  EXPECT_EQ(keys_problem(jwks({bad})), "keys.json key 1 lacks n or e, or they are not base64url");
  json off_curve = ec_jwk(ec_key(), "e");
  off_curve["y"] = base64url(std::string(32, '\x01'));
  EXPECT_EQ(keys_problem(jwks({off_curve})), "keys.json key 1 is not a point of P-256");
  off_curve["x"] = base64url(std::string(31, '\x01'));
  EXPECT_EQ(keys_problem(jwks({off_curve})), "keys.json key 1 lacks x or y, or they are not base64url of 32 bytes");
  EXPECT_EQ(keys_problem(jwks({"text"})), "keys.json key 1 is not an object");
}

TEST(KeySet, RefusesWhatIsNoSetOfKeys) {
  for (const std::string text : {"", "[]", "{}", "{\"keys\":{}}", "{\"keys\":[", "null", "-----BEGIN PUBLIC KEY-----"}) {
    EXPECT_EQ(keys_problem(text), "keys.json is not a JWK Set") << text;
  }
  EXPECT_EQ(keys_problem(std::string(100'000, '[')), "keys.json is not a JWK Set");
  EXPECT_EQ(keys_problem(jwks({})), "keys.json holds no key that can be used");
  EXPECT_EQ(keys_problem(jwks(std::vector<json>(65, json::object()))), "keys.json holds 65 keys, at most 64 are read");
}

TEST(Oauth, ReadsItsKeysFromAFileThatOthersCannotChange) {
  const Scratch folder;
  const std::string path = folder.write("keys.json", jwks({rsa_jwk(rsa_key(), "r")}));
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  const auto loaded = Oauth::load({kIssuer, kAudience, path});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE((*loaded)->verify(token(claims()), kNow));
  std::filesystem::permissions(path, std::filesystem::perms(0664));
  const auto refused = Oauth::load({kIssuer, kAudience, path});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, path + " can be changed by other accounts (mode 0664)");
  EXPECT_EQ(refused.error().hint, "chmod go-w " + path);
}

TEST(Oauth, TakesNewKeysOnReloadAndKeepsTheOldOnesWhenTheyAreBad) {
  const Scratch folder;
  const std::string path = folder.write("keys.json", jwks({rsa_jwk(rsa_key(), "r")}));
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  const auto loaded = Oauth::load({kIssuer, kAudience, path});
  ASSERT_TRUE(loaded);
  const std::string elliptic_token = token_of(header("ES256", "e"), claims(), ec_key(), "ES256");
  EXPECT_FALSE((*loaded)->verify(elliptic_token, kNow));
  std::ofstream(path, std::ios::trunc) << jwks({ec_jwk(ec_key(), "e")});
  ASSERT_TRUE((*loaded)->reload());
  EXPECT_TRUE((*loaded)->verify(elliptic_token, kNow));
  EXPECT_FALSE((*loaded)->verify(token(claims()), kNow));
  std::ofstream(path, std::ios::trunc) << "{}";
  EXPECT_EQ((*loaded)->reload().error().message, path + " is not a JWK Set");
  EXPECT_TRUE((*loaded)->verify(elliptic_token, kNow));
}

TEST(Oauth, WantsHttpsUrlsExceptOnThisMachine) {
  const Scratch folder;
  const std::string path = folder.write("keys.json", jwks({rsa_jwk(rsa_key(), "r")}));
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  for (const std::string url :
       {"https://login.example/tenant", "http://localhost:9000", "http://127.0.0.1/x", "http://[::1]:9000/x"}) {
    EXPECT_TRUE(Oauth::load({url, kAudience, path})) << url;
  }
  for (const std::string url :
       {"", "login.example", "http://login.example", "http://localhost.evil.example", "https://", "https://a?b", "https://a#b",
        "https://a b", "https://a\"b", "https://localhost@evil.example", "ftp://a"}) {
    const auto refused = Oauth::load({url, kAudience, path});
    ASSERT_FALSE(refused) << url;
    EXPECT_EQ(refused.error().message, "the issuer must be an https URL without query and fragment: " + core::quoted(url));
  }
  EXPECT_EQ(Oauth::load({kIssuer, "mcp", path}).error().message,
            "the audience must be an https URL without query and fragment: \"mcp\"");
}

}  // namespace
}  // namespace plumbline::server::access
