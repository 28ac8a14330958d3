#include "registry/attest/chain.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "registry/io.hpp"

namespace plumbline::registry::attest {

using core::ErrorCode;
using core::fail;

namespace {

constexpr const char* kEnvelope = "attest/statement.dsse.json";

}  // namespace

core::Expected<Attestation> parse_attestation(std::string_view text) {
  Attestation out;
  out.envelope_sha256 = sha256_hex(text);
  auto envelope = parse_envelope(text);
  if (!envelope) return fail(envelope.error());
  if (envelope->payload_type != kPayloadType)
    return fail(ErrorCode::invalid_input, "its payload is not of the type " + std::string(kPayloadType));
  auto statement = parse_statement(envelope->payload);
  if (!statement) return fail(statement.error());
  out.envelope = std::move(*envelope);
  out.statement = std::move(*statement);
  return out;
}

core::Expected<std::optional<Attestation>> read_attestation(int publication, const std::string& path) {
  // Component by component: attest/ may be a link as well.
  const io::Descriptor folder(::openat(publication, "attest", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return std::optional<Attestation>();
    return fail(io::read_error(io::join(path, "attest"), errno));
  }
  struct stat info {};
  if (::fstatat(folder.get(), "statement.dsse.json", &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::optional<Attestation>();
    return fail(io::read_error(io::join(path, kEnvelope), errno));
  }
  const auto text = io::read_text_at(folder.get(), "statement.dsse.json", io::join(path, kEnvelope), kEnvelopeAtMost);
  if (!text) return fail(text.error());
  auto out = parse_attestation(*text);
  if (!out)
    return fail(ErrorCode::provenance_mismatch, std::string(kEnvelope) + ": " + out.error().message, {},
                io::join(path, kEnvelope));
  return std::optional(std::move(*out));
}

core::Expected<std::optional<Attestation>> newest_attestation(int line, const std::string& path,
                                                              const std::vector<std::string>& slugs) {
  for (auto slug = slugs.rbegin(); slug != slugs.rend(); ++slug) {
    const io::Descriptor folder(::openat(line, slug->c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.valid()) continue;  // removed meanwhile
    auto found = read_attestation(folder.get(), io::join(path, *slug));
    if (!found || *found) return found;
  }
  return std::optional<Attestation>();
}

}  // namespace plumbline::registry::attest
