// Keys, signatures and base64 of others, with the vectors of RFC 8032 section 7.1 and RFC 4648 section 10.
#include "registry/attest/ed25519.hpp"

#include <gtest/gtest.h>

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
  other.raw[0] ^= 1;
  EXPECT_FALSE(verify(other, "r", kSignature));
  EXPECT_EQ(key_name(*key).size(), 16U);
  EXPECT_NE(key_name(*key), key_name(other));
}

TEST(Ed25519, what_is_no_such_key_is_said) {
  const auto nothing = parse_public_key("hello", "key.pub");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().message, "not a public key in PEM");
  EXPECT_EQ(nothing.error().where, "key.pub");
  EXPECT_EQ(nothing.error().hint, "an ed25519 public key in PEM starts with -----BEGIN PUBLIC KEY-----");
  // An X25519 key has the same shape and another purpose.
  const auto other = parse_public_key(
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n-----END PUBLIC KEY-----\n",
      "key.pub");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "a public key of another kind than ed25519");
  EXPECT_FALSE(parse_public_key(std::string(100'000, 'A'), "key.pub"));
}

TEST(Base64, is_strict) {
  EXPECT_EQ(decode_base64("").value(), "");
  EXPECT_EQ(decode_base64("Zg==").value(), "f");
  EXPECT_EQ(decode_base64("Zm8=").value(), "fo");
  EXPECT_EQ(decode_base64("Zm9vYmFy").value(), "foobar");
  for (const char* wrong : {"Zg", "Zg=", "Z===", "====", "Zm9v\n", "Zm 9", "Zg==Zg==", "Zm9_"})
    EXPECT_FALSE(decode_base64(wrong)) << wrong;
}

}  // namespace
}  // namespace plumbline::registry::attest
