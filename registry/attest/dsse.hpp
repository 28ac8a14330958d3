// DSSE 1.0.2: the envelope in which a statement is signed. What is signed is not the JSON but the pre-authentication encoding of
// type and payload; whoever verifies goes on with the very bytes that were verified.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "registry/attest/keys.hpp"

namespace plumbline::registry::attest {

inline constexpr std::string_view kPayloadType = "application/vnd.in-toto+json";
inline constexpr std::size_t kEnvelopeAtMost = std::size_t{4} << 20U;
inline constexpr std::size_t kSignaturesAtMost = 32;

// "DSSEv1 <bytes of type> <type> <bytes of payload> <payload>"
[[nodiscard]] std::string pae(std::string_view payload_type, std::string_view payload);

struct Signature {
  std::string keyid;  // a hint, which anybody may have written
  std::string bytes;
};
struct Envelope {
  std::string payload_type, payload;
  std::vector<Signature> signatures;  // one at least
};

// Errors (invalid_input) say what is wrong with the text; the caller says with which file. Unknown members are ignored, as DSSE
// asks.
[[nodiscard]] core::Expected<Envelope> parse_envelope(std::string_view text);
[[nodiscard]] std::string envelope_text(const Envelope& envelope);

[[nodiscard]] core::Expected<Envelope> sign_payload(const PrivateKey& key, std::string payload);

}  // namespace plumbline::registry::attest
