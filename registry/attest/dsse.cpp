#include "registry/attest/dsse.hpp"

#include <nlohmann/json.hpp>

#include "registry/attest/base64.hpp"
#include "registry/json_text.hpp"

namespace plumbline::registry::attest {

using core::ErrorCode;
using core::fail;

namespace {

core::Expected<std::string> decoded(const nlohmann::json& object, const char* name) {
  const auto text = text_of(object, name);
  if (!text) return fail(ErrorCode::invalid_input, "no text \"" + std::string(name) + "\"");
  auto bytes = decode_any_base64(*text);
  if (!bytes) return fail(ErrorCode::invalid_input, "\"" + std::string(name) + "\" is not base64");
  return bytes;
}

core::Expected<std::vector<Signature>> signatures_of(const nlohmann::json& document) {
  const auto list = document.find("signatures");
  if (list == document.end() || !list->is_array() || list->empty())
    return fail(ErrorCode::invalid_input, "no list \"signatures\" with at least one");
  if (list->size() > kSignaturesAtMost)
    return fail(ErrorCode::invalid_input, "more than " + std::to_string(kSignaturesAtMost) + " signatures");
  std::vector<Signature> out;
  for (const auto& item : *list) {
    if (!item.is_object()) return fail(ErrorCode::invalid_input, "a signature is no object");
    auto bytes = decoded(item, "sig");
    if (!bytes) return fail(bytes.error());
    out.push_back({text_or_empty(item, "keyid"), std::move(*bytes)});
  }
  return out;
}

}  // namespace

std::string pae(std::string_view payload_type, std::string_view payload) {
  std::string out = "DSSEv1 ";
  out += std::to_string(payload_type.size());
  out += ' ';
  out += payload_type;
  out += ' ';
  out += std::to_string(payload.size());
  out += ' ';
  out += payload;
  return out;
}

core::Expected<Envelope> parse_envelope(std::string_view text) {
  if (text.size() > kEnvelopeAtMost)
    return fail(ErrorCode::invalid_input, "larger than the " + std::to_string(kEnvelopeAtMost >> 20U) + " MiB that are read");
  const auto document = parse_json(text);
  if (!document) return fail(document.error());
  if (!document->is_object()) return fail(ErrorCode::invalid_input, "no JSON object");
  Envelope out;
  const auto type = text_of(*document, "payloadType");
  if (!type) return fail(ErrorCode::invalid_input, "no text \"payloadType\"");
  out.payload_type = *type;
  auto payload = decoded(*document, "payload");
  if (!payload) return fail(payload.error());
  out.payload = std::move(*payload);
  auto signatures = signatures_of(*document);
  if (!signatures) return fail(signatures.error());
  out.signatures = std::move(*signatures);
  return out;
}

std::string envelope_text(const Envelope& envelope) {
  // Base64 of hashes and signatures can look like a token, so these texts do not go through the screen for secrets.
  nlohmann::ordered_json document;
  document["payloadType"] = envelope.payload_type;
  document["payload"] = encode_base64(envelope.payload);
  document["signatures"] = nlohmann::ordered_json::array();
  for (const Signature& signature : envelope.signatures) {
    nlohmann::ordered_json one;
    one["keyid"] = signature.keyid;
    one["sig"] = encode_base64(signature.bytes);
    document["signatures"].push_back(std::move(one));
  }
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

core::Expected<Envelope> sign_payload(const PrivateKey& key, std::string payload) {
  auto signature = key.sign(pae(kPayloadType, payload));
  if (!signature) return fail(signature.error());
  return Envelope{std::string(kPayloadType), std::move(payload), {{key_id(key.public_key()), std::move(*signature)}}};
}

}  // namespace plumbline::registry::attest
