// State that a client keeps for us: it opens in the same call of the same caller, unchanged and in time, and nowhere else.
#include <gtest/gtest.h>

#include <set>

#include "server/access/base64url.hpp"
#include "server/access/seal.hpp"

namespace plumbline::server::access {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

const Sealer::Time kNow{std::chrono::hours(5)};
constexpr std::string_view kChanged = "requestState was changed, or belongs to another call or caller";
constexpr std::string_view kForeign = "requestState is not one that this server gave out";

std::string opened(const Sealer& sealer, std::string_view text, std::string_view binding = "b", Sealer::Time now = kNow) {
  const auto payload = sealer.open(text, binding, now);
  return payload ? "payload: " + *payload : payload.error().message;
}

TEST(Seal, ComesBackAsItWas) {
  const Sealer sealer;
  for (const std::string& payload :
       {std::string(), std::string("{\"step\":2}"), std::string("\0\xff\n", 3), std::string(Sealer::kPayloadBytes, 'x')}) {
    for (const std::string_view binding : {"", "b"}) {
      const auto text = sealer.seal(payload, binding, kNow, minutes(10));
      ASSERT_TRUE(text);
      EXPECT_EQ(opened(sealer, *text, binding), "payload: " + payload);
    }
  }
}

TEST(Seal, IsUrlSafeAndTellsTheClientNothing) {
  const Sealer sealer;
  const std::string payload = "a secret of ours, a secret of ours";
  const std::string text = sealer.seal(payload, "b", kNow, minutes(10)).value();
  EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), std::string::npos);
  EXPECT_EQ(from_base64url(text)->find("secret"), std::string::npos);
  EXPECT_NE(text, sealer.seal(payload, "b", kNow, minutes(10)).value()) << "equal payloads look different";
}

TEST(Seal, DoesNotOpenWhenAnyBitWasChanged) {
  const Sealer sealer;
  const std::string text = sealer.seal("payload", "b", kNow, minutes(10)).value();
  const std::string bytes = from_base64url(text).value();
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string changed = bytes;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << (i % 8)));
    EXPECT_EQ(opened(sealer, base64url(changed)), i < 8 ? kForeign : kChanged) << "bit " << i;
  }
  EXPECT_EQ(opened(sealer, base64url(bytes.substr(0, bytes.size() - 1))), kChanged);
  EXPECT_EQ(opened(sealer, base64url(bytes + "x")), kChanged);
}

TEST(Seal, DoesNotOpenForAnotherBindingAndDoesNotSayThatThisIsWhy) {
  const Sealer sealer;
  const std::string binding = binding_of({"token:ci", "tools/call", "digest"});
  const std::string text = sealer.seal("payload", binding, kNow, minutes(10)).value();
  EXPECT_EQ(opened(sealer, text, binding), "payload: payload");
  for (const std::string& other :
       {binding_of({"token:desk", "tools/call", "digest"}), binding_of({"token:ci", "prompts/get", "digest"}),
        binding_of({"token:ci", "tools/call", "other"}), std::string()}) {
    EXPECT_EQ(opened(sealer, text, other), kChanged);
    EXPECT_EQ(opened(sealer, text, other, kNow + minutes(11)), kChanged) << "not even that it has expired";
  }
}

TEST(Seal, ExpiresToTheMillisecond) {
  const Sealer sealer;
  const std::string text = sealer.seal("payload", "b", kNow, minutes(10)).value();
  EXPECT_EQ(opened(sealer, text, "b", kNow + minutes(10) - milliseconds(1)), "payload: payload");
  EXPECT_EQ(opened(sealer, text, "b", kNow + minutes(10)), "requestState has expired");
  const auto error = sealer.open(text, "b", kNow + minutes(10)).error();
  EXPECT_EQ(error.code, core::ErrorCode::invalid_input);
  EXPECT_EQ(error.hint, "make the call again without requestState");
}

TEST(Seal, OfAnotherProcessDoesNotOpen) {
  const Sealer one;
  const Sealer other;
  EXPECT_EQ(opened(other, one.seal("payload", "b", kNow, minutes(10)).value()), kChanged);
}

TEST(Seal, OfAServerWithTheSameKeyOpens) {
  const Sealer::Key key{1, 2, 3};
  const Sealer one(key);
  const Sealer other(key);
  EXPECT_EQ(opened(other, one.seal("payload", "b", kNow, minutes(10)).value()), "payload: payload");
  EXPECT_EQ(opened(Sealer(Sealer::Key{1, 2, 4}), one.seal("payload", "b", kNow, minutes(10)).value()), kChanged);
}

TEST(Seal, RefusesWhatWasNeverOne) {
  const Sealer sealer;
  const std::string text = sealer.seal("payload", "b", kNow, minutes(10)).value();
  for (const std::string& other : {std::string(), std::string("x"), std::string("AQ"), text.substr(0, 48), text + "=",
                                   text + "\n", " " + text, std::string(100, '+'), std::string(1U << 20, 'A')}) {
    EXPECT_EQ(opened(sealer, other), kForeign) << other.substr(0, 80);
  }
}

TEST(Seal, HasABoundedPayload) {
  const Sealer sealer;
  const auto text = sealer.seal(std::string(Sealer::kPayloadBytes + 1, 'x'), "b", kNow, minutes(10));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, core::ErrorCode::limit_exceeded);
  EXPECT_EQ(text.error().message, "the state between two rounds has 65537 bytes, at most 65536 are kept");
}

TEST(Binding, IsDifferentForEveryListOfTexts) {
  EXPECT_NE(binding_of({"ab", "c"}), binding_of({"a", "bc"}));
  EXPECT_NE(binding_of({"a"}), binding_of({"a", ""}));
  EXPECT_EQ(binding_of({"a", "b"}), binding_of({"a", "b"}));
}

TEST(RandomToken, IsUrlSafeOfTheLengthAskedForAndNeverTheSame) {
  EXPECT_EQ(random_token(24).size(), 32U);
  EXPECT_EQ(random_token(16).size(), 22U);
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random_token());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Base64Url, FollowsTheVectorsOfTheRfcWithoutPadding) {
  const std::vector<std::pair<std::string, std::string>> vectors = {
      {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
      {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff\xfe", "-__-"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(base64url(bytes), text);
    EXPECT_EQ(from_base64url(text), bytes);
  }
}

TEST(Base64Url, AcceptsExactlyOneTextForEachByteString) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {"Zg=="sv, "Zg="sv, "Z"sv, "Zm9vY"sv, "Zh"sv, "Zm9"sv, "+//+"sv, "Zm 9"sv, "Zm9v\n"sv, "Zg\0\0"sv, "\xc3\xb6__"sv}) {
    EXPECT_FALSE(from_base64url(text)) << text;
  }
}

}  // namespace
}  // namespace plumbline::server::access
