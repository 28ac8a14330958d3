// What has to be computed with digests and keys before an inferencebench envelope is believed: its fingerprint, its content hash
// and its signature (facts: baseline-systems section 2).
#pragma once

#include <optional>
#include <string>

#include "core/measurement.hpp"
#include "registry/attest/keys.hpp"
#include "systems/inferencebench/model.hpp"

namespace plumbline::intake {

// Of an envelope that was read: an error when its fingerprint is not the digest of its body, as for its own tool; warnings
// about its signature (signature_invalid, signature_unpinned, signature_unchecked). Nothing for other measurements.
[[nodiscard]] core::Status check_envelope(core::Measurement& measurement);

struct EnvelopeCheck {
  std::string content_hash;      // of the tool's model
  std::string raw_content_hash;  // of the file's JSON; mostly the same
  bool is_signed = false;
  bool good = false;                               // the signature fits one of the two hashes
  bool fits_raw_only = false;                      // … and only the second: `bench verify` refuses it
  bool keyless = false;                            // signed through Sigstore: not checked here
  std::optional<registry::attest::PublicKey> key;  // that stands in the file
  std::string problem;                             // why it is not good
};
[[nodiscard]] EnvelopeCheck check_signature(const systems::inferencebench::Envelope& envelope);

}  // namespace plumbline::intake
