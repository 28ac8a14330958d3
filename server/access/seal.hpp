// State that a client keeps for us between two rounds of one call. It leaves the process encrypted and authenticated
// (AES-256-GCM) and comes back into the same call only: caller, method and parameters are bound to it, and it expires. The key is
// drawn when it is first needed, and a restart forgets it with everything sealed; or the operator gives the same one to several
// servers, each of which then opens what another sealed. Thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <initializer_list>
#include <mutex>
#include <optional>
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
  using Key = std::array<unsigned char, 32>;
  using Time = std::chrono::system_clock::time_point;  // which several servers share
  static constexpr std::size_t kPayloadBytes = 64U << 10;
  static constexpr std::size_t kKeyFileBytes = 32;  // at least

  explicit Sealer(const std::optional<Key>& key = std::nullopt);
  ~Sealer();
  Sealer(const Sealer&) = delete;
  Sealer& operator=(const Sealer&) = delete;

  // Of a file with at least kKeyFileBytes bytes that only its owner can read: the SHA-256 of all of it.
  [[nodiscard]] static core::Expected<Key> read_key(const std::string& path);

  // Characters of base64url only. The error is limit_exceeded, for a payload beyond kPayloadBytes. Throws when the system has no
  // random numbers.
  [[nodiscard]] core::Expected<std::string> seal(std::string_view payload, std::string_view binding, Time now,
                                                 std::chrono::milliseconds ttl) const;
  // Errors (invalid_input): not one of ours; changed or bound to something else (which of them is not told); expired.
  [[nodiscard]] core::Expected<std::string> open(std::string_view text, std::string_view binding, Time now) const;

 private:
  [[nodiscard]] const Key& key() const;

  mutable std::once_flag drawn_;
  mutable Key key_{};
};

}  // namespace plumbline::server::access
