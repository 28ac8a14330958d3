// --sign: whose key signs what a verb publishes, and what the signed statement says of the call.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "registry/attest/statement.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// The key, and what is known before anything is compared: the question, who asks, and when.
struct Signer {
  std::shared_ptr<const registry::attest::PrivateKey> key;
  registry::attest::Claim claim;
};

// --sign KEY, else PLUMBLINE_SIGN: a file in PEM, or `env:NAME` for a variable that holds the PEM text. Null where neither is
// given. The key is read before the verb does anything, so that a bad one is refused before there is anything to sign.
[[nodiscard]] Expected<std::shared_ptr<const Signer>> signer_for(std::string_view verb, const Arguments& arguments,
                                                                 const Context& context);

// The parameter.
[[nodiscard]] Param sign_param();

// What a publication rests on and what came of it, in the order that the statement shows. Nothing where `signer` is null.
void sign(registry::Staging& staging, const std::shared_ptr<const Signer>& signer,
          std::vector<registry::attest::Dependency> dependencies, registry::attest::Fields result);

// One JSON value.
[[nodiscard]] std::string json_value(std::string_view text);
[[nodiscard]] std::string json_value(double number);
[[nodiscard]] std::string json_value(std::uint64_t number);
[[nodiscard]] std::string json_value(const std::vector<std::string>& texts);

}  // namespace plumbline::verbs
