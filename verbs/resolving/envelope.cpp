#include "verbs/resolving/envelope.hpp"

#include <algorithm>

#include "core/native.hpp"
#include "intake/envelope.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

namespace attest = registry::attest;

Expected<core::VerifyResult> verify_envelope(const std::string& path, const std::vector<attest::PublicKey>& trusted,
                                             const Context& context) {
  auto source = load_source(path, context, "path");
  if (!source) return core::fail(source.error());
  std::vector<intake::Opened> sources;
  sources.push_back(std::move(*source));
  auto measurement = read_measurement(sources, "", nullptr, context, {}, true);
  if (!measurement) return core::fail(measurement.error());
  const systems::inferencebench::Envelope* envelope = core::native_file<systems::inferencebench::Envelope>(*measurement);
  if (envelope == nullptr) {
    return core::fail(ErrorCode::invalid_input, "a file of the format " + measurement->format.name + " has nothing to verify",
                      "verify takes an entry, a bundle or a signed inferencebench envelope", path);
  }
  const intake::EnvelopeCheck check = intake::check_signature(*envelope);
  core::VerifyResult result;
  result.kind = "envelope";
  result.path = path;
  result.bundle_sha256 = check.content_hash;
  result.is_signed = check.is_signed;
  result.files = 1;
  for (core::Warning& warning : measurement->warnings) {
    if (!warning.code.text().starts_with("signature_")) result.warnings.push_back(std::move(warning));
  }
  const auto problem = [&](core::ProblemCode code, std::string message) {
    result.problems.push_back({code, "", std::move(message)});
  };
  if (!check.is_signed) {
    if (!trusted.empty()) problem("unsigned", "the envelope is not signed");
  } else if (check.keyless) {
    problem("signature_unchecked",
            "signed through Sigstore: certificate and transparency log are not checked here, inferencebench's own verify asks "
            "them over the network");
  } else if (!check.good) {
    problem("signature_invalid", check.problem);
  } else if (!trusted.empty() && std::find(trusted.begin(), trusted.end(), *check.key) == trusted.end()) {
    problem("untrusted_key", "signed by the key " + attest::key_name(*check.key) + " in the file, not by the trusted key " +
                                 attest::key_name(trusted.front()) + (trusted.size() > 1 ? " nor by another" : ""));
  } else if (!trusted.empty()) {
    result.trusted = true;
  } else {
    result.warnings.push_back(
        {"signature_unpinned", "signed by the key " + attest::key_name(*check.key) +
                                   " in the file itself, so anybody may have signed it, as inferencebench's own "
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
