// ECDSA on P-256 with the nonce of RFC 6979. Internal to attest: OpenSSL offers it from 3.2 on only, and with a random nonce
// neither an envelope nor the chain behind it would be the same for the same inputs.
#pragma once

#include <string>
#include <string_view>

struct evp_pkey_st;  // the library's EVP_PKEY

namespace plumbline::registry::attest {

// The signature in DER; "" when the library fails.
[[nodiscard]] std::string sign_ecdsa_p256(const evp_pkey_st* key, std::string_view message);

}  // namespace plumbline::registry::attest
