// RFC 4648 as signatures and payloads are written in JSON.
#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::registry::attest {

// Section 4: the standard alphabet, with padding.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

// Strict: padding, no blanks, and unused bits are zero, so that one text alone stands for some bytes.
[[nodiscard]] core::Expected<std::string> decode_base64(std::string_view text);

// The same, or with the alphabet that is safe in URLs (section 5), which DSSE lets a signer choose.
[[nodiscard]] core::Expected<std::string> decode_any_base64(std::string_view text);

}  // namespace plumbline::registry::attest
