// The chain of a line: each signed publication names the envelope of the one before it, and counts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "registry/attest/dsse.hpp"
#include "registry/attest/statement.hpp"

namespace plumbline::registry::attest {

// attest/ of an open publication, as far as it can be read: what a chain is made of.
struct Attestation {
  std::string envelope_sha256;
  Envelope envelope;
  Statement statement;
};
// What an envelope's text holds. Errors (invalid_input) say what is wrong with it.
[[nodiscard]] core::Expected<Attestation> parse_attestation(std::string_view envelope);
// nullopt where there is no envelope. Errors (provenance_mismatch) name what is wrong with the one that is there.
[[nodiscard]] core::Expected<std::optional<Attestation>> read_attestation(int publication, const std::string& path);

// The newest signed publication in an open folder of a line; `slugs` are its publications, oldest first.
[[nodiscard]] core::Expected<std::optional<Attestation>> newest_attestation(int line, const std::string& path,
                                                                            const std::vector<std::string>& slugs);

}  // namespace plumbline::registry::attest
