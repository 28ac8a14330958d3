// Keys, signatures and base64 of others, with the vectors of RFC 8032 section 7.1, RFC 6979 appendix A.2.5 and RFC 4648
// section 10.
#include "registry/attest/keys.hpp"

#include <gtest/gtest.h>

#include "registry/attest/base64.hpp"

namespace plumbline::registry::attest {
namespace {

std::string bytes(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

// RFC 8032, TEST 2: the message is the one byte 0x72.
constexpr std::string_view kPem =
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n-----END PUBLIC KEY-----";
const std::string kSignature = bytes(
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb"
    "0c00");

TEST(Ed25519, a_signature_is_good_for_its_message_and_key_alone) {
  const auto key = parse_public_key(kPem, "key.pub");
  ASSERT_TRUE(key) << key.error().message;
  EXPECT_TRUE(verify(*key, "r", kSignature));
  EXPECT_FALSE(verify(*key, "s", kSignature));
  EXPECT_FALSE(verify(*key, "r", kSignature.substr(1)));
  std::string changed = kSignature;
  changed[5] = static_cast<char>(changed[5] ^ 1);
  EXPECT_FALSE(verify(*key, "r", changed));
  PublicKey other = *key;
  other.spki.back() = static_cast<char>(other.spki.back() ^ 1);
  EXPECT_FALSE(verify(other, "r", kSignature));
  EXPECT_EQ(key->algorithm, Algorithm::ed25519);
  EXPECT_EQ(key_name(*key), key_id(*key).substr(0, 16));
  EXPECT_NE(key_name(*key), key_name(other));
}

// RFC 6979 A.2.5: the key; below, r and s of two messages.
constexpr std::string_view kP256 =
    "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX\n"
    "Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth\n"
    "+mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ\n-----END PRIVATE KEY-----\n";
constexpr std::string_view kP256Public =
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7\n"
    "Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==\n-----END PUBLIC KEY-----\n";
// The same point, written in its short form.
constexpr std::string_view kP256Short =
    "-----BEGIN PUBLIC KEY-----\nMDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADYP7UuiVanTHJYet0xjVtaMBJuJI7\n"
    "Yfps5mliLmDyn7Y=\n-----END PUBLIC KEY-----\n";
// The same key, as `openssl ec` writes it.
constexpr std::string_view kP256Older =
    "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIMmvqdhFunUWa1whV2ex1pNOUMPbNuibEnuKYisSD2choAoGCCqGSM49\n"
    "AwEHoUQDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Z5A/4QCLi8\nmaQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==\n"
    "-----END EC PRIVATE KEY-----\n";

TEST(P256, verifies_the_signatures_of_rfc_6979) {
  const auto key = PrivateKey::parse(kP256, "a.key");
  ASSERT_TRUE(key) << key.error().message;
  const std::string sample = bytes(
      "3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716022100f7cb1c942d657c41d436c7a1b6e29f65f3"
      "e900dbb9aff4064dc4ab2f843acda8");
  const std::string test = bytes(
      "3045022100f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d383670220019f4113742a2b14bd25926b49c649155f26"
      "7e60d3814b4c0cc84250e46f0083");
  EXPECT_TRUE(verify(key->public_key(), "sample", sample));
  EXPECT_TRUE(verify(key->public_key(), "test", test));
  EXPECT_FALSE(verify(key->public_key(), "test", sample));
  EXPECT_TRUE(verify(key->public_key(), "sample", key->sign("sample").value()));
}

TEST(P256, one_key_has_one_id_however_it_is_written) {
  const auto key = PrivateKey::parse(kP256, "a.key");
  ASSERT_TRUE(key);
  const auto older = PrivateKey::parse(kP256Older, "a.key");
  ASSERT_TRUE(older) << older.error().message;
  EXPECT_EQ(older->public_key(), key->public_key());
  EXPECT_EQ(parse_public_key(kP256Public, "a.pub").value(), key->public_key());
  EXPECT_EQ(parse_public_key(kP256Short, "a.pub").value(), key->public_key());
  EXPECT_EQ(public_pem(key->public_key()).value(), kP256Public);
  // `openssl pkey -pubout -outform DER | sha256sum`
  EXPECT_EQ(key_id(key->public_key()), "5a7a78cca4a0f420d9bc62bb669c3c2759e39f723d3ae10dcbe0f0815a07ecd4");
}

TEST(Keys, are_made_written_and_read_back) {
  for (const Algorithm algorithm : {Algorithm::p256, Algorithm::ed25519}) {
    const auto made = PrivateKey::make(algorithm);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->public_key().algorithm, algorithm);
    std::string pem;
    ASSERT_TRUE(made->with_pem([&](std::string_view text) -> core::Status {
      pem = text;
      return {};
    }));
    EXPECT_EQ(pem.rfind("-----BEGIN PRIVATE KEY-----\n", 0), 0U);
    const auto again = PrivateKey::parse(pem, "a.key");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->public_key(), made->public_key());
    const auto signature = made->sign("message");
    ASSERT_TRUE(signature);
    EXPECT_TRUE(verify(made->public_key(), "message", again->sign("message").value()));
    if (algorithm == Algorithm::ed25519) EXPECT_EQ(again->sign("message").value(), *signature) << "no random number is in it";
    EXPECT_TRUE(verify(parse_public_key(public_pem(made->public_key()).value(), "a.pub").value(), "message", *signature));
    EXPECT_FALSE(verify(made->public_key(), "another message", *signature));
    EXPECT_FALSE(verify(PrivateKey::make(algorithm)->public_key(), "message", *signature));
    const Algorithm other = algorithm == Algorithm::p256 ? Algorithm::ed25519 : Algorithm::p256;
    EXPECT_FALSE(verify(PrivateKey::make(other)->public_key(), "message", *signature));
    EXPECT_FALSE(verify(made->public_key(), "message", ""));
  }
}

TEST(PrivateKeys, what_is_none_is_refused_without_being_shown) {
  const auto said = [](std::string_view pem) {
    const auto key = PrivateKey::parse(pem, "a.key");
    EXPECT_FALSE(key);
    if (key) return std::string();
    EXPECT_EQ(key.error().where, "a.key");
    EXPECT_EQ((key.error().message + key.error().hint).find("hunter2"), std::string::npos);
    return key.error().message;
  };
  EXPECT_EQ(said("hunter2"), "not a private key in PEM");
  EXPECT_EQ(said(""), "not a private key in PEM");
  EXPECT_EQ(said("-----BEGIN PRIVATE KEY-----\nhunter2=\n-----END PRIVATE KEY-----\n"), "not a private key in PEM");
  EXPECT_EQ(said(kP256Public), "a public key where a private one is asked for");
  EXPECT_EQ(said("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIHsMFcGCSqGSIb3\n-----END ENCRYPTED PRIVATE KEY-----\n"),
            "the private key has a passphrase, and nobody is asked for one");
  EXPECT_EQ(said("-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\nMIHs\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n"),
            "the private key has a passphrase, and nobody is asked for one");
  EXPECT_EQ(said("-----BEGIN PRIVATE KEY-----\n"
                 "MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAuRbuw3/HcVHv4yvnu\n"
                 "AnQqlPY12zQifE76LIEjfcT6OnRvrWbfg+oxpEfm2f7pqrChZANiAASnPBclKHk+\n"
                 "MrmRqVqfvSOiCgX0xOGNRe44N+A4sQeEmkIqhrEMZydro+uBWZ120yYbCRlJjLMF\n"
                 "WPXZc9onZsZMAyd5BcQHkeaxMHhZTWDSz0+sMWjtmZtpIxRZwUwsQuE=\n-----END PRIVATE KEY-----\n"),
            "a private key of another kind than P-256 and Ed25519");  // P-384
  EXPECT_EQ(said(std::string(100'000, 'A')), "longer than any private key");
}

TEST(PublicKeys, what_is_none_is_said) {
  const auto nothing = parse_public_key("hello", "key.pub");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().message, "not a public key in PEM");
  EXPECT_EQ(nothing.error().where, "key.pub");
  EXPECT_EQ(nothing.error().hint, "a public key in PEM starts with -----BEGIN PUBLIC KEY-----");
  // An X25519 key has the same shape and another purpose.
  const auto other = parse_public_key(
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n-----END PUBLIC KEY-----\n",
      "key.pub");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "a public key of another kind than P-256 and Ed25519");
  const auto secret = parse_public_key(kP256, "key.pub");
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().message, "a private key where a public one is asked for");
  EXPECT_FALSE(parse_public_key(std::string(100'000, 'A'), "key.pub"));
}

TEST(Base64, is_strict) {
  EXPECT_EQ(decode_base64("").value(), "");
  EXPECT_EQ(decode_base64("Zg==").value(), "f");
  EXPECT_EQ(decode_base64("Zm8=").value(), "fo");
  EXPECT_EQ(decode_base64("Zm9vYmFy").value(), "foobar");
  for (const char* wrong : {"Zg", "Zg=", "Z===", "====", "Zm9v\n", "Zm 9", "Zg==Zg==", "Zm9_", "Zh==", "Zm9="})
    EXPECT_FALSE(decode_base64(wrong)) << wrong;
}

TEST(Base64, is_written_as_it_is_read) {
  for (const char* text : {"", "f", "fo", "foo", "foob", "fooba", "foobar"})
    EXPECT_EQ(decode_base64(encode_base64(text)).value(), text);
  EXPECT_EQ(encode_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encode_base64("\xfb\xff"), "+/8=");
  EXPECT_EQ(decode_any_base64("-_8=").value(), "\xfb\xff");
  EXPECT_EQ(decode_any_base64("+/8=").value(), "\xfb\xff");
  EXPECT_FALSE(decode_any_base64("-_8"));
}

}  // namespace
}  // namespace plumbline::registry::attest
