// links: registry core
// attest/ as an enemy could have written it: an envelope, a statement and a checkpoint of arbitrary text. Whatever is accepted
// reads back as the same, and keeps what the rest relies on: safe names, digests that are digests, a sequence from 1.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "registry/attest/base64.hpp"
#include "registry/attest/dsse.hpp"
#include "registry/attest/statement.hpp"
#include "registry/verification.hpp"

using namespace plumbline::registry;

namespace {

void require(bool good) {
  if (!good) std::abort();
}

void check_envelope(std::string_view text) {
  const auto envelope = attest::parse_envelope(text);
  if (!envelope) return require(!envelope.error().message.empty());
  require(!envelope->signatures.empty() && envelope->signatures.size() <= attest::kSignaturesAtMost);
  const auto again = attest::parse_envelope(attest::envelope_text(*envelope));
  // What is no UTF-8 is replaced where it is written.
  require(again.has_value() && again->payload == envelope->payload && again->signatures.size() == envelope->signatures.size());
  for (std::size_t i = 0; i < envelope->signatures.size(); ++i)
    require(again->signatures[i].bytes == envelope->signatures[i].bytes);
}

void check_statement(std::string_view text) {
  const auto statement = attest::parse_statement(text);
  if (!statement) return require(!statement.error().message.empty());
  require(statement->subjects.front().name == "SHA256SUMS");
  for (const attest::Subject& subject : statement->subjects) {
    require(check_relative_name(subject.name).has_value());
    require(is_sha256_hex(subject.sha256));
  }
  for (const std::string* part : {&statement->place.family, &statement->place.measurement, &statement->place.slug})
    require(check_segment("place", *part).has_value());
  require(statement->link.sequence >= 1);
  require(statement->link.previous.empty() || is_sha256_hex(statement->link.previous));
}

void check_checkpoint(std::string_view text) {
  const auto heads = parse_checkpoint(text, "heads");
  if (!heads) return require(heads.error().message.rfind("heads:", 0) == 0);
  for (const auto& head : *heads) {
    require(is_sha256_hex(head.envelope_sha256) && head.sequence >= 1);
    require(check_segment("family", head.family).has_value() && check_segment("measurement", head.measurement).has_value());
  }
}

void check_base64(std::string_view text) {
  const auto bytes = attest::decode_base64(text);
  require(!bytes || attest::encode_base64(*bytes) == text);
  require(attest::decode_base64(attest::encode_base64(text)).value() == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_envelope(text);
  check_statement(text);
  check_checkpoint(text);
  check_base64(text);
  static_cast<void>(attest::parse_public_key(text, "key"));
  // Any text as the payload of an envelope.
  check_envelope(attest::envelope_text({std::string(attest::kPayloadType), std::string(text), {{"", "x"}}}));
  return 0;
}
