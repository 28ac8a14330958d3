#include "intake/envelope.hpp"

#include "core/native.hpp"
#include "registry/attest/base64.hpp"
#include "registry/files.hpp"

namespace plumbline::intake {

using core::ErrorCode;
namespace attest = registry::attest;

EnvelopeCheck check_signature(const systems::inferencebench::Envelope& envelope) {
  EnvelopeCheck out;
  out.content_hash = registry::sha256_hex(envelope.canonical_model);
  out.raw_content_hash = registry::sha256_hex(envelope.canonical_raw);
  if (!envelope.signature) return out;
  out.is_signed = true;
  if (envelope.signature->method != "dev-key") {
    out.keyless = true;
    return out;
  }
  const auto key = attest::parse_public_key(envelope.signature->certificate, "signature.certificate");
  if (!key) {
    out.problem = "signature.certificate is " + key.error().message;
    return out;
  }
  if (key->algorithm != attest::Algorithm::ed25519) {
    out.problem = "signature.certificate is a public key of another kind than ed25519";
    return out;
  }
  out.key = *key;
  const auto signature = attest::decode_base64(envelope.signature->bundle);
  if (!signature || signature->size() != 64) {
    out.problem = "signature.bundle is not the base64 of a 64-byte signature";
    return out;
  }
  // What is signed is the hash's 64 hex digits, not its bytes.
  out.good = attest::verify(*key, out.content_hash, *signature);
  if (!out.good && out.raw_content_hash != out.content_hash && attest::verify(*key, out.raw_content_hash, *signature)) {
    out.good = out.fits_raw_only = true;
  }
  if (!out.good) {
    out.problem = "the signature does not fit the content (content hash " + out.content_hash.substr(0, 12) +
                  "…): the file was changed after it was signed";
  }
  return out;
}

core::Status check_envelope(core::Measurement& measurement) {
  const systems::inferencebench::Envelope* envelope = core::native_file<systems::inferencebench::Envelope>(measurement);
  if (envelope == nullptr) return {};
  const std::string computed = registry::sha256_hex(envelope->canonical_fingerprint);
  if (computed != envelope->hardware_fingerprint) {
    return core::fail(ErrorCode::invalid_input,
                      "envelope v1: hardware_fingerprint.fingerprint_sha256 is not the digest of the fingerprint: it says " +
                          envelope->hardware_fingerprint.substr(0, 12) + "…, the digest is " + computed.substr(0, 12) + "…",
                      "the hardware part was edited, or its writer is not inferencebench", measurement.native->path);
  }
  const EnvelopeCheck check = check_signature(*envelope);
  if (!check.is_signed) return {};
  if (check.keyless) {
    measurement.warn("signature_unchecked",
                     "signed through Sigstore: certificate and transparency log are not checked here, inferencebench's own "
                     "verify asks them over the network");
  } else if (!check.good) {
    measurement.warn("signature_invalid", "inferencebench envelope: " + check.problem);
  } else {
    measurement.warn("signature_unpinned", "signed by the key " + attest::key_name(*check.key) +
                                               " in the file itself, so anybody may have signed it; `plumbline verify "
                                               "ENVELOPE --trust PUB` asks for a key of yours");
  }
  return {};
}

}  // namespace plumbline::intake
