// The public keys that an issuer of JWTs publishes (JWK Set, RFC 7517) and signatures checked with them. Keys for other purposes
// and of kinds we do not use are passed over, as the RFC asks; a key that could be used but should not be (too short, without a
// name, named twice, private) is an error, since whoever configured it is there to mend it. Immutable once made.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

struct evp_pkey_st;  // EVP_PKEY

namespace plumbline::server::access {

enum class Algorithm { rs256, ps256, es256 };

// Exactly "RS256", "PS256", "ES256"; nothing else is an algorithm here, "none" and the HMAC ones least of all.
[[nodiscard]] std::optional<Algorithm> algorithm_of(std::string_view name);

class KeySet {
 public:
  // `where` names the text in errors.
  [[nodiscard]] static core::Expected<KeySet> parse(std::string_view json, const std::string& where);

  // False when no key of that name is made for the algorithm, or the signature is not its.
  [[nodiscard]] bool verify(std::string_view kid, Algorithm algorithm, std::string_view text, std::string_view signature) const;
  [[nodiscard]] bool knows(std::string_view kid) const { return find(kid) != nullptr; }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  struct Key {
    std::string kid;
    bool elliptic = false;
    std::optional<Algorithm> only;  // the JWK's own "alg"
    std::shared_ptr<evp_pkey_st> key;
  };
  struct Reader;
  [[nodiscard]] const Key* find(std::string_view kid) const;

  std::vector<Key> keys_;
};

}  // namespace plumbline::server::access
