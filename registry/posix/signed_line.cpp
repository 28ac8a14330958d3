#include "registry/posix/signed_line.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <thread>

#include "registry/attest/chain.hpp"
#include "registry/attest/dsse.hpp"
#include "registry/posix/store.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

namespace {

constexpr const char* kLock = ".attest-lock";
constexpr auto kLongestWait = std::chrono::seconds(60);
constexpr auto kPause = std::chrono::milliseconds(5);
constexpr std::size_t kLookedThroughFirst = 64;  // publications for the last one that is signed

// What a reader looks at first, in the order of the subjects behind SHA256SUMS.
constexpr std::array<std::string_view, 6> kDocuments = {"baseline.json",     "diff.json",     "deltas.jsonl",
                                                        "profile-diff.json", "outliers.json", "request.json"};

std::vector<attest::Subject> subjects_of(const PosixStaging& staging) {
  std::vector<attest::Subject> subjects = {{std::string(attest::kManifestName), sha256_hex(staging.manifest())}};
  for (const std::string_view name : kDocuments) {
    if (const auto digest = staging.digest_of(name)) subjects.push_back({std::string(name), *digest});
  }
  return subjects;
}

}  // namespace

core::Expected<SignedLine> SignedLine::enter(PosixStaging& staging, cache::Index& index) {
  SignedLine line(staging);
  if (staging.signing() == nullptr) return line;
  if (auto waited = line.wait(); !waited) return fail(waited.error());
  if (auto found = line.find_previous(index); !found) return fail(found.error());
  return line;
}

SignedLine::~SignedLine() { leave(); }

void SignedLine::leave() {
  if (!lock_.valid()) return;
  // While the lock is held: whoever waits for this file notices that its name is gone, and makes a new one.
  staging_->watch().before(staging_->parent_fd());
  ::unlinkat(staging_->parent_fd(), kLock, 0);
  staging_->watch().after(staging_->parent_fd(), 0);
  lock_.reset();
}

core::Status SignedLine::wait() {
  const int parent = staging_->parent_fd();
  const auto failed = [&](int error) { return fail(io::write_error(kLock, staging_->parent(), error)); };
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  for (;;) {
    staging_->watch().before(parent);
    io::Descriptor fd(::openat(parent, kLock, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644));
    if (!fd.valid()) return failed(errno);
    staging_->watch().after(parent, 0);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      struct stat held {
      }, named{};
      if (::fstat(fd.get(), &held) == 0 && ::fstatat(parent, kLock, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
          held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
        lock_ = std::move(fd);
        return {};
      }
      continue;  // its holder removed it between our two calls
    }
    if (errno != EWOULDBLOCK && errno != EINTR) return failed(errno);
    if (staging_->limits().stop && staging_->limits().stop())
      return fail(ErrorCode::cancelled, "stopped while waiting for another signer");
    if (std::chrono::steady_clock::now() > end) {
      return fail(ErrorCode::environment,
                  "another signer holds " + io::join(staging_->parent(), kLock) + " for more than a minute",
                  "repeat the call when it is done", staging_->parent());
    }
    std::this_thread::sleep_for(kPause);
  }
}

core::Status SignedLine::find_previous(cache::Index& index) {
  const std::string path = staging_->parent();
  const int parent = staging_->parent_fd();
  const auto slugs_of = [&](std::size_t at_least) -> core::Expected<cache::KnownLine> {
    const auto& first = staging_->watch().first();
    if (first && staging_->watch().undisturbed(parent)) {
      if (auto known = index.known(staging_->line(), *first, at_least)) return std::move(*known);
    }
    return index.look(parent, staging_->line(), path, at_least);
  };
  auto line = slugs_of(kLookedThroughFirst);
  if (!line) return fail(line.error());
  newest_ = line->newest.newest();
  auto previous = attest::newest_attestation(parent, path, line->newest.texts());
  if (previous && !*previous && line->newest.size() < line->count) {
    line = slugs_of(SIZE_MAX);
    if (!line) return fail(line.error());
    previous = attest::newest_attestation(parent, path, line->newest.texts());
  }
  if (!previous) {
    core::Error error = previous.error();
    error.message = "the signed publication before this one cannot be continued: " + error.message;
    if (error.hint.empty()) error.hint = "`plumbline verify` says what is wrong with the line; restore it from a copy";
    return fail(std::move(error));
  }
  if (!*previous) return {};
  link_.sequence = (*previous)->statement.link.sequence + 1;
  link_.previous = (*previous)->envelope_sha256;
  return {};
}

std::chrono::system_clock::time_point SignedLine::not_before(std::chrono::system_clock::time_point now) const {
  const auto newest = time_of_slug(newest_);
  return newest && *newest >= now ? *newest + std::chrono::microseconds(1) : now;
}

core::Status SignedLine::sign(const std::string& slug) {
  const attest::Signing* signing = staging_->signing();
  if (signing == nullptr) return {};
  const auto time = time_of_slug(slug);
  if (!time || slug <= newest_) {
    return fail(ErrorCode::already_exists, "a signed publication comes after all that are in its line, the newest is " + newest_,
                {}, io::join(staging_->parent(), slug));
  }
  const std::string line = staging_->parent();
  const attest::Place place{staging_->kind(), std::string(io::base_of(io::parent_of(line))), std::string(io::base_of(line)),
                            slug};
  std::string statement = attest::statement_text(signing->claim, subjects_of(*staging_), place, link_, utc_text(*time));
  const auto envelope = attest::sign_payload(*signing->key, std::move(statement));
  if (!envelope) return fail(envelope.error());
  return staging_->put_attestation({{"statement.json", envelope->payload},
                                    {"statement.dsse.json", attest::envelope_text(*envelope)},
                                    {"pae.bin", attest::pae(envelope->payload_type, envelope->payload)},
                                    {"statement.sig", envelope->signatures.front().bytes}});
}

}  // namespace plumbline::registry
