// The envelope by its specification (DSSE 1.0.2, with the protocol's own example), and what is no envelope.
#include "registry/attest/dsse.hpp"

#include <gtest/gtest.h>

#include "registry/attest/base64.hpp"

namespace plumbline::registry::attest {
namespace {

TEST(Pae, counts_bytes) {
  EXPECT_EQ(pae("http://example.com/HelloWorld", "hello world"), "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
  EXPECT_EQ(pae("t", "\xc3\xa4\n"), "DSSEv1 1 t 3 \xc3\xa4\n");
  EXPECT_EQ(pae("", ""), "DSSEv1 0  0 ");
}

TEST(Envelope, is_read_as_it_is_written) {
  const Envelope envelope{"application/x", std::string("{\"a\":\0}\n", 8), {{"one", "\x01\xff"}, {"", "s"}}};
  const std::string text = envelope_text(envelope);
  EXPECT_EQ(
      text,
      "{\"payloadType\":\"application/x\",\"payload\":\"eyJhIjoAfQo=\",\"signatures\":[{\"keyid\":\"one\",\"sig\":\"Af8=\"},"
      "{\"keyid\":\"\",\"sig\":\"cw==\"}]}\n");
  const auto again = parse_envelope(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->payload_type, envelope.payload_type);
  EXPECT_EQ(again->payload, envelope.payload);
  ASSERT_EQ(again->signatures.size(), 2U);
  EXPECT_EQ(again->signatures[0].keyid, "one");
  EXPECT_EQ(again->signatures[0].bytes, "\x01\xff");
}

// Members that are unknown are passed over, and base64 may have the alphabet of URLs (protocol.md).
TEST(Envelope, of_others_is_read) {
  const std::string text = R"({"payload":"aGVsbG8gd29ybGQ=","payloadType":"http://example.com/HelloWorld","other":[1],)"
                           R"("signatures":[{"sig":"-_8=","extension":{}}]})";
  const auto envelope = parse_envelope(text);
  ASSERT_TRUE(envelope) << envelope.error().message;
  EXPECT_EQ(envelope->payload, "hello world");
  EXPECT_EQ(envelope->signatures[0].bytes, "\xfb\xff");
  EXPECT_EQ(envelope->signatures[0].keyid, "");
}

TEST(Envelope, what_is_none_is_said) {
  const struct {
    std::string text, message;
  } cases[] = {
      {"", "not valid JSON at byte 1"},
      {"[]", "no JSON object"},
      {"{}", "no text \"payloadType\""},
      {R"({"payloadType":"t"})", "no text \"payload\""},
      {R"({"payloadType":"t","payload":"!"})", "\"payload\" is not base64"},
      {R"({"payloadType":"t","payload":""})", "no list \"signatures\" with at least one"},
      {R"({"payloadType":"t","payload":"","signatures":[]})", "no list \"signatures\" with at least one"},
      {R"({"payloadType":"t","payload":"","signatures":[1]})", "a signature is no object"},
      {R"({"payloadType":"t","payload":"","signatures":[{}]})", "no text \"sig\""},
      {R"({"payloadType":"t","payload":"","payload":"","signatures":[{"sig":""}]})",
       "the key \"payload\" appears twice in one object"},
      {std::string(kEnvelopeAtMost + 1, ' '), "larger than the 4 MiB that are read"},
  };
  for (const auto& one : cases) {
    const auto envelope = parse_envelope(one.text);
    ASSERT_FALSE(envelope) << one.text.substr(0, 100);
    EXPECT_EQ(envelope.error().message, one.message);
  }
  std::string many = R"({"payloadType":"t","payload":"","signatures":[{"sig":""})";
  for (std::size_t i = 0; i < kSignaturesAtMost; ++i) many += R"(,{"sig":""})";
  EXPECT_EQ(parse_envelope(many + "]}").error().message, "more than 32 signatures");
}

TEST(Envelope, is_signed_over_its_pae) {
  for (const Algorithm algorithm : {Algorithm::p256, Algorithm::ed25519}) {
    const auto key = PrivateKey::make(algorithm);
    ASSERT_TRUE(key);
    const auto envelope = sign_payload(*key, "{}");
    ASSERT_TRUE(envelope);
    EXPECT_EQ(envelope->payload_type, "application/vnd.in-toto+json");
    EXPECT_EQ(envelope->signatures.at(0).keyid, key_id(key->public_key()));
    EXPECT_TRUE(verify(key->public_key(), "DSSEv1 28 application/vnd.in-toto+json 2 {}", envelope->signatures[0].bytes));
    EXPECT_FALSE(verify(key->public_key(), "{}", envelope->signatures[0].bytes));
  }
}

}  // namespace
}  // namespace plumbline::registry::attest
