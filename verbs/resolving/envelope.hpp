// verify of an inferencebench envelope: what intake computes of it (intake/envelope.hpp), told as a result.
#pragma once

#include <string>
#include <vector>

#include "core/results/small.hpp"
#include "registry/attest/keys.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// `verify ENVELOPE.json [--trust PUB]…`.
[[nodiscard]] Expected<core::VerifyResult> verify_envelope(const std::string& path,
                                                           const std::vector<registry::attest::PublicKey>& trusted,
                                                           const Context& context);

}  // namespace plumbline::verbs
