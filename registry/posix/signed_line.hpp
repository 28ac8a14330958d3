// Signing at the moment of publication, one signer at a time in a line: its sequence and its previous one must still be right
// when the rename makes it visible. Internal to the registry room.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "registry/attest/statement.hpp"
#include "registry/cache/index.hpp"
#include "registry/posix/staging.hpp"

namespace plumbline::registry {

class SignedLine {
 public:
  // Waits for other signers, at most a minute. For a staging that is not to be signed there is nothing to wait for, and nothing
  // below does anything. The staging is sealed and outlives this.
  [[nodiscard]] static core::Expected<SignedLine> enter(PosixStaging& staging, cache::Index& index);
  SignedLine(SignedLine&&) noexcept = default;
  SignedLine& operator=(SignedLine&&) = delete;
  ~SignedLine();
  // The next signer may go on.
  void leave();

  // Slugs follow the sequence, whatever the clock says.
  [[nodiscard]] std::chrono::system_clock::time_point not_before(std::chrono::system_clock::time_point now) const;
  // The digest of the signed publication before this one; "": there is none.
  [[nodiscard]] const std::string& previous() const { return link_.previous; }
  // Puts attest/ into the staging as it will be under this name.
  [[nodiscard]] core::Status sign(const std::string& slug);

 private:
  explicit SignedLine(PosixStaging& staging) : staging_(&staging) {}
  core::Status wait();
  core::Status find_previous(cache::Index& index);

  PosixStaging* staging_;
  io::Descriptor lock_;
  std::string newest_;  // slug of the newest publication, signed or not
  attest::Link link_;
};

}  // namespace plumbline::registry
