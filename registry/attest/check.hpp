// attest/ of a publication held against what it was signed for: its files, its place, and the keys that are trusted. Internal to
// the registry room.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/results/small.hpp"
#include "registry/attest/chain.hpp"
#include "registry/manifest/tree.hpp"
#include "registry/verification.hpp"

namespace plumbline::registry::attest {

// What is told of a statement.
[[nodiscard]] core::Attested told(const Attestation& found);

struct Verdict {
  bool is_signed = false;  // there is an envelope that can be read
  bool trusted = false;    // signed by a trusted key, for these files in this place
  std::optional<core::Attested> attested;
  std::vector<core::VerifyProblem> problems;
  std::vector<core::Warning> warnings;
};

// Every signature with every trusted key, the key that the envelope names being only a hint: what is wrong where none of them
// holds.
struct SignatureFault {
  core::ProblemCode code;
  std::string message;
};
[[nodiscard]] std::optional<SignatureFault> fault_of_signature(const Envelope& envelope, const std::vector<PublicKey>& keys);

[[nodiscard]] Verdict check_attestation(int publication, const std::string& path, const TreeCheck& tree, const Trust& trust);

// The signature of an envelope whose publication is gone: by none of the trusted keys, or unchecked without any.
[[nodiscard]] Verdict check_envelope(const Attestation& found, const Trust& trust);

}  // namespace plumbline::registry::attest
