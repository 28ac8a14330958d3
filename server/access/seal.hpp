// State that a client keeps for us between two rounds of one call. It leaves the process encrypted and authenticated
// (AES-256-GCM under a key that this process drew and nobody else knows) and comes back into the same call only: caller, method
// and parameters are bound to it, and it expires. A restart forgets the key, and with it everything sealed. Thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::server::access {

// `bytes` of the system's random numbers as URL-safe text: session ids, task ids. Throws when there are none to be had.
[[nodiscard]] std::string random_token(std::size_t bytes = 24);

// One text for several, so that no two lists give the same: what sealed state is bound to.
[[nodiscard]] std::string binding_of(std::initializer_list<std::string_view> parts);

class Sealer {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kPayloadBytes = 64U << 10;

  Sealer();  // throws when the system has no random numbers
  ~Sealer();
  Sealer(const Sealer&) = delete;
  Sealer& operator=(const Sealer&) = delete;

  // Characters of base64url only. The error is limit_exceeded, for a payload beyond kPayloadBytes.
  [[nodiscard]] core::Expected<std::string> seal(std::string_view payload, std::string_view binding, Time now,
                                                 std::chrono::milliseconds ttl) const;
  // Errors (invalid_input): not one of ours; changed or bound to something else (which of them is not told); expired.
  [[nodiscard]] core::Expected<std::string> open(std::string_view text, std::string_view binding, Time now) const;

 private:
  std::array<unsigned char, 32> key_{};
};

}  // namespace plumbline::server::access
