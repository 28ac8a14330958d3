// ECDSA on P-256 with the nonce of RFC 6979. Internal to attest: OpenSSL offers it from 3.2 on only, and with a random nonce
// neither an envelope nor the chain behind it would be the same for the same inputs.
#pragma once

#include <openssl/evp.h>

#include <string>
#include <string_view>

namespace plumbline::registry::attest {

// The signature in DER; "" when the library fails.
[[nodiscard]] std::string sign_ecdsa_p256(const EVP_PKEY* key, std::string_view message);

}  // namespace plumbline::registry::attest
