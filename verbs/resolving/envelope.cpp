#include "verbs/resolving/envelope.hpp"

#include "core/native.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

namespace {

namespace attest = registry::attest;

}  // namespace

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

Status check_envelope(core::Measurement& measurement) {
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
    measurement.warn("signature_unpinned",
                     "signed by the key " + attest::key_name(*check.key) +
                         " that stands in the file itself, so anybody may have signed it; `plumbline verify "
                         "ENVELOPE --trust PUB` asks for a key of yours");
  }
  return {};
}

Expected<core::VerifyResult> verify_envelope(const std::string& path, const std::optional<attest::PublicKey>& trusted,
                                             const Context& context) {
  auto source = load_source(path, context, "path");
  if (!source) return core::fail(source.error());
  std::vector<LoadedSource> sources;
  sources.push_back(std::move(*source));
  auto measurement = read_measurement(sources, "", nullptr, context, nullptr, true);
  if (!measurement) return core::fail(measurement.error());
  const systems::inferencebench::Envelope* envelope = core::native_file<systems::inferencebench::Envelope>(*measurement);
  if (envelope == nullptr) {
    return core::fail(ErrorCode::invalid_input, "a file of the format " + measurement->format.name + " has nothing to verify",
                      "verify takes an entry, a bundle or a signed inferencebench envelope", path);
  }
  const EnvelopeCheck check = check_signature(*envelope);
  core::VerifyResult result;
  result.kind = "envelope";
  result.path = path;
  result.bundle_sha256 = check.content_hash;
  result.is_signed = check.is_signed;
  result.files = 1;
  for (core::Warning& warning : measurement->warnings) {
    if (!warning.code.starts_with("signature_")) result.warnings.push_back(std::move(warning));
  }
  const auto problem = [&](const char* code, std::string message) { result.problems.push_back({code, "", std::move(message)}); };
  if (!check.is_signed) {
    if (trusted) problem("unsigned", "the envelope is not signed");
  } else if (check.keyless) {
    problem("signature_unchecked",
            "signed through Sigstore: certificate and transparency log are not checked here, inferencebench's own verify asks "
            "them over the network");
  } else if (!check.good) {
    problem("signature_invalid", check.problem);
  } else if (trusted && *check.key != *trusted) {
    problem("untrusted_key", "signed by the key " + attest::key_name(*check.key) +
                                 " that stands in the file, not by the trusted key " + attest::key_name(*trusted));
  } else if (trusted) {
    result.trusted = true;
  } else {
    result.warnings.push_back(
        {"signature_unpinned", "signed by the key " + attest::key_name(*check.key) +
                                   " that stands in the file itself, so anybody may have signed it, as inferencebench's own "
                                   "`diff --verify` does not notice; --trust PUB asks for a key of yours"});
  }
  if (check.fits_raw_only) {
    result.warnings.push_back(
        {"signature_of_raw_json", "the signature fits the file's own JSON (content hash " + check.raw_content_hash.substr(0, 12) +
                                      "…) but not what inferencebench makes of it (" + check.content_hash.substr(0, 12) +
                                      "…): its verify refuses what its bundles' verify.py takes"});
  } else if (check.content_hash != check.raw_content_hash) {
    result.warnings.push_back(
        {"content_hash_ambiguous",
         "inferencebench has two rules for the content hash, which differ here: " + check.content_hash.substr(0, 12) +
             "… of its model and " + check.raw_content_hash.substr(0, 12) + "… of the file's JSON"});
  }
  result.ok = result.problems.empty();
  return result;
}

}  // namespace plumbline::verbs
